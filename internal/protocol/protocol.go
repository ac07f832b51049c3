// Package protocol defines the session protocol: the JSON frames that a session
// (the browser extension or a headless session) and the service exchange over a
// WebSocket or by long poll. The actors, the gateway and the headless session
// share it. It imports no other package of the module, so a client of the
// protocol does not depend on the service.
package protocol

import (
	"encoding/json"
	"time"
)

// Version is the value of Frame.V in a hello.
const Version = 1

// Limits and periods of the protocol.
const (
	// MaxFrame bounds a frame in bytes.
	MaxFrame = 1 << 20
	// MaxHelloFrame bounds the frames before welcome in bytes.
	MaxHelloFrame = 8 << 10
	// HelloTimeout is how long a new connection may take to send hello, in real
	// time.
	HelloTimeout = 5 * time.Second
	// HeartbeatEvery is the interval of heartbeats that welcome requests, and the
	// longest one while a session runs a task: a lease outlives two that are lost.
	HeartbeatEvery = 20 * time.Second
	// LeaseTime is how long a lease lasts without a heartbeat, by the Clock.
	LeaseTime = 60 * time.Second
	// TaskTime is the time from lease to the deadline of a task.
	TaskTime = 5 * time.Minute
	// PollTime is how long a long poll is held, in real time.
	PollTime = 25 * time.Second
	// MaxPartPosts and MaxPartBytes bound one part.
	MaxPartPosts = 200
	MaxPartBytes = 512 << 10
	// MaxScanPosts bounds the posts of one scan. A session that stops there
	// reports exhausted: false.
	MaxScanPosts = 10_000
)

// Close codes of the socket.
const (
	// CloseUnauthorised ends a connection whose token is unknown or revoked.
	CloseUnauthorised = 4401
	// CloseReplaced ends a connection after a newer one of the same session was
	// welcomed.
	CloseReplaced = 4408
)

// Frame types.
const (
	TypeHello     = "hello"
	TypeWelcome   = "welcome"
	TypeHeartbeat = "heartbeat"
	TypeTask      = "task"
	TypeAccepted  = "accepted"
	TypeActing    = "acting"
	TypeGo        = "go"
	TypePart      = "part"
	TypeResult    = "result"
	TypeAck       = "ack"
	TypeReleased  = "released"
	TypeCancel    = "cancel"
	TypeRevoked   = "revoked"
	TypeStatus    = "status"
	TypeBind      = "bind"
	TypeRetry     = "retry"
)

// Reasons why a session gets no tasks, or none of some types.
const (
	BlockedSignedOut         = "signed_out"
	BlockedChallenge         = "challenge"
	BlockedPageNotUnderstood = "page_not_understood"
	BlockedNetworkLimit      = "network_limit"
	BlockedAccountInUse      = "account_in_use"
	BlockedOtherAccount      = "other_account"
	BlockedReleased          = "released"
	BlockedNewClaim          = "new_claim"
	BlockedPlan              = "plan"
	BlockedMemberPace        = "member_pace" // writes wait as the member wants it
)

// Reasons of released that decide how the task goes on; others only tell why.
const (
	// ReleasedAsked: the session asks the member about the write, which goes to no
	// session until it is no longer in Frame.Asking.
	ReleasedAsked = "asked"
	// ReleasedDeclined: the member does not want the write.
	ReleasedDeclined = "declined"
)

// States of a task in a session's journal.
const (
	StateReceived = "received"
	StateActing   = "acting"
	StateDone     = "done"
)

// Error codes of a result.
const (
	CodeSignedOut         = "signed_out"
	CodeChallenge         = "challenge"
	CodePageNotUnderstood = "page_not_understood"
	CodeNetworkLimit      = "network_limit"
	CodeTimeout           = "timeout"
	CodeNotFound          = "not_found"
	CodeNotConnected      = "not_connected"
	CodeNotInvited        = "not_invited"
	CodeCompanyNotManaged = "company_not_managed"
	CodeInvalidInput      = "invalid_input"
	CodeOutcomeUnknown    = "outcome_unknown"
)

