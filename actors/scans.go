package actors

import (
	"encoding/json"
	"slices"

	"watchpost/actors/dispatch"
	"watchpost/actors/insight"
	"watchpost/internal/ordered"
	"watchpost/internal/text"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// scans is the component of a team that knows which entries share a scan.
//
// The others report new scans (noteTargets, mayBeJoined), their ends (onScanEnded, forget)
// and entries and watchlists that are gone (dropOf, forgetUnscheduled); reschedule follows a
// change of a schedule, loadDay and onGetScanStates are for the counts of the day.
type scans struct {
	*rootActor
	team *team

	// joined is the task that scans an entry that asked for another one.
	joined   map[watchpost.TaskID]watchpost.TaskID
	subjects map[subject]watchpost.TaskID // the newest scan of each subject

	day  string // of days: watchpost.Daily.Key
	days map[dispatch.Schedule]teamspace.ScanDay
}

func newScans(t *team) *scans {
	return &scans{
		rootActor: &t.rootActor, team: t,
		joined:   map[watchpost.TaskID]watchpost.TaskID{},
		subjects: map[subject]watchpost.TaskID{},
		days:     map[dispatch.Schedule]teamspace.ScanDay{},
	}
}

// subject is what scans of one team have in common that are made once: the kind
// and the normalised keyword. It is zero for scans that are not shared.
type subject struct {
	kind    watchpost.TaskType
	keyword string
}

func subjectOf(t *watchpost.Task) subject {
	if t.Type != watchpost.TaskKeywordScan && t.Type != watchpost.TaskForumScan {
		return subject{}
	}
	keyword, _ := t.Input.Scan()
	return subject{t.Type, text.Normalize(keyword)}
}

func scanInput(input watchpost.ScanInput) watchpost.TaskInput {
	b, err := json.Marshal(input)
	if err != nil {
		panic(err) // strings and a time
	}
	return watchpost.ParseTaskInput(b)
}

// joined returns the scan that serves the entries of both: it looks back as far
// as the one that looks back further. ok is false when it was handed out.
func joined(scan, other *watchpost.Task) (both watchpost.Task, ok bool) {
	if both, ok = scan.Join(*other); ok {
		keyword, since := both.Input.Scan()
		if _, earlier := other.Input.Scan(); earlier.Before(since) {
			both.Input = scanInput(watchpost.ScanInput{Keyword: keyword, Since: earlier})
		}
	}
	return both, ok
}

// joinScan adds the entries of a scan that is not made to a waiting one with the
// same subject.
type joinScan struct{ other watchpost.Task }

// leaveScan takes an entry from those that a scan is for.
type leaveScan struct{ scan watchpost.TaskID }

// shareScan asks a watchlist for those of its entries with the keyword that are
// due soon; answered with a watchlistChange that names it.
type shareScan struct{ keyword string }

// shareName names the answer to a shareScan that scans wait for (dispatcher.await).
func shareName(w watchpost.WatchlistID, keyword string) string { return string(w) + " " + keyword }

// forgetUnscheduled forgets all that scans wait for of a watchlist.
func (sc *scans) forgetUnscheduled(w watchpost.WatchlistID) {
	sc.team.dispatch.Reported(string(w))
	sc.team.dispatch.ReportedAll(shareName(w, ""))
}

// reschedule ends the scans that are not wanted any more and adds those that are
// due to the batch, or their entries to a scan that waits.
func (sc *scans) reschedule(batch *persistence.Batch, dropped []watchpost.TaskID, wanted []watchpost.Task) {
	for _, scan := range dropped {
		sc.drop(scan)
	}
	slices.SortFunc(wanted, func(a, b watchpost.Task) int { return dispatch.CompareTurns(&a, &b) })
	var scans []watchpost.Task
	first := map[subject]int{}
	for i := range wanted {
		of := subjectOf(&wanted[i])
		if at, found := first[of]; found && of.kind != "" {
			var ok bool
			if scans[at], ok = joined(&scans[at], &wanted[i]); ok {
				continue
			}
		}
		first[of] = len(scans)
		scans = append(scans, wanted[i])
	}
	for i := range scans {
		if sc.joinWaiting(&scans[i]) {
			continue
		}
		sc.askToShare(&scans[i])
		sc.team.tasks.create(batch, scans[i])
	}
}

// joinWaiting adds the entries of a scan to one with the same subject that waits
// and was never handed out; it reports whether there is one.
func (sc *scans) joinWaiting(scan *watchpost.Task) bool {
	of := subjectOf(scan)
	id, found := sc.subjects[of]
	if of.kind == "" || !found {
		return false
	}
	open := sc.team.tasks.find(id)
	if !sc.team.dispatch.Waits(id) || !open.fresh || len(open.targets) == 0 {
		return false
	}
	targets := append(slices.Clone(open.targets), scan.Targets()...)
	if len(targets) > watchpost.MaxTargets {
		return false
	}
	open.targets = targets
	sc.noteTargets(id, open)
	sc.team.tasks.dueEarlier(open, scan.Due)
	sc.team.dispatch.Join(id, scan)
	sc.team.tasks.tell(joinScan{*scan}, open)
	return true
}

// noteTargets notes which task scans the entries that it is for.
func (sc *scans) noteTargets(id watchpost.TaskID, open *openTask) {
	for _, target := range open.targets {
		if target.Scan != id {
			sc.joined[target.Scan] = id
		}
	}
}

// forget removes a closed scan.
func (sc *scans) forget(id watchpost.TaskID, open *openTask) {
	for _, target := range open.targets {
		delete(sc.joined, target.Scan)
	}
	if sc.subjects[open.subject] == id {
		delete(sc.subjects, open.subject)
	}
}

// askToShare lets a new scan wait for those entries of other watchlists that
// may share it: they say themselves which are due.
func (sc *scans) askToShare(scan *watchpost.Task) {
	of := subjectOf(scan)
	if of.kind == "" {
		return
	}
	has := map[watchpost.WatchlistID]int{}
	for _, target := range scan.Targets() {
		has[target.Watchlist]++
	}
	for id, tracked := range sc.team.watchlists.all() {
		w := &tracked.view.Watchlist
		if w.Disabled || tracked.keywords[of.keyword] <= has[id] || w.Type.ScanTask() != of.kind {
			continue
		}
		sc.team.dispatch.Await(shareName(id, of.keyword))
		sc.Context.Send(tracked.pid, shareScan{of.keyword})
	}
}

// drop ends a scan for an entry: the scan itself with the last one.
func (sc *scans) drop(scan watchpost.TaskID) {
	id, found := sc.joined[scan]
	if !found {
		id = scan
	}
	open := sc.team.tasks.find(id)
	if open == nil {
		return
	}
	at := slices.IndexFunc(open.targets, func(s watchpost.ScanTarget) bool { return s.Scan == scan })
	if at < 0 {
		return
	}
	open.targets = slices.Delete(open.targets, at, at+1)
	delete(sc.joined, scan)
	if len(open.targets) == 0 {
		sc.team.tasks.tell(dropTask{}, open)
	} else {
		sc.team.tasks.tell(leaveScan{scan}, open)
	}
}

// dropOf ends the scans for some entries.
func (sc *scans) dropOf(gone func(watchpost.ScanTarget) bool) {
	for _, open := range sc.team.tasks.all() {
		for _, target := range slices.Clone(open.targets) {
			if gone(target) {
				sc.drop(target.Scan)
			}
		}
	}
}

// onScanEnded stores how far the entries have come with the end of their scan,
// and tells their owners.
func (sc *scans) onScanEnded(batch *persistence.Batch, open *openTask, c *taskChange) {
	served := map[dispatch.Schedule]bool{}
	defer func() { sc.noteDay(batch, c, served) }()
	for _, target := range open.targets {
		owner, scanned := sc.team.watchlists.scanned(target)
		if owner == nil {
			continue
		}
		served[dispatch.ScheduleOf(target)] = true
		ended := scanEnded{task: target.Scan, entry: target.Entry}
		if record, found := c.scans[target.Scan]; found {
			batch.Put(scanned, teamspace.Encode(record))
			ended.record = &record
		}
		sc.Context.Send(owner, ended)
	}
}

// noteDay counts a scan that has ended for the schedules that it served.
func (sc *scans) noteDay(batch *persistence.Batch, c *taskChange, served map[dispatch.Schedule]bool) {
	if day := watchpost.Daily.Key(c.at); day != sc.day {
		sc.day = day
		clear(sc.days)
	}
	for of := range ordered.ByKey(served) {
		d := sc.days[of]
		d.Planned = sc.team.dispatch.NeedOf(c.task.Type, of).PerDay()
		switch {
		case c.task.State != watchpost.TaskCompleted:
			d.Failed++
		case len(served) > 1:
			d.Shared++
			fallthrough
		default:
			d.Done++
		}
		sc.days[of] = d
		batch.Put(teamspace.ScanDayKey(sc.day, of), teamspace.Encode(d))
	}
}

// loadDay takes up the scans of the present day; named returns a schedule, nil when it is no
// more.
func (sc *scans) loadDay(view persistence.View, named func(dispatch.Schedule) *schedule) error {
	sc.day = watchpost.Daily.Key(sc.env.Clock.Now())
	return teamspace.LoadAll(view, sc.Space, teamspace.KeyScanDay+sc.day, func(id string, d teamspace.ScanDay) {
		of := dispatch.Schedule(id)
		if s := named(of); s != nil {
			sc.days[of] = d
			sc.team.dispatch.Scanned(s.owner.scansOf(), of, sc.day, d.Done+d.Failed)
		}
	})
}

// getScanStates asks how the scans of all watchlists stand; answered by scanStates.
type getScanStates struct{}

type scanStates = map[watchpost.WatchlistID]insight.ScanState

func (sc *scans) onGetScanStates() {
	states, due, now := scanStates{}, sc.team.dispatch.DueScans(), sc.env.Clock.Now()
	for id, tracked := range sc.team.watchlists.all() {
		w := &tracked.view.Watchlist
		if w.Disabled {
			continue
		}
		kind, of := w.Type.ScanTask(), scheduleOf(w)
		state := insight.ScanState{Planned: sc.team.dispatch.NeedOf(kind, of).PerDay(), Waiting: due[of]}
		if state.Waiting > 0 {
			state.Why, state.NotBefore = sc.team.dispatch.WhyScan(kind, of, now)
		}
		states[id] = state
	}
	sc.Answer(states, nil)
}

// mayBeJoined notes the scan of a subject that later ones may join.
func (sc *scans) mayBeJoined(of subject, scan watchpost.TaskID) { sc.subjects[of] = scan }
