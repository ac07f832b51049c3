package actors_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors/actorstest"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// BenchmarkLargeTeamDeletion deletes a team of a store where others have 200,000 entries in the
// directory.
func BenchmarkLargeTeamDeletion(b *testing.B) {
	const entries, atOnce = 200_000, 1000
	engine := actorstest.Engine(b)
	const other persistence.Space = "others"
	epoch, err := engine.Activate(b.Context(), other)
	require.NoError(b, err)
	for n := 0; n < entries; n += atOnce {
		batch := &persistence.Batch{}
		for i := n; i < n+atOnce; i++ {
			batch.Set(persistence.DirectoryKey{Kind: teamspace.DirToken, Name: fmt.Sprint(i)}, teamspace.Encode(teamspace.OwnerEntry{}))
		}
		require.NoError(b, persistence.Commit(b.Context(), engine, other, epoch, batch))
	}
	w := actorstest.New(b, actorstest.On(engine))
	b.ResetTimer()
	for range b.N {
		b.StopTimer()
		team := w.CreateTeam(b, watchpost.PlanUltimate)
		b.StartTimer()
		require.NoError(b, w.Registry.DeleteTeam(w.Context(), team.ID))
	}
}
