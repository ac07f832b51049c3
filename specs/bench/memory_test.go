package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/vault"
	"watchpost/internal/mail/outgoing"
	"watchpost/persistence/badger"
	"watchpost/watchpost"
)

// BenchmarkProcess reports the service's cost without any team: the size of
// the binary, the time from start to ready, and the idle memory.
func BenchmarkProcess(b *testing.B) {
	info, err := os.Stat(binary)
	require.NoError(b, err)
	var starts []float64
	var resident, anonymous []float64
	for b.Loop() {
		for range 5 {
			dir, err := os.MkdirTemp("", "watchpost-bench-")
			require.NoError(b, err)
			p := startWatchpost(b, dir)
			starts = append(starts, float64(p.took.Microseconds())/1000)
			r, a := p.memory()
			resident, anonymous = append(resident, float64(r)), append(anonymous, float64(a))
			require.NoError(b, p.process.Stop())
			require.NoError(b, os.RemoveAll(dir))
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(info.Size())/(1<<20), "binary-MiB")
	b.ReportMetric(median(starts), "start-ms")
	b.ReportMetric(median(resident)/(1<<20), "rss-MiB")
	b.ReportMetric(median(anonymous)/(1<<20), "anon-MiB")
}

// BenchmarkMemory reports the heap of an idle team, a watchlist and an open
// task in memory.
func BenchmarkMemory(b *testing.B) {
	const teams, watchlists, tasks = 2000, 100, 4000
	for b.Loop() {
		ctx := context.Background()
		registry := openRegistry(b)
		// The first team is not counted, because it loads shared data.
		first := createTeam(b, registry, 0)
		before := heap()
		for i := range teams {
			createTeam(b, registry, i+1)
		}
		perTeam := float64(heap()-before) / teams
		before = heap()
		for i := range watchlists {
			_, err := actors.Ask(ctx, registry, first, actors.CreateWatchlist{Watchlist: watchpost.Watchlist{
				Type: watchpost.KeywordWatchlist, Keywords: []watchpost.KeywordEntry{{Keyword: fmt.Sprintf("keyword %d", i)}},
			}})
			require.NoError(b, err)
		}
		perWatchlist := float64(heap()-before) / watchlists
		before = heap()
		for range tasks {
			_, err := actors.Ask(ctx, registry, first, actors.CreateTask{
				Type: watchpost.TaskProfileFetch, Input: []byte(`{"task_type":"agent_profile_fetch","profile_slug":"jane-doe"}`),
			})
			require.NoError(b, err)
		}
		perTask := float64(heap()-before) / tasks
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(perTeam, "B/team")
		b.ReportMetric(perWatchlist, "B/watchlist")
		b.ReportMetric(perTask, "B/open-task")
	}
}

// openRegistry opens the actors on a separate store.
func openRegistry(b *testing.B) *actors.Registry {
	b.Helper()
	store, err := badger.Open(badger.Options{Dir: filepath.Join(b.TempDir(), "store")})
	require.NoError(b, err)
	keyring, err := vault.NewKeyring(make([]byte, vault.MasterKeySize))
	require.NoError(b, err)
	registry, err := actors.New(actors.Options{Store: store, Clock: watchpost.SystemClock{}, Keyring: keyring, Mailer: noMail{}})
	require.NoError(b, err)
	b.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		require.NoError(b, registry.Close(ctx))
		require.NoError(b, store.Close())
	})
	return registry
}

func createTeam(b *testing.B, registry *actors.Registry, i int) watchpost.TeamID {
	b.Helper()
	made, err := registry.CreateTeam(context.Background(), actors.CreateTeam{
		Plan: watchpost.PlanUltimate, Email: fmt.Sprintf("first-%d@example.com", i), FullName: "Founder",
	})
	require.NoError(b, err)
	return made.Team.ID
}

type noMail struct{}

// Send implements outgoing.Mailer.
func (noMail) Send(context.Context, outgoing.Mail) error { return nil }

// heap returns the live heap after a collection: the minimum of a few readings,
// because the store works in the background.
func heap() int64 {
	var readings []int64
	for range 3 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		readings = append(readings, int64(m.HeapAlloc))
	}
	return slices.Min(readings)
}
