package actors_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// TestMembersInvitedByEarlierBuilds: whom a member invited under the rule of earlier builds
// and who never came is asked; whom the operator added, and who came, stays.
func TestMembersInvitedByEarlierBuilds(t *testing.T) {
	t.Parallel()
	w, team, _ := house(t)
	founder := memberOf(t, team, team.Email)
	absent, paired, came, byOperator := team.Member(t, "absent"), team.Member(t, "paired"), team.Member(t, "came"), team.Member(t, "operator")
	team.SessionOf(t, paired, "paired").Connect()
	_, err := signInBy(t, w, came, actors.Choice{})
	require.NoError(t, err)
	// What such a build has stored: no mark, and the audit says who added.
	asEarlier(t, w, team, founder, []string{absent, paired, came})
	w.Crash()
	require.Equal(t, []string{absent}, pendingOf(t, team))
	require.Equal(t, []string{team.Email, paired, came, byOperator}, emails(t, team))
	w.Crash()
	require.Equal(t, []string{absent}, pendingOf(t, team))
	signed, err := signInBy(t, w, absent, actors.Choice{})
	require.NoError(t, err)
	require.NotEqual(t, team.ID, signed.Team.ID, "the address is free")
}

// asEarlier stores a team as a build did that had no invitations: its record without the
// mark, and its audit with the founder as who added the members.
func asEarlier(t *testing.T, w *actorstest.World, team *actorstest.Team, founder watchpost.MemberID, added []string) {
	t.Helper()
	view, err := w.Store.View(w.Context())
	require.NoError(t, err)
	defer view.Close()
	space, batch := persistence.Space(team.ID), &persistence.Batch{}
	record, err := teamspace.Load[teamspace.TeamRecord](view, space, []byte(teamspace.KeyTeam))
	require.NoError(t, err)
	record.Consented = false
	batch.Put([]byte(teamspace.KeyTeam), teamspace.Encode(record))
	require.NoError(t, teamspace.LoadAll(view, space, teamspace.KeyAudit, func(inverted string, e watchpost.AuditEntry) {
		for _, email := range added {
			if e.Kind == watchpost.AuditMemberAdded && e.Subject == email+", member" {
				e.By, e.Email = watchpost.Origin{Member: founder}, team.Email
				batch.Put([]byte(teamspace.KeyAudit+inverted), teamspace.Encode(e))
			}
		}
	}))
	w.Plant(space, batch)
}
