package watchpost

import (
	"encoding/json"
	"slices"
	"time"
)

// Task is one piece of work for a session. Its methods implement the transition
// table of api.md#states-of-a-task, refined by the leases of the session
// protocol:
//
//	           lease              act (writes)
//	pending ─────────▶ leased ─────────────▶ acting
//	   ▲  ▲               │ return               │ return (acted: false)
//	   │  └───────────────┘                      │
//	   └─────────────────────────────────────────┘
//	pending, leased, acting ── complete ──▶ completed
//	pending, leased, acting ── fail ──────▶ failed
//
// completed and failed are final. A pending task can receive a result: the late
// answer of an attempt whose lease expired. A task of an auto-engagement rule does not
// become pending again: it fails, and the rule decides.
type Task struct {
	ID        TaskID
	Type      TaskType
	Input     TaskInput // the request's fields as given, or the input of a scan
	State     TaskState
	CreatedAt time.Time
	EndedAt   time.Time
	Output    json.RawMessage // of a completed task
	Failure   *TaskFailure    // of a failed task

	// Watchlist or List, and Entry, identify the entry of a scan. Due is the
	// time when it became due; scans run in the order of Due. All are empty in
	// a client's task.
	Watchlist WatchlistID
	List      ListID
	Entry     EntryID
	Due       time.Time
	// Shared are the entries of a scan that serves, or has served, several with
	// the same keyword. Entry then only determines its order.
	Shared []ScanTarget `json:",omitempty"`

	// Asked says who asked for a caller's task.
	Asked Asker `json:",omitzero"`
	// Trace names the span of the request that created the task; "" when it is not
	// traced.
	Trace string `json:",omitempty"`

	// Member is the member in whose name a write acts or on whose account a
	// read runs. Account is that account, once known. Both are empty for reads
	// that may run on any account of the team.
	Member  MemberID
	Account AccountURN
	// Attempts counts leases; Lost counts those that expired.
	Attempts int
	Lost     int
	// Begun means that an attempt may have touched the network. Attempts do not
	// count if the session released the task, reported that it did not act, or
	// never recorded acting for a write.
	Begun bool
	// Lease is the current lease; nil unless the task is leased or acting. Past
	// holds the earlier leases, whose late results are still accepted.
	Lease *Lease
	Past  []Lease
	// Progress is the progress of a paged task.
	Progress Progress
	// Resolved is the outcome of a write that became known after it failed with
	// outcome_unknown, or nil.
	Resolved *Resolution
	// Restored means that the write ended because it was open in a backup: it may
	// have had more attempts than the record knows.
	Restored bool `json:",omitzero"`
	// NotBefore is the earliest time of the next lease after a retry. Retries
	// counts the retries since the task last made progress.
	NotBefore time.Time `json:",omitzero"`
	Retries   int       `json:",omitzero"`
	// PausedSince is when a session first reported page_not_understood since
	// the last success, or zero.
	PausedSince time.Time
}

// Resolution is the outcome of a write that became known after outcome_unknown:
// whether it was done, and when that became known.
type Resolution struct {
	Acted bool
	At    time.Time
}

// Time limits of a task without progress.
const (
	// TaskExpiry is how long a client's task may wait to begin before it fails
	// with FailExpired. Scans never expire.
	TaskExpiry = 7 * 24 * time.Hour
	// ActingLimit is how long a write in acting waits for the session's journal
	// before it fails with outcome_unknown.
	ActingLimit = 24 * time.Hour
	// ActTime is how long a session may take to touch the network after it was allowed to.
	// What is allowed less than that before the end of a period may be done in the next one.
	ActTime = 10 * time.Minute
	// MaxReadAttempts and MaxWriteAttempts are the numbers of attempts without
	// an answer after which a read or a write fails with no_answer.
	MaxReadAttempts  = 3
	MaxWriteAttempts = 8
	// LayoutLimit is how long a task waits while its page is not understood.
	// LayoutProbe is the interval between attempts of such a read.
	LayoutLimit = 24 * time.Hour
	LayoutProbe = 15 * time.Minute
)

// MaxAttempts returns the number of attempts without an answer after which a
// task of this type fails with no_answer.
func (t TaskType) MaxAttempts() int {
	if t.Writes() {
		return MaxWriteAttempts
	}
	return MaxReadAttempts
}

// Error codes of tasks that the service itself sets; the others come from
// sessions (package protocol).
const (
	FailExpired        = "expired"
	FailNoAnswer       = "no_answer"
	FailMemberRemoved  = "member_removed"
	FailRuleWithdrawn  = "rule_withdrawn" // the rule that asked for it was stopped, changed or deleted
	FailRulePostponed  = "rule_postponed" // it was not done; the rule that asked for it decides again
	FailDuplicate      = "duplicate"      // another task does the same on the account
	FailOutcomeUnknown = "outcome_unknown"
	FailDeclined       = "declined"  // the member was asked, and does not want it
	FailCancelled      = "cancelled" // its caller wants it no more
)

