package actors_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/watchpost"
)

// request is a request for a task with that input.
func request(kind watchpost.TaskType, input string) actors.CreateTask {
	return actors.CreateTask{Type: kind, Input: json.RawMessage(input)}
}

func created(t *testing.T, team *actorstest.Team, request any) watchpost.TaskID {
	t.Helper()
	return actorstest.Must[actors.TaskCreated](t, team, request).ID
}

const (
	aPost    = "urn:network:activity:7000000000000000001"
	likeOf   = `{"social_urn":"` + aPost + `"}`
	inviteOf = `{"profile_urn":"urn:network:member:9"}`
)

// invite is a request for an invitation to the n-th person.
func invite(n int) actors.CreateTask {
	return request(watchpost.TaskConnectionRequest, fmt.Sprintf(`{"profile_urn":"urn:network:member:%d"}`, n))
}

// TestWritesOfAMember: a write runs on its member's account only, which is
// known while the member is away.
func TestWritesOfAMember(t *testing.T) {
	t.Parallel()
	w, team, ada := house(t)
	bob := team.SessionOf(t, team.Member(t, "bob"), "bob").Connect()
	ada.Drop()
	id := created(t, team, request(watchpost.TaskLikePost, likeOf))
	bob.ExpectNone()
	wantPending(t, team, id, watchpost.PendingExtensionOffline)
	w.Crash()
	bob.Connect()

	other := team.Session(t, "ada-two").Connect() // the same member, another account
	other.ExpectNone()
	wantPending(t, team, id, watchpost.PendingPaused)
	bob.ExpectNone()
	ada.Connect()
	ada.Finish(ada.ExpectTask(id))
}

// TestWriteBeforeTheAccountIsKnown waits for any account of the member, and
// stays with the first.
func TestWriteBeforeTheAccountIsKnown(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	bob := team.SessionOf(t, team.Member(t, "bob"), "bob").Connect()
	id := created(t, team, request(watchpost.TaskLikePost, likeOf))
	require.Equal(t, id, created(t, team, request(watchpost.TaskLikePost, likeOf)), "in force for the member")
	bob.ExpectNone()
	ada := team.Session(t, "ada").Connect()
	ada.Finish(ada.ExpectTask(id))
	require.Equal(t, id, created(t, team, request(watchpost.TaskLikePost, likeOf)), "in force for the account")
	w.Crash()
	require.Equal(t, id, created(t, team, request(watchpost.TaskLikePost, likeOf)))
}

// TestEffectLedger: a like or an invitation is in force while its task is
// pending or completed, and not when it failed.
func TestEffectLedger(t *testing.T) {
	t.Parallel()
	for name, input := range map[watchpost.TaskType]string{watchpost.TaskLikePost: likeOf, watchpost.TaskConnectionRequest: inviteOf} {
		t.Run(string(name), func(t *testing.T) {
			t.Parallel()
			w, team, s := house(t)
			same := request(name, input)
			first := created(t, team, same)
			frame := s.ExpectTask(first)
			require.Equal(t, first, created(t, team, same), "while it is pending")
			s.Act(frame)
			s.Error(frame, "not_found", actorstest.Lie)
			s.ExpectAck(frame)
			second := created(t, team, same)
			require.NotEqual(t, first, second, "not when it failed")
			w.Crash()
			require.Equal(t, second, created(t, team, same))
			s.Connect()
			s.Finish(s.ExpectTask(second))
			for range 2 {
				require.Equal(t, second, created(t, team, same), "when it is completed")
				w.Restart()
			}
			s.Connect()
			s.ExpectNone()
			require.Equal(t, 1, team.Used(t, s.Email, name.Action()))
		})
	}
	t.Run("however the post is written; not for another actor, nor a comment", func(t *testing.T) {
		t.Parallel()
		_, team, _ := house(t)
		id := created(t, team, request(watchpost.TaskLikePost, likeOf))
		require.Equal(t, id, created(t, team, request(watchpost.TaskLikePost, `{"social_urn":"`+strings.TrimPrefix(aPost, "urn:network:activity:")+`"}`)))
		company := request(watchpost.TaskLikePost, `{"social_urn":"`+aPost+`","actor_type":"company","company_title":"Example"}`)
		page := created(t, team, company)
		require.NotEqual(t, id, page)
		require.Equal(t, page, created(t, team, company))
		comment := request(watchpost.TaskCommentPost, `{"social_urn":"`+aPost+`","comment_text":"x"}`)
		require.NotEqual(t, created(t, team, comment), created(t, team, comment))
	})
}

// TestInvitationCap checks that invitations handed out since Monday and waiting
// ones are at most 100. One already in force is answered before that check.
func TestInvitationCap(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	for n := range 60 {
		s.Finish(s.ExpectTask(created(t, team, invite(n))))
	}
	s.Drop()
	var waiting []watchpost.TaskID
	for n := range 40 {
		waiting = append(waiting, created(t, team, invite(60+n)))
	}
	for range 2 {
		err := actorstest.Fails(t, team, watchpost.InvitationCap, invite(100))
		require.EqualError(t, err, watchpost.TextInvitationCap)
		require.Equal(t, waiting[39], created(t, team, invite(99)), "a hit comes before the cap")
		w.Crash()
	}
	w.SetClock(watchpost.Weekly.Reset(w.Now()))
	require.NotEmpty(t, created(t, team, invite(100)), "a new week: 41 wait")
	s.Connect()
	for _, id := range waiting {
		s.Finish(s.ExpectTask(id))
	}
}

