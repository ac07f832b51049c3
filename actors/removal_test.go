package actors_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/actors/root"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/watchpost"
)

// memberOf returns a member by email.
func memberOf(t *testing.T, team *actorstest.Team, email string) watchpost.MemberID {
	t.Helper()
	view := actorstest.Must[actors.TeamView](t, team, actors.GetTeam{})
	for _, m := range view.Team.Members {
		if m.Email == email {
			return m.ID
		}
	}
	require.FailNow(t, "no such member", email)
	return ""
}

// presenceOf is what the team shows of a member.
func presenceOf(t *testing.T, team *actorstest.Team, email string) actors.MemberPresence {
	t.Helper()
	view := actorstest.Must[actors.TeamView](t, team, actors.GetTeam{})
	for i, m := range view.Team.Members {
		if m.Email == email {
			return view.Presence[i]
		}
	}
	require.FailNow(t, "no such member", email)
	return actors.MemberPresence{}
}

func remove(t *testing.T, team *actorstest.Team, email string) {
	t.Helper()
	done(t, team, actors.RemoveMember{Member: memberOf(t, team, email)})
}

// pinnedWrites lets sessions of one account begin a write each and give it
// back: they wait for that account. The first session is handed one again.
func pinnedWrites(t *testing.T, team *actorstest.Team, sessions ...*actorstest.Session) (held protocol.Frame, waiting []watchpost.TaskID) {
	t.Helper()
	for range sessions {
		waiting = append(waiting, team.Create(t, watchpost.TaskLikePost))
	}
	var frames []protocol.Frame
	for _, s := range sessions {
		frames = append(frames, s.Expect(protocol.TypeTask))
	}
	for i, s := range sessions {
		s.Release(frames[i])
	}
	for _, s := range sessions {
		s.ExpectNone()
	}
	team.W.Advance(time.Minute) // past the pause after a release
	sessions[0].Heartbeat()
	return sessions[0].Expect(protocol.TypeTask), waiting
}

func TestRemovedMember(t *testing.T) {
	t.Parallel()
	w, team, _ := house(t)
	joe := team.Member(t, "joe")
	s := team.SessionOf(t, joe, "joe").Connect()
	second := team.SessionOf(t, joe, "joe").Connect()
	away := team.SessionOf(t, joe, "joe")
	code := actorstest.Must[actors.PairingCode](t, team, actors.CreatePairingCode{Email: joe})
	read := team.Create(t, watchpost.TaskProfileFetch)

	remove(t, team, joe)
	for _, open := range []*actorstest.Session{s, second} {
		for {
			if f := open.Next(); f.Type == protocol.TypeRevoked {
				break
			}
		}
		require.Equal(t, protocol.CloseUnauthorised, open.ExpectClosed().Code)
	}
	require.Error(t, away.Hello())
	require.Error(t, s.Hello())
	_, err := w.Registry.SignInSession(w.Context(), protocol.SignInRequest{Code: code.Code}, "192.0.2.1")
	require.Equal(t, watchpost.Unauthenticated, watchpost.KindOf(err))
	actorstest.Fails(t, team, watchpost.NotFound, actors.OpenSession{Email: joe})
	require.NotEqual(t, watchpost.TaskFailed, team.Status(t, read).State, "reads go on")

	t.Run("the address is free again", func(t *testing.T) {
		other := w.CreateTeam(t, watchpost.PlanFree)
		actorstest.Must[watchpost.Member](t, other, actors.AddMember{Email: joe, Role: watchpost.RoleMember})
	})
	t.Run("nothing of the member is stored", func(t *testing.T) {
		require.Len(t, storedKeys(t, w, team, "m"), 1)
		require.Len(t, storedKeys(t, w, team, "s"), 1)
		require.Len(t, storedKeys(t, w, team, "q"), 1)
		w.Crash()
		require.Len(t, actorstest.Must[actors.TeamView](t, team, actors.GetTeam{}).Team.Members, 1)
		require.Error(t, s.Hello())
	})
	t.Run("only members can be removed", func(t *testing.T) {
		actorstest.Fails(t, team, watchpost.NotFound, actors.RemoveMember{Member: "nobody"})
		actorstest.Fails(t, team, watchpost.NotFound, actors.UpdateMember{Member: "nobody", Role: watchpost.RoleAdmin})
	})
}

