// Package migrate copies a store into another one, above the engines.
//
// Copy makes the target equal to the source: it reads both in the order of
// their keys and writes what differs. A copy that was interrupted therefore
// goes on when it is run again, also if the source has changed since. A record
// in the target says that the copy is not finished; Finish removes it.
package migrate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"watchpost/persistence"
)

var (
	// ErrNotEmpty means that the target has data that no copy has written.
	ErrNotEmpty = errors.New("the target is not empty")
	// ErrUnfinished means that a store is the target of a copy that has not been
	// finished.
	ErrUnfinished = errors.New("the store is an unfinished copy: run watchpost migrate again")
)

// space and mark are where the target says that it is unfinished. No team has
// this name.
const space persistence.Space = "migrate"

var mark = persistence.DirectoryKey{Kind: "migrate", Name: "unfinished"}

// workers is the number of spaces that are copied at a time, so that their
// batches share commits.
const workers = 8

// Sum says what a copy has read and written.
type Sum struct {
	Spaces, Entries int
	Records         int   // of all spaces
	Bytes           int64 // keys and values of records and entries
	Written         int   // changes of the target
}

// Check returns ErrUnfinished for the target of a copy that is not finished.
func Check(ctx context.Context, store persistence.Store) error {
	unfinished, err := read(ctx, store, marked)
	if err == nil && unfinished {
		err = ErrUnfinished
	}
	return err
}

