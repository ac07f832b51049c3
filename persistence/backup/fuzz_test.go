package backup_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"maps"
	"runtime"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"watchpost/persistence/backup"
	"watchpost/persistence/badger"
	"watchpost/persistence/enginetest"
)

// small returns the files of a small backup, and its contents.
func small(t testing.TB) (f *files, name string, all map[string]string) {
	f = newFiles()
	s, err := badger.Open(badger.Options{InMemory: true, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	defer s.Close()
	fill(t, s, "one", "a", 20)
	made, err := backup.Create(context.Background(), s, f, backup.Options{Now: moment, Seal: seal})
	require.NoError(t, err)
	return f, made.Name, content(t, s)
}

// FuzzDamage: a backup with one file changed is refused, or restores its contents.
func FuzzDamage(f *testing.F) {
	whole, name, want := small(f)
	names := slices.Sorted(maps.Keys(whole.all))
	for i := range names {
		f.Add(i, 0, []byte("x"))
		f.Add(i, 40, []byte{})
		f.Add(i, -1, whole.all[names[i]])
	}
	f.Fuzz(func(t *testing.T, file, at int, put []byte) {
		changed := newFiles()
		maps.Copy(changed.all, whole.all)
		victim := names[(file%len(names)+len(names))%len(names)]
		if old := whole.all[victim]; at < 0 || at > len(old) {
			changed.all[victim] = put
		} else {
			changed.all[victim] = slices.Concat(old[:at], put, old[min(len(old), at+len(put)):])
		}
		_, m, err := backup.Open(t.Context(), changed, name, keys(nil))
		if err != nil || backup.Verify(t.Context(), changed, name, m, nil) != nil {
			return
		}
		to := enginetest.Open(t, "badger")
		require.NoError(t, backup.Restore(t.Context(), changed, name, m, nil, to, restored))
		require.Equal(t, want, content(t, to))
	})
}

// forged returns a backup with a manifest and one chunk of anybody, whose checksums
// are right.
func forged(t testing.TB, records []byte) (f *files, name string) {
	t.Helper()
	f, name, _ = small(t)
	pack, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	sum := sha256.Sum256(records)
	m := backup.Manifest{Version: 1, Chunks: []backup.Chunk{{Name: "forged", Sum: hex.EncodeToString(sum[:])}}}
	f.all[name[:bytes.IndexByte([]byte(name), '/')]+"/chunks/forged"] = pack.EncodeAll(records, nil)
	body, err := json.Marshal(m)
	require.NoError(t, err)
	sum = sha256.Sum256(body)
	f.all[name] = append(hex.AppendEncode(nil, sum[:]), append([]byte("\n"), body...)...)
	return f, name
}

// FuzzForged: records of anybody are an error or are restored, and fail nothing.
func FuzzForged(f *testing.F) {
	f.Add([]byte("s\x03one\x01k\x01v"))
	f.Add([]byte("d\x03one\x01k\x01vs\x00\x00\x00"))
	f.Add([]byte("s\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	f.Add([]byte("s"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, records []byte) {
		files, name := forged(t, records)
		_, m, err := backup.Open(t.Context(), files, name, backup.Keys{})
		require.NoError(t, err)
		_ = backup.Verify(t.Context(), files, name, m, nil)
		_ = backup.Restore(t.Context(), files, name, m, nil, enginetest.Open(t, "badger"), restored)
	})
}

// TestLargeChunk: a chunk that unpacks to far more than a chunk holds is refused
// before it takes memory.
func TestLargeChunk(t *testing.T) {
	files, name := forged(t, make([]byte, 256<<20))
	_, m, err := backup.Open(t.Context(), files, name, backup.Keys{})
	require.NoError(t, err)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.ErrorIs(t, backup.Verify(t.Context(), files, name, m, nil), backup.ErrDamaged)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(128<<20))
}