// TestRemovedMemberIsNoExtension: the 48-hour window ends with the member.
func TestRemovedMemberIsNoExtension(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	joe := team.Member(t, "joe")
	team.SessionOf(t, joe, "joe").Connect()
	require.NoError(t, w.Registry.RequireExtension(w.Context(), team.ID))
	remove(t, team, team.Email)
	require.Equal(t, protocol.TypeRevoked, s.Next().Type)
	require.NoError(t, w.Registry.RequireExtension(w.Context(), team.ID), "the other member's is there")
	remove(t, team, joe)
	require.Equal(t, watchpost.ExtensionRequired, watchpost.KindOf(w.Registry.RequireExtension(w.Context(), team.ID)))
	w.Crash()
	require.Equal(t, watchpost.ExtensionRequired, watchpost.KindOf(w.Registry.RequireExtension(w.Context(), team.ID)))
}

func TestWritesOfARemovedMember(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	joe := team.Member(t, "joe")
	acting, waiting := pinnedWrites(t, team, s, team.Session(t, "ada").Connect(), team.Session(t, "ada").Connect())
	s.Act(acting)
	elsewhere := team.SessionOf(t, joe, "joe").Connect()
	reads := team.Create(t, watchpost.TaskProfileFetch)
	elsewhere.ExpectTask(reads)
	mine := actorstest.Must[actors.TaskCreated](t, team, actorstest.NewTask(watchpost.TaskLikePost)).ID
	remove(t, team, team.Email)

	for _, id := range waiting {
		if string(id) == acting.Task {
			continue
		}
		wantFailure(t, team.Status(t, id), "member_removed", true)
	}
	view := team.Status(t, watchpost.TaskID(acting.Task))
	require.Equal(t, "pending", view.State.PublicStatus(), "what acts waits for its journal")
	wantFailure(t, team.Status(t, mine), "member_removed", true)
	w.Advance(watchpost.ActingLimit)
	wantFailure(t, team.Status(t, watchpost.TaskID(acting.Task)), "outcome_unknown", false)
}

// TestRemovalSurvivesACrash: the writes end although the service ended between
// the decision and theirs.
func TestRemovalSurvivesACrash(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	_, waiting := pinnedWrites(t, team, s, team.Session(t, "ada").Connect())
	member := memberOf(t, team, team.Email)
	w.Store.Fail(persistence.Space(team.ID), 1, actorstest.After)
	_, err := actorstest.Try[root.Done](team, actors.RemoveMember{Member: member})
	require.Error(t, err, "nobody knows what became of it")
	w.Crash()
	for _, id := range waiting {
		wantFailure(t, team.Status(t, id), "member_removed", true)
	}
	w.Crash()
	require.Len(t, actorstest.Must[actors.TeamView](t, team, actors.GetTeam{}).Team.Members, 0)
	require.Empty(t, storedKeys(t, w, team, "r"))
}

func TestRoles(t *testing.T) {
	t.Parallel()
	w, team, _ := house(t)
	joe := team.Member(t, "joe")
	require.True(t, presenceOf(t, team, team.Email).Acting)
	changed := actorstest.Must[watchpost.Member](t, team, actors.UpdateMember{Member: memberOf(t, team, joe), Role: watchpost.RoleAdmin})
	require.Equal(t, watchpost.RoleAdmin, changed.Role)
	require.True(t, presenceOf(t, team, team.Email).Acting, "the oldest admin acts")
	actorstest.Must[watchpost.Member](t, team, actors.UpdateMember{Member: memberOf(t, team, team.Email), Role: watchpost.RoleMember})
	require.True(t, presenceOf(t, team, joe).Acting)
	w.Crash()
	require.True(t, presenceOf(t, team, joe).Acting)
	require.False(t, presenceOf(t, team, team.Email).Acting)
	remove(t, team, joe)
	require.False(t, presenceOf(t, team, team.Email).Acting, "nobody acts in a team without an admin")
}
