package actors

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

// TestSubjects checks which scans are made once for several entries.
func TestSubjects(t *testing.T) {
	t.Parallel()
	of := func(kind watchpost.TaskType, input watchpost.ScanInput) subject {
		return subjectOf(&watchpost.Task{Type: kind, Input: scanInput(input)})
	}
	cafe := of(watchpost.TaskKeywordScan, watchpost.ScanInput{Keyword: "Café"})
	require.Equal(t, cafe, of(watchpost.TaskKeywordScan, watchpost.ScanInput{Keyword: "CAFÉ", Since: time.Unix(1, 0)}))
	require.NotEqual(t, cafe, of(watchpost.TaskForumScan, watchpost.ScanInput{Keyword: "Café"}), "the forum is another place")
	require.NotEqual(t, cafe, of(watchpost.TaskKeywordScan, watchpost.ScanInput{Keyword: "tea"}))
	require.Zero(t, of(watchpost.TaskPeopleScan, watchpost.ScanInput{Profile: "jane"}))
	require.Zero(t, of(watchpost.TaskCompanyScan, watchpost.ScanInput{Company: "acme"}))
	require.Zero(t, subjectOf(&watchpost.Task{Type: watchpost.TaskConnectionsFetch, Input: watchpost.ParseTaskInput([]byte(`{"keyword":"Café"}`))}))
}

// TestJoinedScans: a scan that serves two entries looks back as far as the one
// that looks back further.
func TestJoinedScans(t *testing.T) {
	t.Parallel()
	early, late := time.Date(2030, 1, 8, 0, 0, 0, 0, time.UTC), time.Date(2030, 1, 9, 0, 0, 0, 0, time.UTC)
	scan := func(id watchpost.TaskID, since time.Time) watchpost.Task {
		return watchpost.Task{
			ID: id, Type: watchpost.TaskKeywordScan, State: watchpost.TaskPending, Entry: watchpost.EntryID(id),
			Input: scanInput(watchpost.ScanInput{Keyword: "Go", Since: since}),
		}
	}
	for _, c := range []struct{ first, second, want time.Time }{{early, late, early}, {late, early, early}, {late, late, late}} {
		first, second := scan("1", c.first), scan("2", c.second)
		both, ok := joined(&first, &second)
		require.True(t, ok)
		require.Equal(t, scanInput(watchpost.ScanInput{Keyword: "Go", Since: c.want}).JSON(), both.Input.JSON())
		require.Len(t, both.Targets(), 2)
		require.Equal(t, scan("1", c.first), first, "the scan itself is not changed")
	}
	leased, other := scan("1", late), scan("2", early)
	leased.State = watchpost.TaskLeased
	kept, ok := joined(&leased, &other)
	require.False(t, ok, "a session may already search")
	require.Equal(t, leased, kept)
}
