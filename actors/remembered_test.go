package actors

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors/cache"
	"watchpost/watchpost"
)

func TestKeyCacheForgetsReplacedKeys(t *testing.T) {
	t.Parallel()
	c := cache.NewKeys()
	old, other := cache.DigestOf("old"), cache.DigestOf("other")
	_, known, drops := c.Find(old)
	require.False(t, known)
	c.Remember(old, cache.Holder{Team: "team"}, time.Time{}, drops)
	c.Remember(other, cache.Holder{Team: "other team"}, time.Time{}, drops)
	team, known, _ := c.Find(old)
	require.True(t, known)
	require.Equal(t, watchpost.TeamID("team"), team.Team)

	c.Drop("team")
	_, known, _ = c.Find(old)
	require.False(t, known)
	_, known, _ = c.Find(other)
	require.True(t, known)

	t.Run("what was looked up before is not remembered after", func(t *testing.T) {
		_, _, before := c.Find(old)
		c.Drop("team")
		c.Remember(old, cache.Holder{Team: "team"}, time.Time{}, before)
		_, known, _ := c.Find(old)
		require.False(t, known)
	})
}

func TestFinishedTasksAreBoundedAndPrivate(t *testing.T) {
	t.Parallel()
	f := newFinishedTasks()
	output := []byte(strings.Repeat("x", 64<<10))
	const many = 200
	for i := range many {
		f.remember("a", TaskView{ID: watchpost.TaskID(strconv.Itoa(i)), Output: output})
	}
	require.LessOrEqual(t, f.bytes, maxFinishedBytes)
	_, known := f.find("a", "0")
	require.False(t, known, "the oldest is forgotten first")
	_, known = f.find("a", watchpost.TaskID(strconv.Itoa(many-1)))
	require.True(t, known)
	_, known = f.find("b", watchpost.TaskID(strconv.Itoa(many-1)))
	require.False(t, known, "another team's")

	t.Run("once more", func(t *testing.T) {
		before := f.bytes
		f.remember("a", TaskView{ID: watchpost.TaskID(strconv.Itoa(many - 1)), Output: output[:10]})
		require.Less(t, f.bytes, before)
		require.Len(t, f.order, len(f.tasks))
	})
}
