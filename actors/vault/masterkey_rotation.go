package vault

import (
	"context"
	"errors"
	"time"

	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// A rotation of the master key begins with a service that has the new key as the
// first and the old one as the second (Keyring.Bind). Values sealed with the old key
// are sealed again with the new one, team by team, while the service runs. A
// rotation stores no progress: a secret tells with which key it opens. At the end the store needs the
// new key alone.

// keptSealed is how long a rotation lasts at least: kept replies to requests hold
// sealed secrets, too, and end by themselves.
const keptSealed = 25 * time.Hour

// Rotate has the secrets sealed again that are not sealed with the first master key, team
// by team, and ends the rotation when it finds none anywhere. reseal seals those of a
// team; done is false when another node serves it. Rotate returns how many teams are left,
// and whether the rotation has ended. Without a second key, or while the first is
// the one to be replaced, it does nothing.
func (k *Keyring) Rotate(ctx context.Context, store persistence.Store, clock watchpost.Clock, reseal func(watchpost.TeamID) (done bool, err error)) (left int, ended bool, err error) {
	if k.second == nil {
		return 0, false, nil
	}
	stored, others, waits, err := sealedOtherwise(ctx, store, k)
	if err != nil || stored.Next != nil && stored.Next.Hash != k.print {
		return 0, false, err
	}
	left = len(others)
	for _, team := range others {
		done, failure := reseal(team)
		if done {
			left--
		}
		err = errors.Join(err, failure)
	}
	if err != nil || len(others) > 0 || waits || stored.Next == nil || clock.Now().Before(stored.Next.At.Add(keptSealed)) {
		return left, false, err
	}
	stored.Retired = append(stored.Retired, stored.Current())
	stored.Hash, stored.Rotated, stored.Next = teamspace.RotatedHash, stored.Next, nil
	epoch, err := store.Activate(ctx, teamspace.KeyringSpace)
	if err != nil {
		return left, false, err
	}
	err = putFingerprint(ctx, store, epoch, stored)
	return left, err == nil, err
}

// Rotation is a rotation of the master key that is under way.
type Rotation struct {
	Began time.Time
	Ends  time.Time // at the earliest
	// Teams have secrets that are sealed with the old key.
	Teams int
	// Waiting reports whether the keyring has the new key only as its second.
	Waiting bool
}

// Rotation returns the rotation that is under way in a store; nil without one. The
// keyring must be one that Check accepts.
func (k *Keyring) Rotation(ctx context.Context, store persistence.Store) (*Rotation, error) {
	if k.second == nil {
		return nil, nil // Check refuses a single key while two are needed
	}
	stored, teams, _, err := sealedOtherwise(ctx, store, k)
	if err != nil || stored.Next == nil {
		return nil, err
	}
	waiting := stored.Next.Hash != k.print
	if waiting {
		if _, teams, _, err = sealedOtherwise(ctx, store, k.second); err != nil {
			return nil, err
		}
	}
	return &Rotation{Began: stored.Next.At, Ends: stored.Next.At.Add(keptSealed), Teams: len(teams), Waiting: waiting}, nil
}

// sealedOtherwise returns the teams with secrets that the first key of a keyring does
// not open, and whether mails have to be waited for.
func sealedOtherwise(ctx context.Context, store persistence.Store, k *Keyring) (stored teamspace.KeyFingerprint, teams []watchpost.TeamID, mails bool, err error) {
	view, err := store.View(ctx)
	if err != nil {
		return stored, nil, false, err
	}
	defer view.Close()
	if stored, err = teamspace.Load[teamspace.KeyFingerprint](view, teamspace.KeyringSpace, teamspace.FingerprintKey); err != nil {
		return stored, nil, false, err
	}
	var failure error
	err = view.ScanDirectory(teamspace.DirTeam, "", func(id string, _ []byte) bool {
		space := persistence.Space(id)
		var team teamspace.TeamRecord
		if team, failure = teamspace.Load[teamspace.TeamRecord](view, space, []byte(teamspace.KeyTeam)); failure != nil {
			return false
		}
		other := !k.current(team.SealedKey, id)
		failure = teamspace.LoadAll(view, space, teamspace.KeyTarget, func(target string, t watchpost.NotificationTarget) {
			other = other || !k.current(t.Sealed, target)
		})
		if other {
			teams = append(teams, watchpost.TeamID(id))
		}
		return failure == nil && ctx.Err() == nil
	})
	if err = errors.Join(err, failure, ctx.Err()); err != nil {
		return stored, nil, false, err
	}
	err = teamspace.EachEntry(view, teamspace.DirMail, func(id string, m teamspace.MailEntry) error {
		mails = mails || !k.current(m.Sealed, id)
		return nil
	})
	return stored, teams, mails, err
}
