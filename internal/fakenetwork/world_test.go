package fakenetwork_test

import (
	"image/png"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"watchpost/internal/fakenetwork"
	"watchpost/internal/fakenetwork/networktest"
	"watchpost/internal/fakenetwork/page"
)

// all collects the posts of all pages.
func all(b *networktest.Browser, path string) []page.Post {
	var posts []page.Post
	for n := 1; ; n++ {
		data := b.Get(path + "page=" + strconv.Itoa(n))
		posts = append(posts, data.Posts...)
		if !data.Paging.More {
			return posts
		}
	}
}

func TestWorldFollowsFromSeed(t *testing.T) {
	t.Parallel()
	one := networktest.NewBrowser(t, open(t, fakenetwork.Options{Seed: 1}).url)
	same := networktest.NewBrowser(t, open(t, fakenetwork.Options{Seed: 1}).url)
	other := networktest.NewBrowser(t, open(t, fakenetwork.Options{Seed: 2}).url)
	for _, path := range []string{"/feed", "/in/jo", "/search/posts?q=kubernetes", "/search/people", "/connections", "/forum"} {
		one.SignIn("jo")
		same.SignIn("jo")
		other.SignIn("jo")
		a, b, c := one.Get(path), same.Get(path), other.Get(path)
		a.CSRF, b.CSRF, c.CSRF = "", "", ""
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s differs between two sites of one seed", path)
		}
		if reflect.DeepEqual(a, c) {
			t.Errorf("%s is the same for two seeds", path)
		}
	}
}

// TestWorldSurvivesRestart: a site that starts on a later day has the same
// posts.
func TestWorldSurvivesRestart(t *testing.T) {
	t.Parallel()
	before := open(t, fakenetwork.Options{Seed: 1})
	before.clock.Advance(3 * 24 * time.Hour)
	after := open(t, fakenetwork.Options{Seed: 1, Clock: networktest.NewClock(start.AddDate(0, 0, 3))})
	a, b := networktest.NewBrowser(t, before.url), networktest.NewBrowser(t, after.url)
	if got, want := b.SignIn("jo").Posts, a.SignIn("jo").Posts; !reflect.DeepEqual(got, want) {
		t.Error("the feeds differ")
	}
}

func TestWorldIsPlausible(t *testing.T) {
	t.Parallel()
	site := open(t, fakenetwork.Options{PostsPerDay: 110, SearchPage: 200})
	b := networktest.NewBrowser(t, site.url)
	b.SignIn("jo")
	posts := all(b, "/search/posts?q=th&")
	if total := b.Get("/feed").Paging.Total; total < 2000 || total > 10_000 {
		t.Errorf("%d posts", total)
	}
	kinds, urns := make(map[string]int), make(map[string]bool)
	for _, p := range posts {
		kinds[p.Type]++
		urns[p.URN] = true
		if p.Author.Name == "" || p.Author.Headline == "" || p.Content == "" || p.PostedAt.After(start) {
			t.Fatalf("post %+v", p)
		}
	}
	for _, kind := range []string{"text", "image", "video", "article", "poll"} {
		if kinds[kind] == 0 {
			t.Errorf("no post of type %s", kind)
		}
	}
	if len(urns) != len(posts) {
		t.Errorf("%d posts, %d urns", len(posts), len(urns))
	}
	who := b.Get("/search/people").People[3]
	for _, path := range []string{"/in/" + who.Slug, "/in/" + who.URN, "/in/" + who.URN[len("urn:network:member:"):]} {
		if got := b.Get(path).Profile; got.URN != who.URN || len(got.Positions) == 0 || len(got.Education) == 0 || len(got.Skills) == 0 {
			t.Errorf("%s: %+v", path, got)
		}
	}
	firm := b.Get("/in/" + who.Slug).Profile.Positions[0].CompanySlug
	if got := b.Get("/company/" + firm).Company; b.Get("/company/"+got.URN).Company.Name != got.Name || got.EmployeeCount == 0 {
		t.Errorf("company %+v", got)
	}
	post := posts[0]
	for _, path := range []string{post.Path, "/posts/" + post.URN, "/posts/" + post.URN[len("urn:network:activity:"):]} {
		if got := b.Get(path).Post; got.URN != post.URN {
			t.Errorf("%s shows %s", path, got.URN)
		}
	}
	if len(all(b, post.Author.Path+"/posts?")) == 0 {
		t.Error("the author has no posts")
	}
	for _, missing := range []string{"/in/nobody-at-all", "/in/1", "/company/none", "/posts/1", "/posts/x", "/forum/none", "/none", "/in/nobody-at-all/posts"} {
		if got := b.Get(missing).Kind; got != page.KindNotFound || b.Status != 404 {
			t.Errorf("%s: %q, %d", missing, got, b.Status)
		}
	}
	forum := b.Get("/forum/search?q=vendors").Posts
	if len(forum) == 0 || b.Get(forum[0].Path).Post.URN != forum[0].URN {
		t.Errorf("forum %+v", forum)
	}
}

