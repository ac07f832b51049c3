package actors_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// fetches creates n profile fetches.
func fetches(t *testing.T, team *actorstest.Team, n int) []watchpost.TaskID {
	t.Helper()
	var ids []watchpost.TaskID
	for range n {
		ids = append(ids, team.Create(t, watchpost.TaskProfileFetch))
	}
	return ids
}

func TestDailyCap(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	ids := fetches(t, team, 45)
	for _, id := range ids[:40] {
		s.Finish(s.ExpectTask(id))
	}
	s.ExpectNone()
	midnight := watchpost.Daily.Reset(w.Now())
	for _, id := range ids[40:] {
		require.Equal(t, midnight, wantPending(t, team, id, watchpost.PendingDailyCap).NotBefore)
	}
	require.Equal(t, 40, team.Used(t, s.Email, watchpost.ActionProfileFetch))

	t.Run("other actions have their own", func(t *testing.T) {
		s.Finish(s.ExpectTask(team.Create(t, watchpost.TaskCompanyFetch)))
	})
	t.Run("a crash gives nothing back", func(t *testing.T) {
		w.Crash()
		s.Connect()
		s.ExpectNone()
		wantPending(t, team, ids[40], watchpost.PendingDailyCap)
	})
	t.Run("not a second before midnight, then in order", func(t *testing.T) {
		w.SetClock(midnight.Add(-5 * time.Second))
		s.ExpectNone()
		w.SetClock(midnight)
		for _, id := range ids[40:] {
			s.Finish(s.ExpectTask(id))
		}
		require.Equal(t, 5, team.Used(t, s.Email, watchpost.ActionProfileFetch))
	})
	t.Run("a read done before the cap is not given back", func(t *testing.T) {
		for range 35 {
			s.Finish(s.ExpectTask(team.Create(t, watchpost.TaskProfileFetch)))
		}
		wantPending(t, team, team.Create(t, watchpost.TaskProfileFetch), watchpost.PendingDailyCap)
	})
}

// TestDailyCapWhileAway: a team that is not in memory at midnight begins the
// new day when its session says hello.
func TestDailyCapWhileAway(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	ids := fetches(t, team, 41)
	for _, id := range ids[:40] {
		s.Finish(s.ExpectTask(id))
	}
	s.Drop()
	w.Advance(time.Hour)
	w.AwaitPassivated()
	w.SetClock(watchpost.Daily.Reset(w.Now()).Add(time.Hour))
	s.Connect()
	s.Finish(s.ExpectTask(ids[40]))
}

func TestTwoAccountsShareReads(t *testing.T) {
	t.Parallel()
	w, team, a := house(t)
	b := team.SessionOf(t, team.Member(t, "bob"), "bob")
	for _, id := range fetches(t, team, 5) {
		a.Finish(a.ExpectTask(id))
	}
	b.Connect()
	t.Run("the least used first", func(t *testing.T) {
		for range 4 {
			b.Finish(b.ExpectTask(team.Create(t, watchpost.TaskProfileFetch)))
		}
		a.ExpectNone()
	})
	t.Run("when it is busy, the other", func(t *testing.T) {
		ids := fetches(t, team, 2)
		first := b.ExpectTask(ids[0])
		a.Finish(a.ExpectTask(ids[1]))
		b.Finish(first)
	})
	t.Run("80 a day for both, not one more", func(t *testing.T) {
		fetches(t, team, 80)
		served := 0
		for idle := 0; idle < 2; {
			idle = 0
			for _, s := range []*actorstest.Session{a, b} {
				came := s.Settle()
				if len(came) == 0 {
					idle++
				}
				for _, f := range came {
					require.Equal(t, protocol.TypeTask, f.Type)
					s.Finish(f)
					served++
				}
			}
		}
		require.Equal(t, 80-11, served)
		for _, s := range []*actorstest.Session{a, b} {
			require.Equal(t, 40, team.Used(t, s.Email, watchpost.ActionProfileFetch))
		}
		require.Equal(t, watchpost.Daily.Reset(w.Now()), wantPending(t, team, team.Create(t, watchpost.TaskProfileFetch), watchpost.PendingDailyCap).NotBefore)
	})
}

