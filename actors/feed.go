package actors

import (
	"context"
	"errors"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost"
	"watchpost/actors/enrich"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
)

// feed is the actor of a team's posts.
//
// Owner and lifetime: the team spawns it with itself. It alone writes posts,
// one batch at a time: what it reads from the store is what it wrote last.
// Queries do not pass through it; they read snapshots of the store.
type feed struct {
	env   *environment
	space persistence.Space
	team  *actor.PID

	ctx   actor.Context
	queue []any  // ingest and purge that wait for the batch under way
	marks []mark // what users wait for goes first
	busy  bool
	// due is set when the index may have something to fold; that goes before
	// further posts, so that it never falls behind. fold is under way.
	due  bool
	fold *postindex.Fold
	// quota is what each watchlist may take in a week; forgotten is the week
	// before which nothing is kept any more.
	quota     watchpost.WeeklyQuota
	forgotten string
}

// ingest stores posts that a watchlist's entry has matched; answered to reply,
// if anybody waits, when they are durable.
type ingest struct {
	watchlist watchpost.WatchlistID
	labels    []watchpost.Label
	objective string
	keyword   string
	entries   int // of the watchlist
	posts     []watchpost.Post
	reply     *actor.PID
	answer    ingested
}

// purge removes a deleted watchlist from the posts, and those that only it had
// collected; answered to the team by purged.
type purge struct {
	watchlist watchpost.WatchlistID
	team      *actor.PID
}

type purged struct{ watchlist watchpost.WatchlistID }

// stored tells the feed that its batch is durable, and what to do next.
type stored struct {
	rest any // what is left of the message whose batch it was
	err  error
}

func newFeed(env *environment, space persistence.Space, team *actor.PID) *feed {
	return &feed{env: env, space: space, team: team, due: true}
}

// Receive implements actor.Actor.
func (f *feed) Receive(c actor.Context) {
	f.ctx = c
	switch m := c.Message().(type) {
	case setQuota:
		f.quota = m.quota
	case ingest, purge:
		f.queue = append(f.queue, m)
		f.work()
	case mark:
		f.marks = append(f.marks, m)
		f.work()
	case stored:
		f.busy = false
		if m.err != nil {
			return // the tree is about to load anew
		}
		if m.rest != nil {
			f.queue = append([]any{m.rest}, f.queue...)
		}
		f.work()
	}
}

// work does what is next, unless a batch is under way.
func (f *feed) work() {
	for !f.busy && (f.due || len(f.marks)+len(f.queue) > 0) {
		view, err := f.env.store.View(context.Background())
		if err != nil {
			panic(err) // to the supervisor: the team loads anew
		}
		err = f.next(view)
		view.Close()
		if err != nil {
			panic(err)
		}
	}
}

// next does what is next: marks, then a step of what is to be folded, then the
// queue.
func (f *feed) next(view persistence.View) error {
	if len(f.marks) > 0 {
		m := f.marks[0]
		f.marks = f.marks[1:]
		return f.mark(view, m)
	}
	if f.due {
		return f.step(view)
	}
	next := f.queue[0]
	f.queue = f.queue[1:]
	if m, ok := next.(ingest); ok {
		return f.ingest(view, m)
	}
	return f.purge(view, next.(purge))
}

// step does a part of what the index has to fold.
func (f *feed) step(view persistence.View) (err error) {
	if f.fold == nil {
		if f.fold, err = f.env.posts.Fold(view, f.space); err != nil {
			return err
		}
	}
	if f.fold == nil {
		f.due = false
		return nil
	}
	batch := &persistence.Batch{}
	done, due, err := f.fold.Step(view, batch)
	if err != nil {
		return err
	}
	if done {
		f.fold, f.due = nil, due
	}
	f.commit(batch, nil, nil, nil)
	return nil
}

// change lets write change posts in a batch, and more be folded.
func (f *feed) change(view persistence.View, batch *persistence.Batch, write func(*postindex.Writer) error) error {
	w, err := f.env.posts.Writer(view, f.space, batch)
	if err != nil {
		return err
	}
	if err := write(w); err != nil {
		return err
	}
	due, err := w.Finish()
	f.due = f.due || due
	return err
}

// commit hands a batch to the team; rest is looked at when it is durable.
func (f *feed) commit(batch *persistence.Batch, week *weekChange, rest any, then func(error)) {
	f.busy = true
	root, self := f.env.system.Root, f.ctx.Self()
	f.ctx.Send(f.team, decided{batch: batch, week: week, then: func(err error) {
		if then != nil {
			then(err)
		}
		root.Send(self, stored{rest: rest, err: err})
	}})
}

