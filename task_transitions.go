package watchpost

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"time"
)

// Task is one piece of work for a session, as the service keeps it. Its
// methods are the transition table of the specification's agent task, refined
// by the leases of the session protocol:
//
//	           lease              act (writes)
//	pending ─────────▶ leased ─────────────▶ acting
//	   ▲  ▲               │ return               │ return (acted: false)
//	   │  └───────────────┘                      │
//	   └─────────────────────────────────────────┘
//	pending, leased, acting ── complete ──▶ completed
//	pending, leased, acting ── fail ──────▶ failed
//
// completed and failed are final. A result may reach a pending task: it is the
// late answer of an attempt whose lease was lost.
type Task struct {
	ID        TaskID
	Type      TaskType
	Input     json.RawMessage // the request's fields as given, or a scan's input
	State     TaskState
	CreatedAt time.Time
	EndedAt   time.Time
	Output    json.RawMessage // of a completed task
	Failure   *TaskFailure    // of a failed task

	// Watchlist or List, and Entry, say what a scan is for; Due is when it
	// became due and orders scans. They are empty in a client's task.
	Watchlist WatchlistID
	List      ListID
	Entry     EntryID
	Due       time.Time
	// Shared are the entries that the scan is for when it serves, or has
	// served, several with the same keyword; Entry is then only its turn.
	Shared []ScanTarget `json:",omitempty"`

	// Member is in whose name a write acts or on whose account a read runs,
	// Account that account, once it is known; both are empty for reads that any
	// account of the team may do.
	Member  MemberID
	Account AccountURN
	// Attempts counts hand-outs, Lost those whose lease ran out.
	Attempts int
	Lost     int
	// Begun is set when an attempt may have touched the network: one that was
	// released, that says it did not act, or that was a write and never acting
	// has not.
	Begun bool
	// Lease is the present hand-out; nil unless leased or acting. Past holds
	// the earlier ones, whose late results are still taken.
	Lease *Lease
	Past  []Lease
	// Progress is how far a task that is done in slices has come.
	Progress Progress
	// Resolved is what became known of a write after it had failed
	// outcome_unknown; nil when nothing did.
	Resolved *Resolution
	// NotBefore is when a task that was put back may be handed out again;
	// Retries counts how often it was put back since it last made progress.
	NotBefore time.Time `json:",omitzero"`
	Retries   int       `json:",omitzero"`
	// PausedSince is when the layout of the network's page was first not
	// understood, since the last success; zero when it was not.
	PausedSince time.Time
}

// Lease is one hand-out of a task to a session.
type Lease struct {
	ID       string
	Session  SessionID
	Account  AccountURN
	Attempt  int
	Journal  string // the session's journal at hand-out
	Deadline time.Time
	ActingAt time.Time // zero until acting is recorded
	// First and Units say which references of a task in slices were handed out.
	First, Units int
}

// Resolution is a truth that arrived after outcome_unknown: whether the write
// was done, and when that became known.
type Resolution struct {
	Acted bool
	At    time.Time
}

// Debit is what a hand-out used of an allowance, in the period named by Period
// (Period.Key). A task that is still out when a period ends is debited in the
// next one too.
type Debit struct {
	Account AccountURN
	Action  Action
	Period  string
	Attempt int
	Units   int // 0 is 1
}

// Count is how many units the debit is of.
func (d Debit) Count() int { return max(1, d.Units) }

// TaskEvent is what can happen to a task.
type TaskEvent uint8

// The events.
const (
	EventLease TaskEvent = iota
	EventAct
	EventReturn
	EventComplete
	EventFail
)

// transitions lists the next state for each state and event; what is absent
// must not happen.
var transitions = map[TaskState]map[TaskEvent]TaskState{
	TaskPending: {EventLease: TaskLeased, EventComplete: TaskCompleted, EventFail: TaskFailed},
	TaskLeased:  {EventAct: TaskActing, EventReturn: TaskPending, EventComplete: TaskCompleted, EventFail: TaskFailed},
	TaskActing:  {EventReturn: TaskPending, EventComplete: TaskCompleted, EventFail: TaskFailed},
}

// Next returns the state after an event; ok is false when the event cannot
// happen in this state.
func (s TaskState) Next(e TaskEvent) (next TaskState, ok bool) {
	next, ok = transitions[s][e]
	return next, ok
}

// WithLease leases a pending task; ok is false when it is not pending. A task of a
// member stays with the account that it was handed to first.
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

