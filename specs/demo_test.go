package specs_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/specs/process"
)

// printed returns the value after a name in the demo's output.
func printed(t *testing.T, demo *process.Process, name string) string {
	t.Helper()
	line, err := demo.Await(name)
	require.NoError(t, err)
	fields := strings.Fields(strings.TrimPrefix(line, name))
	require.NotEmpty(t, fields, line)
	return fields[0]
}

// TestDemoKeepsItsWord checks the demo's output: each address answers, key and
// token are valid, two sessions work for a team with watchlists, there are
// posts, and each suggested line works as printed. The demo takes free ports
// when its own are busy, and removes its files (api.md#commands).
func TestDemoKeepsItsWord(t *testing.T) {
	t.Parallel()
	program, err := binary()
	require.NoError(t, err)
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer busy.Close()
	dir := t.TempDir()
	demo, err := process.LaunchWith([]string{"TMPDIR=" + dir}, "demo", dir, program, "demo",
		"--listen", busy.Addr().String(), "--network-listen", busy.Addr().String())
	require.NoError(t, err)
	stopped := false
	t.Cleanup(func() {
		if !stopped {
			demo.Kill()
		}
	})
	_, err = demo.Await("Ctrl-C ends it.")
	require.NoError(t, err)

	w := emptyWorld(dir)
	t.Cleanup(w.client.CloseIdleConnections)
	w.ts = goScript{}
	w.serviceURL, w.keys["DEMO"] = printed(t, demo, "Watchpost "), printed(t, demo, "API key ")
	w.networkURL = printed(t, demo, "Network ")
	w.document, err = w.readDocument()
	require.NoError(t, err)
	require.NotContains(t, w.serviceURL, busy.Addr().String())
	// The demo's admin token is public, so a page from a foreign name that
	// resolves to this machine gets nothing.
	for _, address := range []string{w.serviceURL, w.networkURL} {
		rebound, err := http.NewRequest(http.MethodGet, address+"/admin/teams", nil)
		require.NoError(t, err)
		rebound.Host = "rebound.example"
		rebound.Header.Set("Authorization", "Bearer demo")
		response, err := w.client.Do(rebound)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusMisdirectedRequest, response.StatusCode, address)
	}
	require.NotContains(t, w.networkURL, busy.Addr().String())
	token, data := printed(t, demo, "Admin token "), printed(t, demo, "Data ")

	// Addresses, token and folder.
	w.ask(t, http.StatusOK, "nobody", http.MethodGet, "/docs", "")
	require.Equal(t, w.serviceURL+"/docs", printed(t, demo, "API reference "))
	checkSignInLink(t, w.serviceURL, printed(t, demo, "Dashboard "))
	site, err := w.client.Get(w.networkURL)
	require.NoError(t, err)
	require.NoError(t, site.Body.Close())
	require.Less(t, site.StatusCode, http.StatusBadRequest)
	teams := w.ask(t, http.StatusOK, "nobody", http.MethodGet, "/admin/teams", "", "Authorization: Bearer "+token)
	require.Equal(t, 1.0, number(t, teams, "count"))
	require.FileExists(t, filepath.Join(data, "master.key"))

	// A team with watchlists, two sessions, and posts.
	team := w.ask(t, http.StatusOK, "DEMO", http.MethodGet, "/api-team", "")
	require.Equal(t, "[true,true]", textOf(member(t, team, "members[*].extension.connected")))
	lists := w.ask(t, http.StatusOK, "DEMO", http.MethodGet, "/api-keyword-watchlist", "")
	require.Equal(t, 2.0, number(t, lists, "count"))
	require.NoError(t, w.until(func() error {
		w.last, err = w.request("DEMO", http.MethodGet, "/api-posts?page_size=2", nil)
		if err != nil {
			return err
		}
		return w.do([]string{"json", "data", "length", "2"})
	}))

	// Each suggested line, as printed.
	task := ""
	tried := 0
	for line := range strings.SplitSeq(demo.Tail(), "\n") {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "curl ") {
			continue
		}
		tried++
		line = strings.Replace(line, "<the id from above>", task, 1)
		r := w.curl(t, line)
		require.Contains(t, []int{http.StatusOK, http.StatusCreated}, r.status, "%s\n%s", line, r)
		if id := regexp.MustCompile(`"api_agent_task_id":"([^"]+)"`).FindSubmatch(r.body); id != nil {
			task = string(id[1])
		}
	}
	require.Equal(t, 5, tried)
	w.play(t, "as DEMO GET /network-agent/get-task-status?api_agent_task_id="+task+`
eventually json data.status == completed
json data.task_output.name ~ .
`)

	w.tour(t, data)

	// The demo exits with success and removes its folder.
	stopped = true
	require.NoError(t, demo.Stop())
	require.NoDirExists(t, data)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, entry := range left {
		require.NotContains(t, entry.Name(), "watchpost-demo")
	}
}

// shellBlocks matches the shell commands in a text.
var shellBlocks = regexp.MustCompile("(?s)```sh\n(.*?)```")

