package backup_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/persistence"
	"watchpost/persistence/backup"
	"watchpost/persistence/enginetest"
	"watchpost/persistence/faultstore"
)

// files are Files in memory.
type files struct {
	mu  sync.Mutex
	all map[string][]byte
}

func newFiles() *files { return &files{all: map[string][]byte{}} }

// Put implements backup.Files.
func (f *files) Put(_ context.Context, name string, content []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all[name] = slices.Clone(content)
	return nil
}

// Get implements backup.Files.
func (f *files) Get(_ context.Context, name string) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	content, ok := f.all[name]
	if !ok {
		return nil, backup.ErrFileNotFound
	}
	return slices.Clone(content), nil
}

// List implements backup.Files.
func (f *files) List(_ context.Context, prefix string) ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(f.all)), func(name string) bool { return !strings.HasPrefix(name, prefix) }), nil
}

// fill writes n records that compression cannot shrink away.
func fill(t testing.TB, s persistence.Store, space persistence.Space, prefix string, n int) {
	t.Helper()
	random := rand.NewChaCha8([32]byte{byte(n)})
	for from := 0; from < n; from += 500 {
		enginetest.Commit(t, s, space, func(b *persistence.Batch) {
			for i := from; i < min(n, from+500); i++ {
				value := make([]byte, 1000)
				_, _ = random.Read(value)
				b.Put(fmt.Appendf(nil, "%s%06d", prefix, i), value)
			}
			b.Set(persistence.DirectoryKey{Kind: "owner", Name: string(space) + prefix}, []byte(space))
		})
	}
}

// content is everything in a store but what a restore notes.
func content(t testing.TB, s persistence.Store) map[string]string {
	t.Helper()
	return enginetest.Content(t, s, "restore")
}

var moment = time.Date(2030, 1, 9, 10, 0, 0, 0, time.UTC)

func restored() (time.Time, error) { return moment, nil }

func TestMain(m *testing.M) { enginetest.Main(m) }

// seal seals with the key of these tests.
func seal(content []byte) string {
	m := hmac.New(sha256.New, []byte("of the tests"))
	m.Write(content)
	return hex.EncodeToString(m.Sum(nil))
}

func keys(decrypt func([]byte) ([]byte, error)) backup.Keys {
	return backup.Keys{Decrypt: decrypt, Sealed: func(content []byte, s string) bool { return seal(content) == s }}
}

// restore opens a new store with a backup.
func restore(t *testing.T, f backup.Files, name string, decrypt func([]byte) ([]byte, error)) persistence.Store {
	t.Helper()
	return restoreInto(t, enginetest.Open(t, "badger"), f, name, decrypt)
}

func restoreInto(t *testing.T, s persistence.Store, f backup.Files, name string, decrypt func([]byte) ([]byte, error)) persistence.Store {
	t.Helper()
	name, m, err := backup.Open(t.Context(), f, name, keys(decrypt))
	require.NoError(t, err)
	require.NoError(t, backup.Verify(t.Context(), f, name, m, decrypt))
	require.NoError(t, backup.Restore(t.Context(), f, name, m, decrypt, s, restored))
	require.NoError(t, backup.Check(t.Context(), s))
	at, err := backup.RestoredAt(t.Context(), s)
	require.NoError(t, err)
	require.True(t, at.Equal(moment))
	return s
}

func flip(b []byte) ([]byte, error) {
	out := slices.Clone(b)
	for i := range out {
		out[i] ^= 0x5a
	}
	return out, nil
}

// TestIncremental: an incremental backup has every change since the full one, and
// writes few chunks. It keeps each backup of the set, and a full one shares nothing.
func TestIncremental(t *testing.T) {
	t.Parallel()
	for name, crypt := range map[string]func([]byte) ([]byte, error){"plain": nil, "encrypted": flip} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, s := newFiles(), enginetest.Open(t, "badger")
			fill(t, s, "one", "a", 6000)
			fill(t, s, "two", "b", 10)
			o := backup.Options{Now: moment, Seal: seal, Encrypt: crypt, Recipients: "flip"}
			first, err := backup.Create(t.Context(), s, f, o)
			require.NoError(t, err)
			require.True(t, first.Full)
			require.Greater(t, len(first.Chunks), 10)
			require.Equal(t, len(first.Chunks), first.Written)
			before := content(t, s)

			fill(t, s, "one", "c", 500)
			enginetest.Commit(t, s, "one", func(b *persistence.Batch) {
				b.Delete([]byte("a000017"))
				b.Set(persistence.DirectoryKey{Kind: "owner", Name: "oneb"}, nil)
			})
			o.Now = moment.Add(time.Hour)
			second, err := backup.Create(t.Context(), s, f, o)
			require.NoError(t, err)
			require.False(t, second.Full)
			require.Less(t, second.Written, len(second.Chunks)/2)
			after := content(t, s)
			require.NotEqual(t, before, after)

			require.Equal(t, after, content(t, restore(t, f, "", crypt)), "the newest")
			require.Equal(t, before, content(t, restore(t, f, first.Name, crypt)))

			o.Full, o.Now = true, moment.Add(2*time.Hour)
			third, err := backup.Create(t.Context(), s, f, o)
			require.NoError(t, err)
			require.Equal(t, len(third.Chunks), third.Written)
			names, err := backup.Backups(t.Context(), f)
			require.NoError(t, err)
			require.Equal(t, []string{first.Name, second.Name, third.Name}, names)
			if crypt != nil {
				_, _, err := backup.Open(t.Context(), f, "", keys(nil))
				require.ErrorContains(t, err, "give the identity")
			}
		})
	}
}

