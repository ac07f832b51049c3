package changefeed

import (
	"errors"
	"sort"
	"time"

	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// StaleError refuses a cursor from which nothing can be read. Its text is for clients.
type StaleError struct {
	Text     string
	Earliest Cursor // from which everything that is kept can be read
}

// Error implements error.
func (e *StaleError) Error() string { return e.Text }

// The texts of a StaleError.
const (
	TextTooOld  = "Cursor is too old"
	TextUnknown = "Cursor is unknown"
)

// Kept is what a team keeps of its changes.
type Kept struct {
	Earliest Cursor    // before the oldest
	At       time.Time // of the oldest; zero: there is none
	Newest   Cursor
}

// Reader reads the changes of one team from a snapshot.
type Reader struct {
	View  persistence.View
	Space persistence.Space
	Now   time.Time
}

// over reports whether the change of a number is not kept any more.
func over(number uint64, at time.Time, newest uint64, now time.Time) bool {
	return number+watchpost.MaxChanges <= newest || at.Before(now.Add(-watchpost.ChangesKept))
}

// record returns the first record that has a change of that number or a later one.
func (r *Reader) record(number uint64) (found teamspace.ChangesRecord, err error) {
	failure := errors.Join(teamspace.ErrRecord, errMissing)
	err = teamspace.EachChanges(r.View, r.Space, number, func(last uint64, value []byte) bool {
		found, failure = teamspace.DecodeChanges(last, value)
		return false
	})
	return found, errors.Join(err, failure)
}

// errMissing means that the records end before the newest change.
var errMissing = errors.New("changes are missing")

// Kept finds the oldest change that is kept: records that are over are deleted later, but
// for the one before it, which tells the writer of Earliest.
func (r *Reader) Kept() (k Kept, err error) {
	newest, err := teamspace.LoadNewestChange(r.View, r.Space)
	if err != nil || newest.Number == 0 {
		return k, err
	}
	k.Newest = Cursor(newest)
	oldest, err := r.record(1)
	if err != nil {
		return k, err
	}
	before := oldest.Changes[0].Number - 1
	kept := before + uint64(sort.Search(int(newest.Number-before), func(i int) bool {
		record, failure := r.record(before + uint64(i) + 1)
		if failure != nil {
			err = failure
			return true
		}
		return !over(before+uint64(i)+1, record.At, newest.Number, r.Now)
	}))
	if err != nil {
		return k, err
	}
	if k.Earliest.Number = kept; kept > before {
		if oldest, err = r.record(kept); err != nil {
			return k, err
		}
		k.Earliest.Writer = oldest.Writer
	}
	if kept < newest.Number {
		oldest, err = r.record(kept + 1)
		k.At = oldest.At
	}
	return k, err
}

// Query is what a caller asks for.
type Query struct {
	Now        bool // nothing but the cursor of now; else
	Earliest   bool // from the oldest change that is kept; else
	From       Cursor
	Limit      int
	Types      map[watchpost.ChangeType]bool  // nil: all
	Watchlists map[watchpost.WatchlistID]bool // changes that concern one of these; nil: all
}

// Page is what there is to read behind a cursor.
type Page struct {
	Changes []watchpost.Change
	// Places are the cursors behind each of the changes.
	Places []Cursor
	Cursor Cursor // behind all that was looked at
	More   bool   // there are changes behind Cursor
	Kept   Kept
}

// looked bounds the changes that a page looks at.
const looked = 20_000

// Page reads the next changes (StaleError).
func (r *Reader) Page(q *Query) (page Page, err error) {
	if page.Kept, err = r.Kept(); err != nil {
		return page, err
	}
	page.Cursor = q.From
	if q.Now {
		page.Cursor = page.Kept.Newest
		return page, nil
	}
	if q.Earliest {
		page.Cursor = page.Kept.Earliest
	} else if text, err := r.stale(q.From, &page.Kept); text != "" || err != nil {
		return page, errors.Join(err, staleError(text, page.Kept.Earliest))
	}
	left := looked
	var failure error
	err = teamspace.EachChanges(r.View, r.Space, page.Cursor.Number+1, func(last uint64, value []byte) bool {
		var record teamspace.ChangesRecord
		if record, failure = teamspace.DecodeChanges(last, value); failure != nil {
			return false
		}
		for i := range record.Changes {
			c := &record.Changes[i]
			if c.Number <= page.Cursor.Number {
				continue
			}
			if len(page.Changes) == q.Limit || left == 0 {
				return false
			}
			left--
			page.Cursor = Cursor{c.Number, record.Writer}
			if (q.Types == nil || q.Types[c.Type]) && (q.Watchlists == nil || c.Concerns(q.Watchlists)) {
				page.Changes, page.Places = append(page.Changes, *c), append(page.Places, page.Cursor)
			}
		}
		return true
	})
	page.More = page.Cursor.Number < page.Kept.Newest.Number
	return page, errors.Join(err, failure)
}

func staleError(text string, earliest Cursor) error {
	if text == "" {
		return nil
	}
	return &StaleError{text, earliest}
}

// stale returns why a cursor cannot be read from; "" when it can.
func (r *Reader) stale(c Cursor, k *Kept) (text string, err error) {
	switch {
	case c == k.Newest, c == k.Earliest:
		return "", nil
	case c.Number > k.Newest.Number:
		return TextUnknown, nil
	case c.Number < k.Earliest.Number:
		return TextTooOld, nil
	case c.Number == 0:
		return "", nil
	}
	record, err := r.record(c.Number)
	if err == nil && record.Writer != c.Writer {
		return TextUnknown, nil
	}
	return "", err
}
