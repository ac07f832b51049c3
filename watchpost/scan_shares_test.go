package watchpost_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	. "watchpost/watchpost"
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
		got, limited := CapacityPerDay(c.action, c.live)
		require.Equal(t, c.want, got, c.action)
		require.Equal(t, c.limited, limited, c.action)
	}
}

func TestKeywordNeed(t *testing.T) {
	t.Parallel()
	w := Watchlist{Type: KeywordWatchlist, Frequency: hours(6), Keywords: []KeywordEntry{
		{Keyword: "Go"}, {Keyword: "go", Required: []string{"jobs"}}, {Keyword: "rust"},
	}}
	require.Equal(t, 8, KeywordNeed(&w).PerDay(), "two entries with one keyword share a scan")
	w.Frequency = hours(72)
	require.Equal(t, 1, KeywordNeed(&w).PerDay(), "rounded up")
	w.Disabled = true
	require.Zero(t, KeywordNeed(&w).PerDay())
}

func TestOutlook(t *testing.T) {
	t.Parallel()
	large, hourly := ScanNeed{50, hours(6)}, ScanNeed{1, hours(1)}
	for name, c := range map[string]struct {
		action   Action
		needs    []ScanNeed
		live     int
		perDay   int
		interval time.Duration
		warning  string
	}{
		"alone": {ActionKeywordScan, []ScanNeed{large}, 2, 200, 20 * time.Hour,
			"Needs 200 keyword scans a day, the team's accounts have 60: entries are scanned every 20 hours"},
		"with a small one": {ActionKeywordScan, []ScanNeed{large, hourly}, 2, 200, 50 * 24 * time.Hour / 36,
			"Needs 200 keyword scans a day, the team's accounts have 60: entries are scanned every 34 hours"},
		"the small one": {ActionKeywordScan, []ScanNeed{hourly, large}, 2, 24, time.Hour, ""},
		"one that fits": {ActionKeywordScan, []ScanNeed{{5, hours(12)}}, 1, 10, 12 * time.Hour, ""},
		"no account": {ActionKeywordScan, []ScanNeed{{1, hours(24)}}, 0, 1, 0,
			"Needs 1 keyword scan a day, the team's accounts have 0: entries wait until a member's extension is active"},
		"no limit":  {ActionNone, []ScanNeed{large}, 1, 200, 6 * time.Hour, ""},
		"none left": {ActionKeywordScan, append(make([]ScanNeed, 0), repeated(ScanNeed{1, hours(24)}, 31)...), 1, 1, 24 * time.Hour, ""},
	} {
		o := OutlookOf(c.action, c.needs, 0, c.live)
		require.Equal(t, c.perDay, o.PerDay, name)
		require.Equal(t, c.interval, o.Interval, name)
		require.Equal(t, c.warning, o.Warning(KeywordWatchlist, c.needs[0].Frequency), name)
	}
	last := OutlookOf(ActionKeywordScan, repeated(ScanNeed{1, hours(24)}, 31), 30, 1)
	require.Equal(t, "Needs 1 keyword scan a day, the team's accounts have 30: entries wait until other watchlists need less",
		last.Warning(KeywordWatchlist, hours(24)))
}

func repeated(n ScanNeed, times int) (all []ScanNeed) {
	for range times {
		all = append(all, n)
	}
	return all
}

func TestPhraseWarning(t *testing.T) {
	t.Parallel()
	require.Equal(t, `"sourcing manufacturer quote" is matched as a phrase; none of 687 stored posts contains it`, PhraseWarning("sourcing manufacturer quote", 687))
	require.Equal(t, `"a b" is matched as a phrase; none of 1 stored post contains it`, PhraseWarning("a b", 1))
	require.True(t, KeywordEntry{Keyword: "a b"}.Phrase())
	require.False(t, KeywordEntry{Keyword: "ab"}.Phrase())
}

// TestFairShares: nothing is lost, none gets more than it needs, and one that gets less than
// it needs gets no less than any other, but for a rest of one.
func TestFairShares(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		needs := rapid.SliceOfN(rapid.IntRange(0, 40), 0, 8).Draw(t, "needs")
		capacity := rapid.IntRange(0, 120).Draw(t, "capacity")
		shares, given, needed := FairShares(needs, capacity), 0, 0
		for i, share := range shares {
			given, needed = given+share, needed+needs[i]
			require.LessOrEqual(t, share, needs[i])
			if share < needs[i] {
				for j := range shares {
					require.LessOrEqual(t, shares[j], share+1, "%v of %v", shares, needs)
				}
			}
		}
		require.Equal(t, min(capacity, needed), given)
	})
}
