package actors

import (
	"strings"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost/actors/cache"
	"watchpost/actors/changefeed"
	"watchpost/internal/ordered"
	"watchpost/internal/reference"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
	"watchpost/watchpost/scanplan"
)

// followedList is what the team keeps of a list; its actor keeps the rest.
type followedList struct {
	pid  *actor.PID
	list watchpost.List
	// followers counts the watchlists that follow it; never zero.
	followers int
	times     scanTimes
}

// loadLists takes up the lists with the watchlists that follow them, before
// their scans are known.
func (ws *watchlists) loadLists(view persistence.View, followers []watchpost.Watchlist) (map[watchpost.ListID]*list, error) {
	lists := map[watchpost.ListID]*list{}
	err := teamspace.LoadAll(view, ws.Space, teamspace.KeyList, func(_ string, l watchpost.List) {
		lists[l.ID] = newList(ws.env, l, !ws.team.plan().Scans(l.Type), ws.Context.Self(), ws.team.postStore)
		ws.lists[l.ID] = &followedList{list: l}
	})
	if err != nil {
		return nil, err
	}
	for _, w := range followers {
		lists[w.List].followers[w.ID] = w
		ws.lists[w.List].followers++
	}
	return lists, nil
}

// startLists spawns the actors of the lists that were loaded.
func (ws *watchlists) startLists(lists map[watchpost.ListID]*list) {
	for id, l := range ordered.ByKey(lists) {
		followed := ws.lists[id]
		followed.times = l.times(l.entries())
		followed.pid = ws.begin(string(id), l)
		for _, w := range l.followers {
			ws.byID[w.ID] = &trackedWatchlist{pid: followed.pid, view: WatchlistView{Watchlist: w}}
		}
	}
}

// onFollow makes a watchlist that follows a list, new or known. All is decided
// at once: the quota holds for each follower of the list, as all belong to one
// team.
func (ws *watchlists) onFollow(m Follow) {
	now := ws.env.Clock.Now()
	w := m.Watchlist
	base, err := ws.listOf(w, now)
	if err != nil {
		ws.Answer(nil, err)
		return
	}
	next, added := base.With(m.References, now)
	if err := checkDefinition(w, next); err != nil {
		ws.Answer(nil, err)
		return
	}
	if err := ws.team.plan().CheckTracked(w.Type, len(next.Entries)); err != nil {
		ws.Answer(nil, err)
		return
	}
	if err := ws.team.plan().CheckWatchlists(len(ws.byID)); err != nil {
		ws.Answer(nil, err)
		return
	}
	w.ID, w.CreatedAt, w.List = watchpost.WatchlistID(watchpost.NewID(now)), now, next.ID
	if w.Name == "" {
		w.Name = watchpost.AutoName(w.Type, names(m.References))
	}
	if w.Frequency == 0 {
		w.Frequency = watchpost.DefaultFrequency(w.Type)
	}
	batch := &persistence.Batch{}
	followed := ws.lists[next.ID]
	if followed == nil {
		next.Name = w.Name
		followed = &followedList{times: scanTimes{next: now}}
		ws.lists[next.ID] = followed
		batch.CompareAndSet(persistence.DirectoryKey{Kind: teamspace.DirList, Name: string(next.ID)}, nil, teamspace.Encode(teamspace.OwnerEntry{Team: ws.team.id}))
	}
	followed.list = next
	followed.followers++
	batch.Put(teamspace.Key(teamspace.KeyList, next.ID), teamspace.Encode(next))
	cache.PutNewWatchlist(batch, &w)
	if added > 0 {
		ws.noteListChanged(batch, next.ID, w.ID)
	}
	ws.team.notifications.OnWatchlistCreated(batch, &w)
	batch.CompareAndSet(persistence.DirectoryKey{Kind: teamspace.DirWatchlist, Name: string(w.ID)}, nil, teamspace.Encode(teamspace.OwnerEntry{Team: ws.team.id}))
	tracked := &trackedWatchlist{view: WatchlistView{Watchlist: w}}
	ws.byID[w.ID] = tracked
	ws.noteNeed(&w)
	ws.team.idempotency.commitOnce(batch, Followed{WatchlistView: ws.expected(ws.shown(tracked)), Added: added})
	// Told after the commit was submitted: its first scans come behind it.
	if followed.pid == nil {
		l := newList(ws.env, next, !ws.team.plan().Scans(w.Type), ws.Context.Self(), ws.team.postStore)
		l.followers[w.ID] = w
		followed.pid = ws.begin(string(next.ID), l)
	} else {
		ws.team.dispatch.Await(string(next.ID))
		ws.Context.Send(followed.pid, follow{list: next, follower: w})
	}
	tracked.pid = followed.pid
}

// onChangeList adds and removes entries of a list. Scans of removed entries end, as those
// of a deleted watchlist do.
func (ws *watchlists) onChangeList(m ChangeList) {
	tracked := ws.tracked(m.Type, m.ID)
	if tracked == nil {
		return
	}
	followed := ws.lists[tracked.view.Watchlist.List]
	if followed == nil { // a watchlist of keywords
		ws.Answer(nil, watchpost.Errorf(watchpost.NotFound, watchpost.TextListNotFound))
		return
	}
	next, gone := followed.list.Without(m.Remove)
	next, added := next.With(m.Add, ws.env.Clock.Now())
	err := checkDefinition(tracked.view.Watchlist, next)
	if len(next.Entries) == 0 {
		_, err = watchpost.CleanReferences(m.Type, nil)
	} else if err == nil && added > len(gone) { // a downgrade may have left more than the plan has
		err = ws.team.plan().CheckTracked(m.Type, len(next.Entries))
	}
	if err != nil {
		ws.Answer(nil, err)
		return
	}
	left := map[watchpost.EntryID]bool{}
	batch := &persistence.Batch{}
	batch.Put(teamspace.Key(teamspace.KeyList, next.ID), teamspace.Encode(next))
	for _, e := range gone {
		left[e.ID] = true
		batch.Delete(teamspace.ScanKey(next.ID, e.ID))
	}
	followed.list = next
	ws.noteNeed(&tracked.view.Watchlist)
	ws.team.scans.dropOf(func(s watchpost.ScanTarget) bool { return s.List == next.ID && left[s.Entry] })
	ws.Commit(batch, ws.shown(tracked))
	ws.team.dispatch.Await(string(next.ID))
	ws.Context.Send(followed.pid, listEntries{next})
	ws.team.handouts.run()
}

