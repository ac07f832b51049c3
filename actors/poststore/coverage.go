package poststore

import (
	"errors"
	"time"

	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// The counts of a day and the covered periods of entries. Both are in the batches of the
// posts, so a crash never separates them.

// coverageOps is the number of operations that both cost a batch.
const coverageOps = 2

// noteDay adds the posts of a batch to the counts of the day.
func (f *PostStore) noteDay(in *ingestBatch, batch *persistence.Batch) error {
	if in.day == (teamspace.PostDay{}) {
		return nil
	}
	key := teamspace.PostDayKey(watchpost.Daily.Key(in.now), in.Watchlist)
	day, err := teamspace.Load[teamspace.PostDay](in.view, f.Space, key)
	if err != nil && !errors.Is(err, persistence.ErrNotFound) {
		return err
	}
	day.Found += in.day.Found
	day.Kept += in.day.Kept
	day.Known += in.day.Known
	day.Dropped += in.day.Dropped
	batch.Put(key, teamspace.Encode(day))
	return nil
}

// noteCovered extends the covered period of an entry, with the last posts of a scan.
func (f *PostStore) noteCovered(in *ingestBatch, batch *persistence.Batch) error {
	if in.Covered.Until.IsZero() {
		return nil
	}
	key := teamspace.CoveredKey(in.Watchlist, in.Entry)
	covered, err := teamspace.Load[teamspace.CoveredRecord](in.view, f.Space, key)
	if err != nil && !errors.Is(err, persistence.ErrNotFound) {
		return err
	}
	batch.Put(key, teamspace.Encode(covered.Extend(in.Covered)))
	return nil
}

// forgetCovered deletes the covered periods of a deleted watchlist, a part in each batch
// until nothing is left.
func (f *PostStore) forgetCovered(view persistence.View, batch *persistence.Batch, id watchpost.WatchlistID) error {
	prefix, left := teamspace.CoveredKey(id, ""), forgetAtOnce
	return view.Scan(f.Space, prefix, persistence.PrefixEnd(prefix), func(k, _ []byte) bool {
		batch.Delete(append([]byte(nil), k...))
		left--
		return left > 0
	})
}

// forgetAtOnce bounds what one batch forgets.
const forgetAtOnce = 200

// forgetPeriods deletes the records of earlier weeks, and of days that are no longer shown,
// a part with each batch until nothing is left.
func (f *PostStore) forgetPeriods(view persistence.View, batch *persistence.Batch, now time.Time) error {
	week, today := watchpost.Weekly.Key(now), watchpost.Daily.Key(now)
	if f.forgotten == today {
		return nil
	}
	day := watchpost.Daily.Key(now.AddDate(0, 0, -watchpost.CoverageDays))
	left := forgetAtOnce
	for _, of := range []struct{ prefix, before string }{
		{teamspace.KeyWeeklyCounter, week}, {teamspace.KeyQuotaMark, week}, {teamspace.KeyPostDay, day}, {teamspace.KeyScanDay, day},
	} {
		err := view.Scan(f.Space, []byte(of.prefix), []byte(of.prefix+of.before), func(k, _ []byte) bool {
			batch.Delete(append([]byte(nil), k...))
			left--
			return left > 0
		})
		if err != nil {
			return err
		}
		if left == 0 {
			return nil
		}
	}
	f.forgotten = today
	return nil
}
