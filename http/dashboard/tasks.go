package dashboard

import (
	"encoding/json"
	"math"
	"time"

	"watchpost/actors"
	"watchpost/internal/words"
	"watchpost/watchpost"
)

// taskView is a task in words.
type taskView struct {
	ID                 watchpost.TaskID
	What, State, Extra string
	Class, Icon        string
	At                 moment
	Pending            bool
}

// pendingTexts say why a task waits, and what goes on then.
var pendingTexts = map[watchpost.PendingReason][2]string{
	watchpost.PendingRunning:          {"tasks.in_a_browser_now", ""},
	watchpost.PendingExtensionOffline: {"tasks.waiting_for_the_browser", "tasks.it_is_done_when_the_browser"},
	watchpost.PendingPaused:           {"tasks.paused", "tasks.the_account_is_paused_the_team"},
	watchpost.PendingWeeklyCap:        {"tasks.waiting_2", "tasks.this_weeks_invitations_are_used_up"},
	watchpost.PendingDailyCap:         {"tasks.waiting_2", "tasks.todays_allowance_is_used_up"},
	watchpost.PendingMemberAsked:      {"tasks.waiting_for_the_member", "tasks.the_browser_asks_the_member_before"},
	watchpost.PendingMemberPace:       {"tasks.waiting_2", "tasks.the_member_has_set_hours_or"},
	watchpost.PendingRetry:            {"tasks.waiting_2", "tasks.it_failed_without_acting_and_is"},
	watchpost.PendingQueued:           {"tasks.waiting_for_its_turn", ""},
}

// taskShown describes a task for the members of its team.
func taskShown(say *words.Language, t actors.TaskView, team watchpost.Team, now time.Time) taskView {
	var input struct {
		Email string `json:"user_email"`
	}
	_ = json.Unmarshal(t.Input, &input) // a task without the field names no member
	view := taskView{ID: t.ID, What: say.Known(t.Type.Title()), At: momentOf(say, ago(say, t.CreatedAt, now), t.CreatedAt)}
	if m, known := team.MemberByEmail(input.Email); known {
		view.What = say.Text("tasks.as", "what", view.What, "name", nameOf(m))
	}
	switch t.State {
	case watchpost.TaskCompleted:
		view.State, view.Class, view.Icon = say.Text("tasks.done"), "good", "check"
	case watchpost.TaskFailed:
		view.failed(say, t.Output)
	default:
		view.Pending = true
		text := pendingTexts[t.Reason]
		view.State, view.Class, view.Icon = say.Text(text[0]), "wait", "clock"
		if text[1] != "" {
			view.Extra = say.Text(text[1])
		}
		if t.Reason == watchpost.PendingRunning {
			view.Class, view.Icon = "info", "spin"
		}
		if t.NotBefore.After(now) && t.Reason == watchpost.PendingQueued {
			view.State, view.Extra = say.Text("tasks.not_sent_yet"), say.Text("tasks.it_goes_out_in_time", "time", secondsLeft(say, t.NotBefore, now))
		} else if t.NotBefore.After(now) {
			view.Extra += " " + say.Text("tasks.goes_on_at_at_utc_in", "at", zonedTime(say, t.NotBefore, now), "time", inTime(say, t.NotBefore.Sub(now)))
		}
	}
	return view
}

// secondsLeft writes how long it is until a moment, in whole seconds.
func secondsLeft(say *words.Language, at, now time.Time) string {
	return plural(say, max(0, int(math.Ceil(at.Sub(now).Seconds()))), "second")
}

const textCancelled = "tasks.nothing_was_sent"

// failed describes a failure: whether it was done is not always known.
func (v *taskView) failed(say *words.Language, output json.RawMessage) {
	var failure struct {
		Error struct{ Code, Message string } `json:"error"`
		Safe  bool                           `json:"retry_safe"`
	}
	_ = json.Unmarshal(output, &failure) // an output that cannot be read has no reason
	v.State, v.Class, v.Icon, v.Extra = say.Text("tasks.failed"), "bad", "x", say.Known(failure.Error.Message)
	switch {
	case failure.Error.Code == watchpost.FailCancelled:
		v.State, v.Class, v.Icon, v.Extra = say.Text("tasks.cancelled"), "", "x", say.Text(textCancelled)
	case failure.Error.Code == watchpost.FailOutcomeUnknown:
		v.State, v.Icon, v.Extra = say.Text("tasks.outcome_unknown"), "warn", say.Text("tasks.the_browser_closed_in_the_middle")
	case failure.Safe:
		v.Extra += " " + say.Text("tasks.it_is_safe_to_try_again")
	}
}

// inTime writes how long something takes.
func inTime(say *words.Language, d time.Duration) string {
	hours, minutes := int(d.Hours()), int(d.Minutes())%60
	if hours == 0 {
		return say.Text("time.minutes", "minutes", max(1, minutes))
	}
	return say.Text("time.hours_minutes", "hours", hours, "minutes", minutes)
}
