package actors_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// TestVoice: the voice of a team survives a crash, is exported, and leaves an entry in the
// audit that says who changed it. Records without one are those of earlier builds.
func TestVoice(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	stored := func() string {
		t.Helper()
		view, err := w.Store.View(t.Context())
		require.NoError(t, err)
		defer view.Close()
		record, err := view.Get(persistence.Space(team.ID), []byte(teamspace.KeyTeam))
		require.NoError(t, err)
		return string(record)
	}
	require.NotContains(t, stored(), "voice")
	member := actorstest.Must[actors.TeamView](t, team, actors.GetTeam{}).Team.Members[0]
	own := root.WithOrigin(w.Context(), watchpost.Origin{Member: member.ID})
	say := func(voice string) {
		t.Helper()
		changed, err := actors.Ask(own, w.Registry, team.ID, actors.UpdateTeam{Patch: watchpost.TeamPatch{Voice: &voice}})
		require.NoError(t, err)
		require.Equal(t, voice, changed.Voice)
	}
	say("Short, no exclamation marks.")
	say("Short, no exclamation marks.")
	name := "Renamed"
	actorstest.Must[watchpost.Team](t, team, actors.UpdateTeam{Patch: watchpost.TeamPatch{Name: &name}})
	w.Crash()
	require.Equal(t, "Short, no exclamation marks.", actorstest.Must[actors.TeamView](t, team, actors.GetTeam{}).Team.Voice)
	var exported watchpost.Team
	require.NoError(t, w.Registry.ExportTeam(w.Context(), team.ID, func(record any) error {
		if of, ok := record.(watchpost.Team); ok {
			exported = of
		}
		return nil
	}))
	require.Equal(t, "Short, no exclamation marks.", exported.Voice)

	log, err := w.Registry.Audit(w.Context(), team.ID, 100)
	require.NoError(t, err)
	voiced := 0
	for _, e := range log {
		require.NotContains(t, e.Subject, "exclamation")
		if e.Kind == watchpost.AuditVoiceChanged {
			voiced++
			require.Equal(t, member.ID, e.By.Member)
		}
	}
	require.Equal(t, 1, voiced, "once for two of the same text")
	say("")
	require.NotContains(t, stored(), "voice")
}
