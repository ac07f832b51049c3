package postindex_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/persistence"
	"watchpost/persistence/badger"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// postsOfATeam is how many posts each of many teams has.
const postsOfATeam = 5_000

// BenchmarkTeams asks queries of WATCHPOST_TEAMS teams (200) of 5,000 posts
// each, at random, so that the cache can hold little of them: it has 64 KiB for
// each team. It prints the latency and the memory. WATCHPOST_POSTS_DIR names a
// folder in which the posts are kept.
func BenchmarkTeams(b *testing.B) {
	teams, err := strconv.Atoi(os.Getenv("WATCHPOST_TEAMS"))
	if err != nil {
		teams = 200
	}
	dir := os.Getenv("WATCHPOST_POSTS_DIR")
	if dir == "" {
		dir = b.TempDir()
	}
	dir = filepath.Join(dir, fmt.Sprintf("%d-teams", teams))
	_, missing := os.Stat(dir)
	store, err := badger.Open(badger.Options{Dir: dir, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, store.Close()) })
	cache := teams * 64 << 10
	f, m := newForge(), newTeam(b, store, postindex.Options{CacheBytes: cache})
	if missing != nil {
		for f.made < postsOfATeam {
			var some []*watchpost.Post
			for range 100 {
				some = append(some, f.post())
			}
			m.put(some...)
			m.mergeAll()
		}
		for n := range teams {
			copyTeam(b, store, teamSpace(n))
		}
	}
	f.made = postsOfATeam
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var took, busy []time.Duration
	for i := range 20 * teams {
		q := &watchpost.PostQuery{}
		mix[i%len(mix)].draw(f, q)
		view, err := store.View(noContext)
		require.NoError(b, err)
		cpu, began := threadTime(), time.Now()
		_, err = m.index.Query(view, teamSpace(f.r.IntN(teams)), q)
		took, busy = append(took, time.Since(began)), append(busy, threadTime()-cpu)
		view.Close()
		require.NoError(b, err)
	}
	slices.Sort(took)
	slices.Sort(busy)
	at := func(all []time.Duration, percent int) float64 { return ms(all[len(all)*percent/100]) }
	fmt.Printf("%d teams of %d posts, %d queries, cache %d MiB of %d: p50 %.3f ms  p99 %.3f  processor: p50 %.3f  p99 %.3f; %s\n",
		teams, postsOfATeam, len(took), m.index.CacheBytes()>>20, cache>>20, at(took, 50), at(took, 99), at(busy, 50), at(busy, 99), anonymous(b))
}

func teamSpace(n int) persistence.Space { return persistence.Space(fmt.Sprintf("team-%06d", n)) }

// copyTeam gives another team the same posts.
func copyTeam(b *testing.B, store persistence.Store, to persistence.Space) {
	epoch, err := store.Activate(noContext, to)
	require.NoError(b, err)
	view, err := store.View(noContext)
	require.NoError(b, err)
	defer view.Close()
	batch := &persistence.Batch{}
	commit := func() {
		require.NoError(b, persistence.Commit(noContext, store, to, epoch, batch))
		batch = &persistence.Batch{}
	}
	bytesOf := 0
	require.NoError(b, view.Scan(space, nil, nil, func(key, value []byte) bool {
		batch.Put(bytes.Clone(key), bytes.Clone(value))
		if bytesOf += len(key) + len(value); bytesOf > 600<<10 || len(batch.Writes) == 1900 {
			bytesOf = 0
			commit()
		}
		return true
	}))
	commit()
}

// anonymous returns the process's memory that no file backs.
func anonymous(b *testing.B) string {
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(b, err)
	for line := range strings.Lines(string(status)) {
		if strings.HasPrefix(line, "RssAnon:") {
			return strings.Join(strings.Fields(line), " ")
		}
	}
	return "RssAnon unknown"
}
