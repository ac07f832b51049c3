package dashboard

import (
	"encoding/json"
	"math"
	"strconv"
	"time"

	"watchpost/actors"
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
	watchpost.PendingRunning:          {"in a browser now", ""},
	watchpost.PendingExtensionOffline: {"waiting for the browser", "It is done when the browser is next open and signed in."},
	watchpost.PendingPaused:           {"paused", "The account is paused; the team page says why."},
	watchpost.PendingWeeklyCap:        {"waiting", "This week's invitations are used up."},
	watchpost.PendingDailyCap:         {"waiting", "Today's allowance is used up."},
	watchpost.PendingMemberAsked:      {"waiting for the member", "The browser asks the member before it writes."},
	watchpost.PendingMemberPace:       {"waiting", "The member has set hours or pauses for what is done in their name."},
	watchpost.PendingRetry:            {"waiting", "It failed without acting and is tried again."},
	watchpost.PendingQueued:           {"waiting for its turn", ""},
}

// taskShown describes a task for the members of its team.
func taskShown(t actors.TaskView, team watchpost.Team, now time.Time) taskView {
	var input struct {
		Email string `json:"user_email"`
	}
	_ = json.Unmarshal(t.Input, &input) // a task without the field names no member
	view := taskView{ID: t.ID, What: t.Type.Title(), At: momentOf(ago(t.CreatedAt, now), t.CreatedAt)}
	if m, known := team.MemberByEmail(input.Email); known {
		view.What += " as " + nameOf(m)
	}
	switch t.State {
	case watchpost.TaskCompleted:
		view.State, view.Class, view.Icon = "done", "good", "check"
	case watchpost.TaskFailed:
		view.failed(t.Output)
	default:
		view.Pending = true
		text := pendingTexts[t.Reason]
		view.State, view.Extra, view.Class, view.Icon = text[0], text[1], "wait", "clock"
		if t.Reason == watchpost.PendingRunning {
			view.Class, view.Icon = "info", "spin"
		}
		if t.NotBefore.After(now) && t.Reason == watchpost.PendingQueued {
			view.State, view.Extra = "not sent yet", "It goes out in "+secondsLeft(t.NotBefore, now)+"."
		} else if t.NotBefore.After(now) {
			view.Extra += " Goes on at " + clockTime(t.NotBefore, now) + " UTC, in " + inTime(t.NotBefore.Sub(now)) + "."
		}
	}
	return view
}

// secondsLeft writes how long it is until a moment, in whole seconds.
func secondsLeft(at, now time.Time) string {
	return plural(max(0, int(math.Ceil(at.Sub(now).Seconds()))), "second")
}

const textCancelled = "Nothing was sent."

// failed describes a failure: whether it was done is not always known.
func (v *taskView) failed(output json.RawMessage) {
	var failure struct {
		Error struct{ Code, Message string } `json:"error"`
		Safe  bool                           `json:"retry_safe"`
	}
	_ = json.Unmarshal(output, &failure) // an output that cannot be read has no reason
	v.State, v.Class, v.Icon, v.Extra = "failed", "bad", "x", failure.Error.Message
	switch {
	case failure.Error.Code == watchpost.FailCancelled:
		v.State, v.Class, v.Icon, v.Extra = "cancelled", "", "x", textCancelled
	case failure.Error.Code == watchpost.FailOutcomeUnknown:
		v.State, v.Icon, v.Extra = "outcome unknown", "warn", "The browser closed in the middle. Look at the post before you repeat it."
	case failure.Safe:
		v.Extra += " It is safe to try again."
	}
}

// inTime writes how long something takes.
func inTime(d time.Duration) string {
	hours, minutes := int(d.Hours()), int(d.Minutes())%60
	if hours == 0 {
		return strconv.Itoa(max(1, minutes)) + " min"
	}
	return strconv.Itoa(hours) + " h " + strconv.Itoa(minutes) + " min"
}
