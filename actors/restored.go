package actors

import (
	"time"

	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// A store that was restored from a backup lacks later actions. Nothing may be
// done twice, and no allowance exceeded, because of that:
//
//   - A write that the backup has as open may have been done. It ends with
//     outcome_unknown, and its debits stay. A session's journal may still tell the
//     truth, as for any such write.
//   - What an account has used in the periods of the restore is not known: its
//     allowances count from the next reset on, also for accounts that were claimed
//     since the backup. What a session was allowed before may last past a reset that is
//     near; it is not allowed to begin such a write again, which is unknown here.
//   - Auto-engagement rules stop, until a member lets them go on.
//   - A comment or message may be asked for again that was done since the backup. Its
//     session looks for it on the page (protocol.Frame.Restored), as it does for likes
//     and invitations at any time.

// repeatedFor is how long after a restore sessions look for comments and messages on
// the page.
const repeatedFor = 7 * 24 * time.Hour

// mayRepeat reports whether a write of a type may have been done between the backup and
// the restore, and is not shown by the page alone.
func (env *environment) mayRepeat(kind watchpost.TaskType) bool {
	return kind.Writes() && !kind.PageDecides() &&
		!env.restoredAt.IsZero() && env.Clock.Now().Before(env.restoredAt.Add(repeatedFor))
}

// unknownByRestore is the failure of a write that was open in the backup.
var unknownByRestore = watchpost.TaskFailure{
	Code: watchpost.FailOutcomeUnknown, Message: "the service was restored from a backup, and the task may have been done since",
}

// restored reports whether a task is a write that was open in the backup from which the
// store was restored.
func (env *environment) restored(t *watchpost.Task) bool {
	return t.Type.Writes() && !t.CreatedAt.After(env.restoredAt)
}

// endRestored ends a write that was restored from a backup, and reports whether
// there was one.
func (t *task) endRestored() bool {
	if !t.env.restored(&t.state) {
		return false
	}
	by := t.holder()
	next, ok := t.state.Fail(unknownByRestore, t.env.Clock.Now())
	if ok {
		next.Restored = true
		t.decide(next, taskChange{event: taskEnded, by: by}, nil)
	}
	return ok
}

// allowancesFrom returns from when the allowances of a claim count.
func (env *environment) allowancesFrom(c teamspace.ClaimEntry) (daily, weekly time.Time) {
	daily, weekly = c.From, c.FromWeekly
	if at := env.restoredAt; !at.IsZero() {
		at = at.Add(watchpost.ActTime)
		daily, weekly = later(daily, watchpost.Daily.Reset(at)), later(weekly, watchpost.Weekly.Reset(at))
	}
	return daily, weekly
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
