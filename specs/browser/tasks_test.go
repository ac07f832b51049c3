package browser_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/fakenetwork"
	"watchpost/internal/fakenetwork/networktest"
)

// elements returns a non-empty list of objects in an output.
func elements(t testing.TB, output fields, name string) []fields {
	t.Helper()
	list, _ := output[name].([]any)
	require.NotEmpty(t, list, "%s of %v", name, output)
	all := make([]fields, len(list))
	for i := range list {
		all[i] = list[i].(fields)
	}
	return all
}

// posts waits until the team has posts of a watchlist.
func (m *team) posts(watchlist string) []fields {
	m.t.Helper()
	var reply fields
	eventually(m.t, func() bool {
		_, reply = m.call(http.MethodGet, "/api-posts?watchlist_ids="+url.QueryEscape(watchlist), nil)
		list, _ := reply["data"].([]any)
		return len(list) > 0
	}, func() string { return fmt.Sprint("no posts: ", reply) })
	return elements(m.t, reply, "data")
}

// scanned waits until no scan of the team waits.
func (m *team) scanned() {
	m.t.Helper()
	var reply fields
	eventually(m.t, func() bool {
		_, reply = m.call(http.MethodGet, "/api-team", nil)
		return reply["waiting_scans"].(fields)["count"] == 0.0
	}, func() string { return fmt.Sprint("scans wait: ", reply) })
}

func TestEveryTaskType(t *testing.T) {
	t.Parallel()
	m := everyTaskType(t, theWorld(t), "tasks")
	takePictures(m)
}

// TestEveryTaskTypeOnSinglePages: the same on the site that renders in the
// browser. The accounts see different layouts.
func TestEveryTaskTypeOnSinglePages(t *testing.T) {
	t.Parallel()
	everyTaskType(t, worldOf(t, singlePage), layoutA)
	if os.Getenv("WATCHPOST_LONG") != "" {
		everyTaskType(t, worldOf(t, singlePage), layoutB)
	}
}

// Accounts by the layout that the single-page site shows them.
const (
	layoutA = "single-one"
	layoutB = "page-reader"
)

// everyTaskType has an account do every type of task in Chromium.
func everyTaskType(t *testing.T, w *world, account string) *member {
	t.Helper()
	email := account + "@example.com"
	m := w.createTeam(t, email).join(email, account)
	m.everyTask(t)
	m.journalled(0)
	return m
}

