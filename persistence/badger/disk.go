package badger

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	db "github.com/dgraph-io/badger/v4"
	"github.com/prometheus/client_golang/prometheus"

	"watchpost/persistence/storemetrics"
)

// Badger maps its files and leaves them sparse: on a full disk, a write to a
// mapped page kills the process (SIGBUS). The store therefore watches the free
// space, allocates the log of the open memtable in advance, and writes only
// groups with room.
const (
	// DiskReserve is the free space that the engine needs: a new log, the
	// tables of flushed memtables, and a compaction. Below it the store
	// refuses to open a folder, and commits only groups that fit into the
	// allocated log.
	DiskReserve = 64 << 20
	// allocatedLog is the usable part of a memtable's log: Badger takes the
	// next memtable when one of 16 MiB is full, and checks before a group.
	allocatedLog = 20 << 20
	// surelyFits is the size of groups, as counted here, that cannot fill a
	// memtable.
	surelyFits = 8 << 20
	// entryInMemtable bounds the overhead of an entry in addition to key and
	// value.
	entryInMemtable = 128
	// roomEvery is the interval at which a waiting committer checks for room.
	roomEvery = 100 * time.Millisecond
	// lookEvery is the interval of checks for low space.
	lookEvery = time.Second
)

// disk knows the free space of the folder. The committer alone calls admit and
// committed.
type disk struct {
	dir  string
	min  int64 // 0: no check
	free func() (int64, error)
	log  *slog.Logger

	newest int   // number of the open memtable's log
	fits   int64 // bytes that surely fit into its allocated part
	waits  atomic.Bool
}

func newDisk(o Options) *disk {
	d := &disk{dir: o.Dir, min: o.MinFree, free: o.free, log: o.Logger}
	if d.free == nil {
		d.free = func() (int64, error) { return freeSpace(o.Dir) }
	}
	return d
}

// check refuses to open a folder on a disk without the reserve, because Badger
// would write tables at once.
func (d *disk) check() error {
	if free, err := d.free(); d.min > 0 && err == nil && free < DiskReserve {
		return fmt.Errorf("persistence/badger: the disk of %s is full: %d MiB are free, at least %d MiB are needed: make room and start again",
			d.dir, free>>20, int64(DiskReserve)>>20)
	}
	return nil
}

// opened allocates the log of the memtable that Badger opened.
func (d *disk) opened() {
	if d.min <= 0 {
		return
	}
	paths, err := filepath.Glob(filepath.Join(d.dir, "*.mem"))
	if err != nil {
		return // the pattern is valid
	}
	for _, path := range paths {
		var number int
		if _, err := fmt.Sscanf(filepath.Base(path), "%d.mem", &number); err == nil && number >= d.newest {
			d.newest = number
		}
	}
	d.allocate()
}

func (d *disk) logPath(number int) string {
	return filepath.Join(d.dir, fmt.Sprintf("%05d.mem", number))
}

func (d *disk) allocate() {
	d.fits = 0
	if err := allocate(d.logPath(d.newest), allocatedLog); err == nil {
		d.fits = surelyFits
	}
}

// low reports whether the free space is below the operator's minimum. A disk
// with unknown free space is not low.
func (d *disk) low() (free int64, low bool) {
	free, err := d.free()
	if err != nil {
		return 0, false
	}
	return free, free < d.min
}

// admits reports whether a group may be written now.
func (d *disk) admits(g *group) bool {
	if d.min <= 0 || taken(g) <= d.fits {
		return true
	}
	free, err := d.free()
	return err != nil || free >= DiskReserve
}

// committed records a written group, and allocates the log of a new memtable
// if the group caused one.
func (d *disk) committed(g *group) {
	if d.min <= 0 {
		return
	}
	d.fits = max(0, d.fits-taken(g))
	rotated := false
	for {
		if _, err := os.Stat(d.logPath(d.newest + 1)); err != nil {
			break
		}
		d.newest++
		rotated = true
	}
	if rotated {
		d.allocate()
	}
}

func taken(g *group) int64 { return g.size + g.count*entryInMemtable }

// watch logs when the free space becomes low, and when there is room again.
// The ticker runs in real time.
func (d *disk) watch(stop <-chan struct{}) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for was := false; ; {
		free, low := d.low()
		switch {
		case low && !was:
			d.log.Error("the disk is nearly full: writes of the API are refused until there is room",
				"dir", d.dir, "free_mib", free>>20, "min_free_mib", d.min>>20)
		case was && !low:
			d.log.Info("the disk has room again: writes are taken", "dir", d.dir, "free_mib", free>>20)
		}
		was = low
		select {
		case <-stop:
			return
		case <-ticker.C:
		}
	}
}

// closes closes the database. If the disk has no room for the tables of a
// regular close, it skips them: the logs have all durable data, as after a
// crash.
func (d *disk) closes(database *db.DB) error {
	if free, err := d.free(); d.min > 0 && err == nil && free < DiskReserve {
		d.log.Warn("the store is left as a crash would leave it, because the disk is full; nothing is lost", "dir", d.dir, "free_mib", free>>20)
		return nil
	}
	return database.Close()
}

// Disk is the state of the store's disk.
type Disk struct {
	// Free is the number of bytes that a process may still write, Min the
	// operator's minimum.
	Free, Min int64
	// Low reports whether Free is below Min.
	Low bool
}

// Disk returns the state of the store's disk; a store in memory has none.
func (s *Store) Disk() Disk {
	if s.disk == nil {
		return Disk{}
	}
	free, low := s.disk.low()
	return Disk{Free: free, Min: s.disk.min, Low: low}
}

// size returns the disk space of the folder's files.
func (d *disk) size() (total int64) {
	entries, err := os.ReadDir(d.dir)
	if err != nil {
		return 0
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			total += onDisk(info)
		}
	}
	return total
}

func (d *disk) collectors() []prometheus.Collector {
	return []prometheus.Collector{
		storemetrics.Gauge("watchpost_store_size_bytes", "What the store's files take on the disk.", nil, func() float64 { return float64(d.size()) }),
		storemetrics.Gauge("watchpost_disk_free_bytes", "Free space on the disk of the store.", nil, func() float64 {
			free, _ := d.low()
			return float64(free)
		}),
		storemetrics.Gauge("watchpost_disk_low", "1 while writes of the API are refused because less than --min-free-disk is free.", nil, func() float64 {
			if _, low := d.low(); low {
				return 1
			}
			return 0
		}),
		storemetrics.Gauge("watchpost_disk_waiting", "1 while commits wait because the disk is full.", nil, func() float64 {
			if d.waits.Load() {
				return 1
			}
			return 0
		}),
	}
}
