package httpapi_test

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// collect creates a watchlist for a keyword and plays the session that scans
// for it; it returns the watchlist's id.
func (m team) collect(p *fakeSession, keyword string, posts ...protocol.Post) string {
	m.t.Helper()
	id := read[fields](m.call("POST", watchlists, `{"keywords":["`+keyword+`"]}`), 200)["id"].(string)
	task := p.hear(protocol.TypeTask)
	require.Equal(m.t, "keyword_scan", task.TaskType)
	exhausted := true
	output, err := json.Marshal(protocol.PostsOutput{Posts: posts, Exhausted: &exhausted})
	require.NoError(m.t, err)
	p.send(protocol.Frame{Type: protocol.TypeAccepted, Task: task.Task, Lease: task.Lease})
	p.send(protocol.Frame{Type: protocol.TypeResult, Task: task.Task, Lease: task.Lease, Attempt: task.Attempt, Output: output})
	p.hear(protocol.TypeAck)
	return id
}

// sample is the n-th of some posts, each a minute older than the one before.
func sample(n int, content string) protocol.Post {
	number := strconv.Itoa(7_000_000_000_000_000_000 + n)
	return protocol.Post{
		URN: "urn:li:activity:" + number, URL: "https://network.example/feed/update/urn:li:activity:" + number,
		Content: content, AuthorName: "Jane Doe", AuthorURL: "https://network.example/in/jane-doe", AuthorHeadline: "VP of Things",
		PostedAt: time.Now().UTC().Add(-time.Hour - time.Duration(n)*time.Minute).Truncate(time.Millisecond),
		Likes:    int64(n), Type: "text",
	}
}

// A failed read is an error in the text of each endpoint, without the store's, and
// the next read can succeed.
func TestUnreadableStore(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Acme", "growth")
	list := read[fields](m.call("POST", "/api-keyword-watchlist", `{"keywords":["a"]}`), 200)["id"].(string)
	interactions := "/api-interactions?watchlist_id=" + list
	require.Equal(t, 200, m.call("GET", "/api-posts", "").status)
	require.Equal(t, 200, m.call("GET", interactions, "").status)

	h.store.broken.Store(true)
	for path, text := range map[string]string{"/api-posts": "Failed to fetch posts", "/api-leads": "Failed to fetch leads", "/api-trends": "Failed to fetch trends", "/api-coverage": "Failed to fetch coverage", interactions: "Failed to fetch interactions"} {
		r := m.call("GET", path, "")
		r.fails(500, text)
		require.Equal(t, "1", r.header.Get("Retry-After"))
	}
	h.admin("GET", "/admin/teams", "").fails(503, watchpost.TextUnavailable)
	m.call("POST", "/api-interactions", `{"watchlist_id":"`+list+`"}`).fails(500, "Failed to fetch interactions")
	m.call("GET", "/api-posts?page=0", "").fails(400, "Invalid 'page'")
	h.do("GET", "/healthz", "")

	h.store.broken.Store(false)
	require.Equal(t, 200, m.call("GET", "/api-posts", "").status)
	require.Equal(t, 200, m.call("GET", interactions, "").status)
}

