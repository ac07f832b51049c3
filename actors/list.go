package actors

import (
	"cmp"
	"maps"
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost/actors/poststore"
	"watchpost/actors/root"
	"watchpost/internal/enrich"
	"watchpost/internal/text"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// list is the actor of one list of profiles or companies, and of the people or
// company watchlists that follow it.
//
//	team ──follow, listEntries, unfollow, UpdateWatchlist──▶ list ──ingest, one a follower──▶ post store
//
// Owner and lifetime: the team spawns it with the first watchlist that follows
// the list and stops it when the last was deleted. It owns the schedule of the
// entries, the changes of its followers, and to whom posts go. Who follows a
// list, and which entries it has, the team decides: that takes a quota and all
// followers at once.
type list struct {
	schedule
	state     watchpost.List
	followers map[watchpost.WatchlistID]watchpost.Watchlist
	// excluded is set while the team's plan does not include such lists: they
	// are kept, and not scanned.
	excluded bool
	scanNow  bool // the request that is being carried out asks for scans of all entries
}

// listChange tells the team what a list has decided.
type listChange struct {
	scanPlan
	list  watchpost.ListID
	times scanTimes
}

// follow tells a list about a new follower, with the list's entries.
type follow struct {
	list     watchpost.List
	follower watchpost.Watchlist
}

// listEntries tells a list its entries, which have changed.
type listEntries struct{ list watchpost.List }

// unfollow tells a list that a follower was deleted.
type unfollow struct{ follower watchpost.WatchlistID }

// planChanged tells a list whether the team's plan includes it.
type planChanged struct{ excluded bool }

func newList(env *environment, state watchpost.List, excluded bool, team, postStore *actor.PID) *list {
	l := &list{state: state, excluded: excluded, followers: map[watchpost.WatchlistID]watchpost.Watchlist{}}
	l.schedule = newSchedule(env, l, team, postStore)
	return l
}

// Receive implements actor.Actor.
func (l *list) Receive(c actor.Context) {
	if !l.handle(c) {
		return
	}
	switch m := c.Message().(type) {
	case follow:
		l.state, l.followers[m.follower.ID] = m.list, m.follower
		l.decide(nil, nil)
	case listEntries:
		l.state = m.list
		maps.DeleteFunc(l.scans, func(id watchpost.EntryID, _ teamspace.ScanRecord) bool {
			return !slices.ContainsFunc(l.state.Entries, func(e watchpost.ListEntry) bool { return e.ID == id })
		})
		l.decide(nil, nil)
	case unfollow:
		delete(l.followers, m.follower)
		l.decide(nil, nil)
	case planChanged:
		l.excluded = m.excluded
		l.decide(nil, nil)
	case UpdateWatchlist:
		l.onUpdate(m)
	case collected:
		l.onCollected(m)
	default:
		l.env.Log.Error("unknown message", "actor", "list", "message", root.TypeName(m))
	}
}

// onUpdate applies a patch to a follower, decides what follows from it for the
// list, and answers with the new view. These are two decisions: if the follower
// is deleted meanwhile, the list's still stands.
func (l *list) onUpdate(m UpdateWatchlist) {
	w, follows := l.followers[m.ID]
	if !follows {
		l.refuse(watchpost.Errorf(watchpost.NotFound, watchpost.TextWatchlistNotFound))
		return
	}
	next, err := m.Patch.Apply(w)
	if err == nil {
		err = checkDefinition(next)
	}
	if err != nil {
		l.refuse(err)
		return
	}
	l.followers[m.ID] = next
	l.scanNow = m.Patch.ScanNow
	l.decide(nil, nil)
	l.scanNow = false
	batch := &persistence.Batch{}
	batch.Put(teamspace.Key(teamspace.KeyWatchlist, next.ID), teamspace.Encode(next))
	view, answer := viewOfFollower(next, l.state, l.times(l.entries())), &WatchlistView{}
	then := replyLater(l.env, l.ctx.Sender(), answer)
	if !poststore.SameTags(&w, &next) {
		poststore.PutRetag(batch, next.ID, watchpost.NewID(l.env.Clock.Now()))
		then = root.Both(then, poststore.ThenRetag(l.env.System.Root, l.postStore))
	}
	l.ctx.Send(l.team, decided{batch: batch, watchlist: &watchlistChange{view: view, from: m.from, answer: answer}, onCommitted: then})
}

// entries are those that are to be scanned, and when: as often as the most
// frequent follower that is enabled asks for.
func (l *list) entries() []dueEntry {
	frequency, followed := watchpost.ScanFrequency(l.inOrder())
	if !followed || l.excluded {
		return nil
	}
	entries := make([]dueEntry, len(l.state.Entries))
	for i, e := range l.state.Entries {
		entries[i] = dueEntry{entry: e.ID, at: i, due: watchpost.NextScan(l.scans[e.ID].FinishedAt, e.AddedAt, frequency)}
	}
	if l.scanNow {
		l.makeDue(entries)
	}
	return entries
}

// inOrder returns the followers in the order of their making: of two that
// collect a post at once the older one is named first.
func (l *list) inOrder() []watchpost.Watchlist {
	return slices.SortedFunc(maps.Values(l.followers), func(a, b watchpost.Watchlist) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}

// decision implements entryOwner.
func (l *list) decision(p scanPlan) decided {
	return decided{list: &listChange{scanPlan: p, list: l.state.ID, times: l.times(l.entries())}}
}

// scanKey implements entryOwner.
func (l *list) scanKey(e watchpost.EntryID) []byte { return teamspace.ScanKey(l.state.ID, e) }

// scansOf implements entryOwner.
func (l *list) scansOf() watchpost.TaskType { return l.state.Type.ScanTask() }

// scanTask is the scan of an entry that became due.
func (l *list) scanTask(e dueEntry) watchpost.Task {
	r := l.state.Entries[e.at].Reference
	input := watchpost.ScanInput{Profile: r.String()}
	if l.state.Type == watchpost.CompanyWatchlist {
		input = watchpost.ScanInput{Company: r.String()}
	}
	input.Since = l.since(e.entry)
	scan := l.scan(l.state.Type.ScanTask(), e)
	scan.List, scan.Input = l.state.ID, scanInput(input)
	return scan
}

// onCollected gives the posts of an entry to every follower that is enabled,
// whatever they are about. The last answer speaks for all: the post store stores in
// the order in which it is asked.
func (l *list) onCollected(m collected) {
	var all []poststore.Ingest
	known := l.waiting[m.entry] == m.task
	posts := make([]poststore.Reported, 0, len(m.posts))
	for _, p := range m.posts {
		l.env.guard(l.team, "match", p.URN, p.Content, func() { posts = append(posts, poststore.Reported{Post: p, Text: text.New(p.Content)}) })
	}
	for _, w := range l.inOrder() {
		if known && !w.Disabled {
			all = append(all, poststore.Ingest{
				Watchlist: w.ID, Asked: enrich.Context{Labels: w.Labels, Objective: w.Objective, Entries: len(l.state.Entries)}, Posts: posts,
				Found: len(m.posts), Entry: m.entry, Covered: m.covered,
			})
		}
	}
	if len(all) == 0 {
		all = []poststore.Ingest{{}}
	} else {
		l.env.metrics.posts.WithLabelValues("matched").Add(float64(len(m.posts)))
	}
	if m.last && known {
		m.answer.scan = l.finished(m)
	}
	all[len(all)-1].Then = m.answer.sentTo(l.env, m.reply)
	for _, in := range all {
		l.ctx.Send(l.postStore, in)
	}
}