// tour runs the README's tour in a shell: every line works as written, with the
// values that the demo printed.
func (w *world) tour(t *testing.T, data string) {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join("..", "README.md"))
	require.NoError(t, err)
	_, text, found := strings.Cut(string(readme), "## A tour\n")
	require.True(t, found)
	text, _, _ = strings.Cut(text, "\n## ")
	var lines strings.Builder
	for _, block := range shellBlocks.FindAllStringSubmatch(text, -1) {
		lines.WriteString(block[1])
	}
	script := regexp.MustCompile(`(?m)^export WATCHPOST_URL=.*$`).ReplaceAllString(lines.String(), "")
	require.NotEqual(t, lines.String(), script)
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	shell := exec.CommandContext(ctx, "sh", "-e", "-c", script)
	shell.Env = append(os.Environ(), "WATCHPOST_URL="+w.serviceURL, "WATCHPOST_KEY="+w.keys["DEMO"], "DATA="+data)
	out, err := shell.CombinedOutput()
	require.NoError(t, err, "%s", out)
	said := strings.ReplaceAll(string(out), `": `, `":`) // as before jq spaced it
	require.NotContains(t, said, `"error"`)
	for _, wanted := range []string{
		`"name":"Energy"`, `"deleted":true`, `"type":"people"`, `"type":"company"`, `"type":"forum"`, `"prompt":"`, `"task_input":`,
		"Like task created", "Comment task created", `"bookmark":true`, `"total_likes":`, `"allowances":`, `"api_key":"wp_`,
		`"teams":`, `"session_token":`, `"revoked":true`, `{"status":"ok"}`, "watchpost_tasks_total", "watchpost_sessions_connected",
	} {
		require.True(t, strings.Contains(said, wanted), "nothing says %s:\n%s", wanted, said)
	}
}

// curl sends the request of a curl line; it supports -s, -H, -d, -X and an
// address.
func (w *world) curl(t *testing.T, line string) *reply {
	t.Helper()
	line = strings.NewReplacer("$WATCHPOST_URL", w.serviceURL, "$WATCHPOST_KEY", w.keys["DEMO"]).Replace(line)
	method, address, body := http.MethodGet, "", ""
	var headers []string
	args := shellWords(line)
	for i := 1; i < len(args); i++ {
		switch args[i] {
		case "-s":
		case "-H":
			i++
			headers = append(headers, args[i])
		case "-d":
			i++
			method, body = http.MethodPost, args[i]
		case "-X":
			i++
			method = args[i]
		default:
			require.Empty(t, address, line)
			address = args[i]
		}
	}
	r, err := w.request("nobody", method, strings.TrimPrefix(address, w.serviceURL), []byte(body), headers...)
	require.NoError(t, err, line)
	return r
}

// shellWords splits a line as a shell does, as far as the demo's lines need it:
// at unquoted spaces.
func shellWords(line string) (list []string) {
	var word strings.Builder
	var quote rune
	for _, c := range line + " " {
		switch {
		case c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote == 0 && c == ' ':
			if word.Len() > 0 {
				list = append(list, word.String())
			}
			word.Reset()
		default:
			word.WriteRune(c)
		}
	}
	return list
}

// TestDemoTouchesNoOtherData: neither the data flag nor the variables of the
// service lead the demo to other data (api.md#commands).
func TestDemoTouchesNoOtherData(t *testing.T) {
	t.Parallel()
	w := isolatedWorld(t)
	w.play(t, `
service plain
as nobody POST /network-agent/auth-send-otp '{"email":"jane@jane.example"}'
eventually mail otp jane@jane.example CODE
as nobody POST /network-agent/auth-verify-otp '{"email":"jane@jane.example","otp":"$CODE"}'
status 200
save KEY api_key
service stop
run demo --listen 127.0.0.1:0 --network-listen 127.0.0.1:0 --data data
status 1
text contains 'holds teams that the demo has not made'
service plain
as nobody GET /api-keyword-watchlist -H 'x-api-key: $KEY'
json count == 0
as nobody GET /api-team -H 'x-api-key: $KEY'
json members length 1
`)
}

// checkSignInLink signs in to the dashboard by the printed link, which works once.
func checkSignInLink(t *testing.T, service, link string) {
	t.Helper()
	require.True(t, strings.HasPrefix(link, service+"/app/sign-in/link?link="), link)
	_, secret, _ := strings.Cut(link, "link?link=")
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	browser := &http.Client{Jar: jar}
	defer browser.CloseIdleConnections()
	for _, want := range []struct {
		status int
		text   string
	}{{http.StatusOK, "machine learning"}, {http.StatusUnprocessableEntity, "was used or has expired"}} {
		reply, err := browser.PostForm(service+"/app/sign-in/link", url.Values{"link": {secret}})
		require.NoError(t, err)
		page, err := io.ReadAll(reply.Body)
		require.NoError(t, errors.Join(err, reply.Body.Close()))
		require.Equal(t, want.status, reply.StatusCode)
		require.Contains(t, string(page), want.text)
	}
}