// TestNewPostsAppear: future posts are invisible until the clock reaches them;
// then they are on top, and none is lost or duplicated.
func TestNewPostsAppear(t *testing.T) {
	t.Parallel()
	site := open(t, fakenetwork.Options{})
	b := networktest.NewBrowser(t, site.url)
	before := b.SignIn("jo")
	search := "/search/posts?q=" + url.QueryEscape("machine learning") + "&"
	found := all(b, search)

	site.clock.Advance(48 * time.Hour)
	after := b.Get("/feed")
	if more := after.Paging.Total - before.Paging.Total; more < 20 || more > 40 {
		t.Errorf("%d new posts in two days", more)
	}
	if at := after.Posts[0].PostedAt; at.After(site.clock.Now()) || at.Before(start.Add(24*time.Hour)) {
		t.Errorf("newest post of %v at %v", at, site.clock.Now())
	}
	later := all(b, search)
	if len(later) <= len(found) {
		t.Errorf("search finds %d, then %d", len(found), len(later))
	}
	old := later[len(later)-len(found):]
	for i := range old {
		if old[i].URN != found[i].URN {
			t.Fatalf("post %d of the search changed its place", i)
		}
	}
	if b.Get(before.Posts[0].Path).Post.Likes < before.Posts[0].Likes {
		t.Error("likes went away")
	}
}

func TestSearchPeople(t *testing.T) {
	t.Parallel()
	site := open(t, fakenetwork.Options{})
	b := networktest.NewBrowser(t, site.url)
	b.SignIn("jo")
	total := b.Get("/search/people").Paging.Total
	someone := b.Get("/search/people").People[7]
	p := b.Get("/in/" + someone.Slug).Profile
	for name, filter := range map[string]url.Values{
		"keywords":         {"keywords": {p.FirstName + " " + p.Positions[0].Title}},
		"title":            {"title": {p.Positions[0].Title}},
		"company":          {"company": {p.Positions[0].CompanyName}},
		"current_company":  {"current_company": {"none", p.Positions[0].CompanySlug}},
		"names":            {"first_name": {p.FirstName}, "last_name": {p.LastName}},
		"school":           {"school": {p.Education[0].School}},
		"industry":         {"industry": {p.Industry}},
		"profile_language": {"profile_language": {p.Language}},
		"geo_urn":          {"geo_urn": {p.Location}},
	} {
		filter.Set("count", "50")
		data := b.Get("/search/people?" + filter.Encode())
		if data.Paging.Total == 0 || data.Paging.Total >= total {
			t.Errorf("%s finds %d of %d", name, data.Paging.Total, total)
		}
		found := false
		for start := 0; start < data.Paging.Total && !found; start += 50 {
			filter.Set("start", strconv.Itoa(start))
			for _, one := range b.Get("/search/people?" + filter.Encode()).People {
				found = found || one.URN == someone.URN
			}
		}
		if !found {
			t.Errorf("%s does not find %s", name, p.Name)
		}
	}
	if n := b.Get("/search/people?keywords=zzzz").Paging.Total; n != 0 {
		t.Errorf("nonsense finds %d", n)
	}
	if got := b.Get("/connections?sort=first_name&count=100"); len(got.People) != got.Paging.Total || got.People[0].Name > got.People[1].Name {
		t.Errorf("connections by name: %d of %d", len(got.People), got.Paging.Total)
	}
}

// TestPagesForPeople: pages have visible content in addition to the data
// block.
func TestPagesForPeople(t *testing.T) {
	t.Parallel()
	site := open(t, fakenetwork.Options{})
	b := networktest.NewBrowser(t, site.url)
	feed := b.SignIn("jo")
	b.Get(feed.Posts[0].Path)
	for _, want := range []string{`<html lang="en">`, `<h1 class="hidden">`, `aria-labelledby="comments-title"`, `data-write="comment"`, `data-write="like"`, `name="csrf-token"`} {
		if !strings.Contains(b.HTML, want) {
			t.Errorf("post page without %s", want)
		}
	}
	for path, kind := range map[string]string{
		"/static/site.js": "text/javascript", "/static/site.css": "text/css", feed.Posts[0].Author.Image: "image/svg+xml",
	} {
		resp, err := b.Client.Get(site.url + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if got := resp.Header.Get("Content-Type"); resp.StatusCode != http.StatusOK || !strings.Contains(got, kind) {
			t.Errorf("%s: %d, %s", path, resp.StatusCode, got)
		}
	}
}

// TestPicturesWithoutSVG: a client that takes no SVG gets each picture as a PNG.
func TestPicturesWithoutSVG(t *testing.T) {
	t.Parallel()
	site := open(t, fakenetwork.Options{})
	b := networktest.NewBrowser(t, site.url)
	for path, width := range map[string]int{"/media/members/1.svg": 64, "/media/companies/1.svg": 64, "/media/posts/1.svg": 640} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, site.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Accept", "image/png, image/webp")
		resp, err := b.Client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		picture, err := png.DecodeConfig(resp.Body)
		_ = resp.Body.Close()
		if err != nil || picture.Width != width || resp.Header.Get("Content-Type") != "image/png" {
			t.Errorf("%s: %v, %v, %s", path, picture, err, resp.Header.Get("Content-Type"))
		}
	}
}
