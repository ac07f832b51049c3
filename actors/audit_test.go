package actors_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/actors/root"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// TestAudit: each sign-in and each change is kept with its origin, through a crash;
// the newest entries stay, and wrong codes are shown to the team of their address.
func TestAudit(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	member := actorstest.Must[actors.TeamView](t, team, actors.GetTeam{}).Team.Members[0]
	ctx := root.WithOrigin(w.Context(), watchpost.Origin{Operator: true, Client: "192.0.2.1"})
	rotated, err := actors.Ask(ctx, w.Registry, team.ID, actors.RotateKey{})
	require.NoError(t, err)
	own := root.WithOrigin(w.Context(), watchpost.Origin{Member: member.ID, Client: "192.0.2.2"})
	opened, err := w.Registry.OpenWebSession(w.Context(), team.ID, member.Email, actors.Browser{})
	require.NoError(t, err)
	session, err := w.Registry.WebSession(t.Context(), opened.Token)
	require.NoError(t, err)
	_, err = actors.Ask(own, w.Registry, team.ID, actors.RevealKey{Session: session.ID})
	require.NoError(t, err)
	_, err = actors.Ask(own, w.Registry, team.ID, actors.RevealKey{ToUse: true})
	require.NoError(t, err)

	require.NoError(t, w.Registry.SendOTP(w.Context(), member.Email, "", "192.0.2.3", "", ""))
	wrong := "111111"
	if w.Mail.Code(member.Email) == wrong {
		wrong = "222222"
	}
	_, err = verifyOTP(w, member.Email, wrong, "192.0.2.3")
	require.Equal(t, watchpost.Unauthenticated, watchpost.KindOf(err))
	w.Crash()
	log, err := w.Registry.Audit(w.Context(), team.ID, 100)
	require.NoError(t, err)
	var kinds []watchpost.AuditKind
	for _, e := range log {
		kinds = append(kinds, e.Kind)
	}
	require.ElementsMatch(t, []watchpost.AuditKind{watchpost.AuditSignInFailed, watchpost.AuditKeyRevealed, watchpost.AuditKeyRotated, watchpost.AuditTeamCreated}, kinds)
	for _, e := range log {
		switch e.Kind {
		case watchpost.AuditKeyRotated:
			require.Equal(t, watchpost.Origin{Operator: true, Client: "192.0.2.1"}, e.By)
		case watchpost.AuditKeyRevealed:
			require.Equal(t, []any{member.ID, member.Email, "192.0.2.2"}, []any{e.By.Member, e.Email, e.By.Client})
		case watchpost.AuditSignInFailed:
			require.Equal(t, []string{"192.0.2.3", member.Email}, []string{e.By.Client, e.Subject})
		}
	}

	t.Run("key use", func(t *testing.T) {
		client := func() string { return "198.51.100.7" }
		_, err := w.Registry.HolderOf(w.Context(), rotated.Key)
		require.NoError(t, err)
		used := func() actors.KeyView { return actorstest.Must[actors.KeyView](t, team, actors.GetKeyUse{}) }
		require.True(t, used().Used.At.IsZero())
		w.Advance(time.Minute)
		w.Registry.NoteKeyUse(team.ID, nil, rotated.Key, client)
		first := used().Used
		require.Equal(t, "198.51.100.7", first.Client)
		require.WithinDuration(t, w.Now(), first.At, time.Minute)
		before := w.Store.Submitted()
		w.Advance(10 * time.Second)
		w.Registry.NoteKeyUse(team.ID, nil, rotated.Key, client)
		require.Equal(t, first, used().Used)
		require.Equal(t, before, w.Store.Submitted(), "at most once a minute")
		w.Advance(time.Minute)
		w.Registry.NoteKeyUse(team.ID, nil, rotated.Key, client)
		second := used().Used
		require.True(t, second.At.After(first.At))
		w.Crash()
		require.Equal(t, second, used().Used)
		actorstest.Must[actors.APIKey](t, team, actors.RotateKey{})
		require.True(t, used().Used.At.IsZero(), "a new key was not used")
	})

	t.Run("the newest stay", func(t *testing.T) {
		for range watchpost.MaxAuditEntries {
			actorstest.Must[actors.APIKey](t, team, actors.RevealKey{})
		}
		require.Len(t, storedKeys(t, w, team, teamspace.KeyAudit), watchpost.MaxAuditEntries)
		w.Crash()
		actorstest.Must[actors.APIKey](t, team, actors.RotateKey{})
		log, err := w.Registry.Audit(w.Context(), team.ID, 3)
		require.NoError(t, err)
		require.Equal(t, watchpost.AuditKeyRotated, log[0].Kind)
		require.Equal(t, watchpost.AuditKeyRevealed, log[1].Kind)
		require.Len(t, storedKeys(t, w, team, teamspace.KeyAudit), watchpost.MaxAuditEntries)
	})
}

