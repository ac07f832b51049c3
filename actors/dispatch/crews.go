package dispatch

import (
	"cmp"
	"slices"
	"time"

	"watchpost/watchpost"
)

// Worker is a connected session, as its session actor has announced it, or as the
// team knows it while its account is none that its member has claimed. Call
// Dispatcher.Changed after a change.
type Worker struct {
	Session watchpost.SessionID
	Member  watchpost.MemberID
	Account watchpost.AccountURN
	InUse   bool // another member has claimed the account
	Other   bool // the account is not the one that the member works as
	Readiness
	// crew is where the dispatcher has it.
	crew *Crew
}

// able reports whether nothing but its account's standing limits the worker.
func (w *Worker) able() bool { return !w.Other && !w.InUse && w.SignedIn && !w.Stopped }

// hindrance says why the worker, busy or not, is not handed a task of its member on an
// account ("" for any), with the limit of its account.
func (w *Worker) hindrance(account watchpost.AccountURN, limit watchpost.PendingReason) watchpost.PendingReason {
	switch {
	case w.Other:
		return watchpost.PendingPaused
	case account != "" && w.Account != account, w.InUse:
		return watchpost.PendingExtensionOffline
	case !w.SignedIn || w.Stopped:
		return watchpost.PendingPaused
	}
	return limit
}

// SameAccount reports whether the same holds for the accounts of two workers.
func (w *Worker) SameAccount(o *Worker) bool {
	return w.Account == o.Account && w.SignedIn == o.SignedIn && w.InUse == o.InUse && w.Other == o.Other &&
		w.Stopped == o.Stopped && w.StoppedBy == o.StoppedBy
}

// CompareWorkers orders workers by capability, then newest session first.
func CompareWorkers(a, b *Worker) int {
	rank := func(w *Worker) int {
		switch {
		case w.Account == "":
			return 3
		case w.InUse, w.Other:
			return 2
		case !w.SignedIn || w.Stopped:
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b.Session, a.Session))
}

// Crew are the workers of one member on one account: the same limits apply to them.
type Crew struct {
	member  watchpost.MemberID
	account watchpost.AccountURN
	workers []*Worker
}

// compareCrews orders crews, so that messages to them have an order.
func compareCrews(a, b *Crew) int {
	return cmp.Or(cmp.Compare(a.member, b.member), cmp.Compare(a.account, b.account))
}

// Workers returns the workers. They must not be changed while they are looked through.
func (c *Crew) Workers() []*Worker { return c.workers }

// free returns the worker that is handed the crew's next task, or its next one of a type
// with the standing of its account; nil if none is free.
func (c *Crew) free(st *Standing, kind watchpost.TaskType) (first *Worker) {
	for _, w := range c.workers {
		if w.Task == "" && w.able() && st.MayBeHanded(w.Session, kind) && (first == nil || w.Session < first.Session) {
			first = w
		}
	}
	return first
}

// crews are the workers of a dispatcher and the standings of the accounts.
type crews struct {
	workers   map[watchpost.SessionID]*Worker
	byMember  map[watchpost.MemberID][]*Crew // "" has all
	byAccount map[watchpost.AccountURN][]*Crew
	// accounts are the standings that the session actors have announced last.
	accounts map[watchpost.AccountURN]*Standing
	// improved are the crews that may be able to do more than when the candidates
	// were looked for.
	improved map[*Crew]bool
	// news are the crews whose status may have changed since it was reported.
	news map[*Crew]bool
}

func newCrews() crews {
	return crews{
		workers: map[watchpost.SessionID]*Worker{}, byMember: map[watchpost.MemberID][]*Crew{}, byAccount: map[watchpost.AccountURN][]*Crew{},
		accounts: map[watchpost.AccountURN]*Standing{}, improved: map[*Crew]bool{}, news: map[*Crew]bool{},
	}
}

// Changed takes up a new worker, or a change of one.
func (cs *crews) Changed(w *Worker) {
	cs.workers[w.Session] = w
	if c := w.crew; c == nil || c.account != w.Account {
		cs.quit(w)
		cs.join(w)
	}
	cs.improved[w.crew] = true
}

// Leave removes a worker.
func (cs *crews) Leave(w *Worker) {
	delete(cs.workers, w.Session)
	cs.quit(w)
}

func (cs *crews) join(w *Worker) {
	for _, c := range cs.byAccount[w.Account] {
		if c.member == w.Member {
			w.crew = c
		}
	}
	if w.crew == nil {
		w.crew = &Crew{member: w.Member, account: w.Account}
		cs.byAccount[w.Account] = append(cs.byAccount[w.Account], w.crew)
		for _, of := range ofMember(w.Member) {
			cs.byMember[of] = append(cs.byMember[of], w.crew)
		}
	}
	w.crew.workers = append(w.crew.workers, w)
}

func (cs *crews) quit(w *Worker) {
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

// ofMember are the names under which crews and queues of a member are found: its own, and
// "" for crews and queues of no single member.
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

// Standing returns what an account may do; that of an account without a session
// actor has not used anything.
func (cs *crews) Standing(account watchpost.AccountURN) *Standing {
	if st := cs.accounts[account]; st != nil {
		return st
	}
	return NewStanding(account)
}

// Announce takes up what an account may do.
func (cs *crews) Announce(account watchpost.AccountURN, st *Standing) {
	before := cs.accounts[account]
	cs.accounts[account] = st
	if before != nil && before.equal(st) {
		return
	}
	for _, c := range cs.byAccount[account] {
		cs.improved[c] = true
	}
	cs.NoteAccount(account)
}

// NoteAccount makes a change of an account's figures news for its sessions.
func (cs *crews) NoteAccount(account watchpost.AccountURN) {
	for _, c := range cs.byAccount[account] {
		cs.news[c] = true
	}
}

// NoteWorker makes the status of a worker, and of its crew, news.
func (cs *crews) NoteWorker(w *Worker) { cs.news[w.crew] = true }

// Connected counts the workers.
func (cs *crews) Connected() int { return len(cs.workers) }

// Limit sets from when allowances count for an account's claim.
func (cs *crews) Limit(account watchpost.AccountURN, from, fromWeekly time.Time) {
	st := *cs.Standing(account)
	st.From, st.FromWeekly = from, fromWeekly
	cs.Announce(account, &st)
}
