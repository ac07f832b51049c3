package migrate_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/persistence"
	"watchpost/persistence/enginetest"
	"watchpost/persistence/faultstore"
	"watchpost/persistence/migrate"
)

// put writes the records that a text describes: a first byte chooses the space or kind,
// and the rest up to the next line are key and value.
func put(t *testing.T, s persistence.Store, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		name, rest := line[0]%8, strings.TrimSuffix(line[1:], "\n")
		key, value, _ := strings.Cut(rest, "=")
		if key == "" {
			key = "k"
		}
		enginetest.Commit(t, s, persistence.Space('a'+rune(name)), func(b *persistence.Batch) {
			switch {
			case name < 5:
				b.Put([]byte(key), []byte(value))
			case name < 7:
				b.Set(persistence.DirectoryKey{Kind: string(rune('a' + name)), Name: key}, []byte(value))
			default:
				b.Delete([]byte(key))
			}
		})
	}
}

// FuzzCopy: whatever the source has, what an unfinished copy has left, and which commit
// fails, written or not, the target says that it is unfinished until it equals the
// source. A copy of equal content writes nothing.
func FuzzCopy(f *testing.F) {
	f.Add("", "", uint(0), false)
	f.Add("ak=v\nbk=v\nfk=v\n", "ak=w\nck=v\ngk=v\n", uint(2), true)
	f.Add("a\x00=\nb\xff=\n\x05=x\nb\xff=2\n", "b\xff=2\n", uint(3), false)
	f.Fuzz(func(t *testing.T, source, left string, fails uint, written bool) {
		if len(source)+len(left) > 4096 || strings.Count(source+left, "\n") > 64 {
			return
		}
		ctx := t.Context()
		from, to := enginetest.Open(t, "badger"), enginetest.Open(t, "badger")
		put(t, from, source)
		_, err := migrate.Copy(ctx, enginetest.Open(t, "badger"), to, silent)
		require.NoError(t, err) // not finished
		put(t, to, left)

		broken := faultstore.New(to)
		fault := faultstore.Before
		if written {
			fault = faultstore.After
		}
		broken.FailNth(int(fails%8), fault)
		before := enginetest.Content(t, to)
		want := enginetest.Content(t, from)
		if _, err := migrate.Copy(ctx, from, broken, silent); err != nil {
			require.ErrorIs(t, err, faultstore.ErrInjected)
			for key, value := range enginetest.Content(t, to) { // a record is that of before, or that of the source
				require.Contains(t, []string{before[key], want[key]}, value)
			}
			_, err = migrate.Copy(ctx, from, to, silent)
			require.NoError(t, err)
		}
		require.ErrorIs(t, migrate.Check(ctx, to), migrate.ErrUnfinished)
		got := enginetest.Content(t, to)
		maps.DeleteFunc(got, func(key, _ string) bool { return strings.HasPrefix(key, "migrate:") })
		require.Equal(t, want, got)
		sum, err := migrate.Copy(ctx, from, to, silent)
		require.NoError(t, err)
		require.Zero(t, sum.Written)
		require.NoError(t, migrate.Finish(ctx, to))
		require.NoError(t, migrate.Check(ctx, to))
		require.Equal(t, want, enginetest.Content(t, to))
		require.Equal(t, want, enginetest.Content(t, from))
	})
}
