// Package dispatch decides which session does which task, by what the accounts have used
// of their allowances. It starts nothing and waits for nothing: its methods are functions
// of its state and of a moment.
//
// It answers a team: which task is next, and for which session (Next, Take, Free); why a
// task waits, and until when (Why, Wake); what an account may do (Standing) and has used
// (Ledger); whose status may have changed (TakeNews, TakeRelieved).
package dispatch

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"watchpost/watchpost"
)

// Dispatcher decides which session does which task. It holds no task: only the
// order in which they wait, and what the sessions may do. Its methods are pure
// functions of that state and of now; the team carries out its decisions.
//
// A team may have 100,000 waiting tasks and thousands of sessions, and a message
// each millisecond. So the dispatcher does not search queues and sessions: it
// knows the queues that a free session may serve (queues.candidates). A queue becomes
// one with its first task, and when a session or the standing of its account
// changes; it ends to be one when no session may serve it.
type Dispatcher struct {
	queues
	crews
	shares
	// unscheduled are the watchlists and lists that have not reported their due
	// scans since they were spawned, or the team asked them to share a scan. Until all
	// have, no scan is handed out: another may be due before it, or together with
	// it.
	unscheduled map[string]bool
	// looked is when the candidates were looked for last, due when time alone
	// lets an account do more.
	looked, due time.Time
	// relieved are the crews whose account time has let do more since they were
	// taken.
	relieved []*Crew
	// planBlocks is the last value that TakeNews received.
	planBlocks bool
}

// Assignment is one task for one session.
type Assignment struct {
	Task   watchpost.TaskID
	Kind   watchpost.TaskType
	Worker *Worker
}

// New returns a dispatcher without tasks and workers.
func New() *Dispatcher {
	return &Dispatcher{queues: newQueues(), crews: newCrews(), shares: newShares(), unscheduled: map[string]bool{}}
}

// Await holds scans back until Reported is called with the name.
func (d *Dispatcher) Await(name string) { d.unscheduled[name] = true }

// Reported ends Await for some names.
func (d *Dispatcher) Reported(names ...string) {
	if len(d.unscheduled) == 0 {
		return
	}
	for _, name := range names {
		delete(d.unscheduled, name)
	}
	if len(d.unscheduled) > 0 {
		return
	}
	for q := range d.queues.byMember[""] { // any session may do a scan
		if q.key.Kind.Scan() {
			d.nominate(q)
		}
	}
}

