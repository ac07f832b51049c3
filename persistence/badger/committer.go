package badger

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"watchpost/persistence"
	"watchpost/persistence/storemetrics"

	db "github.com/dgraph-io/badger/v4"
)

// committer is the only writer of the database. One goroutine takes all
// waiting requests, writes them as one transaction, which Badger syncs once,
// and answers. It does not delay a group to make it larger: a group is the set
// of requests that arrived during the sync of the previous one. (Badger itself
// syncs once per transaction, however many wait.)
//
// As the only writer it needs no conflict detection: it checks epochs and
// directory entries against the durable state and the changes of the open
// group.
type committer struct {
	db        *db.DB
	queue     *queue
	epochs    *epochs
	snapshots *snapshots
	metrics   *storemetrics.Metrics
	version   uint64 // of the newest durable group
	maxSize   int64
	maxCount  int64
	// writing is held while Badger writes. Value-log garbage collection takes
	// it too: in Badger 4.9.6 it reads a memtable's newest version without the
	// writer's lock (DB.MaxVersion in valueLog.rewrite).
	writing *sync.Mutex
	// acknowledged keeps the version for the next opening; nil in memory.
	acknowledged *acknowledged
	// disk tells whether there is room for a group; nil in memory. closing
	// ends the wait for room.
	disk    *disk
	closing <-chan struct{}
	// failure is set permanently when Badger cannot commit: the durable part
	// of the group is unknown, so nothing may be written after it. Reopening
	// the store shows which part it is.
	failure error
	// failed receives the failure, once.
	failed chan error
}

// group is a run of requests that become durable together.
type group struct {
	txn         *db.Txn
	requests    []*request
	size, count int64
	// directory holds the group's changes so far; nil is a deletion.
	directory map[persistence.DirectoryKey][]byte
}

func newCommitter(d *db.DB, q *queue, m *storemetrics.Metrics, writing *sync.Mutex, epochLimit int) *committer {
	c := &committer{
		db:       d,
		queue:    q,
		metrics:  m,
		writing:  writing,
		version:  d.MaxVersion(),
		failed:   make(chan error, 1),
		maxSize:  d.MaxBatchSize(),
		maxCount: d.MaxBatchCount(),
	}
	c.epochs = newEpochs(epochLimit, c.loadEpoch)
	c.snapshots = newSnapshots(c.version, d.SetDiscardTs)
	return c
}

// run serves the queue until it is closed and empty.
func (c *committer) run() {
	for {
		// Callers that were just answered are about to submit again: let them
		// join this group instead of waiting for the next sync.
		runtime.Gosched()
		waiting, ok := c.queue.take()
		if !ok {
			return
		}
		for len(waiting) > 0 {
			g := c.collect(waiting)
			c.commit(g)
			waiting = waiting[len(g.requests):]
		}
	}
}

// collect puts as many requests into a group as a transaction can hold. One
// batch within the limits of the contract always fits.
func (c *committer) collect(waiting []*request) *group {
	c.epochs.age()
	g := &group{size: groupOverhead, count: groupEntries}
	for i, r := range waiting {
		g.size += r.size
		g.count += r.count
		if i > 0 && (g.size >= c.maxSize || g.count >= c.maxCount) {
			g.requests = waiting[:i]
			return g
		}
		c.admit(g, r)
	}
	g.requests = waiting
	return g
}

// admit decides the outcome of a request, except for that of the commit.
func (c *committer) admit(g *group, r *request) {
	if errors.Is(r.err, persistence.ErrClosed) || !validSpace(r.space) {
		return
	}
	if c.failure == nil {
		c.fail(c.apply(g, r))
	}
	if c.failure != nil {
		r.err = c.failure
	}
}

// apply puts a request into the group's transaction, or sets its error and
// fences its epoch. It returns an error only when the engine failed.
func (c *committer) apply(g *group, r *request) error {
	current, err := c.epochs.current(r.space)
	if err != nil {
		return err
	}
	switch {
	case r.activation:
		r.epoch = current + 1
		return c.setEpoch(g, r.space, r.epoch)
	case r.epoch == 0 || r.epoch != current:
		if r.err == nil {
			r.err = persistence.ErrFenced
		}
		return nil
	case r.err == nil:
		if err := c.checkDirectory(g, r); err != nil {
			return err
		}
	}
	if r.err != nil {
		return c.setEpoch(g, r.space, current+1)
	}
	return c.write(g, r)
}

