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
)

// firefoxUUID is the host of the extension's pages: Firefox makes one up for each
// profile, unless a setting names it.
const firefoxUUID = "5b6f1c9e-8f0a-4c57-9d55-2f4c6d1f7a10"

// geckoID is the extension's id in Firefox.
const geckoID = extensionID + "@watchpost.example"

// firefox is a browser that a test drives by WebDriver BiDi. One tab of it is the
// test's.
type firefox struct {
	t       testing.TB
	command *exec.Cmd
	gone    chan struct{} // closed when the browser's output ends
	conn    *websocket.Conn
	last    atomic.Int64
	tab     string
}

var bidiAddress = regexp.MustCompile(`WebDriver BiDi listening on (ws://\S+)`)

// launchFirefox starts a Firefox without a window. profile is its data folder.
func launchFirefox(t testing.TB, profile string) *firefox {
	t.Helper()
	return startFirefox(t, geckoID, profile, nil, "--headless")
}

// startFirefox starts a Firefox with more flags and variables, for an extension with
// that id.
func startFirefox(t testing.TB, id, profile string, variables []string, flags ...string) *firefox {
	t.Helper()
	program, err := exec.LookPath("firefox-esr")
	if err != nil {
		t.Skip("firefox-esr is missing: apt-get install firefox-esr")
	}
	settings := fmt.Sprintf(`user_pref("extensions.webextensions.uuids", %q);
user_pref("xpinstall.signatures.required", false);
user_pref("extensions.checkUpdateSecurity", false);
user_pref("extensions.autoDisableScopes", 0);
user_pref("browser.sessionstore.resume_from_crash", false);
user_pref("toolkit.startup.max_resumed_crashes", -1);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
`, fmt.Sprintf(`{%q: %q}`, id, firefoxUUID))
	require.NoError(t, os.MkdirAll(profile, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(profile, "user.js"), []byte(settings), 0o600))
	command := exec.Command(program, append(flags, "--no-remote", "--profile", profile, "--remote-debugging-port", "0", "--remote-allow-system-access", "about:blank")...)
	command.Env = append(append(os.Environ(), "HOME="+profile, "MOZ_DISABLE_CONTENT_SANDBOX=1", "TZ=UTC"), variables...)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := command.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	f := &firefox{t: t, command: command, gone: make(chan struct{})}
	address := make(chan string, 1)
	go func() {
		defer close(f.gone)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if found := bidiAddress.FindStringSubmatch(lines.Text()); found != nil {
				address <- found[1]
			}
		}
	}()
	t.Cleanup(f.kill)
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
	var made struct{ Context string }
	f.must("browsingContext.create", map[string]any{"type": "tab"}, &made)
	f.tab = made.Context
	return f
}

// install installs a package of the extension for good: it starts with the browser.
func (f *firefox) install(xpi string) {
	f.t.Helper()
	f.must("webExtension.install", map[string]any{"extensionData": map[string]any{"type": "archivePath", "path": xpi}, "moz:permanent": true}, nil)
}

// signIn signs the member's account in to the network, by its form.
func (f *firefox) signIn(m *member) {
	f.t.Helper()
	f.open(m.site + "/sign-in")
	f.until(`document.querySelector("[name=slug]") !== null`)
	_, err := f.run(`document.querySelector("[name=slug]").value = "` + m.account + `"; document.querySelector("[name=slug]").form.requestSubmit()`)
	require.NoError(f.t, err)
	f.until(`location.pathname === "/feed" && document.readyState === "complete"`)
}

// installFor installs the extension for a world.
func (f *firefox) installFor(w *world) {
	f.t.Helper()
	dir := f.t.TempDir()
	xpi := filepath.Join(dir, "watchpost.xpi")
	require.NoError(f.t, build(filepath.Join(dir, "dist"), "--browser", "firefox", "--zip", xpi, "--network", w.site, "--adapter", string(w.variant), "--service", w.service))
	f.install(xpi)
}

// join gives a member with that account the extension, paired with the world's service.
func (f *firefox) join(w *world, account string) *member {
	f.t.Helper()
	f.installFor(w)
	return f.pair(w, w.service, account)
}

