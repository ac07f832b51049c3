package specs_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/internal/fakenetwork"
)

// TestCoverageOfNetwork compares the coverage of watchlists with the pages that the network
// has noted. Each first page is a scan. A scan takes the posts since one day before the newest
// known post; the first scan takes those of thirty days (api.md#coverage).
func TestCoverageOfNetwork(t *testing.T) {
	t.Parallel()
	w := isolatedWorld(t)
	must(t, w.do([]string{"network", "--test-clock"}))
	must(t, w.do([]string{"service"}))
	must(t, w.do([]string{"team", "ACME", "ultimate", "ada@acme.example"}))
	create := func(kind, body string) string {
		return textOf(member(t, w.ask(t, http.StatusOK, "ACME", http.MethodPost, "/api-"+kind+"-watchlist", body), "id"))
	}
	watchlists := map[string]string{ // path and query of the scans, by watchlist
		create("keyword", `{"keywords":["hiring"],"fetchFreqInHours":6}`):  "/search/posts hiring",
		create("keyword", `{"keywords":["product"],"fetchFreqInHours":6}`): "/search/posts product",
		create("keyword", `{"keywords":["hiring"],"fetchFreqInHours":6}`):  "/search/posts hiring",
		create("forum", `{"keywords":["vendors"],"fetchFreqInHours":6}`):   "/forum/search vendors",
	}
	must(t, w.do([]string{"session", "ada@acme.example"}))
	const rounds = 3
	for round := 1; round <= rounds; round++ {
		require.NoError(t, w.until(func() error {
			var err error
			if w.last, err = w.request("ACME", http.MethodGet, "/api-coverage", nil); err != nil {
				return err
			}
			if done := coverageSum(t, w.last).Scans["done"]; done < round*len(watchlists) {
				return fmt.Errorf("%d scans are done", done)
			}
			return nil
		}))
		if round < rounds {
			w.ask(t, http.StatusOK, "operator", http.MethodPost, "/admin/clock", `{"advance":"6h"}`)
			w.ask(t, http.StatusOK, "network", http.MethodPost, "/_control/clock", `{"advance":"6h"}`)
		}
	}
	scans, found := shownScans(t, w)
	for id, asked := range watchlists {
		sum := coverageSum(t, w.ask(t, http.StatusOK, "ACME", http.MethodGet, "/api-coverage?watchlist_id="+id, ""))
		require.Equal(t, scans[asked], sum.Scans["done"], asked)
		require.Equal(t, found[asked], sum.Posts["found"], asked)
		require.NotZero(t, sum.Posts["found"], asked)
		posts := w.ask(t, http.StatusOK, "ACME", http.MethodGet, "/api-posts?watchlist_id="+id, "")
		require.Equal(t, int(number(t, posts, "count")), sum.Posts["kept"], asked)
		require.GreaterOrEqual(t, sum.Posts["dropped"], 0, asked)
	}
	require.Equal(t, 2*rounds, scans["/search/posts hiring"]+scans["/search/posts product"])
}

// coverage has the sums of all rows of a reply.
type coverage struct{ Scans, Posts map[string]int }

func coverageSum(t *testing.T, r *reply) coverage {
	t.Helper()
	var reply struct {
		Data []struct{ Scans, Posts map[string]any }
	}
	require.NoError(t, json.Unmarshal(r.body, &reply))
	sum := coverage{map[string]int{}, map[string]int{}}
	add := func(to map[string]int, of map[string]any) {
		for name, value := range of {
			if n, counts := value.(float64); counts {
				to[name] += int(n)
			}
		}
	}
	for _, row := range reply.Data {
		add(sum.Scans, row.Scans)
		add(sum.Posts, row.Posts)
	}
	return sum
}

// shownScans returns how many scans the network has shown its pages to, and the posts
// that they took from these, by their request.
func shownScans(t *testing.T, w *world) (scans, found map[string]int) {
	t.Helper()
	var log struct{ Lists []fakenetwork.List }
	require.NoError(t, json.Unmarshal(w.ask(t, http.StatusOK, "network", http.MethodGet, "/_control/lists", "").body, &log))
	scans, found = map[string]int{}, map[string]int{}
	newest, since, taken := map[string]time.Time{}, map[string]time.Time{}, map[string]bool{}
	for _, list := range log.Lists {
		asked := list.Path + " " + list.Query
		if list.Page == 1 {
			scans[asked]++
			clear(taken)
			if since[asked] = newest[asked].Add(-24 * time.Hour); newest[asked].IsZero() {
				since[asked] = list.At.AddDate(0, 0, -30)
			}
		}
		for _, post := range list.Posts {
			if post.PostedAt.Before(since[asked]) || taken[post.URN] {
				continue
			}
			taken[post.URN] = true
			found[asked]++
			if post.PostedAt.After(newest[asked]) {
				newest[asked] = post.PostedAt
			}
		}
	}
	return scans, found
}
