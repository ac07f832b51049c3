package access

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestEndOfWebSession: a browser stays signed in for a month at most, and for a week without
// use. A use within the hour before says nothing new.
func TestEndOfWebSession(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	began := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct{ used, ends time.Duration }{
		{0, 7 * day}, {day, 8 * day}, {23 * day, 30 * day}, {23*day + 1, 30 * day}, {29 * day, 30 * day},
	} {
		require.Equal(t, began.Add(c.ends), endOf(began, began.Add(c.used)), "used after %s", c.used)
	}
	for _, c := range []struct {
		left  time.Duration
		noted bool
	}{
		{7 * day, true}, {7*day - time.Hour + 1, true}, {7*day - time.Hour, false}, {0, false}, {7*day + 1, false},
	} {
		require.Equal(t, c.noted, usedUntil(began.Add(c.left), began), "%s are left", c.left)
	}
}
