package root

import (
	"sync"

	"watchpost/persistence"
	"watchpost/watchpost"
)

// commitQueue is a team's one way to the store: it submits batches in the order of
// the team's decisions and runs what waits for them once they are durable. It
// is shared between the team's mailbox and the store's committer: it has a
// lock.
type commitQueue struct {
	store persistence.Store
	space persistence.Space
	epoch persistence.Epoch
	// broken is called once, when the first commit fails.
	broken func(error)
	// changed is called after each commit; it must not block. Nil: never.
	changed func([]Change)
	// Complete adds to a batch what belongs to it; nil: nothing. It is called in the
	// order of submission.
	Complete func(*persistence.Batch)

	mu      sync.Mutex
	pending []*pendingCommit // submitted, oldest first
	failure error
	// ended is set when the actor knows that its decisions must not be
	// written: nothing is submitted any more.
	ended error
}

// pendingCommit is a submitted batch and what waits for it.
type pendingCommit struct {
	onCommitted []func(error)
	changes     []Change
}

// Submit hands over a batch; then runs when it and all before it are durable,
// or with the error when they are not. An empty batch waits for those before
// it only. then must not block.
func (q *commitQueue) Submit(batch *persistence.Batch, then func(error)) {
	empty := batch == nil || batch.Empty()
	if empty && then == nil {
		return
	}
	if ended := q.over(); ended != nil {
		if then != nil {
			q.after(func(error) { then(ended) })
		}
		return
	}
	if empty {
		q.after(then)
		return
	}
	if q.Complete != nil {
		q.Complete(batch)
	}
	f := &pendingCommit{changes: changesOf(batch)}
	if then != nil {
		f.onCommitted = append(f.onCommitted, then)
	}
	q.mu.Lock()
	if err := q.failure; err != nil {
		q.mu.Unlock()
		f.run(err)
		return
	}
	q.pending = append(q.pending, f)
	q.mu.Unlock()
	q.store.Submit(q.space, q.epoch, batch, func(err error) { q.onCommitted(f, err) })
}

// End refuses batches submitted from now on. Batches under way still land.
func (q *commitQueue) End(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended == nil {
		q.ended = err
	}
}

func (q *commitQueue) over() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.ended
}

func (q *commitQueue) after(then func(error)) {
	q.mu.Lock()
	if q.failure == nil && len(q.pending) > 0 {
		last := q.pending[len(q.pending)-1]
		last.onCommitted = append(last.onCommitted, then)
		q.mu.Unlock()
		return
	}
	err := q.failure
	q.mu.Unlock()
	then(err)
}

// onCommitted is called by the store, in the order of submission.
func (q *commitQueue) onCommitted(f *pendingCommit, err error) {
	q.mu.Lock()
	q.pending[0] = nil // the array outlives it, and its functions hold frames
	q.pending = q.pending[1:]
	first := err != nil && q.failure == nil
	if first {
		q.failure = watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
	}
	failure := q.failure
	q.mu.Unlock()
	if first {
		q.broken(err)
	}
	f.run(failure)
	if failure == nil && q.changed != nil && len(f.changes) > 0 {
		q.changed(f.changes)
	}
}

// Announce reports a change that is not stored, once the batches submitted before are
// durable.
func (q *commitQueue) Announce(c Change) {
	q.Submit(nil, func(err error) {
		if err == nil && q.changed != nil {
			q.changed([]Change{c})
		}
	})
}

// Idle reports whether nothing is under way.
func (q *commitQueue) Idle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.pending) == 0
}

func (f *pendingCommit) run(err error) {
	for _, then := range f.onCommitted {
		then(err)
	}
}

// Both returns what does one thing after the other; either may be nil.
func Both(first, second func(error)) func(error) {
	switch {
	case first == nil:
		return second
	case second == nil:
		return first
	}
	return func(err error) {
		first(err)
		second(err)
	}
}
