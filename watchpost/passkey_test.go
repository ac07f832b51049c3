package watchpost_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

func TestPasskeyCounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before, now uint32
		want        bool
	}{{0, 0, true}, {0, 1, true}, {1, 2, true}, {1, 9, true}, {2, 2, false}, {2, 1, false}, {2, 0, false}} {
		require.Equal(t, c.want, watchpost.PasskeyCounts(c.before, c.now), "%d after %d", c.now, c.before)
	}
}

func TestPasskeyName(t *testing.T) {
	t.Parallel()
	name, err := watchpost.PasskeyName("  Ada's   phone ")
	require.NoError(t, err)
	require.Equal(t, "Ada's phone", name)
	for _, bad := range []string{"", " ", "a\u202eb", "a\x00b", strings.Repeat("é", 61)} {
		_, err := watchpost.PasskeyName(bad)
		require.Equal(t, watchpost.Invalid, watchpost.KindOf(err), "%q", bad)
	}
}
