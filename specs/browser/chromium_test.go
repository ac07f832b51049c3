package browser_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// chromium is a browser that a test drives by the DevTools protocol over a
// pipe. No debugger attaches to the extension's worker, because that would keep
// it alive.
type chromium struct {
	t       testing.TB
	command *exec.Cmd
	profile string
	in      *os.File
	gone    chan struct{} // closed when the browser's pipe ends
	// installed is the id of the extension.
	installed string

	mu      sync.Mutex
	last    int64
	answers map[int64]chan answer
}

type answer struct {
	Result json.RawMessage
	Error  *struct{ Message string }
}

// launch starts a browser without a window, with the extension in dir loaded. profile is
// its data folder. Background tabs get processor time on a busy machine too.
func launch(t testing.TB, dir, profile string) *chromium {
	t.Helper()
	return start(t, dir, profile, nil, windowless...)
}

var windowless = []string{
	"--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--disable-component-update", "--disable-sync",
	"--mute-audio", "--hide-scrollbars", "--force-color-profile=srgb",
	"--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding",
}

// start starts a browser with the extension in dir loaded, and with more flags and
// variables.
func start(t testing.TB, dir, profile string, variables []string, flags ...string) *chromium {
	t.Helper()
	return startProgram(t, extensionID, []string{browserProgram(t)}, profile, variables, append(flags, "--enable-unsafe-extension-debugging", "--load-extension="+dir)...)
}

// startProgram starts a browser by a command to which its flags are added. installed is
// the id of the extension that it has.
func startProgram(t testing.TB, installed string, program []string, profile string, variables []string, flags ...string) *chromium {
	t.Helper()
	theirIn, in, err := os.Pipe()
	require.NoError(t, err)
	out, theirOut, err := os.Pipe()
	require.NoError(t, err)
	args := append(append(program[1:], flags...), "--no-first-run", "--no-default-browser-check", "--password-store=basic", "--lang=en-GB",
		"--user-data-dir="+profile, "--remote-debugging-pipe")
	if os.Getuid() == 0 {
		args = append(args, "--no-sandbox") // Chromium has no sandbox for root
	}
	b := &chromium{
		t: t, profile: profile, in: in, gone: make(chan struct{}), installed: installed, answers: map[int64]chan answer{},
		command: exec.Command(program[0], append(args, "about:blank")...),
	}
	b.command.Env = append(append(os.Environ(), "TZ=UTC", "LANG=en_GB.UTF-8"), variables...)
	b.command.ExtraFiles = []*os.File{theirIn, theirOut} // descriptors 3 and 4
	b.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, b.command.Start())
	require.NoError(t, theirIn.Close())
	require.NoError(t, theirOut.Close())
	go b.read(out)
	t.Cleanup(b.kill)
	b.must("", "Browser.getVersion", nil, nil)
	return b
}

// browserProgram returns the path of Chromium.
func browserProgram(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("no Chromium")
	return ""
}

// read passes responses to the waiting calls, until the browser ends.
func (b *chromium) read(out *os.File) {
	defer close(b.gone)
	defer func() { _ = out.Close() }()
	messages := bufio.NewReaderSize(out, 1<<20)
	for {
		raw, err := messages.ReadBytes(0)
		if err != nil {
			return
		}
		var m struct {
			ID int64
			answer
		}
		if json.Unmarshal(raw[:len(raw)-1], &m) != nil || m.ID == 0 {
			continue // an event
		}
		b.mu.Lock()
		waiting := b.answers[m.ID]
		delete(b.answers, m.ID)
		b.mu.Unlock()
		if waiting != nil {
			waiting <- m.answer
		}
	}
}

