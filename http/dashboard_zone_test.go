package httpapi_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var clockOfPage = regexp.MustCompile(`<time datetime="([^"]+)" title="([^"]+)">(\d\d:\d\d)</time>`)

// TestDashboardZone: times of a page are in the zone of the browser, with UTC in their
// titles. Without a zone, or with one that does not exist, they are in UTC.
func TestDashboardZone(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Zone", "growth")
	b := h.browser()
	b.signIn(m.email)
	for cookie, in := range map[string]string{
		"": "UTC", "watchpost-zone=Asia/Kolkata": "Asia/Kolkata", "watchpost-zone=America/Argentina/Buenos_Aires": "America/Argentina/Buenos_Aires",
		"watchpost-zone=Nowhere/Town": "UTC", "watchpost-zone=Local": "UTC", "watchpost-zone=../zone": "UTC",
	} {
		zone, err := time.LoadLocation(in)
		require.NoError(t, err)
		var headers []string
		if cookie != "" {
			headers = []string{"Cookie", cookie}
		}
		page := b.do("GET", "/app/team", "", headers...)
		require.Equal(t, 200, page.status)
		require.Contains(t, page.raw, "times in "+in+".", cookie)
		clocks := clockOfPage.FindAllStringSubmatch(page.raw, -1)
		require.NotEmpty(t, clocks)
		for _, c := range clocks {
			at, err := time.Parse(time.RFC3339, c[1])
			require.NoError(t, err)
			require.Equal(t, []string{at.UTC().Format("2 January 2006, 15:04 UTC"), at.In(zone).Format("15:04")}, c[2:], cookie)
		}
	}
	waits := b.do("GET", "/app/watchlists", "", "Cookie", "watchpost-zone=Asia/Kolkata")
	require.Contains(t, waits.raw, "All times in Asia/Kolkata.")
}
