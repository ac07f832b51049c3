package sim

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"watchpost/persistence"
)

// fault is what happens to a commit.
type fault int

const (
	none fault = iota
	// before: it fails and writes nothing.
	before
	// after: it is written, and the node gets the error that it failed.
	after
)

var errFault = errors.New("a fault that the life planned")

// commit is a batch on its way.
type commit struct {
	epoch persistence.Epoch
	batch *persistence.Batch
	done  func(error)
	fault fault
	err   error
}

// flow are the commits on their way for a space, in order. That a batch lasts and that
// its submitter hears of it are two steps.
type flow struct {
	space              persistence.Space
	submitted, applied []*commit
	telling            bool
	apply, tell        choice
}

// store is a node's access to the disk.
type store struct {
	node *node
	disk *disk

	mu     sync.Mutex
	flows  []*flow // in the order of their spaces
	closed bool
	// faultIn and readFaultIn count down the commits and views until one of them
	// fails; 0: none.
	faultIn, readFaultIn int
	fault                fault
	// fullUntil is until when commits wait for room, awayUntil until when the database is
	// away: commits, views and activations fail.
	fullUntil, awayUntil time.Time
}

func newStore(n *node, d *disk) *store {
	return &store{node: n, disk: d}
}

func (st *store) over() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.closed
}

func (st *store) away() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.lasts(st.awayUntil)
}

// calm ends its faults.
func (st *store) calm() {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.faultIn, st.readFaultIn, st.fullUntil, st.awayUntil = 0, 0, time.Time{}, time.Time{}
}

// lasts reports whether a moment is not over. The zero moment is.
func (st *store) lasts(until time.Time) bool {
	return !until.IsZero() && st.node.life.now().Before(until)
}

// Activate implements persistence.Store.
func (st *store) Activate(ctx context.Context, space persistence.Space) (persistence.Epoch, error) {
	if st.over() {
		return 0, persistence.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if st.away() {
		return 0, errFault
	}
	return st.disk.activate(space)
}

// Submit implements persistence.Store.
func (st *store) Submit(space persistence.Space, epoch persistence.Epoch, batch *persistence.Batch, done func(error)) {
	st.mu.Lock()
	defer st.mu.Unlock()
	c := &commit{epoch: epoch, batch: batch, done: done}
	if st.closed {
		c.err = persistence.ErrClosed
	}
	if st.faultIn > 0 {
		if st.faultIn--; st.faultIn == 0 {
			c.fault = st.fault
		}
	}
	f := st.flow(space)
	f.submitted = append(f.submitted, c)
}

// flow returns the commits on their way for a space. The caller holds mu.
func (st *store) flow(space persistence.Space) *flow {
	at, known := slices.BinarySearchFunc(st.flows, space, func(f *flow, space persistence.Space) int { return cmp.Compare(f.space, space) })
	if known {
		return st.flows[at]
	}
	f, id := &flow{space: space}, fmt.Sprint(st.node.id)
	f.apply = choice{id + " commit " + string(space), func() {
		st.node.life.note("commit", id, " ", string(space), " ", sum(f.submitted[0].batch))
		st.apply(space)
	}}
	f.tell = choice{id + " committed " + string(space), func() {
		st.node.life.note("committed", id, string(space))
		st.node.life.run(func(*worker) { st.tell(space) })
	}}
	st.flows = slices.Insert(st.flows, at, f)
	return f
}

// apply writes the oldest batch of a space.
func (st *store) apply(space persistence.Space) {
	st.mu.Lock()
	f := st.flow(space)
	c := f.submitted[0]
	f.submitted = f.submitted[1:]
	st.mu.Unlock()
	switch {
	case c.err != nil:
	case c.fault == before, st.away():
		c.err = errFault
		st.disk.breakOff(space, c.epoch)
	default:
		c.err = st.disk.apply(space, c.epoch, c.batch)
		if c.fault == after && c.err == nil {
			c.err = errFault
			st.disk.breakOff(space, c.epoch)
		}
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	f.applied = append(f.applied, c)
}

// tell tells the submitter of the oldest written batch of a space.
func (st *store) tell(space persistence.Space) {
	st.mu.Lock()
	f := st.flow(space)
	c := f.applied[0]
	f.applied = f.applied[1:]
	f.telling = true
	st.mu.Unlock()
	c.done(c.err)
	st.mu.Lock()
	defer st.mu.Unlock()
	f.telling = false
}

// choices adds the commits that could go on.
func (st *store) choices(all []choice) []choice {
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, f := range st.flows {
		if len(f.submitted) > 0 && !st.lasts(st.fullUntil) {
			all = append(all, f.apply)
		}
		if len(f.applied) > 0 && !f.telling {
			all = append(all, f.tell)
		}
	}
	return all
}

// sum returns a hash of a batch, for the trace.
func sum(b *persistence.Batch) string {
	h := noDigest
	add := func(part []byte) {
		var size [4]byte
		binary.BigEndian.PutUint32(size[:], uint32(len(part)))
		h = addTo(addTo(h, size[:]), part)
	}
	for _, w := range b.Writes {
		add(w.Key)
		add(w.Value)
	}
	for _, w := range b.Directory {
		add([]byte(w.Key.Kind + "\x00" + w.Key.Name))
		add(w.Value)
	}
	return fmt.Sprintf("%016x", uint64(h))
}

// cut ends the process: some of the commits on their way are written, in order.
func (st *store) cut() {
	st.mu.Lock()
	flows := slices.Clone(st.flows)
	counts := make([]int, len(flows))
	for i, f := range flows {
		if n := len(f.submitted); n > 0 {
			counts[i] = st.node.life.random.IntN(n + 1)
		}
	}
	st.mu.Unlock()
	for i, f := range flows {
		for range counts[i] {
			st.apply(f.space)
		}
	}
	_ = st.Close()
}

// idle reports whether only commits that must fail are on their way.
func (st *store) idle() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, f := range st.flows {
		for _, c := range f.submitted {
			st.disk.mu.Lock()
			lasts := c.fault == none && st.disk.current(f.space, c.epoch)
			st.disk.mu.Unlock()
			if lasts {
				return false
			}
		}
	}
	return true
}

// View implements persistence.Store.
func (st *store) View(ctx context.Context) (persistence.View, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.closed {
		return nil, persistence.ErrClosed
	}
	if st.readFaultIn > 0 {
		if st.readFaultIn--; st.readFaultIn == 0 {
			return nil, errFault
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if st.lasts(st.awayUntil) {
		return nil, errFault
	}
	return st.disk.view(st.over), nil
}

// Close implements persistence.Store.
func (st *store) Close() error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.closed {
		return persistence.ErrClosed
	}
	st.closed = true
	return nil
}
