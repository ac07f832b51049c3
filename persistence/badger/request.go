package badger

import (
	"watchpost/persistence"

	db "github.com/dgraph-io/badger/v4"
)

// Badger's overhead for each entry of a transaction in addition to key and
// value, and for the transaction itself with its marker (Txn.checkSize and
// newTransaction).
// The committer keeps the same count and closes a group before Badger would
// refuse it, so a group always ends between two batches.
const (
	entryOverhead = 12
	groupOverhead = 21 + 1 + entryOverhead
	groupEntries  = 2
)

// request is one batch, or one activation, on its way through the committer.
type request struct {
	space persistence.Space
	epoch persistence.Epoch // of the batch, or taken by the activation
	// activation asks for the space's next epoch instead of writing a batch.
	activation bool
	// pairs are the batch's writes under their physical keys; deletes[i] marks
	// a delete. The caller's goroutine prepares them, not the shared
	// committer.
	pairs     []db.Entry
	deletes   []bool
	directory []persistence.DirectoryWrite
	// size and count are the maximum that the request adds to a transaction,
	// its space's epoch included.
	size, count int64
	bytes       int // of keys and values, as the contract counts them
	err         error
	done        func(error)
}

func newActivation(space persistence.Space, done func(error)) *request {
	r := &request{space: space, activation: true, done: done}
	r.countEpoch()
	if !validSpace(space) {
		r.err = persistence.ErrTooLarge
	}
	return r
}

// newRequest prepares a batch. An invalid one still takes its place in the
// queue, because it fails the later batches of its epoch.
func newRequest(space persistence.Space, epoch persistence.Epoch, batch *persistence.Batch, done func(error)) *request {
	r := &request{space: space, epoch: epoch, done: done}
	r.countEpoch()
	switch {
	case batch == nil:
	case !validSpace(space) || batch.Check() != nil:
		r.err = persistence.ErrTooLarge
	default:
		r.bytes, _ = batch.Size()
		r.prepare(batch)
	}
	return r
}

func (r *request) countEpoch() {
	r.size += int64(1+len(r.space)+8) + entryOverhead
	r.count++
}

func (r *request) prepare(batch *persistence.Batch) {
	var length int
	for i := range batch.Writes {
		length += pairLength(r.space, batch.Writes[i].Key)
	}
	keys := make([]byte, 0, length)
	r.pairs = make([]db.Entry, len(batch.Writes))
	for i := range batch.Writes {
		w, start := &batch.Writes[i], len(keys)
		keys = appendPair(keys, r.space, w.Key)
		r.pairs[i].Key = keys[start:len(keys):len(keys)]
		if !w.Delete {
			r.pairs[i].Value = w.Value
			r.add(len(r.pairs[i].Key), len(w.Value))
			continue
		}
		if r.deletes == nil {
			r.deletes = make([]bool, len(batch.Writes))
		}
		r.deletes[i] = true
		r.add(len(r.pairs[i].Key), 0)
	}
	r.directory = batch.Directory
	for i := range r.directory {
		d := &r.directory[i]
		r.add(3+len(d.Key.Kind)+len(d.Key.Name), len(d.Value))
	}
}

func (r *request) add(key, value int) {
	r.size += int64(key+value) + entryOverhead
	r.count++
}
