package watchpost

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"time"
)

// TaskEvent is an event of a task.
type TaskEvent uint8

// The events.
const (
	EventLease TaskEvent = iota
	EventAct
	EventReturn
	EventComplete
	EventFail
)

// transitions maps each state and event to the next state; other combinations
// are not allowed.
var transitions = map[TaskState]map[TaskEvent]TaskState{
	TaskPending: {EventLease: TaskLeased, EventComplete: TaskCompleted, EventFail: TaskFailed},
	TaskLeased:  {EventAct: TaskActing, EventReturn: TaskPending, EventComplete: TaskCompleted, EventFail: TaskFailed},
	TaskActing:  {EventReturn: TaskPending, EventComplete: TaskCompleted, EventFail: TaskFailed},
}

// Next returns the state after an event; ok is false if the event is not
// allowed in this state.
func (s TaskState) Next(e TaskEvent) (next TaskState, ok bool) {
	next, ok = transitions[s][e]
	return next, ok
}

// WithLease leases a pending task; ok is false if it is not pending. A member's
// task stays on the account of its first lease.
func (t Task) WithLease(l Lease) (Task, bool) {
	next, ok := t.State.Next(EventLease)
	if !ok {
		return t, false
	}
	t.State = next
	t.Attempts++
	t.NotBefore = time.Time{}
	l.Attempt = t.Attempts
	l.First, l.Units = t.Progress.Done, max(1, l.Units)
	t.Lease = &l
	if t.Member != "" && t.Account == "" {
		t.Account = l.Account
	}
	return t, true
}

// SetJournal moves a lease that has not acted to the session's current journal;
// ok is false if nothing changes.
func (t Task) SetJournal(journal string) (Task, bool) {
	if t.State != TaskLeased || t.Lease.Journal == journal {
		return t, false
	}
	l := *t.Lease
	l.Journal = journal
	t.Lease = &l
	return t, true
}

// Move clears the account of a member's task that was never leased, so that it
// can run on the member's current account; ok is false if nothing changes.
func (t Task) Move() (Task, bool) {
	if t.State != TaskPending || t.Attempts > 0 || t.Account == "" || t.Member == "" {
		return t, false
	}
	t.Account = ""
	return t, true
}

// Act records that the session is about to touch the network; ok is false if
// the task is not leased under this lease or is not a write.
func (t Task) Act(lease string, now time.Time) (Task, bool) {
	next, ok := t.State.Next(EventAct)
	if !ok || !t.Type.Writes() || !t.Holds(lease) {
		return t, false
	}
	t.State = next
	l := *t.Lease
	l.ActingAt = now
	t.Lease = &l
	return t, true
}

// maxPastLeases bounds Task.Past. A result under an older lease is acknowledged
// and ignored.
const maxPastLeases = 16

// Return makes a leased or acting task pending. lost counts the lease as
// expired.
func (t Task) Return(lost bool) (Task, bool) {
	next, ok := t.State.Next(EventReturn)
	if !ok {
		return t, false
	}
	t.State = next
	t.Past = append(append([]Lease(nil), t.Past...), *t.Lease)
	if len(t.Past) > maxPastLeases {
		t.Past = t.Past[len(t.Past)-maxPastLeases:]
	}
	t.Lease = nil
	if lost {
		t.Lost++
	}
	return t, true
}

// LoseLease applies the expiry of a lease (protocol.md#rules-of-the-service). A
// task that is not acting becomes pending or, after MaxAttempts, fails. A write
// in acting stays with its journal. The task may be leased again immediately,
// because the duration of the lease was pause enough.
func (t Task) LoseLease(now time.Time) (Task, bool) {
	if t.State != TaskLeased {
		return t, false
	}
	next, _ := t.Return(true)
	next.Begun = next.Begun || !t.Type.Writes()
	return next.giveUp("", now)
}

// Retry makes a task pending after an error that allows a retry, or fails it
// after MaxAttempts; ok is false if it is neither leased nor acting. The task
// waits until NotBefore, unless the error pauses the task type or closes the action,
// which then determines the next attempt.
func (t Task) Retry(v Outcome, now time.Time) (Task, bool) {
	next, ok := t.Return(v.Lost)
	if !ok {
		return t, false
	}
	next.Begun = next.Begun || !v.Refund
	if v.PauseType && next.PausedSince.IsZero() {
		next.PausedSince = now
	}
	if !v.PauseType && !v.SlowDown && !v.CloseAction {
		next = next.delayed(now)
	}
	return next.giveUp(v.Failure.Message, now)
}

// Release makes a task pending that its session did not begin, or postpones one of a
// rule; ok is false if it is neither leased nor acting.
func (t Task) Release(now time.Time) (Task, bool) {
	next, ok := t.Return(false)
	if !ok {
		return t, false
	}
	return next.delayed(now).giveUp("", now)
}

// PutOff makes a task pending about which its session asks the member. It keeps its
// turn, one of a rule too; ok is false if it is not leased.
func (t Task) PutOff() (Task, bool) {
	if t.State != TaskLeased {
		return t, false
	}
	return t.Return(false)
}

// Decline fails a task that the member does not want; ok is false if it has begun to
// act or is final.
func (t Task) Decline(now time.Time) (Task, bool) {
	if t.State == TaskActing {
		return t, false
	}
	return t.Fail(TaskFailure{Code: FailDeclined, Message: "the member declined it"}, now)
}

// EveryAttempt stands for all attempts of a task.
const EveryAttempt = -1

