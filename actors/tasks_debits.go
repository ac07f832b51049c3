package actors

import (
	"time"

	"watchpost"
	"watchpost/persistence"
)

// debit turns the reserved unit of an offer into a used one.
func (t *tasks) debit(batch *persistence.Batch, open *openTask, attempt int) {
	d := open.reserved
	t.team.sessions.ledger.release(d)
	open.reserved = watchpost.Debit{}
	if d.Action == watchpost.ActionNone {
		return
	}
	d.Attempt = attempt
	t.team.sessions.ledger.debit(batch, d)
	open.debits = append(open.debits, d)
}

// refund gives the debits of an attempt back, to the days that were debited.
func (t *tasks) refund(batch *persistence.Batch, open *openTask, attempt int) {
	var kept []watchpost.Debit
	for _, d := range open.debits {
		if d.Attempt == attempt {
			t.team.sessions.ledger.refund(batch, d)
		} else {
			kept = append(kept, d)
		}
	}
	open.debits = kept
}

// debitNewDay debits leased tasks to the period that begins, when it begins
// too, before anything is handed out in it.
func (t *tasks) debitNewDay(now time.Time) {
	day := watchpost.Daily.Key(now)
	if day == t.day {
		return
	}
	t.day = day
	t.team.sessions.ledger.forget(now)
	st := &steps{} // an activation that finds one missing debits it again
	for _, held := range t.held {
		for id, open := range held {
			offered := open.reserved.Action != watchpost.ActionNone // and debited with the hand-out
			if batch := st.room(2); !offered && t.carryOver(batch, open, now) {
				putOpen(batch, id, open)
			}
		}
	}
	t.submitSteps(st, nil)
}

// carryOver debits a leased task to the period that holds now, if it was debited
// to an earlier one, and reports whether it did.
func (t *tasks) carryOver(batch *persistence.Batch, open *openTask, now time.Time) bool {
	a, counted := watchpost.AllowanceOf(open.kind.Action())
	if !counted || len(open.debits) == 0 {
		return false
	}
	last := open.debits[len(open.debits)-1]
	period := a.Period.Key(now)
	if last.Period >= period {
		return false
	}
	last.Period = period
	t.team.sessions.ledger.debit(batch, last)
	open.debits = append(open.debits, last)
	return true
}

// maxReleases is how many tasks in a row a session may give back before it is
// handed nothing until its next sign of life: the cause most likely
// concerns every task.
const maxReleases = 3

// countReleases counts the tasks that a session gave back since it last worked
// on one.
func (t *tasks) countReleases(c *taskChange) {
	s := t.team.sessions.byID[c.freed]
	if s == nil || s.worker == nil {
		return
	}
	w := s.worker
	if !c.released {
		w.releases = 0
		return
	}
	w.releases++
	// A sign of life that came after the release lifts the pause.
	if w.releases >= maxReleases && w.signs <= c.signs {
		w.stopped, w.stoppedBy = true, ""
		t.team.sessions.showBlocked(w)
	}
}

// pause stops hand-outs as a verdict says.
func (t *tasks) pause(batch *persistence.Batch, c *taskChange) {
	now := t.env.clock.Now()
	v := c.verdict
	if v.PauseAccount {
		for _, w := range t.dispatch.workers {
			// A sign of life that came after the report lifts the pause.
			if w.account == c.account && (w.session != c.freed || w.signs <= c.signs) {
				w.stopped, w.stoppedBy = true, v.Failure.Code
			}
		}
	}
	kind := c.task.LeasedType()
	_, counted := watchpost.AllowanceOf(kind.Action())
	if v.PauseType || v.CloseAction && !counted { // an action without an allowance has no reset
		t.dispatch.paused[pauseKey{c.account, kind}] = now.Add(watchpost.LayoutProbe)
		t.armWake()
	}
	if v.CloseAction {
		t.team.sessions.ledger.close(batch, c.account, kind.Action(), now)
	}
	for _, w := range t.dispatch.workers {
		if w.account == c.account {
			t.team.sessions.showBlocked(w)
		}
	}
}
