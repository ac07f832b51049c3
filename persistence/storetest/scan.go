package storetest

import (
	"bytes"
	"fmt"
	"testing"

	"watchpost/persistence"

	"github.com/stretchr/testify/require"
)

// scanTests: ranges, in both directions, in bytewise order.
var scanTests = map[string]func(t *testing.T, open Database){
	"Ranges":         ranges,
	"BinaryKeys":     binaryKeys,
	"EndsEarly":      endsEarly,
	"Prefixes":       prefixes,
	"LongScan":       longScan,
	"SkipsDeleted":   skipsDeleted,
	"EmptySpace":     emptySpace,
	"KeyEqualToEdge": keyEqualToEdge,
}

func keysOf(pairs []pair) []string {
	keys := []string{}
	for _, p := range pairs {
		keys = append(keys, p.key)
	}
	return keys
}

func ranges(t *testing.T, open Database) {
	s := opened(t, open)
	epoch := activate(t, s, "team")
	require.NoError(t, commit(t, s, "team", epoch, puts("b", "2", "a", "1", "d", "4", "c", "3")))
	v := viewed(t, s)
	for _, c := range []struct {
		from, to string
		want     []string
	}{
		{"", "", []string{"a", "b", "c", "d"}},
		{"b", "", []string{"b", "c", "d"}},
		{"", "c", []string{"a", "b"}},
		{"b", "c", []string{"b"}},
		{"b", "b", []string{}},
		{"c", "b", []string{}},
		{"aa", "cc", []string{"b", "c"}},
		{"e", "", []string{}},
		{"", "0", []string{}},
		{"0", "z", []string{"a", "b", "c", "d"}},
	} {
		got := scanned(t, v, "team", c.from, c.to)
		require.Equal(t, c.want, keysOf(got), "[%s, %s)", c.from, c.to)
	}
}

// binaryKeys: zero bytes, 0xff bytes and keys that are prefixes of others.
func binaryKeys(t *testing.T, open Database) {
	s := opened(t, open)
	epoch := activate(t, s, "team")
	sorted := []string{
		"\x00", "\x00\x00", "\x00\x00\x00", "\x00\x01", "\x00\xff", "\x01", "\x01\x00", "a", "a\x00", "a\x00b",
		"a\x01", "aa", "ab", "a\xff", "a\xff\xff", "b", "\x7f", "\x80", "\xc3\xa4", "\xfe\xff", "\xff", "\xff\x00", "\xff\xff", "\xff\xff\xff",
	}
	b := &persistence.Batch{}
	for i := range sorted {
		// Values are binary too.
		b.Put([]byte(sorted[len(sorted)-1-i]), []byte{0, byte(i), 0xff})
	}
	require.NoError(t, commit(t, s, "team", epoch, b))
	v := viewed(t, s)
	require.Equal(t, sorted, keysOf(scanned(t, v, "team", "", "")))
	for i, from := range sorted {
		for j, to := range sorted {
			want := []string{}
			if i < j {
				want = sorted[i:j]
			}
			got := scanned(t, v, "team", from, to)
			require.Equal(t, want, keysOf(got), "[%x, %x)", from, to)
		}
		value, err := v.Get("team", []byte(from))
		require.NoError(t, err)
		require.Equal(t, []byte{0, byte(len(sorted) - 1 - i), 0xff}, value)
	}
}

func endsEarly(t *testing.T, open Database) {
	s := opened(t, open)
	epoch := activate(t, s, "team")
	b := &persistence.Batch{}
	for i := range 50 {
		b.Put(fmt.Appendf(nil, "%02d", i), []byte("v"))
	}
	require.NoError(t, commit(t, s, "team", epoch, b))
	v := viewed(t, s)
	for _, limit := range []int{1, 2, 49, 50, 51} {
		var forward []string
		require.NoError(t, v.Scan("team", nil, nil, func(key, _ []byte) bool {
			forward = append(forward, string(key))
			return len(forward) < limit
		}))
		require.Len(t, forward, min(limit, 50))
		require.Equal(t, "00", forward[0])
	}
}

