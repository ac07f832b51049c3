package watchpost_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

func TestFreshlySignedIn(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	require.True(t, watchpost.FreshlySignedIn(at, at))
	require.True(t, watchpost.FreshlySignedIn(at, at.Add(15*time.Minute-time.Second)))
	require.False(t, watchpost.FreshlySignedIn(at, at.Add(15*time.Minute)))
}

func TestNormalizeDomain(t *testing.T) {
	t.Parallel()
	domain, ok := watchpost.NormalizeDomain(" Acme.Example ")
	require.True(t, ok)
	require.Equal(t, "acme.example", domain)
	for _, bad := range []string{"", "localhost", "acme", "@acme.example", "ada@acme.example", "acme..example", "*.example", "-a.example", ".example"} {
		_, ok := watchpost.NormalizeDomain(bad)
		require.False(t, ok, bad)
	}
	require.Equal(t, "acme.example", watchpost.DomainOf("ada@acme.example"))
}

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
