package root

import (
	"runtime"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"

	"watchpost/persistence"
)

// heldStore keeps the functions to call once a batch is durable.
type heldStore struct {
	persistence.Store
	durable []func(error)
}

func (s *heldStore) Submit(_ persistence.Space, _ persistence.Epoch, _ *persistence.Batch, done func(error)) {
	s.durable = append(s.durable, done)
}

// TestCommitQueueReleases checks that the queue keeps nothing of a committed
// batch, also while others are pending: thousands of teams are idle.
func TestCommitQueueReleases(t *testing.T) {
	store := &heldStore{}
	queue := &commitQueue{store: store}
	var frames []weak.Pointer[[1024]byte]
	for range 3 {
		frame := new([1024]byte)
		frames = append(frames, weak.Make(frame))
		batch := &persistence.Batch{}
		batch.Put([]byte("key"), nil)
		queue.Submit(batch, func(error) { frame[0]++ })
	}
	for i, done := range store.durable[:2] {
		store.durable[i] = nil
		done(nil)
	}
	runtime.GC()
	require.Nil(t, frames[0].Value())
	require.Nil(t, frames[1].Value())
	require.NotNil(t, frames[2].Value())
	require.False(t, queue.Idle())
	runtime.KeepAlive(store)
}
