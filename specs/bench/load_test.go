package bench

import (
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/specs/process"
)

// loadForm is how large a load is.
type loadForm struct {
	sessions, clients int
	lasts             time.Duration
	pause             time.Duration // of a client between two requests
	crowd             int           // clients of the overload
	crowded           time.Duration
}

var (
	shortLoad = loadForm{sessions: 50, clients: 10, lasts: 2 * time.Second, pause: 20 * time.Millisecond, crowd: 300, crowded: time.Second}
	fullLoad  = loadForm{sessions: manySessions, clients: 200, pause: 200 * time.Millisecond, crowd: 3_000, crowded: 20 * time.Second}
)

// TestLoad keeps sessions connected while clients use the service, and then sends
// far more than it can do: no request fails or hangs, the excess is refused
// with the decided text and Retry-After, and afterwards all is served again. With
// WATCHPOST_LOAD_MINUTES the load is the full one (WATCHPOST_LOAD_SESSIONS changes
// the sessions), and nothing may grow: heap, goroutines, descriptors, and the store
// by no more than its tasks.
func TestLoad(t *testing.T) {
	form := shortLoad
	minutes, full := number(t, "WATCHPOST_LOAD_MINUTES")
	if full {
		form = fullLoad
		form.lasts = time.Duration(minutes) * time.Minute
		if n, given := number(t, "WATCHPOST_LOAD_SESSIONS"); given {
			form.sessions = n
		}
	}
	if binary == "" {
		var err error
		binary, err = process.Build(t.TempDir())
		require.NoError(t, err)
		t.Cleanup(func() { binary = "" })
	}
	dir := t.TempDir()
	service := startWatchpost(t, dir)
	tokens, keys := service.teamsOf(form.sessions / sessionTeam)
	clients := startBare(t, bareLoad)
	clients.direct("/connect", loadConnect{URL: service.url, Keys: keys, Tokens: tokens})
	service.awaitSessions(form.sessions)

	stop, grown := make(chan struct{}), make(chan []sample)
	go func() { grown <- service.watch(dir, form.lasts/16, stop) }()
	steady := clients.mix(loadMix{Clients: form.clients, For: form.lasts, Pause: form.pause})
	close(stop)
	samples := <-grown
	t.Logf("%d sessions, %d clients, %s: %d requests (%.0f/s), %d tasks; p50 %s, p99 %s, longest %s", form.sessions, form.clients, form.lasts,
		steady.Requests, float64(steady.Requests)/form.lasts.Seconds(), steady.Tasks, steady.P50, steady.P99, steady.Longest)
	require.Positive(t, steady.Tasks)
	if full {
		judge(t, samples, steady.Tasks)
	}

	crowd := clients.mix(loadMix{Clients: form.crowd, For: form.crowded, Keys: 4, Overload: true})
	t.Logf("overload by %d clients: %d requests, %d refused; longest refusal %s, longest reply %s", form.crowd, crowd.Requests, crowd.Refused, crowd.LongestRefusal, crowd.Longest)
	began := time.Now()
	after := clients.mix(loadMix{Clients: form.clients, For: 10 * form.pause, Pause: form.pause})
	t.Logf("after it: %d requests served within %s; p99 %s, longest %s", after.Requests, time.Since(began), after.P99, after.Longest)
	report := clients.direct("/report", struct{}{})
	require.Equal(t, form.sessions, report.Connected)
	service.awaitSessions(form.sessions)
	require.NoError(t, service.process.Fault())
}

func number(t *testing.T, name string) (n int, given bool) {
	value := os.Getenv(name)
	if value == "" {
		return 0, false
	}
	n, err := strconv.Atoi(value)
	require.NoError(t, err, name)
	return n, true
}

// mix has the generator send a mix and fails on an error.
func (p *server) mix(order loadMix) (report mixReport) {
	p.t.Helper()
	p.call(http.MethodPost, "/mix", "X-Order", "1", order, &report)
	require.Empty(p.t, report.Errors)
	return report
}

// sample is what a process holds.
type sample struct{ heap, goroutines, descriptors, store float64 }

// watch takes samples until stop is closed.
func (p *server) watch(dir string, every time.Duration, stop <-chan struct{}) (samples []sample) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-stop:
			return samples
		case <-ticker.C:
		}
		metrics := p.metrics()
		samples = append(samples, sample{
			heap: metrics["go_memstats_next_gc_bytes"], goroutines: metrics["go_goroutines"],
			descriptors: metrics["process_open_fds"], store: size(filepath.Join(dir, "store")),
		})
	}
}

// size is the space that the files of a folder take on the disk. Badger's files
// are sparse.
func size(dir string) (bytes float64) {
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil {
			bytes += onDisk(entry)
		}
		return nil // a file that has gone meanwhile counts no more
	})
	return bytes
}

func onDisk(entry fs.DirEntry) float64 {
	if info, err := entry.Info(); err == nil {
		if stat, ok := info.Sys().(*syscall.Stat_t); ok {
			return float64(512 * stat.Blocks)
		}
	}
	return 0
}

// judge compares the second quarter of the samples, when everything is warm, with
// the last one.
func judge(t *testing.T, samples []sample, tasks int) {
	quarter := len(samples) / 4
	require.Positive(t, quarter, "the load is too short to see growth")
	of := func(part []sample, what func(sample) float64) float64 {
		var values []float64
		for _, s := range part {
			values = append(values, what(s))
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	const mib = 1 << 20
	for _, one := range []struct {
		name         string
		what         func(sample) float64
		ratio, extra float64
	}{
		{"MiB of heap goal", func(s sample) float64 { return s.heap / mib }, 1.25, 128},
		{"goroutines", func(s sample) float64 { return s.goroutines }, 1.05, 500},
		{"descriptors", func(s sample) float64 { return s.descriptors }, 1.02, 250},
	} {
		early, late := of(samples[quarter:2*quarter], one.what), of(samples[3*quarter:], one.what)
		t.Logf("%s: %.0f, at the end %.0f", one.name, early, late)
		require.LessOrEqual(t, late, one.ratio*early+one.extra, one.name)
	}
	first, last := samples[0].store, samples[len(samples)-1].store
	t.Logf("store: %.0f MiB, at the end %.0f MiB: %.1f KiB a task", first/mib, last/mib, (last-first)/1024/float64(tasks))
	// A task with its output, journal and debits is a few KiB, until a compaction
	// some times as many.
	require.LessOrEqual(t, last-first, 32*1024*float64(tasks)+64*mib)
}
