package actors_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

const inviteOfJane = `{"profile_urn":"https://network.example/in/jane-doe/"}`

// withdraw asks for a withdrawal, a second later than the clock shows.
func withdraw(t *testing.T, team *actorstest.Team, input string) watchpost.TaskID {
	t.Helper()
	team.W.Advance(time.Second)
	return created(t, team, request(watchpost.TaskWithdrawal, input))
}

// inviteLater asks for an invitation, a second later than the clock shows.
func inviteLater(t *testing.T, team *actorstest.Team, input string) watchpost.TaskID {
	t.Helper()
	team.W.Advance(time.Second)
	return created(t, team, request(watchpost.TaskConnectionRequest, input))
}

// TestWithdrawalEndsTheInvitation: a person can be invited again once the invitation is
// withdrawn, also when the two requests name the person differently and only the page
// shows both names.
func TestWithdrawalEndsTheInvitation(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		invite, withdraw string
		output           map[string]any
	}{
		"by the same name": {inviteOf, inviteOf, map[string]any{}},
		"by its address":   {inviteOfJane, `{"profile_url":"https://network.example/in/jane-doe"}`, map[string]any{}},
		"by a name that only the page shows": {
			inviteOfJane, inviteOf, map[string]any{"profile_urn": "urn:network:member:9", "profile_url": "https://network.example/in/Jane-Doe"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, team, s := house(t)
			first := inviteLater(t, team, c.invite)
			s.Finish(s.ExpectTask(first))
			require.Equal(t, first, inviteLater(t, team, c.invite))
			withdrawal := withdraw(t, team, c.withdraw)
			frame := s.ExpectTask(withdrawal)
			s.Accept(frame)
			s.Act(frame)
			require.Equal(t, first, inviteLater(t, team, c.invite), "it is not withdrawn yet")
			s.Result(frame, c.output)
			s.ExpectAck(frame)
			require.Equal(t, watchpost.TaskCompleted, team.Status(t, withdrawal).State)
			second := inviteLater(t, team, c.invite)
			require.NotEqual(t, first, second)
			s.Finish(s.ExpectTask(second))
			w.Crash()
			require.Equal(t, second, inviteLater(t, team, c.invite))
			require.Equal(t, 2, team.Used(t, s.Email, watchpost.ActionInvitation), "a withdrawal costs nothing, and gives nothing back")
		})
	}
}

// TestWithdrawalThatFails: a withdrawal that finds no invitation on the page ends its
// effect; any other failure leaves the effect in force.
func TestWithdrawalThatFails(t *testing.T) {
	t.Parallel()
	for code, ends := range map[string]bool{protocol.CodeNotInvited: true, protocol.CodeNotFound: false, protocol.CodeInvalidInput: false} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			_, team, s := house(t)
			first := inviteLater(t, team, inviteOf)
			s.Finish(s.ExpectTask(first))
			id := withdraw(t, team, inviteOf)
			frame := s.ExpectTask(id)
			s.Accept(frame)
			s.Error(frame, code, actorstest.Lie)
			s.ExpectAck(frame)
			wantFailure(t, team.Status(t, id), code, false)
			require.Equal(t, !ends, first == inviteLater(t, team, inviteOf))
		})
	}
}

// TestWithdrawalWaitsForTheInvitation: while one browser of an account sends an
// invitation, another one is not handed its withdrawal. The first would see no
// invitation on the page and send it again.
func TestWithdrawalWaitsForTheInvitation(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	first := inviteLater(t, team, inviteOf)
	frame := s.ExpectTask(first)
	s.Accept(frame)
	s.Act(frame)
	other := team.Session(t, "ada").Connect()
	id := withdraw(t, team, inviteOf)
	other.ExpectNone()
	another := created(t, team, request(watchpost.TaskLikePost, likeOf))
	other.Finish(other.ExpectTask(another))
	s.Drop()
	w.Crash()
	other.Connect()
	other.ExpectNone()
	s.Connect(actorstest.Listed(frame, protocol.StateActing))
	s.Result(frame, map[string]any{})
	s.ExpectAck(frame)
	require.Equal(t, watchpost.TaskCompleted, team.Status(t, first).State)
	select {
	case f := <-s.Frames():
		require.Equal(t, string(id), f.Task)
		s.Finish(f)
	case f := <-other.Frames():
		require.Equal(t, string(id), f.Task)
		other.Finish(f)
	case <-time.After(actorstest.Wait):
		t.Fatal("the withdrawal was not handed out")
	}
	require.NotEqual(t, first, inviteLater(t, team, inviteOf))
}

// TestWithdrawalThatBecomesKnownLater: one with an unknown outcome ends the invitation
// when its session reports that it was done, but not one that was sent since.
func TestWithdrawalThatBecomesKnownLater(t *testing.T) {
	t.Parallel()
	for _, again := range []bool{false, true} {
		w, team, s := house(t)
		first := inviteLater(t, team, inviteOf)
		s.Finish(s.ExpectTask(first))
		id := withdraw(t, team, inviteOf)
		frame := s.ExpectTask(id)
		s.Accept(frame)
		s.Act(frame)
		s.Drop()
		w.Advance(watchpost.ActingLimit)
		wantFailure(t, team.Status(t, id), "outcome_unknown", false)
		require.Equal(t, first, inviteLater(t, team, inviteOf))
		latest := watchpost.TaskID("")
		if again {
			other := team.Session(t, "ada").Connect()
			look := withdraw(t, team, inviteOf)
			f := other.ExpectTask(look)
			other.Accept(f)
			other.Error(f, protocol.CodeNotInvited, actorstest.Lie)
			other.ExpectAck(f)
			latest = inviteLater(t, team, inviteOf)
			require.NotEqual(t, first, latest)
			other.Finish(other.ExpectTask(latest))
			other.Drop()
		}
		s.Connect()
		s.Result(frame, map[string]any{})
		s.ExpectAck(frame)
		if again {
			require.Equal(t, latest, inviteLater(t, team, inviteOf))
			continue
		}
		require.NotEqual(t, first, inviteLater(t, team, inviteOf))
	}
}

// TestInvitationAfterAWithdrawal: an invitation that was asked for after a withdrawal is
// not ended by it.
func TestInvitationAfterAWithdrawal(t *testing.T) {
	t.Parallel()
	_, team, s := house(t)
	s.Drop()
	id := withdraw(t, team, inviteOf)
	later := inviteLater(t, team, inviteOf)
	s.Connect()
	s.Finish(s.ExpectTask(id))
	s.Finish(s.ExpectTask(later))
	require.Equal(t, later, inviteLater(t, team, inviteOf))
}
