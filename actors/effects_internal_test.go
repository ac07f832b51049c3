package actors

import (
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

// TestEffectsInMemory: an entry is dropped when the end of the task that set it
// is durable, unless another task has set it since.
func TestEffectsInMemory(t *testing.T) {
	t.Parallel()
	type call struct {
		key         string
		owner, task watchpost.TaskID
	}
	for name, c := range map[string]struct {
		set     []call
		settled []watchpost.TaskID
		want    map[string]effectEntry
	}{
		"set":             {set: []call{{"like", "1", "1"}}, want: map[string]effectEntry{"like": {"1", "1"}}},
		"settled":         {set: []call{{"like", "1", "1"}}, settled: []watchpost.TaskID{"1"}, want: map[string]effectEntry{}},
		"given up":        {set: []call{{"like", "1", "1"}, {"like", "1", ""}}, want: map[string]effectEntry{"like": {"", "1"}}},
		"settled twice":   {set: []call{{"like", "1", "1"}}, settled: []watchpost.TaskID{"1", "1"}, want: map[string]effectEntry{}},
		"several keys":    {set: []call{{"member", "1", ""}, {"account", "1", "1"}}, settled: []watchpost.TaskID{"1"}, want: map[string]effectEntry{}},
		"another's stays": {set: []call{{"like", "1", ""}, {"like", "2", "2"}}, settled: []watchpost.TaskID{"1"}, want: map[string]effectEntry{"like": {"2", "2"}}},
		"unknown task":    {set: []call{{"like", "1", "1"}}, settled: []watchpost.TaskID{"2"}, want: map[string]effectEntry{"like": {"1", "1"}}},
	} {
		t.Run(name, func(t *testing.T) {
			ef := newTeam(&environment{}, "team").effects
			for _, s := range c.set {
				ef.set(s.key, s.owner, s.task)
			}
			for _, id := range c.settled {
				ef.settled(id)
				require.NotContains(t, ef.keys, id)
			}
			require.Equal(t, c.want, ef.entries)
		})
	}
}

// TestEffectInMemoryWins: an effect is in force before the store shows it.
func TestEffectInMemoryWins(t *testing.T) {
	t.Parallel()
	ef := newTeam(&environment{}, "team").effects
	like := watchpost.Task{
		ID: "1", Type: watchpost.TaskLikePost, Account: "a",
		Input: watchpost.ParseTaskInput([]byte(`{"social_urn":"urn:network:activity:7000000000000000001"}`)),
	}
	effect, ok := like.Effect()
	require.True(t, ok)
	ef.open(like.ID, &effect)
	holder, err := ef.inForce(effect)
	require.NoError(t, err)
	require.Equal(t, like.ID, holder)

	open := &openTask{effect: &effect}
	first, err := ef.duplicate(open, "a")
	require.NoError(t, err)
	require.Equal(t, like.ID, first)
	open.pinned = "a"
	first, err = ef.duplicate(open, "a")
	require.NoError(t, err)
	require.Empty(t, first, "its account was known from the start")
	first, err = ef.duplicate(&openTask{}, "a")
	require.NoError(t, err)
	require.Empty(t, first, "it may be repeated")

	comment := watchpost.Task{ID: "2", Type: watchpost.TaskCommentPost, Input: like.Input}
	_, ok = comment.Effect()
	require.False(t, ok)
	ef.open(comment.ID, nil)
	require.Len(t, ef.entries, 1)
}
