package sim

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"watchpost/persistence"
)

// disk is what lasts: the spaces and the directory that the nodes of a life share.
// Its records and its directory are replaced, never changed, so that a view of it is a
// copy of their addresses.
type disk struct {
	mu        sync.Mutex
	spaces    map[persistence.Space]records
	directory map[persistence.DirectoryKey]string
	epochs    map[persistence.Space]persistence.Epoch
	failed    map[persistence.Space]persistence.Epoch
	// watch is called with each batch that lasts; nil: nothing is.
	watch func(persistence.Space, *persistence.Batch)
}

// records are those of a space, in the order of their keys.
type records []record

type record struct{ key, value string }

// find returns where the record of a key is, or belongs.
func (r records) find(key string) (at int, found bool) {
	return slices.BinarySearchFunc(r, key, func(o record, key string) int { return strings.Compare(o.key, key) })
}

// written returns the records with some changed.
func (r records) written(writes []persistence.Write) records {
	r = append(make(records, 0, len(r)+len(writes)), r...)
	for _, w := range writes {
		at, found := r.find(string(w.Key))
		switch {
		case found && w.Delete:
			r = slices.Delete(r, at, at+1)
		case found:
			r[at].value = string(w.Value)
		case !w.Delete:
			r = slices.Insert(r, at, record{string(w.Key), string(w.Value)})
		}
	}
	return r
}

func newDisk() *disk {
	return &disk{
		spaces: map[persistence.Space]records{}, directory: map[persistence.DirectoryKey]string{},
		epochs: map[persistence.Space]persistence.Epoch{}, failed: map[persistence.Space]persistence.Epoch{},
	}
}

func (d *disk) activate(space persistence.Space) (persistence.Epoch, error) {
	if len(space) == 0 || len(space) > persistence.MaxSpace {
		return 0, persistence.ErrTooLarge
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.epochs[space]++
	return d.epochs[space], nil
}

// apply writes a batch, all or nothing.
func (d *disk) apply(space persistence.Space, epoch persistence.Epoch, b *persistence.Batch) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(space) == 0 || len(space) > persistence.MaxSpace {
		return persistence.ErrTooLarge
	}
	current := d.current(space, epoch)
	err := b.Check()
	if err == nil && !current {
		err = persistence.ErrFenced
	}
	if err == nil {
		err = d.write(space, b)
	}
	if err != nil && current {
		d.failed[space] = epoch
	}
	return err
}

func (d *disk) current(space persistence.Space, epoch persistence.Epoch) bool {
	return epoch != 0 && epoch == d.epochs[space] && d.failed[space] != epoch
}

// breakOff makes everything that comes later under the epoch fail.
func (d *disk) breakOff(space persistence.Space, epoch persistence.Epoch) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.epochs[space] == epoch {
		d.failed[space] = epoch
	}
}

func (d *disk) write(space persistence.Space, b *persistence.Batch) error {
	directory := d.directory
	if len(b.Directory) > 0 {
		directory = maps.Clone(directory)
	}
	for _, w := range b.Directory {
		var present []byte
		if value, ok := directory[w.Key]; ok {
			present = append([]byte{}, value...)
		}
		switch {
		case !w.Holds(present):
			return persistence.ErrConflict
		case w.Value == nil:
			delete(directory, w.Key)
		default:
			directory[w.Key] = string(w.Value)
		}
	}
	d.directory = directory
	if len(b.Writes) > 0 {
		d.spaces[space] = d.spaces[space].written(b.Writes)
	}
	if d.watch != nil {
		d.watch(space, b)
	}
	return nil
}

// left returns how many records a space has.
func (d *disk) left(space persistence.Space) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.spaces[space])
}

func (d *disk) view(closed func() bool) *view {
	d.mu.Lock()
	defer d.mu.Unlock()
	return &view{spaces: maps.Clone(d.spaces), directory: d.directory, over: closed}
}

// view is a snapshot of a disk.
type view struct {
	spaces    map[persistence.Space]records
	directory map[persistence.DirectoryKey]string
	closed    bool
	over      func() bool // whether the store is closed
}

func (v *view) check() error {
	if v.closed || v.over() {
		return persistence.ErrClosed
	}
	return nil
}

// Get implements persistence.View.
func (v *view) Get(space persistence.Space, key []byte) ([]byte, error) {
	all := v.spaces[space]
	at, ok := all.find(string(key))
	if !ok {
		return v.found("", false)
	}
	return v.found(all[at].value, true)
}

func (v *view) found(value string, ok bool) ([]byte, error) {
	if err := v.check(); err != nil {
		return nil, err
	}
	if !ok {
		return nil, persistence.ErrNotFound
	}
	return []byte(value), nil
}

// GetAll implements persistence.View.
func (v *view) GetAll(space persistence.Space, keys [][]byte) ([][]byte, error) {
	return all(keys, func(key []byte) ([]byte, error) { return v.Get(space, key) })
}

// all gets each, with nil for one that is not there.
func all[K any](keys []K, get func(K) ([]byte, error)) ([][]byte, error) {
	values := make([][]byte, len(keys))
	for i, key := range keys {
		value, err := get(key)
		if err != nil && !errors.Is(err, persistence.ErrNotFound) {
			return nil, err
		}
		values[i] = value
	}
	return values, nil
}

// Scan implements persistence.View.
func (v *view) Scan(space persistence.Space, from, to []byte, yield func(key, value []byte) bool) error {
	if err := v.check(); err != nil {
		return err
	}
	all := v.spaces[space]
	first, _ := all.find(string(from))
	for _, r := range all[first:] {
		if len(to) > 0 && r.key >= string(to) || !yield([]byte(r.key), []byte(r.value)) {
			return nil
		}
		if err := v.check(); err != nil {
			return err
		}
	}
	return nil
}

// Spaces implements persistence.View.
func (v *view) Spaces(yield func(persistence.Space) bool) error {
	if err := v.check(); err != nil {
		return err
	}
	for _, space := range slices.Sorted(maps.Keys(v.spaces)) {
		if len(v.spaces[space]) > 0 && !yield(space) {
			break
		}
	}
	return nil
}

// Lookup implements persistence.View.
func (v *view) Lookup(key persistence.DirectoryKey) ([]byte, error) {
	value, ok := v.directory[key]
	return v.found(value, ok)
}

// LookupAll implements persistence.View.
func (v *view) LookupAll(kind string, names []string) ([][]byte, error) {
	return all(names, func(name string) ([]byte, error) {
		return v.Lookup(persistence.DirectoryKey{Kind: kind, Name: name})
	})
}

// ScanDirectory implements persistence.View.
func (v *view) ScanDirectory(kind, from string, yield func(name string, value []byte) bool) error {
	if err := v.check(); err != nil {
		return err
	}
	var names []string
	for key := range v.directory {
		if key.Kind == kind && key.Name >= from {
			names = append(names, key.Name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if !yield(name, []byte(v.directory[persistence.DirectoryKey{Kind: kind, Name: name}])) {
			break
		}
	}
	return nil
}

// Kinds implements persistence.View.
func (v *view) Kinds() ([]string, error) {
	if err := v.check(); err != nil {
		return nil, err
	}
	kinds := map[string]bool{}
	for key := range v.directory {
		kinds[key.Kind] = true
	}
	return slices.Sorted(maps.Keys(kinds)), nil
}

// Close implements persistence.View.
func (v *view) Close() { v.closed = true }
