package httpapi_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

const extensionRequired = watchpost.TextExtensionRequired

// posts reads the posts of a query.
func (m team) posts(query string) []fields {
	m.t.Helper()
	return read[struct{ Data []fields }](m.call("GET", "/api-posts?"+query, ""), 200).Data
}

// interactions reads the likes and comments on a watchlist's posts.
func (m team) interactions(query string) fields {
	m.t.Helper()
	return read[fields](m.call("GET", "/api-interactions?"+query, ""), 200)
}

func TestLikeAndComment(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Engaged", "growth")
	m.call("POST", "/api-like", `{}`).fails(403, extensionRequired)
	m.call("POST", "/api-comment", `{}`).fails(403, extensionRequired)
	p := m.join()
	list := m.collect(p, "telemetry", sample(1, "telemetry one"), sample(2, "telemetry two"))
	post := m.posts("")[0]
	id, urn := post["id"].(string), post["network_post_urn"].(string)

	request := `"post_id":"` + id + `","user_email":"` + strings.ToUpper(m.email) + `"`
	made := read[fields](m.call("POST", "/api-like", `{`+request+`,"actor_type":"user"}`), 200)
	require.Equal(t, fields{"success": true, "message": "Like task created successfully", "task_id": made["task_id"], "expected": fields{"when": "now", "reason": nil, "not_before": nil}}, made)
	m.work(p, "agent_like_post", `{"liked":true}`)
	done := m.status(made["task_id"].(string))
	require.Equal(t, "completed", done["status"])
	require.Equal(t, fields{
		"task_type": "agent_like_post", "post_id": id, "user_email": strings.ToUpper(m.email), "actor_type": "user", "social_urn": urn,
	}, done["task_input"])
	liked := m.posts("interacted=true")
	require.Len(t, liked, 1, "liked when the task is completed, not a moment later")
	require.Equal(t, []any{true, false}, []any{liked[0]["liked"], liked[0]["commented"]})

	t.Run("a second like is the first", func(t *testing.T) {
		require.Equal(t, made, read[fields](m.call("POST", "/api-like", `{`+request+`}`), 200))
		by := read[fields](m.call("POST", "/network-agent/like-post", `{"social_urn":"`+urn+`"}`), 200)
		require.Equal(t, made["task_id"], by["api_agent_task_id"])
		require.Equal(t, "Like post task created successfully", by["message"])
	})
	t.Run("a company's page", func(t *testing.T) {
		company := read[fields](m.call("POST", "/api-comment", `{`+request+`,"comment_text":"  Well <done>  ","actor_type":"company","company_title":"Example Corp"}`), 200)
		require.Equal(t, "Comment task created successfully", company["message"])
		frame := m.work(p, "agent_comment_post", `{"commented":true,"comment_urn":"c"}`)
		require.JSONEq(t, `{`+request+`,"comment_text":"Well <done>","actor_type":"company","company_title":"Example Corp","social_urn":"`+urn+`"}`, string(frame.Input))
		require.Equal(t, true, m.posts("interacted=true")[0]["commented"])
	})
	shown := m.interactions("watchlist_id=" + list)
	data := shown["data"].([]any)
	require.Len(t, data, 2)
	comment, like := data[0].(fields), data[1].(fields)
	require.Equal(t, fields{"page": 1.0, "page_size": 10.0, "total": 2.0, "total_likes": 1.0, "total_comments": 1.0}, shown["pagination"])
	require.Equal(t, []string{"author", "created_at", "id", "interaction_type", "post", "text"}, sortedKeys(comment))
	require.Equal(t, []any{"comment", "Well <done>"}, []any{comment["interaction_type"], comment["text"]})
	require.Equal(t, fields{"id": "Example Corp", "full_name": "Example Corp", "author_slug": "", "headline": "", "author_type": "company"}, comment["author"])
	author := like["author"].(fields)
	require.Equal(t, []any{"jane", "user", ""}, []any{author["author_slug"], author["author_type"], author["headline"]})
	require.Equal(t, id, like["post"].(fields)["id"])
	require.InDelta(t, float64(time.Now().UnixMilli()), like["created_at"], 60_000)
	graph := shown["graph"].([]any)
	require.Len(t, graph, 7)
	require.Equal(t, fields{"date": time.Now().UTC().Format(time.DateOnly), "likes": 1.0, "comments": 1.0}, graph[6])

	t.Run("filters and pages", func(t *testing.T) {
		for query, want := range map[string]int{
			"interaction_type=like": 1, "interaction_type=comment": 1, "actor_ids=" + author["id"].(string): 1, "actor_ids=nobody": 0,
			"actor_ids=nobody,Example%20Corp": 1, "page=2": 0, "page=2&page_size=1": 1, "page_size=1": 1, "page_size=101": 2, "page_size=100": 2,
		} {
			require.Len(t, m.interactions("watchlist_id=" + list + "&" + query)["data"], want, query)
		}
		require.Equal(t, shown, read[fields](m.call("POST", "/api-interactions", `{"watchlist_id":"`+list+`"}`), 200))
		require.Len(t, read[fields](m.call("POST", "/api-interactions", `{"watchlist_id":"`+list+`","interaction_type":"like","actor_ids":["x","`+author["id"].(string)+`"],"page":1,"page_size":500}`), 200)["data"], 1)
		other := m.collect(p, "one", sample(1, "telemetry one"))
		require.Len(t, m.interactions("watchlist_id=" + other)["data"], 2, "its post is the same")
		third := m.collect(p, "two", sample(2, "telemetry two"))
		require.Empty(t, m.interactions("watchlist_id=" + third)["data"])
	})
	t.Run("collected again", func(t *testing.T) {
		for _, w := range read[struct{ Watchlists []fields }](m.call("GET", watchlists, ""), 200).Watchlists {
			require.Equal(t, 200, m.call("DELETE", watchlists+"?id="+w["id"].(string), "").status)
		}
		again := m.collect(p, "telemetry", sample(1, "telemetry one"))
		found := m.posts("watchlist_id=" + again)
		require.Len(t, found, 1)
		require.Equal(t, []any{true, true}, []any{found[0]["liked"], found[0]["commented"]})
		require.Len(t, m.interactions("watchlist_id=" + again)["data"], 2)
	})
}

