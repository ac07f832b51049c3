package actors_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/actors/root"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/persistence/postgres"
	"watchpost/persistence/postgres/postgrestest"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// directoryKinds are all kinds of the directory.
var directoryKinds = []string{
	teamspace.DirTeam, teamspace.DirEmail, teamspace.DirKey, teamspace.DirToken, teamspace.DirPairing, teamspace.DirWebSession,
	teamspace.DirSignInLink, teamspace.DirWatchlist, teamspace.DirList, teamspace.DirAccount, teamspace.DirDeleting,
}

// storedOf returns what the store has of a team: keys of its space, and entries of
// the directory that contain one of the words.
func storedOf(t *testing.T, store persistence.Store, team watchpost.TeamID, words ...string) (found []string) {
	t.Helper()
	view, err := store.View(context.Background())
	require.NoError(t, err)
	defer view.Close()
	require.NoError(t, view.Scan(persistence.Space(team), nil, nil, func(key, _ []byte) bool {
		found = append(found, string(key))
		return true
	}))
	for _, kind := range directoryKinds {
		require.NoError(t, view.ScanDirectory(kind, "", func(name string, value []byte) bool {
			entry := kind + " " + name + " " + string(value)
			for _, word := range append(words, string(team)) {
				if strings.Contains(entry, word) {
					found = append(found, entry)
					break
				}
			}
			return true
		}))
	}
	return found
}

// furnished is a team with something of every kind: members, also a removed one,
// sessions, pairing codes, browsers, watchlists, lists, posts, tasks and journals.
func furnished(t *testing.T, w *actorstest.World) (team *actorstest.Team, session *actorstest.Session, words []string) {
	t.Helper()
	team = w.CreateTeam(t, watchpost.PlanUltimate)
	name := string(team.ID[len(team.ID)-8:])
	joe := team.Member(t, "joe")
	leaver := team.SessionOf(t, joe, "joe-"+name).Connect()
	words = []string{team.Key, team.Email, joe, string(memberOf(t, team, joe)), string(memberOf(t, team, team.Email))}
	remove(t, team, joe)
	leaver.ExpectClosed()
	session = team.Session(t, "ada-"+name).Connect()
	labelled(t, team, session, []protocol.Post{post(w, "1", "go one"), post(w, "2", "go two")}, "news")
	actorstest.Must[actors.Followed](t, team, followers(24, "", "kim", "lee"))
	actorstest.Must[actors.PairingCode](t, team, actors.CreatePairingCode{Email: team.Email})
	_, err := w.Registry.OpenWebSession(w.Context(), team.ID, team.Email, actors.Browser{Agent: "Browser"})
	require.NoError(t, err)
	actorstest.Must[actors.WebSessionOpened](t, team, actors.CreateSignInLink{Email: team.Email})
	for range 3 {
		team.Create(t, watchpost.TaskProfileFetch)
	}
	_, _, err = actors.AskOnce(w.Context(), w.Registry, team.ID, actors.IdempotencyKey{Name: "n", Hash: "h"}, root.Request[actors.TaskCreated](actorstest.NewTask(watchpost.TaskLikePost)))
	require.NoError(t, err)
	return team, session, words
}

// onEveryEngine runs a test with each engine.
func onEveryEngine(t *testing.T, test func(t *testing.T, engine persistence.Store)) {
	t.Helper()
	t.Run("badger", func(t *testing.T) { test(t, actorstest.Engine(t)) })
	t.Run("postgres", func(t *testing.T) {
		server, err := postgrestest.Start("fsync=off")
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, server.Close()) })
		url, err := server.NewDatabase(context.Background())
		require.NoError(t, err)
		store, err := postgres.Open(context.Background(), postgres.Options{URL: url, Logger: slog.New(slog.DiscardHandler)})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, store.Close()) })
		test(t, store)
	})
}

// TestDeletedTeam: nothing of a deleted team is in the store, on either engine, its
// sessions are closed, and other teams keep everything.
func TestDeletedTeam(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, engine persistence.Store) {
		w := actorstest.New(t, actorstest.On(engine))
		other, otherSession, _ := furnished(t, w)
		team, session, words := furnished(t, w)
		require.NotEmpty(t, storedOf(t, engine, team.ID))

		require.NoError(t, w.Registry.DeleteTeam(w.Context(), team.ID))
		require.Empty(t, storedOf(t, engine, team.ID, words...))
		require.Equal(t, protocol.CloseUnauthorised, session.ExpectClosed().Code)
		require.Error(t, session.Hello())
		_, err := w.Registry.HolderOf(w.Context(), team.Key)
		require.Equal(t, watchpost.Unauthenticated, watchpost.KindOf(err))
		actorstest.Fails(t, team, watchpost.NotFound, actors.GetTeam{})
		err = w.Registry.DeleteTeam(w.Context(), team.ID)
		require.Equal(t, watchpost.NotFound, watchpost.KindOf(err))
		w.Restart()
		require.Empty(t, storedOf(t, engine, team.ID, words...))
		teams, err := w.Registry.Teams(w.Context())
		require.NoError(t, err)
		require.Len(t, teams, 1)

		require.Len(t, other.Posts(t), 2)
		otherSession.Connect()
		// The email is free. The account has no allowance until the next day: the
		// deleted team may have used it.
		again, err := w.Registry.CreateTeam(w.Context(), actors.CreateTeam{Plan: watchpost.PlanGrowth, Email: team.Email})
		require.NoError(t, err)
		heir := &actorstest.Team{W: w, ID: again.Team.ID, Email: team.Email}
		heir.Session(t, session.Account.Slug).Connect()
		require.Contains(t, paused(t, heir, team.Email), actors.PauseNewClaim)
	})
}

