package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/specs/process"
)

// output is what the demo prints.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// bound is for waits: the machine may be busy with other tests.
const bound = 3 * time.Minute

func (o *output) await(t *testing.T, text string, ended <-chan error) {
	t.Helper()
	require.Eventually(t, func() bool {
		select {
		case err := <-ended:
			t.Error(err)
			return true
		default:
			return strings.Contains(o.String(), text)
		}
	}, bound, 50*time.Millisecond)
	require.Contains(t, o.String(), text)
}

// TestClusterKeepsItsWord runs the demo of a cluster: its commands answer, they
// and the README's tour answer after a node was killed as the demo proposes, the
// node comes back, and nothing is left at the end.
func TestClusterKeepsItsWord(t *testing.T) {
	dir := t.TempDir()
	binary, err := process.Build(dir)
	require.NoError(t, err)
	// curl repeats a request that a node refuses for a moment. --retry-all-errors
	// covers a connection that was cut by the kill.
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".curlrc"), []byte("retry = 100\nretry-delay = 1\nretry-max-time = 120\nretry-all-errors\nfail\n"), 0o600))
	var out output
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	t.Cleanup(func() { stop(); <-ended }) // also after a failure nothing is left
	var free [5]string
	for i := range free {
		free[i], err = process.FreeAddress()
		require.NoError(t, err)
	}
	go func() {
		ended <- run(ctx, options{binary: binary, listen: free[0], network: free[1], nodes: free[2:], restart: time.Second, out: &out})
		close(ended)
	}()
	out.await(t, "Ctrl-C here stops everything.", ended)

	said := out.String()
	export := line(t, said, `export WATCHPOST_URL=.*`)
	tried := regexp.MustCompile(`(?m)^  (curl .*|.* nodes --store .*)$`).FindAllStringSubmatch(said, -1)
	require.Len(t, tried, 4)
	try := func() {
		t.Helper()
		for _, command := range tried {
			require.NotContains(t, shell(t, dir, export+"\n"+command[1]), `"error"`)
		}
	}
	try()
	shell(t, dir, line(t, said, `kill -9 .*`)+" || :") // an overloaded node may have ended by itself
	try()
	out.await(t, "node1 has ended", ended)
	tour(t, dir, export)
	out.await(t, "node1 serves again", ended)

	stop()
	require.NoError(t, <-ended)
	require.NoDirExists(t, strings.TrimPrefix(line(t, said, `DATA=\S+`), "DATA="))
	require.NoDirExists(t, strings.TrimPrefix(line(t, said, `host=[^']+`), "host="))
}

func line(t *testing.T, text, pattern string) string {
	t.Helper()
	found := regexp.MustCompile(pattern).FindString(text)
	require.NotEmpty(t, found, "%s in %s", pattern, text)
	return found
}

// shell runs commands as a visitor would; all must succeed.
func shell(t *testing.T, home, commands string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	c := exec.CommandContext(ctx, "sh", "-e", "-c", commands)
	c.Env = append(os.Environ(), "HOME="+home)
	said, err := c.CombinedOutput()
	require.NoError(t, err, "%s\n%s", commands, said)
	return string(said)
}

// tour runs the README's tour with the demo's values.
func tour(t *testing.T, home, export string) {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join("..", "..", "..", "README.md"))
	require.NoError(t, err)
	_, text, found := strings.Cut(string(readme), "## A tour\n")
	require.True(t, found)
	text, _, _ = strings.Cut(text, "\n## ")
	var script strings.Builder
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(text, -1) {
		script.WriteString(block[1])
	}
	commands := regexp.MustCompile(`(?m)^export WATCHPOST_URL=.*$`).ReplaceAllString(script.String(), export)
	token := line(t, commands, `Bearer demo`)
	commands = strings.ReplaceAll(commands, token, "Bearer local-cluster-admin")
	mail := line(t, commands, `CODE=.*grace.*`) // written after the reply
	commands = strings.Replace(commands, mail, `until ls "$DATA"/mail/*grace*.eml; do sleep 0.1; done 2>/dev/null`+"\n"+mail, 1)
	said := shell(t, home, commands)
	require.NotContains(t, said, `"error"`)
	for _, wanted := range []string{`"name": "Energy"`, `"deleted": true`, "Like task created", `"allowances":`, `"revoked": true`, "watchpost_sessions_connected"} {
		require.True(t, strings.Contains(said, wanted), fmt.Sprintf("nothing says %s:\n%s", wanted, said))
	}
}
