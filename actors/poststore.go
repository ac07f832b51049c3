package actors

import (
	"github.com/asynkron/protoactor-go/actor"
	"github.com/sourcegraph/conc"

	"watchpost/persistence"
	"watchpost/persistence/engagementindex"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// postStore is the actor of a team's posts.
//
// Owner and lifetime: the team spawns it with itself. It alone writes posts,
// one batch at a time, so it always reads its own last write.
// Meanwhile the posts that come next are prepared (poststore_prepare.go).
// Queries do not pass through it; they read snapshots of the store.
type postStore struct {
	env   *environment
	space persistence.Space
	team  *actor.PID

	ctx         actor.Context
	queue       []any             // *ingest, *retag, purge, expire and listEngagements that wait for the batch under way
	flagUpdates []updatePostFlags // what users wait for goes first
	// schedule decides the next turn. The post store sets its fields, except the
	// writes on their way and the length of the buffer, which schedule keeps.
	schedule postStoreSchedule
	known    bool
	// preparing is whether posts are being prepared, by goroutines of workers.
	preparing bool
	workers   conc.WaitGroup
	fold      *postindex.Merge // under way
	broken    bool             // see withView
	// quota is what each watchlist may take in a week; forgotten is the week
	// before which nothing is kept any more.
	quota     watchpost.WeeklyQuota
	forgotten string
	watched   *watchedLists // see arrivals
}

// purge removes a deleted watchlist from the posts, and those that only it had
// collected; answered to the team by purged.
type purge struct {
	watchlist watchpost.WatchlistID
	team      *actor.PID
}

type purged struct{ watchlist watchpost.WatchlistID }

// stored tells the post store that its batch is durable, and what to do next.
type stored struct {
	rest any // the rest of the message whose batch it was
	err  error
}

// stepped tells the post store that a step of a fold is durable that did not hold up
// anything else.
type stepped struct{ err error }

func newPostStore(env *environment, space persistence.Space, team *actor.PID) *postStore {
	return &postStore{env: env, space: space, team: team, schedule: postStoreSchedule{due: true}}
}

// Receive implements actor.Actor.
func (f *postStore) Receive(c actor.Context) {
	f.ctx = c
	if _, ends := c.Message().(*actor.Stopping); f.broken && !ends {
		return
	}
	switch m := c.Message().(type) {
	case setQuota:
		f.quota, f.watched = m.quota, m.watched
	case ingest:
		f.queue = append(f.queue, &m)
		f.work()
	case purge:
		f.queue = append(f.queue, m)
		f.work()
	case expire:
		f.queue = append(f.queue, m)
		f.work()
	case retag:
		f.queue = append(f.queue, &m)
		f.work()
	case listEngagements:
		f.queue = append(f.queue, m)
		f.work()
	case prepared:
		f.onPrepared(m)
	case updatePostFlags:
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
		f.env.run.Turn("waited")
	}
}

// work begins turns until none can begin.
func (f *postStore) work() {
	f.prepare()
	for !f.broken && f.begin() {
	}
}

// begin begins the next turn; false when there is none.
func (f *postStore) begin() bool {
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
func (f *postStore) withView(do func(persistence.View) error) {
	if f.broken {
		return
	}
	view, err := f.env.view()
	if err == nil {
		defer view.Close()
		err = do(view)
	}
	if err != nil {
		f.broken = true
		f.ctx.Send(f.team, childFailed{err})
	}
}

// measure reads how long the buffer is; afterwards the post store, its only writer,
// knows.
func (f *postStore) measure(view persistence.View) (err error) {
	f.known = true
	f.schedule.sealFrom, f.schedule.most = f.env.posts.BufferPosts(), f.env.posts.MaxBuffer()
	if f.schedule.buffered, err = f.env.posts.Buffered(view, f.space); err != nil {
		return err
	}
	whole, err := engagementindex.Whole(view, f.space)
	if !whole {
		f.queue = append([]any{listEngagements{}}, f.queue...)
	}
	return err
}

func (f *postStore) nextFlagUpdate(view persistence.View) error {
	m := f.flagUpdates[0]
	f.flagUpdates = f.flagUpdates[1:]
	return f.updateFlags(view, m)
}

func (f *postStore) nextQueued(view persistence.View) error {
	next := f.queue[0]
	f.queue[0] = nil // the array outlives it, and it holds posts
	f.queue = f.queue[1:]
	f.prepare()
	switch m := next.(type) {
	case *ingest:
		return f.ingest(view, m)
	case *retag:
		return f.retag(view, m)
	case expire:
		return f.expire(view, m)
	case listEngagements:
		return f.listEngagements(view, m)
	default:
		return f.purge(view, next.(purge))
	}
}

// ready reports whether the first of the queue can be done.
func (f *postStore) ready() bool {
	if len(f.queue) == 0 {
		return false
	}
	m, posts := f.queue[0].(*ingest)
	return !posts || m.prepared
}

// step does a part of what the index has to fold.
func (f *postStore) step(view persistence.View) (err error) {
	if f.fold == nil {
		if f.fold, err = f.env.posts.NextMerge(view, f.space); err != nil {
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
		f.commit(decided{batch: batch}, nil, nil)
		return nil
	}
	f.schedule.steps++
	root, self := f.env.system.Root, f.ctx.Self()
	f.ctx.Send(f.team, decided{batch: batch, onCommitted: func(err error) { root.Send(self, stepped{err}) }})
	return nil
}

// change lets write change posts in a batch, and more be folded. engaged is the batch's
// change of the index of engagements; nil when it has none.
func (f *postStore) change(view persistence.View, batch *persistence.Batch, engaged *engagementindex.Writer, write func(*postindex.Writer) error) error {
	w, err := f.env.posts.Writer(view, f.space, batch)
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
func (f *postStore) commit(d decided, rest any, then func(error)) {
	f.schedule.writing = true
	root, self := f.env.system.Root, f.ctx.Self()
	d.onCommitted = func(err error) {
		if then != nil {
			then(err)
		}
		root.Send(self, stored{rest: rest, err: err})
	}
	f.ctx.Send(f.team, d)
}

// purgeAtOnce bounds the posts that one batch of a purge touches.
const purgeAtOnce = 200

// purge removes what the watchlist lists, then the watchlist from the next posts; it may be
// repeated.
func (f *postStore) purge(view persistence.View, m purge) error {
	listed := &persistence.Batch{}
	if err := engagementindex.Forget(view, f.space, listed, m.watchlist); err != nil {
		return err
	}
	if !listed.Empty() {
		f.commit(decided{batch: listed}, m, nil)
		return nil
	}
	posts, err := f.env.posts.ByWatchlist(view, f.space, m.watchlist, purgeAtOnce)
	if err != nil {
		return err
	}
	batch := &persistence.Batch{}
	err = f.change(view, batch, nil, func(w *postindex.Writer) error {
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
		f.commit(decided{batch: batch}, m, nil)
		return nil
	}
	root, done := f.env.system.Root, purged{m.watchlist}
	f.commit(decided{batch: batch}, nil, func(err error) {
		if err == nil {
			root.Send(m.team, done)
		}
	})
	return nil
}

// withdraw takes a watchlist's claim and tags off a post, and the post away with
// its last.
func withdraw(w *postindex.Writer, p *watchpost.Post, id watchpost.WatchlistID) error {
	left := p.Withdraw(id)
	if len(left.Matches) == 0 {
		return w.Delete(p)
	}
	return w.Put(left)
}
