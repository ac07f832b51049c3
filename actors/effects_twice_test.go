package actors_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/watchpost"
)

// TestEffectOfASuccessor: the end of a task that failed takes away only its own
// effect, not that of the task that came after it, however late it is durable.
func TestEffectOfASuccessor(t *testing.T) {
	t.Parallel()
	for kind, input := range map[watchpost.TaskType]string{watchpost.TaskLikePost: likeOf, watchpost.TaskConnectionRequest: inviteOf} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			w, team, s := house(t)
			first := created(t, team, request(kind, input))
			frame := s.ExpectTask(first)
			s.Act(frame)
			w.Store.Block()
			s.Error(frame, "not_found", actorstest.Lie)
			require.NoError(t, w.Store.AwaitHeld(w.Context(), 1)) // the end of the first
			second := make(chan watchpost.TaskID, 1)
			ask := func(reply chan<- watchpost.TaskID) {
				made, err := actorstest.Try[actors.TaskCreated](team, request(kind, input))
				if err != nil {
					t.Errorf("not created: %v", err)
				}
				reply <- made.ID
			}
			go ask(second)
			require.NoError(t, w.Store.AwaitHeld(w.Context(), 2)) // the second
			w.Store.ReleaseOne()
			s.ExpectAck(frame) // the end of the first is durable, the second is not
			third := make(chan watchpost.TaskID, 1)
			reached, proceed := w.HoldIn("actors.(*tasks).createWrite")
			go ask(third)
			<-reached
			proceed()
			// The message behind the third request in the team's mailbox.
			reached, proceed = w.HoldIn("actors.(*sessions).open")
			behind := make(chan error, 1)
			go func() {
				_, err := actorstest.Try[actors.SessionOpened](team, actors.OpenSession{Email: team.Email})
				behind <- err
			}()
			<-reached
			proceed()
			w.Store.Release()
			require.NoError(t, <-behind)
			require.Equal(t, <-second, <-third)
		})
	}
}

// TestEffectInForceAfterARevokedSession: what an account has done already is
// not handed out to it again when it was asked for while no account was known.
func TestEffectInForceAfterARevokedSession(t *testing.T) {
	t.Parallel()
	for kind, input := range map[watchpost.TaskType]string{watchpost.TaskLikePost: likeOf, watchpost.TaskConnectionRequest: inviteOf} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			w, team, s := house(t)
			first := created(t, team, request(kind, input))
			s.Finish(s.ExpectTask(first))
			done(t, team, actors.Revoke{Session: s.ID})
			s.ExpectClosed()

			require.Equal(t, first, created(t, team, request(kind, input)), "the account is known without a session")
			done(t, team, actors.ReleaseAccount{Member: memberOf(t, team, team.Email)})
			second := created(t, team, request(kind, input))
			require.NotEqual(t, first, second, "no account is known")
			w.Crash()
			s = team.Session(t, "ada").Connect()
			s.ExpectNone()
			view := team.Status(t, second)
			wantFailure(t, view, "duplicate", true)
			require.Contains(t, string(view.Output), string(first))
			require.Equal(t, first, created(t, team, request(kind, input)))
		})
	}
}
