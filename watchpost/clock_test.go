package watchpost_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

func TestSystemClock(t *testing.T) {
	t.Parallel()
	var c watchpost.SystemClock
	require.Equal(t, time.UTC, c.Now().Location())
	rang := make(chan struct{})
	c.At(c.Now().Add(-time.Second), func() { close(rang) })
	<-rang
	require.True(t, c.At(c.Now().Add(time.Hour), func() {}).Stop())
}

// TestSystemClockWaitsForTheWall: a timer that fires too early, because the
// wall clock was slowed or set back, is armed again.
func TestSystemClockWaitsForTheWall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var back atomic.Int64
		c := watchpost.SystemClockOf(func() time.Time { return time.Now().Add(-time.Duration(back.Load())) })
		fired := make(chan time.Time, 1)
		due := c.Now().Add(30 * time.Second)
		c.At(due, func() { fired <- c.Now() })
		back.Store(int64(10 * time.Second))
		<-time.After(31 * time.Second)
		synctest.Wait()
		require.Empty(t, fired)
		<-time.After(10 * time.Second)
		synctest.Wait()
		require.Len(t, fired, 1)
		require.Equal(t, due, <-fired)
	})
}
