package browser_test

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/fakenetwork"
)

// launchWindow starts a browser as a member does, in a window of a screen of its own:
// background tabs are throttled and frozen as at any start.
func launchWindow(t testing.TB, dir, profile string) *chromium {
	t.Helper()
	display, theirs, err := os.Pipe()
	require.NoError(t, err)
	screen := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1280x800x24", "-nolisten", "tcp")
	screen.ExtraFiles = []*os.File{theirs}
	require.NoError(t, screen.Start())
	t.Cleanup(func() {
		_ = screen.Process.Kill()
		_ = screen.Wait()
	})
	require.NoError(t, theirs.Close())
	number, err := bufio.NewReader(display).ReadString('\n') // it is ready
	require.NoError(t, err)
	require.NoError(t, display.Close())
	return start(t, dir, profile, []string{"DISPLAY=:" + strings.TrimSpace(number)})
}

// TestWindow: in an ordinary window tasks end on pages that take 3 seconds. A browser
// freezes what it thinks that no one misses, such as the tabs of a collapsed group.
func TestWindow(t *testing.T) {
	t.Parallel()
	w := theWorld(t)
	m := &member{team: w.createTeam(t, "window@example.com"), chromium: launchWindow(t, w.dist, t.TempDir()), email: "window@example.com", account: "window"}
	t.Cleanup(m.explain)
	m.signIn()
	m.pair(m.service)
	m.network.SetFaults(m.account, fakenetwork.Faults{Slow: slowPage})
	elements(t, m.completed(m.ask("/network-agent/search-profiles", fields{"keywords": "engineer"})), "profiles")
}
