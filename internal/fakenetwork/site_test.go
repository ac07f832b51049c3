package fakenetwork_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"watchpost/internal/fakenetwork"
	"watchpost/internal/fakenetwork/networktest"
	"watchpost/internal/fakenetwork/page"
	"watchpost/internal/testclock"
)

// start is a Wednesday.
var start = time.Date(2030, 1, 9, 15, 0, 0, 0, time.UTC)

// place is a running site with its clock.
type place struct {
	*fakenetwork.Site
	clock *networktest.Clock
	url   string
}

func open(tb testing.TB, opts fakenetwork.Options) *place {
	tb.Helper()
	clock := networktest.NewClock(start)
	if opts.Clock == nil {
		opts.Clock = clock
	}
	if opts.PostsPerDay == 0 {
		opts.PostsPerDay = 15 // a small world is generated quickly
	}
	site, err := fakenetwork.New(opts)
	if err != nil {
		tb.Fatal(err)
	}
	server := httptest.NewServer(site)
	tb.Cleanup(server.Close)
	return &place{site, clock, server.URL}
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	site := open(t, fakenetwork.Options{})
	b := networktest.NewBrowser(t, site.url)

	if got := b.Get("/feed").Kind; got != page.KindSignIn {
		t.Fatalf("feed without a cookie: kind %q, want the sign-in page", got)
	}
	feed := b.SignIn("jo-nobody")
	if feed.Kind != page.KindFeed || feed.Viewer.Slug != "jo-nobody" || feed.Viewer.Name != "Jo Nobody" {
		t.Fatalf("after sign-in: %q, viewer %+v", feed.Kind, feed.Viewer)
	}
	other := networktest.NewBrowser(t, site.url).SignIn("jo-somebody")
	again := networktest.NewBrowser(t, site.url).SignIn("Jo-Nobody ")
	if feed.Viewer.URN == other.Viewer.URN || feed.Viewer.URN != again.Viewer.URN {
		t.Errorf("urns %q, %q, %q: want one per account", feed.Viewer.URN, other.Viewer.URN, again.Viewer.URN)
	}
	if got := b.Post("/sign-out", nil).Kind; got != page.KindSignIn {
		t.Errorf("after sign-out: kind %q", got)
	}
	if got := networktest.NewBrowser(t, site.url).SignIn("../etc").Kind; got != page.KindSignIn {
		t.Errorf("slug that is no name: kind %q", got)
	}
}

