package httpapi_test

import (
	"io"
	"net/http"
	"testing"
	"time"

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
	// A body is asked for when the service reads it: the request is under way then.
	transport := &http.Transport{ExpectContinueTimeout: 5 * time.Minute}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	var bodies []*io.PipeWriter
	replies := make(chan int, room)
	for range room {
		body, write := io.Pipe()
		bodies = append(bodies, write)
		go func() {
			request, _ := http.NewRequest("POST", h.url+watchlists, body)
			request.Header.Set("X-Api-Key", busy.key)
			request.Header.Set("Expect", "100-continue")
			response, err := client.Do(request)
			if err != nil {
				replies <- 0
				return
			}
			response.Body.Close()
			replies <- response.StatusCode
		}()
	}
	for _, body := range bodies {
		_, err := body.Write([]byte("{"))
		require.NoError(t, err)
	}
	r := busy.call("GET", watchlists, "")
	r.fails(500, watchpost.TextUnavailable)
	require.Equal(t, "1", r.header.Get("Retry-After"))
	require.Equal(t, 200, other.call("GET", watchlists, "").status)
	for _, body := range bodies {
		require.NoError(t, body.Close())
	}
	for range room {
		require.Equal(t, 400, <-replies)
	}
	require.Equal(t, 200, busy.call("GET", watchlists, "").status)
	require.Contains(t, h.log.String(), "overload: requests refused")
}
