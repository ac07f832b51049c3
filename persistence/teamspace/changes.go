package teamspace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"watchpost/persistence"
	"watchpost/watchpost"
)

// The changes of a batch are one record, whose key has the number of the last: a post
// takes 18 bytes of it and its watchlists a byte each. The numbers of all changes follow
// each other, so that the record with a number is the first whose key is not lower.

// ChangesRecord is the changes that one batch has made.
type ChangesRecord struct {
	// Writer is random and belongs to the activation that wrote the record. It tells two
	// histories from each other: after a restored backup the same numbers come again.
	Writer uint64
	At     time.Time
	// Changes are in their order. Those of one post that differ in the watchlist only may
	// be stored as one.
	Changes []watchpost.Change
}

// ChangesKey is the key of the record whose last change has that number.
func ChangesKey(last uint64) []byte { return fmt.Appendf(nil, "%s%016x", KeyChanges, last) }

// changesEnd is the end of these keys: their numbers have the digits of hexadecimal.
var changesEnd = []byte(KeyChanges + "g")

// EachChanges calls yield with the records that have a change of that number or a later
// one, in their order, until it returns false. last is the number of a record's last
// change.
func EachChanges(view persistence.View, space persistence.Space, number uint64, yield func(last uint64, value []byte) bool) error {
	return view.Scan(space, ChangesKey(number), changesEnd, func(key, value []byte) bool {
		last, err := strconv.ParseUint(string(key[len(KeyChanges):]), 16, 64)
		return err != nil || yield(last, value)
	})
}

// NewestChange is the number of the newest change, and the writer of its record.
type NewestChange struct{ Number, Writer uint64 }

// Encode returns the stored form.
func (n NewestChange) Encode() []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64([]byte{changesVersion}, n.Number), n.Writer)
}

// LoadNewestChange reads it; zero before the first change.
func LoadNewestChange(view persistence.View, space persistence.Space) (n NewestChange, err error) {
	value, err := view.Get(space, []byte(KeyNewestChange))
	if errors.Is(err, persistence.ErrNotFound) {
		return n, nil
	}
	if err == nil && (len(value) != 17 || value[0] != changesVersion) {
		err = fmt.Errorf("%w: the newest change", ErrRecord)
	}
	if err != nil {
		return n, err
	}
	return NewestChange{binary.BigEndian.Uint64(value[1:]), binary.BigEndian.Uint64(value[9:])}, nil
}

// DeletedWatchlistKey notes a deleted watchlist until the change that tells it is
// forgotten.
func DeletedWatchlistKey(id watchpost.WatchlistID) []byte { return Key(KeyDeletedWatchlist, id) }

const changesVersion = 1

// The kinds of stored changes, by their type and action. The numbers never change.
var changeKinds = []struct {
	of     watchpost.ChangeType
	action watchpost.ChangeAction
}{
	1: {watchpost.ChangePost, watchpost.PostMatched}, 2: {watchpost.ChangePost, watchpost.PostUpdated}, 3: {watchpost.ChangePost, watchpost.PostRemoved},
	4: {watchpost.ChangeTask, watchpost.TaskIsCompleted}, 5: {watchpost.ChangeTask, watchpost.TaskHasFailed}, 6: {watchpost.ChangeTask, watchpost.TaskIsCancelled},
	7: {watchpost.ChangeInteraction, watchpost.InteractionDone}, 8: {watchpost.ChangeInteraction, watchpost.InteractionFailed},
	9: {watchpost.ChangeWatchlist, watchpost.WatchlistCreated}, 10: {watchpost.ChangeWatchlist, watchpost.WatchlistChanged}, 11: {watchpost.ChangeWatchlist, watchpost.WatchlistDeleted},
}

func kindOfChange(c *watchpost.Change) byte {
	for kind, k := range changeKinds {
		if k.of == c.Type && k.action == c.Action {
			return byte(kind)
		}
	}
	panic(fmt.Sprintf("encode a change %s %s: there is none", c.Type, c.Action)) // our own: a bug
}

// eachWatchlist marks the kind of an entry that stands for several changes: one for each
// of its watchlists.
const eachWatchlist = 0x80

