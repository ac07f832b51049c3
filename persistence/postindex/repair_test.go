package postindex_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// repair makes the index again and returns the lost posts.
func (m *team) repair() (lost []string) {
	require.NoError(m.t, m.index.Repair(noContext, m.store, space, true, func(problem string) { lost = append(lost, problem) }))
	m.restart(m.store, m.options)
	return lost
}

// keys returns the keys and values of the team.
func (m *team) keys() (keys, values [][]byte) {
	m.view(func(view persistence.View) {
		require.NoError(m.t, view.Scan(space, nil, nil, func(key, value []byte) bool {
			keys, values = append(keys, bytes.Clone(key)), append(values, bytes.Clone(value))
			return true
		}))
	})
	return keys, values
}

// TestDamage changes or removes one key of an index, whichever: either Verify
// says so or queries do not miss it, and after Repair all is as before.
func TestDamage(t *testing.T) {
	store := memory(t)
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		m := &machine{team: newTeam(t, store, tiny)}
		empty(t, store, m.epoch)
		for range rapid.IntRange(3, 8).Draw(t, "batches") {
			m.put(t)
			m.mergeAll()
		}
		keys, values := m.keys()
		i := rapid.IntRange(0, len(keys)-1).Draw(t, "key")
		if strings.HasPrefix(string(keys[i]), "pB") {
			t.Skip("a post")
		}
		batch := &persistence.Batch{}
		if value := slices.Clone(values[i]); len(value) == 0 || rapid.Bool().Draw(t, "remove") {
			batch.Delete(keys[i])
		} else {
			value[rapid.IntRange(0, len(value)-1).Draw(t, "byte")] ^= byte(1 << rapid.IntRange(0, 7).Draw(t, "bit"))
			batch.Put(keys[i], value)
		}
		m.commit(batch)
		m.restart(store, m.options)
		if len(m.verify()) == 0 {
			m.ask(t)
		} else {
			found++
		}
		require.Empty(t, m.repair())
		require.Empty(t, m.verify())
		m.ask(t)
	})
	require.NotZero(t, found)
}

// TestRepairReportsLostPosts: a post that cannot be read is gone, the others
// are not.
func TestRepairReportsLostPosts(t *testing.T) {
	m := newTeam(t, memory(t), tiny)
	f := newForge()
	for range 30 {
		m.put(f.post())
		m.mergeAll()
	}
	keys, _ := m.keys()
	batch := &persistence.Batch{}
	for _, key := range keys {
		if strings.HasPrefix(string(key), "pB") {
			batch.Put(key, []byte("nonsense"))
			break
		}
	}
	m.commit(batch)
	m.restart(m.store, m.options)
	require.NotEmpty(t, m.verify())
	before, _ := m.keys()
	listed := 0
	require.ErrorIs(t, m.index.Repair(noContext, m.store, space, false, func(string) { listed++ }), postindex.ErrLoss)
	require.Equal(t, 1, listed)
	after, _ := m.keys()
	require.Equal(t, before, after, "nothing is changed before the loss is accepted")
	lost := m.repair()
	require.Len(t, lost, 1)
	require.Contains(t, lost[0], "is lost")
	require.Empty(t, m.verify())
	_, count := m.query(&watchpost.PostQuery{})
	require.Equal(t, 29, count)
}

// TestUnfitPosts: a post that can be read but could not be stored is a problem
// like any other, and a lost post is reported.
func TestUnfitPosts(t *testing.T) {
	for name, damage := range map[string]func(value []byte, id watchpost.PostID) []byte{
		"a moment out of range": func(value []byte, _ watchpost.PostID) []byte {
			_, n := binary.Varint(value[1:]) // posted_at is the first
			year5000 := day0.AddDate(2970, 0, 0).Unix()
			return append(binary.AppendVarint(value[:1:1], year5000), value[1+n:]...)
		},
		"an id that is none": func(value []byte, id watchpost.PostID) []byte {
			return bytes.Replace(value, []byte(id), bytes.Repeat([]byte("x"), len(id)), 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := newTeam(t, memory(t), tiny)
			f := newForge()
			var posts []*watchpost.Post
			for range 30 {
				posts = append(posts, f.post())
				m.put(posts[len(posts)-1])
				m.mergeAll()
			}
			keys, values := m.keys()
			batch := &persistence.Batch{}
			for _, p := range []*watchpost.Post{posts[0], posts[29]} { // in a segment, in the buffer
				i := slices.IndexFunc(values, func(v []byte) bool { return bytes.Contains(v, []byte(`"id":"`+p.ID)) })
				batch.Put(keys[i], damage(values[i], p.ID))
			}
			m.commit(batch)
			m.restart(m.store, m.options)
			require.NotEmpty(t, m.verify())
			require.Len(t, m.repair(), 2)
			require.Empty(t, m.verify())
			_, count := m.query(&watchpost.PostQuery{})
			require.Equal(t, 28, count)
		})
	}
}

// TestRepairListsMissingPosts: the index knows of a post whose record is gone, which a
// repair would forget.
func TestRepairListsMissingPosts(t *testing.T) {
	m := newTeam(t, memory(t), tiny)
	f := newForge()
	for range 30 {
		m.put(f.post())
		m.mergeAll()
	}
	keys, _ := m.keys()
	batch := &persistence.Batch{}
	i := slices.IndexFunc(keys, func(key []byte) bool { return bytes.HasPrefix(key, []byte("pB")) })
	batch.Delete(keys[i])
	m.commit(batch)
	m.restart(m.store, m.options)
	require.NotEmpty(t, m.verify())
	var listed []string
	report := func(problem string) { listed = append(listed, problem) }
	require.ErrorIs(t, m.index.Repair(noContext, m.store, space, false, report), postindex.ErrLoss)
	require.Len(t, listed, 1)
	require.Contains(t, listed[0], "its record is missing")
	require.Equal(t, listed, m.repair())
	require.Empty(t, m.verify())
}
