package dashboard

import (
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/http/api"
	"watchpost/internal/reference"
	"watchpost/internal/words"
	"watchpost/watchpost"
)

// TestConditionsOfAView: each parameter of the feed becomes a condition, a watchlist or a
// name among what is left out.
func TestConditionsOfAView(t *testing.T) {
	t.Parallel()
	d := &Dashboard{Options: Options{ReadPosts: api.ReadPosts}}
	conditions := func(c watchpost.PostConditions) takenView { return takenView{If: c} }
	left := func(names ...string) takenView { return takenView{Left: names} }
	id := "0192f3c0-0000-7000-8000-000000000001"
	tested := map[string]bool{}
	for _, c := range []struct {
		query string
		want  takenView
	}{
		{"watchlist_id=a,b", takenView{Watchlists: []string{"a", "b"}}},
		{"labels=News,no+labels", conditions(watchpost.PostConditions{Labels: []string{"News", "no labels"}})},
		{"people_slug=jane,ACoAABcdefghijklmnopqrs", conditions(watchpost.PostConditions{Authors: []string{"/in/jane", "urn:network:profile:ACoAABcdefghijklmnopqrs"}})},
		{"company_slug=example-corp,1234", conditions(watchpost.PostConditions{Authors: []string{"/company/example-corp", "urn:network:company:1234"}})},
		{"people_slug=jane&company_slug=acme", conditions(watchpost.PostConditions{Authors: []string{"/in/jane", "/company/acme"}})},
		{"lang=deutsch&lang=true", conditions(watchpost.PostConditions{Languages: []string{"de", "en"}})},
		{"seniority_level=ceo,founders", conditions(watchpost.PostConditions{Levels: []string{"C-Level", "Founder"}})},
		{"sentiment=Negative", conditions(watchpost.PostConditions{Sentiments: []string{"negative"}})},
		{"keyword=solar", conditions(watchpost.PostConditions{Keyword: "solar"})},
		{"search_term=two", left("words searched for")},
		{"is_saved=true", left("saved posts")},
		{"is_saved=false", takenView{}},
		{"start_date=2030-01-01", left("date")},
		{"start_date=2030-01-01&end_date=2030-01-02", left("date")},
		{"stored_since=2030-01-01", left("stored since")},
		{"post_type=poll", left("type")},
		{"trending=true", left("trending")},
		{"interacted=true", left("acted on")},
		{"source=forum", left("source")},
		{"network_post_slug=7123456789012345678", left("one post")},
		{"id=" + id, left("chosen posts")},
		{"sort_by=oldest_first", left("order")},
		{"tab=done", left("tab")},
		{"labels=a&sort_by=oldest_first&trending=true", takenView{If: watchpost.PostConditions{Labels: []string{"a"}}, Left: []string{"trending", "order"}}},
		{"page=2", takenView{}},
	} {
		got, err := takeFilters(d, httptest.NewRequest("POST", "/app/notifications/new", nil), c.query)
		require.NoError(t, err, c.query)
		require.Same(t, words.English(), got.say)
		got.say = nil
		require.Equal(t, c.want, got, c.query)
		_, err = got.If.Clean()
		require.NoError(t, err, c.query)
		given, err := url.ParseQuery(c.query)
		require.NoError(t, err)
		for name := range given {
			tested[name] = true
		}
	}
	for _, name := range slices.Concat(listParameters, otherParameters) {
		require.True(t, tested[name], "%s: say what a form of conditions makes of it", name)
		if takenFilters[name] == nil && name != "watchlist_id" {
			require.NotContains(t, leftName(words.English(), name), "_", "%s is named as an address has it", name)
		}
	}
	_, err := takeFilters(d, httptest.NewRequest("GET", "/", nil), "post_type=smoke")
	require.Equal(t, watchpost.Invalid, watchpost.KindOf(err))
}

// TestAuthorsOfAView: authors of a view are the same people and companies as conditions.
func TestAuthorsOfAView(t *testing.T) {
	t.Parallel()
	var keys []string
	for _, given := range []string{"jane-doe", "JÖRG", "/in/1234", "1234", "/in/%C3%A9mile", "ACoAABcdefghijklmnopqrs", "urn:network:member:77"} {
		person, err := reference.ParseProfile(given)
		require.NoError(t, err, given)
		keys = append(keys, person.Key())
	}
	for _, given := range []string{"acme", "MÜLLER", "1234", "/school/1234", "urn:network:organization:77"} {
		company, err := reference.ParseCompany(given)
		require.NoError(t, err, given)
		keys = append(keys, company.Key())
	}
	var taken takenView
	taken.addAuthors(keys)
	for i, key := range keys {
		author, err := reference.ParseAuthor(taken.If.Authors[i])
		require.NoError(t, err, key)
		require.Equal(t, key, author.Key())
	}
}

// TestListOfAView: a form takes over the one watchlist of a view, if it can have it.
func TestListOfAView(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		named []string
		want  string
		left  []string
	}{
		{nil, "has", nil},
		{[]string{"can"}, "can", nil},
		{[]string{"other"}, "has", []string{"watchlist"}},
		{[]string{"can", "other"}, "has", []string{"several watchlists"}},
	} {
		taken := takenView{say: words.English(), Watchlists: c.named}
		require.Equal(t, c.want, taken.list("has", func(id string) bool { return id == "can" }), c.named)
		require.Equal(t, c.left, taken.Left, c.named)
	}
}
