package actors

import (
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// ledger is what one account has used of its allowances. It is keyed by period
// and never reset: a new day is a new key. A unit is reserved when a task is
// offered to a connection and debited when the hand-out is decided; only debits
// are stored.
//
// There are two of each account. The team's has what was used, and is stored: the
// team counts each decision when it submits it. The session actor's has the
// reservations too. It follows the team's by the same decisions in the same order.
type ledger struct {
	account watchpost.AccountURN
	entries []ledgerEntry // a few for each day
}

type ledgerEntry struct {
	action watchpost.Action
	period string
	teamspace.LedgerRecord
	reserved int
}

// loadLedgers reads what still counts at now, the days of this week, and those of
// the week before, to which a hand-out may still be given back.
func loadLedgers(view persistence.View, space persistence.Space, now time.Time) (map[watchpost.AccountURN]*ledger, error) {
	ledgers := map[watchpost.AccountURN]*ledger{}
	from := []byte(teamspace.KeyLedger + oldestPeriod(now))
	var failure error
	err := view.Scan(space, from, persistence.PrefixEnd([]byte(teamspace.KeyLedger)), func(k, v []byte) bool {
		parts := strings.SplitN(string(k[len(teamspace.KeyLedger):]), "\x00", 3)
		var record teamspace.LedgerRecord
		if failure = teamspace.Decode(v, &record); failure != nil || len(parts) != 3 {
			return failure == nil
		}
		account := watchpost.AccountURN(parts[1])
		if ledgers[account] == nil {
			ledgers[account] = &ledger{account: account}
		}
		ledgers[account].entry(watchpost.Action(parts[2]), parts[0]).LedgerRecord = record
		return true
	})
	if err != nil {
		return nil, err
	}
	return ledgers, failure
}

// presentPeriods are the names that periodOf made last.
var presentPeriods atomic.Pointer[periodNames]

// periodNames are the names of the periods of a day, by its number since 1970.
type periodNames struct {
	day   int64
	names [2]string
}

// periodOf names the period that holds now. It is asked for with every hand-out
// and heartbeat, and changes once a day: all ledgers share the names.
func periodOf(p watchpost.Period, now time.Time) string {
	day := now.Unix() / (24 * 60 * 60)
	if present := presentPeriods.Load(); present != nil && present.day == day {
		return present.names[p]
	}
	made := &periodNames{day, [2]string{watchpost.Daily: watchpost.Daily.Key(now), watchpost.Weekly: watchpost.Weekly.Key(now)}}
	presentPeriods.Store(made)
	return made.names[p]
}

// oldestPeriod is the first period that is kept in memory.
func oldestPeriod(now time.Time) string { return watchpost.Weekly.Key(now.AddDate(0, 0, -7)) }

// clone returns a copy with all periods.
func (l *ledger) clone() ledger { return ledger{account: l.account, entries: slices.Clone(l.entries)} }

// present returns a copy that holds what counts at now.
func (l *ledger) present(now time.Time) ledger {
	daily, weekly := periodOf(watchpost.Daily, now), periodOf(watchpost.Weekly, now)
	counts := func(e *ledgerEntry) bool { return e.period == daily || e.period == weekly }
	copied, n := *l, 0
	for i := range l.entries {
		if counts(&l.entries[i]) {
			n++
		}
	}
	copied.entries = make([]ledgerEntry, 0, n)
	for i := range l.entries {
		if counts(&l.entries[i]) {
			copied.entries = append(copied.entries, l.entries[i])
		}
	}
	return copied
}

// find returns the entry of a period, nil when there is none.
func (l *ledger) find(action watchpost.Action, period string) *ledgerEntry {
	for i := range l.entries {
		if e := &l.entries[i]; e.action == action && e.period == period {
			return e
		}
	}
	return nil
}

// entry returns the entry of a period, a new one if need be. It is valid until the
// next one is made.
func (l *ledger) entry(action watchpost.Action, period string) *ledgerEntry {
	if e := l.find(action, period); e != nil {
		return e
	}
	l.entries = append(l.entries, ledgerEntry{action: action, period: period})
	return &l.entries[len(l.entries)-1]
}

// room returns how many more units the account may be handed at now. Actions
// that are not counted have always room.
func (l *ledger) room(action watchpost.Action, now time.Time) int {
	a, counted := watchpost.AllowanceOf(action)
	if !counted {
		return 1
	}
	return l.roomIn(a, periodOf(a.Period, now))
}

// roomIn is room with the allowance and the name of its period.
func (l *ledger) roomIn(a watchpost.Allowance, period string) int {
	switch e := l.find(a.Action, period); {
	case e == nil:
		return a.Limit
	case e.Closed:
		return 0
	default:
		return a.Limit - e.Used - e.reserved
	}
}

// used returns the units debited in the period that holds now.
func (l *ledger) used(a watchpost.Allowance, now time.Time) int {
	if e := l.find(a.Action, periodOf(a.Period, now)); e != nil {
		return e.Used
	}
	return 0
}

// reserve sets units aside for an offer and returns the debit that they would
// be; the zero debit for an action that is not counted.
func (l *ledger) reserve(action watchpost.Action, units int, now time.Time) watchpost.Debit {
	a, counted := watchpost.AllowanceOf(action)
	if !counted {
		return watchpost.Debit{}
	}
	d := watchpost.Debit{Account: l.account, Action: action, Period: periodOf(a.Period, now), Units: units}
	l.entry(d.Action, d.Period).reserved += d.Count()
	return d
}

// carryOver sets the units of a debit aside in the period that holds now, if it
// is of an earlier one; ok is false if it is not, or if the action is not counted.
func (l *ledger) carryOver(last watchpost.Debit, now time.Time) (d watchpost.Debit, ok bool) {
	a, counted := watchpost.AllowanceOf(last.Action)
	if !counted || last.Period >= periodOf(a.Period, now) {
		return last, false
	}
	return l.reserve(last.Action, last.Count(), now), true
}

// release gives reserved units back.
func (l *ledger) release(d watchpost.Debit) {
	if d.Action != watchpost.ActionNone {
		l.entry(d.Action, d.Period).reserved -= d.Count()
	}
}

// count takes over what a decision of a task changes in the account, and writes that
// to the batch; the session actor has none.
func (l *ledger) count(batch *persistence.Batch, c *taskChange) {
	for _, d := range c.debited {
		if d.Account == l.account {
			l.debit(batch, d)
		}
	}
	for _, d := range c.refunded {
		if d.Account == l.account {
			l.refund(batch, d)
		}
	}
	if c.verdict.CloseAction && c.account == l.account {
		l.close(batch, c.task.LeasedType().Action(), c.at)
	}
	if c.wrote && c.task.Account == l.account {
		l.write(batch, c.task.LeasedType().Action(), watchpost.LastWrite{Task: c.task.ID, At: c.at})
	}
}

// write notes that a write has begun or ended.
func (l *ledger) write(batch *persistence.Batch, action watchpost.Action, w watchpost.LastWrite) {
	if a, counted := watchpost.AllowanceOf(action); counted {
		e := l.entry(action, periodOf(a.Period, w.At))
		e.Last = w
		l.put(batch, e)
	}
}

// lastWrite returns the last write that was noted.
func (l *ledger) lastWrite() (last watchpost.LastWrite) {
	for i := range l.entries {
		if w := l.entries[i].Last; w.At.After(last.At) {
			last = w
		}
	}
	return last
}

// debit counts units as used and writes that to the batch.
func (l *ledger) debit(batch *persistence.Batch, d watchpost.Debit) {
	e := l.entry(d.Action, d.Period)
	e.Used += d.Count()
	l.put(batch, e)
}

// refund gives used units back and writes that to the batch, unless its period
// is so long over that it is no longer known.
func (l *ledger) refund(batch *persistence.Batch, d watchpost.Debit) {
	if e := l.find(d.Action, d.Period); e != nil {
		e.Used = max(0, e.Used-d.Count())
		l.put(batch, e)
	}
}

// close stops an action until its next period.
func (l *ledger) close(batch *persistence.Batch, action watchpost.Action, now time.Time) {
	if a, counted := watchpost.AllowanceOf(action); counted {
		e := l.entry(action, periodOf(a.Period, now))
		e.Closed = true
		l.put(batch, e)
	}
}

// closed reports whether the network itself refused more of an action in the
// period that holds now.
func (l *ledger) closed(action watchpost.Action, now time.Time) bool {
	a, counted := watchpost.AllowanceOf(action)
	e := l.find(action, periodOf(a.Period, now))
	return counted && e != nil && e.Closed
}

// refused reports whether the network itself refused more of any action, now or before.
func (l *ledger) refused() bool {
	return slices.ContainsFunc(l.entries, func(e ledgerEntry) bool { return e.Closed })
}

// forget drops from memory what loadLedgers would not read at now.
func (l *ledger) forget(now time.Time) {
	oldest := oldestPeriod(now)
	l.entries = slices.DeleteFunc(l.entries, func(e ledgerEntry) bool { return e.period < oldest })
}

func (l *ledger) put(batch *persistence.Batch, e *ledgerEntry) {
	if batch == nil {
		return
	}
	name := teamspace.KeyLedger + e.period + "\x00" + string(l.account) + "\x00" + string(e.action)
	batch.Put([]byte(name), teamspace.Encode(e.LedgerRecord))
}
