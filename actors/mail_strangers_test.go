package actors_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// TestMailsToStrangers: teams that invite an address share its mails of the day, also after
// a crash and at the same time. The counts of earlier days go.
func TestMailsToStrangers(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	const victim = "victim@corp.example"
	var teams []*actorstest.Team
	for range 8 {
		teams = append(teams, w.CreateTeam(t, watchpost.PlanGrowth))
	}
	invite := func(team *actorstest.Team) {
		made, err := w.Registry.Invite(w.Context(), team.ID, actors.InviteMember{Email: victim, Role: watchpost.RoleMember})
		require.NoError(t, err)
		actorstest.Must[root.Done](t, team, actors.WithdrawInvitation{Invitation: made.ID})
	}
	attack := func() {
		for range 2 {
			for _, team := range teams {
				invite(team)
			}
		}
	}
	// Teams that the address blocks take none of its mails.
	require.NoError(t, w.Registry.BlockInvitations(w.Context(), victim, teams[0].ID, true))
	for range 4 {
		invite(teams[0])
	}
	require.Empty(t, w.Mail.To(victim))
	attack()
	require.Len(t, w.Mail.To(victim), watchpost.MaxStrangerMails)
	w.Crash()
	attack()
	require.Len(t, w.Mail.To(victim), watchpost.MaxStrangerMails)

	// Teams that invite an address at the same time count each other's.
	const other = "other@corp.example"
	var all sync.WaitGroup
	for _, team := range teams {
		all.Go(func() {
			_, err := w.Registry.Invite(w.Context(), team.ID, actors.InviteMember{Email: other, Role: watchpost.RoleMember})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	require.Len(t, w.Mail.To(other), watchpost.MaxStrangerMails)
	for day := range 3 {
		w.Advance(24 * time.Hour)
		for n := range 2 {
			_, err := w.Registry.AddMember(w.Context(), teams[0].ID, actors.AddMember{Email: fmt.Sprintf("a%d-%d@corp.example", day, n), Role: watchpost.RoleMember})
			require.NoError(t, err)
		}
	}
	view, err := w.Store.View(w.Context())
	require.NoError(t, err)
	defer view.Close()
	counts := 0
	require.NoError(t, view.Scan(teamspace.StrangersSpace, nil, nil, func(_, _ []byte) bool {
		counts++
		return true
	}))
	require.Equal(t, 2, counts)
	_, err = view.Get(teamspace.StrangersSpace, teamspace.StrangerKey(watchpost.Daily.Key(w.Clock.Now()), victim))
	require.ErrorIs(t, err, persistence.ErrNotFound, "addresses are hashed")
}
