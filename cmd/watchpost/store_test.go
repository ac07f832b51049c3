package main

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStoreURL: --store takes a PostgreSQL connection string only, and an error
// names the flag but not the password.
func TestStoreURL(t *testing.T) {
	for _, url := range []string{"mysql://ada:secret@127.0.0.1/db", "/var/lib/watchpost", "postgres://ada:secret@127.0.0.1:1/db"} {
		_, err := openStore(t.Context(), t.TempDir(), url, slog.New(slog.DiscardHandler), 0)
		require.ErrorContains(t, err, "--store: ")
		require.NotContains(t, err.Error(), "secret")
	}
}
