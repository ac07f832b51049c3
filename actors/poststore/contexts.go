package poststore

import (
	"errors"

	"watchpost/internal/enrich"
	"watchpost/internal/text"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Contexts is what the watchlists of a team ask of their posts.
type Contexts map[watchpost.WatchlistID]enrich.Context

// LoadContexts reads them.
func LoadContexts(view persistence.View, space persistence.Space) (Contexts, error) {
	entries := map[watchpost.ListID]int{}
	err := teamspace.LoadAll(view, space, teamspace.KeyList, func(_ string, l watchpost.List) { entries[l.ID] = len(l.Entries) })
	if err != nil {
		return nil, err
	}
	contexts := Contexts{}
	err = teamspace.LoadAll(view, space, teamspace.KeyWatchlist, func(_ string, w watchpost.Watchlist) {
		c := enrich.Context{Labels: w.Labels, Objective: w.Objective, Entries: len(w.Keywords)}
		if !w.Type.HasKeywords() {
			c.Entries = entries[w.List]
		}
		contexts[w.ID] = c
	})
	return contexts, err
}

// Understand lets a post be understood for each of its watchlists. Of one that
// is about to lose its last, the tags stay.
func (c Contexts) Understand(p *watchpost.Post) {
	given, fresh := p.MatchTags(), false
	for i, m := range p.Matches {
		of, live := c[m.Watchlist]
		if !live {
			continue
		}
		fresh, of.Keyword, p.Tags = true, m.Keyword, nil
		enrich.Post(p, of)
		given[i] = p.Tags
	}
	if !fresh {
		enrich.Post(p, enrich.Context{})
	}
	p.SetMatchTags(given)
}

// tag lets a post have the tags that its watchlists give it now. Those of a
// watchlist that is about to be withdrawn stay.
func (c Contexts) tag(p *watchpost.Post, rules map[ruleKey]*enrich.Rules) {
	given := p.MatchTags()
	text := text.New(p.Content).WithImage(p.ImageText)
	for i, match := range p.Matches {
		of, live := c[match.Watchlist]
		if !live {
			continue
		}
		k := ruleKey{match.Watchlist, match.Keyword}
		r := rules[k]
		if r == nil {
			of.Keyword = match.Keyword
			r = enrich.NewRules(of)
			rules[k] = r
		}
		given[i] = r.Tags(p, text)
	}
	p.SetMatchTags(given)
}

// LoadTagging reads which watchlists a team has, and what those give whose posts
// are yet to be classified again.
func LoadTagging(view persistence.View, space persistence.Space) (*watchpost.Tagging, error) {
	t := &watchpost.Tagging{Live: map[watchpost.WatchlistID]bool{}, Names: map[watchpost.WatchlistID]map[string]bool{}}
	err := view.Scan(space, []byte(teamspace.KeyWatchlist), persistence.PrefixEnd([]byte(teamspace.KeyWatchlist)), func(k, _ []byte) bool {
		t.Live[watchpost.WatchlistID(k[len(teamspace.KeyWatchlist):])] = true
		return true
	})
	if err != nil {
		return nil, err
	}
	pending, err := pendingRetags(view, space)
	if err != nil {
		return nil, err
	}
	for _, k := range pending {
		id := watchpost.WatchlistID(k[len(teamspace.KeyRetag):])
		if len(id) < teamspace.IDLength {
			continue // of the whole team
		}
		id = id[:teamspace.IDLength]
		if t.Names[id] != nil {
			continue // of another change
		}
		w, err := teamspace.Load[watchpost.Watchlist](view, space, teamspace.Key(teamspace.KeyWatchlist, id))
		if errors.Is(err, persistence.ErrNotFound) {
			continue // deleted meanwhile
		}
		if err != nil {
			return nil, err
		}
		t.Names[id] = w.TagNames()
	}
	return t, nil
}

// Watched are the watchlists whose new posts are noted. It does not change
// once it is sent.
type Watched struct {
	all  bool
	some map[watchpost.WatchlistID]bool
}

// Add adds a watchlist.
func (w *Watched) Add(id watchpost.WatchlistID) {
	if w.some == nil {
		w.some = map[watchpost.WatchlistID]bool{}
	}
	w.some[id] = true
}

// AddAll adds all watchlists.
func (w *Watched) AddAll() { w.all = true }

// Empty reports whether no new posts are noted.
func (w *Watched) Empty() bool { return !w.all && len(w.some) == 0 }

func (w *Watched) has(id watchpost.WatchlistID) bool {
	return w != nil && (w.all || w.some[id])
}
