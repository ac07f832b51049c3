package actors

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"watchpost/watchpost"
)

// dispatcher decides which session does which task. It holds no task: only the
// order in which they wait, and what the sessions may do. Its methods are pure
// functions of that state and of now; the team carries out its decisions.
//
// A team may have 100,000 waiting tasks and thousands of sessions, and a message
// each millisecond. So the dispatcher does not search queues and sessions: it
// knows the queues that a free session may serve (queues.candidates). A queue becomes
// one with its first task, and when a session or the standing of its account
// changes; it ends to be one when no session may serve it.
type dispatcher struct {
	queues
	crews
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
	relieved []*crew
	// planBlocks is what takeNews was told last.
	planBlocks bool
}

// assignment is one task for one session.
type assignment struct {
	task   watchpost.TaskID
	kind   watchpost.TaskType
	worker *worker
}

func newDispatcher() *dispatcher {
	return &dispatcher{queues: newQueues(), crews: newCrews(), unscheduled: map[string]bool{}}
}

// await holds scans back until reported is called with the name.
func (d *dispatcher) await(name string) { d.unscheduled[name] = true }

// reported ends await for some names.
func (d *dispatcher) reported(names ...string) {
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
		if q.key.kind.Scan() {
			d.nominate(q)
		}
	}
}

// next takes the first task that a free session may do now; ok is false when
// there is none. Client tasks go by creation, before scans, which go by due
// time and entry.
func (d *dispatcher) next(now time.Time) (a assignment, ok bool) {
	d.look(now)
	for d.candidates.Len() > 0 {
		q := d.candidates.list[0]
		var w *worker
		if !d.held(q.key) {
			w = d.pick(q.key, now)
		}
		if w == nil {
			d.dismiss(q)
			continue
		}
		a = assignment{task: q.turns.list[0].id, kind: q.key.kind, worker: w}
		d.remove(a.task)
		w.task = a.task
		return a, true
	}
	return a, false
}

// take takes a waiting task out of turn for a session that may do it now; ok is false
// when there is none.
func (d *dispatcher) take(id watchpost.TaskID, now time.Time) (a assignment, ok bool) {
	waits := d.waiting[id]
	if waits == nil {
		return a, false
	}
	k := waits.queue.key
	w := d.pick(k, now)
	if w == nil {
		return a, false
	}
	d.remove(id)
	w.task = id
	return assignment{task: id, kind: k.kind, worker: w}, true
}

// held reports whether tasks of that kind wait for watchlists to report.
func (d *dispatcher) held(k queueKey) bool { return k.kind.Scan() && len(d.unscheduled) > 0 }

// look brings the candidates up to now.
func (d *dispatcher) look(now time.Time) {
	d.mature(now)
	if now.Before(d.looked) || !now.Before(d.due) { // a clock may be set back
		d.pass(now)
	}
	d.looked = now
	for c := range d.improved {
		d.nominateFor(c, now)
		d.due = earlier(d.due, d.standing(c.account).relief(now))
	}
	clear(d.improved)
}

// pass finds the crews that may do more because time has passed, and the next
// moment at which others will.
func (d *dispatcher) pass(now time.Time) {
	day := periodOf(watchpost.Daily, d.looked) != periodOf(watchpost.Daily, now) || now.Before(d.looked)
	d.due = watchpost.Daily.Reset(now)
	for account, crews := range d.byAccount {
		st := d.standing(account)
		if relief := st.relief(d.looked); day || !relief.IsZero() && !relief.After(now) {
			for _, c := range crews {
				d.improved[c] = true
				d.news[c] = true
				d.relieved = append(d.relieved, c)
			}
		}
		d.due = earlier(d.due, st.relief(now))
	}
}

// hasNews reports whether takeNews has something to return.
func (d *dispatcher) hasNews() bool { return len(d.recounted) > 0 || len(d.news) > 0 }

// takeNews returns the crews whose status may have changed since the last call: how
// many tasks wait that they could do, their standing, or what the plan blocks.
func (d *dispatcher) takeNews(planBlocks bool) (crews []*crew) {
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

// takeRelieved returns the crews whose account time has let do more since the
// last call.
func (d *dispatcher) takeRelieved() []*crew {
	relieved := d.relieved
	d.relieved = nil
	return relieved
}

// earlier returns the earlier of two moments; zero is none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// nominateFor makes the queues candidates that a crew may serve.
func (d *dispatcher) nominateFor(c *crew, now time.Time) {
	if c.free(d.standing(c.account), "") == nil {
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
func (d *dispatcher) serves(c *crew, k queueKey, now time.Time) bool {
	need := needOf(k.kind, now)
	return (k.account == "" || k.account == c.account) && d.standing(c.account).limits(&need) == ""
}

// pick returns the free session for tasks of that key whose account has used
// the least of the allowance; nil when there is none.
func (d *dispatcher) pick(k queueKey, now time.Time) *worker {
	var best *worker
	most, need := 0, needOf(k.kind, now)
	for _, c := range d.crews.byMember[k.member] {
		if k.account != "" && k.account != c.account {
			continue
		}
		st := d.standing(c.account)
		w := c.free(st, k.kind)
		if w == nil || st.limits(&need) != "" {
			continue
		}
		if room := st.roomFor(&need); best == nil || room > most || room == most && w.session < best.session {
			best, most = w, room
		}
	}
	return best
}

// free reports whether a task of that kind, on an account of a member, would be
// handed out now if it were the first one: a connection is free and the account has
// room. Waiting tasks of the same key would go before it.
func (d *dispatcher) free(member watchpost.MemberID, account watchpost.AccountURN, kind watchpost.TaskType, now time.Time) bool {
	return d.pick(queueKey{kind, member, account}, now) != nil
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

// why says why a pending task of that kind waits: what blocks the session that is closest
// to doing it, and until when at least, if that is known. Sessions of other
// members do not count: they are as good as offline.
func (d *dispatcher) why(k queueKey, now time.Time) (watchpost.PendingReason, time.Time) {
	reason := watchpost.PendingExtensionOffline
	var notBefore time.Time
	need := needOf(k.kind, now)
	for _, c := range d.crews.byMember[k.member] {
		st := d.standing(c.account)
		limit := cmp.Or(st.limits(&need), watchpost.PendingQueued)
		for _, w := range c.workers {
			h := w.hindrance(k.account, limit)
			if !st.mayBeHanded(w.session, k.kind) {
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
				notBefore = earlier(notBefore, until)
			}
		}
	}
	return reason, notBefore
}

// until returns when a hindrance ends; zero when that is not known.
func (d *dispatcher) until(w *worker, k queueKey, h watchpost.PendingReason, now time.Time) time.Time {
	switch h {
	case watchpost.PendingDailyCap:
		return watchpost.Daily.Reset(now)
	case watchpost.PendingWeeklyCap:
		return watchpost.Weekly.Reset(now)
	case watchpost.PendingMemberPace:
		st := d.standing(w.account)
		if at, ok := st.pace.nextWrite(st.last, now); ok && at.After(now) {
			return at
		}
	case watchpost.PendingPaused:
		if w.signedIn && !w.stopped && !w.other {
			return d.standing(w.account).breakers[k.kind].Until
		}
	}
	return time.Time{}
}

// wake returns the next moment at which more may be handed out without
// anything happening: the end of a pause or of a delay, or the next reset.
func (d *dispatcher) wake(now time.Time) time.Time {
	d.look(now)
	if d.delayed.Len() > 0 {
		return earlier(d.due, d.delayed.list[0].until)
	}
	return d.due
}
