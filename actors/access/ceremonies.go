package access

import (
	"context"
	"encoding/json"
	"errors"

	"watchpost/actors/root"
	"watchpost/actors/signin"
	"watchpost/internal/mail/outgoing"
	"watchpost/internal/passkey"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Ceremonies of passkeys. Options are made, and challenges kept, by actors: the shard of
// the client for a sign-in, the team for a new key. Answers of browsers are parsed and
// verified here, outside the mailboxes: they are strangers' bytes, and signatures take
// time. The team then decides about the key and its counter.

// Ceremonies prove addresses by passkeys, and add and remove them, from outside the
// mailboxes.
type Ceremonies struct {
	*base
	mails *Mails
}

// PasskeysAt is the address at which browsers can use passkeys; "": nowhere.
func (r *Ceremonies) PasskeysAt() string {
	if r.site == nil {
		return ""
	}
	return r.site.Origin()
}

// errNoPasskeys is the error of a service without passkeys.
func (r *Ceremonies) errNoPasskeys() error {
	if r.site != nil {
		return nil
	}
	return watchpost.Errorf(watchpost.NotFound, "This service has no passkeys.")
}

// BeginSignIn returns the options for a sign-in by passkey, as JSON. client identifies
// the client in limits; nonce, a secret of the browser, binds the challenge to it.
func (r *Ceremonies) BeginSignIn(ctx context.Context, client, nonce string) (json.RawMessage, error) {
	if err := r.errNoPasskeys(); err != nil {
		return nil, err
	}
	return r.shards.Begin(ctx, client, nonce)
}

// ProveByPasskey takes the answer to BeginSignIn of the same browser and returns whose
// passkey it is (Unauthenticated). SignInProven decides whether the key still counts.
func (r *Ceremonies) ProveByPasskey(ctx context.Context, answer, client, nonce string) (Proof, error) {
	if err := r.errNoPasskeys(); err != nil {
		return Proof{}, err
	}
	ceremony, err := r.shards.Take(ctx, client, nonce)
	if err != nil {
		return Proof{}, err
	}
	var owner teamspace.OwnerEntry
	var record teamspace.PasskeyRecord
	var proof Proof
	var lost error
	proof.Passkey.Counter, err = r.site.Used(ceremony, []byte(answer), func(credential []byte) (passkey.Key, string, error) {
		id := r.env.Keyring.Hash(teamspace.DirPasskey, string(credential))
		proof.Passkey.ID = watchpost.PasskeyID(id)
		var err error
		if owner, record, err = r.storedPasskey(ctx, id); err != nil && !errors.Is(err, persistence.ErrNotFound) {
			lost = root.Unavailable(err)
		}
		return keyOf(&record), string(owner.Member), err
	})
	switch {
	case lost != nil:
		return Proof{}, lost
	case err != nil:
		return Proof{}, signin.RefusePasskey(err)
	}
	proof.By = byPasskey + record.Name
	proof.Email, err = r.emailOf(ctx, owner)
	return proof, err
}

// storedPasskey returns a passkey and whose it is.
func (r *Ceremonies) storedPasskey(ctx context.Context, id string) (owner teamspace.OwnerEntry, record teamspace.PasskeyRecord, err error) {
	if owner, err = teamspace.Read[teamspace.OwnerEntry](ctx, r.env.Store, teamspace.DirPasskey, id); err != nil {
		return owner, record, err
	}
	view, err := r.env.Store.View(ctx)
	if err != nil {
		return owner, record, err
	}
	defer view.Close()
	record, err = teamspace.Load[teamspace.PasskeyRecord](view, persistence.Space(owner.Team), teamspace.Key(teamspace.KeyPasskey, id))
	return owner, record, err
}

// emailOf returns the address of the member of an entry (Unauthenticated when the member
// was removed).
func (r *Ceremonies) emailOf(ctx context.Context, owner teamspace.OwnerEntry) (string, error) {
	view, err := r.env.Store.View(ctx)
	if err != nil {
		return "", root.Unavailable(err)
	}
	defer view.Close()
	member, err := teamspace.Load[watchpost.Member](view, persistence.Space(owner.Team), teamspace.Key(teamspace.KeyMember, owner.Member))
	if errors.Is(err, persistence.ErrNotFound) {
		return "", signin.RefusePasskey(err)
	}
	return member.Email, root.Unavailable(err)
}

// BeginPasskey returns the options for a new passkey of a member, as JSON (Forbidden when
// the sign-in is not fresh, Conflict when the member has too many).
func (r *Ceremonies) BeginPasskey(ctx context.Context, session WebSession) (json.RawMessage, error) {
	if err := r.errNoPasskeys(); err != nil {
		return nil, err
	}
	begun, err := askTeam(ctx, r.base, session.Team, beginPasskey{session.ID})
	return begun.options, err
}

// AddPasskey takes the answer to BeginPasskey of the same browser, and mails the member
// (Unauthenticated; the errors of BeginPasskey).
func (r *Ceremonies) AddPasskey(ctx context.Context, session WebSession, answer, name string) error {
	if err := r.errNoPasskeys(); err != nil {
		return err
	}
	begun, err := askTeam(ctx, r.base, session.Team, takePasskey{session.ID})
	if err != nil {
		return err
	}
	key, err := r.site.Created(string(begun.member), begun.ceremony, []byte(answer))
	if err != nil {
		return signin.RefusePasskey(err)
	}
	added, err := askTeam(ctx, r.base, session.Team, addPasskey{session.ID, name, key})
	if err != nil {
		return err
	}
	r.mails.Post(ctx, outgoing.PasskeyAdded(RecipientOf(added.of), added.name))
	return nil
}

// RemovePasskey removes a passkey of a browser's member, and mails the member (NotFound;
// Forbidden when the sign-in is not fresh).
func (r *Ceremonies) RemovePasskey(ctx context.Context, session WebSession, id watchpost.PasskeyID) error {
	removed, err := askTeam(ctx, r.base, session.Team, removePasskey{session.ID, id})
	if err != nil {
		return err
	}
	r.mails.Post(ctx, outgoing.PasskeyRemoved(RecipientOf(removed.of), removed.name))
	return nil
}
