package watchpost_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

func TestTargetsInTheirOrder(t *testing.T) {
	t.Parallel()
	made := func(id watchpost.TargetID, after time.Duration) watchpost.NotificationTarget {
		return watchpost.NotificationTarget{ID: id, CreatedAt: monday.Add(after)}
	}
	want := []watchpost.NotificationTarget{made("z", 0), made("a", time.Millisecond), made("b", time.Millisecond), made("c", time.Second)}
	got := []watchpost.NotificationTarget{want[3], want[2], want[1], want[0]}
	slices.SortFunc(got, watchpost.CompareTargets)
	require.Equal(t, want, got)
}

// TestGivingUp: a delivery is given up after a day of trying. What counts are failures at
// least an hour apart; no time in which nothing could be tried.
func TestGivingUp(t *testing.T) {
	t.Parallel()
	refused := watchpost.Attempt{Code: 503, Error: "answered 503"}
	// tried repeats the attempts until the delivery is given up. next is when the service
	// makes one that is due.
	tried := func(next func(due time.Time) time.Time) (attempts int, took time.Duration) {
		d, now := watchpost.Delivery{ID: "d", Kind: "posts", State: watchpost.DeliveryPending, At: monday}, monday
		for d.Attempts < 1000 {
			var givenUp bool
			if d, givenUp = d.After(refused, now); givenUp {
				require.Equal(t, watchpost.DeliveryFailed, d.State)
				return d.Attempts, now.Sub(monday)
			}
			require.True(t, d.NotBefore.After(now))
			now = next(d.NotBefore)
		}
		t.Fatal("it is never given up")
		return 0, 0
	}
	attempts, took := tried(func(due time.Time) time.Time { return due })
	require.Greater(t, attempts, 24)
	require.GreaterOrEqual(t, took, 24*time.Hour)
	require.Less(t, took, 30*time.Hour)

	weekend := watchpost.DailyHours{Days: []time.Weekday{time.Saturday, time.Sunday}, From: 0, Until: 24 * 60}
	target := watchpost.NotificationTarget{Quiet: weekend}
	friday := monday.Add(4 * 24 * time.Hour)
	d := watchpost.Delivery{ID: "d", Kind: "posts", State: watchpost.DeliveryPending, At: friday.Add(23 * time.Hour)}
	d, givenUp := d.After(refused, d.At)
	require.False(t, givenUp)
	late := target.Opens(friday.Add(25 * time.Hour))
	require.Equal(t, monday.Add(7*24*time.Hour).Truncate(24*time.Hour), late)
	d, givenUp = d.After(refused, late)
	require.False(t, givenUp, "two attempts around a weekend")

	nights := watchpost.NotificationTarget{Quiet: watchpost.DailyHours{From: 18 * 60, Until: 8 * 60}}
	_, took = tried(nights.Opens)
	require.GreaterOrEqual(t, took, 48*time.Hour, "10 hours of a day")
	_, took = tried(func(due time.Time) time.Time { return due.Add(3 * 24 * time.Hour) })
	require.GreaterOrEqual(t, took, 24*3*24*time.Hour, "a service that is down most of the time")

	_, givenUp = d.After(watchpost.Attempt{Code: 410, Error: "answered 410", Gone: true}, late)
	require.True(t, givenUp)
	d, _ = d.After(watchpost.Attempt{}, late)
	require.Equal(t, watchpost.DeliveryDelivered, d.State)
}

// TestQuietAroundTheClock: quiet hours leave time to deliver.
func TestQuietAroundTheClock(t *testing.T) {
	t.Parallel()
	every := []time.Weekday{0, 1, 2, 3, 4, 5, 6}
	clean := func(quiet watchpost.DailyHours) error {
		target := watchpost.NotificationTarget{Name: "Hook", Kind: watchpost.TargetWebhook, URL: "https://hook.example", PerHour: 1, Quiet: quiet}
		_, err := target.Clean(false)
		return err
	}
	for _, always := range []watchpost.DailyHours{{Until: 24 * 60}, {From: 9 * 60, Until: 9 * 60}, {Days: every}, {Days: every, Until: 24 * 60}, {Days: every, From: 60, Until: 60, Zone: "Europe/Berlin"}} {
		require.EqualError(t, clean(always), "Invalid 'quiet_hours'", "%+v", always)
	}
	for _, some := range []watchpost.DailyHours{{}, {Until: 24*60 - 1}, {From: 9 * 60, Until: 9*60 - 1}, {Days: every[1:], Until: 24 * 60}, {Days: every[:1]}} {
		require.NoError(t, clean(some), "%+v", some)
	}
}

