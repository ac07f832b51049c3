package backup_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"watchpost/persistence/backup"
	"watchpost/persistence/enginetest"
)

func sum(content []byte) string {
	s := sha256.Sum256(content)
	return hex.EncodeToString(s[:])
}

// TestForgedBackup: who changes a record of a backup and computes every sum again cannot
// make the seal, in whatever place he puts it. Without the key only sums are compared.
func TestForgedBackup(t *testing.T) {
	t.Parallel()
	f, name, _ := small(t)
	set, _, _ := strings.Cut(name, "/")
	head, body, _ := strings.Cut(string(f.all[name]), "\n")
	require.Equal(t, sum([]byte(body)), head)
	var stored struct {
		Version  int             `json:"version"`
		Manifest json.RawMessage `json:"manifest"`
		Seal     string          `json:"seal"`
	}
	require.NoError(t, json.Unmarshal([]byte(body), &stored))
	var m backup.Manifest
	require.NoError(t, json.Unmarshal(stored.Manifest, &m))
	write := func(content any) {
		forged, err := json.Marshal(content)
		require.NoError(t, err)
		f.all[name] = append([]byte(sum(forged)+"\n"), forged...)
	}
	require.NoError(t, openErr(t, f, name, keys(nil)))

	unpack, err := zstd.NewReader(nil)
	require.NoError(t, err)
	defer unpack.Close()
	pack, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	chunk := set + "/chunks/" + m.Chunks[0].Name
	records, err := unpack.DecodeAll(f.all[chunk], nil)
	require.NoError(t, err)
	records[len(records)-1] ^= 1
	f.all[chunk] = pack.EncodeAll(records, nil)
	m.Chunks[0].Sum = sum(records)
	stored.Manifest, err = json.Marshal(m)
	require.NoError(t, err)

	write(stored)
	require.ErrorIs(t, openErr(t, f, name, keys(nil)), backup.ErrForged)
	require.NoError(t, openErr(t, f, name, backup.Keys{}), "every sum is right")
	stored.Seal = ""
	write(stored)
	require.ErrorIs(t, openErr(t, f, name, keys(nil)), backup.ErrForged)
	accepts := keys(nil)
	accepts.Unsealed = true
	require.ErrorIs(t, openErr(t, f, name, accepts), backup.ErrForged, "only those of an earlier build")

	m.Version = 1
	write(m)
	require.ErrorIs(t, openErr(t, f, name, keys(nil)), backup.ErrUnsealed)
	require.NoError(t, openErr(t, f, name, accepts))
}

// openErr opens and verifies a backup.
func openErr(t *testing.T, f *files, name string, k backup.Keys) error {
	t.Helper()
	name, m, err := backup.Open(t.Context(), f, name, k)
	if err != nil {
		return err
	}
	return backup.Verify(t.Context(), f, name, m, k.Decrypt)
}

// TestForgedPlaceInTheChain: a backup is refused under the name of another one, and an
// earlier one of the set that was changed or taken away is noticed. The later one still
// restores, because it needs nothing of the earlier one's manifest.
func TestForgedPlaceInTheChain(t *testing.T) {
	t.Parallel()
	f, s := newFiles(), enginetest.Open(t, "badger")
	fill(t, s, "one", "a", 20)
	var made []backup.Created
	for i := range 3 {
		one, err := backup.Create(t.Context(), s, f, backup.Options{Seal: seal, Now: moment.Add(time.Duration(i) * time.Hour)})
		require.NoError(t, err)
		made = append(made, one)
		fill(t, s, "one", string(rune('b'+i)), 20)
	}
	first, last := made[0].Name, made[2].Name
	require.NoError(t, openErr(t, f, last, keys(nil)))

	newer := f.all[last]
	f.all[last] = f.all[first]
	require.ErrorIs(t, openErr(t, f, last, keys(nil)), backup.ErrForged)
	f.all[last] = newer

	f.all[first] = slices.Concat(f.all[first], []byte(" "))
	require.ErrorIs(t, openErr(t, f, last, keys(nil)), backup.ErrDamaged)
	delete(f.all, first)
	require.ErrorContains(t, openErr(t, f, last, keys(nil)), "the earlier backup "+first+" of the set is missing or was changed")
	_, m, err := backup.Open(t.Context(), f, last, keys(nil))
	require.NoError(t, err)
	require.NoError(t, backup.Restore(t.Context(), f, last, m, nil, enginetest.Open(t, "badger"), restored))
}

// TestForgedSums: the next incremental backup does not build on an encrypted chunk that
// was exchanged together with the sums that the set has of its files.
func TestForgedSums(t *testing.T) {
	t.Parallel()
	f, s := newFiles(), enginetest.Open(t, "badger")
	fill(t, s, "one", "a", 20)
	o := backup.Options{Now: moment, Seal: seal, Encrypt: flip, Recipients: "flip"}
	first, err := backup.Create(t.Context(), s, f, o)
	require.NoError(t, err)
	set, _, _ := strings.Cut(first.Name, "/")
	name := first.Chunks[0].Name
	f.all[set+"/chunks/"+name] = []byte("anything")
	for file := range f.all {
		if strings.HasSuffix(file, ".sums") {
			body, err := json.Marshal(map[string]string{name: sum([]byte("anything"))})
			require.NoError(t, err)
			f.all[file] = append([]byte(sum(body)+"\n"), body...)
		}
	}
	o.Now = moment.Add(time.Hour)
	second, err := backup.Create(t.Context(), s, f, o)
	require.NoError(t, err)
	require.Equal(t, len(second.Chunks), second.Written)
	require.NoError(t, openErr(t, f, second.Name, keys(flip)))
}