// Frame is a frame of either side. Type determines which fields are used. Each
// side ignores unknown types and fields.
type Frame struct {
	Type string `json:"type"`

	// hello
	V       int           `json:"v,omitempty"`
	Token   string        `json:"token,omitempty"`
	Boot    string        `json:"boot,omitempty"`
	Journal string        `json:"journal,omitempty"`
	Version string        `json:"version,omitempty"`
	Account *Account      `json:"account,omitempty"` // also heartbeat, status and bind
	Browser *Browser      `json:"browser,omitempty"`
	Tasks   []JournalTask `json:"tasks,omitempty"`

	// welcome
	Session    string        `json:"session,omitempty"`
	Member     *SignInMember `json:"member,omitempty"`      // owner of the session
	HeartbeatS int           `json:"heartbeat_s,omitempty"` // also status, when it changes
	LeaseS     int           `json:"lease_s,omitempty"`
	ServerTime *time.Time    `json:"server_time,omitempty"`

	// heartbeat
	Running []RunningTask `json:"running,omitempty"`

	// hello and heartbeat: Pace is how the member wants writes to be done; absent from a
	// heartbeat: as before. Asking are the writes that the session has released and asks
	// the member about.
	Pace   *Pace    `json:"pace,omitempty"`
	Asking []string `json:"asking,omitempty"`

	// task and all frames about a task
	Task     string          `json:"task,omitempty"`
	Lease    string          `json:"lease,omitempty"`
	Attempt  int             `json:"attempt,omitempty"`
	TaskType string          `json:"task_type,omitempty"`
	Input    json.RawMessage `json:"input,omitempty"`
	Deadline *time.Time      `json:"deadline,omitempty"`
	Trace    string          `json:"traceparent,omitempty"` // of the lease's span, when it is traced
	// Restored: the service was restored from a backup not long ago, so this comment
	// or message may be one that was done since the backup. A session whose page
	// shows it already does not do it, and reports outcome_unknown.
	Restored bool `json:"restored,omitempty"`

	// part (and its ack), result
	Seq    *int            `json:"seq,omitempty"`
	Output json.RawMessage `json:"output,omitempty"`
	Error  *TaskError      `json:"error,omitempty"`

	// released
	Reason string `json:"reason,omitempty"`

	// status: Account is the member's account; its SignedIn says whether this
	// session is signed in to it. Waiting counts the team's tasks that this
	// session could run.
	Blocked    []Blocked        `json:"blocked,omitzero"`
	Waiting    *int             `json:"waiting,omitempty"`
	Allowances []AllowanceState `json:"allowances,omitzero"`
}

// Blocked is a reason why the session gets no tasks.
type Blocked struct {
	Reason    string     `json:"reason"`
	TaskTypes []string   `json:"task_types,omitempty"` // empty: all
	Until     *time.Time `json:"until,omitempty"`      // nil: until the state changes
	// Retry: the member may have it tried again before, with a retry frame.
	Retry bool `json:"retry,omitempty"`
}

// AllowanceState is the use of one allowance of the account, in all browsers
// together.
type AllowanceState struct {
	Action   string    `json:"action"`
	Used     int       `json:"used"`
	Limit    int       `json:"limit"`
	ResetsAt time.Time `json:"resets_at"`
}

// Browser describes the browser of a session.
type Browser struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	OS      string `json:"os"`
	Label   string `json:"label"`
}

// Account is the network account that a session is signed in to.
type Account struct {
	URN      string `json:"urn"`
	Slug     string `json:"slug"`
	Name     string `json:"name"`
	SignedIn bool   `json:"signed_in"`
	// Challenge: the network shows a human check instead of its pages, so the
	// session is not signed in for the time being.
	Challenge bool `json:"challenge,omitempty"`
}

