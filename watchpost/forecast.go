package watchpost

import (
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

// ForecastAccount is an account that was active within LivenessWindow, and how many units
// of an action it has left in the period that holds now.
type ForecastAccount struct {
	Account AccountURN
	Room    int
}

// ForecastWork is work that waits, or that a caller thinks of adding.
type ForecastWork struct {
	Account AccountURN // that does it; "" for any
	Units   int
	Added   bool
	// Reason says why it waits while there is room, and NotBefore until when at least, if
	// that is known.
	Reason    PendingReason
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
	LimitedBy PendingReason
	// Expiring are the added units that could not begin within TaskExpiry.
	Expiring int
}

// forecastAhead bounds the periods that are looked ahead.
const forecastAhead = 1 << 24

// ForecastOf computes when the work of an action is done. It assumes that each account
// comes back in each period and uses its allowance up, and that nothing else is added.
// Work of one account goes before work of any.
func ForecastOf(action Action, accounts []ForecastAccount, work []ForecastWork, now time.Time) Forecast {
	limit, limited := AllowanceOf(action)
	f := forecaster{accounts: accounts, limit: limit, limited: limited, now: now, bound: map[AccountURN]int{}}
	result := Forecast{Capacity: len(accounts) * limit.Limit}
	for _, a := range accounts {
		result.Room += a.Room
	}
	added := map[AccountURN]int{}
	units := map[AccountURN]int{}
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
		result.Expiring += min(n, max(0, units[account]-f.unitsWithin(account, f.periodAt(now.Add(TaskExpiry)))))
	}
	return result
}

type forecaster struct {
	accounts []ForecastAccount
	limit    Allowance
	limited  bool
	now      time.Time
	bound    map[AccountURN]int // units of the accounts' own work
}

// unitsWithin returns how many units are done from now until the end of a period, 0 being
// the one that holds now: by an account, or of the work of any.
func (f *forecaster) unitsWithin(account AccountURN, period int) (n int) {
	for _, a := range f.accounts {
		room := a.Room + period*f.limit.Limit
		switch {
		case !f.limited:
			return forecastAhead
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
	if f.limit.Period == Weekly {
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
	if f.limit.Period == Weekly {
		days = 7
	}
	return f.limit.Period.Start(f.now).AddDate(0, 0, period*days)
}

// done returns when the last of the units of an account, or of any, may begin.
func (f *forecaster) done(w *ForecastWork, units int) (at time.Time, reason PendingReason) {
	if !slices.ContainsFunc(f.accounts, func(a ForecastAccount) bool { return w.Account == "" || w.Account == a.Account }) {
		return time.Time{}, PendingExtensionOffline
	}
	period := sort.Search(forecastAhead, func(period int) bool { return f.unitsWithin(w.Account, period) >= units })
	if period == forecastAhead {
		return time.Time{}, PendingExtensionOffline // the rest of an account's own work takes that long
	}
	at = f.begin(period)
	switch {
	case period == 0 || w.NotBefore.After(at):
		if w.NotBefore.After(at) {
			at = w.NotBefore
		}
		if reason = w.Reason; reason == PendingQueued {
			reason = ""
		}
	case f.limit.Period == Weekly:
		reason = PendingWeeklyCap
	default:
		reason = PendingDailyCap
	}
	return at, reason
}

// MaxForecast bounds the tasks of one type that a forecast adds: as many as may be open.
const MaxForecast = 100_000

// AddedTasks are tasks of a type that a caller thinks of creating.
type AddedTasks struct {
	Type  TaskType
	Count int
}

// ParseAdded parses agent_profile_fetch:300.
func ParseAdded(s string) (AddedTasks, error) {
	name, number, _ := strings.Cut(s, ":")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > MaxForecast || !slices.Contains(JournalTypes(), TaskType(name)) {
		return AddedTasks{}, Errorf(Invalid, "Invalid 'add'")
	}
	return AddedTasks{TaskType(name), n}, nil
}
