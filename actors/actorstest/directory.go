package actorstest

import (
	"context"
	"errors"
	"fmt"

	"github.com/stretchr/testify/require"

	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// verifyDirectory fails the test when an entry of the directory has no owner.
func (w *World) verifyDirectory() {
	view, err := w.engine.View(context.Background())
	require.NoError(w.T, err)
	defer view.Close()
	problems, err := Unowned(view)
	require.NoError(w.T, err)
	for _, problem := range problems {
		w.T.Error(problem)
	}
}

// Unowned finds the entries of the directory that name a team and are not owned by a record
// of the team's space: a deletion would not find them.
func Unowned(view persistence.View) (problems []string, err error) {
	owned := map[watchpost.TeamID]map[persistence.DirectoryKey]bool{}
	for _, kind := range []string{
		teamspace.DirEmail, teamspace.DirInvitation, teamspace.DirDomain, teamspace.DirKey, teamspace.DirToken, teamspace.DirPairing, teamspace.DirWebSession,
		teamspace.DirSignInLink, teamspace.DirPasskey, teamspace.DirWatchlist, teamspace.DirList, teamspace.DirAccount,
	} {
		err := teamspace.EachEntry(view, kind, func(name string, owner teamspace.OwnerEntry) (err error) {
			if owner.Team == "" {
				return nil // a claim of a deleted team
			}
			if owned[owner.Team] == nil {
				if owned[owner.Team], err = ownedBy(view, owner.Team); err != nil {
					return err
				}
			}
			if entry := (persistence.DirectoryKey{Kind: kind, Name: name}); !owned[owner.Team][entry] {
				problems = append(problems, fmt.Sprintf("team %s: no record owns the entry %s %s of the directory", owner.Team, kind, name))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return problems, nil
}

// ownedBy returns the entries of the directory that a team's records own.
func ownedBy(view persistence.View, team watchpost.TeamID) (map[persistence.DirectoryKey]bool, error) {
	space, owned := persistence.Space(team), map[persistence.DirectoryKey]bool{}
	if record, err := teamspace.Load[teamspace.TeamRecord](view, space, []byte(teamspace.KeyTeam)); err == nil {
		owned[persistence.DirectoryKey{Kind: teamspace.DirKey, Name: record.KeyHash}] = true
	}
	for _, prefix := range teamspace.OwnerPrefixes {
		var failure error
		err := view.Scan(space, []byte(prefix), persistence.PrefixEnd([]byte(prefix)), func(k, v []byte) bool {
			entry, ok, err := teamspace.Owned(k, v)
			if failure = err; ok {
				owned[entry] = true
			}
			return failure == nil
		})
		if err = errors.Join(err, failure); err != nil {
			return nil, err
		}
	}
	return owned, nil
}
