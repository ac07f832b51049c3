package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"watchpost/persistence"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// modelTests: random use of the store agrees with a model made of maps.
var modelTests = map[string]func(t *testing.T, open Database){
	"RandomUse": func(t *testing.T, open Database) {
		// One database serves all runs; each run has its own spaces and kinds.
		m := &machine{tb: t, open: open, store: open(t)}
		rapid.Check(t, func(rt *rapid.T) {
			m.start()
			defer m.closeViews()
			rt.Repeat(map[string]func(*rapid.T){
				"activate": m.activate,
				"submit":   m.submit,
				"view":     m.view,
				"read":     m.read,
				"release":  m.release,
				"reopen":   m.reopen,
			})
			if rapid.IntRange(0, 7).Draw(rt, "reopen at the end") == 0 {
				m.reopenNow(rt)
			}
			m.view(rt)
			m.compare(rt, m.views[len(m.views)-1])
		})
		require.NoError(t, m.store.Close())
	},
}

// model is the contents of a database, as maps.
type model struct {
	spaces    map[persistence.Space]map[string]string
	directory map[persistence.DirectoryKey]string
}

func (m model) clone() model {
	c := model{spaces: map[persistence.Space]map[string]string{}, directory: maps.Clone(m.directory)}
	for space, pairs := range m.spaces {
		c.spaces[space] = maps.Clone(pairs)
	}
	return c
}

// apply writes a batch, or returns ErrConflict and changes nothing.
func (m model) apply(space persistence.Space, b *persistence.Batch) error {
	directory := maps.Clone(m.directory)
	for _, d := range b.Directory {
		current, ok := directory[d.Key]
		expected := d.Expect != nil && ok && current == string(d.Expect) || d.Expect == nil && !ok
		if !d.Always && !expected {
			return persistence.ErrConflict
		}
		delete(directory, d.Key)
		if d.Value != nil {
			directory[d.Key] = string(d.Value)
		}
	}
	clear(m.directory)
	maps.Copy(m.directory, directory)
	for _, w := range b.Writes {
		delete(m.spaces[space], string(w.Key))
		if !w.Delete {
			m.spaces[space][string(w.Key)] = string(w.Value)
		}
	}
	return nil
}

// between returns the pairs of [from, to) in order.
func (m model) between(space persistence.Space, from, to string) []pair {
	var pairs []pair
	for _, key := range slices.Sorted(maps.Keys(m.spaces[space])) {
		if key >= from && (to == "" || key < to) {
			pairs = append(pairs, pair{key, m.spaces[space][key]})
		}
	}
	return pairs
}

// snapshot is an open view and its expected contents.
type snapshot struct {
	view persistence.View
	want model
}

// machine runs the same operations on the store and the model.
type machine struct {
	tb     testing.TB
	open   Database
	store  persistence.Store
	run    int
	spaces []persistence.Space
	kinds  []string
	model  model
	// epochs may write; taken are all that were ever taken.
	epochs map[persistence.Space]persistence.Epoch
	taken  map[persistence.Space][]persistence.Epoch
	views  []snapshot
}

func (m *machine) start() {
	m.run++
	run := fmt.Sprintf("%d", m.run)
	m.spaces = []persistence.Space{persistence.Space(run + "|"), persistence.Space(run + "|a"), persistence.Space(run + "|ab")}
	m.kinds = []string{run + "|k", run + "|kk"}
	m.model = model{spaces: map[persistence.Space]map[string]string{}, directory: map[persistence.DirectoryKey]string{}}
	m.epochs = map[persistence.Space]persistence.Epoch{}
	m.taken = map[persistence.Space][]persistence.Epoch{}
	for _, space := range m.spaces {
		m.model.spaces[space] = map[string]string{}
	}
}

func (m *machine) closeViews() {
	for _, s := range m.views {
		s.view.Close()
	}
	m.views = nil
}

func (m *machine) activate(t *rapid.T) {
	space := rapid.SampledFrom(m.spaces).Draw(t, "space")
	epoch, err := m.store.Activate(m.tb.Context(), space)
	require.NoError(t, err)
	for _, old := range m.taken[space] {
		require.Greater(t, epoch, old)
	}
	m.taken[space] = append(m.taken[space], epoch)
	m.epochs[space] = epoch
}

// submit submits a few batches without waiting in between.
func (m *machine) submit(t *rapid.T) {
	type sent struct {
		want error
		got  chan error
	}
	var all []sent
	for range rapid.IntRange(1, 6).Draw(t, "batches") {
		space := rapid.SampledFrom(m.spaces).Draw(t, "space")
		epochs := append([]persistence.Epoch{0, m.epochs[space]}, m.taken[space]...)
		if current := m.epochs[space]; current != 0 {
			epochs = append(epochs, current, current, current, current)
		}
		epoch := rapid.SampledFrom(epochs).Draw(t, "epoch")
		b := m.batch(t)
		s := sent{want: m.outcome(space, epoch, b), got: make(chan error, 1)}
		m.store.Submit(space, epoch, b, func(err error) { s.got <- err })
		all = append(all, s)
	}
	for i, s := range all {
		if got := <-s.got; !errors.Is(got, s.want) {
			t.Fatalf("batch %d of %d: got %v, want %v", i, len(all), got, s.want)
		}
	}
}

