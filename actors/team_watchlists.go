package actors

import (
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost"
	"watchpost/persistence"
)

// trackedWatchlist is what the team keeps of a watchlist; its actor keeps the rest.
type trackedWatchlist struct {
	pid *actor.PID
	// view is how the watchlist stood at its last decision.
	view WatchlistView
	// keywords count its entries by normalised keyword.
	keywords map[string]int
}

// scanKey is where it is kept how far an entry of a watchlist or list has come.
func scanKey[Owner watchpost.WatchlistID | watchpost.ListID](owner Owner, e watchpost.EntryID) []byte {
	return key(keyScan, string(owner)+string(e))
}

// receiveWatchlist handles what concerns watchlists and their posts.
func (t *team) receiveWatchlist(message any) bool {
	switch m := message.(type) {
	case CreateWatchlist:
		t.onCreateWatchlist(m)
	case Follow:
		t.onFollow(m)
	case GetWatchlist:
		if tracked := t.tracked(m.Type, m.ID); tracked != nil {
			view := t.shown(tracked)
			view.DroppedThisWeek = t.week(m.ID, t.env.clock.Now()).Dropped
			t.answer(view, nil)
		}
	case ListWatchlists:
		t.onListWatchlists(m)
	case UpdateWatchlist:
		if tracked := t.tracked(m.Type, m.ID); tracked != nil {
			t.ctx.RequestWithCustomSender(tracked.pid, m, t.ctx.Sender())
		}
	case DeleteWatchlist:
		t.onDeleteWatchlist(m)
	case collected:
		t.onCollected(m)
	case purged:
		batch := &persistence.Batch{}
		batch.Delete(key(keyDeleted, m.watchlist))
		t.commits.submit(batch, nil)
	default:
		return false
	}
	return true
}

// loadWatchlists takes up the watchlists, how far their scans have come, and
// what is left to do of deleted ones.
func (t *team) loadWatchlists(view persistence.View) error {
	watchlists := map[watchpost.WatchlistID]*watchlist{}
	var followers []watchpost.Watchlist
	err := loadAll(view, t.space, keyWatchlist, func(_ string, w watchpost.Watchlist) {
		if w.Type.HasKeywords() {
			watchlists[w.ID] = newWatchlist(t.env, w, t.ctx.Self(), t.postStore)
		} else {
			followers = append(followers, w)
		}
	})
	if err != nil {
		return err
	}
	lists, err := t.loadLists(view, followers)
	if err != nil {
		return err
	}
	scheduleOf := func(w watchpost.WatchlistID, l watchpost.ListID) *schedule {
		if found := watchlists[w]; found != nil {
			return &found.schedule
		}
		if found := lists[l]; found != nil {
			return &found.schedule
		}
		return nil
	}
	err = loadAll(view, t.space, keyScan, func(id string, r scanRecord) {
		owner, entry := id[:len(id)/2], watchpost.EntryID(id[len(id)/2:])
		if s := scheduleOf(watchpost.WatchlistID(owner), watchpost.ListID(owner)); s != nil {
			s.scans[entry] = r
		}
	})
	if err != nil {
		return err
	}
	t.dropScansOf(func(target watchpost.ScanTarget) bool {
		s := scheduleOf(target.Watchlist, target.List)
		if s != nil {
			s.waiting[target.Entry] = target.Scan
		}
		return s == nil // its owner was deleted just before the end
	})
	for id, w := range watchlists {
		tracked := &trackedWatchlist{view: w.view()}
		t.watchlists[id] = tracked
		tracked.pid = t.spawn(w)
		t.dispatch.unscheduled[string(id)] = true
	}
	t.startLists(lists)
	if err := t.resumeRetag(view); err != nil {
		return err
	}
	return view.Scan(t.space, []byte(keyDeleted), persistence.PrefixEnd([]byte(keyDeleted)), func(k, _ []byte) bool {
		t.ctx.Send(t.postStore, purge{watchlist: watchpost.WatchlistID(k[len(keyDeleted):]), team: t.ctx.Self()})
		return true
	})
}

