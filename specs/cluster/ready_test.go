package cluster

import (
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// ready returns what /readyz of a node answers.
func (w *world) ready(i int) (status int, reply string) {
	status, raw := w.request(i, "GET", "/readyz", nil)
	return status, string(raw)
}

// TestDrainTime: a node that stops goes on serving while proxies learn that it is not
// ready. A second signal ends it.
func TestDrainTime(t *testing.T) {
	w := newWorld(t, "--drain-time", "1h")
	teams := []team{w.found(0, 0), w.found(1, 1), w.found(2, 2)}
	w.signal(2, syscall.SIGTERM)
	w.eventually("it is not ready", func() bool {
		status, _ := w.ready(2)
		return status == http.StatusServiceUnavailable
	})
	w.eventually("the others have its teams", func() bool { return strings.Contains(w.nodesCommand(), "drained") })
	w.client.CloseIdleConnections()
	for _, of := range teams {
		w.get(2, "GET", "/api-team", nil, nil, "X-Api-Key", of.Key)
	}
	w.signal(2, syscall.SIGTERM)
	<-w.nodes[2].process.Done()
	status, _ := w.ready(0)
	require.Equal(t, http.StatusOK, status)
}
