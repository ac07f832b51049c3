package scanplan_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	. "watchpost/watchpost"
	"watchpost/watchpost/scanplan"
)

func hours(n int) FetchFrequency { return FetchFrequency(time.Duration(n) * time.Hour) }

func TestCapacityPerDay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		action  Action
		live    int
		want    int
		limited bool
	}{
		{ActionKeywordScan, 2, 60, true},
		{ActionPeopleScan, 1, 50, true},
		{ActionProfileFetch, 0, 0, true},
		{ActionInvitation, 3, 300, true},
		{ActionNone, 2, 0, false},
	} {
		got, limited := scanplan.CapacityPerDay(c.action, c.live)
		require.Equal(t, c.want, got, c.action)
		require.Equal(t, c.limited, limited, c.action)
	}
}

func TestKeywordNeed(t *testing.T) {
	t.Parallel()
	w := Watchlist{Type: KeywordWatchlist, Frequency: hours(6), Keywords: []KeywordEntry{
		{Keyword: "Go"}, {Keyword: "go", Required: []string{"jobs"}}, {Keyword: "rust"},
	}}
	require.Equal(t, 8, scanplan.KeywordNeed(&w).PerDay(), "two entries with one keyword share a scan")
	w.Frequency = hours(72)
	require.Equal(t, 1, scanplan.KeywordNeed(&w).PerDay(), "rounded up")
	w.Disabled = true
	require.Zero(t, scanplan.KeywordNeed(&w).PerDay())
}

func TestOutlook(t *testing.T) {
	t.Parallel()
	large, hourly := scanplan.Need{50, hours(6)}, scanplan.Need{1, hours(1)}
	for name, c := range map[string]struct {
		action   Action
		needs    []scanplan.Need
		live     int
		perDay   int
		interval time.Duration
		warning  string
	}{
		"alone": {ActionKeywordScan, []scanplan.Need{large}, 2, 200, 20 * time.Hour,
			"Needs 200 keyword scans a day, the team's accounts have 60: entries are scanned every 20 hours"},
		"with a small one": {ActionKeywordScan, []scanplan.Need{large, hourly}, 2, 200, 50 * 24 * time.Hour / 36,
			"Needs 200 keyword scans a day, the team's accounts have 60: entries are scanned every 34 hours"},
		"the small one": {ActionKeywordScan, []scanplan.Need{hourly, large}, 2, 24, time.Hour, ""},
		"one that fits": {ActionKeywordScan, []scanplan.Need{{5, hours(12)}}, 1, 10, 12 * time.Hour, ""},
		"no account": {ActionKeywordScan, []scanplan.Need{{1, hours(24)}}, 0, 1, 0,
			"Needs 1 keyword scan a day, the team's accounts have 0: entries wait until a member's extension is active"},
		"no limit": {ActionNone, []scanplan.Need{large}, 1, 200, 6 * time.Hour, ""},
		"taking turns": {ActionKeywordScan, repeated(scanplan.Need{1, hours(24)}, 31), 1, 1, 24 * time.Hour * 1000 / 968,
			"Needs 1 keyword scan a day, the team's accounts have 30: entries are scanned every 25 hours"},
	} {
		o, _ := scanplan.ForecastOf(c.action, c.needs, c.live).Outlook(0)
		require.Equal(t, c.perDay, o.PerDay, name)
		require.Equal(t, c.interval, o.Interval, name)
		require.Equal(t, c.warning, o.Warning(KeywordWatchlist, c.needs[0].Frequency), name)
	}
}

func repeated(n scanplan.Need, times int) (all []scanplan.Need) {
	for range times {
		all = append(all, n)
	}
	return all
}

// TestFairShares: nothing is lost, none gets more than it needs, and one that gets less than
// it needs has no less than any other that got something, but for a rest of one.
func TestFairShares(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		needs := rapid.SliceOfN(rapid.IntRange(0, 40), 0, 8).Draw(t, "needs")
		had := rapid.SliceOfN(rapid.IntRange(0, 40), len(needs), len(needs)).Draw(t, "had")
		room := rapid.IntRange(0, 120).Draw(t, "room")
		shares, given, needed := scanplan.FairShares(needs, had, room), 0, 0
		for i, share := range shares {
			given, needed = given+share-had[i], needed+max(0, needs[i]-had[i])
			require.LessOrEqual(t, share, max(needs[i], had[i]))
			if share < needs[i] {
				for j := range shares {
					require.True(t, shares[j] <= max(share+1, had[j]), "%v of %v", shares, needs)
				}
			}
		}
		require.Equal(t, min(room, needed), given)
	})
}

