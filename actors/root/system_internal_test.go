package root

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSystemIsSmall: an empty actor system has a few thousand objects, which the garbage
// collector would visit for as long as the process runs. The library's default has 66,000.
func TestSystemIsSmall(t *testing.T) {
	log, metrics := slog.New(slog.DiscardHandler), NewMetrics()
	objects := testing.AllocsPerRun(1, func() { newSystem(log, &metrics) })
	require.Less(t, objects, 5000.0)
}
