package specs_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/specs/process"
)

// logSearch collects the secrets that a script has seen and the servers that it has
// started. At the end of the script no server's output may have a secret.
type logSearch struct {
	mu        sync.Mutex
	secrets   map[string]string // where it was seen, by the secret
	processes []*process.Process
}

// secretMembers are the members of requests and replies that hold secrets.
var secretMembers = map[string]bool{
	"api_key": true, "session_token": true, "secret": true, "bot_token": true, "slack_webhook_url": true, "token": true,
}

// watch adds a server whose output is searched.
func (l *logSearch) watch(p *process.Process) *process.Process {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.processes = append(l.processes, p)
	return p
}

// learn adds a secret. Shorter texts are no secrets: the scripts' own wrong tokens.
func (l *logSearch) learn(where, secret string) {
	const shortest = 6
	if len(secret) < shortest {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.secrets == nil {
		l.secrets = map[string]string{}
	}
	l.secrets[secret] = where
}

// learnFrom adds the secrets of a JSON value. A pairing code is the code of a reply
// that says when it expires.
func (l *logSearch) learnFrom(where string, value any) {
	switch v := value.(type) {
	case []any:
		for _, one := range v {
			l.learnFrom(where, one)
		}
	case map[string]any:
		for name, one := range v {
			text, isText := one.(string)
			_, expires := v["expires_at"]
			if isText && (secretMembers[name] || name == "code" && expires) {
				l.learn(name+" of "+where, text)
			} else {
				l.learnFrom(where, one)
			}
		}
	}
}

// learnReply adds the secrets of a request and its reply. Secrets of requests that were
// refused may be anything.
func (l *logSearch) learnReply(r *reply) {
	const success = 300
	if r.status >= success {
		return
	}
	where := r.method + " " + r.path
	l.learnFrom(where, r.value)
	var sent any
	if json.Unmarshal(r.sent, &sent) == nil {
		l.learnFrom("the request "+where, sent)
	}
}

// check searches the outputs.
func (l *logSearch) check() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var failures []error
	for _, p := range l.processes {
		output := p.Output()
		for _, secret := range slices.Sorted(maps.Keys(l.secrets)) {
			if said(output, secret) {
				failures = append(failures, fmt.Errorf("%s logged the %s", p.Name(), l.secrets[secret]))
			}
		}
	}
	return errors.Join(failures...)
}

// said reports whether a secret occurs as a whole word: six digits inside an id, a
// time or a JSON number are no one-time code.
func said(output, secret string) bool {
	const joined = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-"
	for rest := output; ; {
		at := strings.Index(rest, secret)
		if at < 0 {
			return false
		}
		before, after := rest[:at], rest[at+len(secret):]
		number := strings.HasSuffix(before, `":`)
		if !number && (before == "" || !strings.ContainsAny(before[len(before)-1:], joined)) && (after == "" || !strings.ContainsAny(after[:1], joined)) {
			return true
		}
		rest = after
	}
}

// learnFiles adds the secrets in files: the master key.
func (w *world) learnFiles() {
	if key, err := os.ReadFile(filepath.Join(w.dir, "data", "master.key")); err == nil {
		w.logs.learn("the master key", strings.TrimSpace(string(key)))
	}
}

// TestSearchOfLogsFinds: the search that every script ends with finds each kind of
// secret, and takes no number for a code.
func TestSearchOfLogsFinds(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		`{"msg":"code 123456"}`: true, `{"otp":"123456"}`: true, `?otp=123456&x`: true, "123456": true,
		`{"seconds":0.123456}`: false, `{"bytes":123456}`: false, `"request":"ab123456cd"`: false, "x-123456-y": false, "": false,
		`{"bytes":123456} 123456`: true,
	} {
		require.Equal(t, want, said(line, "123456"), line)
	}
	p, err := process.Launch("careless", t.TempDir(), "sh", "-c", "echo key wp_abcdefg, token 'whsec_xyz'")
	require.NoError(t, err)
	<-p.Done()
	var l logSearch
	l.watch(p)
	require.NoError(t, l.check())
	l.learnReply(&reply{method: "POST", path: "/x", status: 400, sent: []byte(`{"token":"wp_abcdefg"}`)})
	require.NoError(t, l.check(), "what was refused may be no secret")
	l.learnReply(&reply{method: "POST", path: "/x", status: 200, value: map[string]any{"team": map[string]any{"api_key": "wp_abcdefg"}}, sent: []byte(`{"secret":"whsec_xyz"}`)})
	require.EqualError(t, l.check(), "careless logged the secret of the request POST /x\ncareless logged the api_key of POST /x")
}