// month lives 30 days with schedules that want scans of accounts which have capacity of
// them a day, and whose members are there in some hours. It returns how many scans each
// schedule had.
func month(needs []scanplan.Need, capacity int, there func(hour int) bool) (had []int) {
	begin := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	due := make([][]time.Time, len(needs))
	for i, n := range needs {
		due[i] = slices.Repeat([]time.Time{begin}, n.Subjects)
	}
	had = make([]int, len(needs))
	var present PresentHours
	for now := begin; now.Before(begin.AddDate(0, 0, 30)); now = now.AddDate(0, 0, 1) {
		used := make([]int, len(needs))
		for hour := range 24 {
			at := now.Add(time.Duration(hour) * time.Hour)
			for ; there(hour); present.Note(at) {
				claims, room := claimsAt(needs, due, used, at), capacity-sum(used)
				next := scanplan.NextClaim(claims, room, present.Left(at))
				if room == 0 || next < 0 {
					present.Note(at)
					break
				}
				first := slices.IndexFunc(due[next], claims[next].Longest.Equal)
				due[next][first] = at.Add(needs[next].Frequency.Duration())
				used[next]++
			}
		}
		for i := range used {
			had[i] += used[i]
		}
	}
	return had
}

// claimsAt returns the claims of schedules.
func claimsAt(needs []scanplan.Need, due [][]time.Time, used []int, now time.Time) []scanplan.Claim {
	claims := make([]scanplan.Claim, len(needs))
	for i, n := range needs {
		c := scanplan.Claim{Need: n, Used: used[i]}
		for _, at := range due[i] {
			if !at.After(now) {
				c.Waiting++
				if c.Longest.IsZero() || at.Before(c.Longest) {
					c.Longest = at
				}
			}
		}
		claims[i] = c
	}
	return claims
}

func sum(list []int) (total int) {
	for _, n := range list {
		total += n
	}
	return total
}

// TestOutlookComesTrue: over a month each schedule is scanned as often as was said, but for
// the scan of a day that cannot be divided.
func TestOutlookComesTrue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		frequency := rapid.SampledFrom([]int{1, 3, 6, 12, 24})
		var needs []scanplan.Need
		for range rapid.IntRange(1, 6).Draw(t, "schedules") {
			needs = append(needs, scanplan.Need{rapid.IntRange(1, 40).Draw(t, "subjects"), hours(frequency.Draw(t, "hours"))})
		}
		live := rapid.IntRange(1, 3).Draw(t, "accounts")
		capacity, _ := scanplan.CapacityPerDay(ActionKeywordScan, live)
		had := month(needs, capacity, func(int) bool { return true })
		forecast := scanplan.ForecastOf(ActionKeywordScan, needs, live)
		for i, n := range needs {
			const days = 30
			o, _ := forecast.Outlook(i)
			said := float64(n.Subjects) * days * 24 / o.Interval.Hours()
			require.InDelta(t, said, had[i], max(days, 0.1*said), "%d of %v, %d accounts: %v", i, needs, live, had)
		}
	})
}

// TestLargeWatchlistLetsOthersScan: 50 keywords every 6 hours next to a team mate's
// hourly one.
func TestLargeWatchlistLetsOthersScan(t *testing.T) {
	t.Parallel()
	needs := []scanplan.Need{{50, hours(6)}, {1, hours(1)}}
	had := month(needs, 60, func(int) bool { return true })
	require.Equal(t, []int{30 * 36, 30 * 24}, had)
	// A member who connects for an hour a day: the small one needs one scan then, and from
	// the second day on nothing is kept for hours without a connected member.
	had = month(needs, 60, func(hour int) bool { return hour == 9 })
	require.Equal(t, 30, had[1])
	require.GreaterOrEqual(t, had[0], 29*50, "each keyword once a day")
}