func (c *committer) setEpoch(g *group, space persistence.Space, epoch persistence.Epoch) error {
	c.epochs.set(space, epoch)
	return c.set(g, &db.Entry{Key: epochKey(space), Value: encodeEpoch(epoch)})
}

func (c *committer) write(g *group, r *request) error {
	for i := range r.pairs {
		var err error
		if r.deletes != nil && r.deletes[i] {
			err = c.remove(g, r.pairs[i].Key)
		} else {
			err = c.set(g, &r.pairs[i])
		}
		if err != nil {
			return err
		}
	}
	for i := range r.directory {
		var err error
		d, key := &r.directory[i], directoryKey(r.directory[i].Key)
		if d.Value == nil {
			err = c.remove(g, key)
		} else {
			err = c.set(g, &db.Entry{Key: key, Value: d.Value})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *committer) set(g *group, e *db.Entry) error {
	if err := c.begin(g); err != nil {
		return err
	}
	return engineError("set", g.txn.SetEntry(e))
}

func (c *committer) remove(g *group, key []byte) error {
	if err := c.begin(g); err != nil {
		return err
	}
	return engineError("delete", g.txn.Delete(key))
}

// begin opens the group's transaction with its first write, and marks it.
func (c *committer) begin(g *group) error {
	if g.txn != nil {
		return nil
	}
	g.txn = c.db.NewTransactionAt(c.version, true)
	return engineError("mark", g.txn.SetEntry(&db.Entry{Key: markerKey}))
}

// fail stops all writing when err is not nil.
func (c *committer) fail(err error) {
	if err != nil {
		c.failure = err
		c.failed <- err
	}
}

// commit makes the group durable and answers its requests in their order.
func (c *committer) commit(g *group) {
	if g.txn != nil && c.failure == nil {
		c.fail(c.awaitRoom(g))
	}
	if g.txn != nil && c.failure == nil {
		began := time.Now()
		c.writing.Lock()
		err := g.txn.CommitAt(c.version+1, nil)
		c.writing.Unlock()
		if err == nil {
			c.version++
			c.acknowledged.note(c.version)
			c.snapshots.advance(c.version)
			c.metrics.Committed(time.Since(began))
			if c.disk != nil {
				c.disk.committed(g)
			}
		}
		c.fail(engineError("commit", err))
	}
	if g.txn != nil {
		g.txn.Discard()
	}
	for _, r := range g.requests {
		if r.err == nil {
			r.err = c.failure
		}
		if r.activation {
			c.metrics.Activated(r.err)
		} else {
			c.metrics.Answered(r.bytes, r.err)
		}
		r.done(r.err)
	}
}

// errDiskFull is the result of a batch that found no room before the store was
// closed.
var errDiskFull = errors.New("persistence/badger: the disk is full")

// awaitRoom waits until the disk has room for a group. Later requests keep
// their order; closing the store ends the wait.
func (c *committer) awaitRoom(g *group) error {
	if c.disk == nil || c.disk.admits(g) {
		return nil
	}
	c.disk.log.Error("the disk is full: commits wait until there is room", "dir", c.disk.dir)
	c.disk.waits.Store(true)
	defer c.disk.waits.Store(false)
	ticker := time.NewTicker(roomEvery)
	defer ticker.Stop()
	for !c.disk.admits(g) {
		select {
		case <-c.closing:
			return errDiskFull
		case <-ticker.C:
		}
	}
	return nil
}

// loadEpoch reads the durable epoch of a space, 0 when it has none.
func (c *committer) loadEpoch(space persistence.Space) (persistence.Epoch, error) {
	value, err := c.load(epochKey(space))
	if err != nil || value == nil {
		return 0, err
	}
	epoch, ok := decodeEpoch(value)
	if !ok {
		return 0, fmt.Errorf("persistence/badger: epoch of %q is malformed", space)
	}
	return epoch, nil
}

// load reads the durable value at a physical key; nil when it is absent.
func (c *committer) load(key []byte) ([]byte, error) {
	txn := c.db.NewTransactionAt(c.version, false)
	defer txn.Discard()
	value, err := readValue(txn, key)
	if errors.Is(err, persistence.ErrNotFound) {
		return nil, nil
	}
	return value, err
}

func engineError(op string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("persistence/badger: %s: %w", op, err)
}
