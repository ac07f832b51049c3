package browser_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/internal/fakenetwork"
)

// places are the ways to open a page that a browser may or may not freeze.
var places = []string{"tab", "group", "collapsed", "minimised", "behind", "offscreen"}

// placed is how work in one way went. Loaded and Total are seconds, or "-" when they did
// not end; Question and Timer are the longest answers of the page, in seconds.
type placed struct {
	Way, Window, Visibility, Failed string
	Loaded, Total, Read             any
	Question, Timer                 float64
}

// pageDelays returns the number of pages that a measurement reads, and the times that a
// page takes. Without WATCHPOST_PLACES nothing is measured.
func pageDelays(t *testing.T) (pages int, delays []time.Duration) {
	t.Helper()
	pages, err := strconv.Atoi(os.Getenv("WATCHPOST_PLACES"))
	if err != nil {
		t.Skip("WATCHPOST_PLACES is not set: it measures")
	}
	if one, err := time.ParseDuration(os.Getenv("WATCHPOST_PLACES_DELAY")); err == nil {
		return pages, []time.Duration{one}
	}
	return pages, []time.Duration{0, time.Second, 3 * time.Second, 10 * time.Second}
}

// TestPlaces measures in which places Chromium and Firefox let a page work, in a window of
// an ordinary start, by the time that a page of the network takes. WATCHPOST_PLACES is
// the number of pages that are read; it fails on no figure.
func TestPlaces(t *testing.T) {
	pages, delays := pageDelays(t)
	w := theWorld(t)
	probe, err := filepath.Abs(filepath.Join("testdata", "places"))
	require.NoError(t, err)
	for _, browser := range []string{"chromium", "firefox"} {
		t.Run(browser, func(t *testing.T) {
			account := "places-" + browser
			var run func(string) (string, error)
			if browser == "chromium" {
				b := launchWindow(t, probe, t.TempDir())
				m := &member{team: &team{world: w, t: t}, chromium: b, account: account}
				m.signIn()
				p := b.open("chrome-extension://" + b.extension() + "/places.html")
				run = func(script string) (text string, err error) {
					value, err := p.do(script)
					if err == nil {
						err = json.Unmarshal(value, &text)
					}
					return text, err
				}
			} else {
				xpi := filepath.Join(t.TempDir(), "places.xpi")
				zip := exec.Command("zip", "-qr", xpi, ".")
				zip.Dir = probe
				require.NoError(t, zip.Run())
				f := startFirefox(t, geckoID, t.TempDir(), []string{"DISPLAY=" + screen(t)})
				f.signIn(&member{team: &team{world: w, t: t}, account: account})
				f.install(xpi)
				f.turnTo("moz-extension://" + firefoxUUID + "/places.html")
				run = f.run
			}
			for _, delay := range delays {
				w.network.SetFaults(account, fakenetwork.Faults{Slow: delay})
				for _, line := range measurePlaces(t, run, w.site+"/feed", pages, delay) {
					t.Logf("%v a page: %+v", delay, line)
				}
			}
		})
	}
}

// measurePlaces has pages work in all places at once.
func measurePlaces(t *testing.T, run func(string) (string, error), url string, pages int, delay time.Duration) []placed {
	t.Helper()
	limit := 30*time.Second + 2*time.Duration(pages+1)*delay
	_, err := run(fmt.Sprintf(`globalThis.measured = ""; void Promise.all("%s".split(" ").map(way => measure(way, %q, %d, %g))).then(all => { measured = JSON.stringify(all) }); ""`,
		strings.Join(places, " "), url, pages, limit.Seconds()))
	require.NoError(t, err)
	over := time.After(limit + patience)
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-over:
			t.Fatal("no answer")
		}
		value, err := run(`measured`)
		require.NoError(t, err)
		if value != "" {
			var all []placed
			require.NoError(t, json.Unmarshal([]byte(value), &all), value)
			return all
		}
	}
}

// TestSlowTasks measures how long a read and a write take in a window, by the time that a
// page of the network takes, from the request to the output. It fails on no figure.
func TestSlowTasks(t *testing.T) {
	_, delays := pageDelays(t)
	onBothSites(t, true, func(t *testing.T, w *world) {
		posts := w.feed(t)
		for browser, join := range windows(t, w) {
			m := join("slow-" + browser)
			for n, delay := range delays {
				m.network.SetFaults(m.account, fakenetwork.Faults{Slow: delay})
				begin := time.Now()
				m.completed(m.ask("/network-agent/search-profiles", fields{"keywords": "engineer"}))
				read := time.Since(begin)
				m.completed(m.ask("/network-agent/like-post", fields{"social_urn": posts[n].URN}))
				t.Logf("%s, %v a page: search for people %v, like %v", browser, delay, read.Round(100*time.Millisecond), (time.Since(begin) - read).Round(100*time.Millisecond))
			}
		}
	})
}
