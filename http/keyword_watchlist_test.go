package httpapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

const unknownID = "0194f1c2-7b3a-7c1e-9d2f-3b5a6c7d8e9f"

func TestCreateKeywordWatchlist(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Creators", "free")
	made := read[fields](m.call("POST", watchlists, `{
		"name": "  Watch   this ", "description": "d", "fetchFreqInHours": 24, "slack_webhook_url": "https://hooks.example.com/x",
		"keywords": ["  open  telemetry ", {"keyword": "Go", "required_keywords": ["lang"], "exclude_keywords": ["a"], "excluded_keywords": ["b"]},
			"OPEN telemetry", "", "`+strings.Repeat("k", 101)+`"],
		"labels": ["release", {"key": "jobs", "description": "work", "default": true}]
	}`), 200)
	id := made["id"].(string)
	require.Regexp(t, "^watch-this-[0-9a-f]{8}$", made["slug"])
	require.True(t, strings.HasSuffix(strings.ReplaceAll(id, "-", ""), made["slug"].(string)[len("watch-this-"):]))
	results := made["results"].([]any)
	require.Len(t, results, 3)
	first, last := results[0].(fields), results[2].(fields)
	require.True(t, watchpost.ValidID(first["keyword_id"].(string)))
	require.Equal(t, fields{"success": false, "keyword": strings.Repeat("k", 101), "error": "Keyword must be 100 characters or fewer"}, last)
	delete(made, "id")
	delete(made, "slug")
	delete(made, "results")
	require.Equal(t, fields{
		"name": "Watch this", "type": "keyword", "keywords": []any{"open telemetry", "Go"}, "fetchFreqInHours": 24.0, "created": true,
		"scans_per_day": 2.0, "capacity_per_day": 0.0, "warnings": []any{"Needs 2 keyword scans a day, the team's accounts have 0: entries wait until a member's extension is active"},
	}, made)

	shown := read[fields](m.call("GET", watchlists+"?id="+id, ""), 200)
	require.Equal(t, []any{
		fields{"key": "release", "name": "release", "description": "", "default": false},
		fields{"key": "jobs", "name": "jobs", "description": "work", "default": true},
	}, shown["labels"])
	tracking := shown["keyword_tracking"].([]any)
	require.Equal(t, first["keyword_id"], tracking[0].(fields)["keyword_id"])
	require.Equal(t, []any{}, tracking[0].(fields)["required_keywords"])
	require.Equal(t, []any{"lang"}, tracking[1].(fields)["required_keywords"])
	require.Equal(t, []any{"a", "b"}, tracking[1].(fields)["exclude_keywords"])
	require.Equal(t, "https://hooks.example.com/x", shown["slack_webhook_url"])
	require.Equal(t, false, shown["disabled"])
	require.Equal(t, 0.0, shown["dropped_this_week"])
	require.Nil(t, shown["last_scan_at"])
	require.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`, shown["createdAt"])
	require.NotContains(t, shown, "prompt")

	list := read[fields](m.call("GET", watchlists, ""), 200)
	require.Equal(t, 1.0, list["count"])
	entry := list["watchlists"].([]any)[0].(fields)
	require.Equal(t, []string{"createdAt", "description", "disabled", "fetchFreqInHours", "id", "keywords", "name", "not_before", "scan_interval_hours", "slug", "type", "waiting_reason"}, sortedKeys(entry))
}

func TestDefaultsOfKeywordWatchlist(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Defaults", "free")
	made := read[fields](m.call("POST", watchlists, `{"name":null,"labels":null,"keywords":["rust","go"],"prompt":null}`), 200)
	require.Equal(t, "rust, go", made["name"])
	require.Equal(t, 12.0, made["fetchFreqInHours"])
	require.Equal(t, 200, m.call("POST", watchlists, `{"name":" ","keywords":["zig"]}`).status)
	m.call("POST", watchlists, `{"keywords":["c"]}`).fails(402,
		"Your plan includes up to 2 watchlists. Upgrade your plan or delete a watchlist to create another.")
}

func TestCreateKeywordWatchlistRefusals(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Refused", "free")
	many := make([]string, 101)
	for i := range many {
		many[i] = fmt.Sprintf(`"k%d"`, i)
	}
	for body, text := range map[string]string{
		`{}`:                           "keywords array is required and must not be empty",
		`{"keywords":null}`:            "keywords array is required and must not be empty",
		`{"keywords":[]}`:              "keywords array is required and must not be empty",
		`{"keywords":"go"}`:            "keywords array is required and must not be empty",
		`{"Keywords":["go"]}`:          "keywords array is required and must not be empty",
		`{"keywords":[""," "]}`:        "No valid keywords provided after cleaning",
		`{"keywords":[{}]}`:            "No valid keywords provided after cleaning",
		`{"keywords":[5]}`:             "Invalid 'keywords'",
		`{"keywords":[null]}`:          "Invalid 'keywords'",
		`{"keywords":[["go"]]}`:        "Invalid 'keywords'",
		`{"keywords":[{"keyword":5}]}`: "Invalid 'keyword'",
		`{"keywords":["` + strings.Repeat("k", 101) + `"]}`:             "No valid keywords provided after cleaning",
		`{"keywords":[{"keyword":"a","required_keywords":"b"}]}`:        "Invalid 'required_keywords'",
		`{"keywords":[{"keyword":"a","exclude_keywords":[1]}]}`:         "Invalid 'exclude_keywords'",
		`{"keywords":[{"keyword":"a","excluded_keywords":{}}]}`:         "Invalid 'excluded_keywords'",
		`{"keywords":[` + strings.Join(many, ",") + `]}`:                "At most 100 keywords per watchlist",
		`{"keywords":["go"],"fetchFreqInHours":5}`:                      "Invalid fetchFreqInHours",
		`{"keywords":["go"],"fetchFreqInHours":"12"}`:                   "Invalid fetchFreqInHours",
		`{"keywords":["go"],"fetchFreqInHours":12.5}`:                   "Invalid fetchFreqInHours",
		`{"keywords":["go"],"fetchFreqInHours":1e999}`:                  "Invalid fetchFreqInHours",
		`{"keywords":["go"],"name":5}`:                                  "Invalid 'name'",
		`{"keywords":["go"],"name":"` + strings.Repeat("n", 121) + `"}`: "Invalid 'name'",
		`{"keywords":["go"],"description":{}}`:                          "Invalid 'description'",
		`{"keywords":["go"],"labels":"x"}`:                              "Invalid 'labels'",
		`{"keywords":["go"],"labels":[5]}`:                              "Invalid 'labels'",
		`{"keywords":["go"],"labels":[{"name":5}]}`:                     "Invalid 'labels'",
		`{"keywords":["go"],"labels":["a,b"]}`:                          "Invalid 'labels': a name must not contain a comma",
		`{"keywords":["go"],"slack_webhook_url":"http://x"}`:            "Invalid 'slack_webhook_url'",
		`{"keywords":["go"],"slack_webhook_url":5}`:                     "Invalid 'slack_webhook_url'",
		`{"keywords":["go"],"prompt":"x"}`:                              "Pass either prompt or keywords, not both",
		`{"prompt":""}`:                                                 "prompt is required and must be a non-empty string",
		`{"prompt":7}`:                                                  "prompt is required and must be a non-empty string",
	} {
		m.call("POST", watchlists, body).fails(400, text)
	}
	require.Equal(t, 0.0, read[fields](m.call("GET", watchlists, ""), 200)["count"], "a refused request changes nothing")
}

func TestUpdateKeywordWatchlist(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Updaters", "growth")
	id := read[fields](m.call("POST", watchlists, `{"keywords":["go"]}`), 200)["id"].(string)
	put := func(fields string) reply { return m.call("PUT", watchlists, `{"id":"`+id+`"`+fields+`}`) }

	require.Equal(t, fields{
		"id": id, "name": "New", "fetchFreqInHours": 72.0, "disable": false, "updated": true, "message": "Watchlist updated successfully",
		"scans_per_day": 1.0, "capacity_per_day": 0.0, "warnings": []any{"Needs 1 keyword scan a day, the team's accounts have 0: entries wait until a member's extension is active"},
	}, read[fields](put(`,"name":" New ","fetchFreqInHours":72`), 200))

	put(`,"keywords":["rust"],"append":true`)
	put(`,"slack_webhook_url":" https://hooks.example.com/x ","objective":" sell ","description":"\ttools\n","labels":[" l "]`)
	shown := read[fields](m.call("GET", watchlists+"?id="+id, ""), 200)
	require.Equal(t, []any{"go", "rust"}, shown["keywords"])
	require.Equal(t, "sell", shown["objective"])
	require.Equal(t, "tools", shown["description"])
	require.Equal(t, "https://hooks.example.com/x", shown["slack_webhook_url"])
	require.Equal(t, []any{fields{"key": "l", "name": "l", "description": "", "default": false}}, shown["labels"])
	put(`,"slack_webhook_url":null,"keywords":["zig"]`)
	shown = read[fields](m.call("GET", watchlists+"?id="+id, ""), 200)
	require.Nil(t, shown["slack_webhook_url"])
	require.Equal(t, []any{"zig"}, shown["keywords"])

	for given, text := range map[string]string{
		``:                      "No valid update fields provided",
		`,"append":true`:        "No valid update fields provided",
		`,"name":null`:          "No valid update fields provided",
		`,"unknown":1`:          "No valid update fields provided",
		`,"name":""`:            "Name cannot be empty",
		`,"name":5`:             "Invalid 'name'",
		`,"disable":"true"`:     "disable must be a boolean value",
		`,"disable":1`:          "disable must be a boolean value",
		`,"fetchFreqInHours":2`: "Invalid fetchFreqInHours",
		`,"keywords":[]`:        "keywords array is required and must not be empty",
		`,"keywords":{}`:        "Invalid 'keywords'",
		`,"keywords":[" "]`:     "No valid keywords provided after cleaning",
		`,"labels":["a,b"]`:     "Invalid 'labels': a name must not contain a comma",
		`,"name":"` + strings.Repeat("x", 121) + `"`: "Invalid 'name'",
		`,"keywords":["a"],"append":"yes"`:           "Invalid 'append'",
		`,"objective":5`:                             "Invalid 'objective'",
		`,"slack_webhook_url":"ftp://x"`:             "Invalid 'slack_webhook_url'",
		`,"slack_webhook_url":5`:                     "Invalid 'slack_webhook_url'",
		`,"prompt":"x","name":"y"`:                   "Pass either prompt or update fields, not both",
		`,"prompt":" "`:                              "prompt is required and must be a non-empty string",
	} {
		put(given).fails(400, text)
	}
	for _, body := range []string{`{}`, `{"id":null,"name":"x"}`, `{"id":5,"name":"x"}`, `{"id":"","name":"x"}`} {
		m.call("PUT", watchlists, body).fails(400, "Missing required parameter: id")
	}
}

func TestDisabledKeywordWatchlist(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Disablers", "free")
	id := read[fields](m.call("POST", watchlists, `{"keywords":["go"]}`), 200)["id"].(string)
	put := func(fields string) reply { return m.call("PUT", watchlists, `{"id":"`+id+`"`+fields+`}`) }
	require.Equal(t, true, read[fields](put(`,"disable":true`), 200)["disable"])
	shown := read[fields](m.call("GET", watchlists+"?id="+id, ""), 200)
	require.Equal(t, true, shown["disabled"])
	require.Nil(t, shown["next_scan_at"])
	for _, patch := range []string{`,"name":"x"`, `,"disable":true`, `,"fetchFreqInHours":24`} {
		put(patch).fails(409, "Watchlist is disabled. Re-enable it before updating.")
	}
	again := read[fields](put(`,"disable":false,"name":"Back"`), 200)
	require.Equal(t, false, again["disable"])
	require.Equal(t, "Back", again["name"])
}

func TestDeleteKeywordWatchlist(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Deleters", "free")
	create := func() string {
		return read[fields](m.call("POST", watchlists, `{"keywords":["go"]}`), 200)["id"].(string)
	}
	byQuery, byBody := create(), create()
	gone := func(id string) fields {
		return fields{"id": id, "deleted": true, "message": "Watchlist and all related data deleted successfully"}
	}
	require.Equal(t, gone(byQuery), read[fields](m.call("DELETE", watchlists+"?id="+byQuery, "not json"), 200))
	require.Equal(t, gone(byBody), read[fields](m.call("DELETE", watchlists, `{"id":"`+byBody+`"}`), 200))
	m.call("DELETE", watchlists+"?id="+byQuery, "").fails(404, "Watchlist not found")
	m.call("GET", watchlists+"?id="+byQuery, "").fails(404, "Watchlist not found")
	m.call("DELETE", watchlists, "").fails(400, "Missing required parameter: id")
	m.call("DELETE", watchlists, "{}").fails(400, "Missing required parameter: id")
	m.call("DELETE", watchlists, `{"id":7}`).fails(400, "Missing required parameter: id")
	m.call("DELETE", watchlists, "[").fails(400, badJSON)
	m.call("DELETE", watchlists+"?id=a&id=b", "").fails(400, "Invalid 'id'")
	create()
	create() // the quota is free again
}

// Team isolation: another team's watchlist is 403, an unknown one 404.
func TestWatchlistsOfOtherTeams(t *testing.T) {
	t.Parallel()
	h := build(t)
	owner, stranger := h.team("Owner", "free"), h.team("Stranger", "free")
	id := read[fields](owner.call("POST", watchlists, `{"keywords":["go"]}`), 200)["id"].(string)
	for _, c := range []struct{ method, query, body string }{
		{"GET", "?id=%s", ""}, {"DELETE", "?id=%s", ""}, {"DELETE", "", `{"id":"%s"}`}, {"PUT", "", `{"id":"%s","name":"mine"}`},
	} {
		fill := func(s, id string) string { return strings.ReplaceAll(s, "%s", id) }
		stranger.call(c.method, watchlists+fill(c.query, id), fill(c.body, id)).fails(403, watchpost.TextAccessDenied)
		for _, missing := range []string{unknownID, "nonsense", "..%2F", strings.Repeat("9", 5000)} {
			stranger.call(c.method, watchlists+fill(c.query, missing), fill(c.body, missing)).fails(404, "Watchlist not found")
		}
	}
	require.Equal(t, "go", read[fields](owner.call("GET", watchlists+"?id="+id, ""), 200)["name"])
	require.Equal(t, 0.0, read[fields](stranger.call("GET", watchlists, ""), 200)["count"])
}

// TestObjectiveOfANewWatchlist: the objective that a watchlist is created with counts for the
// relevance of its posts, as much as one that it gets later.
func TestObjectiveOfANewWatchlist(t *testing.T) {
	t.Parallel()
	h := build(t)
	for _, scan := range []struct{ path, kind string }{{watchlists, "keyword_scan"}, {forums, "forum_scan"}} {
		relevance := func(name, objective, later string) float64 {
			m := h.team(name+strings.ReplaceAll(scan.kind, "_", ""), "growth")
			id := read[fields](m.call("POST", scan.path, `{"keywords":["golang"]`+objective+`}`), 200)["id"].(string)
			if later != "" {
				read[fields](m.call("PUT", scan.path, `{"id":"`+id+`"`+later+`}`), 200)
			}
			// The keyword is in the middle of a long post, so that there is room for more.
			post := sample(1, strings.Repeat("What they wrote about on that day. ", 20)+"A golang agency finds gardens."+strings.Repeat(" And on the next one.", 20))
			output, err := json.Marshal(protocol.PostsOutput{Posts: []protocol.Post{post}, Exhausted: new(true)})
			require.NoError(t, err)
			m.work(m.join(), scan.kind, string(output))
			return m.posts("watchlist_id=" + id)[0]["relevance_score"].(float64)
		}
		const finds, other = `,"objective":"find an agency for gardens"`, `,"objective":"cooking"`
		without, missed, met := relevance("Without", "", ""), relevance("Missed", other, ""), relevance("Met", finds, "")
		require.Greater(t, met, without, scan.kind)
		require.Greater(t, met, missed, scan.kind)
		require.Equal(t, met, relevance("Later", "", finds), scan.kind)
		require.Equal(t, missed, relevance("Changed", finds, other), scan.kind)
	}
}