func TestEngagementRefusals(t *testing.T) {
	t.Parallel()
	h := build(t)
	m, other := h.team("Askers", "growth"), h.team("Strangers", "growth")
	p, q := m.join(), other.join()
	m.collect(p, "telemetry", sample(1, "telemetry"))
	theirs := other.collect(q, "telemetry", sample(1, "telemetry"))
	post, foreign := m.posts("")[0]["id"].(string), other.posts("")[0]["id"].(string)
	both := `"post_id":"` + post + `","user_email":"` + m.email + `"`
	for body, text := range map[string]string{
		`{}`:                                                        "Missing required parameter: post_id",
		`{"post_id":7,"user_email":"x"}`:                            "Missing required parameter: post_id",
		`{"post_id":"","user_email":"x"}`:                           "Missing required parameter: post_id",
		`{"post_id":"x"}`:                                           "Missing required parameter: user_email",
		`{"post_id":"x","user_email":" "}`:                          "Missing required parameter: user_email",
		`{` + both + `,"actor_type":"robot"}`:                       "Invalid actor_type. Must be 'user' or 'company'",
		`{` + both + `,"actor_type":7}`:                             "Invalid actor_type. Must be 'user' or 'company'",
		`{` + both + `,"actor_type":"company"}`:                     "company_title is required when actor_type is 'company'",
		`{` + both + `,"actor_type":"company","company_title":" "}`: "company_title is required when actor_type is 'company'",
	} {
		m.call("POST", "/api-like", body).fails(400, text)
		if strings.Contains(text, "actor_type") {
			body = strings.Replace(body, `{`, `{"comment_text":"x",`, 1)
		}
		m.call("POST", "/api-comment", body).fails(400, text)
	}
	m.call("POST", "/api-comment", `{`+both+`}`).fails(400, "Missing required parameter: comment_text")
	m.call("POST", "/api-comment", `{`+both+`,"comment_text":" \n "}`).fails(400, "comment_text cannot be empty")
	m.call("POST", "/api-comment", `{`+both+`,"comment_text":"`+strings.Repeat("x", 1251)+`"}`).fails(400, "Invalid 'comment_text': must be 1250 characters or fewer")
	m.call("POST", "/api-like", `{`+both+`,"actor_type":"company","company_title":"`+strings.Repeat("x", 900_000)+`"}`).fails(400, "Invalid 'company_title'")
	for _, id := range []string{"nonsense", unknownID, foreign} {
		m.call("POST", "/api-like", `{"post_id":"`+id+`","user_email":"`+m.email+`"}`).fails(404, "Post not found")
		m.call("PUT", "/api-posts", `{"id":"`+id+`","bookmark":true}`).fails(404, "Post not found")
	}
	for _, email := range []string{"nobody", other.email} {
		m.call("POST", "/api-like", `{"post_id":"`+post+`","user_email":"`+email+`"}`).fails(404, "User not found")
	}

	const noList = "watchlist_id is required and must be a string"
	for query, text := range map[string]string{
		"": noList, "watchlist_id=": noList, "watchlist_id=a&watchlist_id=b": noList, "watchlist_id=nonsense": "Invalid watchlist ID: nonsense",
		"watchlist_id=x&interaction_type=share": "Invalid 'interaction_type'", "watchlist_id=x&page=0": "Invalid 'page'", "watchlist_id=x&page_size=x": "Invalid 'page_size'",
	} {
		m.call("GET", "/api-interactions?"+query, "").fails(400, text)
	}
	for body, text := range map[string]string{
		`{}`: noList, `{"watchlist_id":7}`: noList, `{"watchlist_id":["x"]}`: noList, `{"watchlist_id":"x","page":"1"}`: "Invalid 'page'",
		`{"watchlist_id":"x","page":0}`: "Invalid 'page'", `{"watchlist_id":"x","interaction_type":"share"}`: "Invalid 'interaction_type'",
		`{"watchlist_id":"x","actor_ids":7}`: "Invalid 'actor_ids'", `{"watchlist_id":"x","page_size":0.5}`: "Invalid 'page_size'",
	} {
		m.call("POST", "/api-interactions", body).fails(400, text)
	}
	m.call("GET", "/api-interactions?watchlist_id="+theirs, "").fails(403, watchpost.TextAccessDenied)
	m.call("POST", "/api-interactions", `{"watchlist_id":"`+theirs+`"}`).fails(403, watchpost.TextAccessDenied)
}

