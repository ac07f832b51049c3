package actors

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"watchpost"
	"watchpost/persistence"
)

// onCreatePairingCode makes a code. It stands in the directory, where it is
// looked up, and by its end in the team's space, from where it is removed when
// nobody has used it.
func (t *team) onCreatePairingCode(m CreatePairingCode) {
	member, err := t.memberByEmail(m.Email)
	if err != nil {
		t.answer(nil, err)
		return
	}
	now := t.env.clock.Now()
	code := PairingCode{Code: watchpost.NewPairingCode(), ExpiresAt: now.Add(pairingTime)}
	hash := t.env.keyring.hash(dirPairing, code.Code)
	batch := &persistence.Batch{}
	if _, err := t.forgetPairings(batch, now); err != nil {
		t.fail(err)
		t.answer(nil, t.broken)
		return
	}
	batch.Set(persistence.DirectoryKey{Kind: dirPairing, Name: hash}, encode(ownerEntry{Team: t.id, Member: member.ID, Ends: code.ExpiresAt}))
	batch.Put(pairingKey(code.ExpiresAt, hash), nil)
	t.commit(batch, code)
}

// redeemPairing takes a pairing code, by its keyed hash; answered by
// SessionOpened.
type redeemPairing struct{ hash string }

// onRedeemPairing uses a code up and opens a session for its member: both in
// one batch, so that a code never opens two.
func (t *team) onRedeemPairing(m redeemPairing) {
	entry, stored, err := readStored[ownerEntry](t.env, dirPairing, m.hash)
	if err != nil && !errors.Is(err, persistence.ErrNotFound) {
		t.fail(err)
		t.answer(nil, t.broken)
		return
	}
	member, known := t.member(entry.Member)
	if err != nil || entry.Team != t.id || !known || !t.env.clock.Now().Before(entry.Ends) || t.redeemed[m.hash] {
		t.answer(nil, errPairing())
		return
	}
	t.redeemed[m.hash] = true // the directory shows it only after the commit
	batch := &persistence.Batch{}
	batch.CompareAndSet(persistence.DirectoryKey{Kind: dirPairing, Name: m.hash}, stored, nil)
	batch.Delete(pairingKey(entry.Ends, m.hash))
	t.personSeen(batch)
	t.commit(batch, t.openSession(batch, member))
}

func errPairing() error {
	return watchpost.Errorf(watchpost.Unauthenticated, "Invalid or expired pairing code")
}

// pairingsAtOnce bounds the expired codes that one batch forgets.
const pairingsAtOnce = 100

// forgetPairings removes codes that nobody has used in time, and reports whether
// there are others.
func (t *team) forgetPairings(batch *persistence.Batch, now time.Time) (more bool, err error) {
	view, err := t.env.store.View(context.Background())
	if err != nil {
		return false, err
	}
	defer view.Close()
	expired, left := pairingKey(now, ""), pairingsAtOnce
	err = view.Scan(t.space, []byte(keyPairing), persistence.PrefixEnd([]byte(keyPairing)), func(k, _ []byte) bool {
		if more = left == 0 || bytes.Compare(k, expired) >= 0; more {
			return false
		}
		batch.Delete(bytes.Clone(k))
		batch.Set(persistence.DirectoryKey{Kind: dirPairing, Name: string(k[len(expired):])}, nil)
		left--
		return true
	})
	return more, err
}

// forgetAllPairings makes sure that a team is not put to rest before its codes are
// used or forgotten: nobody else would look for them. It reports whether the
// team may rest.
func (t *team) forgetAllPairings() bool {
	batch := &persistence.Batch{}
	more, err := t.forgetPairings(batch, t.env.clock.Now())
	if err != nil {
		t.fail(err)
		return false
	}
	t.commits.submit(batch, nil)
	return !more
}

// pairingKey is where a code stands by its end, in seconds in hexadecimal.
func pairingKey(ends time.Time, hash string) []byte {
	return fmt.Appendf(nil, "%s%010x%s", keyPairing, ends.Unix(), hash)
}
