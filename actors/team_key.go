package actors

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"watchpost/actors/root"
	"watchpost/internal/ordered"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// newKey makes a key and writes its directory entry.
func (t *team) newKey(batch *persistence.Batch) string {
	apiKey := watchpost.NewAPIKey(t.id)
	t.record.SealedKey = t.env.Keyring.Seal(apiKey, string(t.id))
	t.record.KeyHash, t.record.KeyAt = t.env.Keyring.Hash(teamspace.DirKey, apiKey), t.env.Clock.Now()
	batch.CompareAndSet(persistence.DirectoryKey{Kind: teamspace.DirKey, Name: t.record.KeyHash}, nil, teamspace.Encode(teamspace.OwnerEntry{Team: t.id}))
	return apiKey
}

// key opens the team's key.
func (t *team) key() (string, error) {
	return t.env.Keyring.Open(t.record.SealedKey, string(t.id))
}

func (t *team) putTeam(batch *persistence.Batch) {
	batch.Put([]byte(teamspace.KeyTeam), teamspace.Encode(t.record))
	batch.Set(persistence.DirectoryKey{Kind: teamspace.DirTeam, Name: string(t.id)},
		teamspace.Encode(teamspace.TeamEntry{
			Name: t.record.Name, Plan: t.record.Plan, CreatedAt: t.record.CreatedAt, PlanExpiresAt: t.record.PlanExpiresAt,
			KeepPosts: t.record.KeepPosts, KeyRotationAskedAt: t.record.KeyRotationAskedAt,
		}))
}

func (t *team) onRevealKey(m RevealKey) {
	if t.audit.origin().Member != "" && !m.ToUse {
		if _, err := t.web.RequireFresh(m.Session); err != nil {
			t.Answer(nil, err)
			return
		}
	}
	key, err := t.key()
	if err != nil {
		t.Answer(nil, err)
		return
	}
	batch := &persistence.Batch{}
	if !m.ToUse {
		t.audit.note(batch, watchpost.AuditKeyRevealed, "", "")
	}
	t.Commit(batch, APIKey{key})
}

// onAskKeyRotation notes that the operator is asked for another key, until it is made.
func (t *team) onAskKeyRotation() {
	batch := &persistence.Batch{}
	if t.record.KeyRotationAskedAt.IsZero() {
		t.record.KeyRotationAskedAt = t.env.Clock.Now()
		t.putTeam(batch)
		t.audit.note(batch, watchpost.AuditRotationAsked, "", "")
	}
	t.Commit(batch, root.Done{})
}

// memberLeft notes that a former member may have the key, whom it was shown since they
// signed in.
func (t *team) memberLeft(batch *persistence.Batch, m watchpost.Member) {
	if m.NeverSignedIn {
		return
	}
	t.record.MemberLeftAt = t.env.Clock.Now()
	batch.Put([]byte(teamspace.KeyTeam), teamspace.Encode(t.record))
}

func (t *team) onRotateKey() {
	batch := &persistence.Batch{}
	t.record.MemberLeftAt, t.record.KeyRotationAskedAt = time.Time{}, time.Time{}
	keys, id := t.env.keys, t.id
	batch.Set(persistence.DirectoryKey{Kind: teamspace.DirKey, Name: t.record.KeyHash}, nil)
	apiKey := t.newKey(batch)
	t.putTeam(batch)
	t.audit.forgetUse(batch)
	t.audit.note(batch, watchpost.AuditKeyRotated, "", "")
	forget := func(error) { keys.Drop(id) } // when in doubt, it is looked up again
	t.Commits.Submit(batch, root.Both(forget, t.env.ReplyTo(t.Context.Sender(), APIKey{apiKey})))
}

// reseal asks a team to seal its secrets again with the first master key; answered by Done.
type reseal struct{}

