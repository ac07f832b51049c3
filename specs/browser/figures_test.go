package browser_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestFigures measures the extension on both variants of the site: the time of
// pairing, the latency of each task type, and the browser's memory. It fails on
// no figure.
func TestFigures(t *testing.T) {
	if os.Getenv("WATCHPOST_LONG") == "" {
		t.Skip("WATCHPOST_LONG is not set: it measures")
	}
	for _, v := range []variant{serverPages, singlePage} {
		t.Run(string(v), func(t *testing.T) { measureFigures(t, worldOf(t, v)) })
	}
}

func measureFigures(t *testing.T, w *world) {
	const rounds = 5
	m := &member{team: w.createTeam(t, "figures@example.com"), chromium: launch(t, w.dist, t.TempDir()), email: "figures@example.com", account: "figures"}
	m.signIn()
	t.Logf("browser, before pairing: %d MiB", m.memory(t))
	code := m.code()
	begin := time.Now()
	p := m.enterCode(m.service, code)
	p.agree()
	p.until(`!document.querySelector("#paired").hidden && document.querySelector("#pill").dataset.kind === "good"`)
	t.Logf("pairing, from opening the settings to ready: %v", time.Since(begin).Round(time.Millisecond))
	m.close(target{TargetID: p.target})
	m.isSignedIn(true)

	friends := elements(t, m.completed(m.ask("/network-agent/fetch-connections", fields{"count": rounds})), "connections")
	found := slices.DeleteFunc(elements(t, m.completed(m.ask("/network-agent/search-profiles", fields{"keywords": "engineer"})), "profiles"), func(one fields) bool {
		return one["degree"].(float64) < 2
	})
	posts := w.feed(t)
	require.Greater(t, min(len(found), len(posts)), rounds)
	words := []string{"battery", "hiring", "storage", "energy", "cloud"}
	companies := []string{"alder-analytics", "birch-labs", "atlas-foods", "meridian-energy", "beacon-health"}
	type request struct {
		path string
		body func(n int) fields
	}
	for _, task := range []request{
		{"/network-agent/fetch-profile", func(n int) fields { return fields{"profile_slug": friends[n]["profile_slug"]} }},
		{"/network-agent/fetch-company", func(n int) fields { return fields{"company_slug": companies[n]} }},
		{"/network-agent/fetch-profiles-posts", func(n int) fields { return fields{"profile_urns": []any{friends[n]["profile_urn"]}} }},
		{"/network-agent/fetch-company-posts", func(n int) fields { return fields{"company_slug": companies[n]} }},
		{"/network-agent/search-profiles", func(int) fields { return fields{"keywords": "engineer"} }},
		{"/network-agent/fetch-connections", func(int) fields { return fields{"count": 5} }},
		{"/network-agent/like-post", func(n int) fields { return fields{"social_urn": posts[n].URN} }},
		{"/network-agent/comment-post", func(n int) fields { return fields{"social_urn": posts[n].URN, "comment_text": "Well said"} }},
		{"/network-agent/send-message", func(n int) fields { return fields{"recipient_urn": friends[n]["profile_urn"], "message": "Hello"} }},
		{"/network-agent/send-connection-request", func(n int) fields { return fields{"profile_urn": found[n]["profile_urn"]} }},
	} {
		t.Logf("%s: %v", task.path, median(rounds, func(n int) { m.completed(m.ask(task.path, task.body(n))) }))
	}
	for _, scan := range []request{
		{"/api-keyword-watchlist", func(n int) fields { return fields{"keywords": words[n : n+1]} }},
		{"/api-forum-watchlist", func(n int) fields { return fields{"keywords": words[n : n+1]} }},
		{"/api-people-watchlist", func(n int) fields { return fields{"profiles": []any{friends[n]["profile_slug"]}} }},
		{"/api-company-watchlist", func(n int) fields { return fields{"companies": companies[n : n+1]} }},
	} {
		t.Logf("%s, its first scan: %v", scan.path, median(rounds, func(n int) {
			status, made := m.team.call(http.MethodPost, scan.path, scan.body(n))
			require.Equal(t, http.StatusOK, status, made)
			m.scanned()
		}))
	}
	t.Logf("browser, after the tasks: %d MiB", m.memory(t))
}

// median returns the median duration of some rounds.
func median(rounds int, do func(n int)) time.Duration {
	var all []time.Duration
	for n := range rounds {
		begin := time.Now()
		do(n)
		all = append(all, time.Since(begin).Round(time.Millisecond))
	}
	slices.Sort(all)
	return all[rounds/2]
}

var pssLine = regexp.MustCompile(`(?m)^Pss:\s+(\d+) kB`)

// memory returns the proportional memory of all processes of the browser, in MiB.
func (b *chromium) memory(t testing.TB) int {
	t.Helper()
	sum, processes := 0, 0
	folders, err := filepath.Glob("/proc/[0-9]*")
	require.NoError(t, err)
	for _, folder := range folders {
		stat, _ := os.ReadFile(filepath.Join(folder, "stat"))
		var group int
		if _, err := fmt.Sscanf(string(stat[max(0, slices.Index(stat, ')')+1):]), " %s %d %d", new(string), new(int), &group); err != nil || group != b.command.Process.Pid {
			continue
		}
		smaps, _ := os.ReadFile(filepath.Join(folder, "smaps_rollup"))
		if found := pssLine.FindSubmatch(smaps); found != nil {
			kib, err := strconv.Atoi(string(found[1]))
			require.NoError(t, err)
			sum += kib
			processes++
		}
	}
	t.Logf("%d processes", processes)
	return sum >> 10
}