// call sends a command to the browser or to a page's session.
func (b *chromium) call(session, method string, params, result any) error {
	waiting := make(chan answer, 1)
	b.mu.Lock()
	b.last++
	id := b.last
	b.answers[id] = waiting
	message := map[string]any{"id": id, "method": method}
	if params != nil {
		message["params"] = params
	}
	if session != "" {
		message["sessionId"] = session
	}
	raw, err := json.Marshal(message)
	if err == nil {
		_, err = b.in.Write(append(raw, 0))
	}
	b.mu.Unlock()
	if err != nil {
		return err
	}
	select {
	case a := <-waiting:
		if a.Error != nil {
			return fmt.Errorf("%s: %s", method, a.Error.Message)
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(a.Result, result)
	case <-b.gone:
		return errors.New("the browser has gone")
	case <-time.After(patience):
		return fmt.Errorf("%s: no answer", method)
	}
}

func (b *chromium) must(session, method string, params, result any) {
	b.t.Helper()
	require.NoError(b.t, b.call(session, method, params, result))
}

// kill ends the browser and all its processes at once.
func (b *chromium) kill() {
	_ = syscall.Kill(-b.command.Process.Pid, syscall.SIGKILL)
	_ = b.command.Wait()
	_ = b.in.Close()
	<-b.gone
}

type target struct {
	TargetID string
	Type     string
	URL      string
}

// targets returns the pages and workers of the browser.
func (b *chromium) targets() []target {
	b.t.Helper()
	var list struct{ TargetInfos []target }
	b.must("", "Target.getTargets", nil, &list)
	return list.TargetInfos
}

// worker returns the extension's worker, if it runs.
func (b *chromium) worker() (target, bool) {
	b.t.Helper()
	for _, t := range b.targets() {
		if t.Type == "service_worker" && t.URL == "chrome-extension://"+b.installed+"/worker.js" {
			return t, true
		}
	}
	return target{}, false
}

// extension returns the id of the extension whose worker runs.
func (b *chromium) extension() (id string) {
	b.t.Helper()
	eventually(b.t, func() bool {
		for _, t := range b.targets() {
			if rest, ok := strings.CutPrefix(t.URL, "chrome-extension://"); ok && t.Type == "service_worker" {
				id, _, ok = strings.Cut(rest, "/")
				return ok
			}
		}
		return false
	}, func() string { return "no extension runs" })
	return id
}

// killWorker ends the extension's worker, as the browser does with an idle
// one.
func (b *chromium) killWorker() {
	b.t.Helper()
	w, ok := b.worker()
	require.True(b.t, ok, "no worker runs")
	b.must("", "Target.closeTarget", map[string]any{"targetId": w.TargetID}, nil)
}

// close closes a tab.
func (b *chromium) close(tab target) {
	b.t.Helper()
	b.must("", "Target.closeTarget", map[string]any{"targetId": tab.TargetID}, nil)
}

// page is a tab that the test has opened.
type page struct {
	*chromium
	target  string
	session string
}

// open opens a tab and waits until it has loaded.
func (b *chromium) open(url string) *page {
	b.t.Helper()
	return b.openTab(url, false)
}

// openTab is open, behind the other tabs if background is set.
func (b *chromium) openTab(url string, background bool) *page {
	b.t.Helper()
	var made struct{ TargetID string }
	b.must("", "Target.createTarget", map[string]any{"url": url, "background": background}, &made)
	p := b.attach(made.TargetID)
	p.until(`document.readyState === "complete" && location.href !== "about:blank"`)
	return p
}

// attach returns a tab that is open.
func (b *chromium) attach(id string) *page {
	b.t.Helper()
	var attached struct{ SessionID string }
	b.must("", "Target.attachToTarget", map[string]any{"targetId": id, "flatten": true}, &attached)
	return &page{b, id, attached.SessionID}
}

// do runs a script in the page and returns its value as JSON; it awaits a
// promise.
func (p *page) do(script string) (json.RawMessage, error) {
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	err := p.call(p.session, "Runtime.evaluate", map[string]any{"expression": script, "awaitPromise": true, "returnByValue": true}, &r)
	if err == nil && r.ExceptionDetails != nil {
		err = errors.New(r.ExceptionDetails.Text + " " + r.ExceptionDetails.Exception.Description)
	}
	return r.Result.Value, err
}

// run runs a script and fails the test on an error.
func (p *page) run(script string) json.RawMessage {
	p.t.Helper()
	value, err := p.do(script)
	require.NoError(p.t, err, script)
	return value
}

// whole makes an expression after it false while only a part of a page has come.
const whole = `globalThis.document?.readyState !== "loading" && `

// until waits until a whole page has come, so that the test may use all of it, and an
// expression is true. An expression that fails, as during navigation, counts as not
// yet true.
func (p *page) until(expression string) {
	p.t.Helper()
	var value json.RawMessage
	var err error
	eventually(p.t, func() bool {
		value, err = p.do(whole + expression)
		return err == nil && string(value) == "true"
	}, func() string { return fmt.Sprintf("%s: %s %v", expression, value, err) })
}

// says waits until a whole page has come and an element's text contains a text.
func (p *page) says(selector, text string) {
	p.t.Helper()
	var value json.RawMessage
	eventually(p.t, func() bool {
		value, _ = p.do(whole + `document.querySelector("` + selector + `").textContent`)
		return strings.Contains(string(value), text)
	}, func() string { return fmt.Sprintf("%s says %s, not %q", selector, value, text) })
}

// picture takes a picture of the page at a width, in full height.
func (p *page) picture(width int, dark bool) []byte {
	p.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	p.must(p.session, "Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": scheme}}}, nil)
	size := func(height int) {
		p.must(p.session, "Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
	}
	size(100)
	var height int
	require.NoError(p.t, json.Unmarshal(p.run(`document.documentElement.scrollHeight`), &height))
	size(height)
	return p.shot()
}

// storePicture takes a picture of the size that stores want, 1280 × 800 pixels,
// with the page's beginning in the middle.
func (p *page) storePicture() []byte {
	p.t.Helper()
	p.must(p.session, "Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": "light"}}}, nil)
	p.must(p.session, "Emulation.setDeviceMetricsOverride", map[string]any{"width": 640, "height": 400, "deviceScaleFactor": 2, "mobile": false}, nil)
	p.run(`document.body.style.margin = "0 auto"; document.querySelector("#settings") && (document.body.style.zoom = 400 / Math.max(400, document.body.offsetHeight))`)
	return p.shot()
}

// shot takes a picture of the page as it is.
func (p *page) shot() []byte {
	p.t.Helper()
	var shot struct{ Data string }
	p.must(p.session, "Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
	png, err := base64.StdEncoding.DecodeString(shot.Data)
	require.NoError(p.t, err)
	return png
}
