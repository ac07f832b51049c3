package actors

import (
	"errors"
	"time"

	"watchpost/actors/dispatch"
	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
	"watchpost/watchpost/forecast"
)

// pendingReasons are the labels of the gauge of pending work; all exist from
// the start.
var pendingReasons = []watchpost.PendingReason{
	watchpost.PendingRunning, watchpost.PendingExtensionOffline, watchpost.PendingPaused, watchpost.PendingWeeklyCap,
	watchpost.PendingDailyCap, watchpost.PendingMemberAsked, watchpost.PendingMemberPace, watchpost.PendingRetry, watchpost.PendingQueued,
}

// pendingGrain is how often a team counts its pending work.
const pendingGrain = 10 * time.Second

// pendingAtOnce is how many queues are looked at in one turn of the team's mailbox.
const pendingAtOnce = 50

// showPending brings the metrics up to why the team's open tasks wait. It looks
// at queues, not at tasks, and at some of them with each event.
func (t *tasks) showPending(now time.Time) {
	if len(t.open) == 0 || t.shownAt.IsZero() {
		t.counting = nil // it is out of date
	}
	if t.counting == nil {
		if len(t.open) > 0 && now.Sub(t.shownAt) < pendingGrain {
			return
		}
		t.shownAt = now
		t.counting = t.team.dispatch.Pending(now)
	}
	if !t.team.dispatch.Count(t.counting, pendingAtOnce, now) {
		return
	}
	for _, held := range t.held {
		t.counting.Counts[watchpost.PendingRunning] += len(held)
	}
	t.publishPending(t.counting.Counts, t.counting.Oldest)
	t.counting = nil
}

// hidePending takes the team, which leaves memory, out of the metrics of such teams.
func (t *tasks) hidePending() {
	t.countPending(nil)
	t.env.metrics.dueScans.leave(t.team.id)
}

func (t *tasks) publishPending(counts map[watchpost.PendingReason]int, oldest time.Time) {
	t.countPending(counts)
	t.env.metrics.dueScans.set(t.team.id, oldest)
}

func (t *tasks) countPending(counts map[watchpost.PendingReason]int) {
	for _, reason := range pendingReasons {
		if change := counts[reason] - t.counted[reason]; change != 0 {
			t.env.metrics.pending.WithLabelValues(string(reason)).Add(float64(change))
		}
	}
	t.counted = counts
}

// forecasts says when the work of each action is done, what would be added included. It
// looks at queues and accounts, not at tasks.
func forecasts(t *tasks, added []forecast.Added) []ActionForecast {
	now := t.env.Clock.Now()
	work := map[watchpost.Action][]forecast.Work{}
	add := func(k dispatch.Key, units int, isAdded bool) {
		w := forecast.Work{Account: k.Account, Units: units, Added: isAdded}
		if k.Member != "" && w.Account == "" {
			w.Account = t.team.members.bindings[k.Member].Account
		}
		w.Reason, w.NotBefore = t.team.dispatch.Why(k, now)
		work[k.Kind.Action()] = append(work[k.Kind.Action()], w)
	}
	for _, b := range t.team.dispatch.Backlogs() {
		add(b.Key, b.Units, false)
	}
	acting, _ := watchpost.ActingMember(t.team.members.list)
	for _, a := range added {
		k := dispatch.Key{Kind: a.Type}
		if a.Type.OfMember() {
			k.Member, k.Account = acting.ID, t.team.members.bindings[acting.ID].Account
		}
		add(k, a.Count, true)
	}
	live := t.team.accounts.live(now)
	all := make([]ActionForecast, 0, len(watchpost.Allowances)+1)
	for _, action := range watchpost.Actions() {
		accounts := make([]forecast.Account, len(live))
		for i, account := range live {
			accounts[i] = forecast.Account{Account: account, Room: max(0, t.team.dispatch.Standing(account).RoomOf(action, now))}
		}
		all = append(all, ActionForecast{action, forecast.Of(action, accounts, work[action], now)})
	}
	return all
}

// cancelTask has a caller's open task cancelled by its actor, which alone decides about
// it: a hand-out is before that or not at all. One without an actor has ended, or is
// unknown.
func cancelTask(t *tasks, id watchpost.TaskID) {
	open := t.open[id]
	switch {
	case open == nil:
		t.Answer(endedTask(t, id))
		return
	case open.scan:
		t.Answer(nil, watchpost.Errorf(watchpost.NotFound, watchpost.TextTaskNotFound))
		return
	}
	if err := t.team.keys.caller().Allows(open.kind.Scope()); err != nil {
		t.Answer(nil, err)
		return
	}
	if !t.start(open) {
		t.Answer(nil, t.Broken)
		return
	}
	t.Context.RequestWithCustomSender(open.actor, failTask{cancel: true}, t.Context.Sender())
}

// endedTask returns a caller's task that was cancelled (NotFound, Conflict for another end).
func endedTask(t *tasks, id watchpost.TaskID) (TaskView, error) {
	notFound := watchpost.Errorf(watchpost.NotFound, watchpost.TextTaskNotFound)
	if !watchpost.ValidID(string(id)) {
		return TaskView{}, notFound
	}
	view, err := t.env.View()
	if err != nil {
		return TaskView{}, root.Unavailable(err)
	}
	defer view.Close()
	task, err := teamspace.Load[watchpost.Task](view, t.Space, teamspace.Key(teamspace.KeyTask, id))
	switch {
	case errors.Is(err, persistence.ErrNotFound), err == nil && task.Type.Scan():
		return TaskView{}, notFound
	case err != nil:
		return TaskView{}, root.Unavailable(err)
	}
	if err := t.team.keys.caller().Allows(task.Type.Scope()); err != nil {
		return TaskView{}, err
	}
	if _, _, err := task.Cancel(t.env.Clock.Now()); err != nil {
		return TaskView{}, err
	}
	return viewOf(&task), nil
}
