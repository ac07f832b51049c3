package specs_test

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"watchpost/specs/process"
)

// world is the environment of a script: its processes, teams and sessions, and
// the last reply.
type world struct {
	ts       script
	dir      string
	client   *http.Client
	document *document // the served API document

	service    *process.Process
	serviceURL string
	serviceArg []string     // its arguments, for a restart
	variables  []string     // of the service and of commands that read its data
	others     otherNodes   // of a cluster
	turn       atomic.Int64 // of the nodes, over the requests
	network    *process.Process
	networkURL string
	sessions   map[string]*process.Process // by email
	sockets    map[string]*socket

	keys  map[string]string // of teams, by their names in the script
	teams map[string]string // ids of teams, by the emails of members
	last  *reply
	logs  logSearch
}

// script is the part of the running script that a world needs.
type script interface {
	Setenv(name, value string)
	Getenv(name string) string
	ReadFile(name string) string
}

type worldKey struct{}

// newWorld prepares a script's world and its cleanup.
func newWorld(env *testscript.Env) error {
	w := emptyWorld(env.WorkDir)
	env.Values[worldKey{}] = w
	t := env.T()
	env.Defer(func() {
		if err := w.end(); err != nil {
			t.Log("at the end of the script:", err)
			t.FailNow()
		}
	})
	return nil
}

