package actors_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/watchpost"
)

// TestReadsOfOneAccount: what depends on who looks runs on the account of the
// member who acts, or of the one who is named, and waits for it.
func TestReadsOfOneAccount(t *testing.T) {
	t.Parallel()
	for _, kind := range []watchpost.TaskType{watchpost.TaskConnectionsFetch, watchpost.TaskProfilesSearch} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			w, team, ada := house(t)
			email := team.Member(t, "bob")
			bob := team.SessionOf(t, email, "bob").Connect()
			of := func(email *string) watchpost.TaskID {
				request := actorstest.NewTask(kind)
				request.Email = email
				return actorstest.Must[actors.TaskCreated](t, team, request).ID
			}
			for range 4 { // the least used account would be the other's in turn
				ada.Finish(ada.ExpectTask(of(nil)))
				bob.ExpectNone()
			}
			bob.Finish(bob.ExpectTask(of(&email)))
			ada.ExpectNone()

			ada.Drop()
			waiting := of(nil)
			bob.ExpectNone()
			wantPending(t, team, waiting, watchpost.PendingExtensionOffline)
			w.Crash()
			bob.Connect()
			bob.ExpectNone()
			ada.Connect()
			ada.Finish(ada.ExpectTask(waiting))

			nobody := "nobody@example.com"
			request := actorstest.NewTask(kind)
			request.Email = &nobody
			require.EqualError(t, actorstest.Fails(t, team, watchpost.NotFound, request), "User not found")

			bob.Drop()
			waiting = of(&email)
			done(t, team, actors.RemoveMember{Member: memberOf(t, team, email)})
			wantFailure(t, team.Status(t, waiting), "member_removed", true)
		})
	}
	t.Run("writes", func(t *testing.T) {
		t.Parallel()
		_, team, ada := house(t)
		email := team.Member(t, "bob")
		bob := team.SessionOf(t, email, "bob").Connect()
		for _, kind := range []watchpost.TaskType{watchpost.TaskLikePost, watchpost.TaskCommentPost, watchpost.TaskSendMessage, watchpost.TaskConnectionRequest} {
			request := actorstest.NewTask(kind)
			request.Email = &email
			bob.Finish(bob.ExpectTask(actorstest.Must[actors.TaskCreated](t, team, request).ID))
			ada.ExpectNone()
		}
	})
}
