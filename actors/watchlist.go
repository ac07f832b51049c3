package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"watchpost/actors/poststore"
	"watchpost/actors/root"
	"watchpost/internal/enrich"
	"watchpost/internal/text"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// watchlist is the actor of one keyword or forum watchlist.
//
// Owner and lifetime: the team spawns it when the watchlist is created or
// loaded and stops it when it was deleted. It owns the definition, the schedule
// of its entries and the matching of what their scans bring.
type watchlist struct {
	schedule
	state    watchpost.Watchlist
	matchers map[watchpost.EntryID]text.Matcher
	// keywords count the entries by normalised keyword.
	keywords map[string]int
	from     watchpost.Origin // of the request that is being carried out
	answer   *WatchlistView   // to it
	scanNow  bool             // it asks for scans of all entries
}

// watchlistChange tells the team what a watchlist has decided.
type watchlistChange struct {
	scanPlan
	view WatchlistView
	// keywords count the entries by normalised keyword.
	keywords map[string]int
	// shares is the question that this answers; nil when it answers none.
	shares *shareScan
	from   watchpost.Origin // of the request that it carries out
	// answer is what the caller gets when the change is durable; the team fills it in.
	answer *WatchlistView
}

func newWatchlist(env *environment, state watchpost.Watchlist, team, postStore *actor.PID) *watchlist {
	w := &watchlist{state: state}
	w.schedule = newSchedule(env, w, team, postStore)
	return w
}

// Receive implements actor.Actor.
func (w *watchlist) Receive(c actor.Context) {
	if _, started := c.Message().(*actor.Started); started {
		w.compile()
	}
	if !w.handle(c) {
		return
	}
	switch m := c.Message().(type) {
	case UpdateWatchlist:
		w.onUpdate(m)
	case shareScan:
		w.onShareScan(m)
	case collected:
		w.onCollected(m)
	default:
		w.env.Log.Error("unknown message", "actor", "watchlist", "message", root.TypeName(m))
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
	next, err := m.Patch.Apply(w.state)
	if err == nil {
		err = checkDefinition(next)
	}
	if err != nil {
		w.refuse(err)
		return
	}
	old := w.state.Keywords
	now := w.env.Clock.Now()
	for i := range next.Keywords {
		if next.Keywords[i].ID == "" {
			next.Keywords[i].ID = watchpost.EntryID(watchpost.NewID(now))
		}
	}
	batch := &persistence.Batch{}
	batch.Put(teamspace.Key(teamspace.KeyWatchlist, next.ID), teamspace.Encode(next))
	retags := !poststore.SameTags(&w.state, &next)
	w.state = next
	w.compile()
	if retags {
		poststore.PutRetag(batch, next.ID, watchpost.NewID(now))
	}
	for _, e := range old {
		if _, kept := w.matchers[e.ID]; !kept {
			batch.Delete(teamspace.ScanKey(next.ID, e.ID))
			delete(w.scans, e.ID)
		}
	}
	w.from, w.answer, w.scanNow = m.from, &WatchlistView{}, m.Patch.ScanNow
	then := replyLater(w.env, w.ctx.Sender(), w.answer)
	if retags {
		then = root.Both(then, poststore.ThenRetag(w.env.System.Root, w.postStore))
	}
	w.decide(batch, then)
	w.from, w.answer, w.scanNow = watchpost.Origin{}, nil, false
}

// replyLater returns what sends an answer that is filled in until then.
func replyLater(env *environment, sender *actor.PID, answer *WatchlistView) func(error) {
	if sender == nil {
		return nil
	}
	return func(err error) { env.ReplyTo(sender, *answer)(err) }
}

// entries are those that are to be scanned, and when.
func (w *watchlist) entries() []dueEntry {
	if w.state.Disabled {
		return nil
	}
	entries := make([]dueEntry, len(w.state.Keywords))
	for i, e := range w.state.Keywords {
		entries[i] = dueEntry{entry: e.ID, at: i, due: watchpost.NextScan(w.scans[e.ID].FinishedAt, w.state.CreatedAt, w.state.Frequency)}
	}
	if w.scanNow {
		w.makeDue(entries)
	}
	return entries
}

// decision implements entryOwner.
func (w *watchlist) decision(p scanPlan) decided {
	return decided{watchlist: &watchlistChange{scanPlan: p, view: w.view(), keywords: w.keywords, from: w.from, answer: w.answer}}
}

// scanKey implements entryOwner.
func (w *watchlist) scanKey(e watchpost.EntryID) []byte { return teamspace.ScanKey(w.state.ID, e) }

// onShareScan asks for the scans of a keyword that are due soon too: another
// entry with it is about to be scanned.
func (w *watchlist) onShareScan(m shareScan) {
	entries := w.entries()
	soon := w.env.Clock.Now().Add(watchpost.ShareWindow)
	for i, e := range entries {
		entries[i].shared = !e.due.After(soon) && text.Normalize(w.state.Keywords[e.at].Keyword) == m.keyword
	}
	d := w.planned(entries)
	d.watchlist.shares = &m
	w.ctx.Send(w.team, d)
}

// scansOf implements entryOwner.
func (w *watchlist) scansOf() watchpost.TaskType { return w.state.Type.ScanTask() }

// scanTask is the scan of an entry that became due.
func (w *watchlist) scanTask(e dueEntry) watchpost.Task {
	scan := w.scan(w.state.Type.ScanTask(), e)
	scan.Watchlist = w.state.ID
	scan.Input = scanInput(watchpost.ScanInput{Keyword: w.state.Keywords[e.at].Keyword, Since: w.since(e.entry)})
	return scan
}

// onCollected keeps the posts that the entry matches: the network's own search
// is only the first sieve.
func (w *watchlist) onCollected(m collected) {
	in := poststore.Ingest{
		Watchlist: w.state.ID, Asked: enrich.Context{Labels: w.state.Labels, Objective: w.state.Objective}, Conditions: w.state.Conditions,
	}
	matcher, known := w.matchers[m.entry]
	known = known && w.waiting[m.entry] == m.task
	if known {
		in.Asked.Keyword, in.Asked.Entries = w.keyword(m.entry), len(w.state.Keywords)
		for _, p := range m.posts {
			s, matches := poststore.Reported{Post: p}, false
			w.env.guard(w.team, "match", p.URN, p.Content, func() {
				s.Text = text.New(p.Content)
				matches = matcher.Match(s.Text)
			})
			if matches {
				in.Posts = append(in.Posts, s)
			}
		}
		w.env.metrics.posts.WithLabelValues("matched").Add(float64(len(in.Posts)))
	}
	if known {
		in.Found, in.Entry, in.Covered = len(m.posts), m.entry, m.covered
	}
	if m.last && known {
		m.answer.scan = w.finished(m)
	}
	in.Then = m.answer.sentTo(w.env, m.reply)
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

// view is the watchlist as callers see it, a copy.
func (w *watchlist) view() WatchlistView {
	times := w.times(w.entries())
	return WatchlistView{Watchlist: w.state, LastScanAt: times.last, NextScanAt: times.next}
}
