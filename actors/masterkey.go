package actors

import (
	"context"
	"errors"
	"fmt"
	"time"

	"watchpost"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
)

// ErrOtherMasterKey means that the secrets in the store were written with
// another master key.
var ErrOtherMasterKey = errors.New("the secrets in the store were written with another key")

// NeedsMasterKey reports whether the store holds secrets that only an existing
// master key opens.
func NeedsMasterKey(ctx context.Context, store persistence.Store) (bool, error) {
	view, err := store.View(ctx)
	if err != nil {
		return false, err
	}
	defer view.Close()
	_, err = teamspace.Load[teamspace.KeyFingerprint](view, teamspace.KeyringSpace, teamspace.FingerprintKey)
	if !errors.Is(err, persistence.ErrNotFound) {
		return err == nil, err
	}
	found := false
	err = view.ScanDirectory(teamspace.DirTeam, func(string, []byte) bool {
		found = true
		return false
	})
	return found, err
}

// Bind returns ErrOtherMasterKey unless the keyring is the one that the store's
// secrets were written with. It stores the fingerprint of the first keyring. A
// store with teams but without a fingerprint comes from an older build: there a
// team's key must open.
func (k *Keyring) Bind(ctx context.Context, store persistence.Store, now time.Time) error {
	view, err := store.View(ctx)
	if err != nil {
		return err
	}
	bound, err := k.bound(view)
	view.Close()
	if err != nil || bound {
		return err
	}
	epoch, err := store.Activate(ctx, teamspace.KeyringSpace)
	if err != nil {
		return err
	}
	batch := &persistence.Batch{}
	batch.Put(teamspace.FingerprintKey, teamspace.Encode(teamspace.KeyFingerprint{Hash: k.Fingerprint(), CreatedAt: now}))
	return persistence.Commit(ctx, store, teamspace.KeyringSpace, epoch, batch)
}

// bound reports whether the store has the keyring's fingerprint; another one is
// ErrOtherMasterKey.
func (k *Keyring) bound(view persistence.View) (bool, error) {
	stored, err := teamspace.Load[teamspace.KeyFingerprint](view, teamspace.KeyringSpace, teamspace.FingerprintKey)
	if errors.Is(err, persistence.ErrNotFound) {
		return false, k.opensTeam(view)
	}
	if err == nil && stored.Hash != k.Fingerprint() {
		err = ErrOtherMasterKey
	}
	return err == nil, err
}

// opensTeam returns ErrOtherMasterKey when there are teams and the keyring opens
// the key of none. One is enough: older builds went on with a new master key
// when the first was lost, and such a store has teams of both.
func (k *Keyring) opensTeam(view persistence.View) error {
	var teams int
	var opened bool
	var failure error
	err := view.ScanDirectory(teamspace.DirTeam, func(id string, _ []byte) bool {
		team, err := teamspace.Load[teamspace.TeamRecord](view, persistence.Space(id), []byte(teamspace.KeyTeam))
		if err != nil {
			failure = fmt.Errorf("team %s: %w", watchpost.TeamID(id), err)
			return false
		}
		teams++
		_, err = k.open(team.SealedKey, id)
		opened = err == nil
		return !opened
	})
	if err = errors.Join(err, failure); err == nil && teams > 0 && !opened {
		err = ErrOtherMasterKey
	}
	return err
}
