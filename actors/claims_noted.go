package actors

import (
	"context"
	"errors"

	"watchpost/actors/root"
	"watchpost/internal/ordered"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// An ended claim stays in the directory, and its team notes that (KeyEndedClaim), so that
// a deletion finds it. Earlier builds did not. Until all of their ended claims are noted,
// a deletion reads all claims.

// claimsDone says that every ended claim is noted.
var claimsDone = persistence.DirectoryKey{Kind: teamspace.DirNoted, Name: "claims"}

// claimsSpace orders the writers of claimsDone. No team has an id of this form.
const claimsSpace persistence.Space = "claims"

func claimsNoted(view persistence.View) (bool, error) {
	_, err := view.Lookup(claimsDone)
	if errors.Is(err, persistence.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// endedClaims calls yield for each claim of a team that has ended.
func endedClaims(view persistence.View, yield func(watchpost.TeamID, watchpost.AccountURN)) error {
	return teamspace.EachEntry(view, teamspace.DirAccount, func(urn string, claim teamspace.ClaimEntry) error {
		if claim.Ended && claim.Team != "" {
			yield(claim.Team, watchpost.AccountURN(urn))
		}
		return nil
	})
}

// noteClaims asks a team to note claims that have ended; answered by Done.
type noteClaims struct{ urns []watchpost.AccountURN }

// NoteEndedClaims lets the teams that this node serves note the claims that earlier
// builds have ended. It reports whether all are noted; then it need not be called again,
// also after a restart.
func (r *upkeep) NoteEndedClaims(ctx context.Context) (done bool, err error) {
	missing, err := r.claimsToNote(ctx)
	if err != nil || missing == nil {
		return err == nil, err
	}
	left := 0
	for team, urns := range ordered.ByKey(missing) {
		if !r.Serves(string(team)) {
			left++
			continue
		}
		_, failure := askTeam(ctx, r.base, team, noteClaims{urns})
		if failure != nil { // a team that is being deleted is gone at the next call
			left++
		}
		err = errors.Join(err, passOver(failure))
	}
	if err != nil || left > 0 {
		return false, err
	}
	epoch, err := r.env.Store.Activate(ctx, claimsSpace)
	if err != nil {
		return false, err
	}
	batch := &persistence.Batch{}
	batch.Set(claimsDone, []byte{})
	err = persistence.Commit(ctx, r.env.Store, claimsSpace, epoch, batch)
	return err == nil, err
}

// claimsToNote returns the ended claims that are not noted; nil when that is known of
// all.
func (r *upkeep) claimsToNote(ctx context.Context) (map[watchpost.TeamID][]watchpost.AccountURN, error) {
	view, err := r.env.Store.View(ctx)
	if err != nil {
		return nil, err
	}
	defer view.Close()
	if noted, err := claimsNoted(view); noted || err != nil {
		return nil, err
	}
	missing, failure := map[watchpost.TeamID][]watchpost.AccountURN{}, error(nil)
	err = endedClaims(view, func(team watchpost.TeamID, urn watchpost.AccountURN) {
		_, unknown := view.Get(persistence.Space(team), teamspace.Key(teamspace.KeyEndedClaim, urn))
		if errors.Is(unknown, persistence.ErrNotFound) {
			missing[team] = append(missing[team], urn)
		} else {
			failure = errors.Join(failure, unknown)
		}
	})
	return missing, errors.Join(err, failure)
}

func (t *team) onNoteClaims(m noteClaims) {
	t.noteClaims(m.urns)
	t.Commits.Submit(nil, t.env.ReplyTo(t.Context.Sender(), root.Done{}))
}

func (t *team) noteClaims(urns []watchpost.AccountURN) {
	st := &root.Steps{}
	for _, urn := range urns {
		st.Room(1).Put(teamspace.Key(teamspace.KeyEndedClaim, urn), []byte{})
	}
	t.SubmitSteps(st, nil)
}
