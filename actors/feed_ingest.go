package actors

import (
	"errors"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost"
	"watchpost/actors/enrich"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
)

// ingest stores posts that a watchlist's entry has matched; answered to reply,
// if anybody waits, when they are durable.
type ingest struct {
	watchlist watchpost.WatchlistID
	asked     enrich.Context
	posts     []sighting
	reply     *actor.PID
	answer    ingested
	// ready are the posts once they are prepared, less those that were stored.
	ready    []candidate
	prepared bool
}

// The room that a batch of the feed leaves for what the team adds.
const (
	roomBytes = 64 << 10
	roomOps   = 20
)

// ingest stores as many of the posts as fit a batch, and the rest after it.
func (f *feed) ingest(view persistence.View, m *ingest) error {
	now := f.env.clock.Now()
	batch := &persistence.Batch{}
	seen := map[string]bool{}
	var fresh, known int
	week, err := f.tally(view, batch, m.watchlist, now)
	if err != nil {
		return err
	}
	err = f.change(view, batch, func(w *postindex.Writer) error {
		for ; len(m.ready) > 0; m.ready = m.ready[1:] {
			c := &m.ready[0]
			p := c.post
			if seen[p.URN] || w.Full(roomBytes, tallyOps+roomOps) {
				break
			}
			seen[p.URN] = true
			old, err := f.recognise(view, batch, &p, now)
			if err != nil {
				return err
			}
			if giant(&p) {
				continue
			}
			stored, err := c.admit(week, &p, m, now)
			if err != nil {
				return err
			}
			switch {
			case old != nil:
				known++
			case stored:
				fresh++
			default:
				continue
			}
			if err := unlessUnfit(w.PutText(&p, c.terms)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	f.env.metrics.posts.WithLabelValues("stored").Add(float64(fresh))
	f.env.metrics.posts.WithLabelValues("updated").Add(float64(known))
	f.env.metrics.posts.WithLabelValues("dropped").Add(float64(week.dropped))
	var rest any
	if len(m.ready) > 0 {
		rest = m
	}
	root := f.env.system.Root
	f.commit(batch, week.finish(), rest, func(err error) {
		if m.reply != nil && (rest == nil || err != nil) {
			m.answer.err = err
			root.Send(m.reply, m.answer)
		}
	})
	return nil
}

// giant reports whether a post cannot be stored, before it is counted: few are
// long enough to be looked at, as escaping makes six bytes of one at most.
func giant(p *watchpost.Post) bool {
	if 6*(len(p.Content)+len(p.ImageText)) < postindex.MaxRecord/2 {
		return false
	}
	return len(encode(p)) > postindex.MaxRecord-giantMargin
}

// giantMargin is what is yet to be said of a post: why it is here, and tags.
const giantMargin = 16 << 10

// unlessUnfit is an error unless it is about a post that cannot be stored: that
// is no post of the network, and must not end the team.
func unlessUnfit(err error) error {
	if errors.Is(err, postindex.ErrUnfit) {
		return nil
	}
	return err
}

// recognise gives a post the identity of the one that is stored, which it
// returns, or a new one.
func (f *feed) recognise(view persistence.View, batch *persistence.Batch, p *watchpost.Post, now time.Time) (old *watchpost.Post, err error) {
	old, err = postindex.ByURN(view, f.space, p.URN)
	switch {
	case errors.Is(err, persistence.ErrNotFound):
		p.ID, p.CreatedAt = watchpost.PostID(watchpost.NewID(now)), now
		return nil, f.remember(view, batch, p)
	case err != nil:
		return nil, err
	}
	*p = rescanned(*old, *p)
	return old, nil
}

// rescanned is a known post with the text and counters that a new scan saw;
// its identity and what the team did with it stay.
func rescanned(old, seen watchpost.Post) watchpost.Post {
	seen.ID, seen.CreatedAt, seen.Source = old.ID, old.CreatedAt, old.Source
	seen.Matches, seen.Tags, seen.Relevance = old.Matches, old.Tags, old.Relevance
	seen.Bookmark, seen.Liked, seen.Commented = old.Bookmark, old.Liked, old.Commented
	return seen
}

// admit notes why the post is here and what was understood of it and, when the
// watchlist had not collected it before, decides whether it may have it. A post
// that it may not have is as it was before, apart from what the scan saw; stored
// is false when that is not known to the team at all.
func (c *candidate) admit(week *tally, p *watchpost.Post, m *ingest, now time.Time) (stored bool, err error) {
	before := *p
	collected := p.Collected(func(id watchpost.WatchlistID) bool { return id == m.watchlist })
	p.Tags, p.Relevance = enrich.MergeTags(p.Tags, c.tags), c.relevance
	m.match(p, now)
	if collected {
		return true, nil
	}
	a, err := week.admit(p)
	switch {
	case err != nil:
		return false, err
	case !a.Stored:
		p.Matches, p.Tags, p.Relevance = before.Matches, before.Tags, before.Relevance
	case a.Lead:
		p.Matches[len(p.Matches)-1].Lead = true
	}
	return a.Stored, nil
}

// match notes why the post is here.
func (m *ingest) match(p *watchpost.Post, now time.Time) {
	for _, match := range p.Matches {
		if match.Watchlist == m.watchlist && match.Keyword == m.asked.Keyword {
			return
		}
	}
	p.Matches = append(p.Matches[:len(p.Matches):len(p.Matches)], watchpost.Match{Watchlist: m.watchlist, Keyword: m.asked.Keyword, At: now})
}
