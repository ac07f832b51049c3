package forecast_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/watchpost"
	"watchpost/watchpost/forecast"
)

func TestForecast(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 9, 12, 0, 0, 0, time.UTC) // a Wednesday
	day := func(n int) time.Time { return watchpost.Daily.Start(now).AddDate(0, 0, n) }
	ada, bob := forecast.Account{Account: "ada", Room: 40}, forecast.Account{Account: "bob", Room: 10}
	ofAnyone := func(units int, added bool) forecast.Work {
		return forecast.Work{Units: units, Added: added, Reason: watchpost.PendingQueued}
	}
	of := func(account watchpost.AccountURN, units int) forecast.Work {
		return forecast.Work{Account: account, Units: units, Added: true, Reason: watchpost.PendingQueued}
	}
	paused := forecast.Work{Units: 1, Reason: watchpost.PendingPaused, NotBefore: now.Add(time.Hour)}
	const fetch, like, invite = watchpost.ActionProfileFetch, watchpost.ActionLike, watchpost.ActionInvitation
	const daily, offline = watchpost.PendingDailyCap, watchpost.PendingExtensionOffline
	for name, c := range map[string]struct {
		action   watchpost.Action
		accounts []forecast.Account
		work     []forecast.Work
		want     forecast.Forecast
	}{
		"nothing":            {fetch, []forecast.Account{ada}, nil, forecast.Forecast{Capacity: 40, Room: 40}},
		"today":              {fetch, []forecast.Account{ada, bob}, []forecast.Work{ofAnyone(20, false), ofAnyone(30, true)}, forecast.Forecast{Waiting: 20, Added: 30, Capacity: 80, Room: 50, DoneAt: now}},
		"one too many":       {fetch, []forecast.Account{ada, bob}, []forecast.Work{ofAnyone(51, true)}, forecast.Forecast{Added: 51, Capacity: 80, Room: 50, DoneAt: day(1), LimitedBy: daily}},
		"two more days":      {fetch, []forecast.Account{ada, bob}, []forecast.Work{ofAnyone(131, true)}, forecast.Forecast{Added: 131, Capacity: 80, Room: 50, DoneAt: day(2), LimitedBy: daily}},
		"some expire":        {fetch, []forecast.Account{ada}, []forecast.Work{ofAnyone(100, false), ofAnyone(300, true)}, forecast.Forecast{Waiting: 100, Added: 300, Capacity: 40, Room: 40, DoneAt: day(9), LimitedBy: daily, Expiring: 80}},
		"no account":         {fetch, nil, []forecast.Work{ofAnyone(3, true)}, forecast.Forecast{Added: 3, LimitedBy: offline, Expiring: 3}},
		"a member's own":     {like, []forecast.Account{{Account: "ada", Room: 50}, {Account: "bob", Room: 50}}, []forecast.Work{of("ada", 60)}, forecast.Forecast{Added: 60, Capacity: 100, Room: 100, DoneAt: day(1), LimitedBy: daily}},
		"one of them is off": {like, []forecast.Account{{Account: "ada", Room: 50}}, []forecast.Work{of("ada", 5), of("eve", 1)}, forecast.Forecast{Added: 6, Capacity: 50, Room: 50, LimitedBy: offline, Expiring: 1}},
		"a week":             {invite, []forecast.Account{{Account: "ada", Room: 100}}, []forecast.Work{of("ada", 101)}, forecast.Forecast{Added: 101, Capacity: 100, Room: 100, DoneAt: watchpost.Weekly.Reset(now), LimitedBy: watchpost.PendingWeeklyCap}},
		"a pause":            {fetch, []forecast.Account{ada}, []forecast.Work{paused, ofAnyone(1, true)}, forecast.Forecast{Waiting: 1, Added: 1, Capacity: 40, Room: 40, DoneAt: now.Add(time.Hour), LimitedBy: watchpost.PendingPaused}},
		"no allowance":       {watchpost.ActionNone, []forecast.Account{{Account: "ada"}}, []forecast.Work{ofAnyone(5000, true)}, forecast.Forecast{Added: 5000, DoneAt: now}},
	} {
		require.Equal(t, c.want, forecast.Of(c.action, c.accounts, c.work, now), name)
	}
}

// TestForecastIsADayByDayCount compares the forecast with a count that does the work day
// by day.
func TestForecastIsADayByDayCount(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 9, 23, 59, 0, 0, time.UTC)
	const limit = 40
	rapid.Check(t, func(t *rapid.T) {
		accounts, room := []forecast.Account{}, map[watchpost.AccountURN]int{}
		for i := range rapid.IntRange(1, 3).Draw(t, "accounts") {
			a := forecast.Account{Account: watchpost.AccountURN(fmt.Sprint(i)), Room: rapid.IntRange(0, limit).Draw(t, "room")}
			accounts, room[a.Account] = append(accounts, a), a.Room
		}
		own, shared := map[watchpost.AccountURN]int{}, rapid.IntRange(0, 500).Draw(t, "any")
		work := []forecast.Work{{Units: shared, Added: true}}
		for _, a := range accounts {
			own[a.Account] = rapid.IntRange(0, 200).Draw(t, "own")
			work = append(work, forecast.Work{Account: a.Account, Units: own[a.Account]})
		}
		want, expiring := time.Time{}, 0
		for day := 0; shared > 0 || len(own) > 0; day++ {
			at := watchpost.Daily.Start(now).AddDate(0, 0, day)
			if day == 0 {
				at = now
			}
			if !at.Before(now.Add(watchpost.TaskExpiry)) && expiring == 0 {
				expiring = shared
			}
			for _, a := range accounts {
				left := room[a.Account]
				room[a.Account] = limit
				if n := min(left, own[a.Account]); n > 0 {
					own[a.Account], left, want = own[a.Account]-n, left-n, at
				}
				if own[a.Account] == 0 {
					delete(own, a.Account)
				}
				if n := min(left, shared); n > 0 {
					shared, want = shared-n, at
				}
			}
		}
		got := forecast.Of(watchpost.ActionProfileFetch, accounts, work, now)
		require.Equal(t, want, got.DoneAt)
		require.Equal(t, expiring, got.Expiring)
	})
}

func TestParseAdded(t *testing.T) {
	t.Parallel()
	added, err := forecast.ParseAdded("agent_profile_fetch:300")
	require.NoError(t, err)
	require.Equal(t, forecast.Added{Type: watchpost.TaskProfileFetch, Count: 300}, added)
	for _, s := range []string{"", "agent_profile_fetch", "agent_profile_fetch:", "agent_profile_fetch:0", "agent_profile_fetch:100001", "keyword_scan:1", "x:1", "agent_profile_fetch:1:2"} {
		_, err := forecast.ParseAdded(s)
		require.EqualError(t, err, "Invalid 'add'", s)
	}
}
