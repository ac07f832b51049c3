package changefeed

import (
	"errors"
	"time"

	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// prunedAtOnce bounds the records that one batch deletes.
const prunedAtOnce = 200

// Prune deletes in a batch the next changes that are over, and returns how many; more
// means that there may be others. It spares the last record that is over, which tells the
// writer of the earliest cursor.
func Prune(view persistence.View, space persistence.Space, now time.Time, batch *persistence.Batch) (deleted int, more bool, err error) {
	newest, err := teamspace.LoadNewestChange(view, space)
	if err != nil || newest.Number == 0 {
		return 0, false, err
	}
	var failure error
	var before *teamspace.ChangesRecord // is over
	var last uint64                     // of it
	records := 0
	err = teamspace.EachChanges(view, space, 1, func(number uint64, value []byte) bool {
		record, err := teamspace.DecodeChanges(number, value)
		if failure = err; err != nil || !over(number, record.At, newest.Number, now) {
			return false
		}
		if before != nil {
			forget(batch, last, before)
			deleted += len(before.Changes)
			records++
		}
		before, last = &record, number
		more = records == prunedAtOnce
		return !more
	})
	return deleted, more, errors.Join(err, failure)
}

// forget deletes a record, and the notes of deleted watchlists that it named.
func forget(batch *persistence.Batch, last uint64, record *teamspace.ChangesRecord) {
	batch.Delete(teamspace.ChangesKey(last))
	for i := range record.Changes {
		if c := &record.Changes[i]; c.Action == watchpost.WatchlistDeleted {
			batch.Delete(teamspace.DeletedWatchlistKey(c.Watchlist))
		}
	}
}
