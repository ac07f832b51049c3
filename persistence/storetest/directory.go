package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"watchpost/persistence"

	"github.com/stretchr/testify/require"
)

// directoryTests: an entry changes only if it has the expected value.
var directoryTests = map[string]func(t *testing.T, open Database){
	"Expectations":        expectations,
	"InTurnWithinABatch":  inTurnWithinABatch,
	"SeesEarlierBatches":  seesEarlierBatches,
	"OneOfManyClaimsWins": oneOfManyClaimsWins,
	"ScanOfAKind":         scanOfAKind,
	"BinaryNames":         binaryNames,
	"LookupAll":           lookupAll,
	"NamesAndKinds":       namesAndKinds,
	"Everything":          everything,
}

// lookupAll: entries in the order of the names, nil for the absent, each as often as it
// is asked for, and none of another kind.
func lookupAll(t *testing.T, open Database) {
	s := opened(t, open)
	epoch := activate(t, s, "team")
	batch := &persistence.Batch{}
	for name, value := range map[string]string{"a": "1", "b": "", "\x00\xff": "bytes"} {
		batch.Set(persistence.DirectoryKey{Kind: "email", Name: name}, []byte(value))
	}
	batch.Set(persistence.DirectoryKey{Kind: "key", Name: "other"}, []byte("2"))
	require.NoError(t, commit(t, s, "team", epoch, batch))
	v := viewed(t, s)

	values, err := v.LookupAll("email", []string{"b", "other", "a", "", "\x00\xff", "a"})
	require.NoError(t, err)
	require.Equal(t, [][]byte{{}, nil, []byte("1"), nil, []byte("bytes"), []byte("1")}, values)
	clear(values[2])
	require.Equal(t, "1", string(values[5]), "two values share their bytes")
	values, err = v.LookupAll("email", nil)
	require.NoError(t, err)
	require.Empty(t, values)
	v.Close()
	_, err = v.LookupAll("email", []string{"a"})
	require.Error(t, err)
}

func expectations(t *testing.T, open Database) {
	s := opened(t, open)
	key := persistence.DirectoryKey{Kind: "email", Name: "a@example.com"}
	a, b := []byte("a"), []byte("b")
	cases := []struct {
		name    string
		holds   []byte // before; nil is absent
		write   persistence.DirectoryWrite
		want    []byte
		refused bool
	}{
		{name: "create", write: persistence.DirectoryWrite{Value: a}, want: a},
		{name: "create over another", holds: b, write: persistence.DirectoryWrite{Value: a}, want: b, refused: true},
		{name: "create over empty", holds: []byte{}, write: persistence.DirectoryWrite{Value: a}, want: []byte{}, refused: true},
		{name: "change", holds: a, write: persistence.DirectoryWrite{Expect: a, Value: b}, want: b},
		{name: "change another", holds: b, write: persistence.DirectoryWrite{Expect: a, Value: b}, want: b, refused: true},
		{name: "change the absent", write: persistence.DirectoryWrite{Expect: a, Value: b}, refused: true},
		{name: "expect empty of the absent", write: persistence.DirectoryWrite{Expect: []byte{}, Value: b}, refused: true},
		{name: "expect empty", holds: []byte{}, write: persistence.DirectoryWrite{Expect: []byte{}, Value: b}, want: b},
		{name: "expect a prefix", holds: []byte("ab"), write: persistence.DirectoryWrite{Expect: a, Value: b}, want: []byte("ab"), refused: true},
		{name: "delete", holds: a, write: persistence.DirectoryWrite{Expect: a}},
		{name: "delete another", holds: b, write: persistence.DirectoryWrite{Expect: a}, want: b, refused: true},
		{name: "delete nothing", write: persistence.DirectoryWrite{}},
		{name: "set", holds: b, write: persistence.DirectoryWrite{Value: a, Always: true}, want: a},
		{name: "set despite expect", holds: b, write: persistence.DirectoryWrite{Expect: a, Value: a, Always: true}, want: a},
		{name: "set the absent", write: persistence.DirectoryWrite{Value: a, Always: true}, want: a},
		{name: "unset", holds: b, write: persistence.DirectoryWrite{Always: true}},
	}
	for _, c := range cases {
		epoch := activate(t, s, "team")
		before := &persistence.Batch{}
		before.Set(key, c.holds)
		require.NoError(t, commit(t, s, "team", epoch, before), c.name)
		c.write.Key = key
		err := commit(t, s, "team", epoch, &persistence.Batch{Directory: []persistence.DirectoryWrite{c.write}})
		if c.refused {
			require.ErrorIs(t, err, persistence.ErrConflict, c.name)
		} else {
			require.NoError(t, err, c.name)
		}
		once(t, s, func(v persistence.View) {
			value, err := v.Lookup(key)
			if c.want == nil {
				require.ErrorIs(t, err, persistence.ErrNotFound, c.name)
				return
			}
			require.NoError(t, err, c.name)
			require.Equal(t, c.want, value, c.name)
		})
	}
}

