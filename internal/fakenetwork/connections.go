package fakenetwork

import (
	"strconv"
	"time"
)

// connectedShare is the percentage of pairs of members that are connected in
// the world.
const connectedShare = 12

// connected reports whether two members are connected, by the world or by an
// accepted invitation; it is symmetric.
func (r *records) connected(a, b *member) bool {
	if a == b {
		return false
	}
	p := thread(a, b)
	if hash(r.world.seed, "pair "+strconv.FormatUint(p.a, 10)+" "+strconv.FormatUint(p.b, 10))%100 < connectedShare {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	_, accepted := r.accepted[p]
	return accepted
}

// connectedAt returns the time of the connection of two members.
func (r *records) connectedAt(a, b *member) time.Time {
	p := thread(a, b)
	r.mu.Lock()
	at, accepted := r.accepted[p]
	r.mu.Unlock()
	if accepted {
		return at
	}
	days := hash(r.world.seed, "since "+strconv.FormatUint(p.a, 10)+" "+strconv.FormatUint(p.b, 10)) % 2000
	return time.Date(2020, 1, 1, 9, 0, 0, 0, time.UTC).AddDate(0, 0, int(days))
}

// invite sends an invitation; pending reports that one is pending already.
func (r *records) invite(m, to *member, note string, now time.Time) (w Write, pending bool, refusal *overCap) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := pair{m.id, to.id}
	if _, pending = r.invitations[key]; pending {
		return w, true, nil
	}
	if refusal = r.count(m, WriteInvitation, now); refusal != nil {
		return w, false, refusal
	}
	r.invitations[key] = invitation{from: m, to: to, note: note, at: now}
	return r.record(Write{Account: m.slug, Actor: m.urn(), Kind: WriteInvitation, Target: to.urn(), Text: note, At: now}), false, nil
}

// answer ends a pending invitation: the sender withdraws it, or the recipient
// accepts or declines it. It returns false when none is pending.
func (r *records) answer(m *member, kind WriteKind, from, to *member, now time.Time) (Write, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := pair{from.id, to.id}
	if _, waits := r.invitations[key]; !waits {
		return Write{}, false
	}
	delete(r.invitations, key)
	other := from
	if kind == WriteWithdrawal {
		other = to
	}
	if kind == WriteAcceptance {
		r.accepted[thread(from, to)] = now
		delete(r.invitations, pair{to.id, from.id}) // the connection fulfils the reverse invitation
	}
	return r.record(Write{Account: m.slug, Actor: m.urn(), Kind: kind, Target: other.urn(), At: now}), true
}

// invited reports whether an invitation is pending.
func (r *records) invited(from, to *member) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, waits := r.invitations[pair{from.id, to.id}]
	return waits
}

// invitationsOf returns the pending invitations that satisfy which.
func (r *records) invitationsOf(which func(invitation) bool) []invitation {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []invitation
	for _, inv := range r.invitations {
		if which(inv) {
			list = append(list, inv)
		}
	}
	return list
}
