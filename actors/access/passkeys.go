package access

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"time"

	"watchpost/actors/root"
	"watchpost/actors/signin"
	"watchpost/internal/ordered"
	"watchpost/internal/passkey"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// PasskeyUse is the use of a passkey that proves an address; zero when something else
// does.
type PasskeyUse struct {
	ID      watchpost.PasskeyID
	Counter uint32
}

// ListPasskeys is answered by the []watchpost.Passkey of a member, oldest first.
type ListPasskeys struct{ Member watchpost.MemberID }

func (ListPasskeys) AnsweredWith([]watchpost.Passkey) {}

// RenamePasskey gives a member's passkey another name (NotFound); answered by Done.
type RenamePasskey struct {
	Member watchpost.MemberID
	ID     watchpost.PasskeyID
	Name   string // as watchpost.PasskeyName returns it
}

func (RenamePasskey) AnsweredWith(root.Done) {}

// beginPasskey begins the ceremony of a new passkey for the member of a browser
// (Forbidden unless it has just signed in, Conflict when the member has too many).
// It is answered by passkeyBegun. takePasskey takes the ceremony, once (Unauthenticated);
// answered by waitingPasskey.
type (
	beginPasskey struct{ session string }
	takePasskey  struct{ session string }
)

func (beginPasskey) AnsweredWith(passkeyBegun)  {}
func (takePasskey) AnsweredWith(waitingPasskey) {}

type passkeyBegun struct{ options []byte }

type waitingPasskey struct {
	member   watchpost.MemberID
	ceremony passkey.Ceremony
	ends     time.Time
}

// addPasskey stores a key whose ceremony was taken, removePasskey deletes one (NotFound);
// both are refused as beginPasskey, and answered by passkeyChanged.
type (
	addPasskey struct {
		session, name string
		key           passkey.Key
	}
	removePasskey struct {
		session string
		id      watchpost.PasskeyID
	}
)

func (addPasskey) AnsweredWith(passkeyChanged)    {}
func (removePasskey) AnsweredWith(passkeyChanged) {}

// passkeyChanged says whom to tell.
type passkeyChanged struct {
	of   watchpost.Member
	name string
}

// Passkeys is the component of a team that owns the passkeys of its members.
type Passkeys struct {
	*root.Actor
	host     Host
	browsers *Browsers
	site     *passkey.Site // nil: there are none
	byID     map[watchpost.PasskeyID]teamspace.PasskeyRecord
	// begun are the ceremonies that wait for their answer, by the browser's session. They
	// are not stored: after a restart the browser begins again.
	begun map[string]waitingPasskey
}

// NewPasskeys returns the component of a team, which runs in the team's actor. Its members
// use passkeys at the site; nil: nowhere.
func NewPasskeys(a *root.Actor, host Host, browsers *Browsers, site *passkey.Site) *Passkeys {
	return &Passkeys{
		Actor: a, host: host, browsers: browsers, site: site,
		byID: map[watchpost.PasskeyID]teamspace.PasskeyRecord{}, begun: map[string]waitingPasskey{},
	}
}

// Load reads the passkeys. It deletes those that a removal of their member had left.
func (ps *Passkeys) Load(view persistence.View) error {
	err := teamspace.LoadAll(view, ps.Space, teamspace.KeyPasskey, func(id string, r teamspace.PasskeyRecord) {
		ps.byID[watchpost.PasskeyID(id)] = r
	})
	if err != nil {
		return err
	}
	st := &root.Steps{}
	for id, r := range ordered.ByKey(ps.byID) {
		if _, err := ps.host.Member(r.Member); err != nil {
			ps.delete(st.Room(passkeyOps), id)
		}
	}
	ps.SubmitSteps(st, nil)
	return nil
}