func prefixes(t *testing.T, open Database) {
	s := opened(t, open)
	epoch := activate(t, s, "team")
	require.NoError(t, commit(t, s, "team", epoch, puts("p", "", "p/", "", "p/a", "", "p/\xff", "", "p/\xff\xff", "", "p0", "", "\xff", "", "\xff\xffz", "")))
	v := viewed(t, s)
	for prefix, want := range map[string][]string{
		"p/":       {"p/", "p/a", "p/\xff", "p/\xff\xff"},
		"p/\xff":   {"p/\xff", "p/\xff\xff"},
		"\xff":     {"\xff", "\xff\xffz"},
		"\xff\xff": {"\xff\xffz"},
		"q":        {},
	} {
		end := string(persistence.PrefixEnd([]byte(prefix)))
		require.Equal(t, want, keysOf(scanned(t, v, "team", prefix, end)), "%x", prefix)
	}
}

// longScan: more pairs than any engine fetches at a time, written over several
// batches and partly rewritten.
func longScan(t *testing.T, open Database) {
	s := opened(t, open)
	epoch := activate(t, s, "team")
	const keys = 3000
	value := bytes.Repeat([]byte("v"), 300)
	_, outcomes := burst(s, "team", epoch, 6, func(i int) *persistence.Batch {
		b := &persistence.Batch{}
		for j := i % 3; j < keys; j += 3 {
			b.Put(fmt.Appendf(nil, "%05d", j), append(fmt.Appendf(nil, "%d/%d/", i/3, j), value...))
		}
		return b
	})
	for _, err := range outcomes {
		require.NoError(t, err)
	}
	v := viewed(t, s)
	got := scanned(t, v, "team", "", "")
	require.Len(t, got, keys)
	for i, p := range got {
		require.Equal(t, fmt.Sprintf("%05d", i), p.key)
		require.Equal(t, fmt.Sprintf("1/%d/", i)+string(value), p.value)
	}
}

func skipsDeleted(t *testing.T, open Database) {
	s := opened(t, open)
	epoch := activate(t, s, "team")
	require.NoError(t, commit(t, s, "team", epoch, puts("a", "1", "b", "1", "c", "1")))
	b := &persistence.Batch{}
	b.Delete([]byte("a"))
	b.Delete([]byte("c"))
	require.NoError(t, commit(t, s, "team", epoch, b))
	put(t, s, "team", epoch, "c", "2")
	require.NoError(t, commit(t, s, "team", epoch, &persistence.Batch{Writes: []persistence.Write{{Key: []byte("b"), Delete: true}}}))
	put(t, s, "team", epoch, "b", "")
	holds(t, s, "team", "b", "", "c", "2")
}

func emptySpace(t *testing.T, open Database) {
	s := opened(t, open)
	activate(t, s, "activated")
	v := viewed(t, s)
	for _, space := range []persistence.Space{"never seen", "activated"} {
		require.Empty(t, scanned(t, v, space, "", ""))
		_, err := v.Get(space, []byte("k"))
		require.ErrorIs(t, err, persistence.ErrNotFound)
	}
}

// keyEqualToEdge: the range includes from and excludes to, also when adjacent
// keys exist.
func keyEqualToEdge(t *testing.T, open Database) {
	s := opened(t, open)
	epoch := activate(t, s, "team")
	require.NoError(t, commit(t, s, "team", epoch, puts("k", "", "k\x00", "", "l", "", "l\x00", "")))
	v := viewed(t, s)
	require.Equal(t, []string{"k\x00"}, keysOf(scanned(t, v, "team", "k\x00", "l")))
	require.Equal(t, []string{"k"}, keysOf(scanned(t, v, "team", "k", "k\x00")))
	require.Equal(t, []string{"k\x00", "l"}, keysOf(scanned(t, v, "team", "k\x00", "l\x00")))
}
