package actors

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"watchpost/actors/dispatch"
	"watchpost/actors/journal"
	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// OpenTask is a task that is not final, as the members of its team see it.
type OpenTask struct {
	TaskView
	Asked   watchpost.Asker
	Member  watchpost.MemberID // in whose name, or on whose account; "" for any
	Holder  watchpost.MemberID // in whose browser it runs
	Entry   watchpost.JournalEntry
	Targets []watchpost.ScanTarget // of a scan
}

// OpenTasksPage is a selection of the open tasks, the running ones first.
type OpenTasksPage struct {
	Tasks []OpenTask
	// Counts are those of all open tasks by reason.
	Counts map[watchpost.PendingReason]int
}

// listOpen asks for the open tasks; answered by []openRow. Engagements selects
// likes and comments.
type listOpen struct{ engagements bool }

// openRow is an open task as the team knows it.
type openRow struct {
	id             watchpost.TaskID
	scan           bool
	reason         watchpost.PendingReason
	notBefore      time.Time
	member, holder watchpost.MemberID
}

func (t *tasks) onListOpen(m listOpen) {
	now := t.env.Clock.Now()
	type why struct {
		reason    watchpost.PendingReason
		notBefore time.Time
	}
	known := map[dispatch.Key]why{} // many tasks wait for the same
	rows := []openRow{}
	for id, open := range t.open {
		if open.ended || m.engagements && !open.kind.OnPost() {
			continue
		}
		row := openRow{id: id, scan: open.scan, member: open.member, reason: watchpost.PendingRunning}
		if open.holder == "" {
			k := open.queue()
			w, found := known[k]
			if !found {
				w.reason, w.notBefore = t.team.dispatch.Why(k, now)
				known[k] = w
			}
			row.reason, row.notBefore = w.reason, w.notBefore
		} else if s := t.team.sessions.find(open.holder); s != nil {
			row.holder = s.record.Member
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b openRow) int {
		return cmp.Or(cmp.Compare(order(a), order(b)), cmp.Compare(a.id, b.id))
	})
	t.Answer(rows, nil)
}

// order puts running tasks first, and those of callers before scans.
func order(r openRow) int {
	switch {
	case r.reason == watchpost.PendingRunning:
		return 0
	case !r.scan:
		return 1
	}
	return 2
}

// OpenTasks returns up to limit open tasks of a team, with why they wait. With
// engagements, only likes and comments. Errors: Unavailable.
func (r *reading) OpenTasks(ctx context.Context, team watchpost.TeamID, engagements bool, limit int) (OpenTasksPage, error) {
	page := OpenTasksPage{Counts: map[watchpost.PendingReason]int{}}
	rows, err := root.Call[[]openRow](ctx, r.Registry, string(team), listOpen{engagements})
	if err != nil || len(rows) == 0 {
		return page, err
	}
	view, err := r.viewFor(ctx)
	if err != nil {
		return page, root.Unavailable(err)
	}
	defer view.Close()
	now := r.env.Clock.Now()
	for _, row := range rows {
		page.Counts[row.reason]++
		if len(page.Tasks) == limit {
			continue
		}
		task, err := teamspace.Load[watchpost.Task](view, persistence.Space(team), teamspace.Key(teamspace.KeyTask, row.id))
		if errors.Is(err, persistence.ErrNotFound) || err == nil && task.State.Final() {
			page.Counts[row.reason]-- // it has ended since
			continue
		}
		if err != nil {
			return page, root.Unavailable(err)
		}
		page.Tasks = append(page.Tasks, OpenTask{
			TaskView: waitingView(&task, row.reason, row.notBefore, now), Asked: task.Asked, Member: row.member, Holder: row.holder,
			Entry: task.Journal(), Targets: task.Targets(),
		})
	}
	return page, nil
}

// JournalPage is a page of the journal, newest first.
type JournalPage struct {
	Entries []watchpost.JournalEntry
	// Next continues where the page ends; "" at the end of the journal. A page may
	// have few entries, or none, and go on.
	Next string
}

// maxJournalRead bounds the entries that a page looks at.
const maxJournalRead = 20_000

