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
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// deletable is a thing of a team whose deletion can wait.
type deletable struct {
	of    actors.Deletable
	id    string
	at    func() time.Time // when it will be deleted
	left  func() int       // how many of its kind the team has
	now   any              // the request that deletes it at once
	audit watchpost.AuditKind
}

func ruleToDelete(t *testing.T, team *actorstest.Team, id watchpost.RuleID) deletable {
	return deletable{
		of: actors.DeletableRule, id: string(id), now: actors.DeleteRule{ID: id}, audit: watchpost.AuditRuleDeleted,
		at:   func() time.Time { return rulesOf(t, team).Rules[0].DeletedAt },
		left: func() int { return len(rulesOf(t, team).Rules) },
	}
}

func targetToDelete(t *testing.T, team *actorstest.Team, id watchpost.TargetID) deletable {
	return deletable{
		of: actors.DeletableTarget, id: string(id), now: actors.DeleteTarget{ID: id}, audit: watchpost.AuditTargetDeleted,
		at:   func() time.Time { return targetsOf(t, team)[0].DeletedAt },
		left: func() int { return len(targetsOf(t, team)) },
	}
}

// deletables runs a test with a rule, and with a notification target.
func deletables(t *testing.T, test func(t *testing.T, w *actorstest.World, team *actorstest.Team, list watchpost.Watchlist, d deletable)) {
	for _, of := range []actors.Deletable{actors.DeletableRule, actors.DeletableTarget} {
		t.Run(string(of), func(t *testing.T) {
			t.Parallel()
			w, team, s, h, _, list := notified(t)
			s.Drop()
			if of == actors.DeletableRule {
				made := makeRule(t, w, team, list.ID, watchpost.ActionLike, nil)
				test(t, w, team, list, ruleToDelete(t, team, made.Rule.ID))
				return
			}
			made := newTarget(t, team, h, func(target *watchpost.NotificationTarget) { target.Watchlist = list.ID })
			test(t, w, team, list, targetToDelete(t, team, made.Target.ID))
		})
	}
}

// deleteThing asks for a deletion later, in the name of the founder.
func deleteThing(t *testing.T, w *actorstest.World, team *actorstest.Team, d deletable) time.Time {
	t.Helper()
	at := w.Now().Add(deletionDelay)
	by := watchpost.Origin{Member: founder(t, team)}
	_, err := actors.Ask(root.WithOrigin(w.Context(), by), w.Registry, team.ID, actors.DeleteLater{Of: d.of, ID: d.id, At: at})
	require.NoError(t, err)
	return at
}

// TestDeletionOfThingsWaits: until its moment a rule or target stays, and the deletion can be
// taken back, also after a crash. Then it goes, in the name of who asked for that, also when the
// moment comes while the service is down.
func TestDeletionOfThingsWaits(t *testing.T) {
	t.Parallel()
	deletables(t, func(t *testing.T, w *actorstest.World, team *actorstest.Team, _ watchpost.Watchlist, d deletable) {
		undo := actors.UndoDeletion{Of: d.of, ID: d.id}
		actorstest.Fails(t, team, watchpost.Conflict, undo)
		actorstest.Fails(t, team, watchpost.NotFound, actors.DeleteLater{Of: d.of, ID: watchpost.NewID(w.Now()), At: w.Now().Add(deletionDelay)})
		require.Zero(t, d.at())

		at := deleteThing(t, w, team, d)
		w.Advance(time.Minute)
		deleteThing(t, w, team, d)
		require.True(t, d.at().Equal(at), "it keeps its moment")
		require.Equal(t, 1, outboxes(t, w), "a restart finds the team")
		w.Crash()
		require.True(t, d.at().Equal(at))
		done(t, team, undo)
		actorstest.Fails(t, team, watchpost.Conflict, undo)
		require.Zero(t, d.at())
		require.Zero(t, outboxes(t, w))
		w.Advance(2 * deletionDelay)
		require.Equal(t, 1, d.left())

		deleteThing(t, w, team, d)
		w.Crash()
		w.Advance(deletionDelay)
		require.NoError(t, w.Registry.ResumeNotifications(w.Context()))
		require.Eventually(t, func() bool { return len(storedKeys(t, w, team, teamspace.KeyDeletion)) == 0 }, actorstest.Wait, time.Millisecond, "without a request")
		require.Zero(t, d.left())
		require.Zero(t, outboxes(t, w))
		require.Equal(t, 1, liveWatchlists(t, team))
		actorstest.Fails(t, team, watchpost.NotFound, undo)
		entries, err := w.Registry.Audit(w.Context(), team.ID, 1)
		require.NoError(t, err)
		require.Equal(t, d.audit, entries[0].Kind)
		require.Equal(t, founder(t, team), entries[0].By.Member)
	})
}

