package actors

import (
	"errors"
	"slices"
	"time"

	"watchpost"
	"watchpost/persistence"
)

const textEmailTaken = "Email already belongs to a team"

// pairingTime is how long a pairing code is good for.
const pairingTime = 10 * time.Minute

// receiveTeam handles what concerns the team itself and its members.
func (t *team) receiveTeam(message any) bool {
	switch m := message.(type) {
	case RequireExtension:
		t.onRequireExtension()
	case IdempotentRequest:
		t.onIdempotentRequest(m)
	case GetTeam:
		t.answer(t.view(), nil)
	case UpdateTeam:
		t.onUpdateTeam(m)
	case RevealKey:
		key, err := t.env.keyring.open(t.record.SealedKey, string(t.id))
		t.answer(APIKey{key}, err)
	case RotateKey:
		t.onRotateKey()
	case AddMember:
		t.onAddMember(m)
	case UpdateMember:
		t.onUpdateMember(m)
	case RemoveMember:
		t.onRemoveMember(m)
	case ReleaseAccount:
		t.onReleaseAccount(m)
	case signInMember:
		t.onSignInMember(m)
	case GetMember:
		member, err := t.memberByEmail(m.Email)
		t.answer(member, err)
	default:
		return false
	}
	return true
}

func (t *team) loadMembers(view persistence.View) error {
	err := loadAll(view, t.space, keyMember, func(_ string, m watchpost.Member) {
		t.members = append(t.members, m)
	})
	watchpost.SortMembers(t.members)
	if err != nil {
		return err
	}
	return loadAll(view, t.space, keyLiveness, func(id string, at time.Time) {
		t.liveness[watchpost.MemberID(id)] = &liveness{last: at, stored: at}
	})
}

// team returns the team with its members, as a value of the receiver's own.
func (t *team) value() watchpost.Team {
	return watchpost.Team{
		ID: t.id, Name: t.record.Name, Plan: t.plan(), CreatedAt: t.record.CreatedAt,
		PlanExpiresAt: t.record.PlanExpiresAt,
		Members:       slices.Clone(t.members),
	}
}

// onRequireExtension answers whether an extension was active within LivenessWindow.
func (t *team) onRequireExtension() {
	now := t.env.clock.Now()
	for _, l := range t.liveness {
		if watchpost.ExtensionActive(l.last, now) {
			t.answer(Done{}, nil)
			return
		}
	}
	t.answer(nil, watchpost.Errorf(watchpost.ExtensionRequired, watchpost.TextExtensionRequired))
}

// showPresence lets Registry.RequireExtension read the newest sign of life.
func (t *team) showPresence() {
	var newest time.Time
	for _, l := range t.liveness {
		if l.last.After(newest) {
			newest = l.last
		}
	}
	t.env.presence.Store(t.id, newest)
}

// onCreateTeam founds the team. Sent again for the same id it is a Conflict:
// the caller chose a new id.
func (t *team) onCreateTeam(m CreateTeam) {
	if t.record.ID != "" {
		t.answer(nil, watchpost.Errorf(watchpost.Conflict, "Team already exists"))
		return
	}
	if err := t.emailFree(m.Email); err != nil {
		t.answer(nil, err)
		return
	}
	now := t.env.clock.Now()
	name := m.Name
	if name == "" {
		name = watchpost.DefaultTeamName(m.FullName, m.Email)
	}
	founder := watchpost.Member{
		ID: watchpost.MemberID(watchpost.NewID(now)), Email: m.Email, FullName: m.FullName,
		Role: watchpost.RoleAdmin, CreatedAt: now,
	}
	batch := &persistence.Batch{}
	t.record = teamRecord{ID: t.id, Name: name, Plan: m.Plan, CreatedAt: now}
	if m.SignedIn {
		t.record.SignedInAt = now
	}
	apiKey := t.newKey(batch)
	t.putTeam(batch)
	t.putMember(batch, founder)
	batch.Put([]byte(keyTagged), []byte{}) // there is nothing to classify again
	t.postStore = t.spawn(newPostStore(t.env, t.space, t.ctx.Self()))
	t.commit(batch, TeamCreated{Team: t.value(), APIKey: apiKey})
}

