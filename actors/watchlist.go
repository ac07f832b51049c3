package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"watchpost"
	"watchpost/internal/enrich"
	"watchpost/internal/protocol"
	"watchpost/internal/text"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
)

// watchlist is the actor of one keyword or forum watchlist.
//
// Owner and lifetime: the team spawns it when the watchlist is created or
// loaded and stops it when it was deleted. It owns the definition, the schedule
// of its entries and the matching of what their scans bring.
type watchlist struct {
	schedule
	team      *actor.PID
	postStore *actor.PID

	ctx      actor.Context
	state    watchpost.Watchlist
	matchers map[watchpost.EntryID]text.Matcher
	// keywords count the entries by normalised keyword.
	keywords map[string]int
}

// watchlistChange tells the team what a watchlist has decided.
type watchlistChange struct {
	view WatchlistView
	// dropped are the scans that nobody wants any more.
	dropped []watchpost.TaskID
	// wanted are scans that are due.
	wanted []watchpost.Task
	// keywords count the entries by normalised keyword.
	keywords map[string]int
	// shares is the question that this answers; nil when it answers none.
	shares *shareScan
}

func newWatchlist(env *environment, state watchpost.Watchlist, team, postStore *actor.PID) *watchlist {
	return &watchlist{schedule: newSchedule(env), team: team, postStore: postStore, state: state}
}

// Receive implements actor.Actor.
func (w *watchlist) Receive(c actor.Context) {
	w.ctx = c
	switch m := c.Message().(type) {
	case *actor.Started:
		w.compile()
		w.decide(nil, nil)
	case *actor.Stopping:
		w.disarm()
	case *actor.Stopped, *actor.Restarting:
	case UpdateWatchlist:
		w.onUpdate(m)
	case scanDue:
		w.timer = nil
		w.decide(nil, replyTo(w.env, c.Sender(), Done{}))
	case shareScan:
		w.onShareScan(m)
	case scanEnded:
		w.onScanEnded(m)
	case collected:
		w.onCollected(m)
	case purge:
		w.ctx.Send(w.postStore, m)
	default:
		w.env.log.Error("unknown message", "actor", "watchlist", "message", typeName(m))
	}
}

func (w *watchlist) compile() {
	w.matchers, w.keywords = map[watchpost.EntryID]text.Matcher{}, map[string]int{}
	for _, e := range w.state.Keywords {
		w.keywords[text.Normalize(e.Keyword)]++
		w.matchers[e.ID] = e.Matcher()
	}
}

// onUpdate applies a patch and answers with the new view.
func (w *watchlist) onUpdate(m UpdateWatchlist) {
	next, err := w.state.Apply(m.Patch)
	if err == nil {
		err = checkDefinition(next)
	}
	if err != nil {
		w.ctx.Send(w.team, decided{onCommitted: replyTo(w.env, w.ctx.Sender(), err)})
		return
	}
	old := w.state.Keywords
	now := w.env.clock.Now()
	for i := range next.Keywords {
		if next.Keywords[i].ID == "" {
			next.Keywords[i].ID = watchpost.EntryID(watchpost.NewID(now))
		}
	}
	batch := &persistence.Batch{}
	batch.Put(teamspace.Key(teamspace.KeyWatchlist, next.ID), teamspace.Encode(next))
	retags := !sameTags(&w.state, &next)
	w.state = next
	w.compile()
	if retags {
		putRetag(batch, next.ID, watchpost.NewID(now))
	}
	for _, e := range old {
		if _, kept := w.matchers[e.ID]; !kept {
			batch.Delete(teamspace.ScanKey(next.ID, e.ID))
			delete(w.scans, e.ID)
		}
	}
	then := replyTo(w.env, w.ctx.Sender(), w.view())
	if retags {
		then = both(then, retagging(w.env, w.postStore))
	}
	w.decide(batch, then)
}

// entries are those that are to be scanned, and when.
func (w *watchlist) entries() []dueEntry {
	if w.state.Disabled {
		return nil
	}
	entries := make([]dueEntry, len(w.state.Keywords))
	for i, e := range w.state.Keywords {
		entries[i] = dueEntry{entry: e.ID, due: watchpost.NextScan(w.scans[e.ID].FinishedAt, w.state.CreatedAt, w.state.Frequency)}
	}
	return entries
}

// decide hands a decision to the team together with the scans that are due.
func (w *watchlist) decide(batch *persistence.Batch, then func(error)) {
	w.ctx.Send(w.team, decided{batch: batch, watchlist: w.change(w.entries()), onCommitted: then})
}

// change is what the team has to know, given the entries and when they are due.
func (w *watchlist) change(entries []dueEntry) *watchlistChange {
	due, dropped := w.plan(entries, w.ctx.Self())
	change := &watchlistChange{view: w.view(), dropped: dropped, keywords: w.keywords}
	for _, e := range due {
		change.wanted = append(change.wanted, w.scanTask(e))
	}
	return change
}

// onShareScan asks for the scans of a keyword that are due soon too: another
// entry with it is about to be scanned.
func (w *watchlist) onShareScan(m shareScan) {
	entries := w.entries()
	soon := w.env.clock.Now().Add(watchpost.ShareWindow)
	for i, e := range entries {
		entries[i].shared = !e.due.After(soon) && text.Normalize(w.keyword(e.entry)) == m.keyword
	}
	change := w.change(entries)
	change.shares = &m
	w.ctx.Send(w.team, decided{watchlist: change})
}

// scanOf is the type of the scans of a family with keywords.
func scanOf(t watchpost.WatchlistType) watchpost.TaskType {
	if t == watchpost.ForumWatchlist {
		return watchpost.TaskForumScan
	}
	return watchpost.TaskKeywordScan
}

// scanTask is the scan of an entry that became due.
func (w *watchlist) scanTask(e dueEntry) watchpost.Task {
	scan := w.scan(scanOf(w.state.Type), e)
	scan.Watchlist = w.state.ID
	scan.Input = scanInput(protocol.ScanInput{Keyword: w.keyword(e.entry), Since: w.since(e.entry)})
	return scan
}

// onScanEnded notes how far an entry has come and schedules its next scan.
func (w *watchlist) onScanEnded(m scanEnded) {
	record, known := w.ended(m)
	if !known {
		return
	}
	var batch *persistence.Batch
	if record != nil {
		batch = &persistence.Batch{}
		batch.Put(teamspace.ScanKey(w.state.ID, m.entry), teamspace.Encode(record))
	}
	w.decide(batch, nil)
}

// onCollected keeps the posts that the entry matches: the network's own search
// is only the first sieve.
func (w *watchlist) onCollected(m collected) {
	in := ingest{
		watchlist: w.state.ID, asked: enrich.Context{Labels: w.state.Labels, Objective: w.state.Objective},
		reply: m.reply, answer: m.answer,
	}
	matcher, known := w.matchers[m.entry]
	known = known && w.waiting[m.entry] == m.task
	if known {
		in.asked.Keyword, in.asked.Entries = w.keyword(m.entry), len(w.state.Keywords)
		for _, p := range m.posts {
			if s := (reportedPost{p, text.New(p.Content)}); matcher.Match(s.text) {
				in.posts = append(in.posts, s)
			}
		}
		w.env.metrics.posts.WithLabelValues("matched").Add(float64(len(in.posts)))
	}
	if m.last && known {
		in.answer.scan = w.finished(m)
	}
	w.ctx.Send(w.postStore, in)
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
	times := w.times(w.entries())
	return WatchlistView{Watchlist: w.state, LastScanAt: times.last, NextScanAt: times.next}
}