// everyTask has the member's browser do every type of task.
func (m *member) everyTask(t *testing.T) {
	t.Helper()
	account := m.account
	own := m.completed(m.ask("/network-agent/fetch-profile", fields{"profile_slug": account}))
	require.Equal(t, account, own["profile_slug"])
	require.Equal(t, m.site+"/in/"+account, own["profile_url"])

	state, output := m.ended(m.ask("/network-agent/fetch-profile", fields{"profile_slug": "nobody-of-that-name"}))
	require.Equal(t, "failed", state)
	require.Equal(t, "not_found", output["error"].(fields)["code"])

	friend := elements(t, m.completed(m.ask("/network-agent/fetch-connections", fields{"count": 5})), "connections")[0]
	require.NotEmpty(t, friend["name"])
	found := elements(t, m.completed(m.ask("/network-agent/search-profiles", fields{"keywords": "engineer"})), "profiles")

	profile := m.completed(m.ask("/network-agent/fetch-profile", fields{"profile_slug": friend["profile_slug"]}))
	require.Equal(t, friend["profile_urn"], profile["profile_urn"])
	requireProfile(t, m.world, profile)
	slug := elements(t, profile, "experience")[0]["company_slug"]
	company := m.completed(m.ask("/network-agent/fetch-company", fields{"company_slug": slug}))
	require.Equal(t, slug, company["slug"])
	m.completed(m.ask("/network-agent/fetch-company-posts", fields{"company_slug": slug}))
	m.completed(m.ask("/network-agent/fetch-profiles-posts", fields{"profile_urns": []any{friend["profile_urn"], own["profile_urn"]}}))

	t.Run("scans", func(t *testing.T) {
		create := func(path string, body fields) string {
			status, made := m.team.call(http.MethodPost, path, body)
			require.Equal(t, http.StatusOK, status, made)
			return made["id"].(string)
		}
		for path, body := range map[string]fields{
			"/api-keyword-watchlist": {"keywords": []string{"hiring"}},
			"/api-forum-watchlist":   {"keywords": []string{"the"}},
		} {
			for _, post := range m.posts(create(path, body)) {
				require.NotEmpty(t, post["content"], path)
				require.NotEmpty(t, post["author_name"], path)
			}
		}
		create("/api-people-watchlist", fields{"profiles": []any{friend["profile_slug"]}})
		create("/api-company-watchlist", fields{"companies": []any{slug}})
		m.scanned()
	})

	t.Run("writes", func(t *testing.T) {
		_, reply := m.team.call(http.MethodGet, "/api-posts?page_size=100", nil)
		posts := slices.DeleteFunc(elements(t, reply, "data"), func(post fields) bool { return post["source"] != "network" })
		require.Greater(t, len(posts), 1)
		stranger := stranger(t, found)
		refused := m.ask("/network-agent/send-message", fields{"recipient_urn": stranger["profile_urn"], "message": "Hello"})
		state, output := m.ended(refused)
		require.Equal(t, "failed", state)
		require.Equal(t, "not_connected", output["error"].(fields)["code"])
		liked := m.ask("/api-like", fields{"post_id": posts[0]["id"], "user_email": m.email})
		require.Equal(t, true, m.completed(liked)["liked"])
		commented := m.ask("/network-agent/comment-post", fields{"social_urn": posts[1]["network_post_urn"], "comment_text": "Well said.\n\nThank you!"})
		require.NotEmpty(t, m.completed(commented)["comment_urn"])
		sent := m.ask("/network-agent/send-message", fields{"recipient_urn": friend["profile_urn"], "message": "Hello <b>there</b> & all"})
		require.Equal(t, true, m.completed(sent)["sent"])
		invited := m.ask("/network-agent/send-connection-request", fields{"profile_urn": stranger["profile_urn"], "note": "Hello"})
		require.Equal(t, true, m.completed(invited)["sent"])
		withdrawn := m.ask("/network-agent/withdraw-invitation", fields{"profile_url": stranger["profile_url"]})
		require.Equal(t, stranger["profile_urn"], m.completed(withdrawn)["profile_urn"])
		for _, kind := range []fakenetwork.WriteKind{fakenetwork.WriteLike, fakenetwork.WriteComment, fakenetwork.WriteMessage, fakenetwork.WriteInvitation, fakenetwork.WriteWithdrawal} {
			require.Equal(t, 1, m.writes.count(m.account, kind), kind)
		}
	})
}

// requireProfile compares a fetched profile with the data of the site.
func requireProfile(t *testing.T, w *world, got fields) {
	t.Helper()
	b := networktest.NewBrowser(t, w.siteAddress)
	b.SignIn("onlooker")
	want := b.Get("/in/" + got["profile_slug"].(string)).Profile
	require.Equal(t, []any{want.URN, want.Name, want.Headline, want.Location, want.About, float64(want.Followers)},
		[]any{got["profile_urn"], got["name"], got["headline"], got["location"], got["about"], got["followers"]})
	require.Len(t, got["skills"], len(want.Skills))
	require.Len(t, got["education"], len(want.Education))
	jobs := elements(t, got, "experience")
	require.Len(t, jobs, len(want.Positions))
	first, job := want.Positions[0], jobs[0]
	require.Equal(t, []any{first.Title, first.CompanySlug, first.Location, float64(first.StartYear), float64(first.StartMonth), first.IsCurrent},
		[]any{job["title"], job["company_slug"], job["location"], job["start_year"], job["start_month"], job["is_current"]})
}

// stranger returns a profile that is not a connection.
func stranger(t testing.TB, found []fields) fields {
	t.Helper()
	for _, one := range found {
		if one["degree"].(float64) > 1 {
			return one
		}
	}
	t.Fatal("only connections were found")
	return nil
}
