package watchpost

import (
	"encoding/json"
	"time"
)

// Time limits of a task without progress.
const (
	// TaskExpiry is how long a client's task may wait to begin before it fails
	// with FailExpired. Scans never expire.
	TaskExpiry = 7 * 24 * time.Hour
	// ActingLimit is how long a write in acting waits for the session's journal
	// before it fails with outcome_unknown.
	ActingLimit = 24 * time.Hour
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
