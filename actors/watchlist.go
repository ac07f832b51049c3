package actors

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost"
	"watchpost/persistence"
)

// watchlist is the actor of one keyword or forum watchlist.
//
// Owner and lifetime: the team spawns it when the watchlist is created or
// loaded and stops it when it was deleted. It owns the definition, the schedule
// of its entries and the matching of what their scans bring.
type watchlist struct {
	env  *environment
	team *actor.PID
	feed *actor.PID

	ctx      actor.Context
	state    watchpost.Watchlist
	matchers map[watchpost.EntryID]watchpost.Matcher
	scans    map[watchpost.EntryID]scanRecord
	// waiting holds the entries with a scan that is not finished: one at most.
	waiting map[watchpost.EntryID]bool
	timer   watchpost.Timer
}

// watchlistChange tells the team what a watchlist has decided.
type watchlistChange struct {
	view WatchlistView
	// dropped are the entries whose waiting scans nobody wants any more.
	dropped []watchpost.EntryID
	// wanted are scans that are due.
	wanted []watchpost.Task
}

// scanDue is the watchlist's own timer.
type scanDue struct{}

// scanEnded tells a watchlist that a scan of an entry is over. A nil record
// means that it failed.
type scanEnded struct {
	entry  watchpost.EntryID
	record *scanRecord
}

func newWatchlist(env *environment, state watchpost.Watchlist, team, feed *actor.PID) *watchlist {
	return &watchlist{
		env: env, team: team, feed: feed, state: state,
		scans:   map[watchpost.EntryID]scanRecord{},
		waiting: map[watchpost.EntryID]bool{},
	}
}

// Receive implements actor.Actor.
func (w *watchlist) Receive(c actor.Context) {
	w.ctx = c
	switch m := c.Message().(type) {
	case *actor.Started:
		w.compile()
		w.schedule(nil, nil, nil)
	case *actor.Stopping:
		w.disarm()
	case *actor.Stopped, *actor.Restarting:
	case UpdateWatchlist:
		w.onUpdate(m)
	case scanDue:
		w.timer = nil
		w.schedule(nil, nil, replyTo(w.env, c.Sender(), Done{}))
	case scanEnded:
		w.onScanEnded(m)
	case collected:
		w.onCollected(m)
	case purge:
		w.ctx.Send(w.feed, m)
	default:
		w.env.log.Error("unknown message", "actor", "watchlist", "message", typeName(m))
	}
}

func (w *watchlist) compile() {
	w.matchers = map[watchpost.EntryID]watchpost.Matcher{}
	for _, e := range w.state.Keywords {
		w.matchers[e.ID] = watchpost.CompileKeyword(e)
	}
}

func (w *watchlist) disarm() {
	if w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
}

// onUpdate applies a patch and answers with the new view.
func (w *watchlist) onUpdate(m UpdateWatchlist) {
	next, err := w.state.Apply(m.Patch)
	if err != nil {
		w.ctx.Send(w.team, decided{then: replyTo(w.env, w.ctx.Sender(), err)})
		return
	}
	old := w.state.Keywords
	now := w.env.clock.Now()
	for i := range next.Keywords {
		if next.Keywords[i].ID == "" {
			next.Keywords[i].ID = watchpost.EntryID(watchpost.NewID(now))
		}
	}
	w.state = next
	w.compile()
	batch := &persistence.Batch{}
	batch.Put(key(keyWatchlist, next.ID), encode(next))
	var dropped []watchpost.EntryID
	for _, e := range old {
		_, kept := w.matchers[e.ID]
		if !kept {
			batch.Delete(scanKey(next.ID, e.ID))
			delete(w.scans, e.ID)
		}
		if w.waiting[e.ID] && (!kept || next.Disabled) {
			dropped = append(dropped, e.ID)
			delete(w.waiting, e.ID)
		}
	}
	w.schedule(batch, dropped, replyTo(w.env, w.ctx.Sender(), w.view()))
}

