package fakenetwork

import (
	"net/http"
	"strings"
	"unicode/utf8"

	"watchpost/internal/fakenetwork/page"
)

// The network's limits of texts, in characters.
const (
	maxComment = 1250
	maxMessage = 10_000
	maxNote    = 300
)

// actor returns the actor of the request: the field actor is empty or "user",
// or the slug, name or URN of a company that the viewer manages. When it
// returns false it has answered the request.
func (v deed) actor() (page.Actor, bool) {
	as := v.r.PostFormValue("actor")
	if as == "" || as == page.ActorUser {
		return memberActor(v.me), true
	}
	for _, c := range v.me.manages {
		if as == c.slug || as == c.name || as == c.urn() {
			return firmActor(c), true
		}
	}
	v.refuse(http.StatusForbidden, page.ReasonNotManaged)
	return page.Actor{}, false
}

// text reads a text field; when it returns false it has answered the request.
func (v deed) text(field string, limit int, optional bool) (string, bool) {
	text := v.r.PostFormValue(field)
	if utf8.RuneCountInString(text) > limit || !optional && strings.TrimSpace(text) == "" {
		v.refuse(http.StatusBadRequest, page.ReasonInvalid)
		return "", false
	}
	return text, true
}

// like likes a post.
func (v deed) like() {
	p := v.whichPost(&v.world.posts)
	if p == nil {
		v.notFound()
		return
	}
	actor, ok := v.actor()
	if !ok {
		return
	}
	v.apply(func() (Write, *overCap) { return v.records.like(v.me, actor, p, v.now) })
}

// unlike removes a like.
func (v deed) unlike() {
	p := v.whichPost(&v.world.posts)
	if p == nil {
		v.notFound()
		return
	}
	actor, ok := v.actor()
	if !ok {
		return
	}
	v.apply(func() (Write, *overCap) { return v.records.unlike(v.me, actor, p, v.now), nil })
}

// comment adds a comment to a post.
func (v deed) comment() {
	p := v.whichPost(&v.world.posts)
	if p == nil {
		v.notFound()
		return
	}
	actor, ok := v.actor()
	if !ok {
		return
	}
	text, ok := v.text("text", maxComment, false)
	if !ok {
		return
	}
	v.apply(func() (Write, *overCap) { return v.records.comment(v.me, actor, p, text, v.now) })
}

// message sends a message to a connection.
func (v deed) message() {
	to := v.whoMember()
	if to == nil {
		v.notFound()
		return
	}
	if !v.records.connected(v.me, to) {
		v.refuse(http.StatusForbidden, page.ReasonNotConnected)
		return
	}
	text, ok := v.text("text", maxMessage, false)
	if !ok {
		return
	}
	v.apply(func() (Write, *overCap) { return v.records.message(v.me, to, text, v.now) })
}

// invite sends an invitation to connect.
func (v deed) invite() {
	to := v.whoMember()
	if to == nil {
		v.notFound()
		return
	}
	if to == v.me {
		v.refuse(http.StatusBadRequest, page.ReasonInvalid)
		return
	}
	if v.records.connected(v.me, to) {
		v.refuse(http.StatusConflict, page.ReasonConnected)
		return
	}
	note, ok := v.text("note", maxNote, true)
	if !ok {
		return
	}
	if v.records.invited(v.me, to) {
		v.refuse(http.StatusConflict, page.ReasonPending)
		return
	}
	v.apply(func() (Write, *overCap) {
		w, pending, refusal := v.records.invite(v.me, to, note, v.now)
		if pending { // a concurrent request was faster: its invitation counts for this one too
			return Write{Kind: WriteInvitation, Target: to.urn(), Repeated: true}, nil
		}
		return w, refusal
	})
}

// withdraw withdraws an invitation; accept and decline answer one.
func (v deed) withdraw() { v.answer(WriteWithdrawal) }
func (v deed) accept()   { v.answer(WriteAcceptance) }
func (v deed) decline()  { v.answer(WriteRefusal) }

// answer ends the invitation between the viewer and the member in the address.
func (v deed) answer(kind WriteKind) {
	other := v.whoMember()
	if other == nil {
		v.notFound()
		return
	}
	from, to := other, v.me
	if kind == WriteWithdrawal {
		from, to = v.me, other
	}
	if !v.records.invited(from, to) {
		v.refuse(http.StatusConflict, page.ReasonNoInvitation)
		return
	}
	v.apply(func() (Write, *overCap) {
		w, waited := v.records.answer(v.me, kind, from, to, v.now)
		if !waited { // a concurrent request was faster
			return Write{Kind: kind, Target: other.urn(), Repeated: true}, nil
		}
		return w, nil
	})
}

// apply applies a write and answers it, unless a fault loses one of the two. A
// browser may resend a request when a connection closes without an answer; the
// site answers the duplicate like the first one.
func (v deed) apply(do func() (Write, *overCap)) {
	if w, known := v.records.known(v.me, v.r.Header.Get(writeHeader)); known {
		v.applied(w)
		return
	}
	lost := v.Site.faults.takeLoss(v.me.slug)
	if lost == lossWrite {
		v.hangUp()
		return
	}
	w, refusal := do()
	if refusal != nil {
		v.show(http.StatusTooManyRequests, "Limit reached", page.Data{Kind: page.KindLimit, Limit: &page.Limit{
			Action: string(refusal.kind), Reason: refusal.reason, ResetsAt: &refusal.resets,
		}})
		return
	}
	v.records.remember(v.me, v.r.Header.Get(writeHeader), w)
	if v.opts.OnWrite != nil {
		v.opts.OnWrite(w)
	}
	if lost == lossAnswer {
		v.hangUp()
		return
	}
	v.applied(w)
}

// applied answers that a write was applied.
func (v deed) applied(w Write) {
	v.show(http.StatusOK, "Done", page.Data{Kind: page.KindApplied, Applied: &page.Applied{Kind: string(w.Kind), Target: w.Target, URN: w.URN}})
}

// hangUp closes the connection without an answer.
func (v deed) hangUp() {
	if conn, _, err := http.NewResponseController(v.w).Hijack(); err == nil {
		_ = conn.Close()
		return
	}
	panic(http.ErrAbortHandler) // the connection cannot be hijacked: abort the stream
}
