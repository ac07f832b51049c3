package badger

import (
	"bytes"
	"fmt"
	"testing"

	"watchpost/persistence"

	db "github.com/dgraph-io/badger/v4"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestDiscardFollowsOldestView compares the bookkeeping with a plain list of
// the open versions.
func TestDiscardFollowsOldestView(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var discarded uint64
		s := newSnapshots(5, func(version uint64) {
			require.GreaterOrEqual(t, version, discarded, "what may be forgotten shrinks")
			discarded = version
		})
		durable := uint64(5)
		var open []uint64
		t.Repeat(map[string]func(*rapid.T){
			"advance": func(*rapid.T) { durable++; s.advance(durable) },
			"acquire": func(t *rapid.T) {
				version := s.acquire()
				require.Equal(t, durable, version)
				open = append(open, version)
			},
			"release": func(t *rapid.T) {
				if len(open) == 0 {
					t.Skip("nothing is open")
				}
				i := rapid.IntRange(0, len(open)-1).Draw(t, "view")
				s.release(open[i])
				open = append(open[:i], open[i+1:]...)
			},
			"": func(t *rapid.T) {
				want := durable
				for _, version := range open {
					want = min(want, version)
				}
				require.Equal(t, want, discarded)
				require.Equal(t, len(open), s.count())
			},
		})
	})
}

// versionsOf counts the stored versions of a key.
func versionsOf(s *Store, key string) (n int) {
	txn := s.db.NewTransactionAt(^uint64(0), false)
	defer txn.Discard()
	it := txn.NewKeyIterator(appendPair(nil, "team", []byte(key)), db.IteratorOptions{})
	defer it.Close()
	for it.Rewind(); it.Valid(); it.Next() {
		n++
	}
	return n
}

// TestCompactionKeepsWhatViewsRead: compaction drops overwritten values, but
// none that an open view still shows.
func TestCompactionKeepsWhatViewsRead(t *testing.T) {
	// Tables are merged only by Flatten.
	s := opened(t, Options{Dir: t.TempDir()})
	epoch := mustActivate(t, s, "team")
	filler := string(bytes.Repeat([]byte("f"), persistence.MaxValue))
	rotate := func() {
		for i := range 24 { // more than a memtable
			put(t, s, "team", epoch, fmt.Sprintf("filler %d", i), filler)
		}
	}
	put(t, s, "team", epoch, "k", "old")
	put(t, s, "team", epoch, "gone", "old")
	put(t, s, "team", epoch, "empty", "")
	v, err := s.View(t.Context())
	require.NoError(t, err)
	rotate()
	for i := range 10 {
		put(t, s, "team", epoch, "k", fmt.Sprint(i))
	}
	b := &persistence.Batch{}
	b.Delete([]byte("gone"))
	require.NoError(t, persistence.Commit(t.Context(), s, "team", epoch, b))
	rotate()
	require.NoError(t, s.db.Flatten(1))
	for _, key := range []string{"k", "gone"} {
		value, err := v.Get("team", []byte(key))
		require.NoError(t, err)
		require.Equal(t, "old", string(value))
	}
	var keys []string
	require.NoError(t, v.Scan("team", nil, nil, func(key, _ []byte) bool {
		keys = append(keys, string(key))
		return true
	}))
	require.Equal(t, []string{"empty", "gone", "k"}, keys)
	v.Close()

	// The bottom level is merged with tables of a range that covers it.
	for range 5 {
		put(t, s, "team", epoch, "a", "first")
		put(t, s, "team", epoch, "z", "last")
		rotate()
		require.NoError(t, s.db.Flatten(1))
		if versionsOf(s, "k") <= 2 {
			break
		}
	}
	require.LessOrEqual(t, versionsOf(s, "k"), 2)
	require.Equal(t, "9", get(t, s, "team", "k"))
	require.Empty(t, get(t, s, "team", "empty"))
}

// TestChurn rewrites and deletes through many memtables and tables and checks
// all data, before and after a reopening.
func TestChurn(t *testing.T) {
	options := Options{Dir: t.TempDir()}
	s := opened(t, options)
	epoch := mustActivate(t, s, "team")
	want := map[string]string{}
	padding := string(bytes.Repeat([]byte("p"), 2000))
	for round := range 12 {
		for part := range 4 {
			b := &persistence.Batch{}
			for i := part; i < 2000; i += 4 {
				key := fmt.Sprintf("%04d", i)
				if (i*7+round)%5 == 0 {
					b.Delete([]byte(key))
					delete(want, key)
					continue
				}
				value := fmt.Sprintf("%d/%d/%s", round, i, padding)
				b.Put([]byte(key), []byte(value))
				want[key] = value
			}
			for _, half := range []*persistence.Batch{{Writes: b.Writes[:250]}, {Writes: b.Writes[250:]}} {
				require.NoError(t, persistence.Commit(t.Context(), s, "team", epoch, half))
			}
		}
	}
	check := func() {
		v, err := s.View(t.Context())
		require.NoError(t, err)
		defer v.Close()
		forward := map[string]string{}
		collect := func(into map[string]string) func(key, value []byte) bool {
			return func(key, value []byte) bool {
				into[string(key)] = string(value)
				return true
			}
		}
		require.NoError(t, v.Scan("team", nil, nil, collect(forward)))
		require.True(t, equalMaps(want, forward))
	}
	check()
	require.NoError(t, s.Close())
	s = opened(t, options)
	check()
}

func equalMaps(a, b map[string]string) bool {
	for key, value := range a {
		if other, ok := b[key]; !ok || other != value {
			return false
		}
	}
	return len(a) == len(b)
}
