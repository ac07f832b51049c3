// Package enginetest opens empty stores of every engine, for tests of what works with
// any of them.
package enginetest

import (
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/persistence"
	"watchpost/persistence/badger"
	"watchpost/persistence/postgres"
	"watchpost/persistence/postgres/postgrestest"
)

// Engines are the names for Open.
var Engines = []string{"badger", "postgres"}

// server is the PostgreSQL server of the process; nil until a test needs it.
var server struct {
	sync.Mutex
	*postgrestest.Server
}

// Main runs the tests of a package, and ends the server.
func Main(m *testing.M) {
	code := m.Run()
	if server.Server != nil {
		if err := server.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// Open opens an empty store, which is closed with the test.
func Open(t testing.TB, engine string) persistence.Store {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	var s persistence.Store
	if engine == "postgres" {
		opened, err := postgres.Open(t.Context(), postgres.Options{URL: database(t), Logger: log})
		require.NoError(t, err)
		s = opened
	} else {
		opened, err := badger.Open(badger.Options{InMemory: true, Logger: log})
		require.NoError(t, err)
		s = opened
	}
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func database(t testing.TB) string {
	t.Helper()
	server.Lock()
	defer server.Unlock()
	if server.Server == nil {
		started, err := postgrestest.Start("fsync=off")
		require.NoError(t, err)
		server.Server = started
	}
	url, err := server.NewDatabase(t.Context())
	require.NoError(t, err)
	return url
}

// Commit writes a batch to a space under a new epoch.
func Commit(t testing.TB, s persistence.Store, space persistence.Space, change func(*persistence.Batch)) {
	t.Helper()
	epoch, err := s.Activate(t.Context(), space)
	require.NoError(t, err)
	var b persistence.Batch
	change(&b)
	require.NoError(t, persistence.Commit(t.Context(), s, space, epoch, &b))
}

// Content is everything in a store but some spaces: values by "space/key", and by
// "kind:name" of the directory.
func Content(t testing.TB, s persistence.Store, but ...persistence.Space) map[string]string {
	t.Helper()
	view, err := s.View(t.Context())
	require.NoError(t, err)
	defer view.Close()
	all := map[string]string{}
	var spaces []persistence.Space
	require.NoError(t, view.Spaces(func(space persistence.Space) bool {
		spaces = append(spaces, space)
		return true
	}))
	for _, space := range spaces {
		if slices.Contains(but, space) {
			continue
		}
		require.NoError(t, view.Scan(space, nil, nil, func(k, v []byte) bool {
			all[string(space)+"/"+string(k)] = string(v)
			return true
		}))
	}
	kinds, err := view.Kinds()
	require.NoError(t, err)
	for _, kind := range kinds {
		require.NoError(t, view.ScanDirectory(kind, "", func(name string, v []byte) bool {
			all[kind+":"+name] = string(v)
			return true
		}))
	}
	return all
}
