package protocol

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzFrame: a frame that can be read is written and read again as the same frame.
func FuzzFrame(f *testing.F) {
	files, err := filepath.Glob("testdata/*.json")
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, name := range files {
		raw, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(raw)
	}
	for _, seed := range []string{`{"type":"status","blocked":[],"waiting":0,"allowances":[{}]}`, `{"type":"part","seq":-1,"output":null}`, `{"type":"result","output":{},"error":{"acted":false}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var frame, again Frame
		if json.Unmarshal(raw, &frame) != nil {
			return
		}
		written, err := json.Marshal(frame)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(written, &again))
		twice, err := json.Marshal(again)
		require.NoError(t, err)
		require.JSONEq(t, string(written), string(twice))
	})
}
