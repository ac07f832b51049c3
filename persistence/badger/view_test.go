package badger

import (
	"fmt"
	"io"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/persistence"
)

// TestCloseWaitsForReads: a read that is under way when the store closes ends
// before its files are unmapped, with an error, and later ones fail.
func TestCloseWaitsForReads(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, Options{Dir: t.TempDir(), Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	epoch := mustActivate(t, s, "team")
	for i := range 10 {
		put(t, s, "team", epoch, fmt.Sprint(i), "value")
	}
	v, err := s.View(t.Context())
	require.NoError(t, err)
	idle, err := s.View(t.Context())
	require.NoError(t, err)

	within, goOn := make(chan struct{}), make(chan struct{})
	read := make(chan error, 1)
	seen := 0
	go func() {
		read <- v.Scan("team", nil, nil, func(_, value []byte) bool {
			if seen++; seen == 1 {
				close(within)
				<-goOn
			}
			return string(value) == "value" // touches the mapped file
		})
	}()
	<-within
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	for { // until the closing store refuses reads
		_, err := v.Get("team", []byte("1"))
		if err != nil {
			require.ErrorIs(t, err, persistence.ErrClosed)
			break
		}
	}
	select {
	case <-closed:
		require.FailNow(t, "the store closed under a read")
	default:
	}
	close(goOn)
	require.ErrorIs(t, <-read, persistence.ErrClosed)
	require.Equal(t, 1, seen, "a long read ends early")
	require.NoError(t, <-closed)

	_, err = idle.Get("team", []byte("1"))
	require.ErrorIs(t, err, persistence.ErrClosed)
	require.ErrorIs(t, idle.Scan("team", nil, nil, func(_, _ []byte) bool { return true }), persistence.ErrClosed)
	_, err = s.View(t.Context())
	require.ErrorIs(t, err, persistence.ErrClosed)
	idle.Close()
	v.Close()
}
