package specs_test

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMasterKeyIsNeverReplaced: without its master key, or with another one, a
// store with secrets is not served and nothing changes. With the key restored
// everything is as before (api.md#keys).
func TestMasterKeyIsNeverReplaced(t *testing.T) {
	t.Parallel()
	w := isolatedWorld(t)
	w.play(t, `
service
team ACME growth ada@acme.example
service stop
`)
	data := filepath.Join(w.dir, "data")
	file := filepath.Join(data, "master.key")
	key, err := os.ReadFile(file)
	require.NoError(t, err)
	refuses := func(says string) {
		t.Helper()
		w.play(t, "run serve --listen 127.0.0.1:0 --data "+data+"\nstatus 1\ntext contains '"+file+"'\ntext contains '"+says+"'")
	}

	require.NoError(t, os.Remove(file))
	refuses("is missing")
	require.NoFileExists(t, file, "no other key is made")

	other := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{1}, 32))
	require.NoError(t, os.WriteFile(file, []byte(other), 0o600))
	refuses("written with another key")
	w.play(t, "run serve --listen 127.0.0.1:0 --data "+data+" --master-key "+other+"\nstatus 1\ntext contains 'master key in --master-key'")

	require.NoError(t, os.WriteFile(file, key, 0o600))
	w.play(t, "service\nas ACME GET /api-posts\nstatus 200")
}
