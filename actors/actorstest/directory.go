package actorstest

import (
	"context"

	"github.com/stretchr/testify/require"

	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// verifyDirectory looks whether each entry of the directory that names a team is owned by
// a record of the team's space, whatever has happened: a deletion finds no other.
func (w *World) verifyDirectory() {
	view, err := w.engine.View(context.Background())
	require.NoError(w.T, err)
	defer view.Close()
	owned := map[watchpost.TeamID]map[persistence.DirectoryKey]bool{}
	for _, kind := range []string{
		teamspace.DirEmail, teamspace.DirInvitation, teamspace.DirDomain, teamspace.DirKey, teamspace.DirToken, teamspace.DirPairing, teamspace.DirWebSession,
		teamspace.DirSignInLink, teamspace.DirPasskey, teamspace.DirWatchlist, teamspace.DirList, teamspace.DirAccount,
	} {
		require.NoError(w.T, teamspace.EachEntry(view, kind, func(name string, owner teamspace.OwnerEntry) error {
			if owner.Team == "" {
				return nil // a claim of a deleted team
			}
			if owned[owner.Team] == nil {
				owned[owner.Team] = w.ownedBy(view, owner.Team)
			}
			if entry := (persistence.DirectoryKey{Kind: kind, Name: name}); !owned[owner.Team][entry] {
				w.T.Errorf("team %s: no record owns the entry %s %s of the directory", owner.Team, kind, name)
			}
			return nil
		}))
	}
}

// ownedBy returns the entries of the directory that a team's records own.
func (w *World) ownedBy(view persistence.View, team watchpost.TeamID) map[persistence.DirectoryKey]bool {
	space, owned := persistence.Space(team), map[persistence.DirectoryKey]bool{}
	if record, err := teamspace.Load[teamspace.TeamRecord](view, space, []byte(teamspace.KeyTeam)); err == nil {
		owned[persistence.DirectoryKey{Kind: teamspace.DirKey, Name: record.KeyHash}] = true
	}
	for _, prefix := range teamspace.OwnerPrefixes {
		require.NoError(w.T, view.Scan(space, []byte(prefix), persistence.PrefixEnd([]byte(prefix)), func(k, v []byte) bool {
			entry, ok, err := teamspace.Owned(k, v)
			require.NoError(w.T, err)
			if ok {
				owned[entry] = true
			}
			return true
		}))
	}
	return owned
}
