package attacks

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"mime/quotedprintable"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"watchpost/specs/process"
)

const operatorToken = "0123456789abcdef"

// service is a process under attack, on this machine.
type service struct {
	t       *testing.T
	process *process.Process
	url     string
	host    string
	data    string
	client  *http.Client
}

// start starts a build in a separate folder. secure gives it TLS and so HTTP/2.
func start(t *testing.T, binary string, secure bool) *service {
	dir := t.TempDir()
	args := []string{
		"serve", "--listen", "127.0.0.1:0", "--data", filepath.Join(dir, "data"), "--admin-token", operatorToken, "--test-clock",
		"--registration", "open",
	}
	if secure {
		cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
		require.NoError(t, process.WriteCertificate(cert, key))
		args = append(args, "--tls-cert", cert, "--tls-key", key)
	}
	p, err := process.Launch("service", dir, binary, args...)
	require.NoError(t, err)
	t.Cleanup(p.Kill)
	at, err := p.URL()
	require.NoError(t, err)
	parsed, err := url.Parse(at)
	require.NoError(t, err)
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	t.Cleanup(transport.CloseIdleConnections)
	s := &service{t: t, process: p, url: at, host: parsed.Host, data: filepath.Join(dir, "data"), client: &http.Client{
		Timeout: process.Patience, Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	status, _ := s.send("GET", "/openapi.json", "") // made at the first request
	require.Equal(t, 200, status)
	return s
}

// send sends a request; headers come in pairs.
func (s *service) send(method, path, body string, headers ...string) (status int, reply []byte) {
	request, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	require.NoError(s.t, err)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := s.client.Do(request)
	if err != nil {
		return 0, nil
	}
	defer func() { _ = response.Body.Close() }()
	reply, _ = io.ReadAll(response.Body)
	return response.StatusCode, reply
}

// operator sends a request that has to succeed, and decodes the reply.
func (s *service) operator(method, path, body string) (reply map[string]any) {
	s.t.Helper()
	status, raw := s.send(method, path, body, "Authorization", "Bearer "+operatorToken)
	require.Less(s.t, status, 300, "%s %s: %s", method, path, raw)
	require.NoError(s.t, json.Unmarshal(raw, &reply))
	return reply
}

// team opens a team, and returns its id and key.
func (s *service) team(email, plan string) (id, key string) {
	s.t.Helper()
	made := s.operator("POST", "/admin/teams", fmt.Sprintf(`{"email":%q,"plan":%q}`, email, plan))
	return made["id"].(string), made["api_key"].(string)
}

// memory returns a line of the process's status in MiB: VmRSS, or VmHWM for the highest.
func (s *service) memory(name string) int {
	s.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.process.PID()))
	require.NoError(s.t, err)
	for line := range strings.Lines(string(status)) {
		if rest, found := strings.CutPrefix(line, name+":"); found {
			kib, err := strconv.Atoi(strings.Fields(rest)[0])
			require.NoError(s.t, err)
			return kib >> 10
		}
	}
	s.t.Fatal("no " + name)
	return 0
}

// goroutines returns how many the process has.
func (s *service) goroutines() int { return int(s.metric("go_goroutines")) }

// heap returns the allocated memory in MiB, including untouched memory.
func (s *service) heap() int { return int(s.metric("go_memstats_heap_alloc_bytes")) >> 20 }

// peak samples a figure until it has not grown for a second, and returns the largest: the
// service works on the requests that it got, and gives no signal.
func (s *service) peak(figure func() int) int {
	most, again := figure(), time.NewTicker(100*time.Millisecond)
	defer again.Stop()
	for still := 0; still < 10; still++ {
		<-again.C
		if now := figure(); now > most {
			most, still = now, 0
		}
	}
	return most
}

// falls samples a figure until it is no more than most or a time is over, and returns the
// last.
func (s *service) falls(figure func() int, most int, within time.Duration) int {
	again, over := time.NewTicker(time.Second), time.After(within)
	defer again.Stop()
	for {
		now := figure()
		if now <= most {
			return now
		}
		select {
		case <-again.C:
		case <-over:
			return now
		}
	}
}

