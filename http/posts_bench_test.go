package httpapi_test

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	httpapi "watchpost/http"
	"watchpost/internal/protocol"
)

// BenchmarkPostsPage prints the processor time of a page of 20 posts over HTTP,
// the asking side included, and how many times that of a bare handler is which
// writes the same bytes.
func BenchmarkPostsPage(b *testing.B) {
	h := build(b, func(o *httpapi.Options) { o.AccessLog, o.Log = false, slog.New(slog.DiscardHandler) })
	m := h.team("Benchmark", "ultimate")
	p := m.join()
	var posts []protocol.Post
	for i := range 200 {
		posts = append(posts, sample(i, "Telemetry: "+strings.Repeat("all about telemetry and more ", 12)))
	}
	m.collect(p, "telemetry", posts...)
	for _, query := range []string{"", "?search_term=telemetry&lang=en"} {
		body := m.call("GET", "/api-posts"+query, "").raw
		require.Equal(b, 20, strings.Count(body, `"network_post_urn"`))
		bare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			_, _ = io.WriteString(w, body)
		}))
		var ours, theirs time.Duration
		for range 5 { // in turn, as the machine has its moods
			ours += processorTime(b, h.url, "/api-posts"+query, m.key)
			theirs += processorTime(b, bare.URL, "/", m.key)
		}
		bare.Close()
		const calls = 5 * callsAtOnce
		fmt.Printf("a page of 20 posts (%d KB, %q): %v of processor time, a bare handler %v: %.2f times\n",
			len(body)>>10, query, ours/calls, theirs/calls, float64(ours)/float64(theirs))
	}
}

const callsAtOnce = 2000

// processorTime measures the CPU time of n calls in sequence over one connection.
func processorTime(b *testing.B, url, path, key string) time.Duration {
	connection, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	require.NoError(b, err)
	defer connection.Close()
	request := []byte("GET " + path + " HTTP/1.1\r\nHost: x\r\nx-api-key: " + key + "\r\n\r\n")
	reader := bufio.NewReaderSize(connection, 64<<10)
	began := used()
	for range callsAtOnce {
		_, err := connection.Write(request)
		require.NoError(b, err)
		response, err := http.ReadResponse(reader, nil)
		require.NoError(b, err)
		require.Equal(b, http.StatusOK, response.StatusCode)
		_, err = io.Copy(io.Discard, response.Body)
		require.NoError(b, err)
		response.Body.Close()
	}
	return used() - began
}

// used is the processor time of the process.
func used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
