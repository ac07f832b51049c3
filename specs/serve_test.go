package specs_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"watchpost/specs/process"
)

// certificate writes a certificate for 127.0.0.1 and its key, and returns the
// files and a pool that trusts it.
func certificate(t *testing.T, dir string) (cert, key string, trust *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "specs"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	require.NoError(t, err)
	encoded, err := x509.MarshalECPrivateKey(private)
	require.NoError(t, err)
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	require.NoError(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}), 0o600))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: encoded}), 0o600))
	parsed, err := x509.ParseCertificate(raw)
	require.NoError(t, err)
	trust = x509.NewCertPool()
	trust.AddCert(parsed)
	return cert, key, trust
}

// TestTLS: with a certificate the service speaks only TLS, to callers and
// sessions (api.md#authentication, api.md#commands, protocol.md#transport).
func TestTLS(t *testing.T) {
	t.Parallel()
	_, err := binary()
	require.NoError(t, err)
	dir := t.TempDir()
	cert, key, trust := certificate(t, dir)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trust}}
	client := &http.Client{Timeout: patience, Transport: transport}
	t.Cleanup(client.CloseIdleConnections)
	served, err := launch("service", dir, "serve", "--data", filepath.Join(dir, "data"), "--listen", "127.0.0.1:0",
		"--tls-cert", cert, "--tls-key", key, "--admin-token", operatorToken)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, served.Stop()) })
	url, err := served.URL()
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(url, "https://"), url)

	w := emptyWorld(dir)
	w.ts, w.client, w.serviceURL = goScript{}, client, url
	w.play(t, "team ACME growth ada@acme.example")
	token, err := w.sessionToken("ada@acme.example")
	require.NoError(t, err)

	// Sessions use wss.
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, strings.Replace(url, "https", "wss", 1)+"/extension/socket", &websocket.DialOptions{HTTPClient: client})
	require.NoError(t, err)
	require.NoError(t, conn.Write(ctx, websocket.MessageText,
		[]byte(`{"type":"hello","v":1,"token":"`+token+`","boot":"b","journal":"j","version":"specs","account":`+accountFrame("ada")+`,"tasks":[]}`)))
	_, frame, err := conn.Read(ctx)
	require.NoError(t, err)
	require.Contains(t, string(frame), `"type":"welcome"`)
	require.NoError(t, conn.CloseNow())

	// Plain HTTP gets no reply.
	plain := &http.Client{Timeout: patience, Transport: &http.Transport{}}
	t.Cleanup(plain.CloseIdleConnections)
	response, err := plain.Get(strings.Replace(url, "https", "http", 1) + "/healthz")
	if err == nil {
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusBadRequest, response.StatusCode)
	}

	// The service uses a renewed certificate at the next handshake. While the
	// files are no pair, it keeps the previous one.
	require.NoError(t, os.WriteFile(key, []byte("half written"), 0o600))
	fresh := func(trust *x509.CertPool) error {
		client := &http.Client{Timeout: patience, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trust}}}
		defer client.CloseIdleConnections()
		response, err := client.Get(url + "/healthz")
		if err == nil {
			err = response.Body.Close()
		}
		return err
	}
	require.NoError(t, fresh(trust))
	_, err = served.Await("keeping the previous one")
	require.NoError(t, err)
	_, _, renewed := certificate(t, dir)
	require.NoError(t, fresh(renewed))
	require.Error(t, fresh(trust))

	// One file of the pair, or an invalid certificate, is an error at
	// start-up.
	for _, c := range []struct{ args, says string }{
		{"--tls-cert " + cert, "belong together"},
		{"--tls-key " + key, "belong together"},
		{"--tls-cert " + key + " --tls-key " + cert, "PEM"},
		{"--tls-cert " + key + " --tls-key " + cert, "--tls-cert " + key},
		{"--tls-cert " + cert + ".none --tls-key " + key, "--tls-cert: open "},
		{"--tls-cert " + cert + " --tls-key " + key + ".none", "--tls-key: open "},
	} {
		w.play(t, "run serve --listen 127.0.0.1:0 --data "+filepath.Join(dir, "other")+" "+c.args)
		w.play(t, "status 1\ntext contains '"+c.says+"'")
	}
}

// TestServingOtherMachines: the service accepts other machines when that is
// safe: with TLS, behind a trusted proxy, or when the operator insists
// (api.md#commands).
func TestServingOtherMachines(t *testing.T) {
	t.Parallel()
	_, err := binary()
	require.NoError(t, err)
	dir := t.TempDir()
	cert, key, _ := certificate(t, dir)
	for name, args := range map[string][]string{
		"TLS":      {"--tls-cert", cert, "--tls-key", key},
		"a proxy":  {"--trusted-proxy", "10.0.0.0/8,192.168.0.0/16"},
		"insecure": {"--insecure"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := launch("service", dir, append([]string{"serve", "--listen", "0.0.0.0:0", "--data", t.TempDir()}, args...)...)
			require.NoError(t, err)
			_, err = p.URL()
			require.NoError(t, err)
			require.NoError(t, p.Stop())
		})
	}
}

