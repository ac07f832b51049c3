package vault

import (
	"context"
	"errors"
	"slices"
	"time"

	"watchpost/persistence"
	"watchpost/persistence/teamspace"
)

// ErrOtherMasterKey means that the secrets in the store were written with
// another master key.
var ErrOtherMasterKey = errors.New("the secrets in the store were written with another key")

// ErrRotating means that secrets in the store are sealed with two master keys.
var ErrRotating = errors.New("a rotation of the master key has not ended: both keys are needed")

// ErrRetired means that a master key was rotated away.
var ErrRetired = errors.New("this master key was replaced by another one")

// NeedsMasterKey reports whether the store holds secrets that only an existing
// master key opens.
func NeedsMasterKey(ctx context.Context, store persistence.Store) (bool, error) {
	view, err := store.View(ctx)
	if err != nil {
		return false, err
	}
	defer view.Close()
	_, err = teamspace.Load[teamspace.KeyFingerprint](view, teamspace.KeyringSpace, teamspace.FingerprintKey)
	if errors.Is(err, persistence.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// Bind returns ErrOtherMasterKey unless the keyring is the one that the store's
// secrets were written with. It stores the fingerprint of the first keyring. With a
// second keyring that the store is bound to, it begins a rotation from that one to this
// one. Further errors are ErrRotating and ErrRetired.
func (k *Keyring) Bind(ctx context.Context, store persistence.Store, now time.Time) error {
	for {
		changed, err := k.compare(ctx, store, now)
		if err != nil || changed == nil {
			return err
		}
		// Nodes that start together bind at the same time: the record is read again under
		// the epoch that writes it, and when another node ends that epoch.
		epoch, err := store.Activate(ctx, teamspace.KeyringSpace)
		if err != nil {
			return err
		}
		if changed, err = k.compare(ctx, store, now); err != nil || changed == nil {
			return err
		}
		if err = putFingerprint(ctx, store, epoch, *changed); !errors.Is(err, persistence.ErrFenced) {
			return err
		}
	}
}

// Check returns the errors of Bind, and stores nothing.
func (k *Keyring) Check(ctx context.Context, store persistence.Store) error {
	view, err := store.View(ctx)
	if err != nil {
		return err
	}
	defer view.Close()
	_, err = k.bind(view, time.Time{})
	return err
}

func (k *Keyring) compare(ctx context.Context, store persistence.Store, now time.Time) (changed *teamspace.KeyFingerprint, err error) {
	view, err := store.View(ctx)
	if err != nil {
		return nil, err
	}
	defer view.Close()
	return k.bind(view, now)
}

func putFingerprint(ctx context.Context, store persistence.Store, epoch persistence.Epoch, record teamspace.KeyFingerprint) error {
	batch := &persistence.Batch{}
	batch.Put(teamspace.FingerprintKey, teamspace.Encode(record))
	return persistence.Commit(ctx, store, teamspace.KeyringSpace, epoch, batch)
}

// bind compares the keyring with the store and takes over the key of the lookups. It
// returns the record to be stored; nil when it stays.
func (k *Keyring) bind(view persistence.View, now time.Time) (*teamspace.KeyFingerprint, error) {
	stored, err := teamspace.Load[teamspace.KeyFingerprint](view, teamspace.KeyringSpace, teamspace.FingerprintKey)
	if errors.Is(err, persistence.ErrNotFound) {
		return &teamspace.KeyFingerprint{Hash: k.print, CreatedAt: now}, nil
	}
	if err != nil {
		return nil, err
	}
	second := ""
	if k.second != nil {
		second = k.second.print
	}
	switch next := stored.Next; {
	case stored.Current() == k.print:
		if next != nil && second != next.Hash {
			return nil, ErrRotating
		}
		return nil, k.takeLookup(stored.Rotated)
	case next != nil && next.Hash == k.print:
		if second != stored.Current() {
			return nil, ErrRotating
		}
		return nil, k.takeLookup(next)
	case slices.Contains(stored.Retired, k.print):
		return nil, ErrRetired
	case next != nil || second != stored.Current():
		return nil, ErrOtherMasterKey
	}
	if err := k.second.takeLookup(stored.Rotated); err != nil {
		return nil, err
	}
	k.mac = k.second.mac
	stored.Next = &teamspace.RotatedKey{Hash: k.print, Lookup: seal(k.wrap, string(k.mac), k.print), At: now}
	return &stored, nil
}

// takeLookup takes over the key of the lookups; it stays that of the master key in a
// store without a rotation.
func (k *Keyring) takeLookup(of *teamspace.RotatedKey) error {
	if of == nil {
		return nil
	}
	mac, err := open(k.wrap, of.Lookup, k.print)
	if err == nil {
		k.mac = []byte(mac)
	}
	return err
}