func emptyWorld(dir string) *world {
	return &world{
		dir: dir,
		client: &http.Client{
			Timeout: patience, Transport: &http.Transport{DisableCompression: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		sessions: map[string]*process.Process{}, sockets: map[string]*socket{},
		keys: map[string]string{}, teams: map[string]string{},
	}
}

// isolatedWorld is a world without a script, for Go tests.
func isolatedWorld(t *testing.T) *world {
	t.Helper()
	if _, err := binary(); err != nil {
		t.Fatal(err)
	}
	w := emptyWorld(t.TempDir())
	w.ts = goScript{}
	t.Cleanup(func() {
		if err := w.end(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// play runs lines of a script.
func (w *world) play(t *testing.T, lines string) {
	t.Helper()
	for line := range strings.SplitSeq(lines, "\n") {
		line := words(line)
		if len(line) == 0 {
			continue
		}
		if err := w.do(line); err != nil {
			t.Fatalf("%s: %v", strings.Join(line, " "), err)
		}
	}
}

// ask sends a request and returns the reply, which must have the status.
func (w *world) ask(t *testing.T, status int, who, method, path, body string, headers ...string) *reply {
	t.Helper()
	r, err := w.request(who, method, path, []byte(body), headers...)
	if err != nil {
		t.Fatal(err)
	}
	if r.status != status {
		t.Fatalf("want %d\n%s", status, r)
	}
	return r
}

// goScript holds the variables of a Go test.
type goScript map[string]string

// Setenv implements script.
func (g goScript) Setenv(name, value string) { g[name] = value }

// Getenv implements script.
func (g goScript) Getenv(name string) string { return g[name] }

// ReadFile implements script: there is no archive.
func (g goScript) ReadFile(string) string { return "" }

func worldOf(ts *testscript.TestScript) *world {
	w := ts.Value(worldKey{}).(*world)
	w.ts = ts
	return w
}

// end stops everything that the script has started; the service must exit with
// success.
func (w *world) end() error {
	var failures []error
	for _, s := range w.sockets {
		s.end()
	}
	for _, p := range w.sessions {
		p.Kill()
	}
	if w.service != nil {
		failures = append(failures, w.stopService())
	}
	if w.network != nil {
		failures = append(failures, w.network.Stop())
	}
	w.client.CloseIdleConnections()
	w.learnFiles()
	return errors.Join(append(failures, w.logs.check())...)
}

var variable = regexp.MustCompile(`\$(?:\{[A-Z][A-Z0-9_]*\}|[A-Z][A-Z0-9_]*)`)

// expand replaces variables inside quotes, which testscript leaves alone.
func (w *world) expand(s string) string {
	return variable.ReplaceAllStringFunc(s, func(found string) string {
		if value := w.ts.Getenv(strings.Trim(found, "${}")); value != "" {
			return value
		}
		return found
	})
}

// operatorToken is the operator's token in every script.
const operatorToken = "operator-token-of-the-specs"

// serviceCommand starts and ends the service.
func (w *world) serviceCommand(args []string) error {
	if len(args) == 1 {
		switch args[0] {
		case "stop":
			return w.stopService()
		case "crash":
			w.service.Kill()
			w.others.kill()
			return w.startService()
		case "restart":
			if err := w.stopService(); err != nil {
				return err
			}
			return w.startService()
		}
	}
	if w.service != nil {
		return errors.New("it runs already")
	}
	w.serviceArg = []string{"serve", "--data", filepath.Join(w.dir, "data"), "--listen", "127.0.0.1:0", "--access-log", "--log-level", "debug"}
	if len(args) > 0 && args[0] == "plain" {
		args = args[1:]
	} else {
		w.serviceArg = append(w.serviceArg, "--test-clock", "--admin-token", operatorToken)
	}
	if w.networkURL != "" {
		w.serviceArg = append(w.serviceArg, "--network-url", w.networkURL)
	}
	w.serviceArg = append(w.serviceArg, args...)
	w.logs.learn("the operator's token", operatorToken)
	return w.startService()
}

func (w *world) startService() error {
	var err error
	if w.service, err = launchWith(w.variables, "service", w.dir, append(w.serviceArg, w.others.arguments(0)...)...); err != nil {
		return err
	}
	w.logs.watch(w.service)
	if w.serviceURL, err = w.service.URL(); err != nil {
		return err
	}
	if err := w.others.start(w); err != nil {
		return err
	}
	// A restarted service keeps its address.
	for i, arg := range w.serviceArg {
		if arg == "--listen" {
			w.serviceArg[i+1] = strings.TrimPrefix(w.serviceURL, "http://")
		}
	}
	w.ts.Setenv("SERVICE", w.serviceURL)
	w.ts.Setenv("OPERATOR", operatorToken)
	w.ts.Setenv("DATA", filepath.Join(w.dir, "data"))
	w.document, err = w.readDocument()
	return err
}

func (w *world) stopService() error {
	if w.service == nil {
		return errors.New("it does not run")
	}
	err := errors.Join(w.service.Stop(), w.others.stop())
	w.service = nil
	w.client.CloseIdleConnections()
	return err
}

// networkCommand starts the stand-in network.
func (w *world) networkCommand(args []string) error {
	if w.network != nil {
		return errors.New("it runs already")
	}
	var err error
	w.network, err = launch("network", w.dir, append([]string{"network", "--listen", "127.0.0.1:0", "--control"}, args...)...)
	if err != nil {
		return err
	}
	w.logs.watch(w.network)
	w.networkURL, err = w.network.URL()
	return err
}

// sessionCommand starts a headless session for a member, or stops it.
func (w *world) sessionCommand(args []string) error {
	switch {
	case len(args) == 2 && args[0] == "stop":
		p := w.sessions[args[1]]
		if p == nil {
			return fmt.Errorf("%s has no session", args[1])
		}
		delete(w.sessions, args[1])
		return p.Stop()
	case len(args) == 0 || len(args) > 2:
		return usage("session EMAIL [ACCOUNT] | session stop EMAIL")
	}
	email := args[0]
	account, _, _ := strings.Cut(email, "@")
	if len(args) == 2 {
		account = args[1]
	}
	token, err := w.sessionToken(email)
	if err != nil {
		return err
	}
	before, err := w.metric("watchpost_sessions_connected")
	if err != nil {
		return err
	}
	p, err := launchWith(w.variables, "session of "+email, w.dir, "session", "--server", w.anyURL(), "--network-url", w.networkURL,
		"--token", token, "--account", account, "--journal", filepath.Join(w.dir, "journal-"+strconv.Itoa(len(w.sessions))+"-"+email))
	if err != nil {
		return err
	}
	w.sessions[email] = w.logs.watch(p)
	return w.until(func() error {
		now, err := w.metric("watchpost_sessions_connected")
		if err == nil && now <= before {
			err = fmt.Errorf("not connected\n%s", p.Tail())
		}
		return err
	})
}

// sessionToken creates a session for a member through the admin API.
func (w *world) sessionToken(email string) (string, error) {
	team, known := w.teams[email]
	if !known {
		return "", fmt.Errorf("%s is no member of a team of this script", email)
	}
	r, err := w.request("operator", http.MethodPost, "/admin/teams/"+team+"/sessions", object("email", email))
	if err != nil {
		return "", err
	}
	return r.member("session_token")
}
