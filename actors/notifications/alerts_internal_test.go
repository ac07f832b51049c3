package notifications

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

// TestOutboxOfAnAlert: days are judged once for the posts of some minutes, again when a post
// came meanwhile or the posts could not be counted, and not any more on a day that had its alert.
func TestOutboxOfAnAlert(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 7, 10, 0, 0, 0, time.UTC)
	today := now.Truncate(24 * time.Hour)
	target := &watchpost.NotificationTarget{PerHour: 2, Batch: time.Hour, Alert: watchpost.Alert{Of: watchpost.AlertSpike, Minimum: 5}}
	box := &outbox{}
	box.restartAlert(now)
	dueAt := func(at time.Time) {
		t.Helper()
		due, ok := box.due(target, now)
		require.Equal(t, !at.IsZero(), ok)
		require.True(t, at.Equal(due), due)
	}
	dueAt(time.Time{})
	require.True(t, box.noteForAlert(now))
	require.False(t, box.noteForAlert(now.Add(time.Minute)), "another post of the scan")
	dueAt(now.Add(alertPause))

	box.came = false // it counts
	box.take(&judged{}, now)
	dueAt(time.Time{})
	require.True(t, box.noteForAlert(now))
	box.came = false
	require.False(t, box.noteForAlert(now), "while it counts")
	now = now.Add(alertPause)
	box.take(&judged{}, now)
	dueAt(now.Add(alertPause))
	box.came = false
	box.take(&judged{failed: true}, now)
	dueAt(now.Add(alertPause))

	yesterday := &watchpost.Alerted{Day: today.AddDate(0, 0, -1), Count: 9}
	box.take(&judged{told: yesterday}, now)
	require.Nil(t, box.state.Current, "the alert was made today")
	box.noteForAlert(now)
	box.take(&judged{told: &watchpost.Alerted{Day: today, Count: 9}, posts: []watchpost.PostID{"p"}}, now)
	require.Equal(t, []any{"alert", 9, 1}, []any{box.state.Current.Kind, box.state.Current.Alert.Count, box.state.InHour})
	box.state.Current = nil
	require.False(t, box.noteForAlert(now.Add(time.Hour)), "the day was told")
	dueAt(time.Time{})
	box.take(&judged{told: &watchpost.Alerted{Day: today, Count: 12}}, now)
	require.Nil(t, box.state.Current)
	box.restartAlert(now)
	require.False(t, box.noteForAlert(now), "also of a changed alert")
	require.True(t, box.noteForAlert(now.AddDate(0, 0, 1)))
}