// Receive handles a message, and reports whether it is one of the component's.
func (ps *Passkeys) Receive(message any) bool {
	switch m := message.(type) {
	case beginPasskey:
		ps.onBegin(m)
	case takePasskey:
		ps.onTake(m)
	case addPasskey:
		ps.onAdd(m)
	case removePasskey:
		ps.onRemove(m)
	case RenamePasskey:
		ps.onRename(m)
	case ListPasskeys:
		ps.Answer(ps.of(m.Member), nil)
	default:
		return false
	}
	return true
}

// of returns the passkeys of a member, oldest first.
func (ps *Passkeys) of(member watchpost.MemberID) []watchpost.Passkey {
	list := []watchpost.Passkey{}
	for id, r := range ps.byID {
		if r.Member == member {
			list = append(list, r.Passkey(id))
		}
	}
	slices.SortFunc(list, func(a, b watchpost.Passkey) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// mayAdd returns the member of a browser who may add a passkey.
func (ps *Passkeys) mayAdd(session string) (watchpost.Member, error) {
	member, err := ps.mayChange(session)
	if err == nil {
		err = watchpost.CheckPasskeys(len(ps.of(member.ID)))
	}
	return member, err
}

// mayChange returns the member of a browser that has just signed in.
func (ps *Passkeys) mayChange(session string) (watchpost.Member, error) {
	id, err := ps.browsers.RequireFresh(session)
	if err != nil {
		return watchpost.Member{}, err
	}
	return ps.host.Member(id)
}

func (ps *Passkeys) onBegin(m beginPasskey) {
	member, err := ps.mayAdd(m.session)
	if err != nil {
		ps.Answer(nil, err)
		return
	}
	now := ps.Env.Clock.Now()
	maps.DeleteFunc(ps.begun, func(_ string, w waitingPasskey) bool { return !now.Before(w.ends) })
	var keys []passkey.Key
	for _, r := range ordered.ByKey(ps.byID) {
		if r.Member == member.ID {
			keys = append(keys, keyOf(&r))
		}
	}
	options, ceremony, err := ps.site.Create(string(member.ID), member.Email, keys)
	if err == nil {
		ps.begun[m.session] = waitingPasskey{member.ID, ceremony, now.Add(passkey.CeremonyTime)}
	}
	ps.Answer(passkeyBegun{options}, err)
}

func (ps *Passkeys) onTake(m takePasskey) {
	begun, known := ps.begun[m.session]
	delete(ps.begun, m.session)
	if !known || !ps.Env.Clock.Now().Before(begun.ends) {
		ps.Answer(nil, signin.RefusePasskey(errors.New("no ceremony of the browser waits")))
		return
	}
	ps.Answer(begun, nil)
}

func (ps *Passkeys) onAdd(m addPasskey) {
	member, err := ps.mayAdd(m.session)
	if err != nil {
		ps.Answer(nil, err)
		return
	}
	id := watchpost.PasskeyID(ps.Env.Keyring.Hash(teamspace.DirPasskey, string(m.key.ID)))
	// The directory is compared at the commit, too: a key of two members would sign in
	// the first one at hand.
	ctx, cancel := root.Reading()
	defer cancel()
	if _, err := teamspace.Read[teamspace.OwnerEntry](ctx, ps.Env.Store, teamspace.DirPasskey, string(id)); !errors.Is(err, persistence.ErrNotFound) {
		if err == nil {
			err = watchpost.Errorf(watchpost.Conflict, "This passkey is known already.")
		}
		ps.Answer(nil, root.Unavailable(err))
		return
	}
	r := teamspace.PasskeyRecord{
		Member: member.ID, Name: m.name, CreatedAt: ps.Env.Clock.Now(),
		Credential: m.key.ID, Public: m.key.Public, Counter: m.key.Counter, Synced: m.key.Synced,
	}
	batch := &persistence.Batch{}
	ps.put(batch, id, r)
	batch.CompareAndSet(persistence.DirectoryKey{Kind: teamspace.DirPasskey, Name: string(id)}, nil, teamspace.Encode(teamspace.OwnerEntry{Team: watchpost.TeamID(ps.Name), Member: member.ID}))
	ps.host.Note(batch, watchpost.AuditPasskeyAdded, "", m.name)
	ps.Commit(batch, passkeyChanged{member, m.name})
}

func (ps *Passkeys) onRename(m RenamePasskey) {
	r, known := ps.byID[m.ID]
	if !known || r.Member != m.Member {
		ps.Answer(nil, errNoPasskey())
		return
	}
	r.Name = m.Name
	batch := &persistence.Batch{}
	ps.put(batch, m.ID, r)
	ps.Commit(batch, root.Done{})
}

func (ps *Passkeys) onRemove(m removePasskey) {
	member, err := ps.mayChange(m.session)
	r, known := ps.byID[m.id]
	if err == nil && (!known || r.Member != member.ID) {
		err = errNoPasskey()
	}
	if err != nil {
		ps.Answer(nil, err)
		return
	}
	batch := &persistence.Batch{}
	ps.delete(batch, m.id)
	ps.host.Note(batch, watchpost.AuditPasskeyRemoved, "", r.Name)
	ps.Commit(batch, passkeyChanged{member, r.Name})
}

// Use notes the use of a passkey that signs a member in. It is Unauthenticated when the
// key was removed, or may be a copy: then the batch notes that, and the error is
// errPasskeyCopied when the member was not told today.
func (ps *Passkeys) Use(batch *persistence.Batch, member watchpost.MemberID, used PasskeyUse) error {
	if used.ID == "" {
		return nil
	}
	r, known := ps.byID[used.ID]
	if !known || r.Member != member {
		return signin.RefusePasskey(errors.New("removed meanwhile"))
	}
	now := ps.Env.Clock.Now()
	if watchpost.PasskeyCounts(r.Counter, used.Counter) {
		r.Counter, r.UsedAt = used.Counter, now
		ps.put(batch, used.ID, r)
		return nil
	}
	reason := errors.New("its counter went back")
	if now.Sub(r.RefusedAt) >= 24*time.Hour {
		reason = errPasskeyCopied
	}
	r.RefusedAt = now
	ps.put(batch, used.ID, r)
	ps.host.Note(batch, watchpost.AuditPasskeyRefused, member, r.Name)
	return signin.RefusePasskey(reason)
}

// passkeyOps is the number of operations of a passkey that is deleted.
const passkeyOps = 2

func (ps *Passkeys) put(batch *persistence.Batch, id watchpost.PasskeyID, r teamspace.PasskeyRecord) {
	ps.byID[id] = r
	batch.Put(teamspace.Key(teamspace.KeyPasskey, id), teamspace.Encode(r))
}

func (ps *Passkeys) delete(batch *persistence.Batch, id watchpost.PasskeyID) {
	delete(ps.byID, id)
	batch.Delete(teamspace.Key(teamspace.KeyPasskey, id))
	batch.Set(persistence.DirectoryKey{Kind: teamspace.DirPasskey, Name: string(id)}, nil)
}

// RemoveAll deletes the passkeys of a member that is removed.
func (ps *Passkeys) RemoveAll(st *root.Steps, member watchpost.MemberID) {
	for id, r := range ordered.ByKey(ps.byID) {
		if r.Member == member {
			ps.delete(st.Room(passkeyOps), id)
		}
	}
}

// keyOf returns the key of a record.
func keyOf(r *teamspace.PasskeyRecord) passkey.Key {
	return passkey.Key{ID: r.Credential, Public: r.Public, Counter: r.Counter, Synced: r.Synced}
}

// errPasskeyCopied is the cause of a refusal that the member must hear about.
var errPasskeyCopied = errors.New("its counter went back: it may have been copied")

func errNoPasskey() error { return watchpost.Errorf(watchpost.NotFound, "Passkey not found") }
