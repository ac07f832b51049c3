package bench

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// cost is what a deployment has spent: CPU time of its nodes and of its
// database, and what the store has written.
type cost struct {
	nodes, database time.Duration
	batches, bytes  float64
}

func (s *deployed) cost(b *testing.B) (c cost) {
	b.Helper()
	times := processTimes(b)
	for _, pid := range s.pids(b) {
		c.nodes += times[pid].own
	}
	if s.database != nil {
		// A child that has ended counts as its parent's.
		server := s.database.PID()
		c.database = times[server].own + times[server].ended
		for _, p := range times {
			if p.parent == server {
				c.database += p.own
			}
		}
	}
	for _, url := range s.urls() {
		metrics := (&server{t: b, url: url}).metrics()
		c.batches += metrics["watchpost_store_batches_total"]
		c.bytes += metrics["watchpost_store_bytes_total"]
	}
	return c
}

// report shows the cost since an earlier cost, for each of n lives.
func (c cost) report(b *testing.B, before cost, n int) {
	per := func(v float64) float64 { return v / float64(n) }
	b.ReportMetric(per(float64((c.nodes - before.nodes).Microseconds())), "nodes-µs/life")
	b.ReportMetric(per(float64((c.database - before.database).Microseconds())), "database-µs/life")
	b.ReportMetric(per(c.batches-before.batches), "batches/life")
	b.ReportMetric(per(c.bytes-before.bytes), "B/life")
}

// pids returns the nodes' processes.
func (s *deployed) pids(b *testing.B) (pids []int) {
	if s.single != nil {
		return []int{s.single.process.PID()}
	}
	for _, n := range s.nodes {
		raw, err := os.ReadFile(n.PIDFile)
		require.NoError(b, err)
		pid, err := strconv.Atoi(string(raw))
		require.NoError(b, err)
		pids = append(pids, pid)
	}
	return pids
}

func (s *deployed) urls() (urls []string) {
	if s.single != nil {
		return []string{s.single.url}
	}
	for _, n := range s.nodes {
		urls = append(urls, "http://"+n.Listen)
	}
	return urls
}

// processTime is the CPU time of a process and of its children that have ended.
type processTime struct {
	parent     int
	own, ended time.Duration
}

// processTimes reads all processes.
func processTimes(b *testing.B) map[int]processTime {
	b.Helper()
	const tick = 10 * time.Millisecond // of the kernel's statistics
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(b, err)
	all := map[int]processTime{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		require.NoError(b, err)
		_, rest, _ := strings.Cut(string(raw), ") ") // the name may have spaces
		fields := strings.Fields(rest)
		number := func(i int) int {
			n, err := strconv.Atoi(fields[i])
			require.NoError(b, err)
			return n
		}
		all[pid] = processTime{parent: number(1), own: time.Duration(number(11)+number(12)) * tick, ended: time.Duration(number(13)+number(14)) * tick}
	}
	return all
}
