package actors

import (
	"sync"

	"watchpost"
	"watchpost/persistence"
)

// journal is a team's one way to the store: it submits batches in the order of
// the team's decisions and runs what waits for them once they are durable. It
// is shared between the team's mailbox and the store's committer, hence the
// lock.
type journal struct {
	store persistence.Store
	space persistence.Space
	epoch persistence.Epoch
	// broken is called once, when the first commit fails.
	broken func(error)

	mu      sync.Mutex
	flying  []*flight // submitted, oldest first
	failure error
	// ended is set when the actor knows that what it has decided is not to be
	// written: nothing is submitted any more.
	ended error
}

// flight is a submitted batch and what waits for it.
type flight struct{ then []func(error) }

// submit hands over a batch; then runs when it and all before it are durable,
// or with the error when they are not. An empty batch waits for those before
// it only. then must not block.
func (j *journal) submit(batch *persistence.Batch, then func(error)) {
	empty := batch == nil || batch.Empty()
	if empty && then == nil {
		return
	}
	if ended := j.over(); ended != nil {
		if then != nil {
			j.after(func(error) { then(ended) })
		}
		return
	}
	if empty {
		j.after(then)
		return
	}
	f := &flight{}
	if then != nil {
		f.then = append(f.then, then)
	}
	j.mu.Lock()
	if err := j.failure; err != nil {
		j.mu.Unlock()
		f.run(err)
		return
	}
	j.flying = append(j.flying, f)
	j.mu.Unlock()
	j.store.Submit(j.space, j.epoch, batch, func(err error) { j.landed(f, err) })
}

// end refuses what is submitted from now on. What is under way still lands.
func (j *journal) end(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.ended == nil {
		j.ended = err
	}
}

func (j *journal) over() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.ended
}

func (j *journal) after(then func(error)) {
	j.mu.Lock()
	if j.failure == nil && len(j.flying) > 0 {
		last := j.flying[len(j.flying)-1]
		last.then = append(last.then, then)
		j.mu.Unlock()
		return
	}
	err := j.failure
	j.mu.Unlock()
	then(err)
}

// landed is called by the store, in the order of submission.
func (j *journal) landed(f *flight, err error) {
	j.mu.Lock()
	j.flying = j.flying[1:]
	first := err != nil && j.failure == nil
	if first {
		j.failure = watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
	}
	failure := j.failure
	j.mu.Unlock()
	if first {
		j.broken(err)
	}
	f.run(failure)
}

// idle reports whether nothing is under way.
func (j *journal) idle() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.flying) == 0
}

func (f *flight) run(err error) {
	for _, then := range f.then {
		then(err)
	}
}
