package testclock_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/internal/testclock"
	"watchpost/watchpost"
)

var noon = time.Date(2030, 1, 9, 12, 0, 0, 0, time.UTC)

// settable returns a clock set near noon, closed at the end of the test.
func settable(t testing.TB) *testclock.Clock {
	t.Helper()
	c := testclock.New(noon.Sub(watchpost.SystemClock{}.Now()), nil, nil)
	t.Cleanup(c.Close)
	return c
}

func TestOrder(t *testing.T) {
	t.Parallel()
	c := settable(t)
	start := c.Now()
	at := func(d time.Duration) time.Time { return start.Add(d) }
	var calls []string
	note := func(name string, when time.Time) func() {
		return func() {
			require.Equal(t, when.UTC(), c.Now(), "the clock stands at the moment that is due")
			require.Equal(t, time.UTC, c.Now().Location())
			calls = append(calls, name)
		}
	}
	c.At(at(3*time.Hour), note("3h", at(3*time.Hour)))
	c.At(at(time.Hour), note("1h first", at(time.Hour)))
	c.At(at(time.Hour), note("1h second", at(time.Hour)))
	c.At(at(2*time.Hour), func() {
		note("2h", at(2*time.Hour))()
		c.At(at(2*time.Hour), note("2h, added then", at(2*time.Hour)))
		c.At(at(time.Minute), note("past, added then", at(2*time.Hour)))
		c.At(at(150*time.Minute), note("2h30, added then", at(150*time.Minute)))
		c.At(at(30*time.Hour), func() { calls = append(calls, "30h") })
	})
	stopped := c.At(at(90*time.Minute), func() { calls = append(calls, "stopped") })
	c.At(at(time.Hour), func() { require.True(t, stopped.Stop()) })
	require.NoError(t, c.Set(at(3*time.Hour)))
	require.Equal(t, []string{"1h first", "1h second", "2h", "past, added then", "2h, added then", "2h30, added then", "3h"}, calls)
	require.False(t, stopped.Stop(), "stopped already")
	require.NoError(t, c.Set(at(29*time.Hour)))
	require.Len(t, calls, 7)
	require.NoError(t, c.Advance(2*time.Hour))
	require.Equal(t, "30h", calls[7])
}

func TestBackwards(t *testing.T) {
	t.Parallel()
	c := settable(t)
	require.NoError(t, c.Advance(0), "not at all is not backwards")
	for _, err := range []error{c.Set(noon.Add(-time.Hour)), c.Advance(-time.Nanosecond), c.Advance(-time.Hour)} {
		require.ErrorIs(t, err, watchpost.ErrClockBackwards)
		require.EqualError(t, err, "Clock cannot go backwards")
		require.Equal(t, watchpost.Invalid, watchpost.KindOf(err))
	}
	require.False(t, c.Now().Before(noon))
}

func TestPersistsFirst(t *testing.T) {
	t.Parallel()
	var events []string
	var kept time.Duration
	var failure error
	offset := noon.Sub(watchpost.SystemClock{}.Now())
	c := testclock.New(offset, func(o time.Duration) error {
		events = append(events, "persist")
		if failure == nil {
			kept = o
		}
		return failure
	}, nil)
	t.Cleanup(c.Close)
	c.BeforeAdvance(func(target time.Time) { events = append(events, "before "+target.Sub(noon).Round(time.Hour).String()) })
	c.At(noon.Add(time.Hour), func() { events = append(events, "timer") })
	failure = errors.New("disk full")
	err := c.Advance(2 * time.Hour)
	require.ErrorIs(t, err, failure)
	require.Equal(t, watchpost.Unavailable, watchpost.KindOf(err))
	require.Equal(t, []string{"persist"}, events)
	require.WithinDuration(t, noon, c.Now(), 20*time.Second, "it was not set")
	failure, events = nil, nil
	require.NoError(t, c.Advance(2*time.Hour))
	require.Equal(t, []string{"persist", "before 2h0m0s", "timer"}, events)
	require.Equal(t, offset+2*time.Hour, kept)
	require.Error(t, c.Advance(-1))
	require.Len(t, events, 3, "what is refused is not persisted")

	after := testclock.New(kept, nil, nil)
	t.Cleanup(after.Close)
	require.WithinDuration(t, c.Now(), after.Now(), 20*time.Second, "a clock made with the offset goes on")
}