// schedule hands a decision to the team together with the scans that are due,
// and arms the timer for the next.
func (w *watchlist) schedule(batch *persistence.Batch, dropped []watchpost.EntryID, then func(error)) {
	now := w.env.clock.Now()
	w.disarm()
	change := &watchlistChange{dropped: dropped}
	var next time.Time
	for _, e := range w.state.Keywords {
		if w.state.Disabled || w.waiting[e.ID] {
			continue
		}
		due := watchpost.NextScan(w.scans[e.ID].FinishedAt, w.state.CreatedAt, w.state.Frequency)
		if !due.After(now) {
			w.waiting[e.ID] = true
			change.wanted = append(change.wanted, w.scanTask(e, due, now))
		} else if next.IsZero() || due.Before(next) {
			next = due
		}
	}
	if !next.IsZero() {
		w.timer = w.env.tell(next, w.ctx.Self(), scanDue{})
	}
	change.view = w.view()
	w.ctx.Send(w.team, decided{batch: batch, watchlist: change, then: then})
}

// scanTask is the scan of an entry that became due.
func (w *watchlist) scanTask(e watchpost.KeywordEntry, due, now time.Time) watchpost.Task {
	kind := watchpost.TaskKeywordScan
	if w.state.Type == watchpost.ForumWatchlist {
		kind = watchpost.TaskForumScan
	}
	return watchpost.Task{
		ID: watchpost.TaskID(watchpost.NewID(now)), Type: kind, State: watchpost.TaskPending, CreatedAt: now,
		Input:     scanInput(e.Keyword, watchpost.ScanSince(w.scans[e.ID].Newest, now)),
		Watchlist: w.state.ID, Entry: e.ID, Due: due,
	}
}

// onScanEnded notes how far an entry has come and schedules its next scan.
func (w *watchlist) onScanEnded(m scanEnded) {
	if _, known := w.matchers[m.entry]; !known {
		return
	}
	delete(w.waiting, m.entry)
	var batch *persistence.Batch
	if m.record != nil { // stored with the end of its task
		w.scans[m.entry] = *m.record
	} else {
		r := w.scans[m.entry]
		r.FinishedAt = w.env.clock.Now()
		w.scans[m.entry] = r
		batch = &persistence.Batch{}
		batch.Put(scanKey(w.state.ID, m.entry), encode(r))
	}
	w.schedule(batch, nil, nil)
}

// onCollected keeps the posts that the entry matches: the network's own search
// is only the first sieve.
func (w *watchlist) onCollected(m collected) {
	in := ingest{watchlist: w.state.ID, labels: w.state.Labels, objective: w.state.Objective, reply: m.reply, answer: ingested{from: m.from}}
	matcher, known := w.matchers[m.entry]
	if known {
		in.keyword, in.entries = w.keyword(m.entry), len(w.state.Keywords)
		for _, p := range m.posts {
			if matcher.Match(watchpost.NewText(p.Content)) {
				in.posts = append(in.posts, p)
			}
		}
		w.env.metrics.posts.WithLabelValues("collected").Add(float64(len(m.posts)))
		w.env.metrics.posts.WithLabelValues("matched").Add(float64(len(in.posts)))
	}
	if m.last && known {
		r := w.scans[m.entry]
		r.FinishedAt = w.env.clock.Now()
		if m.newest.After(r.Newest) {
			r.Newest = m.newest
		}
		in.answer.scan = &r
	}
	w.ctx.Send(w.feed, in)
}

func (w *watchlist) keyword(id watchpost.EntryID) string {
	for _, e := range w.state.Keywords {
		if e.ID == id {
			return e.Keyword
		}
	}
	return ""
}

// view is the watchlist as callers see it, a value of its own.
func (w *watchlist) view() WatchlistView {
	v := WatchlistView{Watchlist: w.state}
	for _, e := range w.state.Keywords {
		finished := w.scans[e.ID].FinishedAt
		if finished.After(v.LastScanAt) {
			v.LastScanAt = finished
		}
		if w.state.Disabled {
			continue
		}
		due := watchpost.NextScan(finished, w.state.CreatedAt, w.state.Frequency)
		if v.NextScanAt.IsZero() || due.Before(v.NextScanAt) {
			v.NextScanAt = due
		}
	}
	return v
}
