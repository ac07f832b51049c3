package badger

import (
	"sort"
	"sync"
)

// snapshots tracks the newest durable version and the versions that open views
// read. Badger runs in managed mode, where the caller chooses a transaction's
// version: a view reads the newest durable version, and so neither sees the
// group being synced nor waits for it. In return the store must tell Badger
// which old versions have no readers.
type snapshots struct {
	mu      sync.Mutex
	durable uint64
	open    []reading // ascending; versions never decrease, so new ones go last
	views   int
	discard func(version uint64)
}

type reading struct {
	version uint64
	views   int
}

func newSnapshots(durable uint64, discard func(version uint64)) *snapshots {
	discard(durable)
	return &snapshots{durable: durable, discard: discard}
}

// acquire pins the newest durable version.
func (s *snapshots) acquire() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.views++
	if n := len(s.open); n > 0 && s.open[n-1].version == s.durable {
		s.open[n-1].views++
	} else {
		s.open = append(s.open, reading{version: s.durable, views: 1})
	}
	return s.durable
}

// release unpins a version.
func (s *snapshots) release(version uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.views--
	i := sort.Search(len(s.open), func(i int) bool { return s.open[i].version >= version })
	s.open[i].views--
	done := 0
	for done < len(s.open) && s.open[done].views == 0 {
		done++
	}
	if done > 0 {
		s.open = append(s.open[:0], s.open[done:]...)
		s.discardLocked()
	}
}

// advance makes version the newest durable one.
func (s *snapshots) advance(version uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.durable = version
	s.discardLocked()
}

func (s *snapshots) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.views
}

// discardLocked tells Badger the version below which it may drop overwritten
// and deleted values.
func (s *snapshots) discardLocked() {
	if len(s.open) > 0 {
		s.discard(s.open[0].version)
		return
	}
	s.discard(s.durable)
}
