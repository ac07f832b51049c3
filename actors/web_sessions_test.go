package actors_test

import (
	"fmt"
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

// TestWebSessions end by their time, by the member, with the member and when
// there are too many. They survive a restart.
func TestWebSessions(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	ada, bob := team.Member(t, "ada"), team.Member(t, "bob")
	open := func(email string) string {
		opened, err := w.Registry.OpenWebSession(w.Context(), team.ID, email, actors.Browser{Agent: "Browser"})
		require.NoError(t, err)
		return opened.Token
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
	_, err := w.Registry.OpenWebSession(w.Context(), team.ID, "nobody@example.com", actors.Browser{})
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
	actorstest.Must[root.Done](t, team, actors.EndWebSessions{Member: member, ID: session(last).ID})
	ended(last)
	require.Len(t, list(), 19)
	session(other)
	actorstest.Must[root.Done](t, team, actors.EndWebSessions{Member: session(other).Member, ID: list()[0].ID})
	require.Len(t, list(), 19, "a member ends no other's session")

	w.Restart()
	require.Len(t, list(), 19)
	actorstest.Must[root.Done](t, team, actors.EndWebSessions{Member: member})
	require.Empty(t, list())
	session(other)
	w.Advance(7 * 24 * time.Hour)
	ended(other)
	fresh := open(bob)
	require.Len(t, storedKeys(t, w, team, "u"), 1, "what has expired is deleted")
	actorstest.Must[root.Done](t, team, actors.RemoveMember{Member: session(fresh).Member})
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
		return w.Registry.RedeemSignInLink(w.Context(), token, actors.Browser{})
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

// storedEnd returns the end of a web session as the store has it.
func storedEnd(t *testing.T, w *actorstest.World, id string) time.Time {
	t.Helper()
	view, err := w.Store.View(t.Context())
	require.NoError(t, err)
	defer view.Close()
	stored, err := view.Lookup(persistence.DirectoryKey{Kind: teamspace.DirWebSession, Name: id})
	require.NoError(t, err)
	var owner teamspace.OwnerEntry
	require.NoError(t, teamspace.Decode(stored, &owner))
	return owner.Ends
}

// TestUnusedWebSessions end after a week, and those in use after 30 days. A use is written
// once an hour.
func TestUnusedWebSessions(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	opened, err := w.Registry.OpenWebSession(w.Context(), team.ID, team.Email, actors.Browser{})
	require.NoError(t, err)
	began := w.Clock.Now()
	use := func() (end time.Time, err error) {
		s, err := w.Registry.WebSession(t.Context(), opened.Token)
		if err != nil {
			return time.Time{}, err
		}
		w.Registry.NoteWebSessionUse(s)
		actorstest.Must[actors.TeamView](t, team, actors.GetTeam{}) // behind the use
		return storedEnd(t, w, s.ID), nil
	}
	const week = 7 * 24 * time.Hour
	about := func(want, got time.Time) {
		t.Helper()
		require.WithinDuration(t, want, got, 10*time.Minute) // the clock runs on
	}
	first, err := use()
	require.NoError(t, err)
	about(began.Add(week), first)
	w.Advance(30 * time.Minute)
	end, err := use()
	require.NoError(t, err)
	require.Equal(t, first, end, "it was noted within the hour")
	w.Advance(31 * time.Minute)
	end, err = use()
	require.NoError(t, err)
	about(began.Add(time.Hour+week), end)
	for range 4 {
		w.Restart()
		w.Advance(week - 30*time.Minute)
		end, err = use()
		require.NoError(t, err)
	}
	about(began.Add(30*24*time.Hour), end) // at the latest
	w.Advance(end.Sub(w.Clock.Now()))
	_, err = use()
	require.Equal(t, watchpost.Unauthenticated, watchpost.KindOf(err))
}

// TestBrowsersOfAMember: a restart forgets no browser, the ones that signed in last are
// kept, and those of a former member go.
func TestBrowsersOfAMember(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	bob := team.Member(t, "bob")
	mails := func(nonce string) int {
		before := len(w.Mail.To(bob))
		_, err := w.Registry.OpenWebSession(w.Context(), team.ID, bob, actors.Browser{Nonce: nonce})
		require.NoError(t, err)
		return len(w.Mail.To(bob)) - before
	}
	link := actorstest.Must[actors.WebSessionOpened](t, team, actors.CreateSignInLink{Email: bob})
	_, err := w.Registry.RedeemSignInLink(w.Context(), link.Token, actors.Browser{Nonce: "first"})
	require.NoError(t, err)
	require.Len(t, w.Mail.To(bob), 0, "nothing is told of the first sign-in")
	w.Restart()
	require.Zero(t, mails("first.sealed"))
	for n := range 20 {
		require.Equal(t, 1, mails(fmt.Sprint(n)))
		require.Zero(t, mails(fmt.Sprint(n)))
	}
	require.Equal(t, 1, mails("first"), "20 others have signed in since")
	require.Len(t, storedKeys(t, w, team, teamspace.KeyBrowsers), 1)
	actorstest.Must[root.Done](t, team, actors.RemoveMember{Member: memberOf(t, team, bob)})
	require.Empty(t, storedKeys(t, w, team, teamspace.KeyBrowsers))
}