// TestNextClaim: who is next waits, no one else who waits has had less of its share, and what
// those who do not wait will need is kept.
func TestNextClaim(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var claims []scanplan.Claim
		var needs, had []int
		waiting, room, left := 0, rapid.IntRange(1, 90).Draw(t, "room"), rapid.IntRange(0, 24).Draw(t, "hours")
		for range rapid.IntRange(0, 6).Draw(t, "claims") {
			c := scanplan.Claim{Need: scanplan.Need{rapid.IntRange(0, 40).Draw(t, "subjects"), hours(6)}, Used: rapid.IntRange(0, 40).Draw(t, "used")}
			if c.Waiting = rapid.IntRange(0, 3).Draw(t, "waiting"); c.Waiting > 0 {
				c.Longest = time.Unix(int64(rapid.IntRange(1, 9).Draw(t, "longest")), 0)
				waiting++
			}
			claims, needs, had = append(claims, c), append(needs, c.Need.PerDay()), append(had, c.Used)
		}
		next := scanplan.NextClaim(claims, room, left)
		if next < 0 {
			require.True(t, waiting == 0 || left > 0, "nothing is kept for the next day")
			return
		}
		require.Positive(t, claims[next].Waiting)
		kept, shares := 0, scanplan.FairShares(needs, had, room)
		beyond := claims[next].Used >= shares[next]+1 // what cannot be divided may be another's
		for i, c := range claims {
			owed := shares[i] - c.Used - 1
			require.False(t, beyond && c.Waiting > 0 && owed > 0, "%d waits within its share, %d is beyond: %v", i, next, claims)
			if left == 24 && c.Waiting == 0 {
				kept += max(0, owed)
			}
		}
		require.False(t, beyond && room <= kept, "%d takes what others need: %v", next, claims)
	})
	require.Equal(t, -1, scanplan.NextClaim(nil, 1, 24))
}

// TestPlan: the budget of a type counts each schedule once, and says which of them the
// accounts cannot do in time.
func TestPlan(t *testing.T) {
	t.Parallel()
	keywords := func(id string, n, every int) Watchlist {
		w := Watchlist{ID: WatchlistID(id), Type: KeywordWatchlist, Frequency: hours(every)}
		for i := range n {
			w.Keywords = append(w.Keywords, KeywordEntry{Keyword: fmt.Sprint("k", i)})
		}
		return w
	}
	people := func(id string, every int) Watchlist {
		return Watchlist{ID: WatchlistID(id), Type: PeopleWatchlist, List: "L", Frequency: hours(every)}
	}
	plan := scanplan.Plan{Live: 2}.With(keywords("large", 50, 6), 0)
	budget := func() scanplan.Budget {
		b, limited := plan.Budget(KeywordWatchlist)
		require.True(t, limited)
		return b
	}
	require.Equal(t, scanplan.Budget{KeywordWatchlist, 200, 60, 1, 1, 0, 20 * time.Hour, 20 * time.Hour}, budget())
	plan = plan.With(keywords("small", 1, 24), 0)
	require.Equal(t, scanplan.Budget{KeywordWatchlist, 201, 60, 2, 1, 0, 50 * 24 * time.Hour / 59, 50 * 24 * time.Hour / 59}, budget())
	before := plan
	plan = plan.With(keywords("large", 10, 12), 0)
	require.Equal(t, scanplan.Budget{KeywordWatchlist, 21, 60, 2, 0, 0, 0, 0}, budget())
	plan.Live = 0
	require.Equal(t, 2, budget().Never)
	plan = before
	require.Equal(t, 201, budget().PerDay, "With changes a copy")

	// The fastest of two that follow one list counts, and their scans count once.
	plan.Schedules = append(plan.Schedules, scanplan.Schedule{PeopleWatchlist, []Watchlist{people("p1", 24), people("p2", 12)}, scanplan.Need{4, hours(12)}})
	people1, limited := plan.Budget(PeopleWatchlist)
	require.True(t, limited)
	require.Equal(t, scanplan.Budget{PeopleWatchlist, 8, 100, 1, 0, 0, 0, 0}, people1)
	slower, _ := plan.With(people("p2", 72), 5).Budget(PeopleWatchlist)
	require.Equal(t, 5, slower.PerDay)
	o, asked := plan.Outlook("p1")
	require.Equal(t, scanplan.Outlook{8, true, 100, 12 * time.Hour}, o)
	require.Equal(t, hours(12), asked)
	_, asked = plan.Outlook("other")
	require.Zero(t, asked)
	_, limited = plan.Budget(ForumWatchlist)
	require.False(t, limited)
}
