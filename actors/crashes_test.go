package actors_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// TestCrashesAreNotRememberedForEver: a team that crashes once a week is refused no
// longer after the twelfth time than after the first. Crashes that follow one another
// are.
func TestCrashesAreNotRememberedForEver(t *testing.T) {
	t.Parallel()
	w, team, _ := house(t)
	crash := func() {
		t.Helper()
		w.PanicIn("actors.(*team).view")
		actorstest.Fails(t, team, watchpost.Internal, actors.GetTeam{})
		w.AwaitPassivated()
	}
	for range 12 {
		crash()
		w.Advance(50 * time.Millisecond)
		done(t, team, actors.ListTargets{})
		w.Advance(7 * 24 * time.Hour)
	}
	for range 8 {
		crash()
		w.Advance(21 * time.Second)
	}
	crash()
	w.Advance(2 * time.Second)
	actorstest.Fails(t, team, watchpost.Unavailable, actors.GetTeam{})
	w.Advance(20 * time.Second)
	done(t, team, actors.GetTeam{})

	w.Advance(5 * time.Minute) // it has served since
	crash()
	w.Advance(50 * time.Millisecond)
	done(t, team, actors.GetTeam{})
}

// outage is a store that can be away or damaged.
type outage struct {
	persistence.Store
	away, damaged atomic.Bool
}

var errAway = errors.New("connection refused")

func (o *outage) Activate(ctx context.Context, space persistence.Space) (persistence.Epoch, error) {
	if o.away.Load() {
		return 0, errAway
	}
	if o.damaged.Load() {
		return 0, fmt.Errorf("%w: team %s", persistence.ErrDamaged, space)
	}
	return o.Store.Activate(ctx, space)
}

// lockedBuffer keeps what the actors log.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// TestOutagesAreNoCrashes: however long or often the store is away, a team serves within
// a second when it is back, and a record that cannot be read is a crash all the same.
func TestOutagesAreNoCrashes(t *testing.T) {
	t.Parallel()
	var log lockedBuffer
	engine := &outage{Store: actorstest.Engine(t)}
	w := actorstest.New(t, actorstest.On(engine), actorstest.With(func(o *actors.Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) }))
	team := w.CreateTeam(t, watchpost.PlanUltimate)
	back := func() {
		t.Helper()
		engine.away.Store(false)
		w.Advance(time.Second)
		done(t, team, actors.ListTargets{})
	}
	for _, lasts := range []time.Duration{22 * time.Second, 43 * time.Second, 20 * time.Minute} {
		w.Restart()
		engine.away.Store(true)
		for end := w.Now().Add(lasts); w.Now().Before(end); w.Advance(lasts / 300) {
			actorstest.Fails(t, team, watchpost.Unavailable, actors.ListTargets{})
		}
		back()
	}
	for range 20 { // the database restarts again and again
		w.Store.Fail(persistence.Space(team.ID), 1, actorstest.Before)
		engine.away.Store(true)
		actorstest.Fails(t, team, watchpost.Unavailable, actorstest.NewTask(watchpost.TaskSendMessage))
		w.AwaitPassivated()
		actorstest.Fails(t, team, watchpost.Unavailable, actors.ListTargets{})
		back()
	}
	require.Contains(t, log.String(), "actor is refused for a while")

	batch := &persistence.Batch{}
	batch.Put(teamspace.Key(teamspace.KeyTarget, "broken"), []byte{9})
	w.Plant(persistence.Space(team.ID), batch)
	w.Crash()
	failsRarely(t, w, team)
}

// TestDamageIsACrash: a team whose part of the store is damaged does not answer until
// a backup is restored, so it does not keep the node busy.
func TestDamageIsACrash(t *testing.T) {
	t.Parallel()
	engine := &outage{Store: actorstest.Engine(t)}
	w := actorstest.New(t, actorstest.On(engine))
	team := w.CreateTeam(t, watchpost.PlanUltimate)
	w.Crash()
	engine.damaged.Store(true)
	failsRarely(t, w, team)
}

// failsRarely expects that a team which fails at each activation is hardly activated
// any more.
func failsRarely(t *testing.T, w *actorstest.World, team *actorstest.Team) {
	t.Helper()
	for range 10 {
		actorstest.Fails(t, team, watchpost.Unavailable, actors.ListTargets{})
		w.AwaitPassivated()
		w.Advance(11 * time.Second)
	}
	activations := w.Store.Activations(persistence.Space(team.ID))
	for range 10 {
		actorstest.Fails(t, team, watchpost.Unavailable, actors.ListTargets{})
		w.AwaitPassivated()
		w.Advance(time.Second)
	}
	require.LessOrEqual(t, w.Store.Activations(persistence.Space(team.ID)), activations+1)
}

// TestLostRaceIsNoFailure: a commit that met a change of the directory costs an
// activation, and no time.
func TestLostRaceIsNoFailure(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	for range 20 {
		w.Store.Fail(persistence.Space(team.ID), 1, actorstest.Conflict)
		actorstest.Fails(t, team, watchpost.Unavailable, actorstest.NewTask(watchpost.TaskSendMessage))
		s.ExpectClosed()
		w.AwaitPassivated()
		require.NoError(t, s.Hello())
	}
}

// TestFailureBeforeTheClockWentBack: the pause after a failure does not last until
// the clock is again where it was.
func TestFailureBeforeTheClockWentBack(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	w.Store.Fail(persistence.Space(team.ID), 1, actorstest.Before)
	actorstest.Fails(t, team, watchpost.Unavailable, actorstest.NewTask(watchpost.TaskSendMessage))
	s.ExpectClosed()
	w.AwaitPassivated()
	w.Clock.Jump(-3 * time.Hour)
	w.Advance(50 * time.Millisecond)
	s.Connect()
}
