package drills_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"watchpost/persistence/postgres"
	"watchpost/persistence/postgres/postgrestest"
)

// TestDamageInPostgreSQL damages a file of the server that has our records, and compares
// what the store then reads. The server keeps checksums of its pages, as doctor demands.
func TestDamageInPostgreSQL(t *testing.T) {
	cases := 3
	if os.Getenv("WATCHPOST_LONG") != "" {
		cases = 60
	}
	seed := seedOf(t)
	random := rand.New(rand.NewPCG(seed, 2))
	server, err := postgrestest.Start("fsync=off")
	require.NoError(t, err)
	defer func() { require.NoError(t, server.Close()) }()
	url, err := server.NewDatabase(t.Context())
	require.NoError(t, err)
	s, err := postgres.Open(t.Context(), postgres.Options{URL: url, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	known := &acknowledged{all: map[string]string{}}
	work(t, s, known, 0, random)
	require.NoError(t, s.Close())
	files := recordFiles(t, server, url)
	ends := map[string]int{}
	for n := range cases {
		require.NoError(t, server.Stop())
		path := files[random.IntN(len(files))]
		kept, err := os.ReadFile(path)
		require.NoError(t, err)
		var what string
		hurt := append([]byte(nil), kept...)
		switch at := random.IntN(len(hurt)); random.IntN(4) {
		case 0:
			what = "removed"
			require.NoError(t, os.Remove(path))
		case 1:
			count := min(1<<random.IntN(10), len(hurt)-at)
			what = fmt.Sprintf("%d random bytes at %d", count, at)
			for i := range count {
				hurt[at+i] = byte(random.Uint32())
			}
		default:
			what = fmt.Sprintf("a bit flipped at %d", at)
			hurt[at] ^= 1 << random.IntN(8)
		}
		if what != "removed" {
			require.NoError(t, os.WriteFile(path, hurt, 0o600))
		}
		end, err := examinePostgreSQL(t, server, url, known.all)
		if err != nil {
			t.Errorf("case %d, %s %s: silent: %v", n, path, what, err)
			end = "silent"
		}
		ends[end]++
		require.NoError(t, server.Stop())
		restoreFile(t, path, kept)
		require.NoError(t, server.Run())
	}
	t.Logf("PostgreSQL %v", ends)
}

// recordFiles are the files of our tables, with their indexes and large values.
func recordFiles(t *testing.T, server *postgrestest.Server, url string) (files []string) {
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(context.Background())) }()
	rows, err := conn.Query(t.Context(), `
		WITH ours AS (SELECT oid, reltoastrelid FROM pg_class WHERE relname IN ('pair', 'directory', 'space'))
		SELECT pg_relation_filepath(c.oid) FROM pg_class c WHERE pg_relation_size(c.oid) > 0 AND (
			c.oid IN (SELECT oid FROM ours) OR c.oid IN (SELECT reltoastrelid FROM ours)
			OR c.oid IN (SELECT indexrelid FROM pg_index WHERE indrelid IN (SELECT oid FROM ours UNION SELECT reltoastrelid FROM ours)))`)
	require.NoError(t, err)
	var name string
	_, err = pgx.ForEachRow(rows, []any{&name}, func() error {
		files = append(files, server.Path(name))
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, len(files), 3)
	return files
}

// restoreFile puts a file back, which belongs to the owner of its folder.
func restoreFile(t *testing.T, path string, content []byte) {
	require.NoError(t, os.WriteFile(path, content, 0o600))
	if os.Geteuid() == 0 {
		chownAsFolder(t, path)
	}
}

// examinePostgreSQL starts the server and compares everything in it.
func examinePostgreSQL(t *testing.T, server *postgrestest.Server, url string, want map[string]string) (end string, err error) {
	require.NoError(t, server.Run())
	s, err := postgres.Open(t.Context(), postgres.Options{URL: url, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return refused, nil
	}
	defer func() { require.NoError(t, s.Close()) }()
	view, err := s.View(t.Context())
	if err != nil {
		return refused, nil
	}
	defer view.Close()
	got, _, err := content(view)
	if err != nil {
		return reported, nil
	}
	for name, value := range want {
		if given, ok := got[name]; !ok || given != value {
			return "", fmt.Errorf("%q is missing or another", name)
		}
	}
	require.Len(t, got, len(want))
	return whole, nil
}
