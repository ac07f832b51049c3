package watchpost

import (
	"encoding/json"
	"slices"
	"time"
)

// TaskType names a kind of work that a session does on the network, as the API
// (task_input.task_type) and the session protocol spell it.
type TaskType string

// The agent tasks, which callers create, and the scans, which watchlists
// create.
const (
	TaskProfileFetch      TaskType = "agent_profile_fetch"
	TaskCompanyFetch      TaskType = "agent_company_fetch"
	TaskProfilesPosts     TaskType = "agent_profiles_posts_fetch"
	TaskCompanyPosts      TaskType = "agent_company_posts_fetch"
	TaskProfilesSearch    TaskType = "agent_profiles_search"
	TaskLikePost          TaskType = "agent_like_post"
	TaskCommentPost       TaskType = "agent_comment_post"
	TaskSendMessage       TaskType = "agent_send_message"
	TaskConnectionRequest TaskType = "agent_send_connection_request"
	TaskConnectionsFetch  TaskType = "agent_connections_fetch"

	TaskKeywordScan TaskType = "keyword_scan"
	TaskPeopleScan  TaskType = "people_scan"
	TaskCompanyScan TaskType = "company_scan"
	TaskForumScan   TaskType = "forum_scan"
)

// taskTypes defines for each task type its allowance and whether it writes on
// the network. Reads run at least once, on any account of the team unless own
// is set. Writes run at most once, on the account of the member in whose name
// they act.
var taskTypes = map[TaskType]struct {
	action Action
	writes bool
	own    bool // a read whose answer depends on the account
	scan   bool
}{
	TaskProfileFetch:      {action: ActionProfileFetch},
	TaskCompanyFetch:      {action: ActionCompanyFetch},
	TaskProfilesPosts:     {action: ActionPeopleScan},
	TaskCompanyPosts:      {action: ActionCompanyScan},
	TaskProfilesSearch:    {action: ActionProfileSearch, own: true},
	TaskLikePost:          {action: ActionLike, writes: true},
	TaskCommentPost:       {action: ActionComment, writes: true},
	TaskSendMessage:       {action: ActionMessage, writes: true},
	TaskConnectionRequest: {action: ActionInvitation, writes: true},
	TaskConnectionsFetch:  {action: ActionProfileSearch, own: true},
	TaskKeywordScan:       {action: ActionKeywordScan, scan: true},
	TaskPeopleScan:        {action: ActionPeopleScan, scan: true},
	TaskCompanyScan:       {action: ActionCompanyScan, scan: true},
	TaskForumScan:         {action: ActionNone, scan: true},
}

// Known reports whether t is a task type.
func (t TaskType) Known() bool { _, ok := taskTypes[t]; return ok }

// Action returns the action whose allowance the task type debits.
func (t TaskType) Action() Action { return taskTypes[t].action }

// TaskTypesOf returns the task types that debit an action, by name.
func TaskTypesOf(a Action) (kinds []TaskType) {
	for t, row := range taskTypes {
		if a != ActionNone && row.action == a {
			kinds = append(kinds, t)
		}
	}
	slices.Sort(kinds)
	return kinds
}

// Writes reports whether a task of this type changes something on the network.
func (t TaskType) Writes() bool { return taskTypes[t].writes }

// OfMember reports whether a task of this type runs on the account of one
// member, because it acts in a member's name or its answer depends on the
// account.
func (t TaskType) OfMember() bool { return taskTypes[t].writes || taskTypes[t].own }

// Scan reports whether a task of this type collects posts for a watchlist.
func (t TaskType) Scan() bool { return taskTypes[t].scan }

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
	PendingRetry            PendingReason = "retry"
	PendingQueued           PendingReason = "queued"
)
