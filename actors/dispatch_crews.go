package actors

import (
	"cmp"
	"slices"
	"time"

	"watchpost/watchpost"
)

// worker is a connected session, as its session actor has announced it, or as the
// team knows it while its account is none that its member has claimed. Call
// dispatcher.changed after a change.
type worker struct {
	session watchpost.SessionID
	member  watchpost.MemberID
	account watchpost.AccountURN
	inUse   bool // another member has claimed the account
	other   bool // the account is not the one that the member works as
	readiness
	// crew is where the dispatcher has it.
	crew *crew
	// blocked are the reasons that the metrics count of it.
	blocked []PauseReason
}

// able reports whether nothing but its account's standing limits the worker.
func (w *worker) able() bool { return !w.other && !w.inUse && w.signedIn && !w.stopped }

// hindrance says why the worker, busy or not, is not handed a task of its member on
// an account ("" for any), with the limit of its own account.
func (w *worker) hindrance(account watchpost.AccountURN, limit watchpost.PendingReason) watchpost.PendingReason {
	switch {
	case w.other:
		return watchpost.PendingPaused
	case account != "" && w.account != account, w.inUse:
		return watchpost.PendingExtensionOffline
	case !w.signedIn || w.stopped:
		return watchpost.PendingPaused
	}
	return limit
}

// crew are the workers of one member on one account: the same limits apply to them.
type crew struct {
	member  watchpost.MemberID
	account watchpost.AccountURN
	workers []*worker
}

// compareCrews orders crews, so that what is sent to them has an order.
func compareCrews(a, b *crew) int {
	return cmp.Or(cmp.Compare(a.member, b.member), cmp.Compare(a.account, b.account))
}

// free returns the worker that is handed the crew's next task, or its next one of a type
// with the standing of its account; nil if none is free.
func (c *crew) free(st *standing, kind watchpost.TaskType) (first *worker) {
	for _, w := range c.workers {
		if w.task == "" && w.able() && st.mayBeHanded(w.session, kind) && (first == nil || w.session < first.session) {
			first = w
		}
	}
	return first
}

// crews are the workers of a dispatcher and the standings of the accounts.
type crews struct {
	workers   map[watchpost.SessionID]*worker
	byMember  map[watchpost.MemberID][]*crew // "" has all
	byAccount map[watchpost.AccountURN][]*crew
	// accounts are the standings that the session actors have announced last.
	accounts map[watchpost.AccountURN]*standing
	// improved are the crews that may be able to do more than when the candidates
	// were looked for.
	improved map[*crew]bool
	// news are the crews whose status may have changed since it was told.
	news map[*crew]bool
}

func newCrews() crews {
	return crews{
		workers: map[watchpost.SessionID]*worker{}, byMember: map[watchpost.MemberID][]*crew{}, byAccount: map[watchpost.AccountURN][]*crew{},
		accounts: map[watchpost.AccountURN]*standing{}, improved: map[*crew]bool{}, news: map[*crew]bool{},
	}
}

// changed takes up a new worker, or a change of one.
func (cs *crews) changed(w *worker) {
	cs.workers[w.session] = w
	if c := w.crew; c == nil || c.account != w.account {
		cs.quit(w)
		cs.join(w)
	}
	cs.improved[w.crew] = true
}

// leave removes a worker.
func (cs *crews) leave(w *worker) {
	delete(cs.workers, w.session)
	cs.quit(w)
}

func (cs *crews) join(w *worker) {
	for _, c := range cs.byAccount[w.account] {
		if c.member == w.member {
			w.crew = c
		}
	}
	if w.crew == nil {
		w.crew = &crew{member: w.member, account: w.account}
		cs.byAccount[w.account] = append(cs.byAccount[w.account], w.crew)
		for _, of := range ofMember(w.member) {
			cs.byMember[of] = append(cs.byMember[of], w.crew)
		}
	}
	w.crew.workers = append(w.crew.workers, w)
}

func (cs *crews) quit(w *worker) {
	c := w.crew
	w.crew = nil
	if c == nil {
		return
	}
	if c.workers = without(c.workers, w); len(c.workers) > 0 {
		return
	}
	delete(cs.improved, c)
	delete(cs.news, c)
	drop(cs.byAccount, c.account, c)
	for _, of := range ofMember(c.member) {
		drop(cs.byMember, of, c)
	}
}

// ofMember are the names under which crews and queues of a member are found: its
// own, and "" for what is not of one member.
func ofMember(member watchpost.MemberID) []watchpost.MemberID {
	if member == "" {
		return []watchpost.MemberID{""}
	}
	return []watchpost.MemberID{member, ""}
}

// without removes an element; the order changes.
func without[T comparable](list []T, x T) []T {
	i, last := slices.Index(list, x), len(list)-1
	list[i] = list[last]
	return slices.Delete(list, last, last+1)
}

func drop[K comparable, T comparable](lists map[K][]T, of K, x T) {
	if lists[of] = without(lists[of], x); len(lists[of]) == 0 {
		delete(lists, of)
	}
}

// standing returns what an account may do; that of an account without a session
// actor has not used anything.
func (cs *crews) standing(account watchpost.AccountURN) *standing {
	if st := cs.accounts[account]; st != nil {
		return st
	}
	return newStanding(account)
}

// announce takes up what an account may do.
func (cs *crews) announce(account watchpost.AccountURN, st *standing) {
	before := cs.accounts[account]
	cs.accounts[account] = st
	if before != nil && before.equal(st) {
		return
	}
	for _, c := range cs.byAccount[account] {
		cs.improved[c] = true
	}
	cs.note(account)
}

// note makes a change of an account's figures news for its sessions.
func (cs *crews) note(account watchpost.AccountURN) {
	for _, c := range cs.byAccount[account] {
		cs.news[c] = true
	}
}

// limit sets from when allowances count for an account's claim.
func (cs *crews) limit(account watchpost.AccountURN, from, fromWeekly time.Time) {
	st := *cs.standing(account)
	st.from, st.fromWeekly = from, fromWeekly
	cs.announce(account, &st)
}
