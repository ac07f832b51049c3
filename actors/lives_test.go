package actors_test

import (
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"pgregory.net/rapid"

	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/persistence/faultstore"
)

// playLives plays random lives, each up to the given number of steps. With
// WATCHPOST_LONG there are more of them, and they are longer. rapid plays a life
// that failed again and again to shorten it.
func playLives(t *testing.T, lives, steps int, play func(r *rapid.T, steps int)) {
	t.Helper()
	if os.Getenv("WATCHPOST_LONG") != "" {
		lives, steps = 2*lives, 3*steps
	}
	for played, failed := 0, false; played < lives && !failed; { // rapid would play a hundred
		rapid.Check(t, func(r *rapid.T) {
			if played++; played > lives && !failed {
				return
			}
			failed = true
			play(r, rapid.IntRange(1, steps).Draw(r, "steps"))
			failed = false
		})
	}
}

// lifeFaults are the faults of a life, apart from those that are its steps.
type lifeFaults struct {
	name  string
	store faultstore.Mix
	// fatal ends the process with the first write that fails.
	fatal bool
	// frames is to how many frames between a session and the service one fault
	// happens; 0: none.
	frames int
	// clock makes the wall clock jump.
	clock bool
}

// TestLivesUnderFaults plays lives of a team as TestTeamStateMachine does, with
// the same invariants, under the faults that actors/sim does not have, and all together.
func TestLivesUnderFaults(t *testing.T) {
	t.Parallel()
	for _, faults := range []lifeFaults{
		{name: "slow", store: faultstore.Mix{Slow: 3}},
		{name: "disk full", store: faultstore.Mix{Full: 5}},
		{name: "frames", frames: 4},
		{name: "clock", clock: true},
		{name: "all", store: faultstore.Mix{Before: 40, After: 40, Slow: 10, Full: 40, Read: 400}, fatal: true, frames: 8, clock: true},
	} {
		t.Run(faults.name, func(t *testing.T) {
			t.Parallel()
			engine := actorstest.Engine(t)
			playLives(t, 3, 40, func(r *rapid.T, steps int) {
				m := newMachine(t, r, engine)
				defer m.w.End()
				m.faults = faults
				m.random = rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 0))
				m.arm()
				for range steps {
					m.step()
				}
				m.calm()
				m.finish()
			})
		})
	}
}

// arm gives a process that has just begun its faults.
func (m *machine) arm() {
	if m.random == nil {
		return
	}
	if m.faults.fatal {
		m.w.Store.Fatal()
	}
	m.w.Store.Play(m.faults.store, m.random.Uint64())
}

// calm ends all faults.
func (m *machine) calm() {
	m.revive()
	m.w.Store.FailWhen(nil)
	m.w.Store.LoseReads(nil)
	m.faults, m.random = lifeFaults{}, nil
	for _, p := range m.sessions {
		p.out, p.in = nil, nil
	}
}

// revive starts the process again when its store has failed for good, as a
// supervisor does.
func (m *machine) revive() {
	select {
	case err := <-m.w.Store.Failed():
		m.tell("the process ends: %v", err)
		m.crash()
	default:
	}
}

func (m *machine) crash() {
	m.w.Crash()
	m.cutOff()
	m.arm()
}

// fate of a frame.
type fate uint8

const (
	arrives fate = iota
	dropped
	repeated
	delayed // until the next frame of its direction, or longer
)

func (m *machine) fate() fate {
	if m.faults.frames == 0 || m.random.IntN(m.faults.frames) > 0 {
		return arrives
	}
	return dropped + fate(m.random.IntN(3))
}

// send sends a frame of a session, which may get lost on its way.
func (m *machine) send(p *fakeSession, f protocol.Frame) {
	fate := m.fate()
	if fate != arrives {
		m.tell("%s: fate %d: %s %s", p, fate, f.Type, f.Task)
	}
	switch fate {
	case dropped:
		return
	case delayed:
		p.out = append(p.out, f)
		return
	case repeated:
		p.Send(f)
	}
	p.Send(f)
	late := p.out
	p.out = nil
	for _, f := range late {
		m.send(p, f)
	}
}

// receive takes a frame of the service, which may get lost on its way.
func (m *machine) receive(p *fakeSession, f protocol.Frame) {
	m.witness(f)
	switch m.fate() {
	case dropped:
		m.tell("%s is not told %s %s %s", p, f.Type, f.Task, f.Lease)
		return
	case delayed:
		p.in = append(p.in, f)
		return
	case repeated:
		m.hear(p, f)
	}
	m.hear(p, f)
	late := p.in
	p.in = nil
	for _, f := range late {
		m.hear(p, f)
	}
}

// jump makes the wall clock jump: back, or forward as after the host was
// suspended.
func (m *machine) jump(step string) {
	if !m.faults.clock {
		return
	}
	var by time.Duration
	switch step {
	case "backwards":
		by = -rapid.SampledFrom([]time.Duration{time.Second, 2 * time.Minute, 3 * time.Hour}).Draw(m.r, "by")
	case "suspended":
		by = rapid.SampledFrom([]time.Duration{30 * time.Second, 10 * time.Minute, 9 * time.Hour, 30 * time.Hour}).Draw(m.r, "by")
	}
	m.tell("the clock jumps by %s", by)
	m.w.Clock.Jump(by)
}

// until sets the clock to just before a boundary of allowances, and past it
// while sessions work.
func (m *machine) until(boundary time.Time) {
	m.w.SetClock(boundary.Add(-time.Second))
	for _, at := range []time.Duration{0, time.Second} {
		m.settle()
		for _, p := range m.sessions {
			m.work(p)
		}
		m.w.SetClock(boundary.Add(at))
	}
}

func midnight(now time.Time) time.Time { return now.Truncate(24 * time.Hour).Add(24 * time.Hour) }

func monday(now time.Time) time.Time {
	day := midnight(now)
	for day.Weekday() != time.Monday {
		day = midnight(day)
	}
	return day
}
