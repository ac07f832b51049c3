// Package poststore is the actor of a team's posts: it takes what scans have found, decides
// what a watchlist may have in a week, tags posts, keeps the index, and deletes.
//
// It tells its team each Decision, which the team submits in its order, that new posts are
// durable (Arrived), and that it could not read the store (Failed). It asks its team
// nothing: the team gives it its Options, and calls SetQuota ahead of the posts.
package poststore

import (
	"errors"
	"log/slog"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/sourcegraph/conc"

	"watchpost/actors/changefeed"
	"watchpost/persistence"
	"watchpost/persistence/engagementindex"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// Decision is what the post store hands to the team: a batch, what the team has to know of
// it, and what to do when it is durable (or, with an error, was lost).
type Decision struct {
	Batch       *persistence.Batch
	OnCommitted func(error)
	Week        *WeekChange // nil: none has changed
	Arrived     bool        // the batch notes arrivals
}

// Over runs what waits for the decision.
func (d Decision) Over(err error) {
	if d.OnCommitted != nil {
		d.OnCommitted(err)
	}
}

// Arrived tells the team that arrivals are durable.
type Arrived struct{}

// Failed tells the team that the post store could not read the store.
type Failed struct{ Err error }

// Options is what a post store needs.
type Options struct {
	Space persistence.Space
	Team  *actor.PID // gets the decisions
	Clock watchpost.Clock
	Log   *slog.Logger
	Posts *postindex.Index
	// View opens a view for reads inside a mailbox.
	View func() (persistence.View, error)
	// Tagging returns the watchlists that the team has and which of their tags count.
	Tagging func(persistence.View, watchpost.TeamID) (*watchpost.Tagging, error)
	// Guard does a step of the work on a post; false when it panicked.
	Guard func(team *actor.PID, step, urn, content string, do func()) bool
	// Turn returns when it is the turn of a goroutine that has begun, or has waited.
	Turn func(what string)
	// Count counts posts in the metrics.
	Count func(event string, posts int)
}

// PostStore is the actor of a team's posts.
//
// Owner and lifetime: the team spawns it with itself. It alone writes posts,
// one batch at a time, so it always reads its own last write.
// Meanwhile the posts that come next are prepared (poststore_prepare.go).
// Queries do not pass through it; they read snapshots of the store.
type PostStore struct {
	Options

	ctx         actor.Context
	queue       []any             // *ingest, *retag, purge, expire and mendEngagements that wait for the batch under way
	flagUpdates []UpdatePostFlags // what users wait for goes first
	// schedule decides the next turn. The post store sets its fields, except the
	// writes on their way and the length of the buffer, which schedule keeps.
	schedule schedule
	known    bool
	// preparing is whether posts are being prepared, by goroutines of workers.
	preparing bool
	workers   conc.WaitGroup
	fold      *postindex.Merge // under way
	broken    bool             // see withView
	// quota is what each watchlist may take in a week; forgotten is the day on which
	// forgetPeriods left nothing.
	quota     watchpost.WeeklyQuota
	forgotten string
	watched   *Watched
}

// Purge removes a deleted watchlist from the posts, and those that only it had
// collected; answered to the team by Purged.
type Purge struct {
	Watchlist watchpost.WatchlistID
	Team      *actor.PID
}

// Purged tells the team that no post has the watchlist any more.
type Purged struct{ Watchlist watchpost.WatchlistID }

// stored tells the post store that its batch is durable, and what to do next.
type stored struct {
	rest any // the rest of the message whose batch it was
	err  error
}

// stepped tells the post store that a step of a fold is durable that did not hold up
// anything else.
type stepped struct{ err error }

// New returns the actor.
func New(o Options) *PostStore {
	return &PostStore{Options: o, schedule: schedule{due: true}}
}

// Receive implements actor.Actor.
func (f *PostStore) Receive(c actor.Context) {
	f.ctx = c
	if _, ends := c.Message().(*actor.Stopping); f.broken && !ends {
		return
	}
	switch m := c.Message().(type) {
	case SetQuota:
		f.quota, f.watched = m.Quota, m.Watched
	case Ingest:
		f.queue = append(f.queue, &m)
		f.work()
	case Purge:
		f.queue = append(f.queue, m)
		f.work()
	case Expire:
		f.queue = append(f.queue, m)
		f.work()
	case Retag:
		f.queue = append(f.queue, &m)
		f.work()
	case MendEngagements:
		f.queue = append(f.queue, m)
		f.work()
	case prepared:
		f.onPrepared(m)
	case UpdatePostFlags:
		f.flagUpdates = append(f.flagUpdates, m)
		f.work()
	case stored:
		f.schedule.writing = false
		if m.err != nil {
			return // the tree is about to reload
		}
		if m.rest != nil {
			f.queue = append([]any{m.rest}, f.queue...)
		}
		f.work()
	case stepped:
		f.schedule.steps--
		if m.err == nil {
			f.work()
		}
	case *actor.Stopping:
		f.workers.Wait()
		f.Turn("waited")
	}
}

// work begins turns until none can begin.
func (f *PostStore) work() {
	f.prepare()
	for !f.broken && f.begin() {
	}
}

// begin begins the next turn; false when there is none.
func (f *PostStore) begin() bool {
	if !f.known {
		f.withView(f.measure)
		if f.broken {
			return false
		}
	}
	s := &f.schedule
	s.flags, s.queue, s.folding = len(f.flagUpdates) > 0, f.ready(), f.fold != nil
	s.apart, s.merges = s.folding && f.fold.Apart(), s.folding && f.fold.Merges()
	switch s.next() {
	case turnFlags:
		f.withView(f.nextFlagUpdate)
	case turnMaintenance:
		f.withView(f.step)
	case turnQueue:
		f.withView(f.nextQueued)
	default:
		return false
	}
	return true
}

// withView calls do with a view of the store. After a failure the post store
// stops: its state may differ from the store, and the team reloads.
func (f *PostStore) withView(do func(persistence.View) error) {
	if f.broken {
		return
	}
	view, err := f.View()
	if err == nil {
		defer view.Close()
		err = do(view)
	}
	if err != nil {
		f.broken = true
		f.ctx.Send(f.Team, Failed{err})
	}
}

// measure reads how long the buffer is; afterwards the post store, its only writer,
// knows.
func (f *PostStore) measure(view persistence.View) (err error) {
	f.known = true
	f.schedule.sealFrom, f.schedule.most = f.Posts.BufferPosts(), f.Posts.MaxBuffer()
	if f.schedule.buffered, err = f.Posts.Buffered(view, f.Space); err != nil {
		return err
	}
	whole, err := engagementindex.Whole(view, f.Space)
	if !whole {
		f.queue = append([]any{MendEngagements{}}, f.queue...)
	}
	return err
}

func (f *PostStore) nextFlagUpdate(view persistence.View) error {
	m := f.flagUpdates[0]
	f.flagUpdates = f.flagUpdates[1:]
	return f.updateFlags(view, m)
}

func (f *PostStore) nextQueued(view persistence.View) error {
	next := f.queue[0]
	f.queue[0] = nil // the array outlives it, and it holds posts
	f.queue = f.queue[1:]
	f.prepare()
	switch m := next.(type) {
	case *Ingest:
		return f.ingest(view, m)
	case *Retag:
		return f.retag(view, m)
	case Expire:
		return f.expire(view, m)
	case MendEngagements:
		return f.mendEngagements(view, m)
	default:
		return f.purge(view, next.(Purge))
	}
}

// ready reports whether the first of the queue can be done.
func (f *PostStore) ready() bool {
	if len(f.queue) == 0 {
		return false
	}
	m, posts := f.queue[0].(*Ingest)
	return !posts || m.prepared
}

// step does a part of what the index has to fold.
func (f *PostStore) step(view persistence.View) (err error) {
	if f.fold == nil {
		if f.fold, err = f.Posts.NextMerge(view, f.Space); err != nil {
			return err
		}
		if f.fold == nil {
			f.schedule.due = false
			return nil
		}
	}
	batch, apart := &persistence.Batch{}, f.fold.Apart()
	done, due, err := f.fold.Step(view, batch)
	if err != nil {
		return err
	}
	if done {
		f.schedule.buffered -= f.fold.Flushes()
		f.fold, f.schedule.due = nil, due
	}
	if !apart {
		f.commit(Decision{Batch: batch}, nil, nil)
		return nil
	}
	f.schedule.steps++
	root, self := f.ctx.ActorSystem().Root, f.ctx.Self()
	f.ctx.Send(f.Team, Decision{Batch: batch, OnCommitted: func(err error) { root.Send(self, stepped{err}) }})
	return nil
}

// change lets write change posts in a batch, and more be folded. engaged is the batch's
// change of the index of engagements; nil when it has none.
func (f *PostStore) change(view persistence.View, batch *persistence.Batch, engaged *engagementindex.Writer, write func(*postindex.Writer) error) error {
	w, err := f.Posts.Writer(view, f.Space, batch)
	if err != nil {
		return err
	}
	if err := write(w); err != nil {
		return err
	}
	due, err := w.Finish()
	f.schedule.due, f.schedule.buffered = f.schedule.due || due, w.Buffered()
	if err == nil && engaged == nil && !batch.Empty() {
		engaged, err = f.engagements(view, batch)
	}
	if err == nil && engaged != nil {
		f.finish(engaged, w.Next())
	}
	return err
}

// commit hands a batch to the team; rest is looked at when it is durable.
func (f *PostStore) commit(d Decision, rest any, then func(error)) {
	f.schedule.writing = true
	root, self := f.ctx.ActorSystem().Root, f.ctx.Self()
	d.OnCommitted = func(err error) {
		if then != nil {
			then(err)
		}
		root.Send(self, stored{rest: rest, err: err})
	}
	f.ctx.Send(f.Team, d)
}

// purgeAtOnce bounds the posts that one batch of a purge touches.
const purgeAtOnce = 200

// purge removes what the watchlist lists and has covered, then the watchlist from the next posts; it may be
// repeated.
func (f *PostStore) purge(view persistence.View, m Purge) error {
	listed := &persistence.Batch{}
	err := engagementindex.Forget(view, f.Space, listed, m.Watchlist)
	if err = errors.Join(err, f.forgetCovered(view, listed, m.Watchlist)); err != nil {
		return err
	}
	if !listed.Empty() {
		f.commit(Decision{Batch: listed}, m, nil)
		return nil
	}
	posts, err := f.Posts.ByWatchlist(view, f.Space, m.Watchlist, purgeAtOnce)
	if err != nil {
		return err
	}
	batch := &persistence.Batch{}
	var changes []watchpost.Change
	err = f.change(view, batch, nil, func(w *postindex.Writer) error {
		if len(posts) == 0 {
			return w.Forget(m.Watchlist)
		}
		for _, p := range posts {
			if w.Full(roomBytes, roomOps) {
				break
			}
			left, err := withdraw(w, p, m.Watchlist)
			if err != nil {
				return err
			}
			changes = append(changes, left.ChangesSince(p)...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	changefeed.Note(batch, changes...)
	if len(posts) > 0 {
		f.commit(Decision{Batch: batch}, m, nil)
		return nil
	}
	root, done := f.ctx.ActorSystem().Root, Purged{m.Watchlist}
	f.commit(Decision{Batch: batch}, nil, func(err error) {
		if err == nil {
			root.Send(m.Team, done)
		}
	})
	return nil
}

// withdraw takes a watchlist's claim and tags off a post, and the post away with
// its last. It returns the rest.
func withdraw(w *postindex.Writer, p *watchpost.Post, id watchpost.WatchlistID) (left *watchpost.Post, err error) {
	left = p.Withdraw(id)
	if len(left.Matches) == 0 {
		return left, w.Delete(p)
	}
	return left, w.Put(left)
}
