package journal

import (
	"bytes"
	"errors"
	"fmt"

	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// journalCheck compares the chain of a journal with the entries that it shows, in two
// passes: from each record of the chain to the entry of its task, and from each entry
// to its record. Each pass goes through one range of keys and looks up the keys of the
// other in groups, so it needs the memory of a group, however long the journal is.
type journalCheck struct {
	view   persistence.View
	space  persistence.Space
	sum    *Verification
	report func(problem string)
}

// journalGroup is how many keys are looked up at once.
const journalGroup = 128

func (c *journalCheck) problem(format string, args ...any) {
	c.sum.Problems++
	c.report(fmt.Sprintf(format, args...))
}

// chain checks the records, and that each task of theirs shows an entry that is no older
// than they are. whole is false when the chain is broken: its result about the entries
// means nothing then.
func (c *journalCheck) chain() (whole bool, err error) {
	var chain watchpost.JournalVerifier
	var failure error
	broken := func(err error) bool {
		if err != nil {
			c.problem("%s", err)
		}
		return err != nil
	}
	shown := c.lookups(c.compareShown)
	prefix := []byte(teamspace.KeyJournalChain)
	whole = true
	err = c.view.Scan(c.space, prefix, persistence.PrefixEnd(prefix), func(_, v []byte) bool {
		c.sum.Records++
		e, unfit := chain.Check(v[1:])
		if whole = !broken(unfit); whole {
			failure = shown.add(e.Number, teamspace.JournalKey(e.ID), nil)
		}
		return whole && failure == nil
	})
	if err = errors.Join(err, failure); err != nil || !whole || broken(chain.End()) {
		return false, err
	}
	return true, shown.flush()
}

// compareShown compares the number of a record with the entry that its task shows.
func (c *journalCheck) compareShown(number uint64, _, entry []byte) error {
	if entry == nil {
		c.problem("journal: the entry of record %d is missing", number)
		return nil
	}
	var e watchpost.JournalEntry
	err := teamspace.Decode(entry, &e)
	if e.Number > 0 && e.Number < number { // without a number: see VerifyJournals
		c.problem("journal: record %d is newer than the entry that is shown", number)
	}
	return err
}

// entries checks that each entry with a number is the record of that number.
func (c *journalCheck) entries() error {
	records := c.lookups(func(number uint64, entry, record []byte) error {
		if !bytes.Equal(entry, record) {
			c.problem("journal: the entry with number %d is not that of the chain", number)
		}
		return nil
	})
	var failure error
	prefix := []byte(teamspace.KeyJournal)
	err := c.view.Scan(c.space, prefix, persistence.PrefixEnd(prefix), func(k, v []byte) bool {
		var e watchpost.JournalEntry
		switch failure = teamspace.Decode(v, &e); {
		case failure != nil || e.Number == 0:
		case e.ID != teamspace.JournalTask(k):
			c.problem("journal: the entry with number %d is shown as that of another task", e.Number)
		default:
			failure = records.add(e.Number, teamspace.JournalChainKey(e.Number), v)
		}
		return failure == nil
	})
	if err = errors.Join(err, failure); err != nil {
		return err
	}
	return records.flush()
}

// lookups are keys that are read together.
type lookups struct {
	check      *journalCheck
	numbers    []uint64
	keys, mine [][]byte
	// found gets each number with the value that came with it and the one that is
	// stored at its key; nil when there is none.
	found func(number uint64, mine, stored []byte) error
}

func (c *journalCheck) lookups(found func(number uint64, mine, stored []byte) error) *lookups {
	return &lookups{check: c, found: found}
}

func (l *lookups) add(number uint64, key, mine []byte) error {
	l.numbers, l.keys, l.mine = append(l.numbers, number), append(l.keys, key), append(l.mine, bytes.Clone(mine))
	if len(l.keys) < journalGroup {
		return nil
	}
	return l.flush()
}

func (l *lookups) flush() error {
	stored, err := l.check.view.GetAll(l.check.space, l.keys)
	if err != nil {
		return err
	}
	for i, number := range l.numbers {
		if err := l.found(number, l.mine[i], stored[i]); err != nil {
			return err
		}
	}
	l.numbers, l.keys, l.mine = l.numbers[:0], l.keys[:0], l.mine[:0]
	return nil
}