func TestPosts(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Readers", "free")
	p := m.join()
	first := m.collect(p, "telemetry", sample(1, "All about <telemetry> & more"), sample(2, "Telemetry once more"))
	second := m.collect(p, "once", sample(2, "Telemetry once more"))

	all := read[fields](m.call("GET", "/api-posts", ""), 200)
	require.Equal(t, 2.0, all["count"])
	data := all["data"].([]any)
	require.Len(t, data, 2)
	require.Equal(t, []string{
		"author_headline", "author_image_url", "author_name", "author_url", "bookmark", "commented", "comments_count", "content",
		"created_at", "id", "image_text", "image_url", "image_urls", "influence_score", "language", "liked", "likes_count", "matched",
		"network_post_url", "network_post_urn", "post_type", "posted_at", "potential_lead", "relevance_score", "seniority_level",
		"sentiment", "shares_count", "source", "tagDescriptions", "tags", "tracking_lists_id", "videos",
	}, sortedKeys(data[0].(fields)))
	newest, older := data[0].(fields), data[1].(fields)
	require.Equal(t, "All about <telemetry> & more", newest["content"])
	require.Equal(t, first, newest["tracking_lists_id"])
	require.Equal(t, []any{}, newest["image_urls"])
	require.Nil(t, newest["videos"])
	require.Equal(t, "network", newest["source"])
	require.Equal(t, []any{fields{"watchlist_id": first, "keyword": "telemetry"}}, newest["matched"])
	require.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`, newest["posted_at"])
	require.Equal(t, first, older["tracking_lists_id"], "the one that collected it first")

	count := func(query string) float64 {
		return read[fields](m.call("GET", "/api-posts?"+query, ""), 200)["count"].(float64)
	}
	only := read[fields](m.call("GET", "/api-posts?watchlist_id="+second, ""), 200)["data"].([]any)
	require.Len(t, only, 1)
	require.Equal(t, second, only[0].(fields)["tracking_lists_id"], "the earliest of those asked for")
	for _, query := range []string{
		"watchlist_id=" + first + "&watchlist_id=" + second, "watchlist_id=" + first + "," + second, "watchlist_id=" + first + "%2C" + second,
		"watchlist_id[]=" + first + "&watchlist_id[]=" + second, "watchlist_id%5B%5D=" + first, "unknown=1&unknown=2&watchlist_id=",
		"people_slug=jane-doe", "people_slug=nobody,https%3A%2F%2Fnetwork.example%2Fin%2Fjane-doe%2F", "search_term=telemetry", "trending=false",
		"is_saved=0&interacted=false", "sort_by=", "page=&lang=", "post_type=text", "search_term=a;b%20OR%20telemetry",
		"stored_since=" + url.QueryEscape(time.Now().Add(-time.Hour).Format(time.RFC3339)), "stored_since=2020-01-01T00:00:00+01:00",
		"start_date=2020-01-01&end_date=2999-12-31",
	} {
		require.Equal(t, 2.0, count(query), query)
	}
	for _, query := range []string{
		"people_slug=nobody", "search_term=absent", "trending=1", "is_saved=true", "interacted=TRUE", "lang=Japanese",
		"end_date=2020-01-01", "end_date=0001-01-01", "end_date=0000-12-31", "start_date=9999-12-31", "post_type=video", "network_post_slug=7999999999999999999",
	} {
		require.Equal(t, 0.0, count(query), query)
	}
	past := read[fields](m.call("GET", "/api-posts?page=9", ""), 200)
	require.Equal(t, fields{"data": []any{}, "count": 2.0}, past)
	paged := read[fields](m.call("GET", "/api-posts?page=2&page_size=1&sort_by=oldest_first", ""), 200)
	require.Equal(t, newest["id"], paged["data"].([]any)[0].(fields)["id"])
	require.Equal(t, 1.0, count("network_post_slug="+url.QueryEscape(newest["network_post_urn"].(string))))
}

func TestPostsRefusals(t *testing.T) {
	t.Parallel()
	h := build(t)
	m, other := h.team("Askers", "free"), h.team("Others", "free")
	theirs := read[fields](other.call("POST", watchlists, `{"keywords":["go"]}`), 200)["id"].(string)
	m.call("GET", "/api-posts?watchlist_id="+theirs, "").fails(403, watchpost.TextAccessDenied)
	for _, id := range []string{unknownID, "nonsense", "%00", strings.Repeat("9", 4000)} {
		m.call("GET", "/api-posts?watchlist_id="+id, "").fails(400, "Invalid watchlist ID(s)")
	}
	for query, name := range map[string]string{
		"page=0": "page", "page=-1": "page", "page=x": "page", "page=1.5": "page", "page=1&page=2": "page", "page=99999999999999999999": "page",
		"page_size=0": "page_size", "current_page=0": "current_page", "page_size=ten": "page_size",
		"is_saved=yes": "is_saved", "trending=2": "trending", "interacted=on": "interacted", "is_saved=1&is_saved=1": "is_saved",
		"start_date=2030-13-01": "start_date", "start_date=2030-1-1": "start_date", "end_date=yesterday": "end_date",
		"end_date=2030-01-01T00:00": "end_date", "start_date=2030-01-02&end_date=2030-01-01": "start_date", "start_date=2030-01-02&end_date=0001-01-01": "start_date",
		"stored_since=2030-01-1": "stored_since", "sort_by=random": "sort_by", "sort_by=recent&sort_by=recent": "sort_by",
		"search_term=a&search_term=b": "search_term", "lang=en&lang=b%20%20x": "lang", "lang=klingonese%20%20x": "lang",
		"people_slug=a%2Fb%2Fc": "people_slug", "company_slug=%20x%20y": "company_slug",
		"sentiment=positive,x": "sentiment", "source=x": "source", "id=x": "id", "keyword=a&keyword=b": "keyword",
		"network_post_slug=a&network_post_slug=b": "network_post_slug",
	} {
		m.call("GET", "/api-posts?"+query, "").fails(400, "Invalid '"+name+"'")
	}
}
