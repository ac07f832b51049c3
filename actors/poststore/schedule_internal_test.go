package poststore

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// postStoreModel drives a postStoreSchedule as a post store, an index and a store do:
// started work completes in order and at any time, a merge has a first and a last
// step that must see everything before them, and marks and posts keep arriving.
type postStoreModel struct {
	s        schedule
	marks    int
	queued   int
	flying   []postStoreTurn // on their way, oldest first
	left     int             // steps of the fold
	seals    int
	merging  int           // merges that are due
	waited   [turns]int    // turns of others since it began to wait
	done     [turns]int    // turns
	longest  int           // steps of a fold at most
	ingested int           // versions of an ingest at most
	batch    func(int) int // how many of them
}

// arrive lets work wait and keeps the schedule informed, as the post store does.
func (m *postStoreModel) inform() {
	m.s.flags, m.s.queue = m.marks > 0, m.queued > 0
	m.s.folding = m.left > 0
	m.s.apart = m.left > 1 && m.s.folding && !m.first()
	m.s.merges = m.s.folding && m.seals == 0
}

// first reports whether the fold has not begun: its first step is not apart.
func (m *postStoreModel) first() bool { return m.left == m.longest+1 }

// begin begins a turn and returns it.
func (m *postStoreModel) begin(t *rapid.T) postStoreTurn {
	m.inform()
	turn := m.s.next()
	if turn != turnNone && (turn != turnMaintenance || !m.s.apart) {
		require.False(t, m.s.writing, "two writes at once")
	}
	switch turn {
	case turnNone:
		return turn
	case turnFlags:
		require.Less(t, m.s.buffered, m.s.most)
		m.marks--
		m.s.buffered++
	case turnQueue:
		require.Less(t, m.s.buffered, m.s.most)
		m.queued--
		m.s.buffered += min(m.batch(m.ingested), m.s.most-m.s.buffered)
	case turnMaintenance:
		m.step(t)
	}
	for other := turnFlags; other < turns; other++ {
		if m.s.wants(other) && other != turn {
			m.waited[other]++
		}
	}
	m.waited[turn] = 0
	m.done[turn]++
	return turn
}

// step is what a post store does in a turn of maintenance.
func (m *postStoreModel) step(t *rapid.T) {
	if m.left == 0 {
		switch {
		case m.s.buffered >= m.s.sealFrom:
			m.seals, m.left = min(m.s.buffered, 3*m.s.sealFrom), m.longest+1
		case m.merging > 0:
			m.merging--
			m.seals, m.left = 0, m.longest+1
		default:
			m.s.due = false
			return
		}
	}
	if m.s.apart {
		m.left--
		m.s.steps++
		m.flying = append(m.flying, turnMaintenance)
		return
	}
	require.Zero(t, m.s.steps, "a step that must see all before it")
	m.write(turnNone)
	if m.left--; m.left == 0 {
		m.s.buffered -= m.seals
		if m.seals > 0 {
			m.merging++
		}
		m.s.due = m.s.buffered >= m.s.sealFrom || m.merging > 0
	}
}

func (m *postStoreModel) write(turn postStoreTurn) {
	m.s.writing = true
	m.flying = append(m.flying, turn)
}

// land lets the oldest thing arrive in the store.
func (m *postStoreModel) land() {
	oldest := m.flying[0]
	m.flying = m.flying[1:]
	if oldest == turnMaintenance {
		m.s.steps--
		return
	}
	m.s.writing = false
}

// TestNothingInTheFeedStarves: whatever arrives, every turn that waits comes
// after a bounded number of others, the buffer keeps to its bound, and the post store
// never stands still with work to do.
func TestNothingInTheFeedStarves(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := &postStoreModel{longest: rapid.IntRange(1, 12).Draw(t, "steps"), ingested: rapid.IntRange(1, 40).Draw(t, "posts")}
		m.batch = func(most int) int { return rapid.IntRange(0, most).Draw(t, "stored") }
		m.s = schedule{due: true, sealFrom: rapid.IntRange(1, 64).Draw(t, "seal from")}
		m.s.most = 8 * m.s.sealFrom
		m.s.buffered = rapid.IntRange(0, 3*m.s.most).Draw(t, "left")
		// The longest wait: the buffer over the bound is flushed, a merge under way and
		// one that follows are done, with the turns of others between their steps.
		bound := 100 + 40*(m.longest+2)
		started := max(m.s.buffered, m.s.most)
		marks, queue := rapid.IntRange(0, 3).Draw(t, "marks"), rapid.IntRange(0, 2).Draw(t, "queue")
		for range 600 {
			m.marks += rapid.IntRange(0, marks).Draw(t, "more marks")
			m.queued += rapid.IntRange(0, queue).Draw(t, "more posts")
			for turn := m.begin(t); turn != turnNone; turn = m.begin(t) {
				if turn == turnFlags || turn == turnQueue {
					m.write(turn)
					due := m.s.buffered >= m.s.sealFrom
					m.s.due = m.s.due || due
				}
				require.LessOrEqual(t, m.s.buffered, started)
			}
			for other := turnFlags; other < turns; other++ {
				require.LessOrEqual(t, m.waited[other], bound, "turn %d starves", other)
			}
			if len(m.flying) == 0 {
				m.inform()
				require.False(t, m.marks > 0 || m.queued > 0 || m.s.due || m.left > 0, "the post store stands still: %+v", m.s)
				continue
			}
			for range rapid.IntRange(1, len(m.flying)).Draw(t, "landed") {
				m.land()
			}
		}
	})
}

// TestSteadyMarksLeaveMaintenanceItsTurn: with a mark always waiting, every
// second turn is the index's while it has something to do, and posts are stored
// all the same.
func TestSteadyMarksLeaveMaintenanceItsTurn(t *testing.T) {
	t.Parallel()
	s := schedule{flags: true, queue: true, due: true, sealFrom: 4, most: 32}
	var done [turns]int
	for range 100 {
		done[s.next()]++
	}
	require.GreaterOrEqual(t, done[turnMaintenance], 40)
	require.GreaterOrEqual(t, done[turnFlags], 40)
	require.Positive(t, done[turnQueue])
}

// TestFullBufferHoldsUpAllButMaintenance.
func TestFullBufferHoldsUpAllButMaintenance(t *testing.T) {
	t.Parallel()
	s := schedule{flags: true, queue: true, due: true, buffered: 32, sealFrom: 4, most: 32}
	for range 20 {
		require.Equal(t, turnMaintenance, s.next())
	}
	s.buffered = 31
	require.NotEqual(t, turnMaintenance, s.next())
}
