package actors_test

import (
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/actors/vault"
	"watchpost/persistence/postgres"
	"watchpost/persistence/postgres/postgrestest"
	"watchpost/watchpost"
)

// keyNode is one of two nodes on a database.
type keyNode struct {
	*actorstest.World
	options *actors.Options
	team    *actorstest.Team // the one that it serves
}

// restart ends the node and starts it with other keys: the first, and a second one.
func (n *keyNode) restart(keys ...byte) {
	n.T.Helper()
	k := ring(n.T, keys...)
	require.NoError(n.T, k.Bind(n.Context(), n.Store, n.Now()))
	n.options.Keyring = k
	n.Restart()
}

// rotates requires a pass that leaves some teams to others.
func (n *keyNode) rotates(left int) {
	n.T.Helper()
	got, err := n.Registry.RotateMasterKey(n.Context())
	require.NoError(n.T, err)
	require.Equal(n.T, left, got)
}

// knows requires that the node finds the team of each key, and reveals its own team's.
func (n *keyNode) knows(teams ...*actorstest.Team) {
	n.T.Helper()
	for _, team := range teams {
		of, err := n.Registry.HolderOf(n.Context(), team.Key)
		require.NoError(n.T, err)
		require.Equal(n.T, team.ID, of.Team)
	}
	require.Equal(n.T, n.team.Key, actorstest.Must[actors.APIKey](n.T, n.team, actors.RevealKey{}).Key)
}

// rotation returns what a node with some keys says of a rotation.
func (n *keyNode) rotation(keys ...byte) *vault.Rotation {
	n.T.Helper()
	k := ring(n.T, keys...)
	require.NoError(n.T, k.Check(n.Context(), n.Store))
	found, err := k.Rotation(n.Context(), n.Store)
	require.NoError(n.T, err)
	return found
}

func twoKeyNodes(t *testing.T) (a, b *keyNode) {
	t.Helper()
	server, err := postgrestest.Start("fsync=off")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	engine, err := postgres.Open(t.Context(), postgres.Options{URL: server.URL("postgres"), Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close()) })
	var second atomic.Pointer[watchpost.TeamID] // the team of the second node
	nodes := [2]*keyNode{}
	for i := range nodes {
		n := &keyNode{}
		n.World = actorstest.New(t, actorstest.On(engine), actorstest.With(func(o *actors.Options) {
			n.options = o
			o.Keyring = ring(t, 1)
			o.Serves = func(name string) bool {
				team := second.Load()
				return (i == 1) == (team != nil && name == string(*team))
			}
		}))
		nodes[i] = n
	}
	a, b = nodes[0], nodes[1]
	a.restart(1)
	a.team, b.team = a.CreateTeam(t, watchpost.PlanUltimate), a.CreateTeam(t, watchpost.PlanFree)
	second.Store(&b.team.ID)
	require.NoError(t, a.Registry.Release(a.Context(), func(name string) bool { return name != string(b.team.ID) }))
	b.team = &actorstest.Team{W: b.World, ID: b.team.ID, Key: b.team.Key, Email: b.team.Email}
	return a, b
}

// TestMasterKeyRotationOfTwoNodes: nodes on one database get the keys one after the
// other. At any time both serve all keys, each seals the secrets of its teams again, and
// either of them ends the rotation.
func TestMasterKeyRotationOfTwoNodes(t *testing.T) {
	t.Parallel()
	a, b := twoKeyNodes(t)
	b.restart(1)
	a.restart(1, 2)
	b.restart(1, 2)
	a.rotates(0)
	require.Nil(t, a.rotation(1, 2))

	a.restart(2, 1) // the rotation begins
	a.rotates(1)    // the other node has not begun
	b.rotates(0)
	b.team.Key = actorstest.Must[actors.APIKey](t, b.team, actors.RotateKey{}).Key // sealed with the old key
	a.knows(a.team, b.team)
	b.knows(a.team, b.team)
	require.ErrorIs(t, ring(t, 1).Bind(a.Context(), a.Store, a.Now()), vault.ErrRotating)
	found := a.rotation(2, 1)
	require.WithinDuration(t, actorstest.Start, found.Began, time.Hour)
	require.Equal(t, 25*time.Hour, found.Ends.Sub(found.Began))
	require.Equal(t, 1, found.Teams)
	require.False(t, found.Waiting)
	require.True(t, a.rotation(1, 2).Waiting)
	require.Equal(t, 1, a.rotation(1, 2).Teams)

	b.restart(2, 1)
	b.rotates(0)
	require.Zero(t, b.rotation(2, 1).Teams)
	for _, n := range []*keyNode{a, b} {
		n.Advance(26 * time.Hour)
		n.rotates(0)
		require.Nil(t, n.rotation(2, 1))
		a.knows(a.team, b.team)
		b.knows(a.team, b.team)
	}
	a.restart(2) // the other still has both
	b.knows(a.team, b.team)
	b.restart(2)
	a.knows(a.team, b.team)
	b.knows(a.team, b.team)
	require.ErrorIs(t, ring(t, 1, 2).Bind(a.Context(), a.Store, a.Now()), vault.ErrRetired)
}
