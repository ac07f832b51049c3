package actors_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost"
	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/persistence/teamspace"
)

// TestWebSessions end by their time, by the member, with the member and when
// there are too many. They survive a restart.
func TestWebSessions(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	ada, bob := team.Member(t, "ada"), team.Member(t, "bob")
	open := func(email string) string {
		return actorstest.Must[actors.WebSessionOpened](t, team, actors.OpenWebSession{Email: email, Agent: "Browser"}).Token
	}
	session := func(token string) actors.WebSession {
		s, err := w.Registry.WebSession(t.Context(), token)
		require.NoError(t, err)
		return s
	}
	ended := func(token string) {
		t.Helper()
		_, err := w.Registry.WebSession(t.Context(), token)
		require.Equal(t, watchpost.Unauthenticated, watchpost.KindOf(err))
	}
	first, other := open(ada), open(bob)
	require.Equal(t, team.ID, session(first).Team)
	require.NotEqual(t, session(first).Member, session(other).Member)
	ended("")
	ended("nothing")
	_, err := w.Registry.Call(w.Context(), team.ID, actors.OpenWebSession{Email: "nobody@example.com"})
	require.Equal(t, watchpost.NotFound, watchpost.KindOf(err))

	w.Advance(time.Minute)
	for range 19 {
		open(ada)
	}
	member := session(first).Member
	list := func() []actors.WebSessionView {
		return actorstest.Must[[]actors.WebSessionView](t, team, actors.ListWebSessions{Member: member})
	}
	require.Len(t, list(), 20)
	last := open(ada)
	ended(first)
	require.Len(t, list(), 20)
	actorstest.Must[actors.Done](t, team, actors.EndWebSessions{Member: member, ID: session(last).ID})
	ended(last)
	require.Len(t, list(), 19)
	session(other)
	actorstest.Must[actors.Done](t, team, actors.EndWebSessions{Member: session(other).Member, ID: list()[0].ID})
	require.Len(t, list(), 19, "a member ends no other's session")

	w.Restart()
	require.Len(t, list(), 19)
	actorstest.Must[actors.Done](t, team, actors.EndWebSessions{Member: member})
	require.Empty(t, list())
	session(other)
	w.Advance(30 * 24 * time.Hour)
	ended(other)
	fresh := open(bob)
	require.Len(t, storedKeys(t, w, team, "u"), 1, "what has expired is deleted")
	actorstest.Must[actors.Done](t, team, actors.RemoveMember{Member: session(fresh).Member})
	ended(fresh)
	require.Empty(t, storedKeys(t, w, team, "u"))
}

// TestSignInLinks open one session, within an hour.
func TestSignInLinks(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	ada := team.Member(t, "ada")
	link := func() string {
		return actorstest.Must[actors.WebSessionOpened](t, team, actors.CreateSignInLink{Email: ada}).Token
	}
	redeem := func(token string) (actors.WebSessionOpened, error) {
		return w.Registry.RedeemSignInLink(w.Context(), token, "Browser")
	}
	refused := func(token string) {
		t.Helper()
		_, err := redeem(token)
		require.Equal(t, watchpost.Unauthenticated, watchpost.KindOf(err))
	}
	used, late := link(), link()
	_, err := w.Registry.WebSession(t.Context(), used)
	require.Error(t, err, "a link is no session")
	opened, err := redeem(used)
	require.NoError(t, err)
	_, err = w.Registry.WebSession(t.Context(), opened.Token)
	require.NoError(t, err)
	refused(opened.Token)
	refused(used)
	refused("")
	w.Advance(time.Hour)
	refused(late)

	oldest := link()
	w.Advance(time.Second)
	var newer []string
	for range 20 { // signInLinksPerMember
		newer = append(newer, link())
	}
	require.Len(t, storedKeys(t, w, team, teamspace.KeyWebSession), 21, "they and the open session")
	refused(oldest)
	for _, token := range newer {
		_, err := redeem(token)
		require.NoError(t, err)
	}
}