// inTurnWithinABatch: changes of one entry in one batch are checked and
// applied in order.
func inTurnWithinABatch(t *testing.T, open Database) {
	s := opened(t, open)
	key := persistence.DirectoryKey{Kind: "key", Name: "k"}
	epoch := activate(t, s, "team")
	b := &persistence.Batch{}
	b.CompareAndSet(key, nil, []byte("1"))
	b.CompareAndSet(key, []byte("1"), nil)
	b.CompareAndSet(key, nil, []byte("2"))
	require.NoError(t, commit(t, s, "team", epoch, b))

	b = &persistence.Batch{}
	b.CompareAndSet(key, []byte("2"), []byte("3"))
	b.CompareAndSet(key, []byte("2"), []byte("4"))
	require.ErrorIs(t, commit(t, s, "team", epoch, b), persistence.ErrConflict)
	once(t, s, func(v persistence.View) {
		value, err := v.Lookup(key)
		require.NoError(t, err)
		require.Equal(t, "2", string(value))
	})
}

// seesEarlierBatches: a batch's expectations see the batches before it,
// durable or not, and no failed ones.
func seesEarlierBatches(t *testing.T, open Database) {
	s := opened(t, open)
	key := persistence.DirectoryKey{Kind: "key", Name: "counter"}
	epoch := activate(t, s, "team")
	const batches = 60
	bad := func(i int) persistence.Space { return persistence.Space(fmt.Sprintf("bad %d", i)) }
	epochs := make([]persistence.Epoch, batches)
	for i := range epochs {
		epochs[i] = activate(t, s, bad(i))
	}
	var answered sync.WaitGroup
	var before []byte
	for i := range batches {
		next := fmt.Appendf(nil, "%d", i)
		b := &persistence.Batch{}
		b.CompareAndSet(key, before, next)
		failing := conflicting()
		failing.Set(key, []byte("bad"))
		answered.Add(2)
		s.Submit(bad(i), epochs[i], failing, func(err error) {
			if !errors.Is(err, persistence.ErrConflict) {
				t.Errorf("%d: %v", i, err)
			}
			answered.Done()
		})
		s.Submit("team", epoch, b, func(err error) {
			if err != nil {
				t.Errorf("%d: %v", i, err)
			}
			answered.Done()
		})
		before = next
	}
	answered.Wait()
}

// oneOfManyClaimsWins: many teams claim the same entry at once.
func oneOfManyClaimsWins(t *testing.T, open Database) {
	s := opened(t, open)
	for round := range 10 {
		key := persistence.DirectoryKey{Kind: "email", Name: fmt.Sprint(round)}
		var winner atomic.Int64
		var wins atomic.Int64
		var all sync.WaitGroup
		for i := range 8 {
			space := persistence.Space(fmt.Sprintf("team %d", i))
			epoch := activate(t, s, space)
			all.Go(func() {
				b := puts("won", fmt.Sprint(round))
				b.CompareAndSet(key, nil, []byte(space))
				switch err := persistence.Commit(context.Background(), s, space, epoch, b); {
				case err == nil:
					winner.Store(int64(i))
					wins.Add(1)
				case !errors.Is(err, persistence.ErrConflict):
					t.Errorf("%s: %v", space, err)
				}
			})
		}
		all.Wait()
		require.EqualValues(t, 1, wins.Load())
		once(t, s, func(v persistence.View) {
			value, err := v.Lookup(key)
			require.NoError(t, err)
			require.Equal(t, fmt.Sprintf("team %d", winner.Load()), string(value))
			for i := range 8 {
				won, _ := v.Get(persistence.Space(fmt.Sprintf("team %d", i)), []byte("won"))
				require.Equal(t, i == int(winner.Load()), string(won) == fmt.Sprint(round))
			}
		})
	}
}

