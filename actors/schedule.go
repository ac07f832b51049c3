package actors

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost/actors/dispatch"
	"watchpost/actors/poststore"
	"watchpost/actors/root"
	"watchpost/internal/ordered"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
	"watchpost/watchpost/scanplan"
)

// schedule decides when the entries of a watchlist or list are scanned. It is
// the part of the two actors that they share: how far the scans have come, which
// of them are out, the timer for the next, and the decision that goes to the
// team.
type schedule struct {
	env       *environment
	team      *actor.PID
	postStore *actor.PID
	owner     entryOwner

	ctx   actor.Context
	scans map[watchpost.EntryID]teamspace.ScanRecord
	// waiting holds the entries with a scan that is not finished: one at most.
	waiting map[watchpost.EntryID]watchpost.TaskID
	timer   watchpost.Timer
}

// entryOwner is the watchlist or list that a schedule belongs to.
type entryOwner interface {
	// entries returns those that are to be scanned at all, and when.
	entries() []dueEntry
	// scanTask returns the scan of an entry that became due.
	scanTask(dueEntry) watchpost.Task
	// scanKey is where the progress of an entry is stored.
	scanKey(watchpost.EntryID) []byte
	// scansOf is the type of its scans.
	scansOf() watchpost.TaskType
	// decision is what the team has to know of the owner, with its scans.
	decision(scanPlan) decided
}

// dueEntry is when an entry is to be scanned.
type dueEntry struct {
	entry watchpost.EntryID
	at    int // its place among the owner's entries
	due   time.Time
	// shared is set when it is scanned though it is not due yet, because another
	// entry with its keyword is.
	shared bool
}

// scanPlan are the scans that are due, and those that are out and unwanted.
type scanPlan struct {
	wanted  []watchpost.Task
	dropped []watchpost.TaskID
}

// scanTimes are when a scan has finished last and when one is due next; zero
// when there is none.
type scanTimes struct{ last, next time.Time }

// scanDue is the timer of a schedule.
type scanDue struct{}

// scanEnded tells the owner of an entry that a scan of it is over. A nil
// record means that it failed.
type scanEnded struct {
	task   watchpost.TaskID
	entry  watchpost.EntryID
	record *teamspace.ScanRecord
}

func newSchedule(env *environment, owner entryOwner, team, postStore *actor.PID) schedule {
	return schedule{
		env: env, team: team, postStore: postStore, owner: owner,
		scans: map[watchpost.EntryID]teamspace.ScanRecord{}, waiting: map[watchpost.EntryID]watchpost.TaskID{},
	}
}

// handle does the common part for both actors; it reports whether the message
// is left for the actor's own table.
func (s *schedule) handle(c actor.Context) bool {
	s.ctx = c
	switch m := c.Message().(type) {
	case *actor.Started:
		s.decide(nil, nil)
	case *actor.Stopping:
		s.disarm()
	case *actor.Stopped, *actor.Restarting:
	case scanDue:
		s.timer = nil
		s.decide(nil, s.env.ReplyTo(c.Sender(), root.Done{}))
	case scanEnded:
		s.onScanEnded(m)
	case poststore.Purge:
		c.Send(s.postStore, m)
	default:
		return true
	}
	return false
}

// decide sends a decision to the team together with the scans that are due.
func (s *schedule) decide(batch *persistence.Batch, then func(error)) {
	d := s.planned(s.owner.entries())
	d.batch, d.onCommitted = batch, then
	s.ctx.Send(s.team, d)
}

// planned is what the team has to know, given the entries and when they are due.
func (s *schedule) planned(entries []dueEntry) decided {
	due, dropped := s.plan(entries, s.ctx.Self())
	p := scanPlan{dropped: dropped}
	for _, e := range due {
		p.wanted = append(p.wanted, s.owner.scanTask(e))
	}
	return s.owner.decision(p)
}

// makeDue makes all entries due now, whatever their frequency says.
func (s *schedule) makeDue(entries []dueEntry) {
	now := s.env.Clock.Now()
	for i := range entries {
		entries[i].due = watchpost.Earlier(entries[i].due, now)
	}
}

// refuse answers the sender with an error, behind all earlier decisions.
func (s *schedule) refuse(err error) {
	s.ctx.Send(s.team, decided{onCommitted: s.env.ReplyTo(s.ctx.Sender(), err)})
}

// disarm stops the timer.
func (s *schedule) disarm() {
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
}

// plan is given all entries that are to be scanned at all. It returns those
// that are due and not out yet, and the scans that are out for entries which
// are no longer among them, and arms the timer for the next.
func (s *schedule) plan(entries []dueEntry, owner *actor.PID) (due []dueEntry, dropped []watchpost.TaskID) {
	now := s.env.Clock.Now()
	s.disarm()
	wanted := make(map[watchpost.EntryID]bool, len(entries))
	var next time.Time
	for _, e := range entries {
		wanted[e.entry] = true
		_, out := s.waiting[e.entry]
		switch {
		case out:
		case e.shared, !e.due.After(now):
			due = append(due, e)
		case next.IsZero() || e.due.Before(next):
			next = e.due
		}
	}
	for entry, task := range ordered.ByKey(s.waiting) {
		if !wanted[entry] {
			dropped = append(dropped, task)
			delete(s.waiting, entry)
		}
	}
	if !next.IsZero() {
		s.timer = s.env.TellAt(next, owner, scanDue{})
	}
	return due, dropped
}