// interactions returns what the team recorded of likes and comments.
func interactions(t *testing.T, w *actorstest.World, team *actorstest.Team) []watchpost.Interaction {
	t.Helper()
	var all []watchpost.Interaction
	view, err := w.Store.View(w.Context())
	require.NoError(t, err)
	defer view.Close()
	require.NoError(t, view.Scan(persistence.Space(team.ID), []byte("n"), []byte("o"), func(_, v []byte) bool {
		var i watchpost.Interaction
		require.NoError(t, json.Unmarshal(v[1:], &i))
		all = append(all, i)
		return true
	}))
	return all
}

// unknown makes a write with an unknown outcome.
func unknown(t *testing.T, w *actorstest.World, team *actorstest.Team, s *actorstest.Session, request actors.CreateTask) (watchpost.TaskID, protocol.Frame) {
	t.Helper()
	id := created(t, team, request)
	frame := s.ExpectTask(id)
	s.Act(frame)
	s.Drop()
	w.Advance(24*time.Hour + time.Minute)
	wantFailure(t, team.Status(t, id), "outcome_unknown", false)
	return id, frame
}

// TestTruthAfterOutcomeUnknown is added to the output; what the task is
// remembered by is set from it, and its status stays.
func TestTruthAfterOutcomeUnknown(t *testing.T) {
	t.Parallel()
	like := request(watchpost.TaskLikePost, likeOf)
	t.Run("it was done", func(t *testing.T) {
		t.Parallel()
		w, team, s := house(t)
		id, frame := unknown(t, w, team, s, like)
		require.Empty(t, interactions(t, w, team))
		s.Connect(actorstest.Listed(frame, protocol.StateDone))
		for range 2 {
			s.Result(frame, map[string]any{"liked": true})
			s.ExpectAck(frame)
		}
		view := team.Status(t, id)
		require.Equal(t, watchpost.TaskFailed, view.State)
		require.Regexp(t, `^\{"error":\{"code":"outcome_unknown",.*"retry_safe":false,"resolved":\{"acted":true,"at":"[^"]+Z"\}\}$`, string(view.Output))
		require.Len(t, interactions(t, w, team), 1)
		s.Error(frame, "not_found", actorstest.Lie)
		s.ExpectAck(frame)
		for range 2 {
			require.Equal(t, view, team.Status(t, id), "the first truth stands")
			require.Equal(t, id, created(t, team, like), "in force again")
			w.Crash()
		}
	})
	t.Run("it was not done", func(t *testing.T) {
		t.Parallel()
		w, team, s := house(t)
		id, frame := unknown(t, w, team, s, like)
		s.Connect(actorstest.Listed(frame, protocol.StateDone))
		for range 2 {
			s.Error(frame, "timeout", actorstest.Lie)
			s.ExpectAck(frame)
		}
		require.Contains(t, string(team.Status(t, id).Output), `"resolved":{"acted":false,`)
		require.Empty(t, interactions(t, w, team))
		require.NotEqual(t, id, created(t, team, like))
	})
	t.Run("said by the session itself", func(t *testing.T) {
		t.Parallel()
		w, team, s := house(t)
		id := created(t, team, like)
		frame := s.ExpectTask(id)
		s.Act(frame)
		s.Error(frame, "outcome_unknown", nil)
		s.ExpectAck(frame)
		require.Equal(t, 1, team.Used(t, s.Email, watchpost.ActionLike))
		s.Error(frame, "timeout", actorstest.Lie)
		s.ExpectAck(frame)
		require.Contains(t, string(team.Status(t, id).Output), `"resolved":{"acted":false,`)
		require.Zero(t, team.Used(t, s.Email, watchpost.ActionLike), "given back")
		_ = w
	})
	t.Run("not under another's lease, nor from who does not know", func(t *testing.T) {
		t.Parallel()
		w, team, s := house(t)
		id, frame := unknown(t, w, team, s, like)
		before := team.Status(t, id)
		stranger := team.SessionOf(t, team.Member(t, "bob"), "bob").Connect()
		stranger.Result(frame, map[string]any{"liked": true})
		stranger.ExpectAck(frame)
		s.Connect(actorstest.Listed(frame, protocol.StateDone))
		wrong := frame
		wrong.Lease = "wrong"
		s.Result(wrong, map[string]any{"liked": true})
		s.ExpectAck(frame)
		s.Error(frame, "outcome_unknown", nil)
		s.ExpectAck(frame)
		require.Equal(t, before, team.Status(t, id))
	})
}

// TestNobodyActs checks that a team without an admin refuses a write that names
// no member; reads need none.
func TestNobodyActs(t *testing.T) {
	t.Parallel()
	_, team, s := house(t)
	founder := memberOf(t, team, team.Email)
	done(t, team, actors.UpdateMember{Member: founder, Role: watchpost.RoleMember})
	for _, kind := range []watchpost.TaskType{watchpost.TaskLikePost, watchpost.TaskCommentPost, watchpost.TaskSendMessage, watchpost.TaskConnectionRequest} {
		require.EqualError(t, actorstest.Fails(t, team, watchpost.NotFound, actorstest.NewTask(kind)), "No admin user found in the team")
	}
	s.Finish(s.ExpectTask(team.Create(t, watchpost.TaskProfileFetch)))
}
