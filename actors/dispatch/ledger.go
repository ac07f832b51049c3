package dispatch

import (
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Ledger is what one account has used of its allowances. It is keyed by period
// and never reset: a new day is a new key. A unit is reserved when a task is
// offered to a connection and debited when the hand-out is decided; only debits
// are stored.
//
// There are two of each account. The team's ledger has the usage, and is stored: the team
// counts each decision when it submits it. The session actor's has the reservations too.
// It follows the team's by the same decisions in the same order.
type Ledger struct {
	account watchpost.AccountURN
	entries []ledgerEntry // a few for each day
}

type ledgerEntry struct {
	action watchpost.Action
	period string
	teamspace.LedgerRecord
	reserved int
}

// LoadLedgers reads what still counts at now, the days of this week, and those of
// the week before, to which a hand-out may still be given back.
func LoadLedgers(view persistence.View, space persistence.Space, now time.Time) (map[watchpost.AccountURN]*Ledger, error) {
	ledgers := map[watchpost.AccountURN]*Ledger{}
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
			ledgers[account] = &Ledger{account: account}
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

// PeriodOf names the period that holds now. It is asked for with every hand-out
// and heartbeat, and changes once a day: all ledgers share the names.
func PeriodOf(p watchpost.Period, now time.Time) string {
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

// NewLedger returns the ledger of an account that has not used anything.
func NewLedger(account watchpost.AccountURN) *Ledger { return &Ledger{account: account} }

// clone returns a copy with all periods.
func (l *Ledger) clone() Ledger { return Ledger{account: l.account, entries: slices.Clone(l.entries)} }

// present returns a copy that holds what counts at now.
func (l *Ledger) present(now time.Time) Ledger {
	daily, weekly := PeriodOf(watchpost.Daily, now), PeriodOf(watchpost.Weekly, now)
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
func (l *Ledger) find(action watchpost.Action, period string) *ledgerEntry {
	for i := range l.entries {
		if e := &l.entries[i]; e.action == action && e.period == period {
			return e
		}
	}
	return nil
}

// entry returns the entry of a period, a new one if need be. It is valid until the
// next one is made.
func (l *Ledger) entry(action watchpost.Action, period string) *ledgerEntry {
	if e := l.find(action, period); e != nil {
		return e
	}
	l.entries = append(l.entries, ledgerEntry{action: action, period: period})
	return &l.entries[len(l.entries)-1]
}

// Room returns how many more units the account may be handed at now. Actions
// that are not counted have always room.
func (l *Ledger) Room(action watchpost.Action, now time.Time) int {
	a, counted := watchpost.AllowanceOf(action)
	if !counted {
		return 1
	}
	return l.roomIn(a, PeriodOf(a.Period, now))
}

// roomIn is room with the allowance and the name of its period.
func (l *Ledger) roomIn(a watchpost.Allowance, period string) int {
	switch e := l.find(a.Action, period); {
	case e == nil:
		return a.Limit
	case e.Closed:
		return 0
	default:
		return a.Limit - e.Used - e.reserved
	}
}

// Used returns the units debited in the period that holds now.
func (l *Ledger) Used(a watchpost.Allowance, now time.Time) int {
	if e := l.find(a.Action, PeriodOf(a.Period, now)); e != nil {
		return e.Used
	}
	return 0
}

// Reserve sets units aside for an offer and returns the debit that they would
// be; the zero debit for an action that is not counted.
func (l *Ledger) Reserve(action watchpost.Action, units int, now time.Time) watchpost.Debit {
	a, counted := watchpost.AllowanceOf(action)
	if !counted {
		return watchpost.Debit{}
	}
	d := watchpost.Debit{Account: l.account, Action: action, Period: PeriodOf(a.Period, now), Units: units}
	l.entry(d.Action, d.Period).reserved += d.Count()
	return d
}

// CarryOver sets the units of a debit aside in the period that holds now, if it
// is of an earlier one; ok is false if it is not, or if the action is not counted.
func (l *Ledger) CarryOver(last watchpost.Debit, now time.Time) (d watchpost.Debit, ok bool) {
	if d, ok = carriedOver(last, now); ok {
		d.Attempt = 0
		l.entry(d.Action, d.Period).reserved += d.Count()
	}
	return d, ok
}

// CarryOver returns the debit of an attempt in the period that holds now; ok is false if
// it has one in that period, or if the attempt has cost nothing.
func CarryOver(debits []watchpost.Debit, attempt int, now time.Time) (d watchpost.Debit, ok bool) {
	for _, paid := range debits {
		if paid.Attempt == attempt && paid.Period >= d.Period {
			d = paid
		}
	}
	return carriedOver(d, now)
}

// carriedOver moves a debit to the period that holds now; ok is false if it is of that
// period.
func carriedOver(d watchpost.Debit, now time.Time) (_ watchpost.Debit, ok bool) {
	a, counted := watchpost.AllowanceOf(d.Action)
	if !counted {
		return d, false
	}
	period := PeriodOf(a.Period, now)
	ok = d.Period < period
	if ok {
		d.Period = period
	}
	return d, ok
}

// Release gives reserved units back.
func (l *Ledger) Release(d watchpost.Debit) {
	if d.Action != watchpost.ActionNone {
		l.entry(d.Action, d.Period).reserved -= d.Count()
	}
}

// Uses is what a decision of a task changes in the ledgers of accounts.
type Uses struct {
	Debited, Refunded []watchpost.Debit
	Task              watchpost.TaskID
	At                time.Time
	// Action is that of the task: the network refused more of it to one account, and a
	// write on one has begun or ended; "": none.
	Action   watchpost.Action
	ClosedOf watchpost.AccountURN
	WroteOn  watchpost.AccountURN
}

// Count takes over what a decision of a task changes in the account, and writes that
// to the batch; the session actor has none.
func (l *Ledger) Count(batch *persistence.Batch, u Uses) {
	for _, d := range u.Debited {
		if d.Account == l.account {
			l.debit(batch, d)
		}
	}
	for _, d := range u.Refunded {
		if d.Account == l.account {
			l.refund(batch, d)
		}
	}
	if u.ClosedOf != "" && u.ClosedOf == l.account {
		l.close(batch, u.Action, u.At)
	}
	if u.WroteOn != "" && u.WroteOn == l.account {
		l.write(batch, u.Action, watchpost.LastWrite{Task: u.Task, At: u.At})
	}
}

// write notes that a write has begun or ended.
func (l *Ledger) write(batch *persistence.Batch, action watchpost.Action, w watchpost.LastWrite) {
	if a, counted := watchpost.AllowanceOf(action); counted {
		e := l.entry(action, PeriodOf(a.Period, w.At))
		e.Last = w
		l.put(batch, e)
	}
}

// LastWrite returns the last write that was noted.
func (l *Ledger) LastWrite() (last watchpost.LastWrite) {
	for i := range l.entries {
		if w := l.entries[i].Last; w.At.After(last.At) {
			last = w
		}
	}
	return last
}

// debit counts units as used and writes that to the batch.
func (l *Ledger) debit(batch *persistence.Batch, d watchpost.Debit) {
	e := l.entry(d.Action, d.Period)
	e.Used += d.Count()
	l.put(batch, e)
}

// refund gives used units back and writes that to the batch, unless its period
// is so long over that it is no longer known.
func (l *Ledger) refund(batch *persistence.Batch, d watchpost.Debit) {
	if e := l.find(d.Action, d.Period); e != nil {
		e.Used = max(0, e.Used-d.Count())
		l.put(batch, e)
	}
}

// close stops an action until its next period.
func (l *Ledger) close(batch *persistence.Batch, action watchpost.Action, now time.Time) {
	if a, counted := watchpost.AllowanceOf(action); counted {
		e := l.entry(action, PeriodOf(a.Period, now))
		e.Closed = true
		l.put(batch, e)
	}
}

// Closed reports whether the network itself refused more of an action in the
// period that holds now.
func (l *Ledger) Closed(action watchpost.Action, now time.Time) bool {
	a, counted := watchpost.AllowanceOf(action)
	e := l.find(action, PeriodOf(a.Period, now))
	return counted && e != nil && e.Closed
}

// Refused reports whether the network itself refused more of any action, now or before.
func (l *Ledger) Refused() bool {
	return slices.ContainsFunc(l.entries, func(e ledgerEntry) bool { return e.Closed })
}

// Forget drops from memory what loadLedgers would not read at now.
func (l *Ledger) Forget(now time.Time) {
	oldest := oldestPeriod(now)
	l.entries = slices.DeleteFunc(l.entries, func(e ledgerEntry) bool { return e.period < oldest })
}

func (l *Ledger) put(batch *persistence.Batch, e *ledgerEntry) {
	if batch == nil {
		return
	}
	name := teamspace.KeyLedger + e.period + "\x00" + string(l.account) + "\x00" + string(e.action)
	batch.Put([]byte(name), teamspace.Encode(e.LedgerRecord))
}
