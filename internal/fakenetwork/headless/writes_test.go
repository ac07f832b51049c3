package headless_test

import (
	"testing"
	"time"

	"watchpost/internal/fakenetwork"
	"watchpost/internal/fakenetwork/networktest"
	"watchpost/internal/fakenetwork/page"
	"watchpost/internal/protocol"
)

// aim has the targets of writes.
type aim struct {
	post     page.Post
	company  page.Actor
	friend   page.Person
	stranger page.Person
}

func (w *world) aim() aim {
	b := networktest.NewBrowser(w.t, w.network)
	feed := b.SignIn("jo")
	a := aim{post: feed.Posts[0], company: feed.Viewer.Companies[0], friend: b.Get("/connections").People[0]}
	for _, p := range b.Get("/search/people").People {
		if p.Degree > 1 {
			a.stranger = p
		}
	}
	return a
}

// hand hands out a write and continues up to go.
func hand(c *conn, f protocol.Frame) {
	c.t.Helper()
	c.send(f)
	c.read(protocol.TypeAccepted)
	acting := c.read(protocol.TypeActing)
	if acting.Task != f.Task || acting.Lease != f.Lease {
		c.t.Errorf("acting %+v", acting)
	}
	c.send(goFor(f))
}

func TestWrites(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	a := w.aim()
	w.run()
	c, _ := w.welcomed()
	for _, test := range []struct {
		kind   string
		input  map[string]string
		output string
		write  fakenetwork.WriteKind
		target string
	}{
		{"agent_like_post", map[string]string{"social_urn": a.post.URN}, "liked", fakenetwork.WriteLike, a.post.URN},
		{"agent_comment_post", map[string]string{"social_urn": a.post.URN, "comment_text": " Well said\r\n& more "}, "commented", fakenetwork.WriteComment, a.post.URN},
		{"agent_send_message", map[string]string{"recipient_urn": a.friend.URN, "message": "hello"}, "sent", fakenetwork.WriteMessage, a.friend.URN},
		{"agent_send_connection_request", map[string]string{"profile_urn": a.stranger.URN, "note": "hi"}, "sent", fakenetwork.WriteInvitation, a.stranger.URN},
	} {
		hand(c, task(test.kind, test.kind, test.input))
		result := c.read(protocol.TypeResult)
		if result.Error != nil || decode[map[string]any](t, result.Output)[test.output] != true {
			t.Errorf("%s: %+v %s", test.kind, result.Error, result.Output)
		}
		if n := w.site.WriteCount("jo", test.write, test.target); n != 1 {
			t.Errorf("%s: %d writes", test.kind, n)
		}
		c.send(ack(test.kind))
	}
	comment := w.site.Writes()[1]
	if comment.Text != " Well said\r\n& more " {
		t.Errorf("comment %q", comment.Text)
	}
	if again := w.site.Writes(); len(again) != 4 {
		t.Errorf("%d writes", len(again))
	}
}

func TestWritesAsCompany(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	a := w.aim()
	w.run()
	c, _ := w.welcomed()
	hand(c, task("t1", "agent_comment_post", map[string]string{
		"social_urn": a.post.URN, "comment_text": "we agree", "actor_type": "company", "company_title": a.company.Name,
	}))
	out := decode[map[string]any](t, c.read(protocol.TypeResult).Output)
	made := w.site.Writes()[0]
	if made.Actor != a.company.URN || out["comment_urn"] != made.URN {
		t.Errorf("write %+v, output %v", made, out)
	}
	c.send(ack("t1"))
	hand(c, task("t2", "agent_like_post", map[string]string{"social_urn": a.post.URN, "actor_type": "company", "company_title": a.company.Name}))
	c.read(protocol.TypeResult)
	c.send(ack("t2"))
	c.send(task("t3", "agent_like_post", map[string]string{"social_urn": a.post.URN, "actor_type": "company", "company_title": "Nobody Inc"}))
	c.read(protocol.TypeAccepted)
	wantError(t, c.read(protocol.TypeResult), protocol.CodeCompanyNotManaged)
}

// TestAfterARestore: a write that the service has forgotten since its backup, and hands
// out again, is not done twice. One that the page does not show is done.
func TestAfterARestore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	a := w.aim()
	w.run()
	c, _ := w.welcomed()
	for kind, test := range a.tasks() {
		hand(c, task(kind+" before", kind, test.input))
		c.read(protocol.TypeResult)
		c.send(ack(kind + " before"))
		again := task(kind, kind, test.input)
		again.Restored = true
		if decided(kind) {
			hand(c, again)
			if got := c.read(protocol.TypeResult); got.Error != nil {
				t.Errorf("%s: %+v", kind, got.Error)
			}
		} else {
			c.send(again)
			c.read(protocol.TypeAccepted)
			wantError(t, c.read(protocol.TypeResult), protocol.CodeOutcomeUnknown)
		}
		if n := w.site.WriteCount("jo", test.kind, ""); n != 1 {
			t.Errorf("%s: %d writes", kind, n)
		}
		c.send(ack(kind))
	}
	other := task("other", "agent_send_message", map[string]string{"recipient_urn": a.friend.URN, "message": "something else"})
	other.Restored = true
	hand(c, other)
	if got := c.read(protocol.TypeResult); got.Error != nil {
		t.Errorf("%+v", got.Error)
	}
	if n := w.site.WriteCount("jo", fakenetwork.WriteMessage, ""); n != 2 {
		t.Errorf("%d messages", n)
	}
}

// wantError checks a result: an error that did not touch the network.
func wantError(t *testing.T, result protocol.Frame, code string) {
	t.Helper()
	if result.Error == nil || result.Error.Code != code || result.Error.Acted == nil || *result.Error.Acted {
		t.Errorf("result %+v %s, want %s with acted: false", result.Error, result.Output, code)
	}
}

func TestWriteWaitsForGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	a := w.aim()
	w.run()
	c, _ := w.welcomed()
	f := task("t1", "agent_like_post", map[string]string{"social_urn": a.post.URN})
	c.send(f)
	c.read(protocol.TypeAccepted)
	c.read(protocol.TypeActing)
	c.send(protocol.Frame{Type: protocol.TypeGo, Task: "t1", Lease: "another"})
	c.send(protocol.Frame{Type: protocol.TypeGo, Task: "other", Lease: "t1-1"})
	c.send(protocol.Frame{Type: "unheard of", Task: "t1"})
	// The connection drops before go. On the next one acting is sent again,
	// under the lease that the service then gives.
	c.drop()
	c, hello := w.welcomed()
	if len(hello.Tasks) != 1 || hello.Tasks[0].State != protocol.StateActing {
		t.Errorf("hello lists %+v", hello.Tasks)
	}
	c.read(protocol.TypeActing)
	f.Lease, f.Attempt = "t1-2", 2
	c.send(f)
	c.read(protocol.TypeAccepted)
	if got := c.read(protocol.TypeActing); got.Lease != "t1-2" {
		t.Errorf("acting %+v", got)
	}
	if n := len(w.site.Writes()); n != 0 {
		t.Errorf("%d writes before go", n)
	}
	c.send(goFor(f))
	if got := c.read(protocol.TypeResult); got.Lease != "t1-2" || got.Attempt != 2 {
		t.Errorf("result %+v", got)
	}
	if n := len(w.site.Writes()); n != 1 {
		t.Errorf("%d writes", n)
	}
}

// TestRefusedWrites: an impossible write fails before anything has begun.
func TestRefusedWrites(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{Caps: fakenetwork.Caps{Likes: 0, Comments: 1, Messages: 1, Invitations: 1}})
	a := w.aim()
	w.run()
	c, _ := w.welcomed()
	for id, test := range map[string]struct {
		kind  string
		input any
		code  string
	}{
		"stranger": {"agent_send_message", map[string]string{"recipient_urn": a.stranger.URN, "message": "x"}, protocol.CodeNotConnected},
		"gone":     {"agent_like_post", map[string]string{"social_urn": "urn:network:activity:1"}, protocol.CodeNotFound},
		"friend":   {"agent_send_connection_request", map[string]string{"profile_urn": a.friend.URN}, protocol.CodeInvalidInput},
		"self":     {"agent_send_connection_request", map[string]string{"profile_urn": "jo"}, protocol.CodeInvalidInput},
		"no text":  {"agent_comment_post", map[string]string{"social_urn": a.post.URN}, protocol.CodeInvalidInput},
		"no urn":   {"agent_like_post", map[string]string{}, protocol.CodeInvalidInput},
		"no form":  {"agent_like_post", []string{"x"}, protocol.CodeInvalidInput},
		"unknown":  {"agent_dance", map[string]string{}, protocol.CodeInvalidInput},
	} {
		c.send(task(id, test.kind, test.input))
		c.read(protocol.TypeAccepted)
		wantError(t, c.read(protocol.TypeResult), test.code)
		c.send(ack(id))
	}
	hand(c, task("cap", "agent_like_post", map[string]string{"social_urn": a.post.URN}))
	result := c.read(protocol.TypeResult)
	wantError(t, result, protocol.CodeNetworkLimit)
	if result.Error.SlowDown {
		t.Error("the network has named its limit")
	}
	if n := len(w.site.Writes()); n != 0 {
		t.Errorf("%d writes", n)
	}
}

// TestAlreadyDone: the page's state decides likes and invitations.
func TestAlreadyDone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	a := w.aim()
	b := w.browser("jo")
	b.Post(a.post.Path+"/like", nil)
	b.Post("/in/"+a.stranger.Slug+"/invite", nil)
	w.run()
	c, _ := w.welcomed()
	hand(c, task("t1", "agent_like_post", map[string]string{"social_urn": a.post.URN}))
	if got := c.read(protocol.TypeResult); got.Error != nil {
		t.Errorf("like: %+v", got.Error)
	}
	c.send(ack("t1"))
	hand(c, task("t2", "agent_send_connection_request", map[string]string{"profile_urn": a.stranger.URN}))
	if got := c.read(protocol.TypeResult); got.Error != nil {
		t.Errorf("invitation: %+v", got.Error)
	}
	if n := len(w.site.Writes()); n != 2 {
		t.Errorf("%d writes, want those of the member only", n)
	}
}

func TestDeadline(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	a := w.aim()
	w.run()
	c, _ := w.welcomed()
	late := task("t1", "agent_profile_fetch", map[string]string{"profile_slug": "jo"})
	late.Deadline = &start
	c.send(late)
	if got := c.read(protocol.TypeReleased); got.Task != "t1" || got.Lease != "t1-1" || got.Reason == "" {
		t.Errorf("released %+v", got)
	}
	// go comes too late: nothing is done.
	f := task("t2", "agent_like_post", map[string]string{"social_urn": a.post.URN})
	c.send(f)
	c.read(protocol.TypeAccepted)
	c.read(protocol.TypeActing)
	w.clock.Advance(6 * time.Minute)
	c.send(goFor(f))
	if got := c.read(protocol.TypeReleased); got.Task != "t2" {
		t.Errorf("released %+v", got)
	}
	if n := len(w.site.Writes()); n != 0 {
		t.Errorf("%d writes", n)
	}
	c.drop()
	if _, hello := w.welcomed(); len(hello.Tasks) != 0 {
		t.Errorf("hello lists %+v", hello.Tasks)
	}
}