func TestSignInCookieAndRedirect(t *testing.T) {
	t.Parallel()
	site := open(t, fakenetwork.Options{})
	for next, want := range map[string]string{
		"/in/x?a=b": "/in/x?a=b", "//evil.example/": "/feed", `/\evil.example`: `/%5Cevil.example`, "/\t/evil.example": "/feed", "/x/..//evil.example": "/evil.example", "https://evil.example": "/feed", "": "/feed",
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, "/sign-in", strings.NewReader(url.Values{"slug": {"jo"}, "next": {next}}.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		site.ServeHTTP(w, r)
		if got := w.Header().Get("Location"); got != want {
			t.Errorf("next %q leads to %q, want %q", next, got, want)
		}
		cookie := w.Result().Cookies()[0]
		if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode {
			t.Errorf("cookie %v: want HttpOnly and SameSite=Lax", cookie)
		}
	}
}

func TestWritesNeedCookieAndToken(t *testing.T) {
	t.Parallel()
	site := open(t, fakenetwork.Options{})
	b := networktest.NewBrowser(t, site.url)
	post := b.SignIn("jo").Posts[0]

	token := b.CSRF
	b.CSRF = ""
	if got := b.Post(post.Path+"/like", nil); b.Status != 403 || got.Reason != page.ReasonCSRF {
		t.Errorf("like without token: %d, %+v", b.Status, got)
	}
	b.CSRF = "wrong"
	if b.Post(post.Path+"/like", nil); b.Status != 403 {
		t.Errorf("like with a wrong token: %d", b.Status)
	}
	stranger := networktest.NewBrowser(t, site.url)
	stranger.CSRF = token
	if got := stranger.Post(post.Path+"/like", nil); stranger.Status != 403 || got.Kind != page.KindSignIn {
		t.Errorf("like without cookie: %d, %+v", stranger.Status, got)
	}
	if n := len(site.Writes()); n != 0 {
		t.Fatalf("%d writes applied, want none", n)
	}
	b.CSRF = token
	if got := b.Post(post.Path+"/like", nil); got.Kind != page.KindApplied {
		t.Errorf("like with token: %+v", got)
	}
}

func TestWrites(t *testing.T) {
	t.Parallel()
	site := open(t, fakenetwork.Options{})
	b := networktest.NewBrowser(t, site.url)
	feed := b.SignIn("jo")
	me, post := feed.Viewer, feed.Posts[0]
	firm := me.Companies[0]

	b.Post(post.Path+"/like", nil)
	b.Post(post.Path+"/like", nil)
	b.Post(post.Path+"/like", url.Values{"actor": {firm.Slug}})
	if got := b.Post(post.Path+"/like", url.Values{"actor": {"nobody-inc"}}); got.Reason != page.ReasonNotManaged {
		t.Errorf("like as a foreign company: %+v", got)
	}
	text := "Well said <b>&amp;</b>\r\nthank you"
	urn := b.Post(post.Path+"/comment", url.Values{"text": {text}}).Applied.URN
	b.Post(post.Path+"/comment", url.Values{"text": {text}, "actor": {firm.Name}})
	if got := b.Post(post.Path+"/comment", url.Values{"text": {" "}}); got.Reason != page.ReasonInvalid {
		t.Errorf("empty comment: %+v", got)
	}

	seen := b.Get(post.Path)
	if want := []string{me.URN, firm.URN}; !reflect.DeepEqual(seen.Post.LikedBy, want) {
		t.Errorf("liked by %v, want %v", seen.Post.LikedBy, want)
	}
	if seen.Post.Likes != post.Likes+2 || seen.Post.Comments != post.Comments+2 {
		t.Errorf("counters %d, %d; before %d, %d", seen.Post.Likes, seen.Post.Comments, post.Likes, post.Comments)
	}
	mine := seen.Comments[len(seen.Comments)-2]
	if mine.URN != urn || mine.Text != text || !mine.Mine || mine.Author.URN != me.URN {
		t.Errorf("comment %+v", mine)
	}
	if last := seen.Comments[len(seen.Comments)-1]; last.Author.URN != firm.URN || !last.Mine {
		t.Errorf("comment of the company %+v", last)
	}
	if n := site.WriteCount("jo", fakenetwork.WriteLike, post.URN); n != 3 {
		t.Errorf("%d likes recorded, want 3", n)
	}
	counts := fakenetwork.CountWrites(site.Writes())
	if len(counts) != 2 || counts[0].Kind != fakenetwork.WriteComment || counts[0].Count != 2 || counts[1].Count != 3 {
		t.Errorf("counts %+v", counts)
	}
}

func TestMessagesAndInvitations(t *testing.T) {
	t.Parallel()
	site := open(t, fakenetwork.Options{})
	b := networktest.NewBrowser(t, site.url)
	me := b.SignIn("jo").Viewer
	friends := b.Get("/connections")
	if friends.Paging.Total < 10 {
		t.Fatalf("%d connections", friends.Paging.Total)
	}
	friend := friends.People[0]
	b.Post("/messages/"+friend.Slug, url.Values{"text": {"hello"}})
	th := b.Get("/messages/" + friend.URN).Thread
	if len(th.Messages) != 1 || th.Messages[0].Text != "hello" || !th.Messages[0].Mine || !th.CanMessage {
		t.Errorf("thread %+v", th)
	}
	if got := b.Get("/messages").People; len(got) != 1 || got[0].URN != friend.URN {
		t.Errorf("threads %+v", got)
	}
	them := networktest.NewBrowser(t, site.url)
	them.SignIn(friend.Slug)
	if got := them.Get("/messages/" + me.Slug).Thread.Messages; len(got) != 1 || got[0].Mine {
		t.Errorf("thread of the other side %+v", got)
	}
	if got := b.Post("/in/"+friend.Slug+"/invite", nil); got.Reason != page.ReasonConnected {
		t.Errorf("inviting a connection: %+v", got)
	}

	stranger := strangers(b)[0]
	if got := b.Post("/messages/"+stranger.Slug, url.Values{"text": {"hello"}}); got.Reason != page.ReasonNotConnected {
		t.Errorf("message to a stranger: %+v", got)
	}
	if got := b.Post("/in/"+stranger.Slug+"/invite", url.Values{"note": {"let us talk"}}); got.Kind != page.KindApplied {
		t.Errorf("invitation: %+v", got)
	}
	if got := b.Post("/in/"+stranger.Slug+"/invite", nil); got.Reason != page.ReasonPending {
		t.Errorf("second invitation: %+v", got)
	}
	if got := b.Get("/in/" + stranger.Slug).Profile.Relation; got != page.RelationPending {
		t.Errorf("relation %q", got)
	}
	if got := b.Get("/invitations").Invitations; len(got) != 1 || got[0].Note != "let us talk" {
		t.Errorf("invitations %+v", got)
	}
}

// strangers are members without a connection to the browser's account.
func strangers(b *networktest.Browser) []page.Person {
	var list []page.Person
	for _, p := range b.Get("/search/people?count=50").People {
		if p.Degree > 1 {
			list = append(list, p)
		}
	}
	return list
}

func TestCaps(t *testing.T) {
	t.Parallel()
	site := open(t, fakenetwork.Options{Caps: fakenetwork.Caps{Likes: 2, Comments: 1, Messages: 1, Invitations: 1}})
	b := networktest.NewBrowser(t, site.url)
	post := b.SignIn("jo").Posts[0]
	like := func() *page.Data { return b.Post(post.Path+"/like", nil) }
	like()
	like()
	got := like()
	want := page.Limit{Action: "like", Reason: page.LimitDaily, ResetsAt: new(time.Time)}
	*want.ResetsAt = time.Date(2030, 1, 10, 0, 0, 0, 0, time.UTC)
	if b.Status != 429 || !reflect.DeepEqual(got.Limit, &want) {
		t.Fatalf("third like: %d, %+v, want %+v", b.Status, got.Limit, want)
	}
	others := strangers(b)
	b.Post("/in/"+others[0].Slug+"/invite", nil)
	weekly := b.Post("/in/"+others[1].Slug+"/invite", nil).Limit
	if weekly == nil || weekly.Reason != page.LimitWeekly || !weekly.ResetsAt.Equal(time.Date(2030, 1, 14, 0, 0, 0, 0, time.UTC)) {
		t.Fatalf("second invitation of the week: %+v", weekly)
	}
	if got := networktest.NewBrowser(t, site.url); got.SignIn("ann").Kind != page.KindFeed || got.Post(post.Path+"/like", nil).Kind != page.KindApplied {
		t.Error("another account is not limited")
	}

	site.clock.Advance(9 * time.Hour)
	if got := like(); got.Kind != page.KindApplied {
		t.Errorf("like on the next day: %+v", got)
	}
	if got := b.Post("/in/"+others[1].Slug+"/invite", nil); got.Kind != page.KindLimit {
		t.Errorf("invitation on the next day: %+v", got)
	}
	site.clock.Advance(4 * 24 * time.Hour)
	if got := b.Post("/in/"+others[1].Slug+"/invite", nil); got.Kind != page.KindApplied {
		t.Errorf("invitation in the next week: %+v", got)
	}
}

func TestControl(t *testing.T) {
	t.Parallel()
	closed := open(t, fakenetwork.Options{})
	resp, err := http.Get(closed.url + "/_control/writes")
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.Request.URL.Path != "/sign-in" {
		t.Errorf("control endpoints of a site without them: %s", resp.Request.URL)
	}

	site := open(t, fakenetwork.Options{Control: true})
	b := networktest.NewBrowser(t, site.url)
	post := b.SignIn("jo").Posts[0]
	b.Post(post.Path+"/like", nil)
	var writes struct {
		Total  int
		Counts []fakenetwork.WriteCount
	}
	control(t, http.MethodGet, site.url+"/_control/writes?account=jo&kind=like&target="+url.QueryEscape(post.URN), "", &writes)
	if writes.Total != 1 || writes.Counts[0].Count != 1 {
		t.Errorf("writes %+v", writes)
	}
	var faults map[string]fakenetwork.Faults
	control(t, http.MethodPost, site.url+"/_control/faults", `{"account":"jo","faults":{"slow":"1ms","challenge":true}}`, &faults)
	if want := (fakenetwork.Faults{Slow: time.Millisecond, Challenge: true}); faults["jo"] != want {
		t.Errorf("faults %+v", faults)
	}
	if got := b.Get("/feed").Kind; got != page.KindChallenge {
		t.Errorf("page with the fault: %q", got)
	}
	control(t, http.MethodDelete, site.url+"/_control/faults", "", &faults)
	if got := b.Get("/feed").Kind; got != page.KindFeed {
		t.Errorf("page after the fault: %q", got)
	}
	control(t, http.MethodPost, site.url+"/_control/sign-out", `{"account":"jo"}`, new(struct{}))
	if got := b.Get("/feed").Kind; got != page.KindSignIn {
		t.Errorf("page after being signed out: %q", got)
	}
	resp, err = http.Get(site.url + "/_control/")
	if err != nil {
		t.Fatal(err)
	}
	panel, _ := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	for _, fault := range []string{"slow", "layout_changed", "signed_out", "challenge", "rate_limited", "lose_answers", "lose_writes"} {
		if !strings.Contains(string(panel), `name="`+fault+`"`) {
			t.Errorf("the control page has no switch for %s", fault)
		}
	}
	var clock struct{ Now time.Time }
	control(t, http.MethodGet, site.url+"/_control/clock", "", &clock)
	if !clock.Now.Equal(start) {
		t.Errorf("clock %v", clock.Now)
	}
}

func TestControlOfSettableClock(t *testing.T) {
	t.Parallel()
	clock := testclock.New(0, nil, nil)
	t.Cleanup(clock.Close)
	site := open(t, fakenetwork.Options{Control: true, Clock: clock})
	before := clock.Now()
	var got struct{ Now time.Time }
	control(t, http.MethodPost, site.url+"/_control/clock", `{"advance":"24h"}`, &got)
	if d := got.Now.Sub(before); d < 24*time.Hour || d > 25*time.Hour {
		t.Errorf("advanced by %v", d)
	}
	to := before.Truncate(time.Second).AddDate(0, 0, 3)
	control(t, http.MethodPost, site.url+"/_control/clock", `{"set":"`+to.Format(time.RFC3339)+`"}`, &got)
	if got.Now.Before(to) {
		t.Errorf("set to %v, shows %v", to, got.Now)
	}
	resp, err := http.Post(site.url+"/_control/clock", "application/json", strings.NewReader(`{"advance":"-1h"}`))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusBadRequest {
		t.Errorf("backwards: %s", resp.Status)
	}
}

func control(t *testing.T, method, address, body string, into any) {
	t.Helper()
	req, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %s", method, address, resp.Status)
	}
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		t.Fatal(err)
	}
}
