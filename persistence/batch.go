package persistence

import "bytes"

// Batch is what one decision writes: puts and deletes in the team's space and
// compare-and-set changes of the directory, all or nothing. The zero value is
// an empty batch. When a key is written twice the last write stands.
type Batch struct {
	Writes    []Write
	Directory []DirectoryWrite
}

// Write is a put, or with Delete set a delete, of one key. Deleting an
// absent key is no error.
type Write struct {
	Key    []byte
	Value  []byte
	Delete bool
}

// DirectoryWrite changes one directory entry on condition. A nil Expect means
// that the entry must be absent; a nil Value deletes it. Several changes
// of one entry in one batch are checked and applied in turn.
type DirectoryWrite struct {
	Key    DirectoryKey
	Expect []byte
	Value  []byte
	// Always sets the entry regardless of its value; Expect is ignored.
	Always bool
}

// Put sets key to value. Both belong to the batch from now on.
func (b *Batch) Put(key, value []byte) {
	b.Writes = append(b.Writes, Write{Key: key, Value: value})
}

// Delete removes key.
func (b *Batch) Delete(key []byte) {
	b.Writes = append(b.Writes, Write{Key: key, Delete: true})
}

// CompareAndSet changes a directory entry if it holds expect (nil: if it is
// absent). A nil value deletes it.
func (b *Batch) CompareAndSet(key DirectoryKey, expect, value []byte) {
	b.Directory = append(b.Directory, DirectoryWrite{Key: key, Expect: expect, Value: value})
}

// Set sets a directory entry regardless of its value; a nil value deletes it.
func (b *Batch) Set(key DirectoryKey, value []byte) {
	b.Directory = append(b.Directory, DirectoryWrite{Key: key, Value: value, Always: true})
}

// Empty reports whether the batch writes nothing.
func (b *Batch) Empty() bool { return len(b.Writes) == 0 && len(b.Directory) == 0 }

// Size returns the bytes of all keys and values and the number of operations,
// as MaxBatchBytes and MaxBatchOps count them.
func (b *Batch) Size() (bytes, ops int) {
	for i := range b.Writes {
		bytes += len(b.Writes[i].Key) + len(b.Writes[i].Value)
	}
	for i := range b.Directory {
		d := &b.Directory[i]
		bytes += len(d.Key.Kind) + len(d.Key.Name) + len(d.Value)
	}
	return bytes, len(b.Writes) + len(b.Directory)
}

// Check returns ErrTooLarge when the batch or one of its keys or values
// exceeds a limit, or a key is empty. Engines call it before anything else.
func (b *Batch) Check() error {
	if size, ops := b.Size(); size > MaxBatchBytes || ops > MaxBatchOps {
		return ErrTooLarge
	}
	for i := range b.Writes {
		if w := &b.Writes[i]; !validKey(len(w.Key)) || len(w.Value) > MaxValue {
			return ErrTooLarge
		}
	}
	for i := range b.Directory {
		d := &b.Directory[i]
		if !validKey(len(d.Key.Kind)+len(d.Key.Name)) || len(d.Value) > MaxValue {
			return ErrTooLarge
		}
	}
	return nil
}

func validKey(n int) bool { return n > 0 && n <= MaxKey }

// Holds reports whether a directory entry (nil: absent) is what w expects.
func (w *DirectoryWrite) Holds(current []byte) bool {
	if w.Always {
		return true
	}
	if w.Expect == nil || current == nil {
		return w.Expect == nil && current == nil
	}
	return bytes.Equal(w.Expect, current)
}