// The room that a batch of the feed leaves for what the team adds.
const (
	roomBytes = 64 << 10
	roomOps   = 20
)

// ingest stores as many of the posts as fit a batch, and the rest after it.
func (f *feed) ingest(view persistence.View, m ingest) error {
	now := f.env.clock.Now()
	batch := &persistence.Batch{}
	seen := map[string]bool{}
	var fresh, known int
	week, err := f.tally(view, batch, m.watchlist, now)
	if err != nil {
		return err
	}
	err = f.change(view, batch, func(w *postindex.Writer) error {
		for len(m.posts) > 0 {
			p := m.posts[0]
			if seen[p.URN] || w.Full(roomBytes, tallyOps+roomOps) {
				break
			}
			seen[p.URN] = true
			old, err := f.recognise(view, batch, &p, now)
			if err != nil {
				return err
			}
			if giant(&p) {
				m.posts = m.posts[1:]
				continue
			}
			stored, err := f.admit(week, &p, &m, now)
			if err != nil {
				return err
			}
			m.posts = m.posts[1:]
			switch {
			case old != nil:
				known++
			case stored:
				fresh++
			default:
				continue
			}
			if err := put(w, &p); err != nil {
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
	if len(m.posts) > 0 {
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

// put writes a post unless it is one that cannot be stored: that is no post of
// the network, and must not end the team.
func put(w *postindex.Writer, p *watchpost.Post) error {
	if err := w.Put(p); !errors.Is(err, postindex.ErrUnfit) {
		return err
	}
	return nil
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
	seen.Bookmark, seen.Liked, seen.Commented, seen.Lead = old.Bookmark, old.Liked, old.Commented, old.Lead
	return seen
}

// admit lets a post be understood and, when the watchlist had not collected it
// before, decides whether it may have it. A post that it may not have is as it
// was before, apart from what the scan saw; stored is false when that is not
// known to the team at all.
func (f *feed) admit(week *tally, p *watchpost.Post, m *ingest, now time.Time) (stored bool, err error) {
	before := *p
	collected := p.Collected(func(id watchpost.WatchlistID) bool { return id == m.watchlist })
	f.match(p, m, now)
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
		p.Matches[len(p.Matches)-1].Lead, p.Lead = true, true
	}
	return a.Stored, nil
}

// match notes why the post is here and lets it be understood.
func (f *feed) match(p *watchpost.Post, m *ingest, now time.Time) {
	found := false
	for _, match := range p.Matches {
		found = found || match.Watchlist == m.watchlist && match.Keyword == m.keyword
	}
	if !found {
		p.Matches = append(p.Matches[:len(p.Matches):len(p.Matches)], watchpost.Match{Watchlist: m.watchlist, Keyword: m.keyword, At: now})
	}
	enrich.Post(p, enrich.Context{Labels: m.labels, Objective: m.objective, Keyword: m.keyword, Entries: m.entries})
}

// purgeAtOnce bounds the posts that one batch of a purge touches.
const purgeAtOnce = 200

// purge removes the watchlist from the next posts; it may be repeated.
func (f *feed) purge(view persistence.View, m purge) error {
	posts, err := f.env.posts.Having(view, f.space, m.watchlist, purgeAtOnce)
	if err != nil {
		return err
	}
	batch := &persistence.Batch{}
	err = f.change(view, batch, func(w *postindex.Writer) error {
		if len(posts) == 0 {
			return w.Forget(m.watchlist)
		}
		for _, p := range posts {
			if w.Full(roomBytes, roomOps) {
				break
			}
			if err := withdraw(w, p, m.watchlist); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(posts) > 0 {
		f.commit(batch, nil, m, nil)
		return nil
	}
	root, done := f.env.system.Root, purged{m.watchlist}
	f.commit(batch, nil, nil, func(err error) {
		if err == nil {
			root.Send(m.team, done)
		}
	})
	return nil
}

// withdraw takes a watchlist's claim off a post, and the post away with its
// last.
func withdraw(w *postindex.Writer, p *watchpost.Post, id watchpost.WatchlistID) error {
	left := *p
	left.Matches, left.Lead = nil, false
	for _, match := range p.Matches {
		if match.Watchlist != id {
			left.Matches = append(left.Matches, match)
			left.Lead = left.Lead || match.Lead
		}
	}
	if len(left.Matches) == 0 {
		return w.Delete(p)
	}
	return w.Put(&left)
}
