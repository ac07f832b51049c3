package actors

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost"
	"watchpost/internal/protocol"
	"watchpost/internal/text"
	"watchpost/persistence"
)

// subject is what scans of one team have in common that are made once: the kind
// and the normalised keyword. It is zero for scans that nobody shares.
type subject struct {
	kind    watchpost.TaskType
	keyword string
}

func subjectOf(t *watchpost.Task) subject {
	if t.Type != watchpost.TaskKeywordScan && t.Type != watchpost.TaskForumScan {
		return subject{}
	}
	return subject{t.Type, text.Normalize(scanInputOf(t).Keyword)}
}

func scanInput(input protocol.ScanInput) json.RawMessage {
	b, err := json.Marshal(input)
	if err != nil {
		panic(err) // strings and a time
	}
	return b
}

func scanInputOf(t *watchpost.Task) (input protocol.ScanInput) {
	if err := json.Unmarshal(t.Input, &input); err != nil {
		panic(err) // written by scanInput
	}
	return input
}

// joined returns the scan that serves the entries of both: it looks back as far
// as the one that looks back further. ok is false when it was handed out.
func joined(scan, other *watchpost.Task) (both watchpost.Task, ok bool) {
	if both, ok = scan.Join(*other); ok {
		input := scanInputOf(&both)
		if since := scanInputOf(other).Since; since.Before(input.Since) {
			input.Since = since
			both.Input = scanInput(input)
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

// shareName names the answer to a shareScan that scans wait for (dispatcher.unheard).
func shareName(w watchpost.WatchlistID, keyword string) string { return string(w) + " " + keyword }

// forgetUnscheduled forgets all that scans wait for of a watchlist.
func (t *team) forgetUnscheduled(w watchpost.WatchlistID) {
	delete(t.dispatch.unscheduled, string(w))
	maps.DeleteFunc(t.dispatch.unscheduled, func(name string, _ bool) bool { return strings.HasPrefix(name, shareName(w, "")) })
}

// onWatchlistChange adds to a watchlist's decision the scans that it wants.
// What it returns (or nil) is to be done when the batch is durable.
func (t *team) onWatchlistChange(batch *persistence.Batch, c *watchlistChange) (handed func(error)) {
	id := c.view.Watchlist.ID
	delete(t.dispatch.unscheduled, string(id))
	if c.shares != nil {
		delete(t.dispatch.unscheduled, shareName(id, c.shares.keyword))
	}
	t.watchlists[id].view, t.watchlists[id].keywords = c.view, c.keywords
	return t.reschedule(batch, c.dropped, c.wanted)
}

// reschedule ends the scans that nobody wants any more and adds those that are
// due to the batch, or their entries to a scan that waits. What it returns (or
// nil) is to be done when that is durable.
func (t *team) reschedule(batch *persistence.Batch, dropped []watchpost.TaskID, wanted []watchpost.Task) (handed func(error)) {
	for _, scan := range dropped {
		t.dropScan(scan)
	}
	// The first is handed out at once when a session is free.
	slices.SortFunc(wanted, func(a, b watchpost.Task) int { return turnOf(&a).compare(turnOf(&b)) })
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
		if t.joinWaiting(&scans[i]) {
			continue
		}
		t.askToShare(&scans[i])
		handed = both(handed, t.createTask(batch, scans[i]))
	}
	return handed
}

// joinWaiting adds the entries of a scan to one with the same subject that waits
// and was never handed out; it reports whether there is one.
func (t *team) joinWaiting(scan *watchpost.Task) bool {
	of := subjectOf(scan)
	id, found := t.subjects[of]
	if of.kind == "" || !found {
		return false
	}
	open := t.tasks[id]
	if _, waits := t.dispatch.waiting[id]; !waits || !open.fresh || len(open.targets) == 0 {
		return false
	}
	targets := append(slices.Clone(open.targets), scan.Targets()...)
	if len(targets) > watchpost.MaxTargets {
		return false
	}
	open.targets = targets
	t.noteTargets(id, open)
	if scan.Due.Before(open.due) {
		open.due = scan.Due
	}
	turn := turnOf(scan)
	turn.id = id
	t.dispatch.advance(turn)
	t.ctx.Send(open.pid, joinScan{*scan})
	return true
}

// noteTargets notes which task scans the entries that it is for.
func (t *team) noteTargets(id watchpost.TaskID, open *openTask) {
	for _, target := range open.targets {
		if target.Scan != id {
			t.joined[target.Scan] = id
		}
	}
}

// forgetScan ends what is known of a scan that is closed.
func (t *team) forgetScan(id watchpost.TaskID, open *openTask) {
	for _, target := range open.targets {
		delete(t.joined, target.Scan)
	}
	if t.subjects[open.subject] == id {
		delete(t.subjects, open.subject)
	}
}

// askToShare lets a new scan wait for those entries of other watchlists that
// may share it: they say themselves which are due.
func (t *team) askToShare(scan *watchpost.Task) {
	of := subjectOf(scan)
	if of.kind == "" {
		return
	}
	has := map[watchpost.WatchlistID]int{}
	for _, target := range scan.Targets() {
		has[target.Watchlist]++
	}
	for id, tracked := range t.watchlists {
		w := &tracked.view.Watchlist
		if w.Disabled || tracked.keywords[of.keyword] <= has[id] || scanOf(w.Type) != of.kind {
			continue
		}
		t.dispatch.unscheduled[shareName(id, of.keyword)] = true
		t.ctx.Send(tracked.pid, shareScan{of.keyword})
	}
}

// dropScan ends a scan for an entry: the scan itself with the last one.
func (t *team) dropScan(scan watchpost.TaskID) {
	id, found := t.joined[scan]
	if !found {
		id = scan
	}
	open := t.tasks[id]
	if open == nil {
		return
	}
	at := slices.IndexFunc(open.targets, func(s watchpost.ScanTarget) bool { return s.Scan == scan })
	if at < 0 {
		return
	}
	open.targets = slices.Delete(open.targets, at, at+1)
	delete(t.joined, scan)
	if len(open.targets) == 0 {
		t.ctx.Send(open.pid, dropTask{})
	} else {
		t.ctx.Send(open.pid, leaveScan{scan})
	}
}

// dropScansOf ends the scans for some entries.
func (t *team) dropScansOf(gone func(watchpost.ScanTarget) bool) {
	for _, open := range t.tasks {
		for _, target := range slices.Clone(open.targets) {
			if gone(target) {
				t.dropScan(target.Scan)
			}
		}
	}
}

// onScanEnded stores how far the entries have come with the end of their scan,
// and tells their owners.
func (t *team) onScanEnded(batch *persistence.Batch, open *openTask, c *taskChange) {
	for _, target := range open.targets {
		owner, scanned := t.scanned(target)
		if owner == nil {
			continue
		}
		ended := scanEnded{task: target.Scan, entry: target.Entry}
		if record, found := c.scans[target.Scan]; found {
			batch.Put(scanned, encode(record))
			ended.record = &record
		}
		t.ctx.Send(owner, ended)
	}
}

// scanned returns the actor whose entry a scan is for, nil when that was
// deleted, and the key of the entry's record.
func (t *team) scanned(s watchpost.ScanTarget) (owner *actor.PID, record []byte) {
	if tracked := t.watchlists[s.Watchlist]; tracked != nil {
		return tracked.pid, scanKey(s.Watchlist, s.Entry)
	}
	if followed := t.lists[s.List]; followed != nil {
		return followed.pid, scanKey(s.List, s.Entry)
	}
	return nil, nil
}

// onCollected passes posts on to all whose entries they were found for. When
// there is none any more they are acknowledged and dropped.
func (t *team) onCollected(m collected) {
	var targets []watchpost.ScanTarget
	if open := t.tasks[m.task]; open != nil {
		targets = open.targets
	}
	m.answer.all = &answers{scans: map[watchpost.TaskID]scanRecord{}}
	var owners []*actor.PID
	var each []collected
	for _, target := range targets {
		if owner, _ := t.scanned(target); owner != nil {
			to := m
			to.task, to.entry, to.answer.target = target.Scan, target.Entry, target.Scan
			owners, each = append(owners, owner), append(each, to)
		}
	}
	if len(each) == 0 {
		m.answer.all = nil
		t.ctx.Send(m.reply, m.answer)
		return
	}
	m.answer.all.left = len(each)
	t.env.metrics.posts.WithLabelValues("collected").Add(float64(len(m.posts)))
	t.ctx.Send(t.postStore, setQuota{t.weeklyQuota(t.env.clock.Now())}) // ahead of the posts
	for i := range each {
		t.ctx.Send(owners[i], each[i])
	}
}
