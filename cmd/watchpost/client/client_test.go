package client

import (
	"bytes"
	"encoding/csv"
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

func TestExportHasEveryPostOnce(t *testing.T) {
	flags, last := service(t, 250)
	var out bytes.Buffer
	export := Export{Service: flags, Filters: Filters{Search: "telemetry -crypto", Watchlist: []string{"a", "b"}}, Format: "csv"}
	require.NoError(t, export.print(t.Context(), &out))
	rows, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 251)
	require.Equal(t, exported, rows[0])
	require.Equal(t, "249", rows[250][0])
	require.Equal(t, byte('\''), rows[1][8][0], "a spreadsheet runs nothing")
	require.Equal(t, []string{"3", "a, b"}, []string{rows[1][13], rows[1][17]})
	require.Equal(t, []string{"a", "b"}, last.URL.Query()["watchlist_id"])
	require.Equal(t, "telemetry -crypto", last.URL.Query().Get("search_term"))
	out.Reset()
	export.Format = "jsonl"
	require.NoError(t, export.print(t.Context(), &out))
	require.Equal(t, 250, bytes.Count(out.Bytes(), []byte("\n")))
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