func (s *service) metric(name string) float64 {
	s.t.Helper()
	_, raw := s.send("GET", "/metrics", "", "Authorization", "Bearer "+operatorToken)
	found := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindSubmatch(raw)
	require.NotNil(s.t, found)
	value, err := strconv.ParseFloat(string(found[1]), 64)
	require.NoError(s.t, err)
	return value
}

// mails returns the mails to an address, the oldest first.
func (s *service) mails(address string) (texts []string) {
	s.t.Helper()
	files, err := filepath.Glob(filepath.Join(s.data, "mail", "*-"+address+"*.eml"))
	require.NoError(s.t, err)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(s.t, err)
		text, err := io.ReadAll(quotedprintable.NewReader(bytes.NewReader(raw)))
		require.NoError(s.t, err)
		texts = append(texts, string(text))
	}
	return texts
}

var sixDigits = regexp.MustCompile(`\b[0-9]{6}\b`)

// code returns the newest code mailed to an address when it has at least the given number
// of mails; "" when none comes.
func (s *service) code(address string, mails int) string {
	for range 50 {
		if all := s.mails(address); len(all) >= mails {
			_, body, _ := strings.Cut(strings.ReplaceAll(all[len(all)-1], "\r", ""), "\n\n")
			return sixDigits.FindString(body)
		}
		time.Sleep(50 * time.Millisecond) // the folder tells no one of its files
	}
	return ""
}

// hold opens a connection, sends the head and the beginning of a request, and reads
// nothing. small keeps the client's window small.
func (s *service) hold(request string, small bool) net.Conn {
	conn, err := net.Dial("tcp", s.host)
	require.NoError(s.t, err)
	if small {
		require.NoError(s.t, conn.(*net.TCPConn).SetReadBuffer(4<<10))
	}
	s.t.Cleanup(func() { _ = conn.Close() })
	_, _ = io.WriteString(conn, request)
	return conn
}

// streams sends requests over one HTTP/2 connection and reads nothing. Bodies do not end.
// window is what the client lets the server send.
func (s *service) streams(n int, window uint32, method, path, body string, headers ...string) *tls.Conn {
	conn, err := tls.Dial("tcp", s.host, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = conn.Close() })
	out := bufio.NewWriter(conn)
	_, _ = out.WriteString(http2.ClientPreface)
	framer := http2.NewFramer(out, nil)
	_ = framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: window})
	if window > 0 {
		_ = framer.WriteWindowUpdate(0, window)
	}
	for i := range n {
		var head bytes.Buffer
		encoder := hpack.NewEncoder(&head)
		all := append([]string{":method", method, ":scheme", "https", ":authority", s.host, ":path", path}, headers...)
		for k := 0; k < len(all); k += 2 {
			_ = encoder.WriteField(hpack.HeaderField{Name: all[k], Value: all[k+1]})
		}
		id := uint32(2*i + 1)
		_ = framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: head.Bytes(), EndStream: body == "", EndHeaders: true})
		if body != "" {
			_ = framer.WriteData(id, false, []byte(body))
		}
	}
	require.NoError(s.t, out.Flush())
	return conn
}

// browser is a visitor with cookies.
type browser struct{ *service }

func (s *service) browser() *browser {
	jar, err := cookiejar.New(nil)
	require.NoError(s.t, err)
	own, client := *s, *s.client
	client.Jar = jar
	own.client = &client
	return &browser{service: &own}
}

// form sends a form of the dashboard's own page.
func (b *browser) form(path string, values url.Values) (status int, page []byte) {
	return b.send("POST", path, values.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "same-origin")
}

// signIn signs in by a mailed code, and reports whether that worked.
func (b *browser) signIn(email string) bool {
	before := len(b.mails(email))
	b.form("/app/sign-in", url.Values{"email": {email}})
	code := b.code(email, before+1)
	if code == "" {
		return false
	}
	status, _ := b.form("/app/sign-in/code", url.Values{"email": {email}, "otp": {code}})
	return status == http.StatusSeeOther
}

var formToken = regexp.MustCompile(`name="token" value="([^"]+)"`)

func (b *browser) token() string {
	b.t.Helper()
	_, page := b.send("GET", "/app", "")
	found := formToken.FindSubmatch(page)
	require.NotNil(b.t, found, "%s", page)
	return string(found[1])
}