// TaskState is the state of a task inside the service. The API shows leased and
// acting as pending.
type TaskState string

// The states of a task; completed and failed are final.
const (
	TaskPending   TaskState = "pending"
	TaskLeased    TaskState = "leased"
	TaskActing    TaskState = "acting"
	TaskCompleted TaskState = "completed"
	TaskFailed    TaskState = "failed"
)

// Final reports whether the state never changes again.
func (s TaskState) Final() bool { return s == TaskCompleted || s == TaskFailed }

// PublicStatus returns the status that the API shows.
func (s TaskState) PublicStatus() string {
	if s.Final() {
		return string(s)
	}
	return string(TaskPending)
}

// TaskFailure says why a task failed and whether the caller may repeat the
// request without the risk of acting twice.
type TaskFailure struct {
	Code      string
	Message   string
	RetrySafe bool
}

// MarshalJSON writes the failure as task_output shows it.
func (f TaskFailure) MarshalJSON() ([]byte, error) {
	type detail struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	return json.Marshal(struct {
		Error     detail `json:"error"`
		RetrySafe bool   `json:"retry_safe"`
	}{detail{f.Code, f.Message}, f.RetrySafe})
}

// UnmarshalJSON reads a stored failure, as MarshalJSON writes it.
func (f *TaskFailure) UnmarshalJSON(b []byte) error {
	var shown struct {
		Error     struct{ Code, Message string }
		RetrySafe bool `json:"retry_safe"`
	}
	if err := json.Unmarshal(b, &shown); err != nil {
		return err
	}
	*f = TaskFailure{Code: shown.Error.Code, Message: shown.Error.Message, RetrySafe: shown.RetrySafe}
	return nil
}

// PendingReason says why a task is still pending.
type PendingReason string

// The reasons. The first that applies is shown.
const (
	PendingRunning          PendingReason = "running"
	PendingExtensionOffline PendingReason = "extension_offline"
	PendingPaused           PendingReason = "paused"
	PendingWeeklyCap        PendingReason = "weekly_cap"
	PendingDailyCap         PendingReason = "daily_cap"
	PendingMemberAsked      PendingReason = "member_asked" // whether the write may be done
	PendingMemberPace       PendingReason = "member_pace"  // hours and pauses of the member
	PendingRetry            PendingReason = "retry"
	PendingQueued           PendingReason = "queued"
)

// ShareWindow is the maximum distance between the due times of two entries with
// the same keyword that share one scan. It is the longest duration of a scan,
// so entries that were scanned one after the other will share their next scan.
const ShareWindow = 5 * time.Minute

// MaxTargets bounds the entries of a scan, because its record holds them all
// and one batch stores their progress. Further entries get another scan.
const MaxTargets = 100

// ScanTarget is an entry that a scan serves. Scan is the id by which the
// entry's owner knows the scan: that of the task it requested.
type ScanTarget struct {
	Scan      TaskID
	Watchlist WatchlistID `json:",omitempty"`
	List      ListID      `json:",omitempty"`
	Entry     EntryID
}

// Targets returns the entries that a scan serves, in a new slice, or nil for a
// client's task.
func (t *Task) Targets() []ScanTarget {
	if !t.Type.Scan() {
		return nil
	}
	if len(t.Shared) > 0 {
		return slices.Clone(t.Shared)
	}
	return []ScanTarget{{Scan: t.ID, Watchlist: t.Watchlist, List: t.List, Entry: t.Entry}}
}

// Join adds the entries of another scan to a scan. ok is false if they are too
// many, or if the scan was leased before, because a session may already search.
// The scan keeps the earlier due time of the two.
func (t Task) Join(other Task) (Task, bool) {
	targets := append(t.Targets(), other.Targets()...)
	if t.State != TaskPending || t.Attempts > 0 || len(targets) > MaxTargets {
		return t, false
	}
	t.Shared = targets
	if other.Due.Before(t.Due) || other.Due.Equal(t.Due) && other.Entry < t.Entry {
		t.Due, t.Entry = other.Due, other.Entry
	}
	return t, true
}

// Leave removes an entry from a scan; ok is false if no entry would remain.
func (t Task) Leave(scan TaskID) (Task, bool) {
	left := slices.DeleteFunc(t.Targets(), func(s ScanTarget) bool { return s.Scan == scan })
	if len(left) == 0 {
		return t, false
	}
	t.Shared = left
	return t, true
}
