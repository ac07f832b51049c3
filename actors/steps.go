package actors

import (
	"watchpost/persistence"
)

// steps are the writes of one decision that one batch may not hold. Each batch
// is atomic by itself; a failure may leave the first ones without the others, so
// the first has to leave a mark by which the next activation goes on.
type steps struct{ batches []*persistence.Batch }

// Bounds of a step. The other half of a batch is for what room gives last, and for the
// chain of the journal.
const (
	stepOps   = persistence.MaxBatchOps / 2
	stepBytes = persistence.MaxBatchBytes / 2
)

// room returns the batch that has room for ops more operations, which may have
// stepBytes together.
func (s *steps) room(ops int) *persistence.Batch {
	if n := len(s.batches); n > 0 {
		if size, used := s.batches[n-1].Size(); size <= stepBytes && used+ops <= stepOps {
			return s.batches[n-1]
		}
	}
	batch := &persistence.Batch{}
	s.batches = append(s.batches, batch)
	return batch
}

// submitSteps submits the steps in order; then runs when all are durable, or
// with the error when one was lost.
func (r *rootActor) submitSteps(s *steps, then func(error)) {
	for _, batch := range s.batches {
		r.commits.submit(batch, nil)
	}
	r.commits.submit(nil, then)
}
