package watchpost_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

func scanOf(id watchpost.TaskID, entry watchpost.EntryID, due time.Time) watchpost.Task {
	return watchpost.Task{ID: id, Type: watchpost.TaskKeywordScan, State: watchpost.TaskPending, Watchlist: "w" + watchpost.WatchlistID(id), Entry: entry, Due: due}
}

// TestSharedScan: a scan serves all entries that joined until they leave, and
// has the earliest due time of them.
func TestSharedScan(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	scan := scanOf("1", "b", at)
	require.Equal(t, []watchpost.ScanTarget{{Scan: "1", Watchlist: "w1", Entry: "b"}}, scan.Targets())
	require.Empty(t, (&watchpost.Task{Type: watchpost.TaskLikePost}).Targets())

	two, ok := scan.Join(scanOf("2", "c", at))
	require.True(t, ok)
	require.Equal(t, watchpost.EntryID("b"), two.Entry)
	three, ok := two.Join(scanOf("3", "d", at.Add(-time.Minute)))
	require.True(t, ok)
	require.Equal(t, at.Add(-time.Minute), three.Due)
	require.Equal(t, watchpost.EntryID("d"), three.Entry)
	require.Equal(t, []watchpost.ScanTarget{
		{Scan: "1", Watchlist: "w1", Entry: "b"}, {Scan: "2", Watchlist: "w2", Entry: "c"}, {Scan: "3", Watchlist: "w3", Entry: "d"},
	}, three.Targets())
	require.Len(t, two.Targets(), 2, "the earlier state stays")
	same, ok := scan.Join(scanOf("4", "a", at))
	require.True(t, ok)
	require.Equal(t, watchpost.EntryID("a"), same.Entry, "due at once: by entry")

	left, ok := three.Leave("1")
	require.True(t, ok)
	require.Len(t, three.Targets(), 3)
	left, ok = left.Leave("3")
	require.True(t, ok)
	require.Equal(t, []watchpost.ScanTarget{{Scan: "2", Watchlist: "w2", Entry: "c"}}, left.Targets())
	_, ok = left.Leave("2")
	require.False(t, ok, "the last one ends the scan")

	many := scan
	for i := 1; i < watchpost.MaxTargets; i++ {
		many, ok = many.Join(scanOf("more", "e", at))
		require.True(t, ok)
	}
	_, ok = many.Join(scanOf("more", "e", at))
	require.False(t, ok, "the rest get another scan")

	handed, ok := scan.WithLease(watchpost.Lease{ID: "l"})
	require.True(t, ok)
	_, ok = handed.Join(scanOf("2", "c", at))
	require.False(t, ok, "a session searches already")
	back, ok := handed.Return(true)
	require.True(t, ok)
	_, ok = back.Join(scanOf("2", "c", at))
	require.False(t, ok, "a late result may still come")
}
