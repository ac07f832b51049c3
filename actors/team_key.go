package actors

import (
	"context"
	"time"

	"watchpost/actors/insight"
	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// onCreateTeam founds the team. Sent again for the same id it is a Conflict:
// the caller chose a new id.
func (t *team) onCreateTeam(m CreateTeam) {
	if t.record.ID != "" {
		t.Answer(nil, watchpost.Errorf(watchpost.Conflict, "Team already exists"))
		return
	}
	if err := t.members.emailFree(m.Email); err != nil {
		t.Answer(nil, err)
		return
	}
	now := t.env.Clock.Now()
	name := m.Name
	if name == "" {
		name = watchpost.DefaultTeamName(m.FullName, m.Email)
	}
	founder := watchpost.Member{
		ID: watchpost.MemberID(watchpost.NewID(now)), Email: m.Email, FullName: m.FullName,
		Role: watchpost.RoleAdmin, CreatedAt: now, NeverSignedIn: !m.SignedIn,
	}
	batch := &persistence.Batch{}
	t.record = teamspace.TeamRecord{ID: t.id, Name: name, Plan: m.Plan, CreatedAt: now, Consented: true}
	if m.SignedIn {
		t.record.SignedInAt = now
	}
	apiKey := t.newKey(batch)
	t.putTeam(batch)
	t.members.put(batch, founder)
	t.audit.note(batch, watchpost.AuditTeamCreated, "", founder.Email)
	if m.SignedIn {
		t.audit.note(batch, watchpost.AuditSignedIn, founder.ID, subjectCode)
	}
	batch.Put([]byte(teamspace.KeyTagged), []byte{}) // there is nothing to classify again
	insight.Begin(batch)
	t.openPosts()
	t.Commit(batch, TeamCreated{Team: t.value(), APIKey: apiKey})
}

// newKey makes a key and writes its directory entry.
func (t *team) newKey(batch *persistence.Batch) string {
	apiKey := watchpost.NewAPIKey()
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
	if t.audit.from.Member != "" && !m.ToUse {
		if err := t.web.requireFresh(m.Session); err != nil {
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
		err = t.notifications.reseal(st)
	}
	if err != nil {
		t.Answer(nil, err)
		return
	}
	t.SubmitSteps(st, t.env.ReplyTo(t.Context.Sender(), root.Done{}))
}