// TestAlertOfATarget: an alert has a kind and a minimum, and conditions that can be counted.
func TestAlertOfATarget(t *testing.T) {
	t.Parallel()
	spike := watchpost.Alert{Of: watchpost.AlertSpike, Minimum: 5}
	surge := watchpost.Alert{Of: watchpost.AlertNegativeSurge, Minimum: watchpost.MaxAlertMinimum}
	for _, c := range []struct {
		alert watchpost.Alert
		when  watchpost.PostConditions
		field string
	}{
		{watchpost.Alert{}, watchpost.PostConditions{MinRelevance: 5, MaxAge: time.Hour}, ""},
		{spike, watchpost.PostConditions{}, ""},
		{surge, watchpost.PostConditions{Sentiments: []string{"Negative", "neutral"}, Languages: []string{"German"}}, ""},
		{watchpost.Alert{Minimum: 5}, watchpost.PostConditions{}, "alert.of"},
		{watchpost.Alert{Of: "calm", Minimum: 5}, watchpost.PostConditions{}, "alert.of"},
		{watchpost.Alert{Of: watchpost.AlertSpike}, watchpost.PostConditions{}, "alert.minimum"},
		{watchpost.Alert{Of: watchpost.AlertSpike, Minimum: watchpost.MaxAlertMinimum + 1}, watchpost.PostConditions{}, "alert.minimum"},
		{spike, watchpost.PostConditions{MinRelevance: 5}, "min_relevance"},
		{spike, watchpost.PostConditions{MaxAge: time.Hour}, "max_age_hours"},
		{spike, watchpost.PostConditions{Sentiments: []string{"positive"}}, ""},
		{surge, watchpost.PostConditions{Sentiments: []string{"positive"}}, "sentiments"},
	} {
		target := watchpost.NotificationTarget{Name: "Hook", Kind: watchpost.TargetWebhook, URL: "https://hook.example", PerHour: 1, Alert: c.alert, If: c.when}
		_, err := target.Clean(false)
		if c.field == "" {
			require.NoError(t, err, "%+v", c)
		} else {
			require.EqualError(t, err, "Invalid '"+c.field+"'", "%+v", c)
		}
	}
}

// TestCountedPosts: what an alert counts is what its target would get: the query selects the
// same posts, and its parameters name the same filters.
func TestCountedPosts(t *testing.T) {
	t.Parallel()
	target := watchpost.NotificationTarget{
		Watchlist: "w", Alert: watchpost.Alert{Of: watchpost.AlertNegativeSurge, Minimum: 5},
		If: watchpost.PostConditions{Labels: []string{"Pricing"}, Sentiments: []string{"negative", "neutral"}, Levels: []string{"VP"}, Languages: []string{"de"}, Authors: []string{"/in/ada", "https://network.example/company/acme"}, Keyword: "solar"},
	}
	require.Equal(t, "company_slug=https%3A%2F%2Fnetwork.example%2Fcompany%2Facme&keyword=solar&labels=Pricing&lang=de&people_slug=%2Fin%2Fada&seniority_level=VP&sentiment=negative&watchlist_id=w",
		target.CountedParams().Encode())
	target.If = watchpost.PostConditions{Languages: []string{"de"}}
	tagging := &watchpost.Tagging{Live: map[watchpost.WatchlistID]bool{"w": true, "other": true}}
	for name, c := range map[string]struct {
		of, language, sentiment string
		want                    bool
	}{
		"counted": {"w", "de", "negative", true}, "another language": {"w", "en", "negative", false},
		"no bad news": {"w", "de", "positive", false}, "another watchlist": {"other", "de", "negative", false},
	} {
		p := &watchpost.Post{ID: "p", Language: c.language, Sentiment: c.sentiment, Matches: []watchpost.Match{{Watchlist: watchpost.WatchlistID(c.of)}}}
		q := target.Counted(tagging)
		require.Equal(t, c.want, q.Matches(p), name)
		require.Equal(t, c.want, target.Wants(p, watchpost.WatchlistID(c.of), tagging, monday), name)
	}
}