// TestTwinsShareOneAllowance: two sessions of one account have one allowance.
func TestTwinsShareOneAllowance(t *testing.T) {
	t.Parallel()
	_, team, a := house(t)
	b := team.Session(t, "ADA") // the urn is normalised
	b.Connect()
	fetches(t, team, 41)
	served := 0
	for idle := 0; idle < 2; {
		idle = 0
		for _, s := range []*actorstest.Session{a, b} {
			came := s.Settle()
			if len(came) == 0 {
				idle++
			}
			for _, f := range came {
				s.Finish(f)
				served++
			}
		}
	}
	require.Equal(t, 40, served)
}

func TestWeeklyCapOfInvitations(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	do := func(n int) {
		for range n {
			s.Finish(s.ExpectTask(team.Create(t, watchpost.TaskConnectionRequest)))
		}
	}
	do(60)
	w.Advance(24 * time.Hour)
	s.Heartbeat()
	do(38)
	s.Drop() // waiting tasks count like handed-out ones
	id, last := team.Create(t, watchpost.TaskConnectionRequest), team.Create(t, watchpost.TaskConnectionRequest)
	full := func() {
		err := actorstest.Fails(t, team, watchpost.InvitationCap, actorstest.NewTask(watchpost.TaskConnectionRequest))
		require.EqualError(t, err, "Network invitation limit reached. Try again next week.")
	}
	full()
	s.Connect()
	s.Error(s.ExpectTask(id), "network_limit", actorstest.Lie)
	s.Expect(protocol.TypeAck)
	full() // 98 were handed out and two wait; but the network lets none out any more
	monday := time.Date(2030, 1, 14, 0, 0, 0, 0, time.UTC)
	require.Equal(t, monday, wantPending(t, team, id, watchpost.PendingWeeklyCap).NotBefore)
	w.Crash()
	s.Connect()
	w.Advance(24 * time.Hour)
	require.Equal(t, monday, wantPending(t, team, id, watchpost.PendingWeeklyCap).NotBefore)
	w.SetClock(monday.Add(-5 * time.Second))
	s.ExpectNone()
	w.SetClock(monday)
	s.Finish(s.ExpectTask(id))
	s.Finish(s.ExpectTask(last))
	require.Equal(t, 2, team.Used(t, s.Email, watchpost.ActionInvitation))
}

// TestOutAtMidnight checks that a task handed out when the day ends is debited
// to both days, and given back to both. Its report may be the first that the team hears
// of in the new day, or not.
func TestOutAtMidnight(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		end           func(*actorstest.Session, protocol.Frame)
		before, after int
	}{
		{"done", func(s *actorstest.Session, f protocol.Frame) { s.Finish(f) }, 1, 1},
		{"released", func(s *actorstest.Session, f protocol.Frame) { s.Release(f); s.ExpectNone() }, 0, 0},
		{"not acted", func(s *actorstest.Session, f protocol.Frame) { s.Error(f, "not_found", actorstest.Lie); s.ExpectAck(f) }, 0, 0},
		{"acted", func(s *actorstest.Session, f protocol.Frame) {
			s.Error(f, "not_found", actorstest.Truth)
			s.ExpectAck(f)
		}, 1, 1},
	} {
		for _, sign := range []string{"heartbeat", "crash", "none"} {
			t.Run(c.name+", sign of life before: "+sign, func(t *testing.T) {
				t.Parallel()
				w, team, s := house(t)
				midnight := watchpost.Daily.Reset(w.Now())
				w.SetClock(midnight.Add(-30 * time.Second))
				s.Heartbeat()
				frame := s.ExpectTask(team.Create(t, watchpost.TaskProfileFetch))
				require.Equal(t, midnight, *frame.Deadline, "not past the day that was debited")
				w.SetClock(midnight.Add(time.Second))
				if sign != "none" {
					s.Heartbeat(frame)
					s.ExpectNone()
					require.Equal(t, 1, team.Used(t, s.Email, watchpost.ActionProfileFetch))
				}
				if sign == "crash" {
					w.Crash()
					s.Connect(actorstest.Listed(frame, protocol.StateReceived))
				}
				c.end(s, frame)
				require.Equal(t, c.after, team.Used(t, s.Email, watchpost.ActionProfileFetch))
				require.Equal(t, c.before, storedUse(t, w, team, s, watchpost.ActionProfileFetch, midnight.Add(-time.Second)))
				require.Equal(t, c.after, storedUse(t, w, team, s, watchpost.ActionProfileFetch, midnight))
			})
		}
	}
}