// ReportedAll is Reported for the names that begin so.
func (d *Dispatcher) ReportedAll(prefix string) {
	var names []string
	for name := range d.unscheduled {
		if strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	d.Reported(names...)
}

// Next takes the first task that a free session may do now; ok is false when
// there is none. Client tasks go by creation, before scans, which watchlists and lists
// share; one of them scans by due time and entry.
func (d *Dispatcher) Next(now time.Time) (a Assignment, ok bool) {
	d.look(now)
	for d.candidates.Len() > 0 {
		q := d.candidates.First()
		var w *Worker
		if !d.held(q.key) {
			w = d.pick(q.key, now)
		}
		if w == nil {
			d.dismiss(q)
			continue
		}
		next, of := d.first(q, now)
		if next == nil {
			d.dismiss(q)
			continue
		}
		a = Assignment{Task: next.id, Kind: q.key.Kind, Worker: w}
		d.Remove(a.Task)
		if q.key.Kind.Scan() {
			d.given[a.Task] = givenScan{kind: q.key.Kind, all: next.schedules, of: of}
		}
		w.Task = a.Task
		return a, true
	}
	return a, false
}

// Take takes a waiting task out of turn for a session that may do it now; ok is false
// when there is none.
func (d *Dispatcher) Take(id watchpost.TaskID, now time.Time) (a Assignment, ok bool) {
	waits := d.waiting[id]
	if waits == nil {
		return a, false
	}
	k := waits.queue.key
	w := d.pick(k, now)
	if w == nil {
		return a, false
	}
	d.Remove(id)
	w.Task = id
	return Assignment{Task: id, Kind: k.Kind, Worker: w}, true
}

// held reports whether tasks of that kind wait for watchlists to report.
func (d *Dispatcher) held(k Key) bool { return k.Kind.Scan() && len(d.unscheduled) > 0 }

// look brings the candidates up to now.
func (d *Dispatcher) look(now time.Time) {
	if d.mature(now) || len(d.improved) > 0 {
		d.reconsider()
	}
	if now.Before(d.looked) || !now.Before(d.due) { // a clock may be set back
		d.pass(now)
	}
	d.looked = now
	for c := range d.improved {
		d.nominateFor(c, now)
		d.due = watchpost.Earlier(d.due, d.Standing(c.account).relief(now))
	}
	clear(d.improved)
}

// pass finds the crews that may do more because time has passed, and the next
// moment at which others will.
func (d *Dispatcher) pass(now time.Time) {
	day := PeriodOf(watchpost.Daily, d.looked) != PeriodOf(watchpost.Daily, now) || now.Before(d.looked)
	d.due = watchpost.Daily.Reset(now)
	d.reconsider()
	for account, crews := range d.byAccount {
		st := d.Standing(account)
		if relief := st.relief(d.looked); day || !relief.IsZero() && !relief.After(now) {
			for _, c := range crews {
				d.improved[c] = true
				d.news[c] = true
				d.relieved = append(d.relieved, c)
			}
		}
		d.due = watchpost.Earlier(d.due, st.relief(now))
	}
}

// HasNews reports whether TakeNews has something to return.
func (d *Dispatcher) HasNews() bool { return len(d.recounted) > 0 || len(d.news) > 0 }

// TakeNews returns the crews whose status may have changed since the last call: how
// many tasks wait that they could do, their standing, or what the plan blocks.
func (d *Dispatcher) TakeNews(planBlocks bool) (crews []*Crew) {
	if d.recounted[""] || planBlocks != d.planBlocks {
		crews = slices.Clone(d.crews.byMember[""])
	} else {
		for member := range d.recounted {
			for _, c := range d.crews.byMember[member] {
				d.news[c] = true
			}
		}
		crews = slices.SortedFunc(maps.Keys(d.news), compareCrews)
	}
	d.planBlocks = planBlocks
	clear(d.recounted)
	clear(d.news)
	return crews
}

// TakeRelieved returns the crews whose account time has let do more since the
// last call.
func (d *Dispatcher) TakeRelieved() []*Crew {
	relieved := d.relieved
	d.relieved = nil
	return relieved
}

// nominateFor makes the queues candidates that a crew may serve.
func (d *Dispatcher) nominateFor(c *Crew, now time.Time) {
	if c.free(d.Standing(c.account), "") == nil {
		return
	}
	for _, of := range ofMember(c.member) {
		for q := range d.queues.byMember[of] {
			if !q.candidate && d.serves(c, q.key, now) && !d.held(q.key) {
				d.nominate(q)
			}
		}
	}
}

// serves reports whether an able worker of a crew may be handed a task of its member
// or of none.
func (d *Dispatcher) serves(c *Crew, k Key, now time.Time) bool {
	need := needOf(k.Kind, now)
	return (k.Account == "" || k.Account == c.account) && d.Standing(c.account).limits(&need) == ""
}

// pick returns the free session for tasks of that key whose account has used
// the least of the allowance; nil when there is none.
func (d *Dispatcher) pick(k Key, now time.Time) *Worker {
	var best *Worker
	most, need := 0, needOf(k.Kind, now)
	for _, c := range d.crews.byMember[k.Member] {
		if k.Account != "" && k.Account != c.account {
			continue
		}
		st := d.Standing(c.account)
		w := c.free(st, k.Kind)
		if w == nil || st.limits(&need) != "" {
			continue
		}
		if room := st.roomFor(&need); best == nil || room > most || room == most && w.Session < best.Session {
			best, most = w, room
		}
	}
	return best
}

// Free reports whether a task of that kind, on an account of a member, would be
// handed out now if it were the first one: a connection is free and the account has
// room. Waiting tasks of the same key would go before it.
func (d *Dispatcher) Free(member watchpost.MemberID, account watchpost.AccountURN, kind watchpost.TaskType, now time.Time) bool {
	return d.pick(Key{kind, member, account}, now) != nil
}

// reasons orders the reasons by the change that each needs first.
var reasons = map[watchpost.PendingReason]int{
	watchpost.PendingExtensionOffline: 7,
	watchpost.PendingPaused:           6,
	watchpost.PendingWeeklyCap:        5,
	watchpost.PendingDailyCap:         4,
	watchpost.PendingMemberAsked:      3,
	watchpost.PendingMemberPace:       2,
	watchpost.PendingQueued:           1,
}

// Why says why a pending task of that kind waits: what blocks the session that is closest
// to doing it, and until when at least, if that is known. Sessions of other
// members do not count: they are as good as offline. Scans that are withheld wait because
// the rest of the day's allowance is kept for other watchlists.
func (d *Dispatcher) Why(k Key, now time.Time) (watchpost.PendingReason, time.Time) {
	reason, until := d.hindered(k, now)
	if reason == watchpost.PendingQueued && d.withheld[d.byKey[k]] {
		return watchpost.PendingDailyCap, now.Truncate(time.Hour).Add(time.Hour)
	}
	return reason, until
}

// hindered is Why, without reasons that are withheld.
func (d *Dispatcher) hindered(k Key, now time.Time) (watchpost.PendingReason, time.Time) {
	reason := watchpost.PendingExtensionOffline
	var notBefore time.Time
	need := needOf(k.Kind, now)
	for _, c := range d.crews.byMember[k.Member] {
		st := d.Standing(c.account)
		limit := cmp.Or(st.limits(&need), watchpost.PendingQueued)
		for _, w := range c.workers {
			h := w.hindrance(k.Account, limit)
			if !st.MayBeHanded(w.Session, k.Kind) {
				h = watchpost.PendingExtensionOffline // no browser that asks the member
			}
			if h == watchpost.PendingQueued {
				return h, time.Time{} // nothing is closer
			}
			if reasons[h] > reasons[reason] {
				continue
			}
			until := d.until(w, k, h, now)
			if reasons[h] < reasons[reason] {
				reason, notBefore = h, until
			} else {
				notBefore = watchpost.Earlier(notBefore, until)
			}
		}
	}
	return reason, notBefore
}

// until returns when a hindrance ends; zero when that is not known.
func (d *Dispatcher) until(w *Worker, k Key, h watchpost.PendingReason, now time.Time) time.Time {
	switch h {
	case watchpost.PendingDailyCap:
		return watchpost.Daily.Reset(now)
	case watchpost.PendingWeeklyCap:
		return watchpost.Weekly.Reset(now)
	case watchpost.PendingMemberPace:
		st := d.Standing(w.Account)
		if at, ok := st.Pace.nextWrite(st.Last, now); ok && at.After(now) {
			return at
		}
	case watchpost.PendingPaused:
		if w.SignedIn && !w.Stopped && !w.Other {
			return d.Standing(w.Account).breakers[k.Kind].Until
		}
	}
	return time.Time{}
}

// Wake returns the next moment at which more may be handed out without
// anything happening: the end of a pause or of a delay, or the next reset.
func (d *Dispatcher) Wake(now time.Time) time.Time {
	d.look(now)
	if d.delayed.Len() > 0 {
		return watchpost.Earlier(d.due, d.delayed.First().until)
	}
	return d.due
}
