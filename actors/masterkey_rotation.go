package actors

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

// reseal asks a team to seal its secrets again; answered by Done.
type reseal struct{}

// RotateMasterKey seals the secrets again that are not sealed with the first master key
// of the keyring, of the teams that this node serves, and ends the rotation when it
// finds none anywhere. It returns how many teams are left. Without a second key, or
// while the first is the one to be replaced, it does nothing.
func (r *Registry) RotateMasterKey(ctx context.Context) (left int, err error) {
	k := r.env.keyring
	if k.second == nil {
		return 0, nil
	}
	stored, others, waits, err := sealedOtherwise(ctx, r.env.store, k)
	if err != nil || stored.Next != nil && stored.Next.Hash != k.print {
		return 0, err
	}
	left = len(others)
	for _, team := range others {
		if !r.serves(string(team)) {
			continue
		}
		_, failure := Ask(ctx, r, team, reseal{})
		if failure == nil {
			left--
		}
		err = errors.Join(err, passOver(failure))
	}
	if err != nil || len(others) > 0 || waits || stored.Next == nil || r.env.clock.Now().Before(stored.Next.At.Add(keptSealed)) {
		return left, err
	}
	stored.Retired = append(stored.Retired, stored.Current())
	stored.Hash, stored.Rotated, stored.Next = teamspace.RotatedHash, stored.Next, nil
	epoch, err := r.env.store.Activate(ctx, teamspace.KeyringSpace)
	if err != nil {
		return left, err
	}
	if err := putFingerprint(ctx, r.env.store, epoch, stored); err != nil {
		return left, err
	}
	r.env.log.Info("the rotation of the master key has ended: the old key is not needed any more, except for backups of before")
	return 0, nil
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

// onReseal seals the team's secrets again.
func (t *team) onReseal() {
	k, st := t.env.keyring, &steps{}
	again := func(sealed []byte, owner string) ([]byte, error) {
		secret, err := k.open(sealed, owner)
		return k.seal(secret, owner), err
	}
	if !k.current(t.record.SealedKey, string(t.id)) {
		sealed, err := again(t.record.SealedKey, string(t.id))
		if err != nil {
			t.answer(nil, err)
			return
		}
		t.record.SealedKey = sealed
		t.putTeam(st.room(2))
	}
	for id, box := range t.notifications.byID {
		if box.target == nil || k.current(box.target.Sealed, string(id)) {
			continue
		}
		target := *box.target
		var err error
		if target.Sealed, err = again(target.Sealed, string(id)); err != nil {
			t.answer(nil, err)
			return
		}
		box.target = &target
		st.room(1).Put(teamspace.Key(teamspace.KeyTarget, id), teamspace.Encode(target))
	}
	t.submitSteps(st, replyTo(t.env, t.ctx.Sender(), Done{}))
}
