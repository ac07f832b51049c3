package headless_test

import (
	"net/url"
	"testing"

	"watchpost/internal/fakenetwork"
	"watchpost/internal/protocol"
)

func otherAccount(urn string) protocol.Frame {
	return protocol.Frame{
		Type: protocol.TypeStatus, Account: &protocol.Account{URN: urn, Slug: "ada"},
		Blocked: []protocol.Blocked{{Reason: protocol.BlockedOtherAccount}},
	}
}

// TestWriteAsAnotherAccount: a write is not done when the member is signed in
// as another account, even if that becomes known between acting and go.
func TestWriteAsAnotherAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	a := w.aim()
	w.run()
	c, hello := w.welcomed()
	if hello.Browser == nil || hello.Browser.Name == "" || hello.Browser.OS == "" {
		t.Errorf("browser %+v", hello.Browser)
	}
	f := task("t1", "agent_like_post", map[string]string{"social_urn": a.post.URN})
	c.send(f)
	c.read(protocol.TypeAccepted)
	c.read(protocol.TypeActing)
	c.send(otherAccount("urn:network:member:ada"))
	c.send(goFor(f))
	wantError(t, c.read(protocol.TypeResult), protocol.CodeSignedOut)
	if n := len(w.site.Writes()); n != 0 {
		t.Fatalf("%d writes as somebody else", n)
	}
	c.send(ack("t1"))

	own := protocol.Frame{Type: protocol.TypeStatus, Account: hello.Account}
	c.send(own)
	f = task("t2", "agent_like_post", map[string]string{"social_urn": a.post.URN})
	c.send(f)
	c.read(protocol.TypeAccepted)
	c.read(protocol.TypeActing)
	c.send(goFor(f))
	if got := c.read(protocol.TypeResult); got.Error != nil {
		t.Errorf("result %+v", got.Error)
	}
	if n := len(w.site.Writes()); n != 1 {
		t.Errorf("%d writes", n)
	}
}

// TestAccountChangesAfterGo: the account changes between go and the write, and
// neither a page nor a status has shown it. The network refuses the token of the
// earlier sign-in, and the session does not repeat the write as the other
// account.
func TestAccountChangesAfterGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	a := w.aim()
	w.run()
	c, hello := w.welcomed()
	c.send(protocol.Frame{Type: protocol.TypeStatus, Account: hello.Account})
	f := task("t1", "agent_comment_post", map[string]string{"social_urn": a.post.URN, "comment_text": "Well done!"})
	c.send(f)
	c.read(protocol.TypeAccepted)
	c.read(protocol.TypeActing)
	ada := w.browser("ada")
	address, err := url.Parse(w.network)
	if err != nil {
		t.Fatal(err)
	}
	w.cookie.Store(ada.Client.Jar.Cookies(address)[0])
	c.send(goFor(f))
	got := c.read(protocol.TypeResult)
	wantError(t, got, protocol.CodeSignedOut)
	if got.Error.Acted == nil || *got.Error.Acted {
		t.Errorf("acted %v, want false", got.Error.Acted)
	}
	if n := len(w.site.Writes()); n != 0 {
		t.Fatalf("%d writes as somebody else", n)
	}
}

// TestChallenge: a human check is not a sign-out.
func TestChallenge(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	w.run()
	c, _ := w.welcomed()
	w.site.SetFaults("", fakenetwork.Faults{Challenge: true})
	c.send(profileTask)
	c.read(protocol.TypeAccepted)
	wantError(t, c.read(protocol.TypeResult), protocol.CodeChallenge)
	c.send(ack("t1"))
	w.beatUntil(c, false)
	c.drop()
	c, hello := w.welcomed()
	if hello.Account.SignedIn || !hello.Account.Challenge {
		t.Errorf("account %+v, want a challenge", hello.Account)
	}
	w.site.ClearFaults()
	w.beatUntil(c, true)
	c.drop()
	if _, hello = w.welcomed(); !hello.Account.SignedIn || hello.Account.Challenge {
		t.Errorf("account %+v after the check, want none", hello.Account)
	}
}

// TestBind: a session whose operator named the account confirms it, once.
func TestBind(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	w.bind = true
	w.run()
	c, hello := w.welcomed()
	c.send(protocol.Frame{Type: protocol.TypeStatus, Account: hello.Account})
	c.send(otherAccount("urn:network:member:ada"))
	if got := c.read(protocol.TypeBind); *got.Account != *hello.Account {
		t.Errorf("bind %+v, signed in to %+v", got.Account, hello.Account)
	}
	c.send(otherAccount("urn:network:member:ada"))
	c.send(task("t1", "agent_profile_fetch", map[string]string{"profile_slug": "jo"}))
	c.read(protocol.TypeAccepted) // no other bind frame before it
}

// TestNoBind: without a named account, the session confirms none.
func TestNoBind(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakenetwork.Options{})
	w.run()
	c, _ := w.welcomed()
	c.send(otherAccount("urn:network:member:ada"))
	c.send(task("t1", "agent_profile_fetch", map[string]string{"profile_slug": "jo"}))
	c.read(protocol.TypeAccepted)
}

// TestAccountOfTheMember: a session without a given account signs in as the
// account that the member works as, otherwise as the one made from the member's
// email. It runs no task before.
func TestAccountOfTheMember(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		works *protocol.Account
		want  string
	}{
		"made of the email": {nil, "jo-doe"},
		"bound":             {&protocol.Account{URN: "urn:network:member:ada", Slug: "ada"}, "ada"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, fakenetwork.Options{})
			w.account = ""
			w.run()
			conn, hello := w.welcomed()
			if hello.Account.SignedIn || hello.Account.Slug != "" {
				t.Errorf("signed in as %+v before the member is known", hello.Account)
			}
			conn.send(task("t1", "agent_profile_fetch", map[string]string{"profile_slug": c.want}))
			conn.read(protocol.TypeAccepted)
			w.beats <- start // a check of the account, while none is signed in
			conn.send(protocol.Frame{Type: protocol.TypeStatus, Account: c.works, Blocked: []protocol.Blocked{{Reason: protocol.BlockedSignedOut}}})
			if got := conn.read(protocol.TypeResult); got.Error != nil {
				t.Errorf("result %+v", got.Error)
			}
			conn.drop()
			if _, hello := w.welcomed(); !hello.Account.SignedIn || hello.Account.Slug != c.want {
				t.Errorf("signed in as %+v, want %q", hello.Account, c.want)
			}
		})
	}
}