// RotateMasterKey seals the secrets again that are not sealed with the first master key
// of the keyring, of the teams that this node serves, and ends the rotation when it
// finds none anywhere. It returns how many teams are left.
func (r *upkeep) RotateMasterKey(ctx context.Context) (left int, err error) {
	left, ended, err := r.env.Keyring.Rotate(ctx, r.env.Store, r.env.Clock, func(team watchpost.TeamID) (bool, error) {
		if !r.Serves(string(team)) {
			return false, nil
		}
		_, err := askTeam(ctx, r.base, team, reseal{})
		return err == nil, passOver(err)
	})
	if ended {
		r.env.Log.Info("the rotation of the master key has ended: the old key is not needed any more, except for backups of before")
	}
	return left, err
}

func (t *team) onReseal() {
	st := &root.Steps{}
	sealed, changed, err := t.env.Keyring.Reseal(t.record.SealedKey, string(t.id))
	if err == nil && changed {
		t.record.SealedKey = sealed
		t.putTeam(st.Room(2))
	}
	if err == nil {
		err = t.notifications.Reseal(st)
	}
	if err != nil {
		t.Answer(nil, err)
		return
	}
	t.SubmitSteps(st, t.env.ReplyTo(t.Context.Sender(), root.Done{}))
}

// CreateKey makes a key with scopes (Invalid, Forbidden, Conflict); answered by KeyCreated.
// A member's request names the member's web session, which must be fresh.
type CreateKey struct {
	Key     watchpost.ScopedKey
	Session string
}

// KeyCreated is a new key with scopes; Secret is shown only once and not stored.
type KeyCreated struct {
	ScopedKeyView
	Secret string `json:"-"`
}

// UpdateKey changes a key with scopes (NotFound, Invalid, Forbidden); answered by
// ScopedKeyView. Session is as in CreateKey.
type UpdateKey struct {
	ID      watchpost.KeyID
	Patch   watchpost.KeyPatch
	Session string
}

// DeleteKey removes a key with scopes (NotFound); answered by Done. From the answer on it
// is refused.
type DeleteKey struct{ ID watchpost.KeyID }

// ListKeys is answered by []ScopedKeyView, oldest first.
type ListKeys struct{}

// ScopedKeyView is a key with scopes and its use.
type ScopedKeyView struct {
	Key   watchpost.ScopedKey
	Used  watchpost.KeyUse // zero: never
	Today watchpost.KeyCount
}

func (CreateKey) AnsweredWith(KeyCreated)     {}
func (UpdateKey) AnsweredWith(ScopedKeyView)  {}
func (DeleteKey) AnsweredWith(root.Done)      {}
func (ListKeys) AnsweredWith([]ScopedKeyView) {}

// scopedKeys is the component of a team that owns its keys with scopes, their last use
// and their counts of the day.
//
// The others ask which key makes the request (caller), whether one exists (known), and for
// all; count and putCounts hold its daily limits, onUsed notes its use.
type scopedKeys struct {
	*rootActor
	team *team
	byID map[watchpost.KeyID]*scopedKey
}

// scopedKey is a key with scopes as the team knows it.
type scopedKey struct {
	record teamspace.ScopedKeyRecord
	used   watchpost.KeyUse
	count  watchpost.KeyCount
}

func newScopedKeys(t *team) *scopedKeys {
	return &scopedKeys{rootActor: &t.rootActor, team: t, byID: map[watchpost.KeyID]*scopedKey{}}
}

func (ks *scopedKeys) load(view persistence.View) error {
	err := teamspace.LoadAll(view, ks.Space, teamspace.KeyScopedKey, func(id string, r teamspace.ScopedKeyRecord) {
		ks.byID[watchpost.KeyID(id)] = &scopedKey{record: r}
	})
	for id, k := range ordered.ByKey(ks.byID) {
		var failures [2]error
		k.used, failures[0] = teamspace.Load[watchpost.KeyUse](view, ks.Space, teamspace.Key(teamspace.KeyScopedKeyUse, id))
		k.count, failures[1] = teamspace.Load[watchpost.KeyCount](view, ks.Space, teamspace.Key(teamspace.KeyScopedKeyCount, id))
		for _, failure := range failures {
			if failure != nil && !errors.Is(failure, persistence.ErrNotFound) {
				err = errors.Join(err, failure)
			}
		}
	}
	return err
}