// tracked returns a watchlist of that family, or nil after answering NotFound.
func (t *team) tracked(kind watchpost.WatchlistType, id watchpost.WatchlistID) *trackedWatchlist {
	if tracked := t.watchlists[id]; tracked != nil && tracked.view.Watchlist.Type == kind {
		return tracked
	}
	t.answer(nil, watchpost.Errorf(watchpost.NotFound, watchpost.TextWatchlistNotFound))
	return nil
}

// maxDefinition bounds a watchlist as it is stored, together with the list that
// it follows: a batch holds both twice, as they are also kept as a reply.
const maxDefinition = persistence.MaxBatchBytes/2 - 64<<10

// checkDefinition refuses what could not be stored.
func checkDefinition(records ...any) error {
	size := 0
	for _, r := range records {
		size += len(encode(r))
	}
	if size > maxDefinition {
		return watchpost.Errorf(watchpost.TooLarge, textTooLarge)
	}
	return nil
}

func (t *team) onCreateWatchlist(m CreateWatchlist) {
	if err := checkDefinition(m.Watchlist); err != nil {
		t.answer(nil, err)
		return
	}
	if err := t.plan().CheckWatchlists(len(t.watchlists)); err != nil {
		t.answer(nil, err)
		return
	}
	now := t.env.clock.Now()
	w := m.Watchlist
	w.ID, w.CreatedAt = watchpost.WatchlistID(watchpost.NewID(now)), now
	w.Keywords = slices.Clone(w.Keywords)
	for i := range w.Keywords {
		w.Keywords[i].ID = watchpost.EntryID(watchpost.NewID(now))
	}
	if w.Name == "" {
		w.Name = watchpost.AutoName(w.Type, watchpost.KeywordTexts(w.Keywords))
	}
	if w.Frequency == 0 {
		w.Frequency = watchpost.DefaultFrequency(w.Type)
	}
	batch := &persistence.Batch{}
	putNewWatchlist(batch, &w)
	batch.CompareAndSet(persistence.DirectoryKey{Kind: dirWatchlist, Name: string(w.ID)}, nil, encode(ownerEntry{Team: t.id}))
	list := newWatchlist(t.env, w, t.ctx.Self(), t.postStore)
	tracked := &trackedWatchlist{view: list.view()}
	t.watchlists[w.ID] = tracked
	t.commit(batch, tracked.view)
	// Spawned after the commit was submitted: its first scans come behind it.
	tracked.pid = t.spawn(list)
}

func (t *team) onListWatchlists(m ListWatchlists) {
	views := []WatchlistView{}
	for _, tracked := range t.watchlists {
		if tracked.view.Watchlist.Type == m.Type {
			views = append(views, t.shown(tracked))
		}
	}
	slices.SortFunc(views, byID)
	t.answer(views, nil)
}

// onDeleteWatchlist decides the deletion in one small batch, which every query
// honours from then on; the post store removes the posts afterwards.
func (t *team) onDeleteWatchlist(m DeleteWatchlist) {
	tracked := t.tracked(m.Type, m.ID)
	if tracked == nil {
		return
	}
	batch := &persistence.Batch{}
	deleteWatchlist(batch, m.ID)
	for _, e := range tracked.view.Watchlist.Keywords {
		batch.Delete(scanKey(m.ID, e.ID))
	}
	batch.Put(key(keyDeleted, m.ID), nil)
	batch.Set(persistence.DirectoryKey{Kind: dirWatchlist, Name: string(m.ID)}, nil)
	delete(t.watchlists, m.ID)
	delete(t.weeks, m.ID)
	t.forgetUnscheduled(m.ID)
	owner, gone := tracked.pid, true
	if !m.Type.HasKeywords() {
		owner, gone = t.unfollow(batch, tracked.view.Watchlist)
	}
	t.dropScansOf(func(s watchpost.ScanTarget) bool { return s.Watchlist == m.ID })
	t.commit(batch, Done{})
	// Through whoever passes its posts on, so that the purge comes behind them.
	t.ctx.Send(owner, purge{watchlist: m.ID, team: t.ctx.Self()})
	if gone {
		t.ctx.Poison(owner)
	}
	t.handOut() // it may have been the last that was waited for
}
