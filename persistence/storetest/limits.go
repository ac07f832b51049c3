package storetest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"watchpost/persistence"

	"github.com/stretchr/testify/require"
)

// limitTests: a batch at a limit succeeds, a batch past it fails completely.
var limitTests = map[string]func(t *testing.T, open Database){
	"AtTheLimits":        atTheLimits,
	"PastTheLimits":      pastTheLimits,
	"BadSpaces":          badSpaces,
	"LargestBatches":     largestBatches,
	"LargestBatchInTurn": largestBatchInTurn,
}

var longestSpace = persistence.Space(strings.Repeat("s", persistence.MaxSpace))

// fullest is a batch of MaxBatchOps operations and MaxBatchBytes bytes.
func fullest(fill byte) *persistence.Batch {
	b := &persistence.Batch{}
	const each = persistence.MaxBatchBytes / persistence.MaxBatchOps
	rest := persistence.MaxBatchBytes % persistence.MaxBatchOps
	for i := range persistence.MaxBatchOps {
		key := fmt.Appendf(nil, "%04d", i)
		value := bytes.Repeat([]byte{fill}, each-len(key))
		if i == 0 {
			value = append(value, make([]byte, rest)...)
		}
		b.Put(key, value)
	}
	return b
}

func atTheLimits(t *testing.T, open Database) {
	s := opened(t, open)
	epoch := activate(t, s, longestSpace)
	key := bytes.Repeat([]byte{0xff}, persistence.MaxKey)
	value := bytes.Repeat([]byte{0xab}, persistence.MaxValue)
	entry := persistence.DirectoryKey{Kind: "kind", Name: strings.Repeat("n", persistence.MaxKey-len("kind"))}

	b := &persistence.Batch{}
	b.Put(key, value)
	require.NoError(t, commit(t, s, longestSpace, epoch, b))
	b = &persistence.Batch{}
	b.CompareAndSet(entry, nil, value)
	require.NoError(t, commit(t, s, longestSpace, epoch, b))
	b = &persistence.Batch{}
	b.CompareAndSet(entry, value, []byte("small"))
	require.NoError(t, commit(t, s, longestSpace, epoch, b))

	v := viewed(t, s)
	got, err := v.Get(longestSpace, key)
	require.NoError(t, err)
	require.True(t, bytes.Equal(value, got))
	pairs := scanned(t, v, longestSpace, "", "")
	require.Len(t, pairs, 1)
	require.True(t, pairs[0] == pair{string(key), string(value)})
	got, err = v.Lookup(entry)
	require.NoError(t, err)
	require.Equal(t, "small", string(got))
}

func pastTheLimits(t *testing.T, open Database) {
	s := opened(t, open)
	for name, grow := range map[string]func(b *persistence.Batch){
		"empty key":            func(b *persistence.Batch) { b.Put(nil, []byte("v")) },
		"delete of empty key":  func(b *persistence.Batch) { b.Delete(nil) },
		"long key":             func(b *persistence.Batch) { b.Put(make([]byte, persistence.MaxKey+1), nil) },
		"delete of a long key": func(b *persistence.Batch) { b.Delete(make([]byte, persistence.MaxKey+1)) },
		"large value":          func(b *persistence.Batch) { b.Put([]byte("k"), make([]byte, persistence.MaxValue+1)) },
		"empty directory key":  func(b *persistence.Batch) { b.Set(persistence.DirectoryKey{}, []byte("v")) },
		"long directory key": func(b *persistence.Batch) {
			b.Set(persistence.DirectoryKey{Kind: "kind", Name: strings.Repeat("n", persistence.MaxKey)}, nil)
		},
		"large entry": func(b *persistence.Batch) {
			b.Set(persistence.DirectoryKey{Kind: "k"}, make([]byte, persistence.MaxValue+1))
		},
		"many bytes": func(b *persistence.Batch) {
			b.Put([]byte("k"), make([]byte, persistence.MaxBatchBytes/2))
			b.Put([]byte("l"), make([]byte, persistence.MaxBatchBytes/2))
		},
		"many operations": func(b *persistence.Batch) {
			for i := range persistence.MaxBatchOps {
				b.Delete(fmt.Appendf(nil, "%d", i))
			}
		},
	} {
		epoch := activate(t, s, "team")
		b := puts("lost", "lost")
		grow(b)
		require.ErrorIs(t, commit(t, s, "team", epoch, b), persistence.ErrTooLarge, name)
		holds(t, s, "team")
	}
}

func badSpaces(t *testing.T, open Database) {
	s := opened(t, open)
	v := viewed(t, s)
	for _, space := range []persistence.Space{"", longestSpace + "s"} {
		_, err := s.Activate(t.Context(), space)
		require.ErrorIs(t, err, persistence.ErrTooLarge)
		require.ErrorIs(t, commit(t, s, space, 1, puts("k", "v")), persistence.ErrTooLarge)
		_, err = v.Get(space, []byte("k"))
		require.ErrorIs(t, err, persistence.ErrNotFound)
		require.Empty(t, scanned(t, v, space, "", ""))
	}
	_, err := v.Get("team", nil)
	require.ErrorIs(t, err, persistence.ErrNotFound)
}

// largestBatches: the fullest batches of many teams at once. An engine that
// groups batches must split its groups between them.
func largestBatches(t *testing.T, open Database) {
	s := opened(t, open)
	const teams = 6
	outcomes := make(chan error, 2*teams)
	var spaces []persistence.Space
	for i := range teams {
		space := longestSpace[:persistence.MaxSpace-1] + persistence.Space(rune('a'+i))
		spaces = append(spaces, space)
		epoch := activate(t, s, space)
		for _, fill := range []byte{1, 2} {
			s.Submit(space, epoch, fullest(fill), func(err error) { outcomes <- err })
		}
	}
	for range cap(outcomes) {
		require.NoError(t, <-outcomes)
	}
	v := viewed(t, s)
	for _, space := range spaces {
		n := 0
		require.NoError(t, v.Scan(space, nil, nil, func(_, value []byte) bool {
			require.Equal(t, byte(2), value[0])
			n++
			return true
		}))
		require.Equal(t, persistence.MaxBatchOps, n)
	}
}

// largestBatchInTurn: a fullest batch among small ones keeps its place in the
// order.
func largestBatchInTurn(t *testing.T, open Database) {
	s := opened(t, open)
	epoch := activate(t, s, "team")
	order, outcomes := burst(s, "team", epoch, 40, func(i int) *persistence.Batch {
		if i%10 == 5 {
			return fullest(byte(i))
		}
		return puts("0000", fmt.Sprint(i))
	})
	require.Equal(t, rising(40), order)
	for _, err := range outcomes {
		require.NoError(t, err)
	}
	once(t, s, func(v persistence.View) {
		value, err := v.Get("team", []byte("0000"))
		require.NoError(t, err)
		require.Equal(t, "39", string(value))
		require.Len(t, scanned(t, v, "team", "", ""), persistence.MaxBatchOps)
	})
}