func (ks *scopedKeys) receive(message any) bool {
	switch m := message.(type) {
	case CreateKey:
		ks.onCreate(m)
	case UpdateKey:
		ks.onUpdate(m)
	case DeleteKey:
		ks.onDelete(m)
	case ListKeys:
		views := make([]ScopedKeyView, 0, len(ks.byID))
		for _, k := range ordered.ByKey(ks.byID) { // ids begin with their time
			views = append(views, ks.view(k))
		}
		ks.Answer(views, nil)
	default:
		return false
	}
	return true
}

func (ks *scopedKeys) view(k *scopedKey) ScopedKeyView {
	return ScopedKeyView{k.record.Key, k.used, k.count.On(ks.env.Clock.Now())}
}

// known returns an error when the request at hand comes with a key that is gone.
func (ks *scopedKeys) known(id watchpost.KeyID) error {
	if id != "" && ks.byID[id] == nil {
		return errInvalidKey
	}
	return nil
}

// caller returns the key that the request at hand comes with; nil for the team's key, and
// for a member.
func (ks *scopedKeys) caller() *watchpost.ScopedKey {
	if k := ks.byID[ks.team.audit.origin().KeyID]; k != nil {
		return &k.record.Key
	}
	return nil
}

// mayGive checks that the caller may create the key, or change it, as requested.
func (ks *scopedKeys) mayGive(key *watchpost.ScopedKey, session string) error {
	from := ks.team.audit.origin()
	switch {
	case from.Member != "":
		_, err := ks.team.web.RequireFresh(session)
		return err
	case from.KeyID != "":
		return ks.byID[from.KeyID].record.Key.Gives(key)
	}
	return nil
}

func (ks *scopedKeys) onCreate(m CreateKey) {
	now := ks.env.Clock.Now()
	key, err := m.Key.Clean(now)
	if err == nil {
		err = ks.mayGive(&key, m.Session)
	}
	if err == nil && len(ks.byID) >= watchpost.MaxScopedKeys {
		err = watchpost.Errorf(watchpost.Conflict, "At most %d keys", watchpost.MaxScopedKeys)
	}
	if err != nil {
		ks.Answer(nil, err)
		return
	}
	key.ID, key.CreatedAt = watchpost.KeyID(watchpost.NewID(now)), now
	if maker := ks.byID[ks.team.audit.origin().KeyID]; maker != nil {
		key.Makers = slices.DeleteFunc(slices.Clone(maker.record.Key.Makers), func(id watchpost.KeyID) bool { return ks.byID[id] == nil })
		key.Makers = append(key.Makers, maker.record.Key.ID)
	}
	secret := watchpost.NewScopedKey(ks.team.id)
	k := &scopedKey{record: teamspace.ScopedKeyRecord{Hash: ks.env.Keyring.Hash(teamspace.DirScopedKey, secret), Key: key}}
	ks.byID[key.ID] = k
	batch := &persistence.Batch{}
	ks.put(batch, k)
	ks.team.audit.note(batch, watchpost.AuditScopedKeyMade, "", key.Name)
	ks.team.idempotency.commitOnce(batch, KeyCreated{ks.view(k), secret})
}

// put writes a key, and the entry of the directory by which requests know it.
func (ks *scopedKeys) put(batch *persistence.Batch, k *scopedKey) {
	batch.Put(teamspace.Key(teamspace.KeyScopedKey, k.record.Key.ID), teamspace.Encode(k.record))
	batch.Set(persistence.DirectoryKey{Kind: teamspace.DirScopedKey, Name: k.record.Hash},
		teamspace.Encode(teamspace.ScopedKeyEntry{Team: ks.team.id, Key: k.record.Key}))
}

