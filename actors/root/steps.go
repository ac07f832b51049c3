package root

import (
	"watchpost/persistence"
)

// Steps are the writes of one decision that one batch may not hold. Each batch
// is atomic by itself; a failure may leave the first ones without the others, so
// the first has to leave a mark by which the next activation goes on.
type Steps struct{ Batches []*persistence.Batch }

// Bounds of a step. The other half of a batch is for what room gives last, and for the
// chain of the journal.
const (
	StepOps   = persistence.MaxBatchOps / 2
	StepBytes = persistence.MaxBatchBytes / 2
)

// Room returns the batch that has room for ops more operations, which may have
// stepBytes together.
func (s *Steps) Room(ops int) *persistence.Batch {
	if n := len(s.Batches); n > 0 {
		if size, used := s.Batches[n-1].Size(); size <= StepBytes && used+ops <= StepOps {
			return s.Batches[n-1]
		}
	}
	batch := &persistence.Batch{}
	s.Batches = append(s.Batches, batch)
	return batch
}

// SubmitSteps submits the steps in order; then runs when all are durable, or
// with the error when one was lost.
func (r *Actor) SubmitSteps(s *Steps, then func(error)) {
	for _, batch := range s.Batches {
		r.Commits.Submit(batch, nil)
	}
	r.Commits.Submit(nil, then)
}