// SetJournal gives a lease under which nothing has acted to the journal that
// holds it now; ok is false when there is nothing to change.
func (t Task) SetJournal(journal string) (Task, bool) {
	if t.State != TaskLeased || t.Lease.Journal == journal {
		return t, false
	}
	l := *t.Lease
	l.Journal = journal
	t.Lease = &l
	return t, true
}

// Move lets a task in a member's name that no session was handed yet run on
// whatever account the member works as; ok is false when there is nothing to
// change.
func (t Task) Move() (Task, bool) {
	if t.State != TaskPending || t.Attempts > 0 || t.Account == "" || t.Member == "" {
		return t, false
	}
	t.Account = ""
	return t, true
}

// Act records that the session is about to touch the network; ok is false
// when the task is not leased under this lease, or is no write.
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

// Holds reports whether lease is the task's present lease.
func (t Task) Holds(lease string) bool { return t.Lease != nil && t.Lease.ID == lease }

// FindLease returns the present or a past lease of that name which was given to
// the session; ok is false when there is none: then the frame does not count.
// A write that began to act belongs to the journal that says so, also when
// that works for another session by now.
func (t Task) FindLease(session SessionID, journal, lease string) (l Lease, ok bool) {
	given := func(l *Lease) bool {
		acts := !l.ActingAt.IsZero() && journal != "" && l.Journal == journal
		return l.ID == lease && (l.Session == session || acts)
	}
	if t.Lease != nil && given(t.Lease) {
		return *t.Lease, true
	}
	for i := range t.Past {
		if given(&t.Past[i]) {
			return t.Past[i], true
		}
	}
	return Lease{}, false
}

// maxPastLeases bounds Task.Past; a result that is later than so many
// hand-outs is acknowledged and ignored.
const maxPastLeases = 16

// Return puts a leased or acting task back. lost counts the lease among those
// that ran out.
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

// LoseLease applies the end of a lease that was not renewed (session-protocol,
// rules 2 and 3): a task that is not acting waits again or, after MaxAttempts,
// fails; a write in acting stays with its journal. The lease's own time is
// pause enough: the task may be handed out again at once.
func (t Task) LoseLease(now time.Time) (Task, bool) {
	if t.State != TaskLeased {
		return t, false
	}
	next, _ := t.Return(true)
	next.Begun = next.Begun || !t.Type.Writes()
	return next.giveUp("", now)
}

// Retry puts a task back after an error with which it is to be tried again, or
// fails it after MaxAttempts; ok is false when it is neither leased nor acting.
// It waits for NotBefore, unless the error closes the task type or the action:
// then that says when the next attempt comes.
func (t Task) Retry(v Outcome, now time.Time) (Task, bool) {
	next, ok := t.Return(v.Lost)
	if !ok {
		return t, false
	}
	next.Begun = next.Begun || !v.Refund
	if v.PauseType && next.PausedSince.IsZero() {
		next.PausedSince = now
	}
	if !v.PauseType && !v.CloseAction {
		next = next.delayed(now)
	}
	return next.giveUp(v.Failure.Message, now)
}

// Release puts a task back that its session did not begin; ok is false when it
// is neither leased nor acting.
func (t Task) Release(now time.Time) (Task, bool) {
	next, ok := t.Return(false)
	if !ok {
		return t, false
	}
	return next.delayed(now), true
}

// delayed makes a pending task wait before it is handed out again.
func (t Task) delayed(now time.Time) Task {
	t.Retries++
	t.NotBefore = now.Add(RetryDelay(t.ID, t.Retries)).Round(time.Millisecond)
	return t
}

// giveUp fails a pending task after MaxAttempts that brought no answer.
func (t Task) giveUp(message string, now time.Time) (Task, bool) {
	if t.Lost < t.Type.MaxAttempts() {
		return t, true
	}
	if message == "" {
		message = fmt.Sprintf("no session answered in %d attempts", t.Lost)
	}
	return t.Fail(TaskFailure{Code: FailNoAnswer, Message: message, RetrySafe: true}, now)
}

// RetryDelay returns how long a task waits before its nth retry: 30 s, doubled
// with each retry up to an hour, give or take a fifth. The jitter keeps tasks
// that failed together apart; it is a function of the task and of n, so that a
// restart does not change it.
func RetryDelay(id TaskID, n int) time.Duration {
	const first, longest = 30 * time.Second, time.Hour
	delay := longest
	if shift := max(n-1, 0); shift < 7 {
		delay = first << shift
	}
	h := fnv.New32a()
	_, _ = fmt.Fprintf(h, "%s %d", id, n) // a hash takes everything
	return delay*4/5 + delay*2/5*time.Duration(h.Sum32()%1000)/999
}

