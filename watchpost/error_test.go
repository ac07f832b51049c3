package watchpost_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

func TestErrors(t *testing.T) {
	t.Parallel()
	plain := watchpost.Errorf(watchpost.NotFound, "List %q not found", "a")
	require.Equal(t, `List "a" not found`, plain.Error())
	wrapped := watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, io.EOF)
	require.Equal(t, watchpost.TextUnavailable, wrapped.Text, "the text for the client does not name the cause")
	require.Equal(t, "Temporarily unavailable, retry later: EOF", wrapped.Error())
	require.ErrorIs(t, wrapped, io.EOF)

	for _, c := range []struct {
		err  error
		want watchpost.Kind
	}{
		{plain, watchpost.NotFound},
		{fmt.Errorf("op: %w", plain), watchpost.NotFound},
		{fmt.Errorf("op: %w", wrapped), watchpost.Unavailable},
		{errors.Join(io.EOF, plain), watchpost.NotFound},
		{watchpost.WrapError(watchpost.Internal, "x", plain), watchpost.Internal},
		{io.EOF, watchpost.Internal},
		{nil, watchpost.Internal},
	} {
		require.Equal(t, c.want, watchpost.KindOf(c.err), "%v", c.err)
	}
}
