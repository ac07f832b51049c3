package watchpost

import "time"

// Action is a kind of work that the network counts per account.
type Action string

// The actions with an allowance.
const (
	// ActionNone has no allowance (forum scans).
	ActionNone          Action = ""
	ActionKeywordScan   Action = "keyword_scan"
	ActionPeopleScan    Action = "people_scan"
	ActionCompanyScan   Action = "company_scan"
	ActionProfileFetch  Action = "profile_fetch"
	ActionCompanyFetch  Action = "company_fetch"
	ActionProfileSearch Action = "profile_search"
	ActionMessage       Action = "message"
	ActionLike          Action = "like"
	ActionComment       Action = "comment"
	ActionInvitation    Action = "invitation"
)

// Allowance is how many times an account may do an action in a period.
type Allowance struct {
	Action Action
	Limit  int
	Period Period
}

// Allowances is the limit table of api.md#daily-allowances, in its row
// order, followed by the weekly cap of invitations. Each account has its own
// allowances.
var Allowances = []Allowance{
	{ActionKeywordScan, 30, Daily},
	{ActionPeopleScan, 50, Daily},
	{ActionCompanyScan, 50, Daily},
	{ActionProfileFetch, 40, Daily},
	{ActionCompanyFetch, 40, Daily},
	{ActionProfileSearch, 100, Daily},
	{ActionMessage, 100, Daily},
	{ActionLike, 50, Daily},
	{ActionComment, 25, Daily},
	{ActionInvitation, 100, Weekly},
}

// Actions are all actions, in the order of Allowances, and ActionNone as the last.
func Actions() []Action {
	actions := make([]Action, 0, len(Allowances)+1)
	for _, a := range Allowances {
		actions = append(actions, a.Action)
	}
	return append(actions, ActionNone)
}

// AllowanceOf returns the allowance of an action; ok is false if the action has
// none.
func AllowanceOf(action Action) (allowance Allowance, ok bool) {
	for _, a := range Allowances {
		if a.Action == action {
			return a, true
		}
	}
	return Allowance{}, false
}

// Period is the time after which an allowance resets. Periods are calendar
// periods in UTC, computed from the time and never counted down.
type Period uint8

// The periods.
const (
	// Daily starts at 00:00 UTC.
	Daily Period = iota
	// Weekly starts on Monday at 00:00 UTC.
	Weekly
)

// Start returns the beginning of the period that contains now.
func (p Period) Start(now time.Time) time.Time {
	now = now.UTC()
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	if p == Weekly {
		sinceMonday := (int(day.Weekday()) + 6) % 7
		return day.AddDate(0, 0, -sinceMonday)
	}
	return day
}

// Reset returns the beginning of the period that follows the one containing
// now.
func (p Period) Reset(now time.Time) time.Time {
	if p == Weekly {
		return p.Start(now).AddDate(0, 0, 7)
	}
	return p.Start(now).AddDate(0, 0, 1)
}

// Key returns the ledger key of the period that contains now, for example
// 2030-01-07. The key of a weekly period is its Monday.
func (p Period) Key(now time.Time) string { return p.Start(now).Format(time.DateOnly) }

// LivenessWindow is the maximum time since a session was active and signed in
// to the network, for endpoints that require an extension.
const LivenessWindow = 48 * time.Hour

// ExtensionActive reports whether last, the newest activity of a team's
// sessions, is within LivenessWindow at now. The zero time means that there was
// none.
func ExtensionActive(last, now time.Time) bool {
	return !last.IsZero() && now.Sub(last) <= LivenessWindow
}

// Bounds of the interval of a session's heartbeats. While it runs a task the interval is
// ShortHeartbeat: a lease outlives two that are lost.
const (
	ShortHeartbeat = 20 * time.Second
	LongHeartbeat  = 120 * time.Second
)

const (
	// nodeHeartbeats is how many heartbeats a second a node takes before its sessions
	// get a longer interval. One costs 80 µs, of a relayed session 240 µs.
	nodeHeartbeats = 250
	// nearWindowEnd is the end of LivenessWindow, in which the next heartbeat of a member
	// decides whether the extension still counts as active.
	nearWindowEnd = time.Hour
)

// NodeHeartbeat returns the interval of the heartbeats of idle sessions on a node with a
// number of connected ones: the shortest multiple of ShortHeartbeat at which the node gets
// at most nodeHeartbeats a second, and no more than LongHeartbeat. before is the interval
// so far, 0 for none. It becomes shorter only when a quarter more sessions would allow
// that too, so that a few that come and go change nothing.
func NodeHeartbeat(sessions int, before time.Duration) time.Duration {
	return min(max(before, heartbeatFor(sessions)), heartbeatFor(sessions+sessions/4))
}

func heartbeatFor(sessions int) time.Duration {
	const each = nodeHeartbeats * int(ShortHeartbeat/time.Second)
	steps := max(1, (sessions+each-1)/each)
	return min(time.Duration(steps)*ShortHeartbeat, LongHeartbeat)
}

// SessionHeartbeat returns the interval of the heartbeats of an idle session on a node with
// an interval. It is ShortHeartbeat while a heartbeat may decide something: held says that
// tasks wait which the session may do after its next report, and last is its member's
// last activity, which opens LivenessWindow; zero for none.
func SessionHeartbeat(node time.Duration, held bool, last, now time.Time) time.Duration {
	if held || ExtensionActive(last, now) && !ExtensionActive(last, now.Add(nearWindowEnd)) {
		return ShortHeartbeat
	}
	return node
}
