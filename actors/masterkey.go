package actors

import (
	"context"
	"errors"
	"fmt"
	"time"

	"watchpost"
	"watchpost/persistence"
)

// keyringSpace holds the fingerprint of the master key that the store's secrets
// are written with. Team ids are UUIDs, so no team has this name.
const keyringSpace persistence.Space = "keyring"

var fingerprintKey = []byte("fingerprint")

// ErrOtherMasterKey means that the secrets in the store were written with
// another master key.
var ErrOtherMasterKey = errors.New("the secrets in the store were written with another key")

// keyFingerprint tells a master key from others and says nothing else of it.
type keyFingerprint struct {
	Hash      string    `json:"hash"`
	CreatedAt time.Time `json:"created_at"`
}

// NeedsMasterKey reports whether the store holds secrets that only an existing
// master key opens.
func NeedsMasterKey(ctx context.Context, store persistence.Store) (bool, error) {
	view, err := store.View(ctx)
	if err != nil {
		return false, err
	}
	defer view.Close()
	_, err = load[keyFingerprint](view, keyringSpace, fingerprintKey)
	if !errors.Is(err, persistence.ErrNotFound) {
		return err == nil, err
	}
	found := false
	err = view.ScanDirectory(dirTeam, func(string, []byte) bool {
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
	hash := k.hash("fingerprint", "")
	view, err := store.View(ctx)
	if err != nil {
		return err
	}
	stored, err := load[keyFingerprint](view, keyringSpace, fingerprintKey)
	if errors.Is(err, persistence.ErrNotFound) {
		err = k.opensTeam(view)
	} else if err == nil && stored.Hash != hash {
		err = ErrOtherMasterKey
	}
	view.Close()
	if err != nil || stored.Hash == hash {
		return err
	}
	epoch, err := store.Activate(ctx, keyringSpace)
	if err != nil {
		return err
	}
	batch := &persistence.Batch{}
	batch.Put(fingerprintKey, encode(keyFingerprint{Hash: hash, CreatedAt: now}))
	return persistence.Commit(ctx, store, keyringSpace, epoch, batch)
}

// opensTeam returns ErrOtherMasterKey when there are teams and the keyring opens
// the key of none. One is enough: older builds went on with a new master key
// when the first was lost, and such a store has teams of both.
func (k *Keyring) opensTeam(view persistence.View) error {
	var teams int
	var opened bool
	var failure error
	err := view.ScanDirectory(dirTeam, func(id string, _ []byte) bool {
		team, err := load[teamRecord](view, persistence.Space(id), []byte(keyTeam))
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
