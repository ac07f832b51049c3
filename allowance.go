package watchpost

import "time"

// Action is a kind of work that the network counts per account.
type Action string

// The counted actions.
const (
	// ActionNone is not counted (forum scans).
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

// Allowance is what one account may do of one action in a period.
type Allowance struct {
	Action Action
	Limit  int
	Period Period
}

// Allowances is the limit table of the specification (Limits 3), in its row
// order, and the weekly cap of invitations. Each account has its own.
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

// AllowanceOf returns the allowance of an action; ok is false for an action
// that is not counted.
func AllowanceOf(action Action) (allowance Allowance, ok bool) {
	for _, a := range Allowances {
		if a.Action == action {
			return a, true
		}
	}
	return Allowance{}, false
}

// Period is the time after which an allowance starts anew. Periods are those
// of the calendar in UTC: they are computed from a moment, never counted down.
type Period uint8

// The periods.
const (
	// Daily starts at 00:00 UTC.
	Daily Period = iota
	// Weekly starts on Monday at 00:00 UTC.
	Weekly
)

// Start returns the beginning of the period that holds now.
func (p Period) Start(now time.Time) time.Time {
	now = now.UTC()
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	if p == Weekly {
		sinceMonday := (int(day.Weekday()) + 6) % 7
		return day.AddDate(0, 0, -sinceMonday)
	}
	return day
}

// Reset returns the beginning of the period after the one that holds now.
func (p Period) Reset(now time.Time) time.Time {
	if p == Weekly {
		return p.Start(now).AddDate(0, 0, 7)
	}
	return p.Start(now).AddDate(0, 0, 1)
}

// Key names the period that holds now, as ledgers are keyed: 2030-01-07. A
// weekly period is named by its Monday.
func (p Period) Key(now time.Time) string { return p.Start(now).Format(time.DateOnly) }

// LivenessWindow is how recently a session must have been active, signed in to
// the network, for the endpoints that need an extension.
const LivenessWindow = 48 * time.Hour

// ExtensionActive reports whether the newest sign of life of a team's sessions
// is recent enough at now. The zero time means that there was none.
func ExtensionActive(last, now time.Time) bool {
	return !last.IsZero() && now.Sub(last) <= LivenessWindow
}
