package notifications

import (
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors/root"
)

// TestManySends: the attempts of a node are bounded, each is made once, a host with many
// waiting attempts has its turn between others, and nothing is kept afterwards.
func TestManySends(t *testing.T) {
	t.Parallel()
	s := NewSends(SendsOptions{Env: &root.Environment{Run: root.Freely{}}})
	release := make(chan struct{})
	var running, most, made atomic.Int64
	attempt := func() {
		most.Store(max(most.Load(), running.Add(1)))
		<-release
		running.Add(-1)
		made.Add(1)
	}
	for range 1000 {
		s.queue("crowded.example", attempt)
	}
	require.Eventually(t, func() bool { return running.Load() == maxSendsToHost }, 10*time.Second, time.Millisecond)
	for n := range 100 {
		s.queue("host"+strconv.Itoa(n), attempt)
	}
	require.Eventually(t, func() bool { return running.Load() == maxSends }, 10*time.Second, time.Millisecond)
	s.mu.Lock()
	require.Equal(t, maxSendsToHost, s.hosts["crowded.example"].running)
	require.Len(t, s.hosts, 101)
	s.mu.Unlock()
	close(release)
	s.workers.Wait()
	require.EqualValues(t, 1100, made.Load())
	require.LessOrEqual(t, most.Load(), int64(maxSends))
	require.Empty(t, s.hosts)
	require.Zero(t, s.running)
	s.Close()
	s.queue("late.example", func() { t.Error("an attempt of a node that stops") })
	s.workers.Wait()
}
