package actors_test

import (
	"fmt"
	"log/slog"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/persistence"
	"watchpost/persistence/badger"
	"watchpost/persistence/postgres"
	"watchpost/persistence/postgres/postgrestest"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// BenchmarkActivation is the first request to a team with 1,000 members, 5,000 sessions
// and 100,000 open tasks, by the engine of the store.
func BenchmarkActivation(b *testing.B) {
	engines := map[string]func() persistence.Store{
		"files": func() persistence.Store {
			s, err := badger.Open(badger.Options{Dir: b.TempDir(), Logger: slog.New(slog.DiscardHandler)})
			require.NoError(b, err)
			return s
		},
		"postgres": func() persistence.Store {
			server, err := postgrestest.Start()
			require.NoError(b, err)
			b.Cleanup(func() { require.NoError(b, server.Close()) })
			s, err := postgres.Open(b.Context(), postgres.Options{URL: server.URL("postgres"), Logger: slog.New(slog.DiscardHandler)})
			require.NoError(b, err)
			return s
		},
	}
	for name, open := range engines {
		b.Run(name, func(b *testing.B) {
			s := open()
			b.Cleanup(func() { require.NoError(b, s.Close()) })
			w := actorstest.New(b, actorstest.On(s))
			team := w.CreateTeam(b, watchpost.PlanUltimate)
			plantLargeTeam(w, team)
			w.Crash()
			var used time.Duration
			for b.Loop() {
				b.StopTimer()
				w.Restart()
				cpu := cpuTime(b)
				b.StartTimer()
				view := actorstest.Must[actors.TeamView](b, team, actors.GetTeam{})
				b.StopTimer()
				used += cpuTime(b) - cpu
				require.Equal(b, 100_000, view.WaitingTasks)
				b.StartTimer()
			}
			b.ReportMetric(used.Seconds()/float64(b.N), "cpu-s/op")
		})
	}
}

// cpuTime is what the process has used of the processors, which other processes on the
// machine change less than the time that passes.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func plantLargeTeam(w *actorstest.World, team *actorstest.Team) {
	p := &planter{W: w, team: team, now: w.Now()}
	var members []watchpost.MemberID
	for i := range 1_000 {
		m := watchpost.Member{ID: watchpost.MemberID(p.id()), Email: fmt.Sprintf("m%d@example.com", i), Role: watchpost.RoleMember, CreatedAt: p.now}
		members = append(members, m.ID)
		p.put(teamspace.Key(teamspace.KeyMember, m.ID), m)
		p.put(teamspace.Key(teamspace.KeyBinding, m.ID), teamspace.BindingRecord{Account: accountNo(i), At: p.now})
	}
	for i := range 5_000 {
		r := teamspace.SessionRecord{ID: watchpost.SessionID(p.id()), Member: members[i%1_000], TokenHash: fmt.Sprint(i), Account: accountNo(i % 1_000), SeenAt: p.now}
		p.put(teamspace.Key(teamspace.KeySession, r.ID), r)
	}
	for i := range 100_000 {
		task := watchpost.Task{
			ID: watchpost.TaskID(p.id()), Type: watchpost.TaskLikePost, Member: members[i%1_000], Account: accountNo(i % 1_000), State: watchpost.TaskPending, CreatedAt: p.now,
			Input: watchpost.ParseTaskInput(fmt.Appendf(nil, `{"task_type":"agent_like_post","social_urn":"urn:li:activity:%d"}`, i)),
		}
		waiting, _ := teamspace.WaitingOf(&task)
		p.put(teamspace.Key(teamspace.KeyTask, task.ID), task)
		p.put(teamspace.Key(teamspace.KeyOpen, task.ID), []watchpost.Debit(nil))
		p.put(teamspace.Key(teamspace.KeyWaiting, task.ID), waiting)
	}
	p.plant()
}

func accountNo(i int) watchpost.AccountURN {
	return watchpost.AccountURN(fmt.Sprint("urn:li:member:", i))
}