func (ks *scopedKeys) onUpdate(m UpdateKey) {
	k := ks.byID[m.ID]
	if k == nil {
		ks.Answer(nil, watchpost.Errorf(watchpost.NotFound, watchpost.TextKeyNotFound))
		return
	}
	var now time.Time // an expired key can be renamed
	if m.Patch.ExpiresAt != nil {
		now = ks.env.Clock.Now()
	}
	key, err := m.Patch.Apply(k.record.Key).Clean(now)
	if err == nil {
		err = ks.mayGive(&key, m.Session)
	}
	if err != nil {
		ks.Answer(nil, err)
		return
	}
	k.record.Key = key
	batch := &persistence.Batch{}
	ks.put(batch, k)
	ks.team.audit.note(batch, watchpost.AuditScopedKeyChange, "", key.Name)
	ks.submit(batch, ks.view(k))
}

func (ks *scopedKeys) onDelete(m DeleteKey) {
	k := ks.byID[m.ID]
	if k == nil {
		ks.Answer(nil, watchpost.Errorf(watchpost.NotFound, watchpost.TextKeyNotFound))
		return
	}
	delete(ks.byID, m.ID)
	batch := &persistence.Batch{}
	for _, prefix := range []string{teamspace.KeyScopedKey, teamspace.KeyScopedKeyUse, teamspace.KeyScopedKeyCount} {
		batch.Delete(teamspace.Key(prefix, m.ID))
	}
	batch.Set(persistence.DirectoryKey{Kind: teamspace.DirScopedKey, Name: k.record.Hash}, nil)
	ks.team.audit.note(batch, watchpost.AuditScopedKeyDelete, "", k.record.Key.Name)
	ks.submit(batch, root.Done{})
}

// submit writes a change of keys. What requests remember of the team's keys is dropped
// before the answer.
func (ks *scopedKeys) submit(batch *persistence.Batch, reply any) {
	keys, id := ks.env.keys, ks.team.id
	forget := func(error) { keys.Drop(id) } // when in doubt, it is looked up again
	ks.Commits.Submit(batch, root.Both(forget, ks.env.ReplyTo(ks.Context.Sender(), reply)))
}

// onUsed notes the last use of a key.
func (ks *scopedKeys) onUsed(m keyUsed) {
	k := ks.byID[m.key]
	if k == nil || !m.use.At.After(k.used.At) {
		return
	}
	k.used = m.use
	batch := &persistence.Batch{}
	batch.Put(teamspace.Key(teamspace.KeyScopedKeyUse, m.key), teamspace.Encode(k.used))
	ks.Commits.Submit(batch, nil)
}

// counted is a key with its count after a task that is to be created.
type counted struct {
	key  *scopedKey
	next watchpost.KeyCount
}

// count returns the counts after a new task of a key, of the key and its makers, as far
// as they are limited (PlanLimit). They are to be put into the batch that creates the
// task before another request is counted.
func (ks *scopedKeys) count(task *watchpost.Task) (all []counted, err error) {
	if task.Asked.Kind != watchpost.AskedByKey {
		return nil, nil
	}
	asker := ks.byID[watchpost.KeyID(task.Asked.ID)]
	costs, now := task.Costs(), ks.env.Clock.Now()
	for _, id := range append([]watchpost.KeyID{asker.record.Key.ID}, asker.record.Key.Makers...) {
		k := ks.byID[id]
		if k == nil || !k.record.Key.Limits(costs) {
			continue
		}
		next, err := k.count.Add(&k.record.Key, costs, now)
		if err != nil {
			return nil, err
		}
		all = append(all, counted{k, next})
	}
	return all, nil
}

// putCounts writes what count returned.
func (ks *scopedKeys) putCounts(batch *persistence.Batch, all []counted) {
	for _, c := range all {
		c.key.count = c.next
		batch.Put(teamspace.Key(teamspace.KeyScopedKeyCount, c.key.record.Key.ID), teamspace.Encode(c.next))
	}
}

// all yields the keys by their ids.
func (ks *scopedKeys) all() iter.Seq2[watchpost.KeyID, *scopedKey] { return ordered.ByKey(ks.byID) }
