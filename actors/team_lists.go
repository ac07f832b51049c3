package actors

import (
	"strings"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost"
	"watchpost/persistence"
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
func (t *team) loadLists(view persistence.View, followers []watchpost.Watchlist) (map[watchpost.ListID]*list, error) {
	lists := map[watchpost.ListID]*list{}
	err := loadAll(view, t.space, keyList, func(_ string, l watchpost.List) {
		lists[l.ID] = newList(t.env, l, !t.plan().Scans(l.Type), t.ctx.Self(), t.postStore)
		t.lists[l.ID] = &followedList{list: l}
	})
	if err != nil {
		return nil, err
	}
	for _, w := range followers {
		lists[w.List].followers[w.ID] = w
		t.lists[w.List].followers++
	}
	return lists, nil
}

// startLists spawns the actors of the lists that were loaded.
func (t *team) startLists(lists map[watchpost.ListID]*list) {
	for id, l := range lists {
		followed := t.lists[id]
		followed.times = l.times(l.entries())
		followed.pid = t.spawn(l)
		t.dispatch.unscheduled[string(id)] = true
		for _, w := range l.followers {
			t.watchlists[w.ID] = &trackedWatchlist{pid: followed.pid, view: WatchlistView{Watchlist: w}}
		}
	}
}

// onFollow makes a watchlist that follows a list, new or known. All is decided
// at once: the quota holds for every follower of the list, as they are one
// team's.
func (t *team) onFollow(m Follow) {
	now := t.env.clock.Now()
	w := m.Watchlist
	base, err := t.listOf(w, now)
	if err != nil {
		t.answer(nil, err)
		return
	}
	next, added := base.With(m.References, now)
	if err := checkDefinition(w, next); err != nil {
		t.answer(nil, err)
		return
	}
	if err := t.plan().CheckTracked(w.Type, len(next.Entries)); err != nil {
		t.answer(nil, err)
		return
	}
	if err := t.plan().CheckWatchlists(len(t.watchlists)); err != nil {
		t.answer(nil, err)
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
	followed := t.lists[next.ID]
	if followed == nil {
		next.Name = w.Name
		followed = &followedList{times: scanTimes{next: now}}
		t.lists[next.ID] = followed
		batch.CompareAndSet(persistence.DirectoryKey{Kind: dirList, Name: string(next.ID)}, nil, encode(ownerEntry{Team: t.id}))
	}
	followed.list = next
	followed.followers++
	batch.Put(key(keyList, next.ID), encode(next))
	putNewWatchlist(batch, &w)
	batch.CompareAndSet(persistence.DirectoryKey{Kind: dirWatchlist, Name: string(w.ID)}, nil, encode(ownerEntry{Team: t.id}))
	tracked := &trackedWatchlist{view: WatchlistView{Watchlist: w}}
	t.watchlists[w.ID] = tracked
	t.commit(batch, Followed{WatchlistView: t.shown(tracked), Added: added})
	// Told after the commit was submitted: its first scans come behind it.
	if followed.pid == nil {
		l := newList(t.env, next, !t.plan().Scans(w.Type), t.ctx.Self(), t.postStore)
		l.followers[w.ID] = w
		followed.pid = t.spawn(l)
	} else {
		t.ctx.Send(followed.pid, follow{list: next, follower: w})
	}
	tracked.pid = followed.pid
}

// listOf returns the list that a new watchlist names, or an empty new one.
func (t *team) listOf(w watchpost.Watchlist, now time.Time) (watchpost.List, error) {
	if w.List == "" {
		return watchpost.List{ID: watchpost.ListID(watchpost.NewID(now)), Type: w.Type, CreatedAt: now}, nil
	}
	followed := t.lists[w.List]
	if followed == nil || followed.list.Type != w.Type {
		return watchpost.List{}, watchpost.Errorf(watchpost.NotFound, watchpost.TextListNotFound)
	}
	return followed.list, nil
}

func names(references []watchpost.Reference) []string {
	var all []string
	for _, r := range references {
		all = append(all, r.Name())
	}
	return all
}

// unfollow takes a deleted watchlist off its list, and the list away with its
// last follower.
func (t *team) unfollow(batch *persistence.Batch, w watchpost.Watchlist) (list *actor.PID, gone bool) {
	followed := t.lists[w.List]
	followed.followers--
	if followed.followers > 0 {
		t.ctx.Send(followed.pid, unfollow{w.ID})
		return followed.pid, false
	}
	batch.Delete(key(keyList, w.List))
	for _, e := range followed.list.Entries {
		batch.Delete(scanKey(w.List, e.ID))
	}
	batch.Set(persistence.DirectoryKey{Kind: dirList, Name: string(w.List)}, nil)
	delete(t.lists, w.List)
	delete(t.dispatch.unscheduled, string(w.List))
	t.dropScansOf(func(s watchpost.ScanTarget) bool { return s.List == w.List })
	return followed.pid, true
}

// onListChange adds to a list's decision the scans that it wants. What it
// returns (or nil) is to be done when the batch is durable.
func (t *team) onListChange(batch *persistence.Batch, c *listChange) (handed func(error)) {
	delete(t.dispatch.unscheduled, string(c.list))
	t.lists[c.list].times = c.times
	return t.reschedule(batch, c.dropped, c.wanted)
}

// tellPlan tells the lists whether the plan includes them.
func (t *team) tellPlan() {
	t.statusesChanged()
	for _, followed := range t.lists {
		t.ctx.Send(followed.pid, planChanged{excluded: !t.plan().Scans(followed.list.Type)})
	}
}

// shown is a watchlist as callers see it, with what it follows.
func (t *team) shown(tracked *trackedWatchlist) WatchlistView {
	w := tracked.view.Watchlist
	if w.Type.HasKeywords() {
		return tracked.view
	}
	followed := t.lists[w.List]
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