func TestRunsOn(t *testing.T) {
	t.Parallel()
	c := settable(t)
	rang := make(chan time.Time, 10)
	ring := func() { rang <- c.Now() }
	c.At(c.Now().Add(-time.Hour), ring)
	<-rang // at has passed: called immediately
	at := c.Now().Add(30 * time.Millisecond)
	late := c.At(at.Add(time.Hour), ring)
	c.At(at, ring)
	require.False(t, (<-rang).Before(at), "not early")
	require.NoError(t, c.Advance(time.Hour))
	require.False(t, (<-rang).Before(at.Add(time.Hour)), "set to, or run to")
	require.False(t, late.Stop())
	soon := c.Now().Add(20 * time.Millisecond)
	stopped := c.At(soon, func() { t.Error("stopped, and called") })
	c.At(soon.Add(10*time.Millisecond), ring)
	require.True(t, stopped.Stop())
	<-rang

	t.Run("now never falls back", func(t *testing.T) {
		stop := make(chan struct{})
		var watching sync.WaitGroup
		watching.Go(func() {
			for last := c.Now(); ; {
				now := c.Now()
				if now.Before(last) {
					t.Errorf("%s after %s", now, last)
					return
				}
				last = now
				select {
				case <-stop:
					return
				default:
				}
			}
		})
		for i := range 200 {
			require.NoError(t, c.Advance(time.Duration(i)*time.Microsecond))
		}
		close(stop)
		watching.Wait()
	})
	t.Run("an advance waits for what rings already", func(t *testing.T) {
		began, finish := make(chan struct{}), make(chan struct{})
		var done bool
		c.At(c.Now(), func() {
			close(began)
			<-finish
			done = true
		})
		<-began
		advanced := make(chan error)
		go func() { advanced <- c.Advance(time.Hour) }()
		select {
		case <-advanced:
			t.Error("it did not wait")
		case <-time.After(20 * time.Millisecond):
		}
		close(finish)
		require.NoError(t, <-advanced)
		require.True(t, done)
	})
	t.Run("closed", func(t *testing.T) {
		closed := testclock.New(0, nil, nil)
		closed.At(closed.Now().Add(time.Hour), func() {})
		closed.Close()
		closed.At(closed.Now(), func() { t.Error("a closed clock rings") })
		closed.Close()
	})
}

// TestAgainstModel adds, stops and advances at random, and
// compares the calls with a sorted list.
func TestAgainstModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		c := testclock.New(noon.Sub(watchpost.SystemClock{}.Now()), nil, nil)
		defer c.Close()
		type entry struct {
			name  string
			at    time.Time
			timer watchpost.Timer
		}
		base := c.Now()
		var waiting []entry
		var got, want []string
		now := time.Duration(0)
		for i := range rapid.IntRange(1, 60).Draw(r, "steps") {
			switch rapid.IntRange(0, 3).Draw(r, "step") {
			case 0, 1:
				name := fmt.Sprint(i)
				// Hours ahead, so that no timer is due at real speed during the
				// test.
				at := base.Add(now + time.Duration(rapid.IntRange(1, 20).Draw(r, "in"))*time.Hour)
				e := entry{name: name, at: at, timer: c.At(at, func() { got = append(got, name) })}
				place := len(waiting)
				for place > 0 && waiting[place-1].at.After(at) {
					place--
				}
				waiting = append(waiting[:place], append([]entry{e}, waiting[place:]...)...)
			case 2:
				if len(waiting) > 0 {
					n := rapid.IntRange(0, len(waiting)-1).Draw(r, "stop")
					require.True(r, waiting[n].timer.Stop())
					waiting = append(waiting[:n], waiting[n+1:]...)
				}
			case 3:
				now += time.Duration(rapid.IntRange(0, 12).Draw(r, "by"))*time.Hour + time.Minute
				require.NoError(r, c.Set(base.Add(now)))
				for len(waiting) > 0 && !waiting[0].at.After(base.Add(now)) {
					want = append(want, waiting[0].name)
					require.False(r, waiting[0].timer.Stop())
					waiting = waiting[1:]
				}
			}
			require.Equal(r, want, got)
		}
	})
}

// TestFollow sets one clock to the offset of another: they show the same time, and
// the timers between are called.
func TestFollow(t *testing.T) {
	t.Parallel()
	first, second := testclock.New(0, nil, nil), testclock.New(0, nil, nil)
	t.Cleanup(first.Close)
	t.Cleanup(second.Close)
	rung := 0
	second.At(second.Now().Add(time.Hour), func() { rung++ })
	require.NoError(t, first.Advance(2*time.Hour))
	require.NoError(t, second.Follow(first.Offset()))
	require.Equal(t, first.Offset(), second.Offset())
	require.Equal(t, 1, rung)
	require.NoError(t, second.Follow(time.Hour))
	require.Equal(t, first.Offset(), second.Offset(), "it does not go back")
}

// TestJump: a jump forward calls everything that is due, with the clock past it;
// after a jump back, later timers wait for their time.
func TestJump(t *testing.T) {
	t.Parallel()
	c := testclock.New(0, nil, func(time.Time) { t.Error("nobody knows of a jump before") })
	t.Cleanup(c.Close)
	began := c.Now()
	var called atomic.Int64
	for _, d := range []time.Duration{time.Hour, 2 * time.Hour, 5 * time.Hour} {
		c.At(began.Add(d), func() {
			called.Add(1)
			require.False(t, c.Now().Before(began.Add(3*time.Hour)))
		})
	}
	c.Jump(3 * time.Hour)
	require.EqualValues(t, 2, called.Load())
	c.Jump(-2 * time.Hour)
	require.WithinDuration(t, began.Add(time.Hour), c.Now(), time.Minute)
	c.Jump(3 * time.Hour)
	require.EqualValues(t, 2, called.Load(), "four hours after the beginning")
	c.Jump(2 * time.Hour)
	require.EqualValues(t, 3, called.Load())
}
