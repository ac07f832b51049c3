package watchpost_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/watchpost"
)

func moment(s string) time.Time {
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		panic(err)
	}
	return at
}

func TestPeriods(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ now, day, nextDay, week, nextWeek string }{
		{"2030-01-09T12:00:00Z", "2030-01-09", "2030-01-10", "2030-01-07", "2030-01-14"},           // a Wednesday
		{"2030-01-07T00:00:00Z", "2030-01-07", "2030-01-08", "2030-01-07", "2030-01-14"},           // the first moment of Monday
		{"2030-01-06T23:59:59.999999999Z", "2030-01-06", "2030-01-07", "2029-12-31", "2030-01-07"}, // the last moment of Sunday
		{"2029-12-31T00:00:00Z", "2029-12-31", "2030-01-01", "2029-12-31", "2030-01-07"},           // a week across the year
		{"2028-02-28T23:00:00Z", "2028-02-28", "2028-02-29", "2028-02-28", "2028-03-06"},           // a leap year
		{"2030-01-07T02:00:00+05:00", "2030-01-06", "2030-01-07", "2029-12-31", "2030-01-07"},      // still Sunday in UTC
		{"2030-01-06T20:00:00-08:00", "2030-01-07", "2030-01-08", "2030-01-07", "2030-01-14"},      // already Monday in UTC
		{"2030-03-31T01:30:00Z", "2030-03-31", "2030-04-01", "2030-03-25", "2030-04-01"},           // no daylight saving
	} {
		now := moment(c.now)
		require.Equal(t, c.day, watchpost.Daily.Key(now), c.now)
		require.Equal(t, c.week, watchpost.Weekly.Key(now), c.now)
		require.Equal(t, moment(c.day+"T00:00:00Z"), watchpost.Daily.Start(now), c.now)
		require.Equal(t, moment(c.week+"T00:00:00Z"), watchpost.Weekly.Start(now), c.now)
		require.Equal(t, moment(c.nextDay+"T00:00:00Z"), watchpost.Daily.Reset(now), c.now)
		require.Equal(t, moment(c.nextWeek+"T00:00:00Z"), watchpost.Weekly.Reset(now), c.now)
	}
}

// TestPeriodLaws: each moment lies in its period, the next period begins where
// it ends, and keys sort like time.
func TestPeriodLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		at := func(name string) time.Time {
			zone := time.FixedZone("", rapid.IntRange(-14*3600, 14*3600).Draw(r, "zone"))
			return time.Unix(rapid.Int64Range(0, 1<<33).Draw(r, name), rapid.Int64Range(0, 999_999_999).Draw(r, "ns")).In(zone)
		}
		now, other := at("now"), at("other")
		for p, length := range map[watchpost.Period]time.Duration{watchpost.Daily: 24 * time.Hour, watchpost.Weekly: 7 * 24 * time.Hour} {
			start, reset := p.Start(now), p.Reset(now)
			require.False(r, now.Before(start))
			require.True(r, now.Before(reset))
			require.Equal(r, length, reset.Sub(start))
			require.Equal(r, start, p.Start(start))
			require.Equal(r, reset, p.Start(reset))
			require.Equal(r, time.UTC, start.Location())
			if p == watchpost.Weekly {
				require.Equal(r, time.Monday, start.Weekday())
			}
			require.Equal(r, p.Start(now).Compare(p.Start(other)), compare(p.Key(now), p.Key(other)))
		}
	})
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func TestAllowances(t *testing.T) {
	t.Parallel()
	want := map[watchpost.Action]int{
		"keyword_scan": 30, "people_scan": 50, "company_scan": 50, "profile_fetch": 40, "company_fetch": 40,
		"profile_search": 100, "message": 100, "like": 50, "comment": 25, "invitation": 100,
	}
	require.Len(t, watchpost.Allowances, len(want))
	for _, a := range watchpost.Allowances {
		require.Equal(t, want[a.Action], a.Limit, a.Action)
		require.Equal(t, a.Action == "invitation", a.Period == watchpost.Weekly)
		got, ok := watchpost.AllowanceOf(a.Action)
		require.True(t, ok)
		require.Equal(t, a, got)
	}
	for _, none := range []watchpost.Action{watchpost.ActionNone, "unknown"} {
		_, ok := watchpost.AllowanceOf(none)
		require.False(t, ok)
	}
	for _, kind := range allTypes {
		require.True(t, kind.Known())
		_, counted := watchpost.AllowanceOf(kind.Action())
		require.Equal(t, kind != watchpost.TaskForumScan, counted, kind)
	}
	require.False(t, watchpost.TaskType("x").Known())
}

