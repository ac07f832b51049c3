package browser_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryTaskType(t *testing.T) {
	t.Parallel()
	w := theWorld(t)
	m := w.found(t, "tasks@example.com").join("tasks@example.com", "tasks")
	profile := m.completed(m.ask("/network-agent/fetch-profile", fields{"profile_slug": "tasks"}))
	require.Equal(t, "tasks", profile["profile_slug"])
}