// scan returns a scan of an entry that is due, and notes that it is out.
func (s *schedule) scan(kind watchpost.TaskType, e dueEntry) watchpost.Task {
	now := s.env.Clock.Now()
	id := watchpost.TaskID(watchpost.NewID(now))
	s.waiting[e.entry] = id
	return watchpost.Task{ID: id, Type: kind, State: watchpost.TaskPending, CreatedAt: now, Entry: e.entry, Due: e.due}
}

// since is from when on a scan of an entry looks for posts.
func (s *schedule) since(entry watchpost.EntryID) time.Time {
	return watchpost.ScanSince(s.scans[entry].Newest, s.env.Clock.Now())
}

// finished returns how far an entry has come when a scan of it has brought its
// last posts.
func (s *schedule) finished(m collected) *teamspace.ScanRecord {
	r := s.scans[m.entry]
	r.FinishedAt = s.env.Clock.Now()
	if m.newest.After(r.Newest) {
		r.Newest = m.newest
	}
	return &r
}

// onScanEnded notes how far an entry has come and schedules its next scan. The
// progress of a scan that brought its last posts was stored with the end of its
// task. A scan that is not waited for any more is ignored.
func (s *schedule) onScanEnded(m scanEnded) {
	if task, out := s.waiting[m.entry]; !out || task != m.task {
		return
	}
	delete(s.waiting, m.entry)
	if m.record != nil {
		s.scans[m.entry] = *m.record
		s.decide(nil, nil)
		return
	}
	r := s.scans[m.entry]
	r.FinishedAt = s.env.Clock.Now()
	s.scans[m.entry] = r
	batch := &persistence.Batch{}
	batch.Put(s.owner.scanKey(m.entry), teamspace.Encode(r))
	s.decide(batch, nil)
}

// times returns when the last scan has finished, and when the next is due of
// the entries that are to be scanned.
func (s *schedule) times(entries []dueEntry) scanTimes {
	var t scanTimes
	for _, r := range s.scans {
		if r.FinishedAt.After(t.last) {
			t.last = r.FinishedAt
		}
	}
	for _, e := range entries {
		if t.next.IsZero() || e.due.Before(t.next) {
			t.next = e.due
		}
	}
	return t
}

// expected adds the forecast of the scans, warnings where it falls short, why
// those wait that are due, and the moment of a deletion that waits.
func (ws *watchlists) expected(v WatchlistView) WatchlistView {
	w := &v.Watchlist
	v.DeletedAt = ws.team.pendingDeletions.at(string(w.ID))
	of := scheduleOf(w)
	if !w.Disabled {
		v.Waits, v.NotBefore = ws.team.dispatch.WhyScan(w.Type.ScanTask(), of, ws.env.Clock.Now())
	}
	o, asked := ws.team.dispatch.Needs(w.Type.ScanTask()).Outlook(of, ws.live())
	return withOutlook(v, o, asked)
}

// live is how many accounts may do scans.
func (ws *watchlists) live() int { return len(ws.team.accounts.live(ws.env.Clock.Now())) }

// onPreviewWatchlist answers what a watchlist could expect that the team does not have.
func (ws *watchlists) onPreviewWatchlist(m PreviewWatchlist) {
	w := &m.Watchlist
	if err := checkDefinition(*w); err != nil {
		ws.Answer(nil, err)
		return
	}
	needs, at := ws.team.dispatch.Needs(w.Type.ScanTask()).Copy(scheduleOf(w))
	needs[at] = scanplan.KeywordNeed(w)
	o, asked := scanplan.ForecastOf(w.Type.ScanTask().Action(), needs, ws.live()).Outlook(at)
	ws.Answer(withOutlook(WatchlistView{Watchlist: *w}, o, asked), nil)
}

// withOutlook adds the forecast of the scans of a watchlist. asked is how often its schedule
// asks for them.
func withOutlook(v WatchlistView, o scanplan.Outlook, asked watchpost.FetchFrequency) WatchlistView {
	w := &v.Watchlist
	v.Outlook = o
	if w.Disabled {
		v.Outlook.PerDay, v.Outlook.Interval = 0, 0
	}
	if warning := v.Outlook.Warning(w.Type, asked); warning != "" {
		v.Warnings = []string{warning}
	}
	return v
}

// scheduleOf names the schedule of the scans for a watchlist.
func scheduleOf(w *watchpost.Watchlist) dispatch.Schedule {
	return dispatch.ScheduleOf(watchpost.ScanTarget{Watchlist: w.ID, List: w.List})
}

// listNeed returns what the schedule of a list asks for.
func (ws *watchlists) listNeed(followed *followedList) scanplan.Need {
	var followers []watchpost.Watchlist
	for _, tracked := range ws.byID {
		if w := &tracked.view.Watchlist; w.List == followed.list.ID {
			followers = append(followers, *w)
		}
	}
	if !ws.team.plan().Scans(followed.list.Type) {
		return scanplan.Need{}
	}
	return scanplan.ListNeed(followers, len(followed.list.Entries))
}

// noteNeed tells the dispatcher what the schedule of a watchlist asks for: nothing, when it
// was deleted.
func (ws *watchlists) noteNeed(w *watchpost.Watchlist) {
	var need scanplan.Need
	switch {
	case !w.Type.HasKeywords():
		if followed := ws.lists[w.List]; followed != nil {
			need = ws.listNeed(followed)
		}
	case ws.byID[w.ID] != nil:
		need = scanplan.KeywordNeed(w)
	}
	ws.team.dispatch.Need(w.Type.ScanTask(), scheduleOf(w), need)
}
