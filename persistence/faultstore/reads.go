package faultstore

import "watchpost/persistence"

// Read is one read of the store: of a key or from a key on, or of the directory.
// The zero Read opens a view.
type Read struct {
	Space persistence.Space
	Key   string
	Kind  string // of the directory
}

// LoseReads asks f of each read whether it fails. nil ends that. f is called by
// one goroutine at a time.
func (s *Store) LoseReads(f func(Read) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.losing = f
}

// LoseRead makes the nth of the reads from now (1: the next) fail that match.
func (s *Store) LoseRead(nth int, match func(Read) bool) {
	s.LoseReads(func(r Read) bool {
		if !match(r) {
			return false
		}
		nth--
		return nth == 0
	})
}

func (s *Store) lost(r Read) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.losing != nil && s.losing(r)
}

// lossyView is a view whose reads the script may make fail.
type lossyView struct {
	persistence.View
	store *Store
}

// Get implements persistence.View.
func (v *lossyView) Get(space persistence.Space, key []byte) ([]byte, error) {
	if v.store.lost(Read{Space: space, Key: string(key)}) {
		return nil, ErrInjected
	}
	return v.View.Get(space, key)
}

// GetAll implements persistence.View.
func (v *lossyView) GetAll(space persistence.Space, keys [][]byte) ([][]byte, error) {
	for _, key := range keys {
		if v.store.lost(Read{Space: space, Key: string(key)}) {
			return nil, ErrInjected
		}
	}
	return v.View.GetAll(space, keys)
}

// Scan implements persistence.View. It fails part-way, after yielding only some
// of the records.
func (v *lossyView) Scan(space persistence.Space, from, to []byte, yield func(key, value []byte) bool) error {
	if !v.store.lost(Read{Space: space, Key: string(from)}) {
		return v.View.Scan(space, from, to, yield)
	}
	return firstOnly(v.View.Scan, space, from, to, yield)
}

type scan func(space persistence.Space, from, to []byte, yield func(key, value []byte) bool) error

// firstOnly scans up to the first key and fails.
func firstOnly(scan scan, space persistence.Space, from, to []byte, yield func(key, value []byte) bool) error {
	err := scan(space, from, to, func(key, value []byte) bool {
		yield(key, value)
		return false
	})
	if err != nil {
		return err
	}
	return ErrInjected
}

// Lookup implements persistence.View.
func (v *lossyView) Lookup(key persistence.DirectoryKey) ([]byte, error) {
	if v.store.lost(Read{Kind: key.Kind, Key: key.Name}) {
		return nil, ErrInjected
	}
	return v.View.Lookup(key)
}

// LookupAll implements persistence.View.
func (v *lossyView) LookupAll(kind string, names []string) ([][]byte, error) {
	for _, name := range names {
		if v.store.lost(Read{Kind: kind, Key: name}) {
			return nil, ErrInjected
		}
	}
	return v.View.LookupAll(kind, names)
}

// ScanDirectory implements persistence.View.
func (v *lossyView) ScanDirectory(kind, from string, yield func(name string, value []byte) bool) error {
	if !v.store.lost(Read{Kind: kind}) {
		return v.View.ScanDirectory(kind, from, yield)
	}
	err := v.View.ScanDirectory(kind, from, func(name string, value []byte) bool {
		yield(name, value)
		return false
	})
	if err != nil {
		return err
	}
	return ErrInjected
}
