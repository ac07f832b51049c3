package edge

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWaitIsOver: a request whose time is over is not routed again, also when the place of its
// name has changed meanwhile. A select alone would leave that to chance.
func TestWaitIsOver(t *testing.T) {
	t.Parallel()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	changed := make(chan struct{})
	close(changed)
	for range 100 {
		require.ErrorIs(t, wait(over, changed, 0), context.Canceled)
		require.ErrorIs(t, wait(over, changed, askAgain), context.Canceled)
	}
	require.NoError(t, wait(t.Context(), changed, 0))
}
