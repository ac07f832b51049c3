package actors_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/actors/root"
	"watchpost/internal/words"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// languageOf returns the language that is stored for a member.
func languageOf(t *testing.T, team *actorstest.Team, email string) string {
	t.Helper()
	for _, m := range actorstest.Must[actors.TeamView](t, team, actors.GetTeam{}).Team.Members {
		if m.Email == email {
			return m.Language
		}
	}
	t.Fatalf("%s is no member", email)
	return ""
}

// browse signs a member in with a browser of a language.
func browse(t *testing.T, team *actorstest.Team, email, nonce, language string) {
	t.Helper()
	_, err := team.W.Registry.OpenWebSession(team.W.Context(), team.ID, email, actors.Browser{Nonce: nonce, Language: language})
	require.NoError(t, err)
}

// TestLanguageOfAMember: the first browser with a known language stores it, a choice replaces
// it, and a restart keeps it. Mails are in it.
func TestLanguageOfAMember(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	browse(t, team, team.Email, "first", "")
	require.Empty(t, languageOf(t, team, team.Email), "a browser that asks for none that there is")
	browse(t, team, team.Email, "second", "de")
	require.Equal(t, "de", languageOf(t, team, team.Email))
	mails := w.Mail.To(team.Email)
	require.Equal(t, words.Of("de").Text("mail.sign_in_subject"), mails[len(mails)-1].Subject, "the mail of the sign-in that stored it")
	browse(t, team, team.Email, "third", "fr")
	require.Equal(t, "de", languageOf(t, team, team.Email), "another browser")
	w.Restart()
	require.Equal(t, "de", languageOf(t, team, team.Email))

	me := memberOf(t, team, team.Email)
	actorstest.Must[watchpost.Member](t, team, actors.UpdateMember{Member: me, Language: new("ar")})
	w.Crash()
	require.Equal(t, "ar", languageOf(t, team, team.Email), "a choice")
	browse(t, team, team.Email, "fourth", "fr")
	mails = w.Mail.To(team.Email)
	require.Equal(t, "ar", mails[len(mails)-1].Language)
	actorstest.Must[watchpost.Member](t, team, actors.UpdateMember{Member: me, Language: new("")})
	require.Empty(t, languageOf(t, team, team.Email))
	browse(t, team, team.Email, "fifth", "fr")
	require.Equal(t, "fr", languageOf(t, team, team.Email))
	actorstest.Fails(t, team, watchpost.NotFound, actors.UpdateMember{Member: "x", Language: new("de")})

	bob := team.Member(t, "bob")
	link := actorstest.Must[actors.WebSessionOpened](t, team, actors.CreateSignInLink{Email: bob})
	_, err := w.Registry.RedeemSignInLink(w.Context(), link.Token, actors.Browser{Language: "ja"})
	require.NoError(t, err)
	require.Equal(t, "ja", languageOf(t, team, bob), "a sign-in by a link")
}

// TestMembersWithoutALanguage: the record of a member that an earlier build has stored opens
// with no language, and one without a language is stored as it was.
func TestMembersWithoutALanguage(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	me := memberOf(t, team, team.Email)
	batch := &persistence.Batch{}
	batch.Put(teamspace.Key(teamspace.KeyMember, me), teamspace.Encode(json.RawMessage(`{"ID":"`+string(me)+`","Email":"`+team.Email+`","FullName":"Old","Role":"admin","CreatedAt":"2026-01-01T00:00:00Z"}`)))
	w.Plant(persistence.Space(team.ID), batch)
	w.Crash()
	require.Empty(t, languageOf(t, team, team.Email))
	require.NotContains(t, string(teamspace.Encode(watchpost.Member{ID: me})), "Language")
	_, err := w.Registry.Invite(w.Context(), team.ID, actors.InviteMember{Email: "new@example.com", Role: watchpost.RoleMember, By: me})
	require.NoError(t, err)
	require.Equal(t, "en", w.Mail.To("new@example.com")[0].Language)
}

// TestLanguageOfAnInvitation: an invitation is in the language that is stored for its address,
// else for who invites, else of the page.
func TestLanguageOfAnInvitation(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team, other := w.CreateTeam(t, watchpost.PlanUltimate), w.CreateTeam(t, watchpost.PlanUltimate)
	me := memberOf(t, team, team.Email)
	known, unknown := other.Email, other.Member(t, "unknown")
	invited := func(email string, by watchpost.MemberID, page string) string {
		t.Helper()
		i, err := w.Registry.Invite(w.Context(), team.ID, actors.InviteMember{Email: email, Role: watchpost.RoleMember, By: by, Language: page})
		require.NoError(t, err)
		actorstest.Must[root.Done](t, team, actors.WithdrawInvitation{Invitation: i.ID})
		mails := w.Mail.To(email)
		m := mails[len(mails)-1]
		require.Equal(t, words.Of(m.Language).Text("mail.invitation_subject"), m.Subject)
		return m.Language
	}
	require.Equal(t, "en", invited("a@example.com", "", ""), "the operator")
	require.Equal(t, "ja", invited("b@example.com", me, "ja"), "the page")
	actorstest.Must[watchpost.Member](t, team, actors.UpdateMember{Member: me, Language: new("de")})
	require.Equal(t, "de", invited("c@example.com", me, "ja"), "who invites")
	require.Equal(t, "de", invited(unknown, me, "ja"), "a member of another team without a language")
	browse(t, other, known, "", "fr")
	require.Equal(t, "fr", invited(known, me, "ja"), "a member of another team")

	i, err := w.Registry.Invite(w.Context(), team.ID, actors.InviteMember{Email: "d@example.com", Role: watchpost.RoleMember, By: me})
	require.NoError(t, err)
	w.Advance(watchpost.InvitationMailedEvery)
	actorstest.Must[watchpost.Member](t, team, actors.UpdateMember{Member: me, Language: new("it")})
	_, err = w.Registry.MailInvitation(w.Context(), team.ID, i.ID, me, "ja")
	require.NoError(t, err)
	require.Equal(t, "it", w.Mail.To("d@example.com")[1].Language, "who mails it again")
}

// TestLanguagesOfANotification: each member of a target gets its mail in the member's language.
func TestLanguagesOfANotification(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	bob := team.Member(t, "bob")
	for _, email := range []string{team.Email, bob} {
		_, err := signInBy(t, w, email, actors.Choice{})
		require.NoError(t, err)
	}
	browse(t, team, team.Email, "", "de")
	made := actorstest.Must[actors.TargetCreated](t, team, actors.CreateTarget{Target: watchpost.NotificationTarget{
		Name: "Mail", Kind: watchpost.TargetEmail, Emails: []string{team.Email, bob}, PerHour: 10,
	}})
	actorstest.Must[watchpost.Delivery](t, team, actors.SendNow{ID: made.Target.ID})
	last := func(email string) string {
		mails := w.Mail.To(email)
		return mails[len(mails)-1].Subject
	}
	require.Equal(t, "Watchpost: Test einer Benachrichtigung", last(team.Email))
	require.Equal(t, "Watchpost: test of a notification", last(bob))
}
