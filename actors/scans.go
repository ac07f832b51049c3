package actors

import (
	"encoding/json"
	"slices"

	"watchpost/actors/dispatch"
	"watchpost/internal/ordered"
	"watchpost/internal/text"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// scans is the component of a team that knows which entries share a scan.
type scans struct {
	*rootActor
	team *team

	// joined is the task that scans an entry that asked for another one.
	joined   map[watchpost.TaskID]watchpost.TaskID
	subjects map[subject]watchpost.TaskID // the newest scan of each subject
}

func newScans(t *team) *scans {
	return &scans{
		rootActor: &t.rootActor, team: t,
		joined:   map[watchpost.TaskID]watchpost.TaskID{},
		subjects: map[subject]watchpost.TaskID{},
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
	open := sc.team.tasks.open[id]
	if !sc.team.dispatch.Waits(id) || !open.fresh || len(open.targets) == 0 {
		return false
	}
	targets := append(slices.Clone(open.targets), scan.Targets()...)
	if len(targets) > watchpost.MaxTargets {
		return false
	}
	open.targets = targets
	sc.noteTargets(id, open)
	sc.team.tasks.tally.dueEarlier(open, scan.Due)
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
	for id, tracked := range ordered.ByKey(sc.team.watchlists.byID) {
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
	open := sc.team.tasks.open[id]
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
	for _, open := range ordered.ByKey(sc.team.tasks.open) {
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
	for _, target := range open.targets {
		owner, scanned := sc.team.watchlists.scanned(target)
		if owner == nil {
			continue
		}
		ended := scanEnded{task: target.Scan, entry: target.Entry}
		if record, found := c.scans[target.Scan]; found {
			batch.Put(scanned, teamspace.Encode(record))
			ended.record = &record
		}
		sc.Context.Send(owner, ended)
	}
}