func TestExtensionActive(t *testing.T) {
	t.Parallel()
	require.False(t, watchpost.ExtensionActive(time.Time{}, noon))
	require.True(t, watchpost.ExtensionActive(noon, noon))
	require.True(t, watchpost.ExtensionActive(noon, noon.Add(48*time.Hour)))
	require.False(t, watchpost.ExtensionActive(noon, noon.Add(48*time.Hour+1)))
}

func TestNodeHeartbeat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sessions, before, want int // the last two in seconds
	}{
		{0, 0, 20}, {1, 0, 20}, {5_000, 0, 20}, {5_001, 0, 40}, {10_001, 0, 60}, {30_000, 0, 120}, {1_000_000, 0, 120},
		{5_000, 40, 40}, {4_001, 40, 40}, {4_000, 40, 20}, // a quarter more are 5,000
		{30_000, 20, 120}, {0, 120, 20}, {13_000, 120, 80},
	} {
		before, want := time.Duration(c.before)*time.Second, time.Duration(c.want)*time.Second
		require.Equal(t, want, watchpost.NodeHeartbeat(c.sessions, before), "%+v", c)
	}
}

// TestNodeHeartbeatProperties: the interval keeps to its bounds and to the rate, answers
// the same when it is asked again, and a change is not taken back by a tenth of the
// sessions.
func TestNodeHeartbeatProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sessions := rapid.IntRange(0, 100_000).Draw(t, "sessions")
		before := time.Duration(rapid.IntRange(0, 6).Draw(t, "steps")) * watchpost.ShortHeartbeat
		every := watchpost.NodeHeartbeat(sessions, before)
		require.GreaterOrEqual(t, every, watchpost.ShortHeartbeat)
		require.LessOrEqual(t, every, watchpost.LongHeartbeat)
		require.Zero(t, every%watchpost.ShortHeartbeat)
		if every < watchpost.LongHeartbeat {
			require.LessOrEqual(t, float64(sessions)/every.Seconds(), 250.0)
		}
		require.Equal(t, every, watchpost.NodeHeartbeat(sessions, every))
		require.LessOrEqual(t, every, watchpost.NodeHeartbeat(sessions+1, every), "more sessions")
		if every < before {
			require.Equal(t, every, watchpost.NodeHeartbeat(sessions+sessions/10, every), "some come back")
		}
		if every > before {
			require.Equal(t, every, watchpost.NodeHeartbeat(sessions-sessions/10, every), "some leave")
		}
	})
}

func TestSessionHeartbeat(t *testing.T) {
	t.Parallel()
	const node = 80 * time.Second
	require.Equal(t, node, watchpost.SessionHeartbeat(node, false, time.Time{}, noon))
	require.Equal(t, watchpost.ShortHeartbeat, watchpost.SessionHeartbeat(node, true, time.Time{}, noon))
	for ago, want := range map[time.Duration]time.Duration{
		0: node, 47 * time.Hour: node, 47*time.Hour + time.Second: watchpost.ShortHeartbeat,
		48 * time.Hour: watchpost.ShortHeartbeat, 48*time.Hour + time.Second: node,
	} {
		require.Equal(t, want, watchpost.SessionHeartbeat(node, false, noon.Add(-ago), noon), ago)
	}
}
