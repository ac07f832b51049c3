//go:build linux

package specs_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFullDisk: on a full disk the process continues. It refuses writes with
// the overload text, serves reads and sessions, and shows the reason in /readyz
// and a metric. Writes succeed again when there is room
// (api.md#health-and-metrics).
func TestFullDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("TestFullDisk needs root to mount a small disk")
	}
	w := isolatedWorld(t)
	disk := filepath.Join(w.dir, "data")
	require.NoError(t, os.Mkdir(disk, 0o700))
	if err := syscall.Mount("specs", disk, "tmpfs", 0, "size=256m"); err != nil {
		t.Skipf("TestFullDisk cannot mount a small disk: %v", err)
	}
	t.Cleanup(func() {
		if w.service != nil {
			w.service.Kill()
			w.service = nil
		}
		require.NoError(t, syscall.Unmount(disk, syscall.MNT_DETACH))
	})
	w.play(t, `
service --min-free-disk 64
team ACME growth ada@acme.example
hello ADA ada@acme.example ada
as ACME POST /api-keyword-watchlist '{"keywords":["before"]}'
status 200
as operator GET /metrics
metric watchpost_disk_low == 0
metric watchpost_store_size_bytes > 20000000
metric watchpost_disk_free_bytes > 64000000
`)

	ballast := filepath.Join(disk, "ballast")
	file, err := os.Create(ballast)
	require.NoError(t, err)
	defer file.Close()
	block := make([]byte, 1<<20)
	for err == nil {
		_, err = file.Write(block)
	}
	require.ErrorIs(t, err, syscall.ENOSPC)

	w.play(t, `
as ACME POST /api-keyword-watchlist '{"keywords":["during"]}'
refused 500 'Temporarily unavailable, retry later'
header Retry-After exists
as ACME POST /network-agent/fetch-profile '{"profile_slug":"ada"}'
refused 500 'Temporarily unavailable, retry later'
as operator POST /admin/teams '{"email":"b@b.example","plan":"free"}'
refused 503 'Temporarily unavailable, retry later'
as ACME GET /api-keyword-watchlist
status 200
json count == 1
as ACME GET /api-posts
status 200
as ACME GET /api-team
status 200
beat ADA ada
hangup ADA
hello ADA $ADA_TOKEN ada
as nobody GET /healthz
status 200
as nobody GET /readyz
status 503
json error == 'Temporarily unavailable, retry later'
json reason ~ '^disk nearly full: 0 MiB are free, less than the 64 MiB of --min-free-disk$'
as operator GET /metrics
metric watchpost_disk_low == 1
eventually log has 'the disk is nearly full'
`)

	require.NoError(t, os.Remove(ballast))
	require.NoError(t, file.Close())
	w.play(t, `
as ACME POST /api-keyword-watchlist '{"keywords":["after"]}'
status 200
as nobody GET /readyz
status 200
as operator GET /metrics
metric watchpost_disk_low == 0
eventually log has 'the disk has room again'
service restart
as ACME GET /api-keyword-watchlist
json count == 2
service stop
`)
}
