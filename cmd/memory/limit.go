// Package memory bounds the memory of a process whose caches are bounded. Left
// alone, the collector lets garbage grow as large as what is in use, and where
// much is allocated at once, as by a compaction of the store, larger.
package memory

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// beside is what a process may take beside its caches, in bytes: memtables and
// blocks of the store, teams and sessions, and garbage.
const beside = 512 << 20

// Limit makes the collector keep the process within its caches, so many bytes,
// and 512 MiB, unless the variable GOMEMLIMIT tells the runtime where to stay.
// Half as much again as is in use is always allowed: a process with much in use
// would do little but collect otherwise. stop undoes it.
func Limit(caches int) (stop func()) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	return keep(int64(caches) + beside)
}

// keep sets the limit to base, or to more after a collection that found more in
// use.
func keep(base int64) (stop func()) {
	k := &keeper{base: base}
	before := debug.SetMemoryLimit(base)
	k.await()
	return func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.stopped = true
		debug.SetMemoryLimit(before)
	}
}

// keeper moves the limit with what is in use.
type keeper struct {
	base    int64
	mu      sync.Mutex
	stopped bool
}

// limit returns the limit for so many bytes in use.
func (k *keeper) limit(used int64) int64 { return max(k.base, used+used/2) }

// await moves the limit after each collection: it frees an object that nothing
// refers to, of a size that shares its memory with no other.
func (k *keeper) await() {
	type cycle [4]uint64
	runtime.AddCleanup(&cycle{}, (*keeper).move, k)
}

func (k *keeper) move() {
	used := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(used)
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.stopped {
		debug.SetMemoryLimit(k.limit(int64(used[0].Value.Uint64())))
		k.await()
	}
}
