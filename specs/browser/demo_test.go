package browser_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/specs/process"
)

var (
	demoOffer   = regexp.MustCompile(`WATCHPOST_URL=(\S+) WATCHPOST_KEY=(\S+)`)
	demoNetwork = regexp.MustCompile(`sign in at (http://[^,\s]+)`)
	demoPairing = regexp.MustCompile(`(-H "authorization: Bearer demo" -d .*/pairing-codes)`)
	demoCode    = regexp.MustCompile(`"code":"([^"]+)"`)
)

// TestDemo follows the README: start the demo without sessions, load and pair
// the extension, see posts arrive.
func TestDemo(t *testing.T) {
	if os.Getenv("WATCHPOST_LONG") == "" {
		t.Skip("WATCHPOST_LONG is not set: TestEveryTaskType covers it but for the binary")
	}
	dir := t.TempDir()
	program, err := process.Build(dir)
	require.NoError(t, err)
	demo, err := process.Launch("demo", dir, program, "demo", "--sessions=0", "--listen", "127.0.0.1:0", "--network-listen", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, demo.Stop()) })
	find := func(pattern *regexp.Regexp, text string) []string {
		line, err := demo.Await(text)
		require.NoError(t, err)
		found := pattern.FindStringSubmatch(line)
		require.NotEmpty(t, found, line)
		return found[1:]
	}
	offer, site, pairing := find(demoOffer, "export WATCHPOST_URL="), find(demoNetwork, "Extension  "), find(demoPairing, "/pairing-codes")
	w := &world{service: offer[0], site: site[0], dist: filepath.Join(dir, "dist")}
	require.NoError(t, build(w.dist, "--network", w.site, "--service", w.service))
	b := launch(t, w.dist, t.TempDir())
	m := &member{team: &team{world: w, t: t, key: offer[1]}, chromium: b, email: "ada@example.com", account: "ada"}
	m.signIn()
	out, err := exec.Command("sh", "-c", "curl -sS "+pairing[0]).CombinedOutput()
	require.NoError(t, err, "%s", out)
	found := demoCode.FindSubmatch(out)
	require.NotEmpty(t, found, "%s", out)
	m.pairWith(w.service, string(found[1]))
	eventually(t, func() bool {
		_, reply := m.team.call("GET", "/api-posts", nil)
		count, _ := reply["count"].(float64)
		return count > 0
	}, func() string { return "no posts" })
}