// TestAuditOfTargetsOfWatchlists: a watchlist makes a target by its slack_webhook_url, and
// takes targets with it. The audit has these, and who did it.
func TestAuditOfTargetsOfWatchlists(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	member := actorstest.Must[actors.TeamView](t, team, actors.GetTeam{}).Team.Members[0]
	ctx := root.WithOrigin(w.Context(), watchpost.Origin{Member: member.ID, Client: "192.0.2.2"})
	events := func() (kinds []watchpost.AuditKind) {
		log, err := w.Registry.Audit(w.Context(), team.ID, 100)
		require.NoError(t, err)
		for _, e := range slices.Backward(log) {
			if e.Kind != watchpost.AuditTeamCreated {
				require.Equal(t, member.ID, e.By.Member, e.Kind)
				require.Equal(t, "192.0.2.2", e.By.Client)
				kinds = append(kinds, e.Kind)
			}
		}
		return kinds
	}
	made, changed, deleted := watchpost.AuditTargetMade, watchpost.AuditTargetChanged, watchpost.AuditTargetDeleted
	list, err := actors.Ask(ctx, w.Registry, team.ID, actors.CreateWatchlist{Watchlist: watchpost.Watchlist{
		Type: watchpost.KeywordWatchlist, Name: "Grid", Keywords: []watchpost.KeywordEntry{{Keyword: "grid"}}, SlackURL: "https://hooks.example/1",
	}})
	require.NoError(t, err)
	people, err := actors.Ask(ctx, w.Registry, team.ID, followers(24, "", "kim"))
	require.NoError(t, err)
	require.Equal(t, []watchpost.AuditKind{made}, events())
	for _, one := range []actors.UpdateWatchlist{
		{ID: list.Watchlist.ID, Type: watchpost.KeywordWatchlist}, {ID: people.Watchlist.ID, Type: watchpost.PeopleWatchlist},
	} {
		for _, url := range []string{"https://hooks.example/2", "https://hooks.example/3", "https://hooks.example/3", ""} {
			one.Patch.SlackURL = ptr(url)
			_, err := actors.Ask(ctx, w.Registry, team.ID, one)
			require.NoError(t, err)
		}
	}
	want := []watchpost.AuditKind{made, changed, changed, deleted, made, changed, deleted}
	require.Equal(t, want, events())
	_, err = actors.Ask(ctx, w.Registry, team.ID, actors.CreateTarget{Target: watchpost.NotificationTarget{
		Name: "Mail", Kind: watchpost.TargetEmail, Watchlist: list.Watchlist.ID, Emails: []string{team.Email}, PerHour: 1,
	}})
	require.NoError(t, err)
	_, err = actors.Ask(ctx, w.Registry, team.ID, actors.DeleteWatchlist{Type: watchpost.KeywordWatchlist, ID: list.Watchlist.ID})
	require.NoError(t, err)
	w.Crash()
	require.Equal(t, append(want, made, deleted), events())
}
