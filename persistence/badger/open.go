package badger

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"watchpost/persistence/badger/integrity"

	db "github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/ristretto/v2/z"
)

// ErrInUse means that another process, or another store of this one, has the
// folder open.
var ErrInUse = errors.New("persistence/badger: folder is in use")

// database is an opened folder.
type database struct {
	*db.DB
	// lock is released after the database is closed.
	lock         *os.File
	damage       damage
	acknowledged *acknowledged // nil for reading and in memory
	// copied is the folder that is read instead; "" for writing.
	copied string
}

// openDatabase locks the folder, looks for damage, removes leftovers of a crash
// and opens it.
func openDatabase(o Options) (*database, error) {
	if o.InMemory {
		d, err := db.OpenManaged(o.tuned())
		return &database{DB: d}, err
	}
	if o.Dir == "" {
		return nil, errors.New("persistence/badger: no folder given")
	}
	if !o.ReadOnly {
		if err := os.MkdirAll(o.Dir, 0o700); err != nil {
			return nil, fmt.Errorf("persistence/badger: %w", err)
		}
	}
	lock, err := lockFolder(o.Dir)
	if err != nil {
		return nil, err
	}
	d := &database{lock: lock}
	if err := d.open(o); err != nil {
		_ = d.release() // the earlier error counts
		return nil, fmt.Errorf("persistence/badger: open %s: %w", o.Dir, err)
	}
	return d, nil
}

func (d *database) open(o Options) error {
	if err := newDisk(o).check(); err != nil && !o.ReadOnly {
		return err
	}
	report, err := inspect(o)
	if err != nil {
		return err
	}
	if o.AcceptLoss {
		if report, err = drop(o, report); err != nil {
			return err
		}
	}
	d.damage = report.Damage
	if err := d.damage.refuses(); err != nil {
		return err
	}
	if len(d.damage) > 0 {
		damagedStores.Add(1)
	}
	for _, part := range d.damage {
		o.Logger.Error("a part of the store is damaged: its teams are refused until a backup is restored", "dir", o.Dir, "damage", part.String(), "team", d.damage.whose(&part))
	}
	if o.ReadOnly {
		return d.openToRead(o, report)
	}
	if d.DB, err = openRepaired(o, len(d.damage) > 0); err != nil {
		return err
	}
	if d.acknowledged, err = openAcknowledged(o.Dir); err != nil {
		return errors.Join(err, d.Close())
	}
	if o.AcceptLoss {
		d.acknowledged.accept(d.MaxVersion())
	}
	return nil
}

// drop drops the damaged parts and returns the remaining content of the folder.
func drop(o Options, report *integrity.Report) (*integrity.Report, error) {
	for _, part := range report.Damage {
		o.Logger.Warn("dropping what cannot be read", "dir", o.Dir, "damage", part.String())
	}
	b := o.tuned()
	err := integrity.Drop(o.Dir, report, table.Options{TableSize: uint64(b.BaseTableSize), BlockSize: b.BlockSize, BloomFalsePositive: b.BloomFalsePositive, ZSTDCompressionLevel: b.ZSTDCompressionLevel})
	if err != nil {
		return nil, err
	}
	report, err = inspect(o)
	if err == nil {
		// The ends of logs are lost, and Badger cuts them.
		report.Damage = slices.DeleteFunc(report.Damage, func(d integrity.Damage) bool { return !d.Fatal && d.From == nil })
	}
	return report, err
}

func (d *database) openToRead(o Options, report *integrity.Report) (err error) {
	if report.New {
		return errors.New("there is no store")
	}
	if d.copied, err = readingCopy(o.Dir, report); err != nil {
		return err
	}
	b := o.tuned().WithReadOnly(true)
	b.Dir, b.ValueDir = d.copied, d.copied
	if d.DB, err = db.OpenManaged(b); err != nil {
		err = errors.Join(err, os.RemoveAll(d.copied))
	}
	return err
}

// release lets others open the folder; the database is closed.
func (d *database) release() error {
	if d.damage.refuses() == nil && len(d.damage) > 0 {
		damagedStores.Add(-1)
	}
	err := d.acknowledged.close()
	if d.copied != "" {
		err = errors.Join(err, os.RemoveAll(d.copied)) //nolint:gosec // a folder of our own
	}
	if d.lock != nil {
		err = errors.Join(err, unlockFolder(d.lock))
	}
	return err
}

// inspect looks for damage before Badger may repair anything.
func inspect(o Options) (*integrity.Report, error) {
	version, known, err := readAcknowledged(o.Dir)
	if err != nil {
		return nil, err
	}
	report, err := integrity.Inspect(o.Dir, integrity.Expected{Magic: layoutVersion, Marker: markerKey, Acknowledged: version})
	if err == nil && !known && !report.New {
		o.Logger.Info("the store does not say which commit is its last; an earlier version has written it, or the power failed", "dir", o.Dir)
	}
	return report, err
}

// openRepaired tries twice: an empty file makes the first attempt fail, which
// also fills it. In a damaged store nothing is compacted: Badger would drop all
// that follows a damaged block in its table.
func openRepaired(o Options, damaged bool) (*db.DB, error) {
	if err := removeEmpty(o); err != nil {
		return nil, err
	}
	b := o.tuned()
	if damaged {
		b = b.WithNumCompactors(0).WithNumLevelZeroTablesStall(math.MaxInt)
	}
	d, err := db.OpenManaged(b)
	if errors.Is(err, z.NewFile) {
		o.Logger.Warn("opening the database again after an empty file", "dir", o.Dir, "error", err)
		d, err = db.OpenManaged(b)
	}
	return d, err
}

// removeEmpty removes logs of 0 bytes. Badger creates a log before it sets the
// size, and truncates it before it removes it. A crash in between leaves an
// empty file, with which Badger refuses to open. The caller holds the lock,
// because a running store may be about to use such a file.
func removeEmpty(o Options) error {
	for _, pattern := range []string{"*.mem", "*.vlog"} {
		paths, err := filepath.Glob(filepath.Join(o.Dir, pattern))
		if err != nil {
			return err
		}
		for _, path := range paths {
			info, err := os.Stat(path)
			if err != nil {
				return err
			}
			if info.Size() > 0 {
				continue
			}
			o.Logger.Warn("removing an empty log left by a crash", "path", path)
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// lockFolder takes Badger's own lock, which also excludes Badger's tools. The
// kernel releases it when the process dies.
func lockFolder(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("persistence/badger: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return f, nil
	}
	_ = f.Close() // the earlier error counts
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, fmt.Errorf("%w: %s", ErrInUse, dir)
	}
	return nil, fmt.Errorf("persistence/badger: lock %s: %w", dir, err)
}

// unlockFolder ends a lock by name, before it closes the file: a program that this
// process starts at the same moment holds the file, too, until its code is loaded.
func unlockFolder(lock *os.File) error {
	return errors.Join(syscall.Flock(int(lock.Fd()), syscall.LOCK_UN), lock.Close())
}
