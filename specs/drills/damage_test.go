// Package drills_test has drills that need no process of their own: see RESULTS.md.
package drills_test

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors/actorstest"
	"watchpost/persistence"
	"watchpost/persistence/badger"
)

func TestMain(m *testing.M) { actorstest.Main(m) }

// How a case of the drill may end.
const (
	refused  = "refused"  // the store does not open
	reported = "reported" // some teams fail with an error, all others are whole
	whole    = "whole"
)

// TestDamage damages one file of a store in one way, opens the store and compares
// everything in it with the acknowledged content. WATCHPOST_SEED repeats a run.
func TestDamage(t *testing.T) {
	cases := 30
	if os.Getenv("WATCHPOST_LONG") != "" {
		cases = 1000
	}
	seed := seedOf(t)
	random := rand.New(rand.NewPCG(seed, 1))
	stores := images(t, seed)
	ends := map[string]map[string]int{}
	for n := range cases {
		store := stores[random.IntN(len(stores))]
		dir := store.put(t)
		kind, what := hurt(t, random, store, dir)
		end, err := examine(t, dir, store.want)
		if err != nil {
			t.Errorf("case %d, %s store, %s: silent: %v", n, store.name, what, err)
			end = "silent"
		}
		if ends[kind] == nil {
			ends[kind] = map[string]int{}
		}
		ends[kind][end]++
		require.NoError(t, os.RemoveAll(dir))
	}
	for _, kind := range []string{".sst", ".mem", ".vlog", "MANIFEST", "other"} {
		t.Logf("%-8s %v", kind, ends[kind])
	}
}

// seedOf is that of the run, from WATCHPOST_SEED or a new one.
func seedOf(t *testing.T) uint64 {
	seed := rand.Uint64()
	if given := os.Getenv("WATCHPOST_SEED"); given != "" {
		var err error
		seed, err = strconv.ParseUint(given, 10, 64)
		require.NoError(t, err)
	}
	t.Logf("WATCHPOST_SEED=%d", seed)
	return seed
}

// hurt damages a file of the folder and says how.
func hurt(t *testing.T, random *rand.Rand, store *image, dir string) (kind, what string) {
	kind = []string{".sst", ".sst", ".sst", ".mem", ".mem", "MANIFEST", ".vlog", "other"}[random.IntN(8)]
	var files []imageFile
	for _, f := range store.files {
		if kindOf(f.name) == kind {
			files = append(files, f)
		}
	}
	if len(files) == 0 {
		return hurt(t, random, store, dir) // a closed store has no log
	}
	f := files[random.IntN(len(files))]
	path := filepath.Join(dir, f.name)
	content := append([]byte(nil), f.head...)
	at, size := 0, f.size
	if len(content) > 0 {
		at = random.IntN(len(content))
	}
	switch way := random.IntN(7); {
	case way == 0:
		what = "removed"
		require.NoError(t, os.Remove(path))
		return kind, f.name + " " + what
	case way == 1:
		size = int64(at)
		what = fmt.Sprintf("cut at %d", at)
		content = content[:at]
	case way == 2:
		what = "emptied"
		content, size = nil, 0
	case way == 3 && len(content) > 0:
		n := min(1<<random.IntN(13), len(content)-at)
		what = fmt.Sprintf("%d bytes of zeros at %d", n, at)
		clear(content[at : at+n])
	case way == 4 && len(content) > 0:
		n := min(1<<random.IntN(13), len(content)-at)
		what = fmt.Sprintf("%d random bytes at %d", n, at)
		for i := range n {
			content[at+i] = byte(random.Uint32())
		}
	case len(content) > 0:
		what = fmt.Sprintf("a bit flipped at %d", at)
		content[at] ^= 1 << random.IntN(8)
	}
	require.NoError(t, os.WriteFile(path, content, 0o600))
	require.NoError(t, os.Truncate(path, size))
	return kind, f.name + " " + what
}

// kindOf is the kind of a file.
func kindOf(name string) string {
	if kind := filepath.Ext(name); kind != "" || name == "MANIFEST" {
		return cmp.Or(kind, name)
	}
	return "other"
}

// examine opens a store and compares it with the acknowledged content, then once more
// after a write and a regular close. The error describes silent damage.
func examine(t *testing.T, dir string, want map[string]string) (end string, err error) {
	for range 2 {
		s, err := badger.Open(badger.Options{Dir: dir, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			return refused, nil //nolint:nilerr // to refuse is right
		}
		end, err = compare(t, s, want)
		if err == nil {
			err = writeTo(t, s)
		}
		if err := errors.Join(err, s.Close()); err != nil {
			return "", err
		}
	}
	return end, nil
}

// drillSpace is written to a store that opened; no team has its name.
const drillSpace persistence.Space = "drill"

func writeTo(t *testing.T, s persistence.Store) error {
	epoch, err := s.Activate(t.Context(), drillSpace)
	if err != nil {
		return err
	}
	batch := &persistence.Batch{}
	batch.Put([]byte("key"), []byte("value"))
	return persistence.Commit(t.Context(), s, drillSpace, epoch, batch)
}

// compare reads everything.
func compare(t *testing.T, s persistence.Store, want map[string]string) (end string, err error) {
	view, err := s.View(t.Context())
	require.NoError(t, err)
	defer view.Close()
	got, lost, err := content(view)
	if err != nil {
		return "", err
	}
	end = whole
	if len(lost) > 0 {
		end = reported
	}
	for name, value := range want {
		if given, ok := got[name]; !lost[spaceOf(name)] && (!ok || given != value) {
			return end, fmt.Errorf("%q is missing or another", name)
		}
		delete(got, name)
	}
	for name := range got {
		return end, fmt.Errorf("%q was never written", name)
	}
	return end, nil
}

// spaceOf returns the space of a name in acknowledged; "" for the directory.
func spaceOf(name string) persistence.Space {
	space, _, isPair := strings.Cut(name, "/")
	if !isPair || strings.Contains(space, ":") {
		return ""
	}
	return persistence.Space(space)
}

// content reads everything that a view shows; lost are the spaces that it reports as
// damaged.
func content(view persistence.View) (all map[string]string, lost map[persistence.Space]bool, err error) {
	all, lost = map[string]string{}, map[persistence.Space]bool{}
	var spaces []persistence.Space
	if err := view.Spaces(func(s persistence.Space) bool {
		spaces = append(spaces, s)
		return true
	}); err != nil {
		return nil, nil, err
	}
	for _, space := range spaces {
		if space == drillSpace {
			continue
		}
		err := view.Scan(space, nil, nil, func(key, value []byte) bool {
			all[string(space)+"/"+string(key)] = string(value)
			return true
		})
		if errors.Is(err, persistence.ErrDamaged) && strings.Contains(err.Error(), string(space)) {
			lost[space] = true
		} else if err != nil {
			return nil, nil, err
		}
	}
	kinds, err := view.Kinds()
	if err != nil {
		return nil, nil, err
	}
	for _, kind := range kinds {
		if err := view.ScanDirectory(kind, "", func(name string, value []byte) bool {
			all[kind+":"+name] = string(value)
			return true
		}); err != nil {
			return nil, nil, err
		}
	}
	return all, lost, nil
}
