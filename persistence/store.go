// Package persistence defines what Watchpost asks of a database: one ordered
// key-value space per team, written by one writer at a time, and a small
// directory that all teams share.
//
// The guarantees, each proved for each engine by package storetest:
//
//   - Atomic: all of a batch is there, or nothing of it, also after a crash.
//   - Durable: when done is called with nil, the batch survives a crash of the
//     process and of the machine.
//   - Ordered: batches of one space become visible and durable in the order of
//     their submission. When one fails, every later batch of the same epoch
//     fails with ErrFenced: history has no holes.
//   - Fenced: a batch that carries an epoch older than the space's newest
//     fails with ErrFenced. Two writers can exist; two histories cannot.
//   - Compare-and-set: a directory entry changes only if it holds what the
//     batch expects; otherwise the whole batch fails with ErrConflict.
//   - Snapshots: a View sees whole batches only, all that were done before it
//     was opened, and none that came later.
//
// Limits are those of the weakest engine: see MaxKey, MaxValue, MaxBatchBytes
// and MaxBatchOps. A decision that is larger than a batch is one small batch
// that decides, and idempotent ones that follow.
package persistence

import (
	"context"
	"errors"
)

// Limits of every engine.
const (
	// MaxSpace bounds a space's name in bytes; it is never empty.
	MaxSpace = 255
	// MaxKey bounds a key in bytes, in a space and in the directory; a key is
	// never empty.
	MaxKey = 1024
	// MaxValue bounds a value in bytes.
	MaxValue = 768 << 10
	// MaxBatchBytes bounds the keys and values of one batch together.
	MaxBatchBytes = 1 << 20
	// MaxBatchOps bounds the operations of one batch.
	MaxBatchOps = 2000
)

var (
	// ErrNotFound means that there is no value at the key.
	ErrNotFound = errors.New("persistence: not found")
	// ErrFenced means that the space has a newer epoch, or that an earlier
	// batch of this epoch failed. The writer must stop and reload.
	ErrFenced = errors.New("persistence: fenced")
	// ErrConflict means that a directory entry did not have the expected value.
	// Nothing of the batch was written.
	ErrConflict = errors.New("persistence: conflict")
	// ErrTooLarge means that a batch, key or value exceeds a limit. Nothing
	// was written.
	ErrTooLarge = errors.New("persistence: too large")
	// ErrDamaged means that records which were acknowledged cannot be read any
	// more. The error names the place and the space, if it is known.
	ErrDamaged = errors.New("the store is damaged")
	// ErrClosed means that the store has been closed.
	ErrClosed = errors.New("persistence: closed")
)

// Space names the ordered key-value space of one team.
type Space string

// Epoch numbers the activations of a space; the newest one may write.
type Epoch uint64

// Store is what every engine provides. All methods may be called from several
// goroutines.
type Store interface {
	// Activate takes the space's next epoch and makes it durable. Batches with
	// an older epoch fail from then on.
	Activate(ctx context.Context, space Space) (Epoch, error)

	// Submit hands over a batch for the space and returns at once. The engine
	// calls done exactly once, when the batch is durable (nil) or has failed.
	// For one space the calls come in the order of submission. An epoch that
	// Activate has not returned for the space fails with ErrFenced. done must
	// return quickly and must not call the store. The batch belongs to the
	// engine until done is called.
	Submit(space Space, epoch Epoch, batch *Batch, done func(error))

	// View opens a consistent read-only snapshot of everything. The caller
	// closes it. An engine on another machine also bounds the reads of the view
	// by the deadline of ctx.
	View(ctx context.Context) (View, error)

	// Close waits for the batches that were submitted, then releases the
	// store. Later calls fail with ErrClosed, and so do reads of views that
	// are still open; reads under way end before the store does.
	Close() error
}

// View is a consistent snapshot of all spaces and of the directory. It may be
// used by one goroutine at a time.
type View interface {
	// Get returns a copy of the value, or ErrNotFound.
	Get(space Space, key []byte) ([]byte, error)
	// GetAll returns copies of the values at the keys, in the order of the
	// keys; nil where there is no value. The caller bounds their sizes.
	GetAll(space Space, keys [][]byte) ([][]byte, error)
	// Scan calls yield for the keys of the space in [from, to) in bytewise
	// order, until yield returns false. An empty from is the first key, an
	// empty to is past the last. Key and value are valid during the call only.
	// yield may read the view.
	Scan(space Space, from, to []byte, yield func(key, value []byte) bool) error
	// Spaces calls yield for each space that has a value, in bytewise order,
	// until yield returns false. It may call it for spaces without values.
	Spaces(yield func(Space) bool) error
	// Lookup returns a copy of a directory entry, or ErrNotFound.
	Lookup(key DirectoryKey) ([]byte, error)
	// LookupAll returns copies of the entries of one kind with these names, in the
	// order of the names; nil where there is none. The caller bounds their sizes.
	LookupAll(kind string, names []string) ([][]byte, error)
	// ScanDirectory calls yield for the entries of one kind in bytewise order
	// of their names, from the name from on, until yield returns false.
	ScanDirectory(kind, from string, yield func(name string, value []byte) bool) error
	// Kinds returns the kinds of the directory that have entries, in bytewise
	// order.
	Kinds() ([]string, error)
	// Close releases the snapshot.
	Close()
}

// DirectoryKey names an entry of the directory, which all teams share: kind
// is one of a few constants of its users (without the NUL byte), name is what
// is looked up.
type DirectoryKey struct {
	Kind string
	Name string
}

type expected struct {
	space Space
	keys  [][]byte
}

type expectedKey struct{}

// Expect returns a context for views of which Get will ask for these few keys of a space.
// An engine on another machine reads them in the round trip that opens the view. It is
// for speed only: views of all contexts return the same.
func Expect(ctx context.Context, space Space, keys ...string) context.Context {
	e := expected{space: space, keys: make([][]byte, len(keys))}
	for i, key := range keys {
		e.keys[i] = []byte(key)
	}
	return context.WithValue(ctx, expectedKey{}, e)
}

// Expected returns what Expect was called with last, for engines.
func Expected(ctx context.Context) (space Space, keys [][]byte) {
	e, _ := ctx.Value(expectedKey{}).(expected)
	return e.space, e.keys
}

// Commit submits the batch and waits until it is durable or has failed. When
// ctx ends first its error is returned, and the outcome is unknown.
func Commit(ctx context.Context, s Store, space Space, epoch Epoch, batch *Batch) error {
	done := make(chan error, 1)
	s.Submit(space, epoch, batch, func(err error) { done <- err })
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// PrefixEnd returns the first key after all keys that begin with prefix, for
// use as the end of a Scan; empty when there is none.
func PrefixEnd(prefix []byte) []byte {
	end := append([]byte(nil), prefix...)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i] < 0xff {
			end[i]++
			return end[:i+1]
		}
	}
	return nil
}