// TestIncrementalBuildsOnWholeChunks: a chunk of the set that is missing or has other
// contents is written again, so that every backup of the set can be restored.
func TestIncrementalBuildsOnWholeChunks(t *testing.T) {
	t.Parallel()
	for name, crypt := range map[string]func([]byte) ([]byte, error){"plain": nil, "encrypted": flip} {
		for _, sums := range []string{"sums", "no sums", "damaged sums"} {
			t.Run(name+", "+sums, func(t *testing.T) {
				t.Parallel()
				f, s := newFiles(), enginetest.Open(t, "badger")
				fill(t, s, "one", "a", 2000)
				o := backup.Options{Now: moment, Seal: seal, Encrypt: crypt, Recipients: "flip"}
				first, err := backup.Create(t.Context(), s, f, o)
				require.NoError(t, err)
				want := content(t, s)
				chunks, err := f.List(t.Context(), "20300109T100000.000Z-")
				require.NoError(t, err)
				chunks = slices.DeleteFunc(chunks, func(name string) bool { return !strings.Contains(name, "/chunks/") })
				require.Greater(t, len(chunks), 3)
				f.all[chunks[0]][len(f.all[chunks[0]])/2] ^= 1
				delete(f.all, chunks[1])
				f.all[chunks[2]] = f.all[chunks[2]][:9]
				for file := range f.all {
					if strings.HasSuffix(file, ".sums") && sums == "no sums" {
						delete(f.all, file)
					} else if strings.HasSuffix(file, ".sums") && sums == "damaged sums" {
						f.all[file][70] ^= 1
					}
				}
				o.Now = moment.Add(time.Hour)
				second, err := backup.Create(t.Context(), s, f, o)
				require.NoError(t, err)
				require.False(t, second.Full)
				if crypt == nil || sums == "sums" {
					require.Equal(t, 3, second.Written)
					require.Equal(t, 2, second.Mended, "and one that was not listed")
				} else {
					require.Equal(t, len(second.Chunks), second.Written, "what cannot be checked is not trusted")
				}
				require.Equal(t, want, content(t, restore(t, f, second.Name, crypt)))
				require.Equal(t, want, content(t, restore(t, f, first.Name, crypt)))
			})
		}
	}
}

// TestOneMoment: a backup that is made while batches are committed has all of each
// batch or nothing, and every batch that was durable before it began.
func TestOneMoment(t *testing.T) {
	t.Parallel()
	for _, engine := range enginetest.Engines {
		t.Run(engine, func(t *testing.T) { oneMoment(t, engine) })
	}
}

func oneMoment(t *testing.T, engine string) {
	f, s := newFiles(), enginetest.Open(t, engine)
	fill(t, s, "big", "a", 2000)
	put := func(i int) {
		enginetest.Commit(t, s, "pairs", func(b *persistence.Batch) {
			b.Put(fmt.Appendf(nil, "x%d", i), []byte("1"))
			b.Put(fmt.Appendf(nil, "y%d", i), []byte("1"))
			b.Set(persistence.DirectoryKey{Kind: "pair", Name: fmt.Sprint(i)}, []byte("1"))
		})
	}
	for i := range 50 {
		put(i)
	}
	done := make(chan error, 1)
	go func() {
		_, err := backup.Create(context.Background(), s, f, backup.Options{Now: moment, Seal: seal})
		done <- err
	}()
	for i := 50; i < 200; i++ {
		put(i)
	}
	require.NoError(t, <-done)
	// It goes into either engine.
	found := content(t, restore(t, f, "", nil))
	require.Equal(t, found, content(t, restoreInto(t, enginetest.Open(t, "postgres"), f, "", nil)))
	for i := range 200 {
		x, y, d := found[fmt.Sprintf("pairs/x%d", i)], found[fmt.Sprintf("pairs/y%d", i)], found[fmt.Sprintf("pair:%d", i)]
		require.True(t, x == y && y == d, "%d", i)
		require.True(t, i >= 50 || x == "1", "%d", i)
	}
}

