package actors_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/actors/root"
	"watchpost/internal/passkey"
	"watchpost/internal/passkey/passkeytest"
	"watchpost/watchpost"
)

const passkeySite = "https://watch.example.com"

// passkeyWorld is a service with passkeys, and a browser of ada that has just signed in.
func passkeyWorld(t *testing.T) (*actorstest.World, *actorstest.Team, actors.WebSession) {
	t.Helper()
	site, err := passkey.New(passkeySite)
	require.NoError(t, err)
	w := actorstest.New(t, actorstest.With(func(o *actors.Options) { o.Passkeys = site }))
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	return w, team, browserOf(t, w, team, team.Member(t, "ada"))
}

// browserOf signs a member's browser in.
func browserOf(t *testing.T, w *actorstest.World, team *actorstest.Team, email string) actors.WebSession {
	t.Helper()
	opened, err := team.W.Registry.OpenWebSession(t.Context(), team.ID, email, actors.Browser{Agent: "Browser"})
	require.NoError(t, err)
	session, err := w.Registry.WebSession(t.Context(), opened.Token)
	require.NoError(t, err)
	return session
}

// addPasskey adds a new device's passkey.
func addPasskey(t *testing.T, w *actorstest.World, session actors.WebSession, name string) *passkeytest.Device {
	t.Helper()
	d := passkeytest.New(t, passkeySite)
	options, err := w.Registry.BeginPasskey(w.Context(), session)
	require.NoError(t, err)
	require.NoError(t, w.Registry.AddPasskey(w.Context(), session, d.Create(options), name))
	return d
}

// byPasskey signs a device's holder in.
func byPasskey(t *testing.T, w *actorstest.World, d *passkeytest.Device) (actors.SignedIn, error) {
	t.Helper()
	options, err := w.Registry.BeginSignIn(w.Context(), "client", "nonce")
	require.NoError(t, err)
	proof, err := w.Registry.ProveByPasskey(w.Context(), d.Get(options), "client", "nonce")
	if err != nil {
		return actors.SignedIn{}, err
	}
	return w.Registry.SignInProven(w.Context(), proof, actors.Choice{})
}

func emailOf(t *testing.T, team *actorstest.Team, session actors.WebSession) string {
	t.Helper()
	view := actorstest.Must[actors.TeamView](t, team, actors.GetTeam{})
	member, known := view.Team.Member(session.Member)
	require.True(t, known)
	return member.Email
}

func passkeysOf(t *testing.T, team *actorstest.Team, session actors.WebSession) []watchpost.Passkey {
	t.Helper()
	return actorstest.Must[[]watchpost.Passkey](t, team, actors.ListPasskeys{Member: session.Member})
}

