package cluster

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"watchpost/persistence/postgres"
)

// TestHandedOverOneByOne: a node that joins serves the names that it asks for, while
// the last owner has not ended with the others.
func TestHandedOverOneByOne(t *testing.T) {
	t.Parallel()
	url := database(t, server)
	held, goOn := make(chan struct{}), make(chan struct{})
	reached := sync.OnceFunc(func() { close(held) })
	var joined atomic.Bool
	var released []string
	a := New(Options{
		Config: configOf(t, url), ID: "a:1", Build: "test", TTL: longTTL, Log: slog.New(slog.DiscardHandler), Transient: postgres.Transient, Teams: func() int { return 0 },
		Release: func(_ context.Context, serves func(string) bool) error {
			for i := range names {
				if joined.Load() && !serves(fmt.Sprint(i)) {
					reached()
					<-goOn
				}
			}
			return nil
		},
		ReleaseName: func(_ context.Context, name string) error { released = append(released, name); return nil },
	})
	require.NoError(t, a.Join(t.Context()))
	defer func() { require.NoError(t, a.Close(t.Context())) }()
	proceed := sync.OnceFunc(func() { close(goOn) })
	defer proceed()
	await(t, "the first serves all", func() bool { return covered(t, testNode{served: a.served}) })

	joined.Store(true)
	b, _ := here(t, url, "b:1", longTTL)
	<-held
	moves, stays := "", ""
	for i := range names {
		place, _ := b.Place(fmt.Sprint(i))
		require.False(t, place.Here)
		if place.Owner == b.ID() {
			require.Equal(t, a.ID(), place.From)
			moves = fmt.Sprint(i)
		} else {
			stays = fmt.Sprint(i)
		}
	}
	place, _ := b.Place(moves)
	require.NoError(t, a.HandOver(t.Context(), moves, b.ID(), place.View))
	require.Equal(t, []string{moves}, released)
	require.False(t, a.Serves(moves))
	require.False(t, b.Serves(moves), "not before it is told")
	require.False(t, b.TakeOver(moves, place.View-1), "it has asked under this view")
	require.False(t, b.TakeOver(stays, place.View), "it belongs to the other")
	require.True(t, b.TakeOver(moves, place.View))
	require.True(t, b.Serves(moves))
	require.ErrorIs(t, a.HandOver(t.Context(), stays, b.ID(), place.View), ErrNotHandedOver)

	b.Activated(moves)
	b.Activated(moves)
	a.Activated(stays)
	require.Equal(t, 1.0, testutil.ToFloat64(b.metrics.takeovers))
	require.Zero(t, testutil.ToFloat64(a.metrics.takeovers))
	proceed()
	await(t, "each serves its share", func() bool { return covered(t, testNode{served: a.served}, testNode{served: b.served}) })
	require.True(t, b.Serves(moves))
}

// TestNextView: a view with the same members moves no name, and every node is at it soon.
func TestNextView(t *testing.T) {
	t.Parallel()
	url := database(t, server)
	a, nodeA := here(t, url, "a:1", longTTL)
	b, nodeB := here(t, url, "b:1", longTTL)
	await(t, "each serves its share", func() bool { return covered(t, nodeA, nodeB) && !covered(t, nodeA) })
	before := a.served()
	place, _ := a.Place("1")
	require.NoError(t, a.NextView(t.Context()))
	await(t, "both are at the next view", func() bool {
		atA, _ := a.Place("1")
		atB, _ := b.Place("1")
		require.Equal(t, before, a.served())
		return atA.View > place.View && atA.View == atB.View
	})
}
