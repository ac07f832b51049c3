package actors_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
	"watchpost/watchpost/forecast"
)

// forecastOf asks for the forecast of an action.
func forecastOf(t *testing.T, team *actorstest.Team, action watchpost.Action, added ...forecast.Added) forecast.Forecast {
	t.Helper()
	for _, f := range actorstest.Must[[]actors.ActionForecast](t, team, actors.GetForecast{Added: added}) {
		if f.Action == action {
			return f.Forecast
		}
	}
	t.Fatal("no forecast of " + action)
	return forecast.Forecast{}
}

// TestForecastComesTrue forecasts reads, then lets time pass: the last one begins on the
// day that was forecast, and what remains is forecast the same on each day before.
func TestForecastComesTrue(t *testing.T) {
	t.Parallel()
	w, team, ada := house(t)
	const n = 100
	added := forecast.Added{Type: watchpost.TaskProfileFetch, Count: n}
	first := forecastOf(t, team, watchpost.ActionProfileFetch, added)
	require.Equal(t, forecast.Forecast{Added: n, Capacity: 40, Room: 40, DoneAt: watchpost.Daily.Start(w.Now()).AddDate(0, 0, 2), LimitedBy: watchpost.PendingDailyCap}, first)
	ids := fetches(t, team, n)
	for i, id := range ids {
		f := ada.ExpectTask(id)
		if i%10 == 0 {
			again := forecastOf(t, team, watchpost.ActionProfileFetch)
			require.Equal(t, n-1-i, again.Waiting)
			if w.Now().Before(first.DoneAt) {
				require.Equal(t, first.DoneAt, again.DoneAt, "forecast after %d", i)
			}
		}
		ada.Finish(f)
		if i%40 == 39 {
			require.Zero(t, forecastOf(t, team, watchpost.ActionProfileFetch).Room)
			w.SetClock(watchpost.Daily.Reset(w.Now()))
		}
	}
	require.Equal(t, watchpost.Daily.Start(w.Now()), first.DoneAt)
	require.Equal(t, forecast.Forecast{Capacity: 40, Room: 20}, forecastOf(t, team, watchpost.ActionProfileFetch))
}

// TestForecastCountsUnits counts the people of tasks that have several, what an account's
// own member alone can do, and nothing of accounts that are away.
func TestForecastCountsUnits(t *testing.T) {
	t.Parallel()
	w, team, ada := house(t)
	for n := range 4 { // 20 people each, 50 a day
		var urns []string
		for i := range 20 {
			urns = append(urns, fmt.Sprintf(`"urn:network:member:%d"`, 20*n+i))
		}
		id := created(t, team, request(watchpost.TaskProfilesPosts, `{"profile_urns":[`+strings.Join(urns, ",")+`]}`))
		if n < 3 {
			f := ada.ExpectTask(id)
			ada.Result(f, protocol.PostsOutput{Posts: []protocol.Post{}})
			ada.ExpectAck(f)
		}
	}
	require.Equal(t, forecast.Forecast{Waiting: 10 + 20, Capacity: 50, DoneAt: watchpost.Daily.Reset(w.Now()), LimitedBy: watchpost.PendingDailyCap}, forecastOf(t, team, watchpost.ActionPeopleScan))
	ada.Drop()
	require.Equal(t, watchpost.PendingExtensionOffline, forecastOf(t, team, watchpost.ActionLike, forecast.Added{Type: watchpost.TaskLikePost, Count: 1}).LimitedBy)
	w.Advance(watchpost.LivenessWindow + time.Second)
	away := forecastOf(t, team, watchpost.ActionProfileFetch, forecast.Added{Type: watchpost.TaskProfileFetch, Count: 7})
	require.Equal(t, forecast.Forecast{Added: 7, LimitedBy: watchpost.PendingExtensionOffline, Expiring: 7}, away)
}