// TestPasskey is added, named, used and removed; the member gets a mail, and the audit
// lists it all.
func TestPasskey(t *testing.T) {
	t.Parallel()
	w, team, session := passkeyWorld(t)
	ada := emailOf(t, team, session)
	d := addPasskey(t, w, session, "Phone")
	addPasskey(t, w, session, "Laptop")
	keys := passkeysOf(t, team, session)
	require.Len(t, keys, 2)
	require.Equal(t, "Phone", keys[0].Name)
	require.Zero(t, keys[0].UsedAt)
	require.Contains(t, w.Mail.To(ada)[0].Body, `"Phone" now signs in as you`)

	w.Advance(time.Hour)
	w.Restart()
	signed, err := byPasskey(t, w, d)
	require.NoError(t, err)
	require.Equal(t, ada, signed.Member.Email)
	require.WithinDuration(t, w.Clock.Now(), passkeysOf(t, team, session)[0].UsedAt, time.Minute)
	actorstest.Must[root.Done](t, team, actors.RenamePasskey{Member: session.Member, ID: keys[0].ID, Name: "Old phone"})
	bob := browserOf(t, w, team, team.Member(t, "bob"))
	_, err = w.Registry.Call(w.Context(), team.ID, actors.RenamePasskey{Member: bob.Member, ID: keys[0].ID, Name: "Mine"})
	require.Equal(t, watchpost.NotFound, watchpost.KindOf(err), "of another member")
	require.Equal(t, watchpost.NotFound, watchpost.KindOf(w.Registry.RemovePasskey(w.Context(), bob, keys[0].ID)), "of another member")

	session = browserOf(t, w, team, ada)
	require.NoError(t, w.Registry.RemovePasskey(w.Context(), session, keys[0].ID))
	_, err = byPasskey(t, w, d)
	require.Equal(t, watchpost.Unauthenticated, watchpost.KindOf(err))
	mails := w.Mail.To(ada)
	require.Contains(t, mails[len(mails)-1].Body, `"Old phone" does not sign in as you`)
	entries, err := w.Registry.Audit(w.Context(), team.ID, 100)
	require.NoError(t, err)
	found := map[watchpost.AuditKind]string{}
	for _, e := range entries {
		found[e.Kind] = e.Subject
	}
	require.Equal(t, "Old phone", found[watchpost.AuditPasskeyRemoved])
	require.Contains(t, found, watchpost.AuditPasskeyAdded)
	require.Equal(t, "passkey Phone", found[watchpost.AuditSignedIn])
}

// TestPasskeyOfMember is one of at most MaxPasskeys, belongs to one member, and ends with
// the member.
func TestPasskeyOfMember(t *testing.T) {
	t.Parallel()
	w, team, session := passkeyWorld(t)
	d := addPasskey(t, w, session, "One")
	bob := browserOf(t, w, team, team.Member(t, "bob"))
	options, err := w.Registry.BeginPasskey(w.Context(), bob)
	require.NoError(t, err)
	err = w.Registry.AddPasskey(w.Context(), bob, d.Copy().Create(options), "Bob's")
	require.Equal(t, watchpost.Conflict, watchpost.KindOf(err), "a key of two members")
	for range watchpost.MaxPasskeys - 1 {
		addPasskey(t, w, session, "More")
	}
	_, err = w.Registry.BeginPasskey(w.Context(), session)
	require.Equal(t, watchpost.Conflict, watchpost.KindOf(err))
	require.Len(t, storedKeys(t, w, team, "P"), watchpost.MaxPasskeys)
	actorstest.Must[root.Done](t, team, actors.RemoveMember{Member: session.Member})
	require.Empty(t, storedKeys(t, w, team, "P"))
	_, err = byPasskey(t, w, d)
	require.Equal(t, watchpost.Unauthenticated, watchpost.KindOf(err))
}

// TestPasskeyNeedsFreshSignIn: a browser that was left open changes no passkeys.
func TestPasskeyNeedsFreshSignIn(t *testing.T) {
	t.Parallel()
	w, team, session := passkeyWorld(t)
	addPasskey(t, w, session, "One")
	id := passkeysOf(t, team, session)[0].ID
	options, err := w.Registry.BeginPasskey(w.Context(), session)
	require.NoError(t, err)
	late := passkeytest.New(t, passkeySite).Create(options)
	w.Advance(watchpost.FreshSignIn)
	forbidden := func(err error) {
		t.Helper()
		require.Equal(t, watchpost.Forbidden, watchpost.KindOf(err))
	}
	_, err = w.Registry.BeginPasskey(w.Context(), session)
	forbidden(err)
	forbidden(w.Registry.RemovePasskey(w.Context(), session, id))
	require.Error(t, w.Registry.AddPasskey(w.Context(), session, late, "Late"))
	forbidden(w.Registry.RemovePasskey(w.Context(), actors.WebSession{ID: "nothing", Team: team.ID, Member: session.Member}, id))
	require.Len(t, passkeysOf(t, team, session), 1)
}