// TestDeletionGoesOn: a deletion that is cut off at any of its commits, written or
// not, is finished by the next run. Until it begins the team is whole, and from
// then on it does not exist.
func TestDeletionGoesOn(t *testing.T) {
	t.Parallel()
	for _, fault := range []actorstest.Fault{actorstest.Before, actorstest.After} {
		cut := true
		for nth := 1; cut; nth++ {
			require.Less(t, nth, 20)
			t.Run(fmt.Sprintf("%d %d", fault, nth), func(t *testing.T) {
				w := actorstest.New(t)
				team, session, words := furnished(t, w)
				session.Drop()
				w.Store.Fail(persistence.Space(team.ID), nth, fault)
				ctx := w.Context()
				err := w.Registry.DeleteTeamOnce(ctx, team.ID)
				cut = err != nil
				w.Crash()
				if _, err := actorstest.Try[actors.TeamView](team, actors.GetTeam{}); err == nil {
					require.Len(t, team.Posts(t), 2)
					require.True(t, nth == 1 && fault == actorstest.Before)
					require.NoError(t, w.Registry.DeleteTeam(w.Context(), team.ID))
				} else {
					require.Equal(t, watchpost.NotFound, watchpost.KindOf(err))
					require.NoError(t, w.Registry.ResumeDeletions(w.Context()))
				}
				require.Empty(t, storedOf(t, w.Store, team.ID, words...))
			})
		}
	}
}

// scans counts the entries of the directory that are read without their names.
type scans struct {
	persistence.Store
	entries atomic.Int64
}

type scansView struct {
	persistence.View
	of *scans
}

// View implements persistence.Store.
func (s *scans) View(ctx context.Context) (persistence.View, error) {
	view, err := s.Store.View(ctx)
	return scansView{view, s}, err
}

// ScanDirectory implements persistence.View.
func (v scansView) ScanDirectory(kind, from string, yield func(name string, value []byte) bool) error {
	return v.View.ScanDirectory(kind, from, func(name string, value []byte) bool {
		v.of.entries.Add(1)
		return yield(name, value)
	})
}

// TestDeletionReadsItsTeam: a deletion reads nothing of other teams, once the claims are
// noted that earlier builds have ended. Before, it finds them all the same.
func TestDeletionReadsItsTeam(t *testing.T) {
	t.Parallel()
	engine := &scans{Store: actorstest.Engine(t)}
	w := actorstest.New(t, actorstest.On(engine))
	other, _, _ := furnished(t, w)
	first, firstSession, firstWords := furnished(t, w)
	second, secondSession, secondWords := furnished(t, w)
	for _, s := range []*actorstest.Session{firstSession, secondSession} {
		s.Drop()
	}
	earlierBuild := func(team *actorstest.Team) {
		batch := &persistence.Batch{}
		for _, key := range storedKeys(t, w, team, teamspace.KeyEndedClaim) {
			batch.Delete([]byte(key))
		}
		require.NotEmpty(t, batch.Writes)
		w.Plant(persistence.Space(team.ID), batch)
	}
	for _, team := range []*actorstest.Team{other, first, second} {
		earlierBuild(team)
	}
	w.Crash()
	require.NoError(t, w.Registry.DeleteTeam(w.Context(), first.ID))
	require.Empty(t, storedOf(t, engine, first.ID, firstWords...))

	for _, want := range []bool{true, true} {
		done, err := w.Registry.NoteEndedClaims(w.Context())
		require.NoError(t, err)
		require.Equal(t, want, done)
	}
	require.NotEmpty(t, storedKeys(t, w, other, teamspace.KeyEndedClaim))
	before := engine.entries.Load()
	require.NoError(t, w.Registry.DeleteTeam(w.Context(), second.ID))
	require.Equal(t, before, engine.entries.Load(), "entries of the directory read")
	require.Empty(t, storedOf(t, engine, second.ID, secondWords...))
}
