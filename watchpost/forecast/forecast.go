// Package forecast computes when the work that waits for an allowance is done. It is
// pure: the caller knows the accounts, what they have left and what waits.
package forecast

import (
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"watchpost/watchpost"
)

// Account is an account that was active within watchpost.LivenessWindow, and how many units
// of an action it has left in the period that holds now.
type Account struct {
	Account watchpost.AccountURN
	Room    int
}

// Work is work that waits, or that a caller thinks of adding.
type Work struct {
	Account watchpost.AccountURN // that does it; "" for any
	Units   int
	Added   bool
	// Reason says why it waits while there is room, and NotBefore until when at least, if
	// that is known.
	Reason    watchpost.PendingReason
	NotBefore time.Time
}

// Forecast says when the work of an action is done.
type Forecast struct {
	Waiting, Added int
	// Capacity is the number of units that the accounts may do in a period, Room the
	// units that are left now. Both mean nothing for an action without an allowance.
	Capacity, Room int
	// DoneAt is when the last unit may begin, at the earliest; zero when no account can do
	// it, or nothing waits.
	DoneAt time.Time
	// LimitedBy is what delays the last unit; "" when nothing does.
	LimitedBy watchpost.PendingReason
	// Expiring are the added units that could not begin within watchpost.TaskExpiry.
	Expiring int
}

// forecastAhead bounds the periods that are looked ahead.
const ahead = 1 << 24

// Of computes when the work of an action is done. It assumes that each account
// comes back in each period and uses its allowance up, and that nothing else is added.
// Work of one account goes before work of any.
func Of(action watchpost.Action, accounts []Account, work []Work, now time.Time) Forecast {
	limit, limited := watchpost.AllowanceOf(action)
	f := forecaster{accounts: accounts, limit: limit, limited: limited, now: now, bound: map[watchpost.AccountURN]int{}}
	result := Forecast{Capacity: len(accounts) * limit.Limit}
	for _, a := range accounts {
		result.Room += a.Room
	}
	added := map[watchpost.AccountURN]int{}
	units := map[watchpost.AccountURN]int{}
	for _, w := range work {
		if w.Added {
			result.Added += w.Units
			added[w.Account] += w.Units
		} else {
			result.Waiting += w.Units
		}
		units[w.Account] += w.Units
		if w.Account != "" {
			f.bound[w.Account] += w.Units
		}
	}
	some := false
	for i := range work {
		w := &work[i]
		if w.Units == 0 {
			continue
		}
		at, reason := f.done(w, units[w.Account])
		if !some || !result.DoneAt.IsZero() && (at.IsZero() || at.After(result.DoneAt)) {
			some, result.DoneAt, result.LimitedBy = true, at, reason
		}
	}
	for account, n := range added {
		result.Expiring += min(n, max(0, units[account]-f.unitsWithin(account, f.periodAt(now.Add(watchpost.TaskExpiry)))))
	}
	return result
}

type forecaster struct {
	accounts []Account
	limit    watchpost.Allowance
	limited  bool
	now      time.Time
	bound    map[watchpost.AccountURN]int // units of the accounts' own work
}

// unitsWithin returns how many units are done from now until the end of a period, 0 being
// the one that holds now: by an account, or of the work of any.
func (f *forecaster) unitsWithin(account watchpost.AccountURN, period int) (n int) {
	for _, a := range f.accounts {
		room := a.Room + period*f.limit.Limit
		switch {
		case !f.limited:
			return ahead
		case account == "":
			n += max(0, room-f.bound[a.Account])
		case account == a.Account:
			return room
		}
	}
	return n
}

// periodAt returns the last period that begins before a moment.
func (f *forecaster) periodAt(at time.Time) int {
	day := 24 * time.Hour
	if f.limit.Period == watchpost.Weekly {
		day *= 7
	}
	return int((at.Sub(f.limit.Period.Start(f.now)) - 1) / day)
}

// begin returns when a period begins; now for the one that holds it.
func (f *forecaster) begin(period int) time.Time {
	if period == 0 {
		return f.now
	}
	days := 1
	if f.limit.Period == watchpost.Weekly {
		days = 7
	}
	return f.limit.Period.Start(f.now).AddDate(0, 0, period*days)
}

// done returns when the last of the units of an account, or of any, may begin.
func (f *forecaster) done(w *Work, units int) (at time.Time, reason watchpost.PendingReason) {
	if !slices.ContainsFunc(f.accounts, func(a Account) bool { return w.Account == "" || w.Account == a.Account }) {
		return time.Time{}, watchpost.PendingExtensionOffline
	}
	period := sort.Search(ahead, func(period int) bool { return f.unitsWithin(w.Account, period) >= units })
	if period == ahead {
		return time.Time{}, watchpost.PendingExtensionOffline // the rest of an account's own work takes that long
	}
	at = f.begin(period)
	switch {
	case period == 0 || w.NotBefore.After(at):
		if w.NotBefore.After(at) {
			at = w.NotBefore
		}
		if reason = w.Reason; reason == watchpost.PendingQueued {
			reason = ""
		}
	case f.limit.Period == watchpost.Weekly:
		reason = watchpost.PendingWeeklyCap
	default:
		reason = watchpost.PendingDailyCap
	}
	return at, reason
}

// MaxAdded bounds the tasks of one type that a forecast adds: as many as may be open.
const MaxAdded = 100_000

// Added are tasks of a type that a caller thinks of creating.
type Added struct {
	Type  watchpost.TaskType
	Count int
}

// ParseAdded parses agent_profile_fetch:300.
func ParseAdded(s string) (Added, error) {
	name, number, _ := strings.Cut(s, ":")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > MaxAdded || !slices.Contains(watchpost.JournalTypes(), watchpost.TaskType(name)) {
		return Added{}, watchpost.Errorf(watchpost.Invalid, "Invalid 'add'")
	}
	return Added{watchpost.TaskType(name), n}, nil
}
