package browser_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"watchpost/internal/fakenetwork"
)

// firefoxUUID is the host of the extension's pages: Firefox makes one up for each
// profile, unless a setting names it.
const firefoxUUID = "5b6f1c9e-8f0a-4c57-9d55-2f4c6d1f7a10"

// firefox is a browser that a test drives by WebDriver BiDi. One tab of it is the
// test's.
type firefox struct {
	t    testing.TB
	conn *websocket.Conn
	last atomic.Int64
	tab  string
}

var bidiAddress = regexp.MustCompile(`WebDriver BiDi listening on (ws://\S+)`)

// launchFirefox starts a Firefox with the extension in dir installed.
func launchFirefox(t testing.TB, dir string) *firefox {
	t.Helper()
	program, err := exec.LookPath("firefox-esr")
	if err != nil {
		t.Skip("firefox-esr is missing: apt-get install firefox-esr")
	}
	profile := t.TempDir()
	settings := fmt.Sprintf(`user_pref("extensions.webextensions.uuids", %q);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
`, fmt.Sprintf(`{"extension@watchpost.example":"%s"}`, firefoxUUID))
	require.NoError(t, os.WriteFile(filepath.Join(profile, "user.js"), []byte(settings), 0o600))
	command := exec.Command(program, "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0", "about:blank")
	command.Env = append(os.Environ(), "HOME="+profile, "MOZ_DISABLE_CONTENT_SANDBOX=1", "TZ=UTC")
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := command.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	address, read := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if found := bidiAddress.FindStringSubmatch(lines.Text()); found != nil {
				address <- found[1]
			}
		}
	}()
	t.Cleanup(func() {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
		<-read
		_ = command.Wait()
	})
	f := &firefox{t: t}
	select {
	case at := <-address:
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		f.conn, _, err = websocket.Dial(ctx, at+"/session", nil)
		require.NoError(t, err)
		f.conn.SetReadLimit(1 << 24)
		t.Cleanup(func() { _ = f.conn.CloseNow() })
	case <-time.After(patience):
		t.Fatal("Firefox does not listen")
	}
	f.must("session.new", map[string]any{"capabilities": map[string]any{}}, nil)
	f.must("webExtension.install", map[string]any{"extensionData": map[string]any{"type": "path", "path": dir}}, nil)
	var made struct{ Context string }
	f.must("browsingContext.create", map[string]any{"type": "tab"}, &made)
	f.tab = made.Context
	return f
}

// call sends a command and waits for its answer.
func (f *firefox) call(method string, params, result any) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	id := f.last.Add(1)
	raw, err := json.Marshal(map[string]any{"id": id, "method": method, "params": params})
	if err != nil {
		return err
	}
	if err := f.conn.Write(ctx, websocket.MessageText, raw); err != nil {
		return err
	}
	for {
		_, raw, err := f.conn.Read(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		var answer struct {
			ID             int64
			Result         json.RawMessage
			Error, Message string
		}
		if err := json.Unmarshal(raw, &answer); err != nil {
			return err
		}
		switch {
		case answer.ID != id:
		case answer.Error != "":
			return fmt.Errorf("%s: %s: %s", method, answer.Error, answer.Message)
		case result == nil:
			return nil
		default:
			return json.Unmarshal(answer.Result, result)
		}
	}
}

func (f *firefox) must(method string, params, result any) {
	f.t.Helper()
	require.NoError(f.t, f.call(method, params, result))
}

// open opens an address in the test's tab.
func (f *firefox) open(url string) {
	f.t.Helper()
	f.must("browsingContext.navigate", map[string]any{"context": f.tab, "url": url, "wait": "complete"}, nil)
}

// turnTo makes the tab that shows an address the test's: Firefox lets no test open
// a page of an extension, but the extension opens its own.
func (f *firefox) turnTo(url string) {
	f.t.Helper()
	var tree struct {
		Contexts []struct{ Context, URL string }
	}
	eventually(f.t, func() bool {
		f.must("browsingContext.getTree", map[string]any{}, &tree)
		for _, one := range tree.Contexts {
			if one.URL == url {
				f.tab = one.Context
				return true
			}
		}
		return false
	}, func() string { return fmt.Sprint("no tab shows ", url, ": ", tree) })
}

// run runs a script in the test's tab and returns its value as a text.
func (f *firefox) run(script string) (string, error) {
	var r struct {
		Result           struct{ Value any }
		ExceptionDetails struct{ Text string }
	}
	err := f.call("script.evaluate", map[string]any{"expression": script, "target": map[string]any{"context": f.tab}, "awaitPromise": true}, &r)
	if err == nil && r.ExceptionDetails.Text != "" {
		err = fmt.Errorf("%s: %s", script, r.ExceptionDetails.Text)
	}
	return fmt.Sprint(r.Result.Value), err
}

// until waits until an expression is true.
func (f *firefox) until(expression string) {
	f.t.Helper()
	var value string
	var err error
	eventually(f.t, func() bool {
		value, err = f.run(expression)
		return err == nil && value == "true"
	}, func() string { return fmt.Sprint(expression, ": ", value, " ", err) })
}

// TestFirefox: in Firefox the extension pairs, reads and writes.
func TestFirefox(t *testing.T) {
	if os.Getenv("WATCHPOST_LONG") == "" {
		t.Skip("WATCHPOST_LONG is not set: a second browser")
	}
	t.Parallel()
	w := theWorld(t)
	dist := filepath.Join(t.TempDir(), "dist")
	require.NoError(t, build(dist, "--browser", "firefox", "--network", w.site, "--service", w.service))
	f := launchFirefox(t, dist)
	m := &member{team: w.createTeam(t, "fox@example.com"), email: "fox@example.com", account: "fox"}

	f.open(w.site + "/sign-in")
	_, err := f.run(`document.querySelector("[name=slug]").value = "fox"; document.querySelector("[name=slug]").form.requestSubmit()`)
	require.NoError(t, err)
	f.until(`location.pathname === "/feed" && document.readyState === "complete"`)

	f.turnTo("moz-extension://" + firefoxUUID + "/options.html")
	f.until(`document.querySelector("#paired").hidden !== document.querySelector("#unpaired").hidden`)
	_, err = f.run(strings.NewReplacer("SERVICE", w.service, "CODE", m.code()).Replace(
		`document.querySelector("#service").value = "SERVICE"; document.querySelector("#code").value = "CODE"; document.querySelector("#by-code").requestSubmit()`))
	require.NoError(t, err)
	f.until(`document.querySelector("#pill").dataset.kind === "good" || "" + document.querySelector("main").innerText`)
	m.isSignedIn(true)

	require.Equal(t, "fox", m.completed(m.ask("/network-agent/fetch-profile", fields{"profile_slug": "fox"}))["profile_slug"])
	comment := m.ask("/network-agent/comment-post", fields{"social_urn": w.anyPost(t), "comment_text": "From Firefox"})
	require.NotEmpty(t, m.completed(comment)["comment_urn"])
	require.Equal(t, 1, w.writes.count("fox", fakenetwork.WriteComment))
	f.until(`browser.storage.local.get().then(all => Object.keys(all).filter(key => key.startsWith("task:")).length === 0)`)
}
