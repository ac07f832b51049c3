package httpapi_test

import (
	"encoding/csv"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPeople: the page of authors agrees with GET /api-leads, its filters and tabs select,
// a name leads to the posts of the author, and the CSV has the same authors.
func TestPeople(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("People", "growth")
	p := m.join()
	b := h.browser()
	b.signIn(m.email)
	page := func(query string) string { return html.UnescapeString(b.do("GET", "/app/people"+query, "").raw) }
	tabs := func(page string) (counts string) {
		for part := range strings.SplitSeq(between(t, page, `<nav class="tabs" aria-label="People">`, "</nav>"), `<span class="count">`) {
			if n, _, found := strings.Cut(part, "</span>"); found {
				counts += n + " "
			}
		}
		return strings.TrimSpace(counts)
	}
	require.Contains(t, page(""), "Nobody yet")

	jane, again, bob, acme := sample(1, "telemetry one"), sample(2, "telemetry two"), sample(3, "telemetry three"), sample(4, "telemetry four")
	bob.AuthorName, bob.AuthorURL, bob.AuthorHeadline = "=Bob", "https://network.example/in/bob", "Engineer"
	acme.AuthorName, acme.AuthorURL, acme.AuthorHeadline = "Acme", "https://network.example/company/acme", ""
	list := m.collect(p, "telemetry", jane, again, bob, acme)
	all := page("")
	require.Equal(t, "3 3 0", tabs(all))
	require.Contains(t, all, "1 to 3 of 3")
	require.Contains(t, all, `<bdi>Acme</bdi></a> <span class="soft small">company</span>`)
	for _, lead := range read[fields](m.call("GET", "/api-leads", ""), 200)["data"].([]any) {
		param := "people_slug"
		if lead.(fields)["kind"] == "company" {
			param = "company_slug"
		}
		href := "/app?" + url.Values{param: {lead.(fields)["author_url"].(string)}}.Encode()
		require.Contains(t, all, `<a href="`+href+`"><bdi>`+lead.(fields)["name"].(string))
		posts := between(t, b.do("GET", href, "").raw, `<p class="result-line"><span><b>`, "</b>")
		require.Equal(t, fmt.Sprint(lead.(fields)["posts"]), posts)
	}

	several := page("?posts=2")
	require.Contains(t, several, "1 to 1 of 1")
	require.Contains(t, several, "Jane Doe")
	require.NotContains(t, several, "Bob")
	require.Equal(t, "3 3 0", tabs(page("?list="+list)))
	require.Contains(t, page("?posts=10"), "No one matches")

	read[fields](m.call("POST", "/network-agent/send-connection-request", `{"profile_urn":"bob"}`), 200)
	m.work(p, "agent_send_connection_request", `{}`)
	require.Equal(t, "3 2 1", tabs(page("?order=most_posts")))
	contacted := page("?contacted=yes")
	require.Equal(t, "3 2 1", tabs(contacted))
	require.Contains(t, contacted, "1 to 1 of 1")
	require.Contains(t, contacted, "=Bob")
	others := page("?contacted=no&level=VP")
	require.Equal(t, "1 1 0", tabs(others))
	require.Contains(t, others, "Jane Doe")

	sent := b.do("GET", "/app/people.csv?contacted=yes", "")
	require.Contains(t, sent.header.Get("Content-Disposition"), "watchpost-people.csv")
	rows, err := csv.NewReader(strings.NewReader(sent.raw)).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 2)
	require.Equal(t, []string{"https://network.example/in/bob", "'=Bob"}, rows[1][:2])

	for _, query := range []string{"?days=soon", "?days=0", "?posts=-1", "?level=Boss", "?order=oldest", "?contacted=maybe", "?list=nothing"} {
		require.Equal(t, 400, b.do("GET", "/app/people"+query, "").status, query)
	}
	require.Equal(t, 200, b.do("GET", "/app/people?page=7", "").status)
}