// TestVariables: every flag can be a variable, and a secret can be in a file
// that a variable names (api.md#commands). Tests of cmd/watchpost check that
// every flag has its variable.
func TestVariables(t *testing.T) {
	t.Parallel()
	program, err := binary()
	require.NoError(t, err)
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	master := base64.StdEncoding.EncodeToString([]byte("a master key of thirty-two bytes"))
	variables := []string{
		"WATCHPOST_LISTEN=127.0.0.1:0",
		"WATCHPOST_DATA=" + filepath.Join(dir, "data"),
		"WATCHPOST_ADMIN_TOKEN_FILE=" + file("admin-token", operatorToken+"\n"),
		"WATCHPOST_MASTER_KEY_FILE=" + file("master-key", master+"\n"),
		"WATCHPOST_TEST_CLOCK=true", "WATCHPOST_ACCESS_LOG=true", "WATCHPOST_LOG_LEVEL=debug",
		"WATCHPOST_INTERPRETER_URL=http://127.0.0.1:1/v1", "WATCHPOST_INTERPRETER_MODEL=m", "WATCHPOST_INTERPRETER_KEY_FILE=" + file("interpreter-key", modelKey+"\n"),
		"WATCHPOST_SMTP_HOST=127.0.0.1", "WATCHPOST_SMTP_FROM=a@b.example", "WATCHPOST_SMTP_TLS=none",
	}
	served, err := process.LaunchWith(variables, "service", dir, program, "serve")
	require.NoError(t, err)
	w := emptyWorld(dir)
	w.ts = goScript{}
	t.Cleanup(w.client.CloseIdleConnections)
	w.serviceURL, err = served.URL()
	require.NoError(t, err)
	w.play(t, `
team ACME growth ada@acme.example
clock advance 1h
as ACME GET /api-posts
status 200
`)
	_, err = served.Await(`"path":"/api-posts"`)
	require.NoError(t, err, "requests are logged")
	require.NoFileExists(t, filepath.Join(dir, "data", "master.key"), "a key was given")
	for _, secret := range []string{operatorToken, master, modelKey} {
		_, found := served.Logged(secret)
		require.False(t, found)
	}
	require.NoError(t, served.Stop())

	// The flag has precedence over the variable. Data stored under one key
	// cannot be opened with another.
	flagged, err := process.LaunchWith(variables, "service", dir, program, "serve", "--admin-token", "another-operator-token")
	require.NoError(t, err)
	w.serviceURL, err = flagged.URL()
	require.NoError(t, err)
	w.play(t, "as operator GET /admin/teams\nstatus 401\nas ACME GET /api-posts\nstatus 200\n"+
		"as nobody GET /admin/teams -H 'Authorization: Bearer another-operator-token'\nstatus 200")
	require.NoError(t, flagged.Stop())

	// A missing file is reported by the variable's name.
	for _, name := range []string{"ADMIN_TOKEN", "INTERPRETER_KEY", "SMTP_PASSWORD"} {
		p, err := process.LaunchWith([]string{"WATCHPOST_" + name + "_FILE=" + filepath.Join(dir, "missing")}, "service", dir, program,
			"serve", "--listen", "127.0.0.1:0", "--data", filepath.Join(dir, "none"))
		require.NoError(t, err)
		<-p.Done()
		require.Equal(t, 1, p.ExitCode())
		require.Contains(t, p.Tail(), "WATCHPOST_"+name+"_FILE")
	}
}

// TestStopThatWaits: a stop that waits names the reason, and a second Ctrl-C
// ends the process at once (api.md#commands).
func TestStopThatWaits(t *testing.T) {
	t.Parallel()
	p, err := launch("service", t.TempDir(), "serve", "--data", "data", "--listen", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(p.Kill)
	url, err := p.URL()
	require.NoError(t, err)
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	require.NoError(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "POST /network-agent/auth-send-otp HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n")
	require.NoError(t, err)
	_, err = conn.Read(make([]byte, 1)) // the handler reads the body
	require.NoError(t, err)

	require.NoError(t, syscall.Kill(p.PID(), syscall.SIGINT))
	line, err := p.Await("still stopping")
	require.NoError(t, err)
	require.Contains(t, line, `"waits_for":"requests in flight"`)
	require.NoError(t, syscall.Kill(p.PID(), syscall.SIGINT))
	<-p.Done()
	require.Equal(t, -1, p.ExitCode(), "ended by the signal")
}
