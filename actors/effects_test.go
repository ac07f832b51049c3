package actors_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors/actorstest"
	"watchpost/watchpost"
)

// TestEffectBeforeTheAccountIsKnown checks that a like requested before the
// member's account was known is in force for later requests too, while it still
// waits.
func TestEffectBeforeTheAccountIsKnown(t *testing.T) {
	t.Parallel()
	for name, input := range map[watchpost.TaskType]string{watchpost.TaskLikePost: likeOf, watchpost.TaskConnectionRequest: inviteOf} {
		t.Run(string(name), func(t *testing.T) {
			t.Parallel()
			w := actorstest.New(t)
			team := w.CreateTeam(t, watchpost.PlanGrowth)
			first := created(t, team, request(name, input))
			s := team.Session(t, "ada")
			s.Account.SignedIn = false // known, and handed nothing
			s.Connect()
			s.ExpectNone()
			wantPending(t, team, first, watchpost.PendingPaused)
			for range 2 {
				require.Equal(t, first, created(t, team, request(name, input)))
				w.Crash()
			}
			s.Account.SignedIn = true
			s.Connect()
			s.Finish(s.ExpectTask(first))
			s.ExpectNone()
			require.Equal(t, first, created(t, team, request(name, input)))
		})
	}
	t.Run("but not when it failed", func(t *testing.T) {
		t.Parallel()
		w := actorstest.New(t)
		team := w.CreateTeam(t, watchpost.PlanGrowth)
		first := created(t, team, request(watchpost.TaskLikePost, likeOf))
		w.Advance(watchpost.TaskExpiry)
		wantFailure(t, team.Status(t, first), "expired", true)
		s := team.Session(t, "ada").Connect()
		s.ExpectNone()
		second := created(t, team, request(watchpost.TaskLikePost, likeOf))
		require.NotEqual(t, first, second)
		s.Finish(s.ExpectTask(second))
	})
}