func scanOfAKind(t *testing.T, open Database) {
	s := opened(t, open)
	epoch := activate(t, s, "team")
	b := &persistence.Batch{}
	for _, kind := range []string{"k", "key", "keyx", "l"} {
		for _, name := range []string{"b", "", "a", "ab", "B"} {
			b.Set(persistence.DirectoryKey{Kind: kind, Name: name}, []byte(kind+":"+name))
		}
	}
	require.NoError(t, commit(t, s, "team", epoch, b))
	v := viewed(t, s)
	names := func(from string, limit int) (got []string) {
		require.NoError(t, v.ScanDirectory("key", from, func(name string, value []byte) bool {
			require.Equal(t, "key:"+name, string(value))
			got = append(got, name)
			return len(got) < limit
		}))
		return got
	}
	require.Equal(t, []string{"", "B", "a", "ab", "b"}, names("", 100))
	require.Equal(t, []string{"", "B"}, names("", 2))
	require.Equal(t, []string{"ab", "b"}, names("ab", 100))
	require.Equal(t, []string{"ab", "b"}, names("a\x00", 100))
	require.Empty(t, names("c", 100))
	require.NoError(t, v.ScanDirectory("absent", "", func(string, []byte) bool {
		t.Error("an entry of a kind that has none")
		return true
	}))
}

func binaryNames(t *testing.T, open Database) {
	s := opened(t, open)
	epoch := activate(t, s, "team")
	names := []string{"\x00", "\x00\x00", "a", "a\x00", "a\x00b", "a\xff", "ä", "\xff", "\xff\xff"}
	b := &persistence.Batch{}
	for i := range names {
		b.Set(persistence.DirectoryKey{Kind: "key", Name: names[len(names)-1-i]}, []byte("v"))
	}
	require.NoError(t, commit(t, s, "team", epoch, b))
	var got []string
	require.NoError(t, viewed(t, s).ScanDirectory("key", "", func(name string, _ []byte) bool {
		got = append(got, name)
		return true
	}))
	require.Equal(t, names, got)
}

// namesAndKinds: entries with the same concatenation of kind and name are
// distinct.
func namesAndKinds(t *testing.T, open Database) {
	s := opened(t, open)
	epoch := activate(t, s, "team")
	b := &persistence.Batch{}
	b.Set(persistence.DirectoryKey{Kind: "ab", Name: "c"}, []byte("1"))
	require.NoError(t, commit(t, s, "team", epoch, b))
	v := viewed(t, s)
	for _, key := range []persistence.DirectoryKey{{Kind: "a", Name: "bc"}, {Kind: "abc"}, {Name: "abc"}, {Kind: "AB", Name: "c"}} {
		_, err := v.Lookup(key)
		require.ErrorIs(t, err, persistence.ErrNotFound, "%q", key)
	}
}

// everything: a reader finds all spaces with values and all kinds with entries.
func everything(t *testing.T, open Database) {
	s := opened(t, open)
	spaces := []persistence.Space{"\x00", "a", "ab", "b", "bb\xff"}
	kinds := []string{"", "a", "ab", "abc", "b", "ba"}
	b := &persistence.Batch{}
	for _, kind := range kinds {
		for n := range 40 {
			b.Set(persistence.DirectoryKey{Kind: kind, Name: fmt.Sprint(n)}, []byte{})
		}
	}
	b.Put([]byte("k"), nil)
	for _, space := range spaces {
		epoch := activate(t, s, space)
		require.NoError(t, commit(t, s, space, epoch, b))
	}
	gone := &persistence.Batch{}
	gone.Set(persistence.DirectoryKey{Kind: "gone", Name: "n"}, []byte("v"))
	gone.Set(persistence.DirectoryKey{Kind: "gone", Name: "n"}, nil)
	require.NoError(t, commit(t, s, "a", activate(t, s, "a"), gone))

	v := viewed(t, s)
	var found []persistence.Space
	require.NoError(t, v.Spaces(func(space persistence.Space) bool {
		found = append(found, space)
		require.Equal(t, []pair{{"k", ""}}, scanned(t, v, space, "", ""), "yield may read the view")
		return true
	}))
	require.Equal(t, spaces, found)
	found = nil
	require.NoError(t, v.Spaces(func(space persistence.Space) bool {
		found = append(found, space)
		return len(found) < 2
	}))
	require.Equal(t, spaces[:2], found)
	all, err := v.Kinds()
	require.NoError(t, err)
	require.Equal(t, kinds, all)
}
