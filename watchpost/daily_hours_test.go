package watchpost_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

// TestPresentHours: members are expected when they were there in the last seven days.
func TestPresentHours(t *testing.T) {
	t.Parallel()
	monday := time.Date(2030, 1, 7, 9, 20, 0, 0, time.UTC)
	var p watchpost.PresentHours
	require.Equal(t, 15, p.Left(monday), "nothing is known")
	require.True(t, p.Note(monday))
	require.False(t, p.Note(monday.Add(30*time.Minute)))
	require.True(t, p.Note(monday.Add(3*time.Hour)))
	require.Equal(t, 15, p.Left(monday), "no day is known yet")
	tuesday := monday.AddDate(0, 0, 1)
	require.Equal(t, 2, p.Left(tuesday))
	require.Equal(t, 1, p.Left(tuesday.Add(3*time.Hour)))
	require.Equal(t, 1, p.Left(tuesday.Add(8*time.Hour)), "who asks is there")
	require.Equal(t, 1, p.Left(monday.AddDate(0, 0, 8)), "it was a week ago")
}
