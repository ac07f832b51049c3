package actors

import (
	"errors"
	"slices"
	"time"

	"watchpost"
	"watchpost/internal/protocol"
	"watchpost/persistence"
)

// A claim says which member of which team works with an account of the
// network. The first session to report the account makes it, by compare-and-set
// in the directory that all teams share; it ends when the member is removed or
// has no session any more, or after claimEnds without a hello. An ended claim
// stays where it is until somebody claims the account anew.

// claimEnds is how long a claim lasts without a hello.
const claimEnds = 30 * 24 * time.Hour

// accountRecord is what a team keeps of an account that a member has claimed:
// what can be shown of it while no session is connected, and which claims end
// with the member.
type accountRecord struct {
	Member watchpost.MemberID `json:"member"`
	Slug   string             `json:"slug,omitempty"`
	Name   string             `json:"name,omitempty"`
	SeenOn time.Time          `json:"seen_on"` // the day
}

// heldClaim is a claim as it is stored: a nil stored says that there is none.
type heldClaim struct {
	claimEntry
	stored []byte
}

func (ms *members) loadAccounts(view persistence.View) error {
	return loadAll(view, ms.space, keyAccount, func(urn string, r accountRecord) {
		ms.accounts[watchpost.AccountURN(urn)] = r
	})
}

// claimed reads the claim on an account: as this activation left it or, when
// it has nothing to do with it, from the directory.
func (ms *members) claimed(urn watchpost.AccountURN) (heldClaim, error) {
	if held, ours := ms.claims[urn]; ours {
		return held, nil
	}
	entry, stored, err := readStored[claimEntry](ms.env, dirAccount, string(urn))
	if errors.Is(err, persistence.ErrNotFound) {
		return heldClaim{}, nil
	}
	return heldClaim{entry, stored}, err
}

// setClaim changes the claim on an account.
func (ms *members) setClaim(batch *persistence.Batch, urn watchpost.AccountURN, held heldClaim, next claimEntry) {
	stored := encode(next)
	batch.CompareAndSet(persistence.DirectoryKey{Kind: dirAccount, Name: string(urn)}, held.stored, stored)
	ms.claims[urn] = heldClaim{next, stored}
}

// claim returns the claim on an account and whether it is the member's own,
// after claiming what is free. Who comes after another has no allowance until
// the next reset: the account may have used it elsewhere.
func (ms *members) claim(batch *persistence.Batch, urn watchpost.AccountURN, member watchpost.MemberID, now time.Time) (claimEntry, bool, error) {
	held, err := ms.claimed(urn)
	if err != nil {
		return claimEntry{}, false, err
	}
	if held.stored == nil {
		fresh := claimEntry{Team: ms.team.id, Member: member, HelloAt: watchpost.Daily.Start(now)}
		ms.setClaim(batch, urn, held, fresh)
		return fresh, true, nil
	}
	next := held.claimEntry
	next.HelloAt, next.Ended = watchpost.Daily.Start(now), false
	if held.Team != ms.team.id || held.Member != member {
		if !held.Ended && now.Sub(held.HelloAt) < claimEnds {
			return held.claimEntry, false, nil
		}
		next = claimEntry{Team: ms.team.id, Member: member, HelloAt: next.HelloAt, From: watchpost.Daily.Reset(now), FromWeekly: watchpost.Weekly.Reset(now)}
	}
	next.Team, next.Member = ms.team.id, member // equal by now; in text that this team has anyway
	if next != held.claimEntry {
		ms.setClaim(batch, urn, held, next)
	} else {
		ms.claims[urn] = held
	}
	return next, true, nil
}

// keepAccount notes what a session reported of an account that its member has
// claimed.
func (ms *members) keepAccount(batch *persistence.Batch, urn watchpost.AccountURN, member watchpost.MemberID, a protocol.Account, now time.Time) {
	r := accountRecord{Member: member, Slug: a.Slug, Name: a.Name, SeenOn: watchpost.Daily.Start(now)}
	if ms.accounts[urn] != r {
		ms.accounts[urn] = r
		batch.Put(key(keyAccount, urn), encode(r))
	}
}

// accountsOf returns the accounts that a member has claimed.
func (ms *members) accountsOf(member watchpost.MemberID) (urns []watchpost.AccountURN) {
	for urn, r := range ms.accounts {
		if r.Member == member {
			urns = append(urns, urn)
		}
	}
	slices.Sort(urns)
	return urns
}

// endClaims ends all claims of a member but that on the account except.
func (ms *members) endClaims(st *steps, member watchpost.MemberID, except watchpost.AccountURN) error {
	for _, urn := range ms.accountsOf(member) {
		if urn == except {
			continue
		}
		batch := st.room(2)
		held, err := ms.claimed(urn)
		if err != nil {
			return err
		}
		if held.Team == ms.team.id && held.Member == member && !held.Ended {
			ended := held.claimEntry
			ended.Ended = true
			ms.setClaim(batch, urn, held, ended)
		}
		delete(ms.accounts, urn)
		batch.Delete(key(keyAccount, urn))
	}
	return nil
}
