package actors

import (
	"strings"
	"time"

	"watchpost"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
)

// ledger is what the accounts of a team have used of their allowances. It is
// keyed by period and never reset: a new day is a new key. A unit is reserved
// when a task is offered to a session and debited when the hand-out is
// decided; only debits are stored.
type ledger struct {
	entries map[ledgerKey]*ledgerEntry
	// names are the periods of day, the present one's number since 1970.
	day   int64
	names [2]string
}

type ledgerKey struct {
	account watchpost.AccountURN
	action  watchpost.Action
	period  string
}

type ledgerEntry struct {
	teamspace.LedgerRecord
	reserved int
}

func newLedger() *ledger { return &ledger{entries: map[ledgerKey]*ledgerEntry{}} }

// load reads what still counts at now, the days of this week, and those of the
// week before, to which a hand-out may still be given back.
func (l *ledger) load(view persistence.View, space persistence.Space, now time.Time) error {
	from := []byte(teamspace.KeyLedger + oldestPeriod(now))
	var failure error
	err := view.Scan(space, from, persistence.PrefixEnd([]byte(teamspace.KeyLedger)), func(k, v []byte) bool {
		parts := strings.SplitN(string(k[len(teamspace.KeyLedger):]), "\x00", 3)
		entry := &ledgerEntry{}
		if failure = teamspace.Decode(v, &entry.LedgerRecord); failure != nil || len(parts) != 3 {
			return failure == nil
		}
		l.entries[ledgerKey{watchpost.AccountURN(parts[1]), watchpost.Action(parts[2]), parts[0]}] = entry
		return true
	})
	if err != nil {
		return err
	}
	return failure
}

// period names the period that holds now. It is asked for with every hand-out,
// and changes once a day.
func (l *ledger) period(p watchpost.Period, now time.Time) string {
	if day := now.Unix() / (24 * 60 * 60); day != l.day {
		l.day = day
		l.names = [2]string{watchpost.Daily: watchpost.Daily.Key(now), watchpost.Weekly: watchpost.Weekly.Key(now)}
	}
	return l.names[p]
}

// oldestPeriod is the first period that is kept in memory.
func oldestPeriod(now time.Time) string { return watchpost.Weekly.Key(now.AddDate(0, 0, -7)) }

func (l *ledger) entry(k ledgerKey) *ledgerEntry {
	e := l.entries[k]
	if e == nil {
		e = &ledgerEntry{}
		l.entries[k] = e
	}
	return e
}

// room returns how many more units the account may be handed at now. Actions
// that are not counted have always room.
func (l *ledger) room(account watchpost.AccountURN, action watchpost.Action, now time.Time) int {
	a, counted := watchpost.AllowanceOf(action)
	if !counted {
		return 1
	}
	e := l.entries[ledgerKey{account, action, l.period(a.Period, now)}]
	switch {
	case e == nil:
		return a.Limit
	case e.Closed:
		return 0
	}
	return a.Limit - e.Used - e.reserved
}

// used returns the units debited in the period that holds now.
func (l *ledger) used(account watchpost.AccountURN, a watchpost.Allowance, now time.Time) int {
	if e := l.entries[ledgerKey{account, a.Action, l.period(a.Period, now)}]; e != nil {
		return e.Used
	}
	return 0
}

// reserve sets units aside for an offer and returns the debit that they would
// be; the zero debit for an action that is not counted.
func (l *ledger) reserve(account watchpost.AccountURN, action watchpost.Action, units int, now time.Time) watchpost.Debit {
	a, counted := watchpost.AllowanceOf(action)
	if !counted {
		return watchpost.Debit{}
	}
	d := watchpost.Debit{Account: account, Action: action, Period: l.period(a.Period, now), Units: units}
	l.entry(keyOf(d)).reserved += d.Count()
	return d
}

// release gives reserved units back.
func (l *ledger) release(d watchpost.Debit) {
	if d.Action != watchpost.ActionNone {
		l.entry(keyOf(d)).reserved -= d.Count()
	}
}

// debit counts units as used and writes that to the batch.
func (l *ledger) debit(batch *persistence.Batch, d watchpost.Debit) {
	l.entry(keyOf(d)).Used += d.Count()
	l.put(batch, keyOf(d))
}

// refund gives used units back and writes that to the batch, unless its period
// is so long over that it is no longer known.
func (l *ledger) refund(batch *persistence.Batch, d watchpost.Debit) {
	e := l.entries[keyOf(d)]
	if e == nil {
		return
	}
	e.Used = max(0, e.Used-d.Count())
	l.put(batch, keyOf(d))
}

// close stops an action of an account until its next period.
func (l *ledger) close(batch *persistence.Batch, account watchpost.AccountURN, action watchpost.Action, now time.Time) {
	if a, counted := watchpost.AllowanceOf(action); counted {
		k := ledgerKey{account, action, l.period(a.Period, now)}
		l.entry(k).Closed = true
		l.put(batch, k)
	}
}

// closed reports whether the network itself refused more of an action in the
// period that holds now.
func (l *ledger) closed(account watchpost.AccountURN, action watchpost.Action, now time.Time) bool {
	a, counted := watchpost.AllowanceOf(action)
	e := l.entries[ledgerKey{account, action, l.period(a.Period, now)}]
	return counted && e != nil && e.Closed
}

// forget drops from memory what load would not read at now.
func (l *ledger) forget(now time.Time) {
	oldest := oldestPeriod(now)
	for k := range l.entries {
		if k.period < oldest {
			delete(l.entries, k)
		}
	}
}

func (l *ledger) put(batch *persistence.Batch, k ledgerKey) {
	name := teamspace.KeyLedger + k.period + "\x00" + string(k.account) + "\x00" + string(k.action)
	batch.Put([]byte(name), teamspace.Encode(l.entries[k].LedgerRecord))
}

func keyOf(d watchpost.Debit) ledgerKey { return ledgerKey{d.Account, d.Action, d.Period} }
