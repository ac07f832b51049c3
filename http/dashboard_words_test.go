package httpapi_test

import (
	"fmt"
	"html"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPlainWords: pages and mails use words for members: no name of a field of the API,
// no place that is not on the page, no zone but the rule's.
func TestPlainWords(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Plain", "ultimate")
	b := h.browser()
	b.signIn(m.email)
	send := func(path string, form url.Values) string {
		form.Set("token", b.token())
		return html.UnescapeString(b.send(path, form).raw)
	}
	page := func(path string) string { return html.UnescapeString(b.do("GET", path, "").raw) }

	// An invitation says who invites whom, and where to accept it.
	require.Equal(t, 303, b.send("/app/team", url.Values{"token": {b.token()}, "do": {"invite"}, "email": {"ada@example.org"}, "role": {"member"}}).status)
	mail := h.mail.last("ada@example.org")
	require.Contains(t, mail.Body, m.email+" invites you")
	require.Contains(t, mail.Body, "open "+passkeySite+"/app/sign-in and ask for a one-time code there with ada@example.org")

	team := page("/app/team")
	require.Contains(t, team, "Sign me out everywhere")
	read[fields](h.admin("POST", "/admin/teams/"+m.id+"/members", `{"email":"bob@example.org","role":"member"}`), 201)
	require.Contains(t, page("/app/team"), "Removing signs bob@example.org out, disconnects their browsers and ends what waits in their name. What was done stays.")

	id := read[fields](m.call("POST", watchlists, `{"keywords":["grid"]}`), 200)["id"].(string)
	save := func(field, value string) string {
		return send("/app/watchlists/"+id, url.Values{"do": {"save"}, "name": {"Grid"}, "keyword": {"grid"}, "every": {"12"}, field: {value}})
	}
	for labels, want := range map[string]string{
		"one, two: a": "Labels: a name must not contain a comma.", ": a": "Labels: a label must have a name.", "no labels: a": "“no labels” stands for posts without a label.",
	} {
		shown := save("labels", labels)
		require.Contains(t, shown, want)
		require.NotContains(t, shown, "Invalid '")
	}
	require.NotContains(t, page("/app/watchlists/"+id), "gone from every answer")
	require.Equal(t, 200, m.call("PUT", watchlists, fmt.Sprintf(`{"id":%q,"disable":true}`, id)).status)
	paused := save("keyword", "other")
	require.Contains(t, paused, "This watchlist is paused. Resume it below, then change it.")
	require.NotContains(t, paused, "Re-enable")

	form := ruleForm(id, "comment")
	form["template"] = []string{"Hello {nobody}"}
	form.Set("do", "try")
	rule := send("/app/rules/new", form)
	require.NotContains(t, rule, "variables below")
	require.Contains(t, rule, "In braces, only {author_name}, {first_name}, {keyword}, {label} mean something.")
}
