package bench

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The posts of an export: a million, or a tenth of them in the short form.
const (
	exportScans = 100
	exportScan  = 10_000
)

// Targets of exports.
const (
	targetExportRows   = 100_000
	targetExportMemory = 50 << 20
)

// bareExport is how much of an export the bare peer sends, in bytes.
const bareExport = 64 << 20

// BenchmarkExport prints how fast the posts of a team are exported, and how much memory
// the service takes for it over that of the idle service, whose caches are full. A bare
// handler sends the same bytes in the same run.
func BenchmarkExport(b *testing.B) {
	scans := exportScans
	if testing.Short() {
		scans /= 10
	}
	dir := b.TempDir()
	maker := startWatchpost(b, dir)
	key := maker.collectMany(b, scans, exportScan)
	require.NoError(b, maker.process.Stop())
	rows := float64(scans * exportScan)
	for _, format := range []string{"csv", "jsonl"} {
		b.Run(format, func(b *testing.B) {
			for b.Loop() {
				service := startWatchpost(b, dir)
				path := "/api-posts/export?format=" + format
				var head bytes.Buffer
				service.export(b, path, key, &head) // fills the caches, whose size is bounded
				wait(readersSettle)
				_, idle := service.memory()
				used := service.processorTime()
				size, took, peak := service.export(b, path, key, io.Discard)
				used = service.processorTime() - used
				require.NoError(b, service.process.Stop())
				part := filepath.Join(b.TempDir(), "part")
				require.NoError(b, os.WriteFile(part, head.Bytes(), 0o600))
				bareSize, bareTook, _ := startBare(b, part).export(b, "/", key, io.Discard)
				rate, bareRate := float64(size)/took.Seconds(), float64(bareSize)/bareTook.Seconds()
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(rows/took.Seconds(), "rows/s")
				b.ReportMetric(targetExportRows, "rows/s-target")
				b.ReportMetric(float64(used.Nanoseconds())/1000/rows, "cpu-µs/row")
				b.ReportMetric(float64(size)/rows, "B/row")
				b.ReportMetric(rate/bareRate, "ratio")
				b.ReportMetric(float64(peak-idle)/(1<<20), "MiB-over-idle")
				b.ReportMetric(targetExportMemory>>20, "MiB-target")
			}
		})
	}
}

// export reads the body of a reply: its size, the time that it took, and the greatest
// anonymous memory of the process meanwhile. The head goes to a writer.
func (p *server) export(b *testing.B, path, key string, head io.Writer) (size int64, took time.Duration, peak int64) {
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, p.url+path, http.NoBody)
	require.NoError(b, err)
	request.Header.Set("X-Api-Key", key)
	began := time.Now()
	response, err := client.Do(request)
	require.NoError(b, err)
	defer func() { _ = response.Body.Close() }()
	require.Equal(b, http.StatusOK, response.StatusCode)
	for to, part := head, int64(bareExport); ; to, part = io.Discard, bareExport/16 {
		n, err := io.CopyN(to, response.Body, part)
		size += n
		_, held := p.memory()
		if peak = max(peak, held); errors.Is(err, io.EOF) {
			return size, time.Since(began), peak
		}
		require.NoError(b, err)
	}
}
