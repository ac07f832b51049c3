package actors_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// TestPacePromises: whatever happens to two browsers of an account and to the service,
// no write begins outside of the member's hours or within the pause after another one,
// and none is above the allowance.
func TestPacePromises(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 0))
			w, team, a := house(t)
			p := &pacePlay{t: t, w: w, sessions: []*actorstest.Session{a, team.Session(t, "ada").Connect()}, seen: map[string]bool{}}
			choose(a, &protocol.Pace{Hours: office(), Pause: &protocol.Span{From: 300, Until: 900}})
			for range 60 {
				team.Create(t, watchpost.TaskLikePost) // more than a day's allowance
			}
			for range 60 {
				p.step(random)
			}
			require.NotEmpty(t, p.begun)
			perDay := map[string]int{}
			for i, at := range p.begun {
				if i > 0 {
					require.GreaterOrEqual(t, at.Sub(p.begun[i-1]), 5*time.Minute, "two writes within one pause")
				}
				require.Contains(t, []int{12, 13}, at.Hour(), "a write at %v", at)
				perDay[at.Format(time.DateOnly)]++
			}
			for day, n := range perDay {
				require.LessOrEqual(t, n, 50, day)
			}
		})
	}
}

// pacePlay plays the browsers, and notes when writes begin.
type pacePlay struct {
	t        *testing.T
	w        *actorstest.World
	sessions []*actorstest.Session
	seen     map[string]bool // leases that began
	begun    []time.Time
}

// step lets time pass or something go wrong, and has the browsers do the tasks that
// arrive.
func (p *pacePlay) step(random *rand.Rand) {
	s := p.sessions[random.IntN(2)]
	switch random.IntN(8) {
	case 0:
		p.w.Crash()
		for _, s := range p.sessions {
			s.Connect()
		}
	case 1:
		s.Drop()
		s.Connect()
	case 2:
		p.w.SetClock(nextNoon(p.w.Now())) // it begins at noon with all that waits
	default:
		p.w.Advance(time.Duration(random.IntN(20*60)) * time.Second)
	}
	for _, s := range p.sessions {
		s.Heartbeat()
	}
	for _, s := range p.sessions {
		for _, f := range s.Settle() {
			if f.Type == protocol.TypeTask && !p.seen[f.Lease] && p.w.Now().Before(*f.Deadline) {
				p.do(s, f, random.IntN(4) == 0)
			}
		}
	}
}

// do does a write, or gives it back.
func (p *pacePlay) do(s *actorstest.Session, f protocol.Frame, back bool) {
	p.seen[f.Lease] = true
	if back {
		s.Release(f)
		return
	}
	s.Act(f)
	p.begun = append(p.begun, p.w.Now())
	s.Result(f, map[string]any{})
	s.ExpectAck(f)
}

func nextNoon(now time.Time) time.Time {
	noon := time.Date(now.Year(), now.Month(), now.Day(), 12, 0, 0, 0, time.UTC)
	if !noon.After(now) {
		noon = noon.AddDate(0, 0, 1)
	}
	return noon
}
