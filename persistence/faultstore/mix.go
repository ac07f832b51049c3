package faultstore

import (
	"hash/fnv"
	"math/rand/v2"

	"watchpost/persistence"
)

// Mix says how often a fault happens: to one commit, or read, of this number; 0 is
// never.
type Mix struct {
	Before, After, Conflict, Slow, Full, Torn int
	Read                                      int
}

// Play draws the faults of a mix from a seed. The nth commit of a space meets the
// same fault in every run with the seed, whatever other spaces do.
func (s *Store) Play(m Mix, seed uint64) {
	random := map[persistence.Space]*rand.Rand{}
	s.FailWhen(func(space persistence.Space, _ *persistence.Batch) Fault {
		r := random[space]
		if r == nil {
			name := fnv.New64a()
			_, _ = name.Write([]byte(space))
			r = rand.New(rand.NewPCG(seed, name.Sum64()))
			random[space] = r
		}
		return m.draw(r)
	})
	if m.Read > 0 {
		reads := rand.New(rand.NewPCG(seed, 0))
		s.LoseReads(func(Read) bool { return reads.IntN(m.Read) == 0 })
	}
}

// draw returns the fault of one commit.
func (m *Mix) draw(r *rand.Rand) Fault {
	for _, chance := range []struct {
		fault Fault
		oneIn int
	}{{Before, m.Before}, {After, m.After}, {Conflict, m.Conflict}, {Slow, m.Slow}, {Full, m.Full}, {Torn, m.Torn}} {
		if chance.oneIn > 0 && r.IntN(chance.oneIn) == 0 {
			return chance.fault
		}
	}
	return None
}
