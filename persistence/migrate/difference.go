package migrate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"

	"watchpost/persistence"
)

// differences calls write for each record that the target lacks or has with
// another value, and with a nil value for each that only the target has. Key and
// value are valid during the call only.
func differences(ctx context.Context, from, to persistence.Store, all scan, write func(key, value []byte) error) error {
	source, err := open(ctx, from, all)
	if err != nil {
		return err
	}
	defer source.close()
	target, err := open(ctx, to, all)
	if err != nil {
		return err
	}
	defer target.close()
	target.next()
	for source.next(); source.more; source.next() {
		for target.before(source.key) {
			if err := write(target.key, nil); err != nil {
				return err
			}
			target.next()
		}
		same := target.more && bytes.Equal(source.key, target.key)
		if !same || !bytes.Equal(source.value, target.value) {
			if err := write(source.key, source.value); err != nil {
				return err
			}
		}
		if same {
			target.next()
		}
	}
	for ; target.more && source.err == nil; target.next() {
		if err := write(target.key, nil); err != nil {
			return err
		}
	}
	if source.err != nil {
		return source.err
	}
	return target.err
}

// cursor walks the records of a store.
type cursor struct {
	key, value []byte
	more       bool
	err        error

	view persistence.View
	pull func() (record, bool)
	stop func()
}

type record struct{ key, value []byte }

// open opens a cursor before the first record.
func open(ctx context.Context, store persistence.Store, all scan) (*cursor, error) {
	view, err := store.View(ctx)
	if err != nil {
		return nil, err
	}
	c := &cursor{view: view}
	c.pull, c.stop = iter.Pull(func(yield func(record) bool) {
		c.err = all(view, func(key, value []byte) bool { return yield(record{key, value}) })
	})
	return c, nil
}

func (c *cursor) next() {
	r, more := c.pull()
	c.key, c.value, c.more = r.key, r.value, more
	if more && c.value == nil {
		c.value = []byte{} // nil means that there is no record
	}
}

// before reports a current record whose key is less than another key.
func (c *cursor) before(key []byte) bool { return c.more && bytes.Compare(c.key, key) < 0 }

func (c *cursor) close() {
	c.stop()
	c.view.Close()
}

// writer collects changes of one space in batches.
type writer struct {
	to          persistence.Store
	space       persistence.Space
	epoch       persistence.Epoch // 0 before the first batch
	batch       persistence.Batch
	bytes, size int
	written     int
}

// write adds one change.
func (w *writer) write(ctx context.Context, one persistence.Batch) error {
	bytes, ops := one.Size()
	if w.bytes+bytes > persistence.MaxBatchBytes || w.size+ops > persistence.MaxBatchOps {
		if err := w.flush(ctx); err != nil {
			return err
		}
	}
	w.batch.Writes = append(w.batch.Writes, one.Writes...)
	w.batch.Directory = append(w.batch.Directory, one.Directory...)
	w.bytes, w.size, w.written = w.bytes+bytes, w.size+ops, w.written+ops
	return nil
}

// flush commits the collected changes.
func (w *writer) flush(ctx context.Context) (err error) {
	if w.size == 0 {
		return nil
	}
	if w.epoch == 0 {
		if w.epoch, err = w.to.Activate(ctx, w.space); err != nil {
			return err
		}
	}
	b := w.batch
	w.batch, w.bytes, w.size = persistence.Batch{}, 0, 0
	return persistence.Commit(ctx, w.to, w.space, w.epoch, &b)
}

// digest identifies a sequence of records.
type digest struct {
	records int
	bytes   int64
	sum     [sha256.Size]byte
}

// String shows a digest in an error.
func (d digest) String() string {
	return fmt.Sprintf("%d records of %d bytes, checksum %x", d.records, d.bytes, d.sum[:8])
}

func digestOf(v persistence.View, all scan) (d digest, err error) {
	h := sha256.New()
	var lengths [8]byte
	err = all(v, func(key, value []byte) bool {
		binary.BigEndian.PutUint32(lengths[:4], uint32(len(key)))
		binary.BigEndian.PutUint32(lengths[4:], uint32(len(value)))
		h.Write(lengths[:]) // a hash returns no error
		h.Write(key)
		h.Write(value)
		d.records++
		d.bytes += int64(len(key) + len(value))
		return true
	})
	h.Sum(d.sum[:0])
	return d, err
}
