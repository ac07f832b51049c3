package watchpost_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

func TestKeepDays(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"7d", "365d", "36500d", "forever"} {
		k, err := watchpost.ParseKeepDays(s)
		require.NoError(t, err, s)
		require.Equal(t, s, k.String())
	}
	for _, s := range []string{"", "6d", "0d", "-1d", "36501d", "365", "1y", "d", "Forever", "7 d", "7.5d"} {
		_, err := watchpost.ParseKeepDays(s)
		require.Equal(t, watchpost.Invalid, watchpost.KindOf(err), s)
	}
	require.Empty(t, watchpost.KeepDays(0).String())

	now := time.Date(2030, 3, 8, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		team, service watchpost.KeepDays
		before        string
	}{
		{0, 0, ""}, {0, watchpost.KeepForever, ""}, {watchpost.KeepForever, 7, ""},
		{0, 7, "2030-03-01T12:00:00Z"}, {30, 7, "2030-02-06T12:00:00Z"}, {7, watchpost.KeepForever, "2030-03-01T12:00:00Z"},
	} {
		before, ends := c.team.Expires(c.service, now)
		require.Equal(t, c.before != "", ends)
		if ends {
			require.Equal(t, c.before, before.Format(time.RFC3339))
		}
	}
}

// TestTaskExpired: ended tasks go by the moment of their end; likes and invitations that
// were done stay.
func TestTaskExpired(t *testing.T) {
	t.Parallel()
	before := time.Date(2030, 6, 1, 0, 0, 0, 0, time.UTC)
	like := watchpost.ParseTaskInput([]byte(`{"social_urn":"urn:network:activity:1"}`))
	cases := map[string]struct {
		task    watchpost.Task
		expired bool
	}{
		"open":                   {watchpost.Task{State: watchpost.TaskPending}, false},
		"ended later":            {watchpost.Task{State: watchpost.TaskCompleted, EndedAt: before}, false},
		"completed":              {watchpost.Task{State: watchpost.TaskCompleted, EndedAt: before.Add(-1)}, true},
		"failed":                 {watchpost.Task{State: watchpost.TaskFailed, EndedAt: before.Add(-1)}, true},
		"like":                   {watchpost.Task{Type: watchpost.TaskLikePost, Input: like, State: watchpost.TaskCompleted, EndedAt: before.Add(-1)}, false},
		"like that failed":       {watchpost.Task{Type: watchpost.TaskLikePost, Input: like, State: watchpost.TaskFailed, EndedAt: before.Add(-1)}, true},
		"like that was done too": {watchpost.Task{Type: watchpost.TaskLikePost, Input: like, State: watchpost.TaskFailed, EndedAt: before.Add(-1), Resolved: &watchpost.Resolution{Acted: true}}, false},
	}
	for name, c := range cases {
		require.Equal(t, c.expired, c.task.Expired(before), name)
	}
}
