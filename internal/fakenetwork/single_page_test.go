package fakenetwork_test

import (
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/fakenetwork"
	"watchpost/internal/fakenetwork/page"
)

// appClient asks the API of the single-page site.
type appClient struct {
	t    *testing.T
	base string
	http.Client
	csrf string
}

// shownData is an answer of that API.
type shownData struct {
	page.Data
	Title, Layout string
	status        int
}

func (c *appClient) get(path string) shownData {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodGet, c.base+"/api"+path, nil)
	require.NoError(c.t, err)
	return c.ask(r)
}

func (c *appClient) post(path string, form url.Values) shownData {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.base+"/api"+path, strings.NewReader(form.Encode()))
	require.NoError(c.t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("X-CSRF-Token", c.csrf)
	return c.ask(r)
}

func (c *appClient) ask(r *http.Request) shownData {
	c.t.Helper()
	answer, err := c.Do(r)
	require.NoError(c.t, err)
	defer func() { _ = answer.Body.Close() }()
	data := shownData{status: answer.StatusCode}
	require.NoError(c.t, json.NewDecoder(answer.Body).Decode(&data))
	c.csrf = data.CSRF
	return data
}

// text returns a document of the site.
func (c *appClient) text(path string) string {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodGet, c.base+path, nil)
	require.NoError(c.t, err)
	answer, err := c.Do(r)
	require.NoError(c.t, err)
	defer func() { _ = answer.Body.Close() }()
	raw, err := io.ReadAll(answer.Body)
	require.NoError(c.t, err)
	require.Equal(c.t, http.StatusOK, answer.StatusCode, path)
	return string(raw)
}

func openApp(t *testing.T, site *fakenetwork.Site) *appClient {
	t.Helper()
	server := httptest.NewServer(site.SinglePage())
	t.Cleanup(server.Close)
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &appClient{t: t, base: server.URL, Client: http.Client{Jar: jar, Transport: transport}}
}

func (c *appClient) signIn(slug string) {
	c.t.Helper()
	answer, err := c.PostForm(c.base+"/sign-in", url.Values{"slug": {slug}})
	require.NoError(c.t, err)
	require.NoError(c.t, answer.Body.Close())
	require.Equal(c.t, "/feed", answer.Request.URL.Path)
}

// TestSinglePageSharesTheNetwork: the single-page site has the contents,
// effects and faults of the other one.
func TestSinglePageSharesTheNetwork(t *testing.T) {
	t.Parallel()
	site := open(t, fakenetwork.Options{})
	c := openApp(t, site.Site)
	out := c.get("/feed")
	require.Equal(t, []any{page.KindSignIn, http.StatusUnauthorized}, []any{out.Kind, out.status})
	c.signIn("jo")
	require.Equal(t, "jo", c.get("/me").Viewer.Slug)
	post := c.get("/feed").Posts[0]
	require.Equal(t, page.KindApplied, c.post(post.Path+"/like", nil).Kind)
	require.Len(t, site.Writes(), 1)
	require.Equal(t, []string{c.get("/me").Viewer.URN}, c.get(post.Path).Post.LikedBy)
	require.Equal(t, page.KindRefused, c.post(post.Path+"/comment", url.Values{"text": {" "}}).Kind)
	c.csrf = "stale"
	require.Equal(t, page.ReasonCSRF, c.post(post.Path+"/like", nil).Reason)

	for fault, want := range map[fakenetwork.Faults]page.Kind{
		{SignedOut: true}: page.KindSignIn, {Challenge: true}: page.KindChallenge, {RateLimited: true}: page.KindLimit,
	} {
		site.SetFaults("jo", fault)
		require.Equal(t, want, c.get("/feed").Kind)
	}
	site.SetFaults("jo", fakenetwork.Faults{LayoutChanged: true})
	require.Equal(t, "c", c.get("/feed").Layout)
	site.ClearFaults()
	seen := map[string]bool{}
	for _, account := range []string{"jo", "ann"} {
		c.signIn(account)
		seen[c.get("/me").Layout] = true
	}
	require.Equal(t, map[string]bool{"a": true, "b": true}, seen)
}

// TestSinglePageHidesItsMarks: one document for all addresses, hashed class
// names, and nothing with data-.
func TestSinglePageHidesItsMarks(t *testing.T) {
	t.Parallel()
	site := open(t, fakenetwork.Options{})
	c := openApp(t, site.Site)
	document := c.text("/in/nobody")
	require.Equal(t, document, c.text("/search/posts?q=x"))
	files, err := fs.ReadDir(os.DirFS("app"), ".")
	require.NoError(t, err)
	for _, file := range files {
		text := document
		if file.Name() != "index.html" {
			text = c.text("/app/" + file.Name())
		}
		require.NotContains(t, text, "__", file.Name())
		require.NotContains(t, strings.ReplaceAll(text, "data- attributes", ""), "data-", file.Name())
	}
	other := openApp(t, open(t, fakenetwork.Options{Seed: 5}).Site)
	require.NotEqual(t, c.text("/app/app.css"), other.text("/app/app.css"))
}

// TestSinglePageSharesItsSignIn: a site with a name shares the sign-in with
// the host of its forum.
func TestSinglePageSharesItsSignIn(t *testing.T) {
	t.Parallel()
	site := open(t, fakenetwork.Options{})
	app := site.SinglePage()
	for host, want := range map[string]string{"127.0.0.1:80": "", "localhost:80": "", "network.localhost:80": "network.localhost", "forum.network.localhost": "network.localhost"} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+host+"/sign-in", strings.NewReader("slug=jo"))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		answer := httptest.NewRecorder()
		app.ServeHTTP(answer, r)
		cookies := answer.Result().Cookies()
		require.Len(t, cookies, 1)
		require.Equal(t, want, cookies[0].Domain, host)
	}
}
