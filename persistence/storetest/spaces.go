package storetest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"watchpost/persistence"

	"github.com/stretchr/testify/require"
)

// spaceTests: a space neither sees, fences nor delays another one.
var spaceTests = map[string]func(t *testing.T, open Database){
	"PrefixesDoNotLeak": prefixesDoNotLeak,
	"EpochsAreTheirOwn": epochsAreTheirOwn,
	"ManyAtOnce":        manySpacesAtOnce,
}

// similar are names that collide in an engine that concatenates name and key.
var similar = []persistence.Space{
	"a", "ab", "abc", "b", "A", "a/", "a\x00", "a\x00b", "\x00", "\x00a", "\xff", "\xff\xff", "a\xff", "ä",
	persistence.Space(strings.Repeat("a", persistence.MaxSpace)),
	persistence.Space(strings.Repeat("a", persistence.MaxSpace-1)),
	persistence.Space(strings.Repeat("\xff", persistence.MaxSpace)),
}

func prefixesDoNotLeak(t *testing.T, open Database) {
	s := opened(t, open)
	keys := []string{"\x00", "b", "bc", "c", "\xff", "\xff\xff"}
	for _, space := range similar {
		epoch := activate(t, s, space)
		b := &persistence.Batch{}
		for _, key := range keys {
			b.Put([]byte(key), []byte(string(space)+"|"+key))
		}
		require.NoError(t, commit(t, s, space, epoch, b))
	}
	check := func(gone persistence.Space) {
		v := viewed(t, s)
		for _, space := range similar {
			want := []pair{}
			for _, key := range keys {
				if space != gone {
					want = append(want, pair{key, string(space) + "|" + key})
				}
			}
			require.ElementsMatch(t, want, scanned(t, v, space, "", ""), "%q", space)
			require.Equal(t, len(want) > 0, len(scanned(t, v, space, "\xff", "")) == 2, "%q", space)
			_, err := v.Get(space, []byte("absent"))
			require.ErrorIs(t, err, persistence.ErrNotFound)
		}
	}
	check("")
	epoch := activate(t, s, "a")
	b := &persistence.Batch{}
	for _, key := range keys {
		b.Delete([]byte(key))
	}
	require.NoError(t, commit(t, s, "a", epoch, b))
	check("a")
}

func epochsAreTheirOwn(t *testing.T, open Database) {
	s := opened(t, open)
	epochs := map[persistence.Space]persistence.Epoch{}
	for _, space := range similar {
		epochs[space] = activate(t, s, space)
	}
	newer := activate(t, s, "a")
	for _, space := range similar {
		err := commit(t, s, space, epochs[space], puts("k", "v"))
		if space == "a" {
			require.ErrorIs(t, err, persistence.ErrFenced)
			continue
		}
		require.NoError(t, err, "%q", space)
	}
	put(t, s, "a", newer, "k", "v")
}

// manySpacesAtOnce: hundreds of teams write concurrently, each waiting for its
// answers, while one of them is fenced repeatedly.
func manySpacesAtOnce(t *testing.T, open Database) {
	s := opened(t, open)
	const spaces, batches = 200, 10
	name := func(i int) persistence.Space { return persistence.Space(fmt.Sprintf("team %d", i)) }
	ctx := context.Background()
	var all sync.WaitGroup
	for i := range spaces {
		all.Go(func() {
			epoch, err := s.Activate(ctx, name(i))
			for j := 0; j < batches && err == nil; j++ {
				err = persistence.Commit(ctx, s, name(i), epoch, puts("n", fmt.Sprint(j), fmt.Sprint(j), ""))
			}
			if err != nil {
				t.Errorf("%s: %v", name(i), err)
			}
		})
	}
	for range 20 {
		activate(t, s, "restless")
	}
	all.Wait()
	v := viewed(t, s)
	for i := range spaces {
		got := scanned(t, v, name(i), "", "")
		require.Len(t, got, batches+1)
		require.Equal(t, pair{"n", fmt.Sprint(batches - 1)}, got[batches])
	}
}
