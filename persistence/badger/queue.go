package badger

import (
	"sync"

	"watchpost/persistence"
)

// queue holds requests for the committer in the order of submission. It is
// unbounded because Submit must not wait; callers bound their requests in
// flight. One consumer serves it until it is closed and empty.
type queue struct {
	mu      sync.Mutex
	arrived sync.Cond
	waiting []*request
	spare   []*request // the slice of the previous round, to be reused
	bytes   int64
	closed  bool // new requests are refused, in their turn
	drained bool // the committer has ended; refuse answers instead
	refuses bool // a goroutine runs refuse
}

func newQueue() *queue {
	q := &queue{}
	q.arrived.L = &q.mu
	return q
}

// push adds r. After close, r gets ErrClosed, still after all earlier requests
// and never on the caller's goroutine, which may hold a lock that its done
// function takes.
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

// close makes the queue refuse new requests. It reports whether it was open.
func (q *queue) close() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	was := !q.closed
	q.closed = true
	q.arrived.Signal()
	return was
}

// load returns the number and bytes of waiting requests.
func (q *queue) load() (requests int, bytes int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting), q.bytes
}

// refuse answers requests that arrive after the committer has ended.
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