// Journal returns a page of what a team asked for on the network, from a cursor of
// an earlier page or "". It reads a snapshot, past the team's actors. Entries that
// a filter rules out are not decoded. Errors: Invalid for a cursor, Unavailable.
func (r *reading) Journal(ctx context.Context, team watchpost.TeamID, q watchpost.JournalQuery, cursor string, limit int) (JournalPage, error) {
	from := []byte(teamspace.KeyJournal)
	if cursor != "" {
		if !watchpost.ValidID(cursor) {
			return JournalPage{}, watchpost.Errorf(watchpost.Invalid, "Invalid 'after'")
		}
		from = append(teamspace.JournalKey(watchpost.TaskID(cursor)), 0)
	}
	view, err := r.viewFor(ctx)
	if err != nil {
		return JournalPage{}, root.Unavailable(err)
	}
	defer view.Close()
	page, failure := JournalPage{}, error(nil)
	needles, read := needlesOf(&q), 0
	var last []byte
	err = view.Scan(persistence.Space(team), from, persistence.PrefixEnd([]byte(teamspace.KeyJournal)), func(k, v []byte) bool {
		if len(page.Entries) == limit || read == maxJournalRead {
			page.Next = string(teamspace.JournalTask(last))
			return false
		}
		read++
		last = append(last[:0], k...)
		for _, needle := range needles {
			if !bytes.Contains(v, needle) {
				return true
			}
		}
		if q.About != nil && aboutOthers(v, q.About.Posts) {
			return true
		}
		var e watchpost.JournalEntry
		if failure = teamspace.Decode(v, &e); failure != nil {
			return false
		}
		if e.Number > 0 {
			e.Hash = journal.HashOf(v)
		}
		if q.Matches(&e) {
			page.Entries = append(page.Entries, e)
		}
		return q.From.IsZero() || !e.At.Before(q.From) // the rest is older
	})
	return page, root.Unavailable(cmp.Or(err, failure))
}

// needlesOf returns what the stored form of each matching entry contains. Texts of
// others cannot contain it, as their quotation marks are escaped.
func needlesOf(q *watchpost.JournalQuery) (needles [][]byte) {
	for name, value := range map[string]string{
		"Way": string(q.Way), "Member": string(q.Member), "Type": string(q.Type), "State": string(q.State), "Asked": q.Rule, "Code": q.Code, "Post": string(q.Post),
	} {
		if value != "" {
			needles = append(needles, fmt.Appendf(nil, `"%s":%q`, name, value))
		}
	}
	return needles
}

// aboutOthers reports whether the stored form of an entry names a post, and none of some.
func aboutOthers(v []byte, posts []watchpost.PostID) bool {
	_, named, found := bytes.Cut(v, []byte(`"Post":"`))
	return found && !slices.ContainsFunc(posts, func(id watchpost.PostID) bool { return bytes.HasPrefix(named, []byte(id)) })
}

// JournalTotals counts the tasks that a team has asked for since a moment and that have
// ended. One that was cancelled has not failed.
type JournalTotals struct {
	Done, Failed, Cancelled int
	Causes                  []JournalCause // of the failures, the most frequent first
}

// JournalCause is why tasks of a type failed. Message is that of the newest.
type JournalCause struct {
	Type          watchpost.TaskType
	Code, Message string
	Count         int
}

// JournalTotals counts all entries since a moment, without a bound: only those that
// failed are decoded. Errors: Unavailable.
func (r *reading) JournalTotals(ctx context.Context, team watchpost.TeamID, from time.Time) (JournalTotals, error) {
	view, err := r.viewFor(ctx)
	if err != nil {
		return JournalTotals{}, root.Unavailable(err)
	}
	defer view.Close()
	var totals JournalTotals
	var failure error
	done := needlesOf(&watchpost.JournalQuery{State: watchpost.TaskCompleted})[0]
	failed := needlesOf(&watchpost.JournalQuery{State: watchpost.TaskFailed})[0]
	end := persistence.PrefixEnd(teamspace.JournalKey(watchpost.TaskID(watchpost.FirstID(from))))
	err = view.Scan(persistence.Space(team), []byte(teamspace.KeyJournal), end, func(_, v []byte) bool {
		switch {
		case bytes.Contains(v, done):
			totals.Done++
		case bytes.Contains(v, failed):
			var e watchpost.JournalEntry
			failure = teamspace.Decode(v, &e)
			if e.Code == watchpost.FailCancelled {
				totals.Cancelled++
				return failure == nil
			}
			totals.fail(&e)
		}
		return failure == nil
	})
	slices.SortStableFunc(totals.Causes, func(a, b JournalCause) int { return cmp.Compare(b.Count, a.Count) })
	return totals, root.Unavailable(cmp.Or(err, failure))
}

