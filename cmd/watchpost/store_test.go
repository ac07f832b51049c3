package main

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/http/admin"
	"watchpost/persistence"
	"watchpost/persistence/backup"
	"watchpost/persistence/badger"
	"watchpost/persistence/enginetest"
	"watchpost/persistence/format"
)

// TestUnfinishedRestoreIsRefused by every command that reads or writes the store of a
// stopped service: it has a part of the teams, and nothing else tells.
func TestUnfinishedRestoreIsRefused(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s, err := openFolder(badger.Options{Dir: filepath.Join(data, "store"), Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	enginetest.Commit(t, s, format.Space, func(b *persistence.Batch) {
		b.Set(persistence.DirectoryKey{Kind: "restore", Name: "unfinished"}, []byte{})
	})
	require.NoError(t, s.Close())
	at := upkeepFlags{Data: data}
	for name, command := range map[string]interface{ Run(context.Context) error }{
		"verify":    &verifyCommand{upkeepFlags: at},
		"repair":    &verifyCommand{upkeepFlags: at, Repair: true},
		"reprocess": &reprocessCommand{upkeepFlags: at},
		"migrate":   &migrateCommand{From: data, To: t.TempDir()},
	} {
		require.ErrorIs(t, command.Run(t.Context()), backup.ErrUnfinished, name)
	}
	found, err := examineStopped(t.Context(), &serveCommand{Data: data, Listen: "127.0.0.1:0"})
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(found, func(f admin.Finding) bool { return strings.Contains(f.Found, "unfinished restore") }), "%+v", found)
}

// TestStoreURL: --store takes a PostgreSQL connection string only, and an error
// names the flag but not the password.
func TestStoreURL(t *testing.T) {
	for _, url := range []string{"mysql://ada:secret@127.0.0.1/db", "/var/lib/watchpost", "postgres://ada:secret@127.0.0.1:1/db"} {
		_, err := openStore(t.Context(), t.TempDir(), url, slog.New(slog.DiscardHandler), 0)
		require.ErrorContains(t, err, "--store: ")
		require.NotContains(t, err.Error(), "secret")
	}
}