// TestPasskeyChallenge can be answered once, by the browser that asked, within minutes,
// and not after a restart.
func TestPasskeyChallenge(t *testing.T) {
	t.Parallel()
	w, _, session := passkeyWorld(t)
	d := addPasskey(t, w, session, "Phone")
	begin := func(nonce string) string {
		options, err := w.Registry.BeginSignIn(w.Context(), "client", nonce)
		require.NoError(t, err)
		return d.Get(options)
	}
	refused := func(answer, client, nonce string) {
		t.Helper()
		_, err := w.Registry.ProveByPasskey(w.Context(), answer, client, nonce)
		require.Equal(t, watchpost.Unauthenticated, watchpost.KindOf(err))
	}
	answer := begin("ada")
	refused(answer, "client", "eve")
	refused(answer, "other client", "ada")
	_, err := w.Registry.ProveByPasskey(w.Context(), answer, "client", "ada")
	require.NoError(t, err)
	refused(answer, "client", "ada")

	first := begin("ada")
	begin("ada") // takes its place
	refused(first, "client", "ada")

	answer = begin("ada")
	w.Advance(passkey.CeremonyTime)
	refused(answer, "client", "ada")

	answer = begin("ada")
	w.Restart()
	refused(answer, "client", "ada")

	// Sign-ins of others that wait do not push this one out; too many of one client do.
	answer = begin("ada")
	for n := range 60 {
		_, err := w.Registry.BeginSignIn(w.Context(), "crowd", string(rune('a'+n)))
		require.NoError(t, err)
	}
	_, err = w.Registry.ProveByPasskey(w.Context(), answer, "client", "ada")
	require.NoError(t, err)
	answer = begin("ada")
	for n := range 50 {
		begin(string(rune('A' + n)))
	}
	refused(answer, "client", "ada")

	options, err := w.Registry.BeginPasskey(w.Context(), session)
	require.NoError(t, err)
	made := passkeytest.New(t, passkeySite).Create(options)
	require.Error(t, w.Registry.AddPasskey(w.Context(), session, made[1:], "Broken"))
	require.Equal(t, watchpost.Unauthenticated, watchpost.KindOf(w.Registry.AddPasskey(w.Context(), session, made, "Again")), "used once, by a wrong answer too")
}

// TestCopiedPasskey: a key whose counter goes back is refused; the member hears of it
// once a day.
func TestCopiedPasskey(t *testing.T) {
	t.Parallel()
	w, team, session := passkeyWorld(t)
	d := addPasskey(t, w, session, "Phone")
	copied := d.Copy()
	_, err := byPasskey(t, w, d)
	require.NoError(t, err)
	ada := emailOf(t, team, session)
	mails := len(w.Mail.To(ada))
	for range 2 {
		copied.Counter = 0
		_, err = byPasskey(t, w, copied)
		require.Equal(t, watchpost.Unauthenticated, watchpost.KindOf(err))
	}
	told := w.Mail.To(ada)
	require.Len(t, told, mails+1)
	require.Contains(t, told[mails].Body, `passkey Phone was refused`)
	require.WithinDuration(t, w.Clock.Now(), passkeysOf(t, team, session)[0].RefusedAt, time.Minute)
	entries, err := w.Registry.Audit(w.Context(), team.ID, 1)
	require.NoError(t, err)
	require.Equal(t, watchpost.AuditPasskeyRefused, entries[0].Kind)
	_, err = byPasskey(t, w, d)
	require.NoError(t, err, "the holder's own key counts on")

	still := addPasskey(t, w, session, "Without a counter")
	still.Fixed = true
	for range 2 {
		_, err = byPasskey(t, w, still)
		require.NoError(t, err)
	}
}

// TestNoPasskeys: without an address for them there are none.
func TestNoPasskeys(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	require.Empty(t, w.Registry.PasskeysAt())
	_, err := w.Registry.BeginSignIn(w.Context(), "client", "nonce")
	var known *watchpost.Error
	require.True(t, errors.As(err, &known))
	require.Equal(t, watchpost.NotFound, known.Kind)
}
