package actors

import (
	"context"
	"errors"
	"slices"
	"time"

	"watchpost/actors/root"
	"watchpost/internal/ordered"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// A claim names the team and the member that work with an account of the
// network. The first session to report the account, signed in, makes it, by
// compare-and-set in the directory that all teams share; it ends when the member is
// removed or has no session any more, or after claimEnds without a hello. An ended claim
// stays until another member claims the account.
//
// Nothing proves that a session is signed in to the account that it reports. So a claim
// holds for claimConfirmed only until a second sign of life or work confirms it. One that
// lapses has done nothing with the account, and costs the next owner no allowance.

const (
	// claimEnds is how long a claim lasts without a hello.
	claimEnds = 30 * 24 * time.Hour
	// claimConfirmed is how long a claim lasts that is not confirmed.
	claimConfirmed = time.Hour
	// secondSign is how much later than the claim a sign of life confirms it: what one
	// moment's frames repeat is no second sign.
	secondSign = protocol.HeartbeatEvery / 2
)

// heldClaim is a claim as it is stored: a nil stored says that there is none.
type heldClaim struct {
	teamspace.ClaimEntry
	stored []byte
}

// lapsed reports whether the claim was not confirmed in time.
func (c *heldClaim) lapsed(now time.Time) bool {
	return !c.Ended && !c.ConfirmBy.IsZero() && !now.Before(c.ConfirmBy)
}

// over reports whether another member may claim the account.
func (c *heldClaim) over(now time.Time) bool {
	return c.stored == nil || c.Ended || c.lapsed(now) || now.Sub(c.HelloAt) >= claimEnds
}

// confirmedBy reports whether a sign of life confirms the claim.
func (c *heldClaim) confirmedBy(sign time.Time) bool {
	return !c.ConfirmBy.IsZero() && !sign.Before(c.ConfirmBy.Add(secondSign-claimConfirmed))
}

func (ms *members) loadAccounts(view persistence.View) error {
	return teamspace.LoadAll(view, ms.Space, teamspace.KeyAccount, func(urn string, r teamspace.AccountRecord) {
		ms.accounts[watchpost.AccountURN(urn)] = r
	})
}

// claimed reads the claims on accounts: as this activation left them or, when it has
// nothing to do with them, or others may have claimed them since, from the directory.
func (ms *members) claimed(now time.Time, urns ...watchpost.AccountURN) (map[watchpost.AccountURN]heldClaim, error) {
	held := make(map[watchpost.AccountURN]heldClaim, len(urns))
	var others []string
	for _, urn := range urns {
		if claim, ours := ms.claims[urn]; ours && (claim.Ended || !claim.over(now)) {
			held[urn] = claim
		} else {
			others = append(others, string(urn))
		}
	}
	if len(others) == 0 {
		return held, nil
	}
	view, err := ms.env.View()
	if err != nil {
		return nil, err
	}
	defer view.Close()
	err = teamspace.LookupEach(view, teamspace.DirAccount, others, func(urn string, entry teamspace.ClaimEntry, stored []byte) {
		held[watchpost.AccountURN(urn)] = heldClaim{entry, stored}
	})
	return held, err
}

// setClaim changes the claim on an account. An ended one has no AccountRecord, so it is
// noted that the entry names the team.
func (ms *members) setClaim(batch *persistence.Batch, urn watchpost.AccountURN, held heldClaim, next teamspace.ClaimEntry) {
	stored := teamspace.Encode(next)
	batch.CompareAndSet(persistence.DirectoryKey{Kind: teamspace.DirAccount, Name: string(urn)}, held.stored, stored)
	ms.claims[urn] = heldClaim{next, stored}
	if note := teamspace.Key(teamspace.KeyEndedClaim, urn); next.Ended {
		batch.Put(note, []byte{})
	} else {
		batch.Delete(note)
	}
}

// holds returns the claim on an account, and whether it is the member's own and whether it
// is another's. It claims nothing.
func (ms *members) holds(urn watchpost.AccountURN, member watchpost.MemberID, now time.Time) (claim teamspace.ClaimEntry, ours, others bool, err error) {
	claims, err := ms.claimed(now, urn)
	if err != nil {
		return teamspace.ClaimEntry{}, false, false, err
	}
	held := claims[urn]
	own := held.Team == ms.team.id && held.Member == member
	return held.ClaimEntry, own && !held.Ended, !own && !held.over(now), nil
}

// unconfirmed reports whether a sign of life now confirms the team's claim on an account.
func (ms *members) unconfirmed(urn watchpost.AccountURN, now time.Time) bool {
	held := ms.claims[urn]
	return held.Team == ms.team.id && held.confirmedBy(now)
}

// confirm confirms the team's claim on an account with the work that the batch decides. Of
// a claim that has lapsed and is another team's now the store refuses both.
func (ms *members) confirm(batch *persistence.Batch, urn watchpost.AccountURN) {
	held := ms.claims[urn]
	if held.Team != ms.team.id || held.Ended || held.ConfirmBy.IsZero() {
		return
	}
	next := held.ClaimEntry
	next.ConfirmBy = time.Time{}
	ms.setClaim(batch, urn, held, next)
}

// claim returns the claim on an account and whether it is the member's own,
// after claiming a free account. A second claimant has no allowance until
// the next reset: the account may have used it elsewhere.
func (ms *members) claim(batch *persistence.Batch, urn watchpost.AccountURN, member watchpost.MemberID, now time.Time) (teamspace.ClaimEntry, bool, error) {
	claims, err := ms.claimed(now, urn)
	if err != nil {
		return teamspace.ClaimEntry{}, false, err
	}
	held := claims[urn]
	fresh := teamspace.ClaimEntry{Team: ms.team.id, Member: member, HelloAt: watchpost.Daily.Start(now), ConfirmBy: now.UTC().Truncate(time.Second).Add(claimConfirmed)}
	if held.stored == nil {
		ms.setClaim(batch, urn, held, fresh)
		return fresh, true, nil
	}
	next := held.ClaimEntry
	next.HelloAt, next.Ended = watchpost.Daily.Start(now), false
	if held.Team != ms.team.id || held.Member != member {
		if !held.over(now) {
			return held.ClaimEntry, false, nil
		}
		next = fresh
		next.From, next.FromWeekly = watchpost.Daily.Reset(now), watchpost.Weekly.Reset(now)
		if held.lapsed(now) {
			next.From, next.FromWeekly = held.From, held.FromWeekly
		}
	} else if held.confirmedBy(now) {
		next.ConfirmBy = time.Time{}
	}
	next.Team, next.Member = ms.team.id, member // equal by now; in text that this team has anyway
	if next != held.ClaimEntry {
		ms.setClaim(batch, urn, held, next)
	} else {
		ms.claims[urn] = held
	}
	return next, true, nil
}

// keepAccount notes what a session reported of an account that its member has
// claimed.
func (ms *members) keepAccount(batch *persistence.Batch, urn watchpost.AccountURN, member watchpost.MemberID, a protocol.Account, now time.Time) {
	r := teamspace.AccountRecord{Member: member, Slug: a.Slug, Name: a.Name, SeenOn: watchpost.Daily.Start(now)}
	if ms.accounts[urn] != r {
		ms.accounts[urn] = r
		batch.Put(teamspace.Key(teamspace.KeyAccount, urn), teamspace.Encode(r))
	}
}

// endClaims ends all claims of members but that on the account except.
func (ms *members) endClaims(st *root.Steps, except watchpost.AccountURN, of ...watchpost.MemberID) error {
	ends := make(map[watchpost.MemberID]bool, len(of))
	for _, member := range of {
		ends[member] = true
	}
	var urns []watchpost.AccountURN
	for urn, r := range ms.accounts {
		if ends[r.Member] && urn != except {
			urns = append(urns, urn)
		}
	}
	slices.Sort(urns)
	claims, err := ms.claimed(ms.env.Clock.Now(), urns...)
	if err != nil {
		return err
	}
	for _, urn := range urns {
		batch, held, member := st.Room(3), claims[urn], ms.accounts[urn].Member
		if held.Team == ms.team.id && held.Member == member && !held.Ended {
			ended := held.ClaimEntry
			ended.Ended = true
			ms.setClaim(batch, urn, held, ended)
		}
		delete(ms.accounts, urn)
		batch.Delete(teamspace.Key(teamspace.KeyAccount, urn))
	}
	return nil
}

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