// pair pairs the installed extension with the service at an address, for a new member
// with that account.
func (f *firefox) pair(w *world, service, account string) *member {
	f.t.Helper()
	email := account + "@example.com"
	m := &member{team: w.createTeam(f.t, email), email: email, account: account}
	f.signIn(m)
	f.turnTo("moz-extension://" + firefoxUUID + "/options.html")
	f.until(`document.querySelector("#paired").hidden !== document.querySelector("#unpaired").hidden`)
	_, err := f.run(strings.NewReplacer("SERVICE", service, "CODE", m.code()).Replace(
		`document.querySelector("#service").value = "SERVICE"; document.querySelector("#code").value = "CODE"; document.querySelector("#pairing").requestSubmit()`))
	require.NoError(f.t, err)
	f.until(`!document.querySelector("#consent").hidden || "" + document.querySelector("main").innerText`)
	_, err = f.run(`document.querySelector("#agree").click()`)
	require.NoError(f.t, err)
	f.until(`document.querySelector("#pill").dataset.kind === "good" || "" + document.querySelector("main").innerText`)
	m.isSignedIn(true)
	return m
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

// allowsLink agrees to Firefox's question whether a page may open a link in the extension,
// once its button can be pressed.
func (f *firefox) allowsLink() {
	f.t.Helper()
	var windows struct{ Contexts []struct{ Context string } }
	f.must("browsingContext.getTree", fields{"moz:scope": "chrome"}, &windows)
	require.Len(f.t, windows.Contexts, 1)
	const agree = `(() => {
		const asked = [...document.querySelectorAll(".dialogFrame")].map((frame) => frame.contentDocument).find((page) => page?.documentURI.endsWith("/permissionDialog.xhtml"))
		const button = asked?.querySelector("dialog")?.getButton("accept")
		if (!button || button.disabled) return false
		button.click()
		return true
	})()`
	var r struct{ Result struct{ Value any } }
	eventually(f.t, func() bool {
		return f.call("script.evaluate", fields{"expression": agree, "target": fields{"context": windows.Contexts[0].Context}, "awaitPromise": true}, &r) == nil && r.Result.Value == true
	}, func() string { return fmt.Sprint("Firefox does not ask: ", r) })
}

// kill ends the browser and all its processes at once.
func (f *firefox) kill() {
	_ = syscall.Kill(-f.command.Process.Pid, syscall.SIGKILL)
	<-f.gone
	_ = f.command.Wait()
}

// TestFirefox: in Firefox the extension pairs, does every type of task, and
// writes once when the browser is killed in the middle of a write.
func TestFirefox(t *testing.T) {
	if os.Getenv("WATCHPOST_LONG") == "" {
		t.Skip("WATCHPOST_LONG is not set: a second browser")
	}
	onBothSites(t, false, inFirefox)
}

// TestPairingLinkInFirefox: a link of the extension's scheme on the page of a pairing link
// opens the extension's page after Firefox's own question, and asks for consent.
func TestPairingLinkInFirefox(t *testing.T) {
	if os.Getenv("WATCHPOST_LONG") == "" {
		t.Skip("WATCHPOST_LONG is not set: a second browser")
	}
	w := theWorld(t)
	f := launchFirefox(t, filepath.Join(t.TempDir(), "profile"))
	f.installFor(w)
	const email = "fox-link@example.com"
	m := &member{team: w.createTeam(t, email), email: email, account: "fox-link"}
	f.signIn(m)
	f.open(w.service + "/app/pair#" + m.code())
	f.until(`!document.querySelector("[data-when=firefox]").hidden`)
	_, err := f.run(`document.querySelector("#open").click()`)
	require.NoError(t, err)
	f.allowsLink()
	f.until(`location.protocol === "moz-extension:" && !document.querySelector("#consent").hidden`)
	said, err := f.run(`document.querySelector("#offered-team").textContent + ": " + document.querySelector("#consent-browser").textContent`)
	require.NoError(t, err)
	require.Regexp(t, `^Team of fox-link@example.com: .*Watchpost \d`, said)
	require.NotContains(t, said, "Firefox", "the member has not agreed to technical data")
	_, err = f.run(`document.querySelector("#agree").click()`)
	require.NoError(t, err)
	m.isSignedIn(true)
}

func inFirefox(t *testing.T, w *world) {
	profile := filepath.Join(t.TempDir(), "profile")
	f := launchFirefox(t, profile)
	m := f.join(w, "fox")

	m.everyTask(t)
	f.until(`browser.storage.local.get().then(all => Object.keys(all).filter(key => key.startsWith("task:")).length === 0)`)

	post := comment(w.anyPost(t))
	for range repetitions() {
		m.writtenOnceWhile(post, "Firefox is killed", func(h *held) {
			f.kill()
			h.release()
			f = launchFirefox(t, profile)
			f.signIn(m) // a cookie this recent may not be on disk yet
		})
	}
}
