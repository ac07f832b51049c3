package httpapi_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestStoredSinceOfAWatchlist: a watchlist gets posts when it finds them, also those that
// another one has had before.
func TestStoredSinceOfAWatchlist(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Readers", "growth")
	p := m.join()
	first := m.collect(p, "telemetry", sample(1, "Telemetry traces one"), sample(2, "Telemetry traces two"))
	since := time.Now()
	second := m.collect(p, "traces", sample(2, "Telemetry traces two"), sample(3, "Telemetry traces three"), sample(1, "Telemetry traces one"))
	contents := func(query string) (all []string) {
		r := read[fields](m.call("GET", "/api-posts?"+query, ""), 200)
		for _, post := range r["data"].([]any) {
			all = append(all, post.(fields)["content"].(string))
		}
		require.EqualValues(t, len(all), r["count"], query)
		return all
	}
	one, two, three := "Telemetry traces one", "Telemetry traces two", "Telemetry traces three"
	stored := "&stored_since=" + url.QueryEscape(since.Format(time.RFC3339Nano))
	require.Equal(t, []string{one, two, three}, contents("watchlist_id="+second+stored), "all that the watchlist got")
	require.Empty(t, contents("watchlist_id="+first+stored), "it had them before")
	require.Equal(t, []string{three}, contents("watchlist_id="+first+"&watchlist_id="+second+stored), "the first of several")
	require.Equal(t, []string{three}, contents(stored[1:]), "the service had the others before")
	later := "&stored_since=" + url.QueryEscape(since.Add(time.Hour).Format(time.RFC3339Nano))
	require.Empty(t, contents("watchlist_id="+second+later))
	require.Equal(t, three, contents("sort_by=stored_last")[0])
	require.Equal(t, three, contents("sort_by=stored_first")[2])
	require.ElementsMatch(t, []string{one, two, three}, contents("sort_by=stored_first&watchlist_id="+second))
}