func marked(v persistence.View) (bool, error) {
	_, err := v.Lookup(mark)
	if errors.Is(err, persistence.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// read calls a function with a view of a store.
func read[T any](ctx context.Context, store persistence.Store, f func(persistence.View) (T, error)) (T, error) {
	v, err := store.View(ctx)
	if err != nil {
		var none T
		return none, err
	}
	defer v.Close()
	return f(v)
}

// Copy makes the target equal to the source, then compares the number of
// records and a checksum of every space and every kind of the directory.
// Nothing else may write to either. progress is called after each space.
func Copy(ctx context.Context, from, to persistence.Store, progress func(done, of int, sum Sum)) (Sum, error) {
	if err := begin(ctx, from, to); err != nil {
		return Sum{}, err
	}
	spaces, err := allSpaces(ctx, from, to)
	if err != nil {
		return Sum{}, err
	}
	var sum Sum
	var mu sync.Mutex
	done := 0
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for _, s := range spaces {
		group.Go(func() error {
			one, err := copySpace(running, from, to, s)
			if err != nil {
				return fmt.Errorf("space %q: %w", s, err)
			}
			mu.Lock()
			defer mu.Unlock()
			sum.add(one)
			done++
			progress(done, len(spaces), sum)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return sum, err
	}
	entries, err := copyDirectory(ctx, from, to)
	sum.add(entries)
	return sum, err
}

func (s *Sum) add(o Sum) {
	s.Spaces += o.Spaces
	s.Entries += o.Entries
	s.Records += o.Records
	s.Bytes += o.Bytes
	s.Written += o.Written
}

// Finish marks the target as complete.
func Finish(ctx context.Context, to persistence.Store) error {
	epoch, err := to.Activate(ctx, space)
	if err != nil {
		return err
	}
	var b persistence.Batch
	b.Set(mark, nil)
	return persistence.Commit(ctx, to, space, epoch, &b)
}

// begin checks both stores and marks the target as unfinished.
func begin(ctx context.Context, from, to persistence.Store) error {
	if err := Check(ctx, from); err != nil {
		return fmt.Errorf("the source: %w", err)
	}
	resumes, err := read(ctx, to, func(v persistence.View) (bool, error) {
		unfinished, err := marked(v)
		if unfinished || err != nil {
			return unfinished, err
		}
		return false, empty(v)
	})
	if err != nil || resumes {
		return err
	}
	epoch, err := to.Activate(ctx, space)
	if err != nil {
		return err
	}
	var b persistence.Batch
	b.CompareAndSet(mark, nil, []byte("1"))
	return persistence.Commit(ctx, to, space, epoch, &b)
}

// empty returns ErrNotEmpty for a store with data.
func empty(v persistence.View) error {
	kinds, err := v.Kinds()
	if err != nil {
		return err
	}
	found := len(kinds) > 0
	var failed error
	err = v.Spaces(func(s persistence.Space) bool {
		failed = v.Scan(s, nil, nil, func([]byte, []byte) bool {
			found = true
			return false
		})
		return failed == nil && !found
	})
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	if found {
		return ErrNotEmpty
	}
	return nil
}

// allSpaces returns the spaces of both stores.
func allSpaces(ctx context.Context, stores ...persistence.Store) (all []persistence.Space, err error) {
	for _, s := range stores {
		_, err := read(ctx, s, func(v persistence.View) (struct{}, error) {
			return struct{}{}, v.Spaces(func(s persistence.Space) bool {
				if s != space {
					all = append(all, s)
				}
				return true
			})
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// copySpace copies one space and compares it.
func copySpace(ctx context.Context, from, to persistence.Store, s persistence.Space) (Sum, error) {
	records := func(v persistence.View, yield func(key, value []byte) bool) error { return v.Scan(s, nil, nil, yield) }
	w := &writer{to: to, space: s}
	sum, err := synchronize(ctx, from, to, w, records, func(key, value []byte) persistence.Batch {
		var b persistence.Batch
		if value == nil {
			b.Delete(key)
		} else {
			b.Put(key, value)
		}
		return b
	})
	if sum.Records > 0 {
		sum.Spaces = 1
	}
	return sum, err
}

// copyDirectory copies the entries of all kinds and compares them.
func copyDirectory(ctx context.Context, from, to persistence.Store) (sum Sum, err error) {
	var kinds []string
	for _, s := range []persistence.Store{from, to} {
		some, err := read(ctx, s, persistence.View.Kinds)
		if err != nil {
			return sum, err
		}
		kinds = append(kinds, some...)
	}
	slices.Sort(kinds)
	for _, kind := range slices.Compact(kinds) {
		if kind == mark.Kind {
			continue
		}
		entries := func(v persistence.View, yield func(key, value []byte) bool) error {
			return v.ScanDirectory(kind, "", func(name string, value []byte) bool { return yield([]byte(name), value) })
		}
		one, err := synchronize(ctx, from, to, &writer{to: to, space: space}, entries, func(name, value []byte) persistence.Batch {
			var b persistence.Batch
			b.Set(persistence.DirectoryKey{Kind: kind, Name: string(name)}, value)
			return b
		})
		if err != nil {
			return sum, fmt.Errorf("directory %q: %w", kind, err)
		}
		one.Records, one.Entries = 0, one.Records
		sum.add(one)
	}
	return sum, nil
}

// scan reads records in the bytewise order of their keys.
type scan func(v persistence.View, yield func(key, value []byte) bool) error

// synchronize writes what differs, then compares digests of both sides.
func synchronize(ctx context.Context, from, to persistence.Store, w *writer, all scan, change func(key, value []byte) persistence.Batch) (Sum, error) {
	err := differences(ctx, from, to, all, func(key, value []byte) error {
		if value != nil {
			value = append([]byte{}, value...)
		}
		return w.write(ctx, change(bytes.Clone(key), value))
	})
	if err == nil {
		err = w.flush(ctx)
	}
	if err != nil {
		return Sum{}, err
	}
	var digests [2]digest
	for i, s := range []persistence.Store{from, to} {
		digests[i], err = read(ctx, s, func(v persistence.View) (digest, error) { return digestOf(v, all) })
		if err != nil {
			return Sum{}, err
		}
	}
	if digests[0] != digests[1] {
		return Sum{}, fmt.Errorf("the copy differs: the source has %v, the target %v; is a service running?", digests[0], digests[1])
	}
	return Sum{Records: digests[0].records, Bytes: digests[0].bytes, Written: w.written}, nil
}
