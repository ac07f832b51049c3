package httpapi_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost"
)

// TestOverload: a team with too many requests under way gets the text of an
// overload at once and with Retry-After, others are served, and it is served again
// when its requests are done.
func TestOverload(t *testing.T) {
	t.Parallel()
	h := build(t)
	busy, other := h.team("Busy", "growth"), h.team("Other", "growth")
	const room = 256
	var bodies []*io.PipeWriter
	replies := make(chan int, room)
	for range room {
		body, write := io.Pipe()
		bodies = append(bodies, write)
		go func() {
			request, _ := http.NewRequest("POST", h.url+watchlists, body)
			request.Header.Set("X-Api-Key", busy.key)
			response, err := h.client.Do(request)
			if err != nil {
				replies <- 0
				return
			}
			response.Body.Close()
			replies <- response.StatusCode
		}()
	}
	for refused := false; !refused; { // until all have arrived
		r := busy.call("GET", watchlists, "")
		if refused = r.status != 200; refused {
			r.fails(500, watchpost.TextUnavailable)
			require.Equal(t, "1", r.header.Get("Retry-After"))
		}
	}
	require.Equal(t, 200, other.call("GET", watchlists, "").status)
	for _, body := range bodies {
		require.NoError(t, body.Close())
	}
	for range room {
		require.Contains(t, []int{400, 500}, <-replies) // the last ones may have met a full room
	}
	require.Equal(t, 200, busy.call("GET", watchlists, "").status)
	require.Contains(t, h.log.String(), "overload: requests refused")
}
