package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"watchpost/actors"
	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// writers are the members in whose names a client may ask for a write: those whose account
// no other team has.
func (of *team) writers() []string {
	who := []string{of.founder}
	for _, b := range of.browsers {
		if !b.shared && !b.leaving && !b.over && !slices.Contains(who, b.email) {
			who = append(who, b.email)
		}
	}
	return who
}

// people is what admins and operators do in a life.
type people struct{ *life }

// manage is what members and operators do with a team.
func (l people) manage(k kind, r *rand.Rand, of *team) {
	switch k {
	case "member-joins":
		join := []*team{of}
		shared := r.IntN(2) == 0
		if shared { // who joins both teams makes them claim the same account at the same time
			join = l.teams
		}
		for _, of := range join {
			if of.guest == nil && !of.joining && !of.dead {
				of.joining = true
				l.client("join", func(n *node) { l.join(n, of, shared) })
			}
		}
	case "member-leaves":
		if b := of.guest; b != nil {
			l.tell("%s is removed", b)
			b.leaving = true
			l.checks.forgetEffects(of, b.email)
			l.client("leave", func(n *node) { l.leave(n, of, b) })
		}
	case "key-rotates":
		if !of.rotating && !of.dead {
			of.rotating = true
			l.client("rotate", func(n *node) { l.rotate(n, of) })
		}
	case "team-deleted":
		l.tell("%s is deleted", of.name)
		of.dead = true
		l.client("delete", func(n *node) { l.delete(n, of) })
	}
}

// join adds a member with a browser. With a shared account it is the same person that the
// other team may have.
func (l people) join(n *node, of *team, shared bool) {
	defer func() { of.joining = false }()
	email := "cat@" + of.name + ".example"
	again := of.joined
	of.joined = true
	_, err := ask[watchpost.Member](n, of, actors.AddMember{Email: email, FullName: "Cat", Role: watchpost.RoleMember})
	if err != nil && (!again || watchpost.KindOf(err) != watchpost.Conflict) { // else an answer was lost
		l.bear(of, "add member", err, watchpost.PlanLimit)
		return
	}
	opened, err := ask[actors.SessionOpened](n, of, actors.OpenSession{Email: email})
	if err != nil {
		l.bear(of, "open session", err)
		return
	}
	slug := "cat-" + of.name
	if shared {
		slug = "cat"
	}
	of.guest = l.newBrowser(of, "cat of "+of.name, email, slug, opened)
	of.guest.guest, of.guest.shared = true, shared
	of.browsers = append(of.browsers, of.guest)
	l.tell("%s has joined with the account %s", of.guest, of.guest.account.URN)
	of.guest.connect()
}

// leave removes the member of a browser. Its session is over when that is confirmed.
func (l people) leave(n *node, of *team, b *browser) {
	_, err := ask[root.Done](n, of, actors.RemoveMember{Member: b.member})
	if err != nil && watchpost.KindOf(err) != watchpost.NotFound { // else an earlier one has removed it
		l.bear(of, "remove member", err)
		return
	}
	if b.over = true; err != nil && of.dead {
		return // the team was not found; its deletion ends the claims
	}
	l.checks.released(func(claim teamspace.ClaimEntry) bool { return claim.Member == b.member })
	if of.guest == b {
		of.guest, of.joined = nil, false
	}
}

// rotate replaces the key of a team: from the answer on the new one counts alone.
func (l people) rotate(n *node, of *team) {
	defer func() { of.rotating = false }()
	old := of.apiKey
	_, _ = n.registry.HolderOf(n.ctx, old) // it is remembered
	made, err := ask[actors.APIKey](n, of, actors.RotateKey{})
	if err != nil {
		l.bear(of, "rotate key", err)
		if made, err = ask[actors.APIKey](n, of, actors.RevealKey{}); err == nil {
			of.apiKey = made.Key
		}
		return
	}
	of.apiKey = made.Key
	l.tell("%s has another key", of.name)
	if holder, err := n.registry.HolderOf(n.ctx, made.Key); err != nil || holder.Team != of.id {
		l.bearUnless(of, err, "the new key of %s is that of %q: %v", of.name, holder.Team, err)
	}
	if holder, err := n.registry.HolderOf(n.ctx, old); watchpost.KindOf(err) != watchpost.Unauthenticated || err == nil {
		l.bearUnless(of, err, "the old key of %s is still that of %q: %v", of.name, holder.Team, err)
	}
}

// bearUnless fails the life unless an error is one that it must expect.
func (l people) bearUnless(of *team, err error, format string, args ...any) {
	if err == nil || !of.dead && watchpost.KindOf(err) != watchpost.Unavailable {
		l.fail(format, args...)
	}
}

// delete deletes a team, looks whether anything is left of it, and founds another with the
// same accounts.
func (l people) delete(n *node, of *team) {
	if err := n.registry.DeleteTeam(n.ctx, of.id); err != nil && watchpost.KindOf(err) != watchpost.NotFound {
		l.bear(of, "delete team", err)
		return
	}
	for _, b := range of.browsers {
		b.over = true
		b.drop()
	}
	if left := l.disk.left(persistence.Space(of.id)); left > 0 && l.restoredAt.IsZero() {
		l.fail("%s is deleted, and %d records are left", of.name, left)
	}
	l.checks.released(func(claim teamspace.ClaimEntry) bool { return claim.Team == of.id && l.restoredAt.IsZero() })
	l.refound(n, of)
}

// refound founds a team in the place of another. An attempt whose answer was lost may have
// left a team without sessions, which nothing uses.
func (l people) refound(n *node, of *team) {
	at := slices.Index(l.teams, of)
	if at < 0 {
		return
	}
	l.mu.Lock()
	next := newTeam(fmt.Sprintf("%s%d", places[at], l.number()))
	l.mu.Unlock()
	if err := l.foundTeam(n, next, places[at]); err != nil {
		l.bear(of, "found again", err)
		return
	}
	if l.teams[at] == of {
		l.teams[at] = next
		l.tell("%s is founded", next.name)
	}
}
