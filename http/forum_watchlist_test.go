package httpapi_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const forums = "/api-forum-watchlist"

func TestForumWatchlist(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Forum", "growth")
	made := read[fields](m.call("POST", forums, `{"keywords":["Go",{"keyword":"rust","excluded_keywords":["game"]}],"labels":["l"]}`), 200)
	id := made["id"].(string)
	require.Regexp(t, "^go-rust-[0-9a-f]{8}$", made["slug"])
	require.Len(t, made["results"], 2)
	require.Equal(t, "forum", made["type"])
	require.Equal(t, 24.0, made["fetchFreqInHours"])
	require.Equal(t, true, made["created"])

	shown := read[fields](m.call("GET", forums+"?id="+id, ""), 200)
	require.Equal(t, "forum", shown["type"])
	require.Equal(t, []any{"Go", "rust"}, shown["keywords"])
	require.Len(t, shown["keyword_tracking"], 2)
	require.Len(t, shown["labels"], 1)
	require.Contains(t, shown, "objective")
	require.Equal(t, 1.0, read[fields](m.call("GET", forums, ""), 200)["count"])
	require.Equal(t, 0.0, read[fields](m.call("GET", watchlists, ""), 200)["count"])

	put := func(fields string) reply { return m.call("PUT", forums, `{"id":"`+id+`"`+fields+`}`) }
	require.Equal(t, fields{
		"id": id, "name": "N", "fetchFreqInHours": 1.0, "disable": true, "updated": true, "message": "Watchlist updated successfully",
		"scans_per_day": 0.0, "capacity_per_day": nil, "warnings": []any{},
	}, read[fields](put(`,"name":"N","fetchFreqInHours":1,"disable":true`), 200))
	put(`,"name":"x"`).fails(409, "Watchlist is disabled. Re-enable it before updating.")
	require.Equal(t, 200, put(`,"disable":false,"keywords":["zig"],"append":true,"objective":"o"`).status)
	shown = read[fields](m.call("GET", forums+"?id="+id, ""), 200)
	require.Equal(t, []any{"Go", "rust", "zig"}, shown["keywords"])
	require.Equal(t, "o", shown["objective"])

	m.call("POST", forums, `{}`).fails(400, "keywords array is required and must not be empty")
	m.call("POST", forums, `{"keywords":["k"],"fetchFreqInHours":5}`).fails(400, "Invalid fetchFreqInHours")
	m.call("POST", forums, `{"keywords":["k"],"prompt":"x"}`).fails(400, "Pass either prompt or keywords, not both")
	put(`,"prompt":"x","name":"y"`).fails(400, "Pass either prompt or update fields, not both")

	t.Run("another family's id is not found", func(t *testing.T) {
		keyword := read[fields](m.call("POST", watchlists, `{"keywords":["k"]}`), 200)["id"].(string)
		m.call("GET", forums+"?id="+keyword, "").fails(404, "Watchlist not found")
		m.call("PUT", forums, `{"id":"`+keyword+`","name":"x"}`).fails(404, "Watchlist not found")
		m.call("DELETE", forums+"?id="+keyword, "").fails(404, "Watchlist not found")
		m.call("DELETE", watchlists+"?id="+id, "").fails(404, "Watchlist not found")
	})
	require.Equal(t, fields{"id": id, "deleted": true, "message": "Watchlist and all related data deleted successfully"},
		read[fields](m.call("DELETE", forums, `{"id":"`+id+`"}`), 200))
	m.call("GET", forums+"?id="+id, "").fails(404, "Watchlist not found")
}
