package poststore

import (
	"errors"
	"time"

	"watchpost/actors/changefeed"
	"watchpost/internal/enrich"
	"watchpost/persistence"
	"watchpost/persistence/engagementindex"
	"watchpost/persistence/postindex"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Ingest stores posts that a watchlist's entry has matched.
type Ingest struct {
	Watchlist watchpost.WatchlistID
	Asked     enrich.Context
	// Conditions drop posts as soon as they are understood: those do not count for the
	// limit of the week.
	Conditions watchpost.WatchlistConditions
	Posts      []Reported
	// Found counts the posts that the network showed, those of Posts too. Covered is the
	// time whose posts a scan of Entry has now brought completely; zero: it is not known.
	Found   int
	Entry   watchpost.EntryID
	Covered teamspace.CoveredRecord
	// Then runs when all of them are durable, or some were lost; nil: nothing.
	Then func(error)
	// ready are the posts once they are prepared, less those that were stored.
	ready    []candidate
	prepared bool
}

// The room that a batch of the post store leaves for what the team adds.
const (
	roomBytes = 64 << 10
	roomOps   = 20
)

// arrivalOps is the number of operations that the note of an arrival costs.
const arrivalOps = 1

// ingestBatch is what one batch takes of an ingest.
type ingestBatch struct {
	*Ingest
	view         persistence.View
	week         *weeklyCounter
	engaged      *engagementindex.Writer
	now          time.Time
	seen         map[string]bool // URNs
	fresh, known int
	day          teamspace.PostDay
	arrived      bool // a post is new to a watchlist whose new posts are noted
	changes      []watchpost.Change
}

// ingest stores as many of the posts as fit a batch, and the rest after it.
func (f *PostStore) ingest(view persistence.View, m *Ingest) error {
	now := f.Clock.Now()
	batch := &persistence.Batch{}
	week, err := f.weeklyCounter(view, batch, m.Watchlist, now)
	if err != nil {
		return err
	}
	engaged, err := f.engagements(view, batch)
	if err != nil {
		return err
	}
	in := &ingestBatch{Ingest: m, view: view, week: week, engaged: engaged, now: now, seen: map[string]bool{}}
	in.day.Found, m.Found = m.Found, 0
	err = f.change(view, batch, engaged, func(w *postindex.Writer) error {
		for ; len(m.ready) > 0; m.ready = m.ready[1:] {
			if full, err := f.take(in, w, &m.ready[0]); full || err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	changefeed.Note(batch, in.changes...)
	f.Count("stored", in.fresh)
	f.Count("updated", in.known)
	f.Count("dropped", week.dropped)
	var rest any
	if len(m.ready) > 0 {
		rest = m
	} else if err = f.noteCovered(in, batch); err != nil {
		return err
	}
	if err = f.noteDay(in, batch); err != nil {
		return err
	}
	root, team := f.ctx.ActorSystem().Root, f.Team
	f.commit(Decision{Batch: batch, Week: week.finish(), Arrived: in.arrived}, rest, func(err error) {
		if in.arrived && err == nil {
			root.Send(team, Arrived{})
		}
		if m.Then != nil && (rest == nil || err != nil) {
			m.Then(err)
		}
	})
	return nil
}

// take stores a post, unless the watchlist may not have it or it cannot be
// stored. full means that it is for the next batch.
func (f *PostStore) take(in *ingestBatch, w *postindex.Writer, c *candidate) (full bool, err error) {
	if in.seen[c.post.URN] {
		return true, nil // what this batch writes of it cannot be read yet
	}
	p, old, err := f.matchExisting(in.view, c, in.now)
	if err != nil {
		return false, err
	}
	if postTooLarge(&p) {
		f.refuse(&p, postindex.ErrUnindexable)
		return false, nil
	}
	before := p
	c.note(&p, in.Ingest, in.now)
	if !w.Fits(&p, c.terms, roomBytes+engagementindex.AtOnceBytes, weeklyCounterOps+coverageOps+roomOps+arrivalOps+engagementindex.AtOnceOps) {
		return true, nil
	}
	in.seen[p.URN] = true
	stored, err := f.admit(in, &p, &before, old)
	switch {
	case err != nil:
		return false, err
	case old != nil:
		in.known++
	case stored:
		in.fresh++
	default:
		return false, in.list(&p, old, nil)
	}
	if err = w.PutText(&p, c.terms); errors.Is(err, postindex.ErrUnindexable) {
		f.refuse(&p, err)
		return false, in.list(&p, old, nil)
	}
	if err != nil {
		return false, err
	}
	in.changes = append(in.changes, p.ChangesSince(old)...)
	return false, in.list(&p, old, &p)
}

// list lists the interactions with a post that was old and is stored now, if they may have
// moved; stored is nil when the post cannot be stored.
func (in *ingestBatch) list(p, old, stored *watchpost.Post) error {
	collected := stored != nil && (p.Liked || p.Commented) && (old == nil || len(p.Matches) > len(old.Matches))
	if !collected && !in.engaged.Linked(p.URN) {
		return nil
	}
	return in.engaged.List(p.URN, stored)
}

// refuse notes that a post cannot be stored: it is no post of the network, and
// must not end the team.
func (f *PostStore) refuse(p *watchpost.Post, err error) {
	f.Count("unfit", 1)
	f.Log.Warn("post not stored", "team", f.Space, "urn", p.URN, "error", err)
}

// postTooLarge reports whether a post cannot be stored, before it is counted: few are
// long enough to be looked at, as escaping makes six bytes of one at most.
func postTooLarge(p *watchpost.Post) bool {
	if 6*(len(p.Content)+len(p.ImageText)) < postindex.MaxRecord/2 {
		return false
	}
	return len(teamspace.Encode(p)) > postindex.MaxRecord-postMargin
}

// postMargin is the room for the matches and tags of a post.
const postMargin = 16 << 10

// matchExisting returns the post with the identity of the one that is stored, which
// it returns as well, or a new one.
func (f *PostStore) matchExisting(view persistence.View, c *candidate, now time.Time) (p watchpost.Post, old *watchpost.Post, err error) {
	p = c.post
	old, err = postindex.ByURN(view, f.Space, p.URN)
	switch {
	case errors.Is(err, persistence.ErrNotFound):
		p.ID, p.CreatedAt = watchpost.PostID(watchpost.NewID(now)), now
		return p, nil, nil
	case err != nil:
		return p, nil, err
	}
	return rescanned(*old, p), old, nil
}

// rescanned is a known post with the text and counters that a new scan saw;
// its identity and what the team did with it stay.
func rescanned(old, seen watchpost.Post) watchpost.Post {
	seen.ID, seen.CreatedAt, seen.Source = old.ID, old.CreatedAt, old.Source
	seen.Matches, seen.Tags, seen.Relevance = old.Matches, old.Tags, old.Relevance
	seen.Bookmark, seen.Liked, seen.Commented = old.Bookmark, old.Liked, old.Commented
	return seen
}

// note adds the match that collected a post, and its tags.
func (c *candidate) note(p *watchpost.Post, m *Ingest, now time.Time) {
	p.Relevance = c.relevance
	given := p.MatchTags()
	for i, match := range p.Matches {
		if match.Watchlist == m.Watchlist && match.Keyword == m.Asked.Keyword {
			given[i] = c.tags
			p.SetMatchTags(given)
			return
		}
	}
	p.Matches = append(p.Matches[:len(p.Matches):len(p.Matches)], watchpost.Match{Watchlist: m.Watchlist, Keyword: m.Asked.Keyword, At: now})
	p.SetMatchTags(append(given, c.tags))
}

// admit decides whether the watchlist may have a post that it had not collected
// before. One that it may not have is as it was before, apart from what the scan
// saw; stored is false when that is not known to the team at all. One that is
// new has the flags of earlier engagements.
func (f *PostStore) admit(in *ingestBatch, p, before, old *watchpost.Post) (stored bool, err error) {
	if old == nil {
		if err := f.remember(in.view, in.week.batch, in.engaged, p); err != nil {
			return false, err
		}
	}
	if before.Collected(func(id watchpost.WatchlistID) bool { return id == in.Watchlist }) {
		in.day.Known++
		return true, nil
	}
	dropped := in.week.dropped
	a, err := in.week.admit(p)
	switch {
	case err != nil:
		return false, err
	case !a.Stored:
		p.Matches, p.Tags, p.Relevance = before.Matches, before.Tags, before.Relevance
	case a.Lead:
		p.Matches[len(p.Matches)-1].Lead = true
	}
	switch {
	case a.Stored:
		in.day.Kept++
	case in.week.dropped > dropped:
		in.day.Dropped++
	default:
		in.day.Known++
	}
	if a.Stored && f.watched.has(in.Watchlist) {
		in.week.batch.Put(teamspace.ArrivalKey(p.ID, in.Watchlist), []byte{})
		in.arrived = true
	}
	return a.Stored, nil
}
