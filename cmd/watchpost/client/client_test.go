package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// service serves n posts in pages, and keeps the last query.
func service(t *testing.T, n int) (Flags, *http.Request) {
	last := &http.Request{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*last = *r
		if r.Header.Get("X-Api-Key") != "wp_right" {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"error":"Invalid API Key"}`)
			return
		}
		page, _ := strconv.Atoi(r.URL.Query().Get("page"))
		size, _ := strconv.Atoi(r.URL.Query().Get("page_size"))
		list := []map[string]any{}
		for i := (page - 1) * size; i < min(page*size, n); i++ {
			list = append(list, map[string]any{"id": strconv.Itoa(i), "content": "=HYPERLINK(\"x\")\x1b[2J\nline", "author_name": "A", "posted_at": "2030-01-01T10:20:30Z", "likes_count": 3, "tags": []string{"a", "b"}})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": list, "count": n})
	}))
	t.Cleanup(s.Close)
	return Flags{URL: s.URL + "/", Key: "wp_right"}, last
}

func TestPostsAreLines(t *testing.T) {
	flags, _ := service(t, 2)
	var out bytes.Buffer
	require.NoError(t, (&Posts{Service: flags, Page: 1, Count: 1}).print(t.Context(), &out))
	require.Equal(t, "0  2030-01-01T10:20  A  =HYPERLINK(\"x\") [2J line\n1 of 2 posts\n", out.String())
	flags.Key = "wp_wrong"
	require.EqualError(t, (&Posts{Service: flags}).print(t.Context(), &out), "Invalid API Key: put a key of the dashboard into WATCHPOST_KEY")
	flags.Key = ""
	require.ErrorContains(t, (&Posts{Service: flags}).print(t.Context(), &out), "WATCHPOST_KEY")
	require.ErrorContains(t, (&Posts{Service: Flags{URL: "http://192.0.2.1", Key: "x"}}).print(t.Context(), &out), "without TLS")
	require.ErrorContains(t, (&Posts{Service: Flags{URL: "nowhere", Key: "x"}}).print(t.Context(), &out), "want an address")
}