// TestDamage: a changed, cut or missing file is found by Verify and by Restore,
// whose target then says that it is unfinished.
func TestDamage(t *testing.T) {
	t.Parallel()
	f, s := newFiles(), enginetest.Open(t, "badger")
	fill(t, s, "one", "a", 1000)
	made, err := backup.Create(t.Context(), s, f, backup.Options{Now: moment, Seal: seal})
	require.NoError(t, err)
	names, err := f.List(t.Context(), "")
	require.NoError(t, err)
	for _, name := range names {
		if strings.HasSuffix(name, ".sums") {
			continue // for the next backup only
		}
		whole := f.all[name]
		middle := slices.Clone(whole)
		middle[len(middle)/2] ^= 1
		for _, damaged := range [][]byte{middle, whole[:len(whole)-1], {}, nil} {
			f.all[name] = damaged
			if damaged == nil {
				delete(f.all, name)
			}
			_, m, err := backup.Open(t.Context(), f, made.Name, keys(nil))
			if err == nil {
				err = backup.Verify(t.Context(), f, made.Name, m, nil)
				to := enginetest.Open(t, "badger")
				require.ErrorIs(t, backup.Restore(t.Context(), f, made.Name, m, nil, to, restored), backup.ErrDamaged)
				require.ErrorIs(t, backup.Check(t.Context(), to), backup.ErrUnfinished)
			}
			require.True(t, errors.Is(err, backup.ErrDamaged) || errors.Is(err, backup.ErrNone) && damaged == nil, "%s: %v", name, err)
		}
		f.all[name] = whole
	}
}

// TestRestoreIntoData is refused, and changes nothing.
func TestRestoreIntoData(t *testing.T) {
	t.Parallel()
	f, s := newFiles(), enginetest.Open(t, "badger")
	fill(t, s, "one", "a", 10)
	made, err := backup.Create(t.Context(), s, f, backup.Options{Now: moment, Seal: seal})
	require.NoError(t, err)
	before := content(t, s)
	require.ErrorIs(t, backup.Restore(t.Context(), f, made.Name, made.Manifest, nil, s, restored), backup.ErrNotEmpty)
	require.Equal(t, before, content(t, s))
	require.NoError(t, backup.Check(t.Context(), s))
	_, _, err = backup.Open(t.Context(), newFiles(), "", keys(nil))
	require.ErrorIs(t, err, backup.ErrNone)
}

// TestRestoreGoesOn: a restore that was interrupted anywhere ends when it is run again
// with the same backup, and the error of another restore names it.
func TestRestoreGoesOn(t *testing.T) {
	t.Parallel()
	f, s := newFiles(), enginetest.Open(t, "badger")
	for i := range 5 {
		fill(t, s, persistence.Space(fmt.Sprint("space-", i)), "a", 10)
	}
	made, err := backup.Create(t.Context(), s, f, backup.Options{Now: moment, Seal: seal})
	require.NoError(t, err)
	fill(t, s, "space-0", "b", 10)
	other, err := backup.Create(t.Context(), s, f, backup.Options{Now: moment.Add(time.Hour), Seal: seal})
	require.NoError(t, err)
	whole := enginetest.Open(t, "badger")
	require.NoError(t, backup.Restore(t.Context(), f, made.Name, made.Manifest, nil, whole, restored))

	for n := 2; ; n++ { // the first commit marks the store
		engine := enginetest.Open(t, "badger")
		broken := faultstore.New(engine)
		broken.FailNth(n, faultstore.Before)
		if backup.Restore(t.Context(), f, made.Name, made.Manifest, nil, broken, restored) == nil {
			require.Greater(t, n, 6, "a commit for each space at least")
			return
		}
		unfinished := backup.Check(t.Context(), engine)
		require.ErrorIs(t, unfinished, backup.ErrUnfinished)
		require.ErrorContains(t, unfinished, made.Name)
		err := backup.Restore(t.Context(), f, other.Name, other.Manifest, nil, engine, restored)
		require.ErrorIs(t, err, backup.ErrUnfinished)
		require.ErrorContains(t, err, made.Name)
		require.NoError(t, backup.Restore(t.Context(), f, made.Name, made.Manifest, nil, engine, restored))
		require.NoError(t, backup.Check(t.Context(), engine))
		require.Equal(t, content(t, whole), content(t, engine))
	}
}
