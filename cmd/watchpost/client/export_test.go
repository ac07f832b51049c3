package client

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// cutting serves an export of n rows and cuts each reply after some bytes of the rows.
func cutting(t *testing.T, n, bytes int) (Flags, *[]*http.Request) {
	t.Helper()
	var asked []*http.Request
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r)
		var rows strings.Builder
		first := 0
		if after := r.URL.Query().Get("after"); after != "" {
			last, err := strconv.Atoi(after)
			require.NoError(t, err)
			first = last + 1
		}
		for i := first; i < n; i++ {
			if r.URL.Query().Get("format") == "csv" {
				fmt.Fprintf(&rows, "%d,\"a line, with \"\"quotes\"\"\nand another\"\n", i)
			} else {
				fmt.Fprintf(&rows, "{\"id\":\"%d\",\"content\":\"a \\\"word\"}\n", i)
			}
		}
		if r.URL.Query().Get("format") == "csv" {
			_, _ = w.Write([]byte("id,content\n"))
		}
		_, _ = w.Write([]byte(rows.String()[:min(bytes, rows.Len())]))
		if bytes < rows.Len() {
			require.NoError(t, http.NewResponseController(w).Flush())
			panic(http.ErrAbortHandler)
		}
	}))
	t.Cleanup(s.Close)
	return Flags{URL: s.URL, Key: "wp_right"}, &asked
}

// TestExportGoesOn: an export whose connection is cut again and again has each row once.
func TestExportGoesOn(t *testing.T) {
	flags, asked := cutting(t, 50, 333)
	var out bytes.Buffer
	export := Export{Service: flags, Filters: Filters{Search: "telemetry -crypto", Watchlist: []string{"a", "b"}}, Format: "csv"}
	require.NoError(t, export.print(t.Context(), &out))
	rows, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 51)
	require.Equal(t, []string{"id", "content"}, rows[0])
	for i, row := range rows[1:] {
		require.Equal(t, []string{strconv.Itoa(i), "a line, with \"quotes\"\nand another"}, row)
	}
	require.Greater(t, len(*asked), 3)
	for _, r := range *asked {
		require.Equal(t, []string{"a", "b"}, r.URL.Query()["watchlist_id"])
		require.Equal(t, "telemetry -crypto", r.URL.Query().Get("search_term"))
	}
	out.Reset()
	export.Format, export.After = "jsonl", "9"
	require.NoError(t, export.print(t.Context(), &out))
	require.Equal(t, 40, bytes.Count(out.Bytes(), []byte("\n")))
	require.True(t, strings.HasPrefix(out.String(), `{"id":"10",`))
}

// TestExportThatCannotGoOn: without a new row there is no use in another try.
func TestExportThatCannotGoOn(t *testing.T) {
	flags, asked := cutting(t, 3, 10)
	var out bytes.Buffer
	err := (&Export{Service: flags, Format: "csv"}).print(t.Context(), &out)
	require.ErrorContains(t, err, "the export was cut")
	require.Equal(t, "id,content\n", out.String())
	require.Len(t, *asked, 1)
	flags.Key, out = "", bytes.Buffer{}
	require.ErrorContains(t, (&Export{Service: flags, Format: "csv"}).print(t.Context(), &out), "WATCHPOST_KEY")
}
