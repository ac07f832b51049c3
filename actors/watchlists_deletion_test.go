package actors_test

import (
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

// deletionDelay is how long the deletions of these tests wait. It is longer than an unused
// team stays in memory.
const deletionDelay = time.Hour

func deleteLater(t *testing.T, w *actorstest.World, team *actorstest.Team, list watchpost.Watchlist) time.Time {
	t.Helper()
	at := w.Now().Add(deletionDelay)
	done(t, team, actors.DeleteLater{ID: string(list.ID), At: at})
	return at
}

// liveWatchlists counts the watchlists of a team.
func liveWatchlists(t *testing.T, team *actorstest.Team) int {
	t.Helper()
	return len(actorstest.Must[[]actors.WatchlistView](t, team, actors.ListWatchlists{}))
}

// isDeleted checks that nothing of a watchlist with a target and a rule is left.
func isDeleted(t *testing.T, w *actorstest.World, team *actorstest.Team) {
	t.Helper()
	require.Eventually(t, func() bool { return liveWatchlists(t, team) == 0 }, actorstest.Wait, time.Millisecond)
	require.Empty(t, team.Posts(t))
	require.Empty(t, rulesOf(t, team).Rules)
	require.Empty(t, targetsOf(t, team))
	for _, prefix := range []string{teamspace.KeyDeletion, teamspace.KeyDeleted, teamspace.KeyScan} {
		require.Eventually(t, func() bool { return len(storedKeys(t, w, team, prefix)) == 0 }, actorstest.Wait, time.Millisecond)
	}
	require.Zero(t, outboxes(t, w))
}

// TestDeletionWaits: until its moment a watchlist stays whole, and the deletion can be taken
// back; then the watchlist goes with all that belongs to it.
func TestDeletionWaits(t *testing.T) {
	t.Parallel()
	w, team, s, h, scan, list := notified(t)
	makeRule(t, w, team, list.ID, watchpost.ActionLike, func(r *watchpost.EngagementRule) { r.Approval = true })
	newTarget(t, team, h, func(target *watchpost.NotificationTarget) { target.Watchlist = list.ID })
	endScan(s, scan, true, postBy(w, "ada"))
	undo := actors.UndoDeletion{ID: string(list.ID)}
	actorstest.Fails(t, team, watchpost.Conflict, undo)
	actorstest.Fails(t, team, watchpost.NotFound, actors.DeleteLater{Of: actors.DeletableRule, ID: string(list.ID), At: w.Now().Add(time.Hour)})

	before := getWatchlist(t, team, list)
	at := deleteLater(t, w, team, list)
	require.True(t, getWatchlist(t, team, list).DeletedAt.Equal(at))
	w.Advance(time.Minute)
	deleteLater(t, w, team, list)
	require.True(t, getWatchlist(t, team, list).DeletedAt.Equal(at), "it keeps its moment")
	require.Len(t, team.Posts(t, list.ID), 1)
	require.Len(t, rulesOf(t, team).Rules, 1)
	require.Len(t, targetsOf(t, team), 1)
	require.Equal(t, 1, outboxes(t, w), "a restart finds the team")
	name := "renamed"
	patch(t, team, list, watchpost.WatchlistPatch{Name: &name})
	done(t, team, undo)
	actorstest.Fails(t, team, watchpost.Conflict, undo)
	require.Zero(t, getWatchlist(t, team, list).DeletedAt)
	require.Equal(t, before.LastScanAt, getWatchlist(t, team, list).LastScanAt)
	require.Empty(t, storedKeys(t, w, team, teamspace.KeyDeletion))
	w.Advance(2 * deletionDelay)
	require.Equal(t, 1, liveWatchlists(t, team))

	deleteLater(t, w, team, list)
	w.Advance(deletionDelay)
	isDeleted(t, w, team)
	actorstest.Fails(t, team, watchpost.NotFound, undo)
}

// TestDeletionWaitsForAPlan: a watchlist counts until its deletion is carried out, and one
// that follows a list lets the others have it.
func TestDeletionWaitsForAPlan(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanFree)
	first := keywordWatchlist(t, team, "one")
	watchlistOf(t, team, watchpost.ForumWatchlist, "two")
	sub, err := w.Registry.Subscribe(team.ID, founder(t, team))
	require.NoError(t, err)
	defer sub.Close()
	changes, _ := sub.Next(w.Context())
	require.Equal(t, []root.Change{{Topic: root.TopicAll}}, changes)
	deleteLater(t, w, team, first)
	changes, _ = sub.Next(w.Context())
	require.Contains(t, changes, root.Change{Topic: root.TopicWatchlists}, "pages show it")
	third := actors.CreateWatchlist{Watchlist: watchpost.Watchlist{Type: watchpost.KeywordWatchlist, Keywords: []watchpost.KeywordEntry{{Keyword: "three"}}}}
	actorstest.Fails(t, team, watchpost.PlanLimit, third)
	w.Advance(deletionDelay)
	done(t, team, third)
}

// TestDeletionOfFollowersWaits: of two watchlists that follow a list, each goes at its moment,
// and the list with the second.
func TestDeletionOfFollowersWaits(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanUltimate)
	first := actorstest.Must[actors.Followed](t, team, followers(24, "", "mary"))
	second := actorstest.Must[actors.Followed](t, team, followers(24, first.Watchlist.List, "john"))
	deleteLater(t, w, team, first.Watchlist)
	w.Advance(deletionDelay / 2)
	deleteLater(t, w, team, second.Watchlist)
	w.Advance(deletionDelay / 2)
	require.Equal(t, 1, liveWatchlists(t, team))
	require.Len(t, getWatchlist(t, team, second.Watchlist).List.Entries, 2)
	w.Advance(deletionDelay / 2)
	require.Zero(t, liveWatchlists(t, team))
	require.Empty(t, storedKeys(t, w, team, teamspace.KeyList))
}

