package httpapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	httpapi "watchpost/http"
	"watchpost/internal/mail/outgoing"
	"watchpost/internal/testclock"
)

const textSendsNow = "Too many messages in this hour"

// to returns the mails to an address.
func (p *postbox) to(address string) (mails []outgoing.Mail) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.mails {
		if m.To == address {
			mails = append(mails, m)
		}
	}
	return mails
}

// TestMailToMembersWhoNeverSignedIn: a team's notifications reach only mailboxes whose
// owner has signed in, and no name is a subject.
func TestMailToMembersWhoNeverSignedIn(t *testing.T) {
	t.Parallel()
	const victim, bait = "victim@corp.example", "Pay at https://evil.example"
	h := build(t)
	m := h.team("Hostile", "growth")
	read[fields](h.admin("POST", "/admin/teams/"+m.id+"/members", `{"email":"`+victim+`","role":"member"}`), 201)
	target := read[fields](m.call("POST", "/api-notifications", `{"type":"email","name":"`+bait+`","user_emails":["`+victim+`"]}`), 200)["id"].(string)
	send := func() fields {
		return read[fields](m.call("POST", "/api-notifications/send", `{"id":"`+target+`"}`), 200)
	}
	invited := h.mail.to(victim)
	sent := send()
	require.Equal(t, "failed", sent["state"])
	require.Equal(t, "no member of the target has signed in yet", sent["error_text"])
	require.Len(t, h.mail.to(victim), len(invited), "a stranger gets no test")

	h.browser().signIn(victim)
	signedIn := len(h.mail.to(victim))
	require.Equal(t, "delivered", send()["state"])
	mails := h.mail.to(victim)
	require.Len(t, mails, signedIn+1)
	for _, mail := range mails {
		require.NotContains(t, mail.Subject, "evil")
		require.NotContains(t, mail.Subject, "Hostile")
	}
}

// TestTestsTakeFromTheRate: tests count against the rate of their target, and those of
// all targets of a team against one bound, which new targets do not raise.
func TestTestsTakeFromTheRate(t *testing.T) {
	t.Parallel()
	var got atomic.Int32
	hook := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { got.Add(1) }))
	t.Cleanup(hook.Close)
	h := build(t)
	m := h.team("Loud", "growth")
	target := func(perHour int) string {
		return read[fields](m.call("POST", "/api-notifications", fmt.Sprintf(`{"type":"webhook","url":%q,"max_per_hour":%d}`, hook.URL, perHour)), 200)["id"].(string)
	}
	send := func(id string) reply { return m.call("POST", "/api-notifications/send", `{"id":"`+id+`"}`) }
	slow := target(2)
	for range 2 {
		read[fields](send(slow), 200)
	}
	send(slow).fails(409, textSendsNow)
	require.Equal(t, int32(2), got.Load())

	for range 80 {
		id := target(600)
		if last := send(id); last.status != 200 {
			last.fails(409, textSendsNow)
		}
		read[fields](m.call("DELETE", "/api-notifications?id="+id, ""), 200)
	}
	require.Equal(t, int32(60), got.Load())
	b := h.browser()
	b.signIn(m.email)
	page := b.send("/app/notifications/"+slow, url.Values{"do": {"test"}, "token": {b.token()}})
	require.Equal(t, 409, page.status)
	require.Contains(t, page.raw, textSendsNow)
}

// TestInvitationsOfADay: members of a team mail a bounded number of invitations in a day,
// although they withdraw them again; the operator adds and invites as many as it likes.
func TestInvitationsOfADay(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Inviting", "growth")
	b := h.browser()
	b.signIn(m.email)
	for n := range 20 {
		require.Equal(t, 303, b.invite(fmt.Sprintf("victim%d@corp.example", n)).status)
		b.withdraw(m)
	}
	over := b.invite("victim20@corp.example")
	require.Equal(t, 429, over.status)
	require.Contains(t, over.raw, "Too many invitations today")
	require.Empty(t, h.mail.to("victim20@corp.example"))
	read[fields](h.admin("POST", "/admin/teams/"+m.id+"/members", `{"email":"added@corp.example","role":"member"}`), 201)
	read[fields](h.admin("POST", "/admin/teams/"+m.id+"/members", `{"email":"victim20@corp.example","role":"member","invite":true}`), 201)
	require.Len(t, h.mail.to("victim20@corp.example"), 1)
}

// TestMailsToAStranger: many teams together, with all that makes them mail an address that
// never signed in, cause three mails a day.
func TestMailsToAStranger(t *testing.T) {
	t.Parallel()
	clock := testclock.New(0, nil, nil)
	h := build(t, func(o *httpapi.Options) { o.Clock = clock })
	const victim = "victim@corp.example"
	attack := func(names string) {
		for _, name := range names {
			m := h.team("Hostile "+string(name), "growth")
			b := h.browser()
			b.follow(m)
			require.Equal(t, 303, b.invite(victim).status)
			b.withdraw(m)
		}
	}
	attack("abcde")
	require.Len(t, h.mail.to(victim), 3)
	require.NoError(t, clock.Advance(24*time.Hour))
	attack("fghi")
	require.Len(t, h.mail.to(victim), 6)

	const known = "known@corp.example"
	m := h.team("Theirs", "growth")
	for range 5 {
		read[fields](h.admin("POST", "/admin/teams/"+m.id+"/members", `{"email":"`+known+`","role":"member"}`), 201)
		read[fields](h.admin("DELETE", "/admin/teams/"+m.id+"/members/"+m.member(known), ""), 200)
	}
	require.Len(t, h.mail.to(known), 3, "the operator's additions are mails, too")
	h.do("POST", sendOTP, `{"email":"`+known+`"}`)
	require.Len(t, h.mail.to(known), 4, "codes have limits of their own")
}