// newKey makes a key and writes its directory entry.
func (t *team) newKey(batch *persistence.Batch) string {
	apiKey := watchpost.NewAPIKey()
	t.record.SealedKey = t.env.keyring.seal(apiKey, string(t.id))
	t.record.KeyHash = t.env.keyring.hash(dirKey, apiKey)
	batch.CompareAndSet(persistence.DirectoryKey{Kind: dirKey, Name: t.record.KeyHash}, nil, encode(ownerEntry{Team: t.id}))
	return apiKey
}

func (t *team) putTeam(batch *persistence.Batch) {
	batch.Put([]byte(keyTeam), encode(t.record))
	batch.Set(persistence.DirectoryKey{Kind: dirTeam, Name: string(t.id)},
		encode(teamEntry{Name: t.record.Name, Plan: t.record.Plan, CreatedAt: t.record.CreatedAt, PlanExpiresAt: t.record.PlanExpiresAt}))
}

// putMember adds a member whose email was seen to be free.
func (t *team) putMember(batch *persistence.Batch, m watchpost.Member) {
	t.members = append(t.members, m)
	watchpost.SortMembers(t.members)
	batch.Put(key(keyMember, m.ID), encode(m))
	batch.CompareAndSet(persistence.DirectoryKey{Kind: dirEmail, Name: m.Email}, nil, encode(ownerEntry{Team: t.id, Member: m.ID}))
}

func (t *team) onRotateKey() {
	batch := &persistence.Batch{}
	keys, id := t.env.keys, t.id
	batch.Set(persistence.DirectoryKey{Kind: dirKey, Name: t.record.KeyHash}, nil)
	apiKey := t.newKey(batch)
	t.putTeam(batch)
	forget := func(error) { keys.drop(id) } // when in doubt, it is looked up again
	t.commits.submit(batch, both(forget, replyTo(t.env, t.ctx.Sender(), APIKey{apiKey})))
}

func (t *team) onAddMember(m AddMember) {
	if err := t.emailFree(m.Email); err != nil {
		t.answer(nil, err)
		return
	}
	if err := t.plan().CheckMembers(len(t.members)); err != nil {
		t.answer(nil, err)
		return
	}
	now := t.env.clock.Now()
	member := watchpost.Member{
		ID: watchpost.MemberID(watchpost.NewID(now)), Email: m.Email, FullName: m.FullName, Role: m.Role, CreatedAt: now,
	}
	batch := &persistence.Batch{}
	t.putMember(batch, member)
	t.commit(batch, member)
}

// emailFree returns a Conflict when the email belongs to a team already. The
// compare-and-set of the commit decides when two teams ask at once.
func (t *team) emailFree(email string) error {
	if _, err := t.memberByEmail(email); err == nil {
		return watchpost.Errorf(watchpost.Conflict, textEmailTaken)
	}
	_, err := readDirectory[ownerEntry](t.env, dirEmail, email)
	if errors.Is(err, persistence.ErrNotFound) {
		return nil
	}
	if err != nil {
		return watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
	}
	return watchpost.Errorf(watchpost.Conflict, textEmailTaken)
}

func (t *team) memberByEmail(email string) (watchpost.Member, error) {
	for _, m := range t.members {
		if m.Email == email {
			return m, nil
		}
	}
	return watchpost.Member{}, errMember()
}

func (t *team) member(id watchpost.MemberID) (watchpost.Member, bool) {
	i := slices.IndexFunc(t.members, func(m watchpost.Member) bool { return m.ID == id })
	if i < 0 {
		return watchpost.Member{}, false
	}
	return t.members[i], true
}