// Complete ends a task with its output; ok is false when it is final already.
func (t Task) Complete(output json.RawMessage, now time.Time) (Task, bool) {
	next, ok := t.State.Next(EventComplete)
	if !ok {
		return t, false
	}
	t.State, t.Output, t.EndedAt, t.Lease = next, output, now, nil
	return t, true
}

// Fail ends a task with a failure; ok is false when it is final already.
func (t Task) Fail(f TaskFailure, now time.Time) (Task, bool) {
	next, ok := t.State.Next(EventFail)
	if !ok {
		return t, false
	}
	if t.Lease != nil { // the truth may still come under it
		t.Past = append(append([]Lease(nil), t.Past...), *t.Lease)
	}
	t.State, t.Failure, t.EndedAt, t.Lease = next, &f, now, nil
	return t, true
}

// Resolve notes what became known of a write whose outcome was unknown; ok is
// false when it was known before. The status stays what it is.
func (t Task) Resolve(acted bool, now time.Time) (Task, bool) {
	if !t.Unknown() || t.Resolved != nil {
		return t, false
	}
	t.Resolved = &Resolution{Acted: acted, At: now}
	return t, true
}

// Unknown reports whether the task failed without anybody knowing whether it
// was done.
func (t *Task) Unknown() bool {
	return t.State == TaskFailed && t.Failure != nil && t.Failure.Code == FailOutcomeUnknown
}

// Expires returns the moment at which the task ends by itself if nothing more
// happens; ok is false when it does not.
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

// Expire ends a task whose time of Expires has come, as of that time.
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

// LayoutLimit is how long a task waits for a page that is not understood, and
// LayoutProbe how often such a read is tried again meanwhile.
const (
	LayoutLimit = 24 * time.Hour
	LayoutProbe = 15 * time.Minute
)

// Deadline returns the moment after which a session that was handed a task at
// now must not begin to touch the network: hand-out + 5 minutes, but not past
// the day whose allowance was debited.
func Deadline(now time.Time) time.Time {
	deadline := now.Add(5 * time.Minute)
	if reset := Daily.Reset(now); reset.Before(deadline) {
		return reset
	}
	return deadline
}

// RunMargin is how long after its deadline a leased task may be renewed: a
// session that began in time needs up to five minutes for a scan, more for a
// task in slices, and then reports what it found.
const RunMargin = 15 * time.Minute

// Renewable reports whether the lease may be prolonged at now. A write in acting
// has ActingLimit instead.
func (t *Task) Renewable(now time.Time) bool {
	return t.Lease != nil && (t.State == TaskActing || now.Before(t.Lease.Deadline.Add(RunMargin)))
}

// Outcome is what becomes of a task whose session reported an error.
type Outcome struct {
	Event   TaskEvent // EventReturn or EventFail
	Failure TaskFailure
	// Refund gives the debits of the attempt back.
	Refund bool
	// Lost counts the attempt among those that brought no answer.
	Lost bool
	// PauseAccount, PauseType and CloseAction stop hand-outs: to the account
	// until it is signed in again, of the task type to the account until a
	// probe works, of the action to the account until its reset.
	PauseAccount bool
	PauseType    bool
	CloseAction  bool
}

// ClassifyError applies the table of error codes of the session protocol. acted says
// whether the network was touched; nil is "not known".
func ClassifyError(t TaskType, code, message string, acted *bool) Outcome {
	touched := acted == nil || *acted
	v := Outcome{Event: EventReturn, Refund: acted != nil && !*acted, Failure: TaskFailure{Code: code, Message: message}}
	switch {
	case code == "outcome_unknown", t.Writes() && acted == nil:
		v.Event, v.Failure.Code = EventFail, FailOutcomeUnknown
		return v
	case code == "not_found", code == "not_connected", code == "company_not_managed", code == "invalid_input":
		v.Event = EventFail
		return v
	case t.Writes() && touched:
		// The session acted, and says that it did not work: to try again
		// would be to act twice.
		v.Event = EventFail
		return v
	}
	switch code {
	case "signed_out", "challenge":
		v.PauseAccount, v.Lost = true, t.Writes()
	case "page_not_understood":
		v.PauseType = true
	case "network_limit":
		v.CloseAction = true
	case "timeout":
		v.Lost = true
	default:
		v.Event, v.Failure.RetrySafe = EventFail, true
	}
	return v
}
