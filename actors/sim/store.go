package sim

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"sync"

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
	submitted, applied []*commit
	telling            bool
}

// store is a node's access to the disk.
type store struct {
	node *node
	disk *disk

	mu     sync.Mutex
	flows  map[persistence.Space]*flow
	closed bool
	// faultIn and readFaultIn count down the commits and views until one of them
	// fails; 0: none.
	faultIn, readFaultIn int
	fault                fault
}

func newStore(n *node, d *disk) *store {
	return &store{node: n, disk: d, flows: map[persistence.Space]*flow{}}
}

func (st *store) over() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.closed
}

// Activate implements persistence.Store.
func (st *store) Activate(ctx context.Context, space persistence.Space) (persistence.Epoch, error) {
	if st.over() {
		return 0, persistence.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return 0, err
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
	f := st.flows[space]
	if f == nil {
		f = &flow{}
		st.flows[space] = f
	}
	f.submitted = append(f.submitted, c)
}

// apply writes the oldest batch of a space.
func (st *store) apply(space persistence.Space) {
	st.mu.Lock()
	f := st.flows[space]
	c := f.submitted[0]
	f.submitted = f.submitted[1:]
	st.mu.Unlock()
	switch {
	case c.err != nil:
	case c.fault == before:
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
	f := st.flows[space]
	c := f.applied[0]
	f.applied = f.applied[1:]
	f.telling = true
	st.mu.Unlock()
	c.done(c.err)
	st.mu.Lock()
	defer st.mu.Unlock()
	f.telling = false
}

// choices lists the commits that could go on.
func (st *store) choices() []choice {
	st.mu.Lock()
	defer st.mu.Unlock()
	var all []choice
	s := st.node.life
	for _, space := range slices.Sorted(maps.Keys(st.flows)) {
		f := st.flows[space]
		if len(f.submitted) > 0 {
			batch := f.submitted[0].batch
			all = append(all, choice{fmt.Sprintf("%d commit %s", st.node.id, space), func() {
				s.note("commit", fmt.Sprintf("%d %s %x", st.node.id, space, sum(batch)))
				st.apply(space)
			}})
		}
		if len(f.applied) > 0 && !f.telling {
			all = append(all, choice{fmt.Sprintf("%d committed %s", st.node.id, space), func() {
				s.note("committed", fmt.Sprint(st.node.id, space))
				go st.tell(space)
			}})
		}
	}
	return all
}

// sum returns a hash of a batch, for the trace.
func sum(b *persistence.Batch) []byte {
	h := fnv.New64a()
	add := func(part []byte) {
		_ = binary.Write(h, binary.BigEndian, uint32(len(part)))
		_, _ = h.Write(part)
	}
	for _, w := range b.Writes {
		add(w.Key)
		add(w.Value)
	}
	for _, w := range b.Directory {
		add([]byte(w.Key.Kind + "\x00" + w.Key.Name))
		add(w.Value)
	}
	return h.Sum(nil)
}

// cut ends the process: some of the commits on their way are written, in order.
func (st *store) cut() {
	st.mu.Lock()
	counts := map[persistence.Space]int{}
	for _, space := range slices.Sorted(maps.Keys(st.flows)) {
		if n := len(st.flows[space].submitted); n > 0 {
			counts[space] = st.node.life.random.IntN(n + 1)
		}
	}
	st.mu.Unlock()
	for _, space := range slices.Sorted(maps.Keys(counts)) {
		for range counts[space] {
			st.apply(space)
		}
	}
	_ = st.Close()
}

// idle reports whether only commits that must fail are on their way.
func (st *store) idle() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	for space, f := range st.flows {
		for _, c := range f.submitted {
			st.disk.mu.Lock()
			lasts := c.fault == none && st.disk.current(space, c.epoch)
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
