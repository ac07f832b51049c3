package actors

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"watchpost/actors/dispatch"
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