// Cancel fails a task that has not begun to act, as its caller wants. refund is the
// attempt whose debits are given back, or EveryAttempt. Of a write that is all: its
// sessions were not let go. A read touches the network as soon as a session has it, so
// it can only be cancelled while none has. A task that was cancelled before is returned
// as it is; others are a Conflict.
func (t Task) Cancel(now time.Time) (next Task, refund int, err error) {
	switch {
	case t.Cancelled():
		return t, 0, nil
	case t.State == TaskPending, t.State == TaskLeased && t.Type.Writes():
		if t.Type.Writes() {
			refund = EveryAttempt
		}
		next, _ = t.Fail(TaskFailure{Code: FailCancelled, Message: "it was cancelled before it was begun", RetrySafe: true}, now)
		return next, refund, nil
	}
	return t, 0, Errorf(Conflict, TextBeingDone)
}

// Cancelled reports whether the task failed because it was cancelled.
func (t *Task) Cancelled() bool {
	return t.State == TaskFailed && t.Failure != nil && t.Failure.Code == FailCancelled
}

// delayed sets the earliest time of the next lease of a pending task.
func (t Task) delayed(now time.Time) Task {
	t.Retries++
	t.NotBefore = now.Add(RetryDelay(t.ID, t.Retries)).Round(time.Millisecond)
	return t
}

// giveUp fails a pending task after MaxAttempts without an answer, and one of a rule
// at once: what let the rule act holds no longer, and it decides again.
func (t Task) giveUp(message string, now time.Time) (Task, bool) {
	if t.Asked.Kind == AskedByRule {
		return t.Fail(RulePostponed(message), now)
	}
	if t.Lost < t.Type.MaxAttempts() {
		return t, true
	}
	if message == "" {
		message = fmt.Sprintf("no session answered in %d attempts", t.Lost)
	}
	return t.Fail(TaskFailure{Code: FailNoAnswer, Message: message, RetrySafe: true}, now)
}

// RulePostponed is the failure of a rule's task that was not done.
func RulePostponed(why string) TaskFailure {
	return TaskFailure{Code: FailRulePostponed, Message: cmp.Or(why, "it was not done, and its rule decides again"), RetrySafe: true}
}

// RetryDelay returns how long a task waits before its nth retry: 30 s, doubled
// with each retry up to an hour, ±20 %. The jitter spreads tasks that failed
// together. It is a function of the task and n, so that a restart does not
// change it.
func RetryDelay(id TaskID, n int) time.Duration {
	const first, longest = 30 * time.Second, time.Hour
	delay := longest
	if shift := max(n-1, 0); shift < 7 {
		delay = first << shift
	}
	h := fnv.New32a()
	_, _ = fmt.Fprintf(h, "%s %d", id, n) // a hash never fails
	return delay*4/5 + delay*2/5*time.Duration(h.Sum32()%1000)/999
}

// Complete ends a task with its output; ok is false if it is already final.
func (t Task) Complete(output json.RawMessage, now time.Time) (Task, bool) {
	next, ok := t.State.Next(EventComplete)
	if !ok {
		return t, false
	}
	t.State, t.Output, t.EndedAt, t.Lease = next, output, now, nil
	return t, true
}

// Fail ends a task with a failure; ok is false if it is already final.
func (t Task) Fail(f TaskFailure, now time.Time) (Task, bool) {
	next, ok := t.State.Next(EventFail)
	if !ok {
		return t, false
	}
	if t.Lease != nil { // a late result may still arrive under it
		t.Past = append(append([]Lease(nil), t.Past...), *t.Lease)
	}
	t.State, t.Failure, t.EndedAt, t.Lease = next, &f, now, nil
	return t, true
}

// Resolve records the outcome of a write that failed with outcome_unknown, as the
// session of a lease reports it; ok is false if the report does not tell, or if the
// outcome was known before. The status does not change.
//
// The outcome is that of the last attempt: the earlier ones ended because they had
// not acted, so that one of them did not act tells nothing. That any of them acted
// tells that the write is done.
func (t Task) Resolve(under Lease, acted bool, now time.Time) (Task, bool) {
	last := under.Attempt == t.Attempts && !t.Restored
	if !t.Unknown() || t.Resolved != nil || !acted && !last {
		return t, false
	}
	t.Resolved = &Resolution{Acted: acted, At: now}
	return t, true
}

// Unknown reports whether the task failed and it is not known whether it was
// done.
func (t *Task) Unknown() bool {
	return t.State == TaskFailed && t.Failure != nil && t.Failure.Code == FailOutcomeUnknown
}

// Expires returns when the task ends if nothing more happens; ok is false if it
// does not expire.
func (t Task) Expires() (at time.Time, ok bool) {
	switch {
	case t.State == TaskActing:
		return t.Lease.ActingAt.Add(ActingLimit), true
	case t.State == TaskPending && !t.PausedSince.IsZero():
		return t.PausedSince.Add(LayoutLimit), true
	case t.State == TaskPending && !t.Begun && t.Progress.Done == 0 && !t.Type.Scan():
		return t.CreatedAt.Add(TaskExpiry), true
	}
	return time.Time{}, false
}

// Expire ends a task whose expiry has passed, as of the time of expiry.
func (t Task) Expire(now time.Time) (Task, bool) {
	at, ok := t.Expires()
	if !ok || now.Before(at) {
		return t, false
	}
	switch {
	case t.State == TaskActing:
		return t.Fail(TaskFailure{Code: FailOutcomeUnknown, Message: "the session did not say whether it acted"}, at)
	case !t.PausedSince.IsZero():
		return t.Fail(TaskFailure{Code: "page_not_understood", Message: "the network's page was not understood for a day", RetrySafe: true}, at)
	default:
		return t.Fail(TaskFailure{Code: FailExpired, Message: "the task was not begun within seven days", RetrySafe: true}, at)
	}
}
