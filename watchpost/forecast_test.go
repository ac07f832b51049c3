package watchpost_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/watchpost"
)

func TestForecast(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 9, 12, 0, 0, 0, time.UTC) // a Wednesday
	day := func(n int) time.Time { return watchpost.Daily.Start(now).AddDate(0, 0, n) }
	ada, bob := watchpost.ForecastAccount{Account: "ada", Room: 40}, watchpost.ForecastAccount{Account: "bob", Room: 10}
	ofAnyone := func(units int, added bool) watchpost.ForecastWork {
		return watchpost.ForecastWork{Units: units, Added: added, Reason: watchpost.PendingQueued}
	}
	of := func(account watchpost.AccountURN, units int) watchpost.ForecastWork {
		return watchpost.ForecastWork{Account: account, Units: units, Added: true, Reason: watchpost.PendingQueued}
	}
	paused := watchpost.ForecastWork{Units: 1, Reason: watchpost.PendingPaused, NotBefore: now.Add(time.Hour)}
	const fetch, like, invite = watchpost.ActionProfileFetch, watchpost.ActionLike, watchpost.ActionInvitation
	const daily, offline = watchpost.PendingDailyCap, watchpost.PendingExtensionOffline
	for name, c := range map[string]struct {
		action   watchpost.Action
		accounts []watchpost.ForecastAccount
		work     []watchpost.ForecastWork
		want     watchpost.Forecast
	}{
		"nothing":            {fetch, []watchpost.ForecastAccount{ada}, nil, watchpost.Forecast{Capacity: 40, Room: 40}},
		"today":              {fetch, []watchpost.ForecastAccount{ada, bob}, []watchpost.ForecastWork{ofAnyone(20, false), ofAnyone(30, true)}, watchpost.Forecast{Waiting: 20, Added: 30, Capacity: 80, Room: 50, DoneAt: now}},
		"one too many":       {fetch, []watchpost.ForecastAccount{ada, bob}, []watchpost.ForecastWork{ofAnyone(51, true)}, watchpost.Forecast{Added: 51, Capacity: 80, Room: 50, DoneAt: day(1), LimitedBy: daily}},
		"two more days":      {fetch, []watchpost.ForecastAccount{ada, bob}, []watchpost.ForecastWork{ofAnyone(131, true)}, watchpost.Forecast{Added: 131, Capacity: 80, Room: 50, DoneAt: day(2), LimitedBy: daily}},
		"some expire":        {fetch, []watchpost.ForecastAccount{ada}, []watchpost.ForecastWork{ofAnyone(100, false), ofAnyone(300, true)}, watchpost.Forecast{Waiting: 100, Added: 300, Capacity: 40, Room: 40, DoneAt: day(9), LimitedBy: daily, Expiring: 80}},
		"no account":         {fetch, nil, []watchpost.ForecastWork{ofAnyone(3, true)}, watchpost.Forecast{Added: 3, LimitedBy: offline, Expiring: 3}},
		"a member's own":     {like, []watchpost.ForecastAccount{{Account: "ada", Room: 50}, {Account: "bob", Room: 50}}, []watchpost.ForecastWork{of("ada", 60)}, watchpost.Forecast{Added: 60, Capacity: 100, Room: 100, DoneAt: day(1), LimitedBy: daily}},
		"one of them is off": {like, []watchpost.ForecastAccount{{Account: "ada", Room: 50}}, []watchpost.ForecastWork{of("ada", 5), of("eve", 1)}, watchpost.Forecast{Added: 6, Capacity: 50, Room: 50, LimitedBy: offline, Expiring: 1}},
		"a week":             {invite, []watchpost.ForecastAccount{{Account: "ada", Room: 100}}, []watchpost.ForecastWork{of("ada", 101)}, watchpost.Forecast{Added: 101, Capacity: 100, Room: 100, DoneAt: watchpost.Weekly.Reset(now), LimitedBy: watchpost.PendingWeeklyCap}},
		"a pause":            {fetch, []watchpost.ForecastAccount{ada}, []watchpost.ForecastWork{paused, ofAnyone(1, true)}, watchpost.Forecast{Waiting: 1, Added: 1, Capacity: 40, Room: 40, DoneAt: now.Add(time.Hour), LimitedBy: watchpost.PendingPaused}},
		"no allowance":       {watchpost.ActionNone, []watchpost.ForecastAccount{{Account: "ada"}}, []watchpost.ForecastWork{ofAnyone(5000, true)}, watchpost.Forecast{Added: 5000, DoneAt: now}},
	} {
		require.Equal(t, c.want, watchpost.ForecastOf(c.action, c.accounts, c.work, now), name)
	}
}

// TestForecastIsADayByDayCount compares the forecast with a count that does the work day
// by day.
func TestForecastIsADayByDayCount(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 9, 23, 59, 0, 0, time.UTC)
	const limit = 40
	rapid.Check(t, func(t *rapid.T) {
		accounts, room := []watchpost.ForecastAccount{}, map[watchpost.AccountURN]int{}
		for i := range rapid.IntRange(1, 3).Draw(t, "accounts") {
			a := watchpost.ForecastAccount{Account: watchpost.AccountURN(fmt.Sprint(i)), Room: rapid.IntRange(0, limit).Draw(t, "room")}
			accounts, room[a.Account] = append(accounts, a), a.Room
		}
		own, shared := map[watchpost.AccountURN]int{}, rapid.IntRange(0, 500).Draw(t, "any")
		work := []watchpost.ForecastWork{{Units: shared, Added: true}}
		for _, a := range accounts {
			own[a.Account] = rapid.IntRange(0, 200).Draw(t, "own")
			work = append(work, watchpost.ForecastWork{Account: a.Account, Units: own[a.Account]})
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
		got := watchpost.ForecastOf(watchpost.ActionProfileFetch, accounts, work, now)
		require.Equal(t, want, got.DoneAt)
		require.Equal(t, expiring, got.Expiring)
	})
}

func TestParseAdded(t *testing.T) {
	t.Parallel()
	added, err := watchpost.ParseAdded("agent_profile_fetch:300")
	require.NoError(t, err)
	require.Equal(t, watchpost.AddedTasks{Type: watchpost.TaskProfileFetch, Count: 300}, added)
	for _, s := range []string{"", "agent_profile_fetch", "agent_profile_fetch:", "agent_profile_fetch:0", "agent_profile_fetch:100001", "keyword_scan:1", "x:1", "agent_profile_fetch:1:2"} {
		_, err := watchpost.ParseAdded(s)
		require.EqualError(t, err, "Invalid 'add'", s)
	}
}