func TestBookmark(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Savers", "free")
	p := m.join()
	m.collect(p, "telemetry", sample(1, "telemetry one"), sample(2, "telemetry two"))
	id := m.posts("")[1]["id"].(string)
	for _, saved := range []bool{true, true, false} {
		want := fields{"id": id, "bookmark": saved, "updated": true}
		require.Equal(t, want, read[fields](m.call("PUT", "/api-posts", `{"id":"`+id+`","bookmark":`+strconv.FormatBool(saved)+`}`), 200))
		found := m.posts("is_saved=true")
		require.Equal(t, saved, len(found) == 1)
	}
	m.call("PUT", "/api-posts", `{"bookmark":true}`).fails(400, "Missing required parameter: id")
	for _, value := range []string{`"true"`, `1`, `null`} {
		m.call("PUT", "/api-posts", `{"id":"`+id+`","bookmark":`+value+`}`).fails(400, "bookmark must be a boolean value")
	}
	m.call("PUT", "/api-posts", `{"id":"`+id+`"}`).fails(400, "bookmark must be a boolean value")
}

func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	h := build(t)
	m, other := h.team("Repeaters", "growth"), h.team("Others", "growth")
	p := m.join()
	other.join()
	const path = "/network-agent/fetch-profile"
	first := m.call("POST", path, `{"profile_slug":"jane","x":[1,{"a":1,"b":2}]}`, "Idempotency-Key", "k1")
	require.Empty(t, first.header.Get("Idempotent-Replayed"))
	again := m.call("POST", path, ` { "x" : [1,{"b":2,"a":1}], "profile_slug" : "jane" } `, "Idempotency-Key", "k1")
	require.Equal(t, "true", again.header.Get("Idempotent-Replayed"))
	require.Equal(t, first.raw, again.raw)

	const used = "Idempotency-Key was used with a different request"
	m.call("POST", path, `{"profile_slug":"joe"}`, "Idempotency-Key", "k1").fails(409, used)
	m.call("POST", path, `{}`, "Idempotency-Key", "k1").fails(409, used) // before its 400
	m.call("POST", path, `{`, "Idempotency-Key", "k1").fails(400, badJSON)
	for _, key := range []string{"", strings.Repeat("k", 256), "a b", "é"} {
		m.call("POST", path, `{}`, "Idempotency-Key", key).fails(400, "Invalid 'Idempotency-Key'")
	}
	for _, c := range []struct {
		m          team
		path, body string
	}{
		{other, path, `{"profile_slug":"jane","x":[1,{"a":1,"b":2}]}`}, {m, "/network-agent/fetch-company", `{"company_slug":"jane"}`},
	} {
		r := c.m.call("POST", c.path, c.body, "Idempotency-Key", "k1")
		require.Equal(t, 200, r.status, r.raw)
		require.Empty(t, r.header.Get("Idempotent-Replayed"), "another team, another path")
	}
	follow := func(key, body string) reply {
		return other.call("POST", "/api-people-watchlist", body, "Idempotency-Key", key)
	}
	require.Equal(t, 200, follow("list", `{"profiles":["jane"]}`).status)
	follow("list", `{"profiles":["jane"],"list_id":"unknown"}`).fails(409, used) // before its 404
	follow("other", `{"profiles":["jane"],"list_id":"unknown"}`).fails(404, "List not found")
	t.Run("a refusal is not kept", func(t *testing.T) {
		m.call("POST", path, `{}`, "Idempotency-Key", "k2").fails(400, "Missing or invalid 'profile_slug'")
		require.Equal(t, 200, m.call("POST", path, `{"profile_slug":"jane"}`, "Idempotency-Key", "k2").status)
	})
	t.Run("a watchlist", func(t *testing.T) {
		body := `{"keywords":["a","b"],"name":"W"}`
		made := m.call("POST", watchlists, body, "Idempotency-Key", "k1")
		replayed := m.call("POST", watchlists, body, "Idempotency-Key", "k1")
		require.Equal(t, made.raw, replayed.raw)
		require.Equal(t, "true", replayed.header.Get("Idempotent-Replayed"))
		require.Equal(t, 1.0, read[fields](m.call("GET", watchlists, ""), 200)["count"])
	})
	t.Run("by prompt, at the plan's limit", func(t *testing.T) {
		m := h.team("Prompted", "free")
		require.Equal(t, 200, m.call("POST", watchlists, `{"keywords":["a"]}`).status)
		body := `{"prompt":"Posts about kubernetes outages and incident reviews from platform engineers"}`
		made := m.call("POST", watchlists, body, "Idempotency-Key", "k1")
		require.Equal(t, 200, made.status, made.raw)
		replayed := m.call("POST", watchlists, body, "Idempotency-Key", "k1")
		require.Equal(t, made.raw, replayed.raw)
		require.Equal(t, "true", replayed.header.Get("Idempotent-Replayed"))
		require.Equal(t, 402, m.call("POST", watchlists, body, "Idempotency-Key", "k2").status)
	})
	t.Run("many at once make one", func(t *testing.T) {
		replies := make(chan string, 8)
		for range cap(replies) {
			go func() {
				replies <- m.call("POST", path, `{"profile_slug":"twin"}`, "Idempotency-Key", "twins").raw
			}()
		}
		one := <-replies
		for range cap(replies) - 1 {
			require.Equal(t, one, <-replies)
		}
	})
	var made int
	for range 6 { // jane, jane, jane's company, twin, two scans
		frame := p.hear(protocol.TypeTask)
		made++
		p.send(protocol.Frame{Type: protocol.TypeResult, Task: frame.Task, Lease: frame.Lease, Attempt: frame.Attempt, Output: json.RawMessage(`{"posts":[]}`)})
		p.hear(protocol.TypeAck)
	}
	require.Equal(t, 6, made)
}
