package badger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"watchpost/persistence"

	db "github.com/dgraph-io/badger/v4"
)

// view implements persistence.View: a read-only transaction at one durable
// version.
type view struct {
	store   *Store
	txn     *db.Txn
	version uint64
	closed  bool
	// reads counts the running reads; it is negative while the store closes.
	reads atomic.Int64
}

// noReads is the value that a closing store adds to the reads of a view.
const noReads = math.MinInt64 / 2

// begin registers a read: until its end the store's files stay mapped. It
// refuses a view that is closed or whose store is closed.
func (v *view) begin() error {
	if v.closed || v.reads.Add(1) < 0 {
		if !v.closed {
			v.end()
		}
		return persistence.ErrClosed
	}
	return nil
}

// end signals a closing store when no read is left.
func (v *view) end() {
	if v.reads.Add(-1) == noReads {
		select {
		case v.store.idle <- struct{}{}:
		default: // it will look at all views in any case
		}
	}
}

// refuseReads makes every later read of the view fail, and waits for the
// running ones. Scans end at their next record.
func (v *view) refuseReads() {
	v.reads.Add(noReads)
	for v.reads.Load() != noReads {
		<-v.store.idle
	}
}

// View implements persistence.Store.
func (s *Store) View(ctx context.Context) (persistence.View, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	v := &view{store: s}
	if !s.views.add(v) {
		return nil, persistence.ErrClosed
	}
	v.version = s.snapshots.acquire()
	v.txn = s.db.NewTransactionAt(v.version, false)
	return v, nil
}

// openViews holds the open views, whose reads a closing store refuses.
type openViews struct {
	mu     sync.Mutex
	all    map[*view]struct{}
	closed bool
}

// add registers a view; false when the store is closing.
func (o *openViews) add(v *view) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return false
	}
	o.all[v] = struct{}{}
	return true
}

func (o *openViews) remove(v *view) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.all, v)
}

// close refuses further views and returns the open ones.
func (o *openViews) close() []*view {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	return slices.Collect(maps.Keys(o.all))
}

// Close implements persistence.View.
func (v *view) Close() {
	if v.closed {
		return
	}
	v.closed = true
	v.store.views.remove(v)
	v.txn.Discard()
	v.store.snapshots.release(v.version)
}

// Get implements persistence.View.
func (v *view) Get(space persistence.Space, key []byte) ([]byte, error) {
	if !validSpace(space) || len(key) == 0 {
		return nil, persistence.ErrNotFound
	}
	if err := v.store.db.damage.of(space); err != nil {
		return nil, err
	}
	return v.read(appendPair(make([]byte, 0, pairLength(space, key)), space, key))
}

// GetAll implements persistence.View.
func (v *view) GetAll(space persistence.Space, keys [][]byte) ([][]byte, error) {
	values := make([][]byte, len(keys))
	for i, key := range keys {
		value, err := v.Get(space, key)
		if err != nil && !errors.Is(err, persistence.ErrNotFound) {
			return nil, err
		}
		values[i] = value
	}
	return values, nil
}

// Lookup implements persistence.View.
func (v *view) Lookup(key persistence.DirectoryKey) ([]byte, error) {
	if len(key.Kind) > persistence.MaxKey {
		return nil, persistence.ErrNotFound
	}
	return v.read(directoryKey(key))
}

// LookupAll implements persistence.View.
func (v *view) LookupAll(kind string, names []string) ([][]byte, error) {
	values := make([][]byte, len(names))
	for i, name := range names {
		value, err := v.Lookup(persistence.DirectoryKey{Kind: kind, Name: name})
		if err != nil && !errors.Is(err, persistence.ErrNotFound) {
			return nil, err
		}
		values[i] = value
	}
	return values, nil
}

func (v *view) read(key []byte) ([]byte, error) {
	if err := v.begin(); err != nil {
		return nil, err
	}
	defer v.end()
	return readValue(v.txn, key)
}

// Scan implements persistence.View.
func (v *view) Scan(space persistence.Space, from, to []byte, yield func(key, value []byte) bool) error {
	if !validSpace(space) {
		return nil
	}
	if err := v.store.db.damage.of(space); err != nil {
		return err
	}
	prefix := appendSpace(nil, space)
	return v.iterate(db.IteratorOptions{Prefix: prefix}, appendPair(nil, space, from), func(physical, value []byte) bool {
		key := physical[len(prefix):]
		return (len(to) == 0 || bytes.Compare(key, to) < 0) && yield(key, value)
	})
}

// Spaces implements persistence.View. A space with values has an epoch.
func (v *view) Spaces(yield func(persistence.Space) bool) error {
	prefix := []byte{tagEpoch}
	return v.iterate(db.IteratorOptions{Prefix: prefix}, prefix, func(physical, _ []byte) bool {
		return yield(persistence.Space(physical[len(prefix):]))
	})
}

// Kinds implements persistence.View. It seeks past the entries of each kind.
func (v *view) Kinds() (kinds []string, err error) {
	prefix := []byte{tagDirectory}
	for start := prefix; len(start) > 0; {
		found := false
		err = v.iterate(db.IteratorOptions{Prefix: prefix}, start, func(physical, _ []byte) bool {
			kind := kindOf(physical)
			kinds, found = append(kinds, kind), true
			start = persistence.PrefixEnd(kindPrefix(kind))
			return false
		})
		if err != nil || !found {
			break
		}
	}
	slices.Sort(kinds) // the keys sort by the length first
	return kinds, err
}

// ScanDirectory implements persistence.View.
func (v *view) ScanDirectory(kind, from string, yield func(name string, value []byte) bool) error {
	if len(kind) > persistence.MaxKey {
		return nil
	}
	prefix := kindPrefix(kind)
	return v.iterate(db.IteratorOptions{Prefix: prefix}, directoryKey(persistence.DirectoryKey{Kind: kind, Name: from}), func(physical, value []byte) bool {
		return yield(string(physical[len(prefix):]), value)
	})
}

// iterate calls yield for the records from start on until it returns false.
// Values are not prefetched: they are stored next to their keys (see tuned),
// and Badger's prefetch starts a goroutine for each.
func (v *view) iterate(options db.IteratorOptions, start []byte, yield func(key, value []byte) bool) error {
	if err := v.begin(); err != nil {
		return err
	}
	defer v.end()
	it := v.txn.NewIterator(options)
	defer it.Close()
	var item *db.Item
	more := true
	visit := func(value []byte) error {
		if value == nil {
			value = []byte{}
		}
		more = yield(item.Key(), value)
		return nil
	}
	for it.Seek(start); it.Valid(); it.Next() {
		item = it.Item()
		if err := item.Value(visit); err != nil {
			return fmt.Errorf("persistence/badger: scan: %w", err)
		}
		if !more {
			break
		}
		if v.reads.Load() < 0 {
			return persistence.ErrClosed
		}
	}
	return nil
}

// readValue returns a copy of the value at a physical key. An empty value is
// not nil: to the directory nil means absent.
func readValue(txn *db.Txn, key []byte) ([]byte, error) {
	item, err := txn.Get(key)
	if errors.Is(err, db.ErrKeyNotFound) {
		return nil, persistence.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("persistence/badger: get: %w", err)
	}
	value, err := item.ValueCopy([]byte{})
	if err != nil {
		return nil, fmt.Errorf("persistence/badger: get: %w", err)
	}
	return value, nil
}
