package postgres

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"watchpost/persistence"
)

// Bounds of a group. One batch within the limits of the contract always fits.
const (
	maxRequests = 256
	maxBytes    = 4 << 20
	maxOps      = 4 * persistence.MaxBatchOps
)

// request is a batch on its way through the committer.
type request struct {
	space      persistence.Space
	epoch      persistence.Epoch
	batch      *persistence.Batch // nil when it is invalid
	bytes, ops int
	err        error
	done       func(error)
}

// newRequest prepares a batch. An invalid one still takes its place in the
// queue, because it fails the later batches of its epoch.
func newRequest(space persistence.Space, epoch persistence.Epoch, batch *persistence.Batch, done func(error)) *request {
	r := &request{space: space, epoch: epoch, done: done}
	switch {
	case !validSpace(space) || batch != nil && batch.Check() != nil:
		r.err = persistence.ErrTooLarge
	case batch != nil:
		r.batch = batch
		r.bytes, r.ops = batch.Size()
	}
	return r
}

func (r *request) changesDirectory() bool { return r.batch != nil && len(r.batch.Directory) > 0 }

// committer commits all batches in the order of their submission, as the
// expectations of batches of several spaces on one directory entry need it. The
// batches that arrive during a statement are the next one. (With two committers,
// each for half of the spaces, 64 callers commit 10 % more, 16 callers less.)
// Its goroutine runs only while there are batches.
type committer struct {
	store *Store

	mu      sync.Mutex
	idle    sync.Cond
	waiting []*request
	running bool
	closed  bool // later batches are refused, in their turn
	// failed holds the epochs in which a batch failed, until the space is
	// activated again. The database knows them too (see endEpochs), unless it
	// could not be reached.
	failed map[persistence.Space]persistence.Epoch
}

func newCommitter(s *Store) *committer {
	c := &committer{store: s, failed: map[persistence.Space]persistence.Epoch{}}
	c.idle.L = &c.mu
	return c
}

func (c *committer) push(r *request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		r.err = persistence.ErrClosed
	}
	c.waiting = append(c.waiting, r)
	if !c.running {
		c.running = true
		go c.run()
	}
}

// close refuses later batches and waits for the earlier ones.
func (c *committer) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for c.running {
		c.idle.Wait()
	}
}

// load returns the number of waiting batches.
func (c *committer) load() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiting)
}

// activated ends the failure of an earlier epoch.
func (c *committer) activated(space persistence.Space, epoch persistence.Epoch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed[space] < epoch {
		delete(c.failed, space)
	}
}

// fail ends the epoch of a request.
func (c *committer) fail(r *request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.epoch > c.failed[r.space] && validSpace(r.space) {
		c.failed[r.space] = r.epoch
	}
}

// run commits batches until none is left.
func (c *committer) run() {
	for {
		// Callers that were just answered are about to submit again: let them
		// join this group.
		runtime.Gosched()
		c.mu.Lock()
		waiting := c.waiting
		c.waiting = nil
		if len(waiting) == 0 {
			c.running = false
			c.idle.Broadcast()
			c.mu.Unlock()
			return
		}
		c.mu.Unlock()
		for len(waiting) > 0 {
			g := c.collect(waiting)
			c.commit(g)
			waiting = waiting[len(g.requests):]
		}
	}
}

// group is a run of batches that are committed by one statement.
type group struct {
	requests   []*request
	spaces     []spaceEpoch
	number     map[persistence.Space]int64 // of a space, from 1
	bytes, ops int
}

type spaceEpoch struct {
	space persistence.Space
	epoch persistence.Epoch
}

// collect takes as many requests as one statement may commit, with those among
// them that have failed already.
func (c *committer) collect(waiting []*request) *group {
	g := &group{number: map[persistence.Space]int64{}}
	for i, r := range waiting {
		if !c.refused(r) && !g.add(r) {
			g.requests = waiting[:i]
			return g
		}
		if r.changesDirectory() && r.err == nil {
			g.requests = waiting[:i+1]
			return g
		}
	}
	g.requests = waiting
	return g
}

// refused reports whether a request fails without a look at the database.
func (c *committer) refused(r *request) bool {
	if errors.Is(r.err, persistence.ErrClosed) {
		return true
	}
	c.mu.Lock()
	ended := c.failed[r.space] >= r.epoch
	c.mu.Unlock()
	switch {
	case r.err != nil:
		c.fail(r)
	case ended:
		r.err = persistence.ErrFenced
	}
	return r.err != nil
}

// add takes a request into the group; it reports false when the request needs
// another one. A batch that changes the directory is alone, because a conflict
// takes back the whole statement.
func (g *group) add(r *request) bool {
	n := g.number[r.space]
	switch {
	case len(g.spaces) == 0:
	case r.changesDirectory(),
		g.bytes+r.bytes > maxBytes, g.ops+r.ops > maxOps, len(g.spaces) >= maxRequests,
		n > 0 && g.spaces[n-1].epoch != r.epoch:
		return false
	}
	if n == 0 {
		g.spaces = append(g.spaces, spaceEpoch{r.space, r.epoch})
		g.number[r.space] = int64(len(g.spaces))
	}
	g.bytes, g.ops = g.bytes+r.bytes, g.ops+r.ops
	return true
}

// commit makes the group durable and answers its requests in their order.
func (c *committer) commit(g *group) {
	ctx, cancel := context.WithTimeout(context.Background(), statementPatience)
	defer cancel()
	if len(g.spaces) > 0 {
		c.write(ctx, g)
	}
	c.endEpochs(ctx, g)
	for _, r := range g.requests {
		c.store.metrics.Answered(r.bytes, r.err)
		r.done(r.err)
	}
}

// endEpochs ends the epochs of the batches that failed for a reason of their
// own. An epoch that the database cannot end now is ended in memory.
func (c *committer) endEpochs(ctx context.Context, g *group) {
	var ended []spaceEpoch
	for _, r := range g.requests {
		if errors.Is(r.err, persistence.ErrConflict) || errors.Is(r.err, persistence.ErrTooLarge) {
			ended = append(ended, spaceEpoch{r.space, r.epoch})
		}
	}
	if len(ended) == 0 {
		return
	}
	if err := c.store.endEpochs(ctx, ended); err != nil {
		c.store.log.Warn("ended epochs in memory only", "epochs", len(ended), "error", err)
	}
}

// write sends the group and sets the errors of its requests. A batch whose
// outcome is unknown ends its epoch as a failed one does.
func (c *committer) write(ctx context.Context, g *group) {
	began := time.Now()
	last := g.requests[len(g.requests)-1]
	var accepted []bool
	var err error
	if last.changesDirectory() && last.err == nil {
		err = c.store.writeDirectory(ctx, last)
		accepted = []bool{true}
	} else {
		accepted, err = c.store.writeGroup(ctx, g)
	}
	if err == nil {
		c.store.metrics.Committed(time.Since(began))
	}
	for _, r := range g.requests {
		switch {
		case r.err != nil:
		case err != nil:
			if r.err = err; !errors.Is(err, persistence.ErrFenced) && !errors.Is(err, persistence.ErrConflict) {
				r.err = wrap("commit", err)
			}
			if !errors.Is(err, persistence.ErrFenced) {
				c.fail(r)
			}
		case !accepted[g.number[r.space]-1]:
			r.err = persistence.ErrFenced
		}
	}
}
