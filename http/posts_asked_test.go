package httpapi_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

// What clients ask of GET /api-posts and of other lists, beyond filters.

func TestPostsByID(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Readers", "free")
	p := m.join()
	m.collect(p, "telemetry", sample(1, "Telemetry one"), sample(2, "Telemetry two"), sample(3, "Telemetry three"))
	ids := map[string]string{}
	for _, post := range read[fields](m.call("GET", "/api-posts", ""), 200)["data"].([]any) {
		ids[post.(fields)["content"].(string)] = post.(fields)["id"].(string)
	}
	contents := func(query string) (all []string) {
		r := read[fields](m.call("GET", "/api-posts?"+query, ""), 200)
		for _, post := range r["data"].([]any) {
			all = append(all, post.(fields)["content"].(string))
		}
		require.EqualValues(t, len(all), r["count"], query)
		require.NotContains(t, r, "warnings", query)
		return all
	}
	one, three := ids["Telemetry one"], ids["Telemetry three"]
	require.Equal(t, []string{"Telemetry one"}, contents("id="+one))
	require.Equal(t, []string{"Telemetry one"}, contents("id="+strings.ToUpper(one)))
	for _, query := range []string{"id=" + three + "," + one, "id=" + three + "&id=" + one, "id[]=" + one + "&id[]=" + three + "&id[]=" + unknownID} {
		require.Equal(t, []string{"Telemetry one", "Telemetry three"}, contents(query), "in the order of sort_by")
	}
	require.Empty(t, contents("id="+unknownID))
	require.Empty(t, contents("id="+one+"&post_type=video"))
	m.call("GET", "/api-posts?id=7000000000000000001", "").fails(400, "Invalid 'id'")

	other := h.team("Others", "free")
	require.EqualValues(t, 0, read[fields](other.call("GET", "/api-posts?id="+one, ""), 200)["count"])
}

func TestPostsWithFields(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Readers", "free")
	p := m.join()
	list := m.collect(p, "telemetry", sample(1, `All about "telemetry" <and> {more}, [even] this`), sample(2, "Telemetry two"))
	whole := read[fields](m.call("GET", "/api-posts", ""), 200)["data"].([]any)
	for _, query := range []string{"fields=content,id", "fields=id&fields=content", "fields[]=content&fields[]=id"} {
		r := read[fields](m.call("GET", "/api-posts?"+query, ""), 200)
		require.EqualValues(t, 2, r["count"])
		for i, post := range r["data"].([]any) {
			require.Equal(t, fields{"id": whole[i].(fields)["id"], "content": whole[i].(fields)["content"]}, post, query)
		}
	}
	for name := range whole[0].(fields) {
		r := read[fields](m.call("GET", "/api-posts?fields="+name, ""), 200)
		require.Equal(t, fields{name: whole[0].(fields)[name]}, r["data"].([]any)[0], name)
	}
	marks := read[fields](m.call("GET", "/api-posts?fields=matched,tagDescriptions", ""), 200)["data"].([]any)[0].(fields)
	require.Equal(t, []any{fields{"watchlist_id": list, "keyword": "telemetry"}}, marks["matched"])
	require.Equal(t, whole, read[fields](m.call("GET", "/api-posts?fields=", ""), 200)["data"], "none are all")
	m.call("GET", "/api-posts?fields=id,text", "").fails(400, "Invalid 'fields': use id, network_post_url, network_post_urn, tracking_lists_id, content, author_name, author_url, "+
		"author_headline, author_image_url, posted_at, created_at, likes_count, comments_count, shares_count, post_type, language, image_url, image_urls, image_text, videos, tags, "+
		"tagDescriptions, sentiment, influence_score, relevance_score, seniority_level, bookmark, liked, commented, source, potential_lead or matched")
}

// TestValuesOfPostFilters: an unknown value is refused and the allowed ones are named;
// plurals and synonyms count.
func TestValuesOfPostFilters(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Readers", "free")
	p := m.join()
	picture, german := sample(1, "Telemetry one"), sample(2, "Wir freuen uns sehr über die neue telemetry und über die Arbeit mit euch allen")
	picture.Type, german.AuthorHeadline = "image", "Owner of a bakery"
	m.collect(p, "telemetry", picture, german)
	const types, levels = "Invalid 'post_type': use text, image, video, article or poll", "Invalid 'seniority_level': use C-Level, Founder, VP, Director, Manager, Senior or Entry"
	m.call("GET", "/api-posts?post_type=document", "").fails(400, types)
	m.call("GET", "/api-posts?post_type=image,documents", "").fails(400, types)
	m.call("GET", "/api-posts?seniority_level=Wizard", "").fails(400, levels)
	m.call("GET", "/api-posts?seniority_level=VP&seniority_level=b", "").fails(400, levels)
	for query, want := range map[string]float64{
		"post_type=images": 1, "post_type=Photos": 1, "post_type=IMAGE": 1, "post_type=texts,images": 2, "post_type=videos": 0,
		"seniority_level=VPs": 1, "seniority_level=Owner": 1, "seniority_level=Owners,Vice%20Presidents": 2, "seniority_level=Directors": 0,
		"lang=deutsch": 1, "lang=Deutsch": 1, "lang=German": 1, "lang=fran%C3%A7ais": 0,
	} {
		require.Equal(t, want, read[fields](m.call("GET", "/api-posts?"+query, ""), 200)["count"], query)
	}
}

// TestUnknownParameters: a parameter that nothing reads is named in warnings.
func TestUnknownParameters(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Askers", "growth")
	list := read[fields](m.call("POST", watchlists, `{"keywords":["go"]}`), 200)["id"].(string)
	warnings := func(path string) any { return read[fields](m.call("GET", path, ""), 200)["warnings"] }
	ignored := func(names ...string) (all []any) {
		for _, name := range names {
			all = append(all, "Unknown parameter '"+name+"' was ignored")
		}
		return all
	}
	require.Equal(t, ignored("slug"), warnings(watchlists+"?slug=go"))
	require.Equal(t, ignored("slug"), warnings(watchlists+"?slug=go&id="+list))
	require.Equal(t, ignored("post_id", "<b>"), warnings("/api-posts?post_id=1&lang=en&%3Cb%3E=1&post_id=2&=3&&"))
	require.Equal(t, ignored("slug"), warnings("/api-interactions?slug=x&watchlist_id="+list))
	require.Equal(t, ignored("page"), warnings("/api-journal?page=2"))
	require.Equal(t, ignored("watchlist"), warnings("/api-engagement-rules?watchlist=x"))
	for _, path := range []string{
		watchlists, watchlists + "?id=" + list, "/api-posts?current_page=1&page_size=2&watchlist_id%5B%5D=" + list, "/api-posts?labels[]=a&fields=id",
		"/api-interactions?current_page=1&watchlist_id=" + list, "/api-team?x=1",
	} {
		require.Nil(t, warnings(path), path)
	}
	require.Equal(t, ignored(strings.Repeat("é", 100)+"…"), warnings("/api-posts?"+strings.Repeat("é", 3000)+"=1"))
	var many strings.Builder
	for i := range 60 {
		many.WriteString(string(rune('a'+i%26)) + string(rune('a'+i/26)) + "=1&")
	}
	require.Len(t, warnings("/api-posts?"+many.String()), 20)

	gone := read[fields](m.call("DELETE", watchlists+"?slug=a&id="+list, ""), 200)
	require.Equal(t, ignored("slug"), gone["warnings"])
	m.call("GET", watchlists+"?slug=a&id="+list, "").fails(404, watchpost.TextWatchlistNotFound)
}
