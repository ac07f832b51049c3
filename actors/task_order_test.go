package actors_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/watchpost"
)

// TestDecisionsOfATaskStayInOrder: an older decision of a task never overwrites a newer
// one, however slow the session actor is that had the task before. A lease to ada is
// decided while bob's actor is stuck; the late result of ada's first attempt ends the
// task after it.
func TestDecisionsOfATaskStayInOrder(t *testing.T) {
	t.Parallel()
	stored := newExpectedState()
	w, team, ada := house(t, actorstest.Watching(stored.enter))
	stored.now = w.Now
	stored.follow(persistence.Space(team.ID))
	bob := team.SessionOf(t, team.Member(t, "bob"), "bob")
	id := team.Create(t, watchpost.TaskProfileFetch)
	first := ada.ExpectTask(id)
	ada.Drop()
	w.Advance(leaseOver)
	bob.Connect()
	bob.Release(bob.ExpectTask(id))
	bob.ExpectNone()
	bob.Account.SignedIn = false
	bob.Heartbeat()
	bob.Settle()
	w.Advance(time.Minute)

	reached, release := w.HoldIn("actors.(*sessionActor).onHeartbeat")
	bob.Heartbeat()
	<-reached
	ada.Connect(actorstest.Listed(first, protocol.StateDone))
	require.Eventually(t, func() bool { return team.Status(t, id).State == watchpost.TaskLeased }, actorstest.Wait, time.Millisecond)
	ada.Result(first, map[string]any{"name": "done"})
	for ada.Next().Type != protocol.TypeAck { // after the third attempt, if that was sent
	}
	require.Equal(t, watchpost.TaskCompleted, team.Status(t, id).State)
	release()
	bob.Settle()
	ada.Settle()
	require.Equal(t, 2, team.Used(t, ada.Email, watchpost.ActionProfileFetch), "two attempts of ada")

	w.Crash()
	require.Equal(t, watchpost.TaskCompleted, team.Status(t, id).State, "an acknowledged result stands")
	require.Equal(t, 2, team.Used(t, ada.Email, watchpost.ActionProfileFetch))
	stored.mu.Lock()
	defer stored.mu.Unlock()
	require.Empty(t, stored.wrong)
}

// TestOnlyTheLastAttemptTells: that an earlier attempt did not act says nothing about a
// later one whose outcome is unknown. That it did act does: the write is done.
func TestOnlyTheLastAttemptTells(t *testing.T) {
	t.Parallel()
	for _, acted := range []bool{false, true} {
		w, team, first := house(t)
		id := team.Create(t, watchpost.TaskCommentPost)
		early := first.ExpectTask(id)
		first.Drop() // with an answer that it could not give
		w.Advance(leaseOver)
		second := team.Session(t, "ada").Connect() // another browser of the member
		last := second.ExpectTask(id)
		second.Act(last) // it may have commented
		second.Drop()
		w.Advance(watchpost.ActingLimit + time.Minute)
		unknown := team.Status(t, id)
		wantFailure(t, unknown, watchpost.FailOutcomeUnknown, false)
		used := team.Used(t, first.Email, watchpost.ActionComment)

		first.Connect(actorstest.Listed(early, protocol.StateDone))
		first.Error(early, "page_not_understood", &acted)
		first.ExpectAck(early)
		if acted {
			require.Contains(t, string(team.Status(t, id).Output), `"resolved":{"acted":true,`)
			continue
		}
		require.Equal(t, unknown, team.Status(t, id), "the second attempt may have acted")
		require.Equal(t, used, team.Used(t, first.Email, watchpost.ActionComment), "and nothing is given back")

		second.Connect(actorstest.Listed(last, protocol.StateDone))
		second.Error(last, "timeout", actorstest.Lie)
		second.ExpectAck(last)
		require.Contains(t, string(team.Status(t, id).Output), `"resolved":{"acted":false,`)
	}
}

// TestSignOfLifeIsNotOverwrittenByAnOlder: a member works as another account by now,
// and the actor of the previous account is slow to report its sign of life. The newest
// sign of life is stored.
func TestSignOfLifeIsNotOverwrittenByAnOlder(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	bob := team.Member(t, "bob") // has no session: the task waits, and the team for midnight
	actorstest.Must[actors.TaskCreated](t, team, actors.CreateTask{Type: watchpost.TaskSendMessage, Input: []byte(`{}`), Email: &bob})
	w.Advance(5 * time.Minute)
	s.Heartbeat() // not worth a commit yet
	signedOut := s.Account
	signedOut.SignedIn = false
	s.Account = signedOut
	s.Heartbeat()
	s.Settle()
	for range 20 { // connected, and signed out of the network
		w.Advance(2 * time.Hour)
		s.Heartbeat()
		s.Settle()
	}
	bound := w.Now()
	reached, release := w.HoldIn("actors.(*sessionActor).onDetach")
	s.Account = actorstest.Account("other-" + watchpost.NewSecret(4))
	s.Heartbeat()
	s.Send(protocol.Frame{Type: protocol.TypeBind, Account: &s.Account})
	<-reached
	active := func() bool { return !presence(t, team, s.Email).LastActive.Before(bound) }
	require.Eventually(t, active, actorstest.Wait, time.Millisecond)
	release()
	w.Advance(24 * time.Hour) // each session actor answers to the new day
	w.Crash()
	require.True(t, active())
	w.Advance(23 * time.Hour)
	done(t, team, actors.RequireExtension{})
}
