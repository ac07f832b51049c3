package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/specs/process"
)

// maxImage is the bound of the image's size in bytes. Passkeys and sign-in by another
// provider of identities take 3.3 MiB of it, time zones 0.5. The program had 49.8 MiB on
// 2026-11-29; record 229 says what of.
const maxImage = 51 << 20

// TestImage builds the image without a daemon, and runs it as its user on a
// read-only root. It needs root for the mounts.
func TestImage(t *testing.T) {
	if os.Getenv("WATCHPOST_LONG") == "" {
		t.Skip("WATCHPOST_LONG is not set")
	}
	if os.Getuid() != 0 {
		t.Skip("building without a daemon needs root here")
	}
	buildah := tool(t, "buildah")
	dir := t.TempDir()
	context := filepath.Join(dir, "image")
	require.NoError(t, os.MkdirAll(filepath.Join(context, "data"), 0o755))
	t.Setenv("CGO_ENABLED", "0")
	binary, err := process.Build(dir, "-trimpath", "-tags=stdlibjson", "-ldflags=-s -w")
	require.NoError(t, err)
	require.NoError(t, os.Rename(binary, filepath.Join(context, "watchpost")))
	info, err := os.Stat(filepath.Join(context, "watchpost"))
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(maxImage), "the image is this file")
	t.Logf("the program has %.1f MiB", float64(info.Size())/(1<<20))

	store := []string{"--storage-driver", "vfs", "--root", filepath.Join(dir, "root"), "--runroot", filepath.Join(dir, "run")}
	run := func(args ...string) string {
		t.Helper()
		return strings.TrimSpace(output(t, ".", buildah, append(append([]string{}, store...), args...)...))
	}
	run("build", "--isolation", "chroot", "-f", filepath.Join(folder, "Dockerfile"), "-t", "watchpost", context)
	container := run("from", "watchpost")
	root := run("mount", container)
	t.Cleanup(func() { _ = exec.Command(buildah, append(append([]string{}, store...), "rm", "-a")...).Run() }) // the folder goes anyway
	read := filepath.Join(dir, "read-only")
	require.NoError(t, os.Mkdir(read, 0o755))
	// In a separate mount namespace: the root read-only, /data writable. The
	// service must become ready and stop on a signal.
	script := `
mount --bind "$1" "$2" && mount --bind "$1/data" "$2/data" && mount -o remount,ro,bind "$2"
! chroot --userspec=65532:65532 "$2" /usr/local/bin/watchpost serve --data /elsewhere || exit 1
timeout -s TERM --preserve-status 10 chroot --userspec=65532:65532 "$2" /usr/local/bin/watchpost serve --data /data --listen 127.0.0.1:0`
	said := output(t, dir, "unshare", "-m", "sh", "-e", "-c", script, "sh", root, read)
	require.Contains(t, said, "read-only file system")
	require.Contains(t, said, `"msg":"serving"`)
	require.Contains(t, said, `"msg":"stopping"`)
	require.FileExists(t, filepath.Join(root, "data", "master.key"))
}
