package backupstore_test

import (
	"net/http/httptest"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"

	"watchpost/internal/backupstore"
	"watchpost/persistence/backup"
)

// TestFiles checks what backup.Files promises, for a folder and for a bucket of a
// local S3 server.
func TestFiles(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	memory := s3mem.New()
	require.NoError(t, memory.CreateBucket("backups"))
	server := httptest.NewServer(gofakes3.New(memory).Server())
	t.Cleanup(server.Close)
	for name, place := range map[string]string{"folder": t.TempDir() + "/new", "s3": "s3+" + server.URL + "/backups/a/b"} {
		t.Run(name, func(t *testing.T) {
			files, err := backupstore.Open(place)
			require.NoError(t, err)
			names, err := files.List(t.Context(), "")
			require.NoError(t, err)
			require.Empty(t, names)
			_, err = files.Get(t.Context(), "set/x")
			require.ErrorIs(t, err, backup.ErrFileNotFound)

			large := make([]byte, 5<<20)
			for i := range large {
				large[i] = byte(i * i >> 7)
			}
			require.NoError(t, files.Put(t.Context(), "set/chunks/1", large))
			require.NoError(t, files.Put(t.Context(), "set/chunks/2", []byte("x")))
			require.NoError(t, files.Put(t.Context(), "other/1", []byte("one")))
			require.NoError(t, files.Put(t.Context(), "other/1", []byte("two")))
			got, err := files.Get(t.Context(), "set/chunks/1")
			require.NoError(t, err)
			require.Equal(t, large, got)
			got, err = files.Get(t.Context(), "set/chunks/2")
			require.NoError(t, err)
			require.Equal(t, "x", string(got))
			got, err = files.Get(t.Context(), "other/1")
			require.NoError(t, err)
			require.Equal(t, "two", string(got))
			names, err = files.List(t.Context(), "set/")
			require.NoError(t, err)
			require.ElementsMatch(t, []string{"set/chunks/1", "set/chunks/2"}, names)
		})
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"", "s3+https://host", "s3+https://", "s3+ftp://host/bucket", "s3+https:///bucket"} {
		_, err := backupstore.Open(place)
		require.ErrorContains(t, err, "want ", place)
	}
}
