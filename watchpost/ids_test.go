package watchpost_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

func TestNewID(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	var ids []string
	for i := range 1000 {
		at := noon.Add(time.Duration(i) * time.Millisecond)
		id := watchpost.NewID(at)
		require.False(t, seen[id])
		seen[id] = true
		ids = append(ids, id)
		require.True(t, watchpost.ValidID(id))
		parsed := uuid.MustParse(id)
		require.Equal(t, uuid.Version(7), parsed.Version())
		require.Equal(t, uuid.RFC4122, parsed.Variant())
		sec, ns := parsed.Time().UnixTime()
		require.WithinDuration(t, at, time.Unix(sec, ns), time.Millisecond)
	}
	require.True(t, slices.IsSorted(ids), "ids sort by the time of their making")
}

func TestValidID(t *testing.T) {
	t.Parallel()
	good := watchpost.NewID(noon)
	for _, bad := range []string{"", "x", good[1:], good + "0", "{" + good + "}", "urn:uuid:" + good, strings.ReplaceAll(good, "-", ""), strings.ReplaceAll(good, "-", "_"), strings.Repeat("g", 36)} {
		require.False(t, watchpost.ValidID(bad), bad)
	}
}

func TestNewSecret(t *testing.T) {
	t.Parallel()
	require.Len(t, watchpost.NewSecret(32), 64)
	require.NotEqual(t, watchpost.NewSecret(32), watchpost.NewSecret(32))
}
