package httpapi_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/internal/protocol"
)

// TestTrendsAgreeWithExports counts the export of posts by day and group, and compares
// that with the trends.
func TestTrendsAgreeWithExports(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Analysts", "growth")
	p := m.join()
	var launches, parties []protocol.Post
	for i := range 40 {
		post := sample(i+1, fmt.Sprintf("Our launch number %d went well for the team", i))
		post.PostedAt = time.Now().Add(-time.Duration(i*i) * time.Hour)
		if i%5 == 0 {
			post.Content += ", we have a terrible problem with the party"
			post.AuthorHeadline = "CEO at Acme"
			parties = append(parties, post)
		}
		if i%7 == 0 {
			post.Content = "Der launch war ein Erfolg und wir freuen uns sehr darüber"
		}
		launches = append(launches, post)
	}
	m.collect(p, "launch", launches...)
	m.collect(p, "party", parties...)
	type exported struct {
		At        time.Time `json:"posted_at"`
		Language  string    `json:"language"`
		Sentiment string    `json:"sentiment"`
		Level     string    `json:"seniority_level"`
		Matched   []struct {
			Watchlist string `json:"watchlist_id"`
			Keyword   string `json:"keyword"`
		} `json:"matched"`
	}
	var posts []exported
	for line := range strings.Lines(m.call("GET", "/api-posts/export?format=jsonl", "").raw) {
		var post exported
		require.NoError(t, json.Unmarshal([]byte(line), &post))
		posts = append(posts, post)
	}
	require.Len(t, posts, 40)
	for by, groupsOf := range map[string]func(exported) []string{
		"sentiment":       func(e exported) []string { return []string{e.Sentiment} },
		"language":        func(e exported) []string { return []string{e.Language} },
		"seniority_level": func(e exported) []string { return []string{e.Level} },
		"watchlist": func(e exported) (names []string) {
			for _, match := range e.Matched {
				names = append(names, match.Watchlist)
			}
			return names
		},
		"keyword": func(e exported) (names []string) {
			for _, match := range e.Matched {
				names = append(names, match.Keyword)
			}
			return names
		},
	} {
		reply := m.call("GET", "/api-trends?start_date="+time.Now().AddDate(0, 0, -80).Format(time.DateOnly)+"&by="+by, "")
		keepsToTheDocument(t, "GET", "/api-trends", reply)
		trend := read[fields](reply, 200)
		days := map[string]int{}
		for i, at := range trend["intervals"].([]any) {
			days[at.(fields)["at"].(string)[:10]] = i
		}
		want, all := map[string][]int{}, make([]int, len(days))
		for _, post := range posts {
			day := days[post.At.Format(time.DateOnly)]
			all[day]++
			for _, name := range groupsOf(post) {
				if name == "" {
					continue
				}
				if want[name] == nil {
					want[name] = make([]int, len(days))
				}
				want[name][day]++
			}
		}
		got := map[string][]int{}
		for _, g := range trend["groups"].([]any) {
			group := g.(fields)
			counts := numbers(group["counts"])
			got[group["name"].(string)] = counts
			require.InDelta(t, group["count"].(float64)/40, group["share"], 1e-4)
		}
		require.Equal(t, want, got, by)
		require.GreaterOrEqual(t, len(got), 1, by)
		require.Equal(t, 40.0, trend["count"])
		shown := []int{}
		for _, at := range trend["intervals"].([]any) {
			shown = append(shown, int(at.(fields)["count"].(float64)))
		}
		require.Equal(t, all, shown)
	}
}

func numbers(list any) []int {
	return slices.Collect(func(yield func(int) bool) {
		for _, n := range list.([]any) {
			if !yield(int(n.(float64))) {
				return
			}
		}
	})
}