// noteListChanged notes that the watchlists which follow a list have changed with it, but
// for the one that has just come.
func (ws *watchlists) noteListChanged(batch *persistence.Batch, list watchpost.ListID, but watchpost.WatchlistID) {
	for id, tracked := range ordered.ByKey(ws.byID) {
		if tracked.view.Watchlist.List == list && id != but {
			changefeed.Note(batch, watchpost.Change{Type: watchpost.ChangeWatchlist, Action: watchpost.WatchlistChanged, ID: string(id), Watchlist: id})
		}
	}
}

// listOf returns the list that a new watchlist names, or an empty new one.
func (ws *watchlists) listOf(w watchpost.Watchlist, now time.Time) (watchpost.List, error) {
	if w.List == "" {
		return watchpost.List{ID: watchpost.ListID(watchpost.NewID(now)), Type: w.Type, CreatedAt: now}, nil
	}
	followed := ws.lists[w.List]
	if followed == nil || followed.list.Type != w.Type {
		return watchpost.List{}, watchpost.Errorf(watchpost.NotFound, watchpost.TextListNotFound)
	}
	return followed.list, nil
}

func names(references []reference.Reference) []string {
	var all []string
	for _, r := range references {
		all = append(all, r.Name())
	}
	return all
}

// unfollow takes a deleted watchlist off its list, and the list away with its
// last follower.
func (ws *watchlists) unfollow(batch *persistence.Batch, w watchpost.Watchlist) (list *actor.PID, gone bool) {
	followed := ws.lists[w.List]
	followed.followers--
	if followed.followers > 0 {
		ws.Context.Send(followed.pid, unfollow{w.ID})
		return followed.pid, false
	}
	batch.Delete(teamspace.Key(teamspace.KeyList, w.List))
	for _, e := range followed.list.Entries {
		batch.Delete(teamspace.ScanKey(w.List, e.ID))
	}
	batch.Set(persistence.DirectoryKey{Kind: teamspace.DirList, Name: string(w.List)}, nil)
	delete(ws.lists, w.List)
	ws.team.dispatch.Reported(string(w.List))
	ws.team.scans.dropOf(func(s watchpost.ScanTarget) bool { return s.List == w.List })
	return followed.pid, true
}

// onListChange adds to a list's decision the scans that it wants.
func (ws *watchlists) onListChange(batch *persistence.Batch, c *listChange) {
	ws.team.dispatch.Reported(string(c.list))
	ws.lists[c.list].times = c.times
	ws.team.scans.reschedule(batch, c.dropped, c.wanted)
}

// tellPlan tells the lists whether the plan includes them.
func (ws *watchlists) tellPlan() {
	ws.team.statuses.someChanged()
	for _, followed := range ordered.ByKey(ws.lists) {
		ws.noteNeed(&watchpost.Watchlist{Type: followed.list.Type, List: followed.list.ID})
		ws.Context.Send(followed.pid, planChanged{excluded: !ws.team.plan().Scans(followed.list.Type)})
	}
}

// shown is a watchlist as callers see it, with the list that it follows.
func (ws *watchlists) shown(tracked *trackedWatchlist) WatchlistView {
	w := tracked.view.Watchlist
	if w.Type.HasKeywords() {
		return tracked.view
	}
	followed := ws.lists[w.List]
	return viewOfFollower(w, followed.list, followed.times)
}

// viewOfFollower is a watchlist that follows a list. While it is disabled no
// scan is made for it.
func viewOfFollower(w watchpost.Watchlist, l watchpost.List, times scanTimes) WatchlistView {
	v := WatchlistView{Watchlist: w, List: l, LastScanAt: times.last, NextScanAt: times.next}
	if w.Disabled {
		v.NextScanAt = time.Time{}
	}
	return v
}

// byID orders watchlists by their making.
func byID(a, b WatchlistView) int {
	return strings.Compare(string(a.Watchlist.ID), string(b.Watchlist.ID))
}

// scanPlan returns what the schedules ask for, the oldest first.
func (ws *watchlists) scanPlan() scanplan.Plan {
	plan := scanplan.Plan{Live: len(ws.team.accounts.live(ws.env.Clock.Now()))}
	followers := map[watchpost.ListID][]watchpost.Watchlist{}
	for _, tracked := range ordered.ByKey(ws.byID) {
		w := tracked.view.Watchlist
		if w.List != "" {
			followers[w.List] = append(followers[w.List], w)
			continue
		}
		plan.Schedules = append(plan.Schedules, scanplan.Schedule{Type: w.Type, Watchlists: []watchpost.Watchlist{w}, Need: scanplan.KeywordNeed(&w)})
	}
	for id, followed := range ordered.ByKey(ws.lists) {
		plan.Schedules = append(plan.Schedules, scanplan.Schedule{Type: followed.list.Type, Watchlists: followers[id], Need: ws.listNeed(followed)})
	}
	return plan
}
