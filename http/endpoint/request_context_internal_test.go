package endpoint

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type contextName struct{}

// started returns a context of an exchange, and the end of its parent.
func started(bound time.Duration) (*RequestState, context.CancelFunc) {
	parent, cancel := context.WithCancel(context.WithValue(context.Background(), contextName{}, "of the parent"))
	x := &RequestState{}
	x.ctx.begin(parent, x)
	if bound != 0 {
		x.ctx.bound(bound)
	}
	return x, cancel
}

func TestRequestContext(t *testing.T) {
	t.Parallel()
	t.Run("nobody waits", func(t *testing.T) {
		x, cancel := started(time.Hour)
		defer cancel()
		require.NoError(t, x.ctx.Err())
		require.Equal(t, "of the parent", x.ctx.Value(contextName{}))
		require.Same(t, x, StateOf(&x.ctx))
		deadline, ok := x.ctx.Deadline()
		require.True(t, ok)
		require.WithinDuration(t, time.Now().Add(time.Hour), deadline, time.Minute)
		require.Nil(t, x.ctx.armed, "no timer was made")
		x.ctx.end()
		require.ErrorIs(t, x.ctx.Err(), context.Canceled)
		<-x.ctx.Done()
	})
	t.Run("the deadline passes", func(t *testing.T) {
		x, cancel := started(-time.Second)
		defer cancel()
		require.ErrorIs(t, x.ctx.Err(), context.DeadlineExceeded, "before anybody waits")
		<-x.ctx.Done()
		require.ErrorIs(t, x.ctx.Err(), context.DeadlineExceeded)
		x.ctx.end()
	})
	t.Run("the request goes away", func(t *testing.T) {
		x, cancel := started(time.Hour)
		done := x.ctx.Done()
		cancel()
		<-done
		require.ErrorIs(t, x.ctx.Err(), context.Canceled)
		x.ctx.end()
	})
	t.Run("the exchange ends while a child waits", func(t *testing.T) {
		x, cancel := started(0)
		defer cancel()
		_, bounded := x.ctx.Deadline()
		require.False(t, bounded)
		child, drop := context.WithCancel(&x.ctx)
		defer drop()
		require.Same(t, x, StateOf(child))
		require.Equal(t, "of the parent", child.Value(contextName{}))
		require.NoError(t, child.Err())
		x.ctx.end()
		<-child.Done()
		require.ErrorIs(t, child.Err(), context.Canceled)
	})
	t.Run("an earlier deadline of the request counts", func(t *testing.T) {
		parent, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		x := &RequestState{}
		x.ctx.begin(parent, x)
		x.ctx.bound(time.Hour)
		got, _ := x.ctx.Deadline()
		want, _ := parent.Deadline()
		require.Equal(t, want, got)
		x.ctx.end()
	})
}
