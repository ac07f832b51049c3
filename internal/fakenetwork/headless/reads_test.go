package headless_test

import (
	"testing"
	"time"

	"watchpost/internal/fakenetwork"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

func TestHelloAndProfile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	w.run()
	c, hello := w.welcomed()
	if hello.V != 1 || hello.Token != "secret" || hello.Boot == "" || hello.Journal == "" || hello.Version != "test" || len(hello.Tasks) != 0 {
		t.Errorf("hello %+v", hello)
	}
	if a := hello.Account; a.Slug != "jo" || a.URN == "" || a.Name != "Jo" || !a.SignedIn {
		t.Errorf("account %+v", a)
	}
	slug := w.browser("ann").Get("/search/people").People[0].Slug
	c.send(task("t1", "agent_profile_fetch", map[string]string{"profile_slug": slug}))
	if got := c.read(protocol.TypeAccepted); got.Task != "t1" || got.Lease != "t1-1" {
		t.Errorf("accepted %+v", got)
	}
	result := c.read(protocol.TypeResult)
	if result.Task != "t1" || result.Lease != "t1-1" || result.Attempt != 1 || result.Error != nil {
		t.Fatalf("result %+v", result)
	}
	out := decode[map[string]any](t, result.Output)
	for _, field := range []string{
		"name", "headline", "location", "profile_url", "connections", "followers", "about", "experience", "education", "skills",
		"profile_urn", "profile_slug", "profile",
	} {
		if v, ok := out[field]; !ok || v == nil || v == "" {
			t.Errorf("output %s: %v", field, v)
		}
	}
	c.send(ack("t1"))
}

func TestKeywordScan(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	w.run()
	c, _ := w.welcomed()
	since := start.AddDate(0, 0, -10)
	c.send(task("t1", "keyword_scan", watchpost.ScanInput{Keyword: "supply chain", Since: since}))
	c.read(protocol.TypeAccepted)
	out := decode[protocol.PostsOutput](t, c.read(protocol.TypeResult).Output)
	if len(out.Posts) < 10 || out.Exhausted == nil || !*out.Exhausted {
		t.Fatalf("%d posts, exhausted %v", len(out.Posts), out.Exhausted)
	}
	last := start.Add(time.Second)
	for _, p := range out.Posts {
		if p.PostedAt.Before(since) || p.PostedAt.After(last) {
			t.Errorf("post of %v after one of %v, since %v", p.PostedAt, last, since)
		}
		last = p.PostedAt
	}
}