// Encode returns the stored form. Numbers are not stored: that of the last is the key's.
func (r *ChangesRecord) Encode() []byte {
	var lists []watchpost.WatchlistID
	var entries []byte
	place := func(id watchpost.WatchlistID) uint64 {
		at := slices.Index(lists, id)
		if at < 0 {
			at, lists = len(lists), append(lists, id)
		}
		return uint64(at)
	}
	for i := 0; i < len(r.Changes); {
		c := &r.Changes[i]
		of, kind, n := c.Of, kindOfChange(c), 1
		if c.Watchlist != "" {
			of = nil
			for n = 0; i+n < len(r.Changes); n++ {
				next := &r.Changes[i+n]
				if next.ID != c.ID || next.Type != c.Type || next.Action != c.Action || next.Watchlist == "" {
					break
				}
				of = append(of, next.Watchlist)
			}
			kind |= eachWatchlist
		}
		entries = appendID(append(entries, kind), c.ID)
		entries = binary.AppendUvarint(entries, uint64(len(of)))
		for _, id := range of {
			entries = binary.AppendUvarint(entries, place(id))
		}
		i += n
	}
	b := binary.BigEndian.AppendUint64([]byte{changesVersion}, r.Writer)
	b = binary.AppendVarint(b, r.At.UnixMilli())
	b = binary.AppendUvarint(b, uint64(len(lists)))
	for _, id := range lists {
		b = appendID(b, string(id))
	}
	return append(b, entries...)
}

// appendID appends an id in 17 bytes, or another name as text.
func appendID(b []byte, id string) []byte {
	u, err := uuid.Parse(id)
	if err == nil && u.String() == id {
		return append(append(b, 0), u[:]...)
	}
	b = binary.AppendUvarint(b, uint64(len(id))+1)
	return append(b, id...)
}

// errChanges means that a record of changes cannot be read.
var errChanges = errors.New("a record of changes")

// DecodeChangesWriter reads a record's writer and moment only.
func DecodeChangesWriter(value []byte) (writer uint64, at time.Time, err error) {
	r := &changesReader{b: value}
	writer, at = r.header()
	return writer, at, r.err()
}

// DecodeChanges reads a record whose last change has that number.
func DecodeChanges(last uint64, value []byte) (ChangesRecord, error) {
	r := &changesReader{b: value}
	var record ChangesRecord
	record.Writer, record.At = r.header()
	lists := make([]watchpost.WatchlistID, 0, 4)
	for n := r.count(); n > 0; n-- {
		lists = append(lists, watchpost.WatchlistID(r.id()))
	}
	for len(r.b) > 0 && !r.bad {
		r.entry(&record, lists)
	}
	first := last + 1 - uint64(len(record.Changes))
	for i := range record.Changes {
		record.Changes[i].Number, record.Changes[i].At = first+uint64(i), record.At
	}
	return record, r.err()
}

// changesReader reads a record. After a fault it reads zeros.
type changesReader struct {
	b   []byte
	bad bool
}

func (r *changesReader) err() error {
	if r.bad {
		return fmt.Errorf("%w: %w", ErrRecord, errChanges)
	}
	return nil
}

func (r *changesReader) take(n int) []byte {
	if r.bad || n < 0 || n > len(r.b) {
		r.bad, r.b = true, nil
		return make([]byte, min(max(n, 0), 16))
	}
	taken := r.b[:n]
	r.b = r.b[n:]
	return taken
}

func (r *changesReader) uint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

// count returns a number of things that follow, of a byte at least each.
func (r *changesReader) count() int {
	n := r.uint()
	if n > uint64(len(r.b)) {
		r.bad, r.b = true, nil
		return 0
	}
	return int(n)
}

func (r *changesReader) header() (writer uint64, at time.Time) {
	if r.take(1)[0] != changesVersion {
		r.bad, r.b = true, nil
	}
	writer = binary.BigEndian.Uint64(r.take(8))
	ms, n := binary.Varint(r.b)
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0, time.Time{}
	}
	r.b = r.b[n:]
	return writer, time.UnixMilli(ms).UTC()
}

func (r *changesReader) id() string {
	n := r.uint()
	if n > 0 {
		return string(r.take(int(min(n-1, persistence.MaxValue))))
	}
	return uuid.UUID(r.take(16)).String()
}

// entry reads the changes of an entry.
func (r *changesReader) entry(record *ChangesRecord, lists []watchpost.WatchlistID) {
	kind := r.take(1)[0]
	each := kind&eachWatchlist != 0
	kind &^= eachWatchlist
	if int(kind) >= len(changeKinds) || kind == 0 {
		r.bad = true
		return
	}
	c := watchpost.Change{Type: changeKinds[kind].of, Action: changeKinds[kind].action, ID: r.id()}
	var of []watchpost.WatchlistID
	for n := r.count(); n > 0; n-- {
		at := r.uint()
		if at >= uint64(len(lists)) {
			r.bad = true
			return
		}
		of = append(of, lists[at])
	}
	if !each {
		c.Of = of
		record.Changes = append(record.Changes, c)
		return
	}
	for _, id := range of {
		c.Watchlist = id
		record.Changes = append(record.Changes, c)
	}
}