// TestDeletionOfThingsAtOnceMeanwhile: a deletion at once, or that of the watchlist, comes before
// one that waits, and leaves nothing of it.
func TestDeletionOfThingsAtOnceMeanwhile(t *testing.T) {
	t.Parallel()
	for name, whole := range map[string]bool{"itself": false, "its watchlist": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			deletables(t, func(t *testing.T, w *actorstest.World, team *actorstest.Team, list watchpost.Watchlist, d deletable) {
				deleteThing(t, w, team, d)
				request, key := d.now, map[actors.Deletable]string{actors.DeletableRule: teamspace.KeyRule, actors.DeletableTarget: teamspace.KeyTarget}[d.of]
				if whole {
					request = actors.DeleteWatchlist{Type: list.Type, ID: list.ID}
				}
				var together bool
				w.Store.FailWhen(func(_ persistence.Space, batch *persistence.Batch) actorstest.Fault {
					deleted := map[string]bool{}
					for _, write := range batch.Writes {
						if write.Delete {
							deleted[string(write.Key)] = true
						}
					}
					together = together || deleted[key+d.id] && deleted[teamspace.KeyDeletion+d.id]
					return actorstest.None
				})
				done(t, team, request)
				w.Store.FailWhen(nil)
				require.True(t, together, "in one batch")
				require.Zero(t, d.left())
				require.Zero(t, outboxes(t, w))
				w.Advance(2 * deletionDelay)
				require.Empty(t, storedKeys(t, w, team, teamspace.KeyDeletion))
			})
		})
	}
}

// TestDeletionOfWhatIsGone: an earlier build, which does not know that the deletion of a rule
// waits, has deleted the rule. A kind that only a later build knows stays noted.
func TestDeletionOfWhatIsGone(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanUltimate)
	gone, later := watchpost.NewID(w.Now()), watchpost.NewID(w.Now())
	p := &planter{W: w, team: team, now: w.Now()}
	p.put(teamspace.Key(teamspace.KeyDeletion, gone), teamspace.DeletionRecord{Of: actors.DeletableRule, At: w.Now().Add(deletionDelay)})
	p.put(teamspace.Key(teamspace.KeyDeletion, later), teamspace.DeletionRecord{Of: "later", At: w.Now().Add(-time.Hour)})
	p.plant()
	w.Crash()
	require.Zero(t, liveWatchlists(t, team))
	require.Equal(t, []string{teamspace.KeyDeletion + later}, storedKeys(t, w, team, teamspace.KeyDeletion))
}

// TestRuleBegunNoMoreWhileItsDeletionWaits: a rule whose deletion waits begins nothing. Taken
// back, it goes on.
func TestRuleBegunNoMoreWhileItsDeletionWaits(t *testing.T) {
	t.Parallel()
	w, team, s, rule, scan := ruled(t, watchpost.ActionLike, nil)
	s.Part(scan, 0, postBy(w, "ada"), postBy(w, "bob"))
	s.ExpectAck(scan)
	endScan(s, scan, true)
	s.Finish(s.Expect(protocol.TypeTask))
	require.Eventually(t, func() bool { return len(rulesOf(t, team).Open) == 1 }, actorstest.Wait, time.Millisecond)
	d := ruleToDelete(t, team, rule.Rule.ID)
	deleteThing(t, w, team, d)
	w.Advance(30 * time.Minute)
	require.Empty(t, writesOf(s))
	require.Len(t, rulesOf(t, team).Open, 1)
	done(t, team, actors.UndoDeletion{Of: d.of, ID: d.id})
	s.Finish(nextWrite(s))
	require.Eventually(t, func() bool { return len(rulesOf(t, team).Open) == 0 }, actorstest.Wait, time.Millisecond)
	require.Equal(t, []watchpost.RuleActionState{watchpost.RuleDone, watchpost.RuleDone}, journalOf(t, team))
}

// TestTargetSendsNothingWhileItsDeletionWaits: a target whose deletion waits keeps its posts, and
// sends them when the deletion is taken back.
func TestTargetSendsNothingWhileItsDeletionWaits(t *testing.T) {
	t.Parallel()
	w, team, s, h, scan, list := notified(t)
	made := newTarget(t, team, h, func(target *watchpost.NotificationTarget) { target.Watchlist = list.ID })
	d := targetToDelete(t, team, made.Target.ID)
	deleteThing(t, w, team, d)
	endScan(s, scan, true, postBy(w, "ada"))
	require.Eventually(t, func() bool { return targetsOf(t, team)[0].Waiting == 1 }, actorstest.Wait, time.Millisecond)
	w.Advance(deletionDelay / 2)
	view := targetsOf(t, team)[0]
	require.Equal(t, 1, view.Waiting)
	require.Nil(t, view.Current, "no message is begun")
	require.Zero(t, view.NextAt)
	done(t, team, actors.UndoDeletion{Of: d.of, ID: d.id})
	h.await(t, 1)

	deleteThing(t, w, team, d)
	w.Advance(deletionDelay)
	require.Eventually(t, func() bool { return len(targetsOf(t, team)) == 0 && len(storedKeys(t, w, team, "t")) == 0 }, actorstest.Wait, time.Millisecond)
}
