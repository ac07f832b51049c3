package watchpost_test

import (
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
