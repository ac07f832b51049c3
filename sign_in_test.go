package watchpost_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost"
)

func TestFreshlySignedIn(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	require.True(t, watchpost.FreshlySignedIn(at, at))
	require.True(t, watchpost.FreshlySignedIn(at, at.Add(15*time.Minute-time.Second)))
	require.False(t, watchpost.FreshlySignedIn(at, at.Add(15*time.Minute)))
}