// outcome applies the batch to the model and returns the expected result.
func (m *machine) outcome(space persistence.Space, epoch persistence.Epoch, b *persistence.Batch) error {
	current := epoch != 0 && epoch == m.epochs[space]
	err := b.Check()
	if err == nil && !current {
		err = persistence.ErrFenced
	}
	if err == nil {
		err = m.model.apply(space, b)
	}
	if err != nil && current {
		m.epochs[space] = 0
	}
	return err
}

var (
	keys   = rapid.SampledFrom([]string{"a", "ab", "b", "a\x00", "\x00", "\xff", "\xff\xff", "0", "1", "z"})
	names  = rapid.SampledFrom([]string{"", "a", "b", "\x00", "\xff", "ab"})
	values = rapid.SampledFrom([]string{"", "1", "2", "3", "\x00", string(bytes.Repeat([]byte("long"), 300))})
)

func (m *machine) batch(t *rapid.T) *persistence.Batch {
	b := &persistence.Batch{}
	for range rapid.IntRange(0, 5).Draw(t, "writes") {
		key := []byte(keys.Draw(t, "key"))
		if rapid.IntRange(0, 3).Draw(t, "delete") == 0 {
			b.Delete(key)
		} else {
			b.Put(key, []byte(values.Draw(t, "value")))
		}
	}
	if rapid.IntRange(0, 40).Draw(t, "too large") == 0 {
		b.Put(nil, nil)
	}
	for range rapid.SampledFrom([]int{0, 0, 0, 1, 1, 2}).Draw(t, "directory") {
		key := persistence.DirectoryKey{Kind: rapid.SampledFrom(m.kinds).Draw(t, "kind"), Name: names.Draw(t, "name")}
		write := persistence.DirectoryWrite{Key: key, Always: rapid.IntRange(0, 3).Draw(t, "always") == 0}
		// Mostly expect the present value, or few batches would succeed.
		if current, ok := m.model.directory[key]; ok {
			write.Expect = []byte(current)
		}
		if rapid.IntRange(0, 5).Draw(t, "expect") == 0 {
			write.Expect = []byte(values.Draw(t, "expected"))
		}
		if rapid.IntRange(0, 3).Draw(t, "unset") > 0 {
			write.Value = []byte(values.Draw(t, "entry"))
		}
		b.Directory = append(b.Directory, write)
	}
	return b
}

func (m *machine) view(t *rapid.T) {
	ctx := m.tb.Context()
	if rapid.Bool().Draw(t, "expected") {
		space := rapid.SampledFrom(m.spaces).Draw(t, "of space")
		ctx = persistence.Expect(ctx, space, rapid.SliceOfN(keys, 0, 3).Draw(t, "expected keys")...)
	}
	v, err := m.store.View(ctx)
	require.NoError(t, err)
	m.views = append(m.views, snapshot{v, m.model.clone()})
}

func (m *machine) read(t *rapid.T) {
	if len(m.views) == 0 {
		t.Skip("no view is open")
	}
	m.compare(t, m.views[rapid.IntRange(0, len(m.views)-1).Draw(t, "view")])
}

func (m *machine) release(t *rapid.T) {
	if len(m.views) == 0 {
		t.Skip("no view is open")
	}
	i := rapid.IntRange(0, len(m.views)-1).Draw(t, "view")
	m.views[i].view.Close()
	m.views = slices.Delete(m.views, i, i+1)
}

// reopen is drawn as often as other actions but runs rarely, because it is
// slow.
func (m *machine) reopen(t *rapid.T) {
	if rapid.IntRange(0, 29).Draw(t, "reopen") > 0 {
		t.Skip("not now")
	}
	m.reopenNow(t)
}

func (m *machine) reopenNow(t *rapid.T) {
	m.closeViews()
	require.NoError(t, m.store.Close())
	m.store = m.open(m.tb)
}

func (m *machine) compare(t *rapid.T, s snapshot) {
	for _, space := range m.spaces {
		from, to := "", ""
		if rapid.Bool().Draw(t, "range") {
			from, to = keys.Draw(t, "from"), keys.Draw(t, "to")
		}
		want := s.want.between(space, from, to)
		require.Equal(t, want, scanned(t, s.view, space, from, to))
		key := keys.Draw(t, "key")
		value, err := s.view.Get(space, []byte(key))
		stored, ok := s.want.spaces[space][key]
		require.Equal(t, ok, err == nil, "%v", err)
		require.Equal(t, stored, string(value))
	}
	for _, kind := range m.kinds {
		want, got := map[string]string{}, map[string]string{}
		for key, value := range s.want.directory {
			if key.Kind == kind {
				want[key.Name] = value
			}
		}
		require.NoError(t, s.view.ScanDirectory(kind, "", func(name string, value []byte) bool {
			got[name] = string(value)
			return true
		}))
		require.Equal(t, want, got)
		key := persistence.DirectoryKey{Kind: kind, Name: names.Draw(t, "name")}
		value, err := s.view.Lookup(key)
		stored, ok := s.want.directory[key]
		require.Equal(t, ok, err == nil, "%v", err)
		require.Equal(t, stored, string(value))
	}
}
