package postgrestest_test

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/persistence/postgres/postgrestest"
)

// TestStepClock: sessions that are open see a step of the server's clock, and so does a
// server that is started again.
func TestStepClock(t *testing.T) {
	t.Parallel()
	server, err := postgrestest.StartWithClock("fsync=off")
	if errors.Is(err, postgrestest.ErrNoClock) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	for _, offset := range []time.Duration{time.Hour, -time.Minute, 10 * time.Second, 0} {
		require.NoError(t, server.StepClock(t.Context(), offset))
	}
	require.NoError(t, server.Crash())
	require.NoError(t, server.Run())
	require.NoError(t, server.StepClock(t.Context(), 0))
}
