package httpapi_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWatchlistConditions: fields are checked in their order, null is none, and a model
// sets conditions as a client does. People and companies have none.
func TestWatchlistConditions(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Choosers", "growth")
	const all = `"languages":["de","German"],"seniority_levels":["CTO"],"post_types":["polls"]`
	id := read[fields](m.call("POST", watchlists, `{"keywords":["go"],`+all+`}`), 200)["id"].(string)
	conditions := func() []any {
		shown := read[fields](m.call("GET", watchlists+"?id="+id, ""), 200)
		return []any{shown["languages"], shown["seniority_levels"], shown["post_types"]}
	}
	want := []any{[]any{"de"}, []any{"C-Level"}, []any{"poll"}}
	require.Equal(t, want, conditions())
	change := func(more string) reply { return m.call("PUT", watchlists, `{"id":"`+id+`"`+more+`}`) }
	require.Equal(t, "No valid update fields provided", read[fields](change(`,"languages":null,"post_types":null`), 400)["error"])
	require.Equal(t, 200, change(`,"name":"x"`).status)
	require.Equal(t, want, conditions())
	require.Equal(t, "Invalid 'languages'", read[fields](change(`,"post_types":["x"],"languages":[""]`), 400)["error"])
	require.Equal(t, want, conditions())

	const prompt = `{"prompt":"Posts about telemetry by platform engineers who compare tracing tools","seniority_levels":["`
	require.Regexp(t, "^Invalid 'seniority_levels': use C-Level", read[fields](m.call("POST", watchlists, prompt+`boss"]}`), 400)["error"])
	said := read[fields](m.call("POST", watchlists, prompt+`CEO"]}`), 200)["id"].(string)
	require.Equal(t, []any{"C-Level"}, read[fields](m.call("GET", watchlists+"?id="+said, ""), 200)["seniority_levels"])

	s := h.model(m.key, nil)
	tool(t, s, "change_watchlist", fields{"id": id, "type": "keyword", "languages": "en", "seniority_levels": []any{}, "post_types": []any{"text", "image"}})
	require.Equal(t, []any{[]any{"en"}, []any{}, []any{"text", "image"}}, conditions())
	require.Contains(t, refusedTool(t, s, "change_watchlist", fields{"id": id, "type": "keyword", "post_types": []any{"story"}})["error"], "post_types")

	made := data[fields](t, tool(t, s, "create_watchlist", fields{"type": "forum", "keywords": []any{fields{"keyword": "go"}}, "seniority_levels": []any{"VP"}}))
	shown := read[fields](m.call("GET", "/api-forum-watchlist?id="+made["id"].(string), ""), 200)
	require.Equal(t, []any{"VP"}, shown["seniority_levels"])

	followed := read[fields](m.call("POST", "/api-company-watchlist", `{"companies":["acme"],`+all+`}`), 200)["id"].(string)
	require.NotContains(t, read[fields](m.call("GET", "/api-company-watchlist?id="+followed, ""), 200), "languages")
	require.Equal(t, 400, m.call("PUT", "/api-company-watchlist", `{"id":"`+followed+`",`+all+`}`).status)
}

// TestPreviewConditions: a model sees what each condition drops, before anything is made.
func TestPreviewConditions(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Weighing", "growth")
	intern := sample(2, "telemetry is what I have learned this summer")
	intern.AuthorHeadline = "Intern"
	m.collect(m.join(), "telemetry", sample(1, "telemetry is what we use for all of our services"), intern)
	const body = `{"keywords":["telemetry"],"seniority_levels":["VP"],"languages":["en"]}`
	got := m.previewed(body)
	want := []any{fields{"reason": "seniority_level", "posts": 1.0}}
	require.Equal(t, []any{1.0, 1.0, want}, []any{got["kept"], got["dropped"], got["dropped_by_conditions"]})
	require.Equal(t, []any{[]any{"en"}, []any{"VP"}, []any{}}, []any{got["languages"], got["seniority_levels"], got["post_types"]})
	said := m.previewed(`{"prompt":"Posts in English about telemetry by directors who compare tracing tools","seniority_levels":["VP"]}`)
	require.Equal(t, []any{[]any{}, []any{"VP"}}, []any{said["languages"], said["seniority_levels"]}, "a prompt sets no condition")
	key, _ := m.scopedKey("read")
	tried := data[fields](t, tool(t, h.model(key, nil), "preview_watchlist", fields{"keywords": []any{"telemetry"}, "seniority_levels": []any{"VP"}}))
	require.Equal(t, want, tried["dropped_by_conditions"])
}
