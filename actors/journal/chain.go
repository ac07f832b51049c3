// Package journal chains the entries of a team's journal, and checks the chain. The team adds
// to it with each batch (Chain); checks and exports read a snapshot. It knows no actors.
package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Chain adds to each batch of a team the records of the chain for the entries
// of the journal that it writes. Batches are submitted in the order of the team's
// decisions, which is thus that of the chain.
type Chain struct {
	number uint64 // of the newest record; 0 before the first
	hash   string
}

// Load finds the newest record.
func (c *Chain) Load(view persistence.View, space persistence.Space) error {
	prefix, failure := []byte(teamspace.KeyJournalChain), error(nil)
	err := view.Scan(space, prefix, persistence.PrefixEnd(prefix), func(_, v []byte) bool {
		var e watchpost.JournalEntry
		failure = teamspace.Decode(v, &e)
		c.number, c.hash = e.Number, HashOf(v)
		return false
	})
	return errors.Join(err, failure)
}

// HashOf returns the hash of a stored record, without the byte of its version.
func HashOf(stored []byte) string { return watchpost.JournalHash(stored[1:]) }

// Add chains the entries that a batch writes.
func (c *Chain) Add(batch *persistence.Batch) {
	for i := range batch.Writes {
		w := &batch.Writes[i]
		if w.Delete || !strings.HasPrefix(string(w.Key), teamspace.KeyJournal) {
			continue
		}
		var e watchpost.JournalEntry
		if err := teamspace.Decode(w.Value, &e); err != nil {
			panic(err) // this process has just encoded it
		}
		e.Number, e.Before = c.number+1, c.hash
		value := teamspace.Encode(e)
		w.Value = value
		batch.Put(teamspace.JournalChainKey(e.Number), value) // w may point to an earlier array now
		c.number, c.hash = e.Number, HashOf(value)
	}
}

// Verification says what VerifyJournals looked at and found.
type Verification struct{ Teams, Records, Problems int }

// VerifyAll checks the chain of every team's journal, and that its entries are
// those of the chain. report gets each problem. Entries from before the chain are not
// checked.
func VerifyAll(ctx context.Context, store persistence.Store, report func(team watchpost.TeamID, problem string)) (Verification, error) {
	var sum Verification
	view, err := store.View(ctx)
	if err != nil {
		return sum, err
	}
	teams, err := teamspace.Names[watchpost.TeamID](view, teamspace.DirTeam)
	view.Close()
	if err != nil {
		return sum, err
	}
	for _, team := range teams {
		err := sum.Verify(ctx, store, team, func(problem string) { report(team, problem) })
		if err != nil && !errors.Is(err, persistence.ErrDamaged) { // VerifyPosts reports such a team
			return sum, fmt.Errorf("team %s: %w", team, err)
		}
	}
	return sum, nil
}

// Verify checks the journal of one team.
func (sum *Verification) Verify(ctx context.Context, store persistence.Store, team watchpost.TeamID, report func(string)) error {
	view, err := store.View(ctx)
	if err != nil {
		return err
	}
	defer view.Close()
	sum.Teams++
	c := &journalCheck{view: view, space: persistence.Space(team), sum: sum, report: report}
	whole, err := c.chain()
	if err != nil || !whole {
		return err
	}
	return c.entries()
}

// Record is a record of the chain in an export: as it is stored, with its hash.
type Record struct {
	Hash   string
	Record []byte
}

// Export yields the chain, the newest record first.
func Export(view persistence.View, space persistence.Space, yield func(any) error) error {
	prefix, failure := []byte(teamspace.KeyJournalChain), error(nil)
	err := view.Scan(space, prefix, persistence.PrefixEnd(prefix), func(_, v []byte) bool {
		failure = yield(Record{HashOf(v), bytes.Clone(v[1:])})
		return failure == nil
	})
	return errors.Join(err, failure)
}