func (t *JournalTotals) fail(e *watchpost.JournalEntry) {
	t.Failed++
	i := slices.IndexFunc(t.Causes, func(c JournalCause) bool { return c.Type == e.Type && c.Code == e.Code })
	if i < 0 {
		i = len(t.Causes)
		t.Causes = append(t.Causes, JournalCause{Type: e.Type, Code: e.Code, Message: e.Message})
	}
	t.Causes[i].Count++
}

// TasksPage is a page of a team's tasks, newest first, and the count of those on all
// pages.
type TasksPage struct {
	Tasks []TaskView
	Count int
}

// Tasks returns the tasks of callers that a query selects. It reads the journal, which
// has an entry for each: their inputs and outputs are read for the page only. Errors:
// Unavailable.
func (r *reading) Tasks(ctx context.Context, team watchpost.TeamID, q watchpost.TaskQuery) (TasksPage, error) {
	from, to := (q.Page-1)*q.Size, q.Page*q.Size
	ids := q.IDs
	var count int
	if len(ids) == 0 {
		var err error
		if ids, count, err = r.taskIDs(ctx, team, &q, from, to); err != nil {
			return TasksPage{}, root.Unavailable(err)
		}
	} else {
		ids = slices.Compact(slices.Sorted(slices.Values(ids)))
		slices.Reverse(ids)
		count = len(ids)
	}
	page := TasksPage{Tasks: make([]TaskView, 0, len(ids)), Count: count}
	for _, id := range ids {
		view, err := r.TaskStatus(ctx, team, id)
		switch {
		case err != nil && watchpost.KindOf(err) == watchpost.NotFound, err == nil && len(q.IDs) > 0 && !q.Matches(view.ID, view.Type, view.State):
			page.Count--
		case err != nil:
			return TasksPage{}, err
		default:
			page.Tasks = append(page.Tasks, view)
		}
	}
	if len(q.IDs) > 0 {
		page.Tasks = page.Tasks[min(from, len(page.Tasks)):min(to, len(page.Tasks))]
	}
	return page, nil
}

// taskIDs returns the tasks of the journal that a query selects, from one place to
// another, and the count of all. Entries are not decoded, but for those of tasks that may
// be deleted because they ended long ago.
func (r *reading) taskIDs(ctx context.Context, team watchpost.TeamID, q *watchpost.TaskQuery, from, to int) (ids []watchpost.TaskID, count int, err error) {
	view, err := r.viewFor(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer view.Close()
	end := persistence.PrefixEnd([]byte(teamspace.KeyJournal))
	if !q.Since.IsZero() {
		end = persistence.PrefixEnd(teamspace.JournalKey(watchpost.TaskID(watchpost.FirstID(q.Since))))
	}
	needles := needlesOf(&watchpost.JournalQuery{State: watchpost.TaskState(q.Status)})
	var kinds [][]byte
	for _, kind := range q.Types {
		kinds = append(kinds, needlesOf(&watchpost.JournalQuery{Type: kind})...)
	}
	has := func(v []byte) func([]byte) bool {
		return func(needle []byte) bool { return bytes.Contains(v, needle) }
	}
	before, ends := r.env.keepTasks.Expires(watchpost.KeepForever, r.env.Clock.Now())
	old := teamspace.JournalKey(watchpost.TaskID(watchpost.FirstID(before))) // none after it has ended since
	var failure error
	err = view.Scan(persistence.Space(team), []byte(teamspace.KeyJournal), end, func(k, v []byte) bool {
		if len(needles) > 0 && !has(v)(needles[0]) || len(kinds) > 0 && !slices.ContainsFunc(kinds, has(v)) {
			return true
		}
		if ends && bytes.Compare(k, old) > 0 {
			var e watchpost.JournalEntry
			if failure = teamspace.Decode(v, &e); failure != nil {
				return false
			}
			if e.Expired(before) {
				return true
			}
		}
		if count >= from && count < to {
			ids = append(ids, teamspace.JournalTask(k))
		}
		count++
		return true
	})
	return ids, count, errors.Join(err, failure)
}
