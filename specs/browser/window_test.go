package browser_test

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/internal/fakenetwork"
)

// screen starts a screen with a window manager, as a member's computer has, and returns
// its name. Without the manager no window can be minimised.
func screen(t testing.TB) string {
	t.Helper()
	display, theirs, err := os.Pipe()
	require.NoError(t, err)
	x := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1280x800x24", "-nolisten", "tcp")
	x.ExtraFiles = []*os.File{theirs}
	untilEnd(t, x)
	require.NoError(t, theirs.Close())
	number, err := bufio.NewReader(display).ReadString('\n') // it is ready
	require.NoError(t, err)
	require.NoError(t, display.Close())
	name := ":" + strings.TrimSpace(number)
	manager := exec.Command("openbox", "--sm-disable")
	manager.Env = append(os.Environ(), "DISPLAY="+name)
	untilEnd(t, manager)
	return name
}

// untilEnd starts a program that runs until the end of the test.
func untilEnd(t testing.TB, program *exec.Cmd) {
	t.Helper()
	require.NoError(t, program.Start())
	t.Cleanup(func() {
		_ = program.Process.Kill()
		_ = program.Wait()
	})
}

// launchWindow starts a browser as a member does, in a window on a separate screen:
// background tabs are throttled and frozen as at any start.
func launchWindow(t testing.TB, dir, profile string) *chromium {
	t.Helper()
	return start(t, dir, profile, []string{"DISPLAY=" + screen(t)})
}

// inWindow gives a member a browser in a window.
func (m *team) inWindow(email, account string) *member {
	m.t.Helper()
	one := &member{team: m, chromium: launchWindow(m.t, m.dist, m.t.TempDir()), email: email, account: account}
	m.t.Cleanup(one.explain)
	one.signIn()
	one.pair(m.service)
	return one
}

// TestWindow: in an ordinary window a read, a scan and a write end on slow pages. A
// browser freezes pages that it considers unused.
func TestWindow(t *testing.T) {
	t.Parallel()
	m := windows(t, worldOf(t, singlePage))["chromium"]("window")
	m.network.SetFaults(m.account, fakenetwork.Faults{Slow: time.Second})
	m.readScanAndWrite()
}

// readScanAndWrite has the member's browser do one task of each kind.
func (m *member) readScanAndWrite() {
	t := m.team.t
	t.Helper()
	elements(t, m.completed(m.ask("/network-agent/search-profiles", fields{"keywords": "engineer"})), "profiles")
	status, made := m.team.call(http.MethodPost, "/api-keyword-watchlist", fields{"keywords": []string{"hiring"}})
	require.Equal(t, http.StatusOK, status, made)
	post := m.posts(made["id"].(string))[0]
	liked := m.ask("/api-like", fields{"post_id": post["id"], "user_email": m.email})
	require.Equal(t, true, m.completed(liked)["liked"])
	require.Equal(t, 1, m.writes.count(m.account, fakenetwork.WriteLike))
}

// TestCollapsedGroup: a member may collapse the group of the extension's tab, which
// freezes it. The task goes on in a minimised window, and the popup says so meanwhile.
func TestCollapsedGroup(t *testing.T) {
	if os.Getenv("WATCHPOST_LONG") == "" {
		t.Skip("WATCHPOST_LONG is not set: a browser waits for 20 seconds")
	}
	onBothSites(t, false, func(t *testing.T, w *world) {
		m := w.createTeam(t, "collapsed@example.com").inWindow("collapsed@example.com", "collapsed")
		// The page must not have come before the browser has frozen it.
		m.network.SetFaults(m.account, fakenetwork.Faults{Slow: 3 * slowPage})
		p := m.settings()
		p.run(`chrome.tabGroups.onUpdated.addListener(group => chrome.tabGroups.update(group.id, { collapsed: true }))`)
		p.run(`globalThis.focused = []; chrome.windows.onFocusChanged.addListener(id => focused.push(id)); 0`)
		id := m.ask("/network-agent/search-profiles", fields{"keywords": "engineer"})
		p.until(`document.querySelector("#pill").textContent === "Slow page"`)
		p.until(`document.querySelector("#state button")?.textContent === "Skip"`)
		elements(t, m.completed(id), "profiles")
		p.until(`document.querySelector("#pill").dataset.kind === "good"`)
		require.JSONEq(t, "[]", string(p.run(`focused`)), "the member's window lost the focus")
	})
}

// windows returns what gives a new member a browser in a window, by browser.
func windows(t *testing.T, w *world) map[string]func(account string) *member {
	return map[string]func(account string) *member{
		"chromium": func(account string) *member {
			email := account + "@example.com"
			return w.createTeam(t, email).inWindow(email, account)
		},
		"firefox": func(account string) *member {
			return startFirefox(t, geckoID, filepath.Join(t.TempDir(), "profile"), []string{"DISPLAY=" + screen(t)}).join(w, account)
		},
	}
}

// TestEveryTaskTypeInWindows: on slow pages every type of task ends in ordinary windows
// of Chromium and Firefox.
func TestEveryTaskTypeInWindows(t *testing.T) {
	if os.Getenv("WATCHPOST_LONG") == "" {
		t.Skip("WATCHPOST_LONG is not set: every page takes a second")
	}
	onBothSites(t, false, func(t *testing.T, w *world) {
		for browser, join := range windows(t, w) {
			m := join(browser + "-window")
			m.network.SetFaults(m.account, fakenetwork.Faults{Slow: time.Second})
			m.everyTask(t)
		}
	})
}

// TestHungPage: a page that never loads keeps the others waiting for less than a minute.
// Its task is given back, and done later.
func TestHungPage(t *testing.T) {
	if os.Getenv("WATCHPOST_LONG") == "" {
		t.Skip("WATCHPOST_LONG is not set: a browser waits for 40 seconds, and the service for 30")
	}
	t.Parallel()
	w := theWorld(t)
	m := w.createTeam(t, "hung@example.com").join("hung@example.com", "hung")
	posts := w.feed(t)
	post := posts[len(posts)-1].URN
	number := post[strings.LastIndex(post, ":")+1:]
	hung := func(r *http.Request) bool { return strings.Contains(r.URL.Path, number) }
	tab, window := w.requests.hold(t, hung), w.requests.hold(t, hung)
	begin := time.Now()
	liked := m.ask("/network-agent/like-post", fields{"social_urn": post})
	tab.await(t)
	other := m.ask("/network-agent/fetch-profile", fields{"profile_slug": m.account})
	window.await(t)
	m.completed(other)
	waited := time.Since(begin)
	state, _ := m.status(liked)
	require.Equal(t, "pending", state)
	tab.release()
	window.release()
	require.Equal(t, true, m.completed(liked)["liked"])
	require.Equal(t, 1, m.writes.count(m.account, fakenetwork.WriteLike))
	t.Logf("the next task was done after %v", waited.Round(time.Second))
	require.Less(t, waited, time.Minute+20*time.Second) // a busy machine starts browsers slowly
}
