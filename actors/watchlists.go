package actors

import (
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost/actors/cache"
	"watchpost/actors/dispatch"
	"watchpost/actors/poststore"
	"watchpost/actors/root"
	"watchpost/internal/ordered"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// trackedWatchlist is what the team keeps of a watchlist; its actor keeps the rest.
type trackedWatchlist struct {
	pid *actor.PID
	// view is how the watchlist stood at its last decision.
	view WatchlistView
	// keywords count its entries by normalised keyword.
	keywords map[string]int
}

// watchlists is the component of a team that owns its watchlists and lists, and
// the counters of their week.
//
// The others ask for watchlists and lists (find, all, count, has, followed), what they expect
// (expected) and how the week stands (week, takeWeek), and report changes (onWatchlistChange,
// onListChange, tellPlan), ends of scans (scanned), and deletions whose moment has come (delete).
type watchlists struct {
	*rootActor
	team *team

	byID  map[watchpost.WatchlistID]*trackedWatchlist
	lists map[watchpost.ListID]*followedList
	weeks map[watchpost.WatchlistID]poststore.WeekChange
}

func newWatchlists(t *team) *watchlists {
	return &watchlists{
		rootActor: &t.rootActor, team: t,
		byID:  map[watchpost.WatchlistID]*trackedWatchlist{},
		lists: map[watchpost.ListID]*followedList{},
		weeks: map[watchpost.WatchlistID]poststore.WeekChange{},
	}
}

// receive handles what concerns watchlists and their posts.
func (ws *watchlists) receive(message any) bool {
	switch m := message.(type) {
	case CreateWatchlist:
		ws.onCreateWatchlist(m)
	case PreviewWatchlist:
		ws.onPreviewWatchlist(m)
	case Follow:
		ws.onFollow(m)
	case ChangeList:
		ws.onChangeList(m)
	case GetWatchlist:
		if tracked := ws.tracked(m.Type, m.ID); tracked != nil {
			ws.Answer(ws.expected(ws.withWeek(ws.shown(tracked))), nil)
		}
	case ListWatchlists:
		ws.onListWatchlists(m)
	case getScanStates:
		ws.team.scans.onGetScanStates()
	case GetScanPlan:
		ws.Answer(ws.scanPlan(), nil)
	case UpdateWatchlist:
		if tracked := ws.tracked(m.Type, m.ID); tracked != nil {
			m.from = ws.team.audit.origin()
			ws.Context.RequestWithCustomSender(tracked.pid, m, ws.Context.Sender())
		}
	case DeleteWatchlist:
		if tracked := ws.tracked(m.Type, m.ID); tracked != nil {
			ws.delete(tracked, ws.env.ReplyTo(ws.Context.Sender(), root.Done{}))
		}
	case collected:
		ws.onCollected(m)
	case poststore.Purged:
		batch := &persistence.Batch{}
		batch.Delete(teamspace.Key(teamspace.KeyDeleted, m.Watchlist))
		ws.Commits.Submit(batch, nil)
	default:
		return false
	}
	return true
}

// load takes up the watchlists, how far their scans have come, and
// the unfinished work of deleted ones.
func (ws *watchlists) load(view persistence.View) error {
	watchlists := map[watchpost.WatchlistID]*watchlist{}
	var followers []watchpost.Watchlist
	err := teamspace.LoadAll(view, ws.Space, teamspace.KeyWatchlist, func(_ string, w watchpost.Watchlist) {
		if w.Type.HasKeywords() {
			watchlists[w.ID] = newWatchlist(ws.env, w, ws.Context.Self(), ws.team.postStore)
		} else {
			followers = append(followers, w)
		}
	})
	if err != nil {
		return err
	}
	lists, err := ws.loadLists(view, followers)
	if err != nil {
		return err
	}
	scheduleNamed := func(of dispatch.Schedule) *schedule {
		if found := watchlists[watchpost.WatchlistID(of)]; found != nil {
			return &found.schedule
		}
		if found := lists[watchpost.ListID(of)]; found != nil {
			return &found.schedule
		}
		return nil
	}
	err = teamspace.LoadAll(view, ws.Space, teamspace.KeyScan, func(id string, r teamspace.ScanRecord) {
		if s := scheduleNamed(dispatch.Schedule(id[:len(id)/2])); s != nil {
			s.scans[watchpost.EntryID(id[len(id)/2:])] = r
		}
	})
	if err = errors.Join(err, ws.team.scans.loadDay(view, scheduleNamed)); err != nil {
		return err
	}
	ws.team.scans.dropOf(func(target watchpost.ScanTarget) bool {
		s := scheduleNamed(dispatch.ScheduleOf(target))
		if s != nil {
			s.waiting[target.Entry] = target.Scan
		}
		return s == nil // its owner was deleted just before the end
	})
	for id, w := range ordered.ByKey(watchlists) {
		tracked := &trackedWatchlist{view: w.view()}
		ws.byID[id] = tracked
		tracked.pid = ws.begin(string(id), w)
	}
	ws.startLists(lists)
	for _, tracked := range ordered.ByKey(ws.byID) {
		ws.noteNeed(&tracked.view.Watchlist)
	}
	if err := ws.resumeRetag(view); err != nil {
		return err
	}
	return view.Scan(ws.Space, []byte(teamspace.KeyDeleted), persistence.PrefixEnd([]byte(teamspace.KeyDeleted)), func(k, _ []byte) bool {
		ws.Context.Send(ws.team.postStore, poststore.Purge{Watchlist: watchpost.WatchlistID(k[len(teamspace.KeyDeleted):]), Team: ws.Context.Self()})
		return true
	})
}

// tracked returns a watchlist of that family, or nil after answering NotFound.
func (ws *watchlists) tracked(kind watchpost.WatchlistType, id watchpost.WatchlistID) *trackedWatchlist {
	if tracked := ws.byID[id]; tracked != nil && tracked.view.Watchlist.Type == kind {
		return tracked
	}
	ws.Answer(nil, watchpost.Errorf(watchpost.NotFound, watchpost.TextWatchlistNotFound))
	return nil
}

// maxDefinition bounds a watchlist as it is stored, together with the list that
// it follows: a batch holds both twice, as they are also kept as a reply.
const maxDefinition = persistence.MaxBatchBytes/2 - 64<<10

// checkDefinition refuses what could not be stored.
func checkDefinition(records ...any) error {
	size := 0
	for _, r := range records {
		size += len(teamspace.Encode(r))
	}
	if size > maxDefinition {
		return watchpost.Errorf(watchpost.TooLarge, textTooLarge)
	}
	return nil
}

func (ws *watchlists) onCreateWatchlist(m CreateWatchlist) {
	if err := checkDefinition(m.Watchlist); err != nil {
		ws.Answer(nil, err)
		return
	}
	if err := ws.team.plan().CheckWatchlists(len(ws.byID)); err != nil {
		ws.Answer(nil, err)
		return
	}
	now := ws.env.Clock.Now()
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
	cache.PutNewWatchlist(batch, &w)
	ws.team.notifications.OnWatchlistCreated(batch, &w)
	batch.CompareAndSet(persistence.DirectoryKey{Kind: teamspace.DirWatchlist, Name: string(w.ID)}, nil, teamspace.Encode(teamspace.OwnerEntry{Team: ws.team.id}))
	list := newWatchlist(ws.env, w, ws.Context.Self(), ws.team.postStore)
	tracked := &trackedWatchlist{view: list.view()}
	ws.byID[w.ID] = tracked
	ws.noteNeed(&w)
	view := ws.expected(tracked.view)
	view.Warnings = append(view.Warnings, m.Warnings...)
	ws.team.idempotency.commitOnce(batch, view)
	// Spawned after the commit was submitted: its first scans come behind it.
	tracked.pid = ws.begin(string(w.ID), list)
}

// begin spawns the actor of a watchlist or list. Scans wait until it has said which of
// its own are due: one may be due before them.
func (ws *watchlists) begin(id string, owner actor.Actor) *actor.PID {
	ws.team.dispatch.Await(id)
	return ws.Spawn(owner)
}

func (ws *watchlists) onListWatchlists(m ListWatchlists) {
	views := make([]WatchlistView, 0, len(ws.byID))
	for _, tracked := range ws.byID {
		if m.Type == "" || tracked.view.Watchlist.Type == m.Type {
			views = append(views, ws.expected(ws.withWeek(ws.shown(tracked))))
		}
	}
	slices.SortFunc(views, byID)
	ws.Answer(views, nil)
}

// withWeek adds the counters of the current week.
func (ws *watchlists) withWeek(v WatchlistView) WatchlistView {
	week := ws.week(v.Watchlist.ID, ws.env.Clock.Now())
	v.PostsThisWeek, v.DroppedThisWeek = week.Posts, week.Dropped
	return v
}

// resumeRetag lets the post store go on with what a restart interrupted.
func (ws *watchlists) resumeRetag(view persistence.View) error {
	pending, err := poststore.RetagPending(view, ws.Space)
	if pending {
		ws.Context.Send(ws.team.postStore, poststore.Retag{})
	}
	return err
}

// takeWeek takes up how the week of a watchlist stands.
func (ws *watchlists) takeWeek(w *poststore.WeekChange) {
	if w != nil {
		ws.weeks[w.Watchlist] = *w
	}
}

// loadWeeks takes up how the watchlists stand in the present week.
func (ws *watchlists) loadWeeks(view persistence.View) error {
	week := watchpost.Weekly.Key(ws.env.Clock.Now())
	return teamspace.LoadAll(view, ws.Space, teamspace.KeyWeeklyCounter+week, func(id string, count watchpost.WeeklyCounter) {
		ws.weeks[watchpost.WatchlistID(id)] = poststore.WeekChange{Watchlist: watchpost.WatchlistID(id), Week: week, Count: count}
	})
}

// week returns what a watchlist has taken in the week that holds now.
func (ws *watchlists) week(id watchpost.WatchlistID, now time.Time) watchpost.WeeklyCounter {
	if w := ws.weeks[id]; w.Week == watchpost.Weekly.Key(now) {
		return w.Count
	}
	return watchpost.WeeklyCounter{}
}

// onWatchlistChange adds to a watchlist's decision the scans that it wants.
func (ws *watchlists) onWatchlistChange(batch *persistence.Batch, c *watchlistChange) {
	id := c.view.Watchlist.ID
	ws.team.dispatch.Reported(string(id))
	if c.shares != nil {
		ws.team.dispatch.Reported(shareName(id, c.shares.keyword))
	}
	ws.byID[id].view, ws.byID[id].keywords = c.view, c.keywords
	ws.noteNeed(&c.view.Watchlist)
	ws.team.scans.reschedule(batch, c.dropped, c.wanted)
}

// scanned returns the actor whose entry a scan is for, nil when that was
// deleted, and the key of the entry's record.
func (ws *watchlists) scanned(s watchpost.ScanTarget) (owner *actor.PID, record []byte) {
	if tracked := ws.byID[s.Watchlist]; tracked != nil {
		return tracked.pid, teamspace.ScanKey(s.Watchlist, s.Entry)
	}
	if followed := ws.lists[s.List]; followed != nil {
		return followed.pid, teamspace.ScanKey(s.List, s.Entry)
	}
	return nil, nil
}

// onCollected passes posts on to all whose entries they were found for. When
// there is none any more they are acknowledged and dropped.
func (ws *watchlists) onCollected(m collected) {
	var targets []watchpost.ScanTarget
	if open := ws.team.tasks.find(m.task); open != nil {
		targets = open.targets
	}
	m.answer.all = &answers{scans: map[watchpost.TaskID]teamspace.ScanRecord{}}
	var owners []*actor.PID
	var each []collected
	for _, target := range targets {
		if owner, _ := ws.scanned(target); owner != nil {
			to := m
			to.task, to.entry, to.answer.target = target.Scan, target.Entry, target.Scan
			owners, each = append(owners, owner), append(each, to)
		}
	}
	if len(each) == 0 {
		m.answer.all = nil
		ws.Context.Send(m.reply, m.answer)
		return
	}
	m.answer.all.left = len(each)
	ws.env.metrics.posts.WithLabelValues("collected").Add(float64(len(m.posts)))
	ws.Context.Send(ws.team.postStore, poststore.SetQuota{Quota: ws.team.weeklyQuota(ws.env.Clock.Now()), Watched: ws.team.arrivals.Wanted()}) // ahead of the posts
	for i := range each {
		ws.Context.Send(owners[i], each[i])
	}
}

// find returns a watchlist; nil when there is none of the id.
func (ws *watchlists) find(id watchpost.WatchlistID) *trackedWatchlist { return ws.byID[id] }

// followed returns a list of people or companies; nil when there is none of the id.
func (ws *watchlists) followed(id watchpost.ListID) *followedList { return ws.lists[id] }

// all yields the watchlists by their ids.
func (ws *watchlists) all() iter.Seq2[watchpost.WatchlistID, *trackedWatchlist] {
	return ordered.ByKey(ws.byID)
}

// count counts the watchlists.
func (ws *watchlists) count() int { return len(ws.byID) }

// delete decides a deletion in one small batch, which every query honours from then on;
// the post store removes the posts afterwards. onCommitted, if any, is called when the batch
// is durable or lost.
func (ws *watchlists) delete(tracked *trackedWatchlist, onCommitted func(error)) {
	w := tracked.view.Watchlist
	batch := &persistence.Batch{}
	cache.DeleteWatchlist(batch, w.ID)
	ws.team.notifications.OnWatchlistDeleted(batch, &w)
	for _, e := range w.Keywords {
		batch.Delete(teamspace.ScanKey(w.ID, e.ID))
	}
	batch.Put(teamspace.Key(teamspace.KeyDeleted, w.ID), nil)
	batch.Set(persistence.DirectoryKey{Kind: teamspace.DirWatchlist, Name: string(w.ID)}, nil)
	delete(ws.byID, w.ID)
	delete(ws.weeks, w.ID)
	ws.team.pendingDeletions.forget(batch, string(w.ID))
	ws.team.rules.OnWatchlistDeleted(batch, w.ID)
	ws.team.scans.forgetUnscheduled(w.ID)
	owner, gone := tracked.pid, true
	if !w.Type.HasKeywords() {
		owner, gone = ws.unfollow(batch, w)
	}
	ws.noteNeed(&w)
	ws.team.scans.dropOf(func(s watchpost.ScanTarget) bool { return s.Watchlist == w.ID })
	ws.Commits.Submit(batch, onCommitted)
	ws.team.rules.Run()
	ws.team.notifications.Clean()
	// Through the actor that passes its posts on, so that the purge comes behind them.
	ws.Context.Send(owner, poststore.Purge{Watchlist: w.ID, Team: ws.Context.Self()})
	if gone {
		ws.Context.Poison(owner)
	}
	ws.team.handouts.run() // it may have been the last that was waited for
}
