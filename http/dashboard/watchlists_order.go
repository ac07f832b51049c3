package dashboard

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"watchpost/actors"
)

// listOrder is which watchlists the page of them shows, and in which order. Both are part
// of its address.
type listOrder struct {
	Term       string
	Sorts      []choice
	Searchable bool // there are many, or the address asks for some
	sorted     string
}

// listSorts are the orders of watchlists; the first is the usual one.
var listSorts = []struct {
	choice
	compare func(a, b *watchlistRow) int
}{
	{choice{Value: "", Name: "Oldest first"}, func(_, _ *watchlistRow) int { return 0 }},
	{choice{Value: "newest", Name: "Newest first"}, func(a, b *watchlistRow) int { return cmp.Compare(b.ID, a.ID) }},
	{choice{Value: "name", Name: "By name"}, func(a, b *watchlistRow) int {
		return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	}},
	{choice{Value: "posts", Name: "Most posts this week"}, func(a, b *watchlistRow) int { return cmp.Compare(b.Posts, a.Posts) }},
	{choice{Value: "state", Name: "What needs attention"}, func(a, b *watchlistRow) int {
		return cmp.Compare(slices.Index(attention, a.Class), slices.Index(attention, b.Class))
	}},
	{choice{Value: "looked", Name: "Longest not looked at"}, func(a, b *watchlistRow) int { return a.looked.Compare(b.looked) }},
}

// attention orders the classes of states, the worst first.
var attention = []string{"bad", "wait", "info", "good", ""}

// listOrderOf reads the address of the page, for a number of watchlists.
func listOrderOf(q url.Values, lists int) listOrder {
	o := listOrder{Term: strings.TrimSpace(strings.ToValidUTF8(clip(q.Get("q"), maxListTerm), ""))}
	for _, s := range listSorts {
		s.On = s.Value == q.Get("sort")
		if s.On {
			o.sorted = s.Value
		}
		o.Sorts = append(o.Sorts, s.choice)
	}
	o.Searchable = lists >= manyLists || o.Term != "" || o.sorted != ""
	return o
}

// maxListTerm bounds a search for watchlists, in bytes.
const maxListTerm = 100

// Here is the address of the page.
func (o listOrder) Here() string {
	q := url.Values{}
	if o.Term != "" {
		q.Set("q", o.Term)
	}
	if o.sorted != "" {
		q.Set("sort", o.sorted)
	}
	if len(q) == 0 {
		return pathWatchlists
	}
	return pathWatchlists + "?" + q.Encode()
}

// finds reports whether the name of a watchlist, or one of its entries, has the term.
func (o listOrder) finds(l *actors.WatchlistView) bool {
	term := strings.ToLower(o.Term)
	has := func(s string) bool { return strings.Contains(strings.ToLower(s), term) }
	if term == "" || has(l.Watchlist.Name) {
		return true
	}
	for _, k := range l.Watchlist.Keywords {
		if has(k.Keyword) {
			return true
		}
	}
	for _, e := range l.List.Entries {
		if has(e.Reference.Name()) {
			return true
		}
	}
	return false
}

// sort orders rows, which are the oldest first; equal ones stay so.
func (o listOrder) sort(rows []watchlistRow) {
	for _, s := range listSorts {
		if s.Value == o.sorted {
			slices.SortStableFunc(rows, func(a, b watchlistRow) int { return s.compare(&a, &b) })
		}
	}
}
