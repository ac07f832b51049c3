// Package changefeed numbers and keeps the changes of a team, for callers who follow it:
// in the batch that makes the change (Log), and read from a snapshot of the store
// (Reader). It knows no actors.
package changefeed

import (
	"encoding/binary"
	"encoding/hex"
	"strings"

	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Note notes the changes of a batch in the batch. The Log numbers it when the batch is
// submitted.
func Note(batch *persistence.Batch, changes ...watchpost.Change) {
	if len(changes) > 0 {
		batch.Put([]byte(teamspace.KeyChanges), (&teamspace.ChangesRecord{Changes: changes}).Encode())
	}
}

// noted reports whether a write is what Note has put.
func noted(w *persistence.Write) bool { return string(w.Key) == teamspace.KeyChanges }

// Log is where a team writes its changes. Batches are submitted in the order of the team's
// decisions, and become durable in it: so numbers follow each other, and a snapshot that
// has one has all before it.
type Log struct {
	clock  watchpost.Clock
	last   uint64 // number of the newest change; 0 before the first
	writer uint64
	// watchlists are those that the team has.
	watchlists map[watchpost.WatchlistID]bool
}

// NewLog returns the log of an activation.
func NewLog(clock watchpost.Clock) *Log {
	random, err := hex.DecodeString(watchpost.NewSecret(8))
	if err != nil {
		panic(err) // it is hexadecimal
	}
	return &Log{clock: clock, writer: binary.BigEndian.Uint64(random), watchlists: map[watchpost.WatchlistID]bool{}}
}

// Load finds the newest change, and the watchlists that there are.
func (l *Log) Load(view persistence.View, space persistence.Space) error {
	newest, err := teamspace.LoadNewestChange(view, space)
	if err != nil {
		return err
	}
	l.last = newest.Number
	prefix := []byte(teamspace.KeyWatchlist)
	return view.Scan(space, prefix, persistence.PrefixEnd(prefix), func(key, _ []byte) bool {
		l.watchlists[watchpost.WatchlistID(key[len(prefix):])] = true
		return true
	})
}

// Add numbers the changes of a batch that is submitted next, and adds those of watchlists.
func (l *Log) Add(batch *persistence.Batch) {
	var changes []watchpost.Change
	kept := batch.Writes[:0]
	for i := range batch.Writes {
		w := &batch.Writes[i]
		if !noted(w) {
			kept = append(kept, *w)
			if strings.HasPrefix(string(w.Key), teamspace.KeyWatchlist) {
				changes = append(changes, l.ofWatchlist(w))
			}
			continue
		}
		record, err := teamspace.DecodeChanges(0, w.Value)
		if err != nil {
			panic(err) // this process has just encoded it
		}
		changes = append(changes, record.Changes...)
	}
	clear(batch.Writes[len(kept):])
	batch.Writes = kept
	if len(changes) == 0 {
		return
	}
	l.last += uint64(len(changes))
	record := teamspace.ChangesRecord{Writer: l.writer, At: l.clock.Now(), Changes: changes}
	batch.Put(teamspace.ChangesKey(l.last), record.Encode())
	batch.Put([]byte(teamspace.KeyNewestChange), teamspace.NewestChange{Number: l.last, Writer: l.writer}.Encode())
	for i := range changes {
		if c := &changes[i]; c.Action == watchpost.WatchlistDeleted {
			batch.Put(teamspace.DeletedWatchlistKey(c.Watchlist), []byte{})
		}
	}
}

// ofWatchlist returns the change that a write of a watchlist is.
func (l *Log) ofWatchlist(w *persistence.Write) watchpost.Change {
	id := watchpost.WatchlistID(w.Key[len(teamspace.KeyWatchlist):])
	c := watchpost.Change{Type: watchpost.ChangeWatchlist, Action: watchpost.WatchlistChanged, ID: string(id), Watchlist: id}
	switch {
	case w.Delete:
		c.Action = watchpost.WatchlistDeleted
		delete(l.watchlists, id)
	case !l.watchlists[id]:
		c.Action = watchpost.WatchlistCreated
		l.watchlists[id] = true
	}
	return c
}
