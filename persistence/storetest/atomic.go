package storetest

import (
	"testing"

	"watchpost/persistence"

	"github.com/stretchr/testify/require"
)

// atomicTests: a batch is stored completely or not at all.
var atomicTests = map[string]func(t *testing.T, open Database){
	"AllOfABatch":         allOfABatch,
	"NothingOfAFailedOne": nothingOfAFailedOne,
	"LastWriteStands":     lastWriteStands,
	"DeleteOfTheAbsent":   deleteOfTheAbsent,
	"EmptyBatch":          emptyBatch,
	"EmptyIsNotAbsent":    emptyIsNotAbsent,
	"ValuesAreCopied":     valuesAreCopied,
	"GetAll":              getAll,
}

func allOfABatch(t *testing.T, open Database) {
	s := opened(t, open)
	epoch := activate(t, s, "team")
	put(t, s, "team", epoch, "old", "1")

	b := puts("a", "1", "b", "2")
	b.Delete([]byte("old"))
	b.CompareAndSet(persistence.DirectoryKey{Kind: "key", Name: "k"}, nil, []byte("team"))
	require.NoError(t, commit(t, s, "team", epoch, b))

	holds(t, s, "team", "a", "1", "b", "2")
	once(t, s, func(v persistence.View) {
		value, err := v.Lookup(persistence.DirectoryKey{Kind: "key", Name: "k"})
		require.NoError(t, err)
		require.Equal(t, "team", string(value))
	})
}

func nothingOfAFailedOne(t *testing.T, open Database) {
	s := opened(t, open)
	epoch := activate(t, s, "team")
	put(t, s, "team", epoch, "kept", "1")
	entry := persistence.DirectoryKey{Kind: "key", Name: "k"}
	other := persistence.DirectoryKey{Kind: "key", Name: "other"}

	b := puts("kept", "2", "new", "2")
	b.Set(other, []byte("set"))
	b.CompareAndSet(entry, []byte("expected"), []byte("value"))
	require.ErrorIs(t, commit(t, s, "team", epoch, b), persistence.ErrConflict)

	holds(t, s, "team", "kept", "1")
	once(t, s, func(v persistence.View) {
		for _, key := range []persistence.DirectoryKey{entry, other} {
			_, err := v.Lookup(key)
			require.ErrorIs(t, err, persistence.ErrNotFound)
		}
	})
}

func lastWriteStands(t *testing.T, open Database) {
	s := opened(t, open)
	epoch := activate(t, s, "team")
	b := puts("a", "1", "a", "2", "b", "1", "c", "1")
	b.Delete([]byte("b"))
	b.Delete([]byte("c"))
	b.Put([]byte("c"), []byte("2"))
	require.NoError(t, commit(t, s, "team", epoch, b))
	holds(t, s, "team", "a", "2", "c", "2")
}

func deleteOfTheAbsent(t *testing.T, open Database) {
	s := opened(t, open)
	epoch := activate(t, s, "team")
	b := &persistence.Batch{}
	b.Delete([]byte("never"))
	b.Set(persistence.DirectoryKey{Kind: "key", Name: "never"}, nil)
	require.NoError(t, commit(t, s, "team", epoch, b))
	holds(t, s, "team")
}

func emptyBatch(t *testing.T, open Database) {
	s := opened(t, open)
	epoch := activate(t, s, "team")
	require.NoError(t, commit(t, s, "team", epoch, &persistence.Batch{}))
	require.ErrorIs(t, commit(t, s, "team", epoch+1, &persistence.Batch{}), persistence.ErrFenced)
}

func emptyIsNotAbsent(t *testing.T, open Database) {
	s := opened(t, open)
	epoch := activate(t, s, "team")
	entry := persistence.DirectoryKey{Kind: "key", Name: "k"}
	b := &persistence.Batch{}
	b.Put([]byte("nil"), nil)
	b.Put([]byte("empty"), []byte{})
	b.CompareAndSet(entry, nil, []byte{})
	require.NoError(t, commit(t, s, "team", epoch, b))

	holds(t, s, "team", "empty", "", "nil", "")
	once(t, s, func(v persistence.View) {
		for _, key := range []string{"nil", "empty"} {
			value, err := v.Get("team", []byte(key))
			require.NoError(t, err)
			require.NotNil(t, value)
			require.Empty(t, value)
		}
		_, err := v.Get("team", []byte("absent"))
		require.ErrorIs(t, err, persistence.ErrNotFound)

		// A later batch expects the value that was read: nil would mean
		// absent.
		value, err := v.Lookup(entry)
		require.NoError(t, err)
		next := &persistence.Batch{}
		next.CompareAndSet(entry, value, []byte("full"))
		require.NoError(t, commit(t, s, "team", epoch, next))
	})
}

func valuesAreCopied(t *testing.T, open Database) {
	s := opened(t, open)
	epoch := activate(t, s, "team")
	put(t, s, "team", epoch, "a", "value")
	v := viewed(t, s)
	first, err := v.Get("team", []byte("a"))
	require.NoError(t, err)
	clear(first)
	second, err := v.Get("team", []byte("a"))
	require.NoError(t, err)
	require.Equal(t, "value", string(second))
}

// getAll: values in the order of the keys, nil for the absent, empty for the
// empty, and each key as often as it is asked for.
func getAll(t *testing.T, open Database) {
	s := opened(t, open)
	epoch := activate(t, s, "team")
	require.NoError(t, commit(t, s, "team", epoch, puts("a", "1", "b", "", "c", "3", "\x00", "zero")))
	v := viewed(t, s)
	put(t, s, "team", epoch, "later", "1")

	keys := [][]byte{[]byte("c"), []byte("absent"), []byte("b"), nil, []byte("\x00"), []byte("later"), []byte("a"), []byte("c")}
	values, err := v.GetAll("team", keys)
	require.NoError(t, err)
	require.Equal(t, [][]byte{[]byte("3"), nil, {}, nil, []byte("zero"), nil, []byte("1"), []byte("3")}, values)

	clear(values[0])
	again, err := v.Get("team", []byte("c"))
	require.NoError(t, err)
	require.Equal(t, "3", string(again))
	require.Equal(t, "3", string(values[7]), "two values share their bytes")

	values, err = v.GetAll("team", nil)
	require.NoError(t, err)
	require.Empty(t, values)
	values, err = v.GetAll("", keys[:2])
	require.NoError(t, err)
	require.Equal(t, [][]byte{nil, nil}, values)
	v.Close()
	_, err = v.GetAll("team", keys)
	require.Error(t, err)
}
