package httpapi_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestProfiles are for the operator only.
func TestProfiles(t *testing.T) {
	t.Parallel()
	h := build(t)
	for _, name := range []string{"heap", "goroutine", "cpu?seconds=1"} {
		h.do("GET", "/admin/profile/"+name, "").fails(401, "Unauthorized")
		r := h.admin("GET", "/admin/profile/"+name, "")
		require.Equal(t, 200, r.status, name)
		require.NotEmpty(t, r.raw, name)
	}
	h.admin("GET", "/admin/profile/nonsense", "").fails(404, "Not found")
}

// TestAccessLog: a line of the access log has the caller, the request and its result, and
// no key.
func TestAccessLog(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Logged", "growth")
	r := h.do("GET", watchlists, "", "x-api-key", m.key, "X-Request-Id", "seen-1")
	require.Equal(t, 200, r.status)
	// The line is written when the reply has been sent.
	require.Eventually(t, func() bool { return strings.Contains(h.log.String(), `"request":"seen-1"`) }, time.Minute, time.Millisecond)
	require.NotContains(t, h.log.String(), m.key)
	for line := range strings.Lines(h.log.String()) {
		var entry struct {
			Msg, Request, Method, Path, Client, Team string
			Status, Bytes                            int
			Seconds                                  *float64
		}
		require.NoError(t, json.Unmarshal([]byte(line), &entry))
		if entry.Request != "seen-1" || entry.Msg != "request" {
			continue
		}
		require.Equal(t, "GET", entry.Method)
		require.Equal(t, watchlists, entry.Path)
		require.Equal(t, "127.0.0.1", entry.Client)
		require.Equal(t, m.id, entry.Team)
		require.Equal(t, 200, entry.Status)
		require.Equal(t, len(r.raw), entry.Bytes)
		require.NotNil(t, entry.Seconds)
		return
	}
	t.Fatal("no line of the request", h.log.String())
}
