package specs_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

// TestForgedBackupIsRefused: someone changes a member's address in a backup and computes every sum
// again. Without the master key all sums are right; with it nothing is restored, also when
// the backup is made to look like one of a build that made no seals.
func TestForgedBackupIsRefused(t *testing.T) {
	t.Parallel()
	w := isolatedWorld(t)
	place, data := filepath.Join(w.dir, "backups"), filepath.Join(w.dir, "data")
	w.play(t, "service --backup-to "+place+"\nteam ACME growth ada@acme.example\nas operator POST /admin/backup '{}'\nstatus 201\nservice stop")
	key := " --master-key-file " + filepath.Join(data, "master.key")
	w.play(t, "run backup verify --from "+place+key+"\nstatus 0")

	forgeBackup(t, place, 2)
	w.play(t, "run backup verify --from "+place+`
status 0
text contains 'Only checksums were compared'
run backup verify --from `+place+key+`
status 1
text contains 'the seal of the backup does not fit'
run restore --from `+place+" --data second --accept-unsealed"+key+`
status 1
text contains 'the seal of the backup does not fit'`)
	require.NoDirExists(t, filepath.Join(w.dir, "second"), "nothing is begun")

	forgeBackup(t, place, 1)
	w.play(t, "run restore --from "+place+" --data second"+key+`
status 1
text contains 'the backup has no seal'
run restore --from `+place+" --data second --accept-unsealed"+key+`
status 0`)
}

// forgeBackup changes the records of the only backup at a place, and every sum with them,
// and writes its manifest in the given format.
func forgeBackup(t *testing.T, place string, format int) {
	t.Helper()
	manifests, err := filepath.Glob(filepath.Join(place, "*", "*.manifest"))
	require.NoError(t, err)
	require.Len(t, manifests, 1)
	content, err := os.ReadFile(manifests[0])
	require.NoError(t, err)
	_, content, _ = bytes.Cut(content, []byte("\n"))
	var file map[string]any
	require.NoError(t, json.Unmarshal(content, &file))
	manifest := file["manifest"].(map[string]any)
	unpack, err := zstd.NewReader(nil)
	require.NoError(t, err)
	defer unpack.Close()
	pack, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	for _, one := range manifest["chunks"].([]any) {
		chunk := one.(map[string]any)
		name := filepath.Join(filepath.Dir(manifests[0]), "chunks", chunk["name"].(string))
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		records, err := unpack.DecodeAll(content, nil)
		require.NoError(t, err)
		records = bytes.ReplaceAll(records, []byte("ada@acme.example"), []byte("eve@evil.example"))
		require.NoError(t, os.WriteFile(name, pack.EncodeAll(records, nil), 0o600))
		chunk["sha256"] = sumOf(records)
	}
	if format == 1 {
		manifest["version"] = 1
		file = manifest
	}
	forged, err := json.Marshal(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(manifests[0], append([]byte(sumOf(forged)+"\n"), forged...), 0o600))
}

func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