func TestDeadline(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	id := team.Create(t, watchpost.TaskProfileFetch)
	frame := s.ExpectTask(id)
	w.Advance(50 * time.Second)
	s.Heartbeat(frame)
	s.Settle()
	s.Drop()
	s.Connect() // it lists nothing, so it gets the task again, under the same lease
	again := s.ExpectTask(id)
	require.Equal(t, frame.Lease, again.Lease)
	require.Equal(t, frame.Attempt, again.Attempt)
	require.True(t, frame.Deadline.Equal(*again.Deadline), "renewals do not move it")
}

func TestExpiry(t *testing.T) {
	t.Parallel()
	const week = 7 * 24 * time.Hour
	t.Run("while in memory", func(t *testing.T) {
		t.Parallel()
		w := actorstest.New(t, actorstest.With(func(o *actors.Options) { o.IdleAfter = 1000 * time.Hour }))
		team := w.CreateTeam(t, watchpost.PlanFree)
		id := team.Create(t, watchpost.TaskProfileFetch)
		created := team.Status(t, id).CreatedAt
		w.SetClock(created.Add(week - 2*time.Second))
		wantPending(t, team, id, watchpost.PendingExtensionOffline)
		w.SetClock(created.Add(week))
		view := team.Status(t, id)
		wantFailure(t, view, "expired", true)
		require.True(t, view.CompletedAt.Equal(created.Add(week)), "%s %s", created, view.CompletedAt)
	})
	for name, away := range map[string]func(w *actorstest.World){
		"put to rest": func(w *actorstest.World) { w.Advance(time.Hour); w.AwaitPassivated() },
		"restarted":   func(w *actorstest.World) { w.Restart() },
		"crashed":     func(w *actorstest.World) { w.Crash() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := actorstest.New(t)
			team := w.CreateTeam(t, watchpost.PlanFree)
			id := team.Create(t, watchpost.TaskLikePost)
			created := team.Status(t, id).CreatedAt
			away(w)
			w.Advance(30 * 24 * time.Hour)
			view := team.Status(t, id)
			wantFailure(t, view, "expired", true)
			require.True(t, view.CompletedAt.Equal(created.Add(week)), "as of the moment when it was due")
			s := team.Session(t, "ada").Connect()
			s.ExpectNone()
			require.Equal(t, view, team.Status(t, id))
		})
	}
	t.Run("not what was begun once", func(t *testing.T) {
		t.Parallel()
		w, team, s := house(t)
		id := team.Create(t, watchpost.TaskProfileFetch)
		frame := s.ExpectTask(id)
		s.Drop()
		w.Advance(30 * 24 * time.Hour)
		wantPending(t, team, id, watchpost.PendingExtensionOffline)
		s.Connect(actorstest.Listed(frame, protocol.StateReceived))
		s.Expect(protocol.TypeCancel)
		s.Finish(s.ExpectTask(id))
	})
}

// TestConnectGivesUp: a caller that gives up while its hello is being stored leaves no
// connection.
func TestConnectGivesUp(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	id := team.Create(t, watchpost.TaskProfileFetch)
	s.ExpectTask(id)
	s.Drop()
	w.Advance(11 * time.Minute) // the hello is to be stored
	w.Store.Block()
	done(t, team, actors.RequireExtension{})
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_ = w.Store.AwaitHeld(ctx, 1)
		cancel()
	}()
	require.Error(t, s.HelloContext(ctx))
	w.Store.Release()
	require.Eventually(t, func() bool { return w.Gauge("watchpost_sessions_connected") == 0 }, actorstest.Wait, time.Millisecond,
		"a connection whose caller gave up is gone")
}
