package actors

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost"
	"watchpost/actors/protocol"
	"watchpost/persistence"
)

// trackedList is what the team keeps of a watchlist; its actor keeps the rest.
type trackedList struct {
	pid *actor.PID
	// view is how the watchlist stood at its last decision.
	view WatchlistView
}

func scanKey(w watchpost.WatchlistID, e watchpost.EntryID) []byte {
	return key(keyScan, string(w)+string(e))
}

func scanInput(keyword string, since time.Time) json.RawMessage {
	b, err := json.Marshal(protocol.ScanInput{Keyword: keyword, Since: since})
	if err != nil {
		panic(err) // a string and a time
	}
	return b
}

// receiveWatchlist handles what concerns watchlists and their posts.
func (t *team) receiveWatchlist(message any) bool {
	switch m := message.(type) {
	case CreateWatchlist:
		t.onCreateWatchlist(m)
	case GetWatchlist:
		if tracked := t.tracked(m.Type, m.ID); tracked != nil {
			view := tracked.view
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
		t.journal.submit(batch, nil)
	default:
		return false
	}
	return true
}

// loadWatchlists takes up the watchlists, how far their scans have come, and
// what is left to do of deleted ones.
func (t *team) loadWatchlists(view persistence.View) error {
	lists := map[watchpost.WatchlistID]*watchlist{}
	err := loadAll(view, t.space, keyWatchlist, func(id string, w watchpost.Watchlist) {
		lists[w.ID] = newWatchlist(t.env, w, t.ctx.Self(), t.feed)
	})
	if err != nil {
		return err
	}
	err = loadAll(view, t.space, keyScan, func(id string, r scanRecord) {
		if list := lists[watchpost.WatchlistID(id[:len(id)/2])]; list != nil {
			list.scans[watchpost.EntryID(id[len(id)/2:])] = r
		}
	})
	if err != nil {
		return err
	}
	for _, open := range t.tasks {
		if list := lists[open.watchlist]; list != nil && open.scan {
			list.waiting[open.entry] = true
		}
	}
	for id, list := range lists {
		tracked := &trackedList{view: list.view()}
		t.watchlists[id] = tracked
		tracked.pid = t.spawn(list)
	}
	return view.Scan(t.space, []byte(keyDeleted), persistence.PrefixEnd([]byte(keyDeleted)), func(k, _ []byte) bool {
		t.ctx.Send(t.feed, purge{watchlist: watchpost.WatchlistID(k[len(keyDeleted):]), team: t.ctx.Self()})
		return true
	})
}

// tracked returns a watchlist of that family, or nil after answering NotFound.
func (t *team) tracked(kind watchpost.WatchlistType, id watchpost.WatchlistID) *trackedList {
	if tracked := t.watchlists[id]; tracked != nil && tracked.view.Watchlist.Type == kind {
		return tracked
	}
	t.answer(nil, watchpost.Errorf(watchpost.NotFound, watchpost.TextWatchlistNotFound))
	return nil
}

func (t *team) onCreateWatchlist(m CreateWatchlist) {
	if err := t.record.Plan.CheckWatchlists(len(t.watchlists)); err != nil {
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
	batch.Put(key(keyWatchlist, w.ID), encode(w))
	batch.CompareAndSet(persistence.DirectoryKey{Kind: dirWatchlist, Name: string(w.ID)}, nil, encode(ownerEntry{Team: t.id}))
	list := newWatchlist(t.env, w, t.ctx.Self(), t.feed)
	tracked := &trackedList{view: list.view()}
	t.watchlists[w.ID] = tracked
	t.commit(batch, tracked.view)
	// Spawned after the commit was submitted: its first scans come behind it.
	tracked.pid = t.spawn(list)
}

func (t *team) onListWatchlists(m ListWatchlists) {
	views := []WatchlistView{}
	for _, tracked := range t.watchlists {
		if tracked.view.Watchlist.Type == m.Type {
			views = append(views, tracked.view)
		}
	}
	slices.SortFunc(views, func(a, b WatchlistView) int {
		return strings.Compare(string(a.Watchlist.ID), string(b.Watchlist.ID))
	})
	t.answer(views, nil)
}

// onDeleteWatchlist decides the deletion in one small batch, which every query
// honours from then on; the feed removes the posts afterwards.
func (t *team) onDeleteWatchlist(m DeleteWatchlist) {
	tracked := t.tracked(m.Type, m.ID)
	if tracked == nil {
		return
	}
	batch := &persistence.Batch{}
	batch.Delete(key(keyWatchlist, m.ID))
	for _, e := range tracked.view.Watchlist.Keywords {
		batch.Delete(scanKey(m.ID, e.ID))
	}
	batch.Put(key(keyDeleted, m.ID), nil)
	batch.Set(persistence.DirectoryKey{Kind: dirWatchlist, Name: string(m.ID)}, nil)
	delete(t.watchlists, m.ID)
	delete(t.weeks, m.ID)
	for _, open := range t.tasks {
		if open.watchlist == m.ID {
			t.ctx.Send(open.pid, dropTask{})
		}
	}
	t.commit(batch, Done{})
	// Through the watchlist, so that the purge comes behind all posts that it
	// has passed on.
	t.ctx.Send(tracked.pid, purge{watchlist: m.ID, team: t.ctx.Self()})
	t.ctx.Poison(tracked.pid)
}

// onWatchlistChange adds to a watchlist's decision the scans that it wants.
// What it returns (or nil) is to be done when the batch is durable.
func (t *team) onWatchlistChange(batch *persistence.Batch, c *watchlistChange) (handed func(error)) {
	id := c.view.Watchlist.ID
	t.watchlists[id].view = c.view
	for _, open := range t.tasks {
		if open.watchlist == id && slices.Contains(c.dropped, open.entry) {
			t.ctx.Send(open.pid, dropTask{})
		}
	}
	for _, scan := range c.wanted {
		handed = both(handed, t.createTask(batch, scan))
	}
	return handed
}

// onScanEnded stores how far the entry has come with the end of its scan, and
// tells the watchlist.
func (t *team) onScanEnded(batch *persistence.Batch, open *openTask, c *taskChange) {
	tracked := t.watchlists[open.watchlist]
	if !open.scan || tracked == nil || c.task.Failure != nil && c.task.Failure.Code == failDropped {
		return
	}
	if c.scan != nil {
		batch.Put(scanKey(open.watchlist, open.entry), encode(*c.scan))
	}
	t.ctx.Send(tracked.pid, scanEnded{entry: open.entry, record: c.scan})
}

// onCollected passes posts on to their watchlist. When it was deleted they are
// acknowledged and dropped.
func (t *team) onCollected(m collected) {
	if tracked := t.watchlists[m.watchlist]; tracked != nil {
		t.ctx.Send(t.feed, setQuota{t.weeklyQuota(t.env.clock.Now())}) // ahead of the posts
		t.ctx.Send(tracked.pid, m)
		return
	}
	t.ctx.Send(m.reply, ingested{from: m.from})
}
