package badger

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	db "github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
)

// Options are the folder and settings of a store.
type Options struct {
	// Dir is the folder of the database; Open creates a missing one.
	Dir string
	// ReadOnly opens an existing folder without a change to any of its files, also
	// after a crash. Writes fail.
	ReadOnly bool
	// AcceptLoss drops damaged parts, where the rest can be used without them.
	AcceptLoss bool
	// InMemory keeps everything in memory until Close; Dir must be empty. For
	// tests.
	InMemory bool
	// Logger receives Badger's warnings and errors; nil is slog.Default.
	Logger *slog.Logger
	// GCEvery is the time between two value-log collections; 0 is ten minutes.
	GCEvery time.Duration
	// MinFree is the minimum of free disk space in bytes, DiskReserve or more;
	// Store.Disk reports a shortage. 0 disables the check.
	MinFree int64

	// free replaces the function for free disk space; for tests.
	free func() (int64, error)
	// epochLimit bounds a generation of the epoch cache; 0 is 16384 spaces,
	// some 3 MB for both generations.
	epochLimit int
	// tune changes Badger's options; for tests.
	tune func(db.Options) db.Options
}

func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.GCEvery <= 0 {
		o.GCEvery = 10 * time.Minute
	}
	if o.epochLimit <= 0 {
		o.epochLimit = 1 << 14
	}
	if o.tune == nil {
		o.tune = func(b db.Options) db.Options { return b }
	}
	return o
}

// Database returns the options of the database in the folder, for tools that
// read or write it without a store. A store can open their result.
func (o Options) Database() db.Options { return o.withDefaults().tuned() }

// tuned returns Badger's options. The memory profile was measured with a
// million pairs of 500 bytes: 469 MB resident after the load instead of 925,
// of it 144 MB instead of 536 not file-backed, at the same rate of synced
// commits.
func (o Options) tuned() db.Options {
	b := db.DefaultOptions(o.Dir).
		// done(nil) guarantees durability. Not SyncWrites=false with DB.Sync:
		// Sync covers the active memtable only, not one just rotated away.
		WithSyncWrites(true).
		// The committer is the only writer and checks conflicts itself.
		WithDetectConflicts(false).
		// A transaction may hold 15 % of a memtable. The largest batch of the
		// contract needs some 1.6 MB with its physical keys; 16 MiB allow
		// groups of 2.4 MB.
		WithMemTableSize(16 << 20).
		// Memtables and level-0 tables use most of the memory.
		WithNumMemtables(2).
		WithNumLevelZeroTables(2).
		WithNumLevelZeroTablesStall(6).
		// Badger's minimum; compaction is not a bottleneck here.
		WithNumCompactors(2).
		// Tables of one size on all levels; Badger's defaults grow to 32 MiB
		// and more. Up to a dozen are built at once, each with twice its size
		// in memory.
		WithBaseTableSize(8 << 20).
		WithBlockCacheSize(16 << 20).
		// Only encrypted tables keep indexes and filters in this cache; others
		// are read from the mapped file.
		WithIndexCacheSize(0).
		// No value reaches the threshold of 1 MiB (persistence.MaxValue). So
		// values are stored next to their keys, reads need one lookup, and the
		// value log, which would be mapped at twice this size, stays empty.
		WithValueThreshold(1 << 20).
		WithValueLogFileSize(64 << 20).
		// Whatever is found after the opening, which reads all blocks (see package
		// integrity), is not served.
		WithChecksumVerificationMode(options.OnBlockRead).
		WithVerifyValueChecksum(true).
		// The committer counts the metrics of this package.
		WithMetricsEnabled(false).
		// Open locks the folder, before it repairs anything in it.
		WithBypassLockGuard(true).
		WithExternalMagic(layoutVersion).
		WithLogger(logger{o.Logger})
	b.TableSizeMultiplier = 1 // see WithBaseTableSize
	if o.InMemory {
		b = b.WithInMemory(true).WithDir("").WithValueDir("")
	}
	return o.tune(b)
}

// logger forwards Badger's warnings and errors; it drops the messages of level
// info, which report every flush and compaction.
type logger struct{ to *slog.Logger }

// Errorf implements Badger's Logger.
func (l logger) Errorf(format string, args ...any) { l.to.Error(text(format, args)) }

// Warningf implements Badger's Logger.
func (l logger) Warningf(format string, args ...any) { l.to.Warn(text(format, args)) }

// Infof implements Badger's Logger.
func (l logger) Infof(string, ...any) {}

// Debugf implements Badger's Logger.
func (l logger) Debugf(string, ...any) {}

func text(format string, args []any) string {
	return "badger: " + strings.TrimSpace(fmt.Sprintf(format, args...))
}
