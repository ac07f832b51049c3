package badger

import (
	"sync"

	"watchpost/persistence"
)

// queue holds what waits for the committer, in the order of submission. It is
// unbounded because Submit must not wait: whoever submits bounds what it has
// in flight. One taker serves it until it is closed and empty.
type queue struct {
	mu      sync.Mutex
	arrived sync.Cond
	waiting []*request
	spare   []*request // the slice of the round before, to be filled again
	bytes   int64
	closed  bool // what arrives now is refused, in its turn
	drained bool // the committer has gone; refuse answers in its place
	refuses bool // a goroutine runs refuse
}

func newQueue() *queue {
	q := &queue{}
	q.arrived.L = &q.mu
	return q
}

// push adds r. After close it is answered with ErrClosed, still after all that
// came before it and never on the caller's goroutine, which may hold a lock
// that its done function takes.
func (q *queue) push(r *request) {
	q.mu.Lock()
	if q.closed {
		r.err = persistence.ErrClosed
	}
	q.waiting = append(q.waiting, r)
	q.bytes += r.size
	if q.drained && !q.refuses {
		q.refuses = true
		go q.refuse()
	}
	q.mu.Unlock()
	q.arrived.Signal()
}

// take waits for requests and returns all of them; the slice is valid until
// the next call. It reports false, once, when the queue is closed and empty.
func (q *queue) take() ([]*request, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) == 0 {
		if q.closed {
			q.drained = true
			return nil, false
		}
		q.arrived.Wait()
	}
	return q.swap(), true
}

func (q *queue) swap() []*request {
	taken := q.waiting
	clear(q.spare)
	q.waiting, q.spare, q.bytes = q.spare[:0], taken, 0
	return taken
}

// close makes the queue refuse what comes. It reports whether it was open.
func (q *queue) close() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	was := !q.closed
	q.closed = true
	q.arrived.Signal()
	return was
}

func (q *queue) isClosed() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed
}

// load returns the requests and bytes that wait.
func (q *queue) load() (requests int, bytes int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting), q.bytes
}

// refuse answers what comes after the committer has gone.
func (q *queue) refuse() {
	for {
		q.mu.Lock()
		if len(q.waiting) == 0 {
			q.refuses = false
			q.mu.Unlock()
			return
		}
		taken := q.swap()
		q.mu.Unlock()
		for _, r := range taken {
			r.done(r.err)
		}
	}
}