// Pace is a member's own choice of when, how fast and with whose consent writes are
// done. Without a field they are done as they come.
type Pace struct {
	Hours *Hours `json:"hours,omitempty"`
	// Pause bounds the random pause between two writes, in seconds.
	Pause *Span `json:"pause_s,omitempty"`
	Ask   bool  `json:"ask,omitempty"` // the member is asked before each
}

// Hours are a part of the day, 09:00 to 17:30; 24:00 is the end of the day. Until is on
// the next day when it is not after From.
type Hours struct {
	From  string   `json:"from"`
	Until string   `json:"until"`
	Days  []string `json:"days,omitempty"` // monday to sunday; none: every day
	Zone  string   `json:"time_zone"`      // of the IANA database
}

// Span is a length of time between two bounds.
type Span struct {
	From  int `json:"from"`
	Until int `json:"until"`
}

// JournalTask is a task in a session's journal at the time of hello.
type JournalTask struct {
	Task    string `json:"task"`
	Lease   string `json:"lease"`
	Attempt int    `json:"attempt"`
	State   string `json:"state"`
}

// RunningTask is a lease that a heartbeat renews.
type RunningTask struct {
	Task  string `json:"task"`
	Lease string `json:"lease"`
}

// TaskError is a session's report that a task failed. Acted says whether the
// network was touched; nil means that the session cannot know.
type TaskError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Acted   *bool  `json:"acted"`
	// SlowDown, of network_limit: the network asked to slow down and named no limit
	// that is used up.
	SlowDown bool `json:"slow_down,omitempty"`
}

// PostsOutput is the output of scans, of their parts, and of tasks that fetch
// posts. Exhausted is used only in the result of a scan: false means that the
// session stopped before it reached Since.
type PostsOutput struct {
	Posts     []Post `json:"posts"`
	Exhausted *bool  `json:"exhausted,omitempty"`
}

// Post is a post as a session reports it: the content of the network's page,
// without data of the team. Content equals that of the page character by
// character.
type Post struct {
	URN            string    `json:"urn"`
	URL            string    `json:"url"`
	Content        string    `json:"content"`
	AuthorName     string    `json:"author_name"`
	AuthorURL      string    `json:"author_url"`
	AuthorURN      string    `json:"author_urn,omitempty"`
	AuthorHeadline string    `json:"author_headline"`
	AuthorImageURL string    `json:"author_image_url"`
	PostedAt       time.Time `json:"posted_at"`
	Likes          int64     `json:"likes_count"`
	Comments       int64     `json:"comments_count"`
	Shares         int64     `json:"shares_count"`
	Type           string    `json:"post_type"`
	ImageURLs      []string  `json:"image_urls,omitempty"`
	ImageText      string    `json:"image_text,omitempty"`
	Videos         []string  `json:"videos,omitempty"`
}

// SignInRequest is the body of POST /extension/sign-in: a pairing code, or an
// email with its one-time code.
type SignInRequest struct {
	Code  string `json:"code,omitempty"`
	Email string `json:"email,omitempty"`
	OTP   string `json:"otp,omitempty"`
	Nonce string `json:"nonce,omitempty"` // of the reply to auth-send-otp
	// Accept is the id of the invitation that the member accepts.
	Accept string `json:"accept,omitempty"`
}

// SignInReply is the reply to a sign-in. Token is the session's secret, and
// never the team's API key.
type SignInReply struct {
	SessionToken string       `json:"session_token"`
	Team         SignInTeam   `json:"team"`
	Member       SignInMember `json:"member"`
	// Network is the origin of the network that the service works on; empty when
	// the service does not know it.
	Network string `json:"network,omitempty"`
}

// SignInTeam is the team of a session.
type SignInTeam struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// SignInMember is the member who owns a session.
type SignInMember struct {
	ID    string `json:"id"`
	Email string `json:"email"`
}

// PollRequest and PollReply are the bodies of POST /extension/poll.
type PollRequest struct {
	Messages []Frame `json:"messages"`
}

// PollReply carries the service's frames. The service sends it at most PollTime
// after the request.
type PollReply struct {
	Messages []Frame `json:"messages"`
}
