package postgres

import (
	"context"
	"fmt"
	"os"
	"testing"

	"watchpost/persistence"
	"watchpost/persistence/postgres/postgrestest"
	"watchpost/persistence/storetest"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// server serves all tests of the package but those that stop one.
var server *postgrestest.Server

func TestMain(m *testing.M) {
	var err error
	if server, err = postgrestest.Start("max_connections=300", "fsync=off"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if err := server.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(code)
	}), goleak.IgnoreCurrent())
}

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t testing.TB) storetest.Database {
		url := newDatabase(t, server) + "&pool_max_conns=60" // a test opens 50 views
		return func(t testing.TB) persistence.Store { return mustOpen(t, url) }
	})
}

func newDatabase(t testing.TB, s *postgrestest.Server) string {
	t.Helper()
	url, err := s.NewDatabase(context.Background())
	require.NoError(t, err)
	return url
}

// mustOpen opens a store that the caller closes.
func mustOpen(t testing.TB, url string) *Store {
	t.Helper()
	s, err := Open(context.Background(), Options{URL: url})
	require.NoError(t, err)
	return s
}
