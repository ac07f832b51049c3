package relay_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"watchpost/specs/relay"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// frames returns what arrives of 200 frames that a session sends through a relay.
func frames(t *testing.T, seed uint64, oneIn int) (came []string, counts map[relay.Fault]int) {
	t.Helper()
	const sent = 200
	arrived := make(chan string, 2*sent)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		conn, err := websocket.Accept(w, q, nil)
		if err != nil {
			return
		}
		defer conn.CloseNow()
		for {
			_, raw, err := conn.Read(q.Context())
			if err != nil {
				return
			}
			arrived <- string(raw)
		}
	}))
	defer service.Close()
	r := relay.New(strings.TrimPrefix(service.URL, "http://"), seed)
	r.Disturb(oneIn)
	between := httptest.NewServer(r)
	defer between.Close()
	conn, _, err := websocket.Dial(t.Context(), between.URL, nil)
	require.NoError(t, err)
	for i := range sent {
		require.NoError(t, conn.Write(t.Context(), websocket.MessageText, fmt.Appendf(nil, `{"type":"result","task":"%d"}`, i)))
	}
	last := `{"type":"hello"}` // never disturbed
	require.NoError(t, conn.Write(t.Context(), websocket.MessageText, []byte(last)))
	for raw := range arrived {
		if raw == last {
			break
		}
		came = append(came, raw)
	}
	require.NoError(t, conn.CloseNow())
	return came, r.Counts()
}

// TestFaults: a seed disturbs the same frames in every run, in each of the ways;
// without faults every frame arrives.
func TestFaults(t *testing.T) {
	t.Parallel()
	calm, counts := frames(t, 1, 0)
	require.Empty(t, counts)
	require.Len(t, calm, 200)
	came, counts := frames(t, 1, 10)
	require.Len(t, counts, 4, "%v", counts)
	again, _ := frames(t, 1, 10)
	require.Equal(t, came, again)
	seen := map[string]int{}
	for _, f := range came {
		seen[f]++
	}
	require.Len(t, seen, 200-counts[relay.Drop])
	require.Len(t, came, 200-counts[relay.Drop]+counts[relay.Repeat])
	moved := 0
	for i := 1; i < len(came); i++ {
		if len(came[i]) == len(came[i-1]) && came[i] < came[i-1] {
			moved++
		}
	}
	require.Positive(t, moved)
}