// TestDeletionSurvivesCrash: a deletion that waits is carried out after a crash, whether its
// moment comes before the team is activated again or after. The service activates the team.
func TestDeletionSurvivesCrash(t *testing.T) {
	t.Parallel()
	for name, early := range map[string]bool{"activated before the moment": true, "activated after it": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, team, s := house(t)
			list := keywordWatchlist(t, team, "go")
			makeRule(t, w, team, list.ID, watchpost.ActionLike, nil)
			endScan(s, s.Next(), true, post(w, "1", "go"))
			s.Drop()
			at := deleteLater(t, w, team, list)
			w.Crash()
			if early {
				require.NoError(t, w.Registry.ResumeNotifications(w.Context()))
				require.True(t, getWatchlist(t, team, list).DeletedAt.Equal(at))
				require.Len(t, team.Posts(t, list.ID), 1)
				w.Advance(deletionDelay)
			} else {
				w.Advance(deletionDelay)
				require.NotEmpty(t, storedKeys(t, w, team, teamspace.KeyDeletion))
				require.NoError(t, w.Registry.ResumeNotifications(w.Context()))
			}
			require.Eventually(t, func() bool { return len(storedKeys(t, w, team, teamspace.KeyDeletion)) == 0 }, actorstest.Wait, time.Millisecond, "without a request")
			isDeleted(t, w, team)
		})
	}
}

// TestDeletionKeepsTheTeamInMemory: an unused team is not passivated before its deletion.
func TestDeletionKeepsTheTeamInMemory(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanUltimate)
	list := keywordWatchlist(t, team, "go")
	deleteLater(t, w, team, list)
	for range 3 {
		w.Advance(actors.DefaultIdleAfter + time.Minute)
		require.Equal(t, 1.0, w.Gauge("watchpost_teams_active"))
	}
	w.Advance(deletionDelay)
	require.Empty(t, storedKeys(t, w, team, teamspace.KeyWatchlist), "without a request")
	// A sweep does not ask a team again that it is asking still, and the clock goes over many.
	require.Eventually(t, func() bool {
		w.Advance(actors.DefaultIdleAfter + 2*time.Minute)
		return w.Gauge("watchpost_teams_active") == 0
	}, actorstest.Wait, 10*time.Millisecond)
}

// TestDeletionAtOnceMeanwhile: a deletion at once, as that of the API, comes before one that
// waits, and leaves nothing of it.
func TestDeletionAtOnceMeanwhile(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanUltimate)
	list, kept := keywordWatchlist(t, team, "go"), keywordWatchlist(t, team, "rust")
	deleteLater(t, w, team, list)
	var together bool
	w.Store.FailWhen(func(_ persistence.Space, batch *persistence.Batch) actorstest.Fault {
		deleted := map[string]bool{}
		for _, write := range batch.Writes {
			if write.Delete {
				deleted[string(write.Key)] = true
			}
		}
		together = together || deleted[teamspace.KeyWatchlist+string(list.ID)] && deleted[teamspace.KeyDeletion+string(list.ID)]
		return actorstest.None
	})
	done(t, team, actors.DeleteWatchlist{Type: list.Type, ID: list.ID})
	w.Store.FailWhen(nil)
	require.True(t, together, "in one batch")
	actorstest.Fails(t, team, watchpost.NotFound, actors.UndoDeletion{ID: string(list.ID)})
	require.Zero(t, outboxes(t, w))
	w.Advance(2 * deletionDelay)
	w.Crash()
	require.Equal(t, kept.ID, getWatchlist(t, team, kept).Watchlist.ID)
	require.Equal(t, 1, liveWatchlists(t, team))
}

// TestDeletionAfterStoreFault: a deletion that the store does not take waits on, and is tried
// again with the next activation.
func TestDeletionAfterStoreFault(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanUltimate)
	list := keywordWatchlist(t, team, "go")
	deleteLater(t, w, team, list)
	w.Store.FailWhen(always(team, actorstest.Before))
	w.Advance(deletionDelay)
	require.NotEmpty(t, storedKeys(t, w, team, teamspace.KeyWatchlist))
	require.NotEmpty(t, storedKeys(t, w, team, teamspace.KeyDeletion))
	require.Equal(t, 1, outboxes(t, w))
	w.Store.FailWhen(nil)
	require.Eventually(t, func() bool {
		err := w.Registry.ResumeNotifications(w.Context())
		return err == nil && len(storedKeys(t, w, team, teamspace.KeyWatchlist)) == 0
	}, actorstest.Wait, time.Millisecond)
	isDeleted(t, w, team)
}

// TestDeletionIsAskedForBy: the audit names the member who asked for the deletion, though
// the targets and rules go later.
func TestDeletionIsAskedForBy(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanUltimate)
	list := keywordWatchlist(t, team, "go")
	makeRule(t, w, team, list.ID, watchpost.ActionLike, nil)
	asker := watchpost.Origin{Member: founder(t, team)}
	_, err := actors.Ask(root.WithOrigin(w.Context(), asker), w.Registry, team.ID, actors.DeleteLater{ID: string(list.ID), At: w.Now().Add(deletionDelay)})
	require.NoError(t, err)
	w.Crash()
	w.Advance(deletionDelay)
	require.Zero(t, liveWatchlists(t, team))
	entries, err := w.Registry.Audit(w.Context(), team.ID, 1)
	require.NoError(t, err)
	require.Equal(t, watchpost.AuditRuleDeleted, entries[0].Kind)
	require.Equal(t, asker.Member, entries[0].By.Member)
}
