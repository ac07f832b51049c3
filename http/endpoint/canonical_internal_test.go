package endpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

// treeHash is the hash of the tree of values, which stored replies were found by before
// canonicalHash read bodies in place.
func treeHash(body []byte) string {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		panic(err)
	}
	canonical, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	hash := sha256.Sum256(canonical)
	return hex.EncodeToString(hash[:])
}

func FuzzCanonicalHash(f *testing.F) {
	for _, body := range []string{
		`{}`, `[]`, `null`, ` {"b" : [1, 2.50 ,{"x":{}, "y":[ ]}],"a":"é<>&\u2028\/" } `, `{"a":1,"a":{"b":2,"b":3},"\u0061":"4"}`,
		`"\ud800"`, `[[[],[{}]],-1e9,true ,false]`, `{"":""}`, `"a\\"`, `{"a\"}":"]"}`, "\"\u2029\"", `0`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if !utf8.Valid(body) || !json.Valid(body) {
			return
		}
		if depth, values := shapeOf(body); depth > maxDepth || values > maxBodyValues {
			return
		}
		require.Equal(t, treeHash(body), canonicalHash(body))
		var want map[string]json.RawMessage
		o, err := parseObject(body)
		if json.Unmarshal(body, &want) != nil || want == nil {
			require.Error(t, err)
			return
		}
		require.NoError(t, err)
		require.Len(t, o, len(want))
		for name, value := range want {
			require.Equal(t, string(value), string(o[name]), name)
		}
	})
}

func TestDeepBodies(t *testing.T) {
	t.Parallel()
	nested := func(depth int) []byte {
		return []byte(strings.Repeat(`{"a":`, depth) + `"[{"` + strings.Repeat("}", depth))
	}
	_, err := parseObject(nested(maxDepth))
	require.NoError(t, err)
	_, err = parseObject(nested(maxDepth + 1))
	require.Error(t, err)
}

// TestLargeBodiesStaySmall: a body takes a few times its size, whatever is in it. A tree
// of values takes 20 to 60 times as much.
func TestLargeBodiesStaySmall(t *testing.T) {
	for name, body := range map[string]string{
		"numbers": `{"a":[` + strings.Repeat("1,", MaxBody/2-10) + `1]}`,
		"names":   `{` + strings.Repeat(`"a":1,`, MaxBody/6-10) + `"a":1}`,
		"objects": `{"a":[` + strings.Repeat(`{"a":1},`, MaxBody/8-10) + `1]}`,
		"texts":   `{"a":[` + strings.Repeat(`"",`, MaxBody/3-10) + `1]}`,
	} {
		raw := []byte(body)
		took := func(work func()) uint64 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			work()
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		parsed := took(func() {
			_, err := parseObject(raw)
			require.Equal(t, watchpost.TooLarge, watchpost.KindOf(err))
		})
		hashed := took(func() { canonicalHash(raw) })
		t.Logf("%s: %d bytes to parse, %d to hash, %d as a tree", name, parsed, hashed, took(func() { treeHash(raw) }))
		require.Less(t, max(parsed, hashed), uint64(32*MaxBody), name)
	}
}
