package cluster

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// bubble is a Machine with the clock of a synctest bubble.
type bubble struct{ started time.Time }

// SinceBoot implements Machine.
func (b bubble) SinceBoot() time.Duration { return time.Hour + time.Since(b.started) }

// Turn implements Machine.
func (bubble) Turn(string) {}

// silentSession is a database whose sessions stop answering. Then the next renewal gets its
// answer when the session has been given up.
type silentSession struct {
	silentJoin
	serves  func() bool
	given   chan struct{}
	slow    bool
	silent  atomic.Bool
	outlast atomic.Bool // the node served when it gave the session up
}

// Session implements Database.
func (d *silentSession) Session(context.Context) (Session, error) {
	if d.silent.Load() {
		return nil, context.DeadlineExceeded
	}
	return answering{d: d}, nil
}

// Renew implements Database.
func (d *silentSession) Renew(ctx context.Context, r Renewal) (Renewed, error) {
	if d.slow && d.silent.Load() {
		select {
		case <-d.given:
		case <-ctx.Done():
			return Renewed{}, ctx.Err()
		}
	}
	return d.silentJoin.Renew(ctx, r)
}

// answering is a session of it.
type answering struct {
	freeSession
	d *silentSession
}

// Ping implements Session.
func (s answering) Ping(ctx context.Context) error {
	s.d.silent.Store(true)
	<-ctx.Done()
	s.d.outlast.Store(s.d.serves())
	close(s.d.given)
	return ctx.Err()
}

// TestLeaseEndsBeforeTheSession: a node that gives up the session that holds its lock serves
// nothing by then, and no renewal that was under way changes that: with the lock free, others
// may remove it.
func TestLeaseEndsBeforeTheSession(t *testing.T) {
	t.Parallel()
	for name, slow := range map[string]bool{"renewals pass": false, "a renewal is under way": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := &silentSession{silentJoin: silentJoin{joins: 1}, given: make(chan struct{}), slow: slow}
				n := New(Options{
					Database: d, Machine: bubble{time.Now()}, ID: "a:1", Log: slog.New(slog.DiscardHandler), Teams: func() int { return 0 },
					Release:   func(context.Context, func(string) bool) error { return nil },
					Transient: func(error) bool { return true },
				})
				serves := func() bool { return n.Serves("0") }
				d.serves = serves
				require.NoError(t, n.Join(t.Context()))
				require.True(t, serves())
				<-d.given
				require.False(t, d.outlast.Load())
				synctest.Wait()
				require.False(t, serves(), "it has no session")
				d.silent.Store(false)
				time.Sleep(DefaultTTL / renewals)
				require.True(t, serves())
				require.NoError(t, n.Close(t.Context()))
			})
		})
	}
}
