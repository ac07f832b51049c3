package specs_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// world is what a script has around it: its processes, the people in it, and
// the last reply.
type world struct {
	ts       *testscript.TestScript
	dir      string
	client   *http.Client
	document *document // what the service says of itself

	service    *process
	serviceURL string
	serviceArg []string // as it was started, for starting it again
	network    *process
	networkURL string
	sessions   map[string]*process // by email
	sockets    map[string]*socket

	keys  map[string]string // of teams, by their names in the script
	teams map[string]string // ids of teams, by the emails of members
	last  *reply
}

type worldKey struct{}

// newWorld prepares a script's world and its end.
func newWorld(env *testscript.Env) error {
	w := &world{
		dir:      env.WorkDir,
		client:   &http.Client{Timeout: patience, Transport: &http.Transport{DisableCompression: true}},
		sessions: map[string]*process{}, sockets: map[string]*socket{},
		keys: map[string]string{}, teams: map[string]string{},
	}
	w.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
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

func worldOf(ts *testscript.TestScript) *world {
	w := ts.Value(worldKey{}).(*world)
	w.ts = ts
	return w
}

// end stops everything that the script has started; the service must end well.
func (w *world) end() error {
	var failures []error
	for _, s := range w.sockets {
		s.end()
	}
	for _, p := range w.sessions {
		p.kill()
	}
	if w.service != nil {
		failures = append(failures, w.service.stop())
	}
	if w.network != nil {
		failures = append(failures, w.network.stop())
	}
	w.client.CloseIdleConnections()
	return errors.Join(failures...)
}

var variable = regexp.MustCompile(`\$\{?([A-Z][A-Z0-9_]*)\}?`)

// expand replaces variables, also where testscript does not: inside quotes.
func (w *world) expand(s string) string {
	return variable.ReplaceAllStringFunc(s, func(found string) string {
		if value := w.ts.Getenv(variable.FindStringSubmatch(found)[1]); value != "" {
			return value
		}
		return found
	})
}

// The operator's token in every script.
const operatorToken = "operator-token-of-the-specs"

// serviceCommand starts and ends the service.
func (w *world) serviceCommand(args []string) error {
	if len(args) == 1 {
		switch args[0] {
		case "stop":
			return w.stopService()
		case "crash":
			w.service.kill()
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
	w.serviceArg = []string{"serve", "--data", filepath.Join(w.dir, "data"), "--listen", "127.0.0.1:0"}
	if len(args) > 0 && args[0] == "plain" {
		args = args[1:]
	} else {
		w.serviceArg = append(w.serviceArg, "--test-clock", "--admin-token", operatorToken)
	}
	if w.networkURL != "" {
		w.serviceArg = append(w.serviceArg, "--network-url", w.networkURL)
	}
	w.serviceArg = append(w.serviceArg, args...)
	return w.startService()
}

func (w *world) startService() error {
	var err error
	if w.service, err = launch("service", w.dir, w.serviceArg...); err != nil {
		return err
	}
	if w.serviceURL, err = w.service.url(`"msg":"serving"`); err != nil {
		return err
	}
	// A service that comes back is where it was.
	for i, arg := range w.serviceArg {
		if arg == "--listen" {
			w.serviceArg[i+1] = strings.TrimPrefix(w.serviceURL, "http://")
		}
	}
	w.ts.Setenv("SERVICE", w.serviceURL)
	w.document, err = w.readDocument()
	return err
}

func (w *world) stopService() error {
	if w.service == nil {
		return errors.New("it does not run")
	}
	err := w.service.stop()
	w.service = nil
	w.client.CloseIdleConnections()
	return err
}

// url waits for the log line that tells where a process serves.
func (p *process) url(sign string) (string, error) {
	line, err := p.await(sign)
	if err != nil {
		return "", err
	}
	var entry struct {
		URL string `json:"url"`
	}
	if err := json.Unmarshal([]byte(line), &entry); err != nil || entry.URL == "" {
		return "", fmt.Errorf("no url in the log line %s", line)
	}
	return entry.URL, nil
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
	w.networkURL, err = w.network.url("serving the stand-in network")
	return err
}

// sessionCommand lets a headless session work for a member, or ends it.
func (w *world) sessionCommand(args []string) error {
	switch {
	case len(args) == 2 && args[0] == "stop":
		p := w.sessions[args[1]]
		if p == nil {
			return fmt.Errorf("%s has no session", args[1])
		}
		delete(w.sessions, args[1])
		return p.stop()
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
	p, err := launch("session of "+email, w.dir, "session", "--server", w.serviceURL, "--network-url", w.networkURL,
		"--token", token, "--account", account, "--journal", filepath.Join(w.dir, "journal-"+strconv.Itoa(len(w.sessions))+"-"+email))
	if err != nil {
		return err
	}
	w.sessions[email] = p
	return w.until(func() error {
		now, err := w.metric("watchpost_sessions_connected")
		if err == nil && now <= before {
			err = fmt.Errorf("not connected\n%s", p.log.tail())
		}
		return err
	})
}

// sessionToken makes a session for a member through the admin API.
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

// teamCommand makes a team, whose name in the script is from then on who calls
// with its key. The variable of that name holds its id, NAME_KEY its key.
func (w *world) teamCommand(args []string) error {
	if len(args) != 3 {
		return usage("team NAME PLAN EMAIL")
	}
	name, plan, email := args[0], args[1], args[2]
	r, err := w.request("operator", http.MethodPost, "/admin/teams", object("name", name, "plan", plan, "email", email))
	if err != nil {
		return err
	}
	key, err := r.member("api_key")
	if err != nil {
		return err
	}
	id, err := r.member("id")
	w.keys[name], w.teams[email] = key, id
	w.ts.Setenv(name, id)
	w.ts.Setenv(name+"_KEY", key)
	return err
}

// memberCommand adds a member to a team.
func (w *world) memberCommand(args []string) error {
	if len(args) < 2 || len(args) > 3 {
		return usage("member TEAM EMAIL [ROLE]")
	}
	team, email, role := w.ts.Getenv(args[0]), args[1], "member"
	if len(args) == 3 {
		role = args[2]
	}
	r, err := w.request("operator", http.MethodPost, "/admin/teams/"+team+"/members", object("email", email, "role", role))
	if err != nil {
		return err
	}
	_, err = r.member("id")
	w.teams[email] = team
	return err
}

// clockCommand moves the service's clock.
func (w *world) clockCommand(args []string) error {
	if len(args) == 3 && args[0] == "day" {
		return w.dayCommand(args[1], args[2])
	}
	if len(args) != 2 {
		return usage("clock advance DURATION | clock set MOMENT | clock next HH:MM | clock next monday | clock day NAME OFFSET")
	}
	body := object(args[0], args[1])
	if args[0] == "next" {
		now, err := w.now()
		if err != nil {
			return err
		}
		at, err := following(now, args[1])
		if err != nil {
			return err
		}
		body = object("set", at.Format(time.RFC3339))
	}
	r, err := w.request("operator", http.MethodPost, "/admin/clock", body)
	if err != nil {
		return err
	}
	_, err = r.member("now")
	return err
}

// dayCommand keeps a date, so many days from the clock's, in a variable.
func (w *world) dayCommand(name, offset string) error {
	days, err := strconv.Atoi(offset)
	if err != nil {
		return err
	}
	now, err := w.now()
	w.ts.Setenv(name, now.AddDate(0, 0, days).Format(time.DateOnly))
	return err
}

func (w *world) now() (time.Time, error) {
	r, err := w.request("operator", http.MethodGet, "/admin/clock", nil)
	if err != nil {
		return time.Time{}, err
	}
	now, err := r.member("now")
	if err != nil {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339, now)
}

// following returns the next moment after now that has the given time of day,
// or the next Monday at 00:00, in UTC.
func following(now time.Time, when string) (time.Time, error) {
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	if when == "monday" {
		return midnight.AddDate(0, 0, 7-(int(now.Weekday())+6)%7), nil
	}
	clock, err := time.Parse("15:04", when)
	if err != nil {
		return time.Time{}, usage("clock next HH:MM | clock next monday")
	}
	at := midnight.Add(time.Duration(clock.Hour())*time.Hour + time.Duration(clock.Minute())*time.Minute)
	if !at.After(now) {
		at = at.AddDate(0, 0, 1)
	}
	return at, nil
}
