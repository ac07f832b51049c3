package fakenetwork_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"watchpost/internal/fakenetwork"
	"watchpost/internal/fakenetwork/networktest"
	"watchpost/internal/fakenetwork/page"
)

// TestUnlike: a like can be removed and given again.
func TestUnlike(t *testing.T) {
	t.Parallel()
	site := open(t, fakenetwork.Options{})
	b := networktest.NewBrowser(t, site.url)
	post := b.SignIn("jo").Posts[0]
	shown := func(likes int, liked bool) {
		t.Helper()
		got := b.Get(post.Path).Post
		if got.Likes != post.Likes+likes || (len(got.LikedBy) == 1) != liked {
			t.Errorf("%d likes, liked by %v; want %d more than %d, liked %v", got.Likes, got.LikedBy, likes, post.Likes, liked)
		}
		if got := strings.Contains(b.HTML, `data-write="unlike"`); got != liked {
			t.Errorf("the page offers to take a like back: %v, want %v", got, liked)
		}
	}
	shown(0, false)
	b.Post(post.Path+"/like", nil)
	shown(1, true)
	b.Post(post.Path+"/unlike", nil)
	b.Post(post.Path+"/unlike", nil)
	shown(0, false)
	b.Post(post.Path+"/like", nil)
	shown(1, true)
	if likes, taken := site.WriteCount("jo", fakenetwork.WriteLike, post.URN), site.WriteCount("jo", fakenetwork.WriteUnlike, post.URN); likes != 2 || taken != 2 {
		t.Errorf("%d likes and %d taken back recorded, want 2 and 2", likes, taken)
	}
}

// TestAnswersToInvitations covers every end of an invitation.
func TestAnswersToInvitations(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"accept": page.RelationConnected, "decline": page.RelationNone, "withdraw": page.RelationNone,
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			site := open(t, fakenetwork.Options{})
			sender, receiver := networktest.NewBrowser(t, site.url), networktest.NewBrowser(t, site.url)
			me := sender.SignIn("jo").Viewer
			other := strangers(sender)[0]
			receiver.SignIn(other.Slug)
			if got := receiver.Post("/in/jo/"+path, nil); got.Reason != page.ReasonNoInvitation || receiver.Status != http.StatusConflict {
				t.Errorf("without an invitation: %d, %+v", receiver.Status, got)
			}
			sender.Post("/in/"+other.Slug+"/invite", nil)
			if got := receiver.Get("/invitations").Received; len(got) != 1 || got[0].From.URN != me.URN {
				t.Fatalf("received %+v", got)
			}
			if p := receiver.Get("/in/jo").Profile; !p.Invites || p.Relation != page.RelationNone {
				t.Errorf("the sender's profile %+v", p)
			}
			by, whom := receiver, "jo"
			if path == "withdraw" {
				by, whom = sender, other.Slug
			}
			if got := by.Post("/in/"+whom+"/"+path, nil); got.Kind != page.KindApplied {
				t.Errorf("answer %+v", got)
			}
			if got := sender.Get("/in/" + other.Slug).Profile.Relation; got != want {
				t.Errorf("relation %q, want %q", got, want)
			}
			if got := receiver.Get("/invitations").Received; len(got) != 0 {
				t.Errorf("still received %+v", got)
			}
			if got := receiver.Get("/messages/jo").Thread.CanMessage; got != (want == page.RelationConnected) {
				t.Errorf("may write: %v", got)
			}
			list := sender.Get("/connections")
			if newest := list.People[0].URN == other.URN; newest != (want == page.RelationConnected) {
				t.Errorf("newest connection %+v", list.People[0])
			}
		})
	}
}

func TestCompaniesSearch(t *testing.T) {
	t.Parallel()
	site := open(t, fakenetwork.Options{})
	b := networktest.NewBrowser(t, site.url)
	firm := b.SignIn("jo").Viewer.Companies[0]
	all := b.Get("/search/companies")
	if all.Paging.Total < 50 || !all.Paging.More || len(all.Companies) != 20 {
		t.Errorf("all companies: %+v, %d shown", all.Paging, len(all.Companies))
	}
	found := b.Get("/search/companies?q=" + strings.ReplaceAll(strings.ToUpper(firm.Name), " ", "+"))
	if found.Paging.Total != 1 || found.Companies[0] != firm {
		t.Errorf("by name: %+v", found.Companies)
	}
	if got := b.Get("/search/companies?q=zzzz").Paging.Total; got != 0 {
		t.Errorf("nonsense finds %d", got)
	}
}

