package cluster

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// silentJoin is a database that does not answer the first statement that joins, as when its
// machine has gone, and has no other members.
type silentJoin struct {
	Database
	joins  int
	member bool
}

// Session implements Database.
func (*silentJoin) Session(context.Context) (Session, error) { return freeSession{}, nil }

// Renew implements Database.
func (d *silentJoin) Renew(_ context.Context, r Renewal) (Renewed, error) {
	reply := Renewed{Version: 1, Renewed: d.member}
	if d.member {
		reply.Rows = []Row{{Member: Member{ID: r.ID, Seen: 1}}}
	}
	return reply, nil
}

// Join implements Database.
func (d *silentJoin) Join(ctx context.Context, j Joining) (bool, error) {
	if d.joins++; d.joins == 1 {
		<-ctx.Done()
		return false, ctx.Err()
	}
	d.member = j.Session == freeSession{}.ID()
	return d.member, nil
}

// Leave implements Database.
func (*silentJoin) Leave(context.Context, string, string) error { return nil }

// Close implements Database.
func (*silentJoin) Close() {}

// freeSession is a session whose locks no other has.
type freeSession struct{ Session }

// ID implements Session.
func (freeSession) ID() uint32 { return 7 }

// TryLock implements Session.
func (freeSession) TryLock(context.Context, Lock) (bool, error) { return true, nil }

// Listen implements Session.
func (freeSession) Listen(context.Context) error { return nil }

// Notification implements Session.
func (freeSession) Notification(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// Ping implements Session.
func (freeSession) Ping(context.Context) error { return nil }

// Close implements Session.
func (freeSession) Close(context.Context) error { return nil }

// TestJoiningIsBounded: a node whose joining gets no answer tries again. The connection
// alone would show after minutes that the other end has gone.
func TestJoiningIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := New(Options{
			Database: &silentJoin{}, ID: "a:1", Log: slog.New(slog.DiscardHandler), Teams: func() int { return 0 },
			Release:   func(context.Context, func(string) bool) error { return nil },
			Transient: func(error) bool { return true },
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		begun := time.Now()
		require.NoError(t, n.Join(ctx))
		require.Less(t, time.Since(begun), DefaultTTL)
		require.True(t, n.Serves("0"))
		require.NoError(t, n.Close(ctx))
	})
}