// TestListsCanBePaged follows the links of lists to their end.
func TestListsCanBePaged(t *testing.T) {
	t.Parallel()
	site := open(t, fakenetwork.Options{})
	b := networktest.NewBrowser(t, site.url)
	b.SignIn("jo")
	for _, path := range []string{"/search/people?keywords=a&count=40", "/connections?sort=last_name&count=15", "/search/companies", "/search/posts?q=we"} {
		seen, total := make(map[string]bool), 0
		for next := path; next != ""; {
			data := b.Get(next)
			total = data.Paging.Total
			for _, p := range data.People {
				seen[p.URN] = true
			}
			for _, c := range data.Companies {
				seen[c.URN] = true
			}
			for _, p := range data.Posts {
				seen[p.URN] = true
			}
			next = between(b.HTML, `<a rel="next" href="`, `"`)
			next = strings.ReplaceAll(next, "&amp;", "&")
		}
		if len(seen) != total || total < 20 {
			t.Errorf("%s: %d of %d were met", path, len(seen), total)
		}
	}
}

// between returns the part of s between the first before and the next after.
func between(s, before, after string) string {
	_, rest, _ := strings.Cut(s, before)
	found, _, _ := strings.Cut(rest, after)
	return found
}

// TestPagesAreStrict: no page has inline code or style, which the policy
// forbids.
func TestPagesAreStrict(t *testing.T) {
	t.Parallel()
	site := open(t, fakenetwork.Options{})
	b := networktest.NewBrowser(t, site.url)
	feed := b.SignIn("jo")
	friend := b.Get("/connections").People[0].Slug
	for _, path := range []string{
		"/feed", feed.Posts[0].Path, "/in/jo", "/in/" + friend, feed.Viewer.Companies[0].Path, "/search/posts?q=we", "/search/people",
		"/search/companies", "/forum", "/connections", "/messages", "/messages/" + friend, "/invitations", "/nowhere",
	} {
		b.Get(path)
		for _, bad := range []string{"<style", " style=", " onclick=", " onload=", "javascript:", "<script>"} {
			if strings.Contains(b.HTML, bad) {
				t.Errorf("%s has %q", path, bad)
			}
		}
		if n := strings.Count(b.HTML, "<h1"); n != 1 {
			t.Errorf("%s has %d main headings", path, n)
		}
	}
	resp, err := b.Client.Get(site.url + "/feed")
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	policy := resp.Header.Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %q", policy)
	}
}

// TestPosting: a member's post appears in the feed, on the author's page, at
// its own address and in the search, and can be liked like any post.
func TestPosting(t *testing.T) {
	t.Parallel()
	site := open(t, fakenetwork.Options{})
	b := networktest.NewBrowser(t, site.url)
	me := b.SignIn("jo").Viewer
	firm := me.Companies[0]
	text := "Quicksilver lanterns <b> are back\n\n#Lanterns"
	urn := b.Post("/posts", url.Values{"text": {text}}).Applied.URN
	site.clock.Advance(time.Minute)
	second := b.Post("/posts", url.Values{"text": {"More LANTERNS from us"}, "actor": {firm.Slug}}).Applied.URN
	if got := b.Post("/posts", url.Values{"text": {" "}}); got.Reason != page.ReasonInvalid {
		t.Errorf("empty post: %+v", got)
	}
	if got := b.Post("/posts", url.Values{"text": {"x"}, "actor": {"nobody-inc"}}); got.Reason != page.ReasonNotManaged {
		t.Errorf("post of a foreign company: %+v", got)
	}
	other := networktest.NewBrowser(t, site.url)
	other.SignIn("ann")
	for path, want := range map[string][]string{
		"/in/jo/posts": {urn}, firm.Path + "/posts": {second}, "/search/posts?q=lanterns": {second, urn}, "/search/posts?q=quicksilver+lanterns": {urn},
	} {
		var got []string
		for _, p := range other.Get(path).Posts {
			if p.URN == urn || p.URN == second {
				got = append(got, p.URN)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s shows %v, want %v", path, got, want)
		}
	}
	feed := other.Get("/feed")
	at := slices.IndexFunc(feed.Posts, func(p page.Post) bool { return p.URN == urn })
	if at < 0 || feed.Posts[at].Content != text || feed.Posts[at].Author.URN != me.URN || !feed.Posts[at].PostedAt.Equal(start) {
		t.Fatalf("feed %+v", feed.Posts)
	}
	if !slices.IsSortedFunc(feed.Posts, func(a, b page.Post) int { return b.PostedAt.Compare(a.PostedAt) }) {
		t.Error("the feed is not in order")
	}
	other.Post(feed.Posts[at].Path+"/like", nil)
	if got := b.Get("/posts/" + urn).Post; got.Likes != 1 || got.Content != text {
		t.Errorf("post %+v", got)
	}
	if n := site.WriteCount("jo", fakenetwork.WritePost, ""); n != 2 {
		t.Errorf("%d posts recorded", n)
	}
}
