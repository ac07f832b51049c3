package actors

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"watchpost/actors/cache"
	"watchpost/actors/reads"
	"watchpost/actors/root"
	"watchpost/actors/signin"
	"watchpost/internal/text"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// noteExport notes that everything of the team was read; answered by Done.
type noteExport struct{}

func (noteExport) AnsweredWith(root.Done) {}

// keyUsed tells a team that its key, or a key with scopes, was used.
type keyUsed struct {
	key watchpost.KeyID // empty: the team's key
	use watchpost.KeyUse
}

// GetKeyUse is answered by KeyView.
type GetKeyUse struct{}

// KeyView is the key of a team without the secret.
type KeyView struct {
	CreatedAt time.Time        // zero: not known, of a key from before it was stored
	Used      watchpost.KeyUse // zero: never
}

func (GetKeyUse) AnsweredWith(KeyView) {}

// audit is the component of a team that owns its audit and the last use of its key.
// An entry is written in the batch of its subject. The newest entries are kept:
// their numbers follow one another, so each removes one.
//
// The others note what has happened (note) and ask who makes the request at hand (origin,
// asker); by decides in the name of an earlier one, forgetUse belongs to a new key.
type audit struct {
	*rootActor
	team *team
	from watchpost.Origin // of the request at hand
	last uint64           // number of the last entry
	used watchpost.KeyUse
}

func newAudit(t *team) *audit { return &audit{rootActor: &t.rootActor, team: t} }

// load reads the number of the last entry, and the last use of the key.
func (a *audit) load(view persistence.View) error {
	var failure error
	err := view.Scan(a.Space, []byte(teamspace.KeyAudit), persistence.PrefixEnd([]byte(teamspace.KeyAudit)), func(k, _ []byte) bool {
		var inverted uint64
		inverted, failure = strconv.ParseUint(string(k[len(teamspace.KeyAudit):]), 16, 64)
		a.last = ^inverted
		return false
	})
	if err = errors.Join(err, failure); err != nil {
		return err
	}
	a.used, err = teamspace.Load[watchpost.KeyUse](view, a.Space, []byte(teamspace.KeyKeyUse))
	if errors.Is(err, persistence.ErrNotFound) {
		return nil
	}
	return err
}

func (a *audit) receive(message any) bool {
	switch m := message.(type) {
	case root.Originated:
		if err := a.team.keys.known(m.From.KeyID); err != nil {
			a.Answer(nil, err)
			return true
		}
		a.from, a.team.trace = m.From, m.Trace
		a.team.receive(m.Request)
		a.from, a.team.trace = watchpost.Origin{}, ""
	case noteExport:
		batch := &persistence.Batch{}
		a.note(batch, watchpost.AuditExported, "", "")
		a.Commit(batch, root.Done{})
	case keyUsed:
		a.onKeyUsed(m)
	case GetKeyUse:
		a.Answer(KeyView{a.team.record.KeyAt, a.used}, nil)
	default:
		return false
	}
	return true
}

// asker returns the caller of the current request: the member of its origin, otherwise a
// key.
func (a *audit) asker() watchpost.Asker {
	switch {
	case a.from.Member != "":
		return watchpost.Asker{Kind: watchpost.AskedByMember, ID: string(a.from.Member)}
	case a.from.KeyID != "":
		return watchpost.Asker{Kind: watchpost.AskedByKey, ID: string(a.from.KeyID), Name: a.from.Name}
	}
	return watchpost.Asker{}
}

// auditOps is the number of operations of an entry.
const auditOps = 2

// note adds an entry to the batch of its subject. by is who proved it with the
// request; empty: the member of its origin, if any.
func (a *audit) note(batch *persistence.Batch, kind watchpost.AuditKind, by watchpost.MemberID, subject string) {
	e := watchpost.AuditEntry{At: a.env.Clock.Now(), Kind: kind, By: a.from, Subject: text.ClipBytes(subject, maxSubject)}
	if by != "" {
		e.By.Member = by
	}
	if m, known := a.team.members.byID(e.By.Member); known {
		e.Email = m.Email
	}
	a.last++
	batch.Put(teamspace.AuditKey(a.last), teamspace.Encode(e))
	if a.last > watchpost.MaxAuditEntries {
		batch.Delete(teamspace.AuditKey(a.last - watchpost.MaxAuditEntries))
	}
}

const maxSubject = 320

func (a *audit) onKeyUsed(m keyUsed) {
	if m.key != "" {
		a.team.keys.onUsed(m)
		return
	}
	if !m.use.At.After(a.used.At) || m.use.At.Before(a.team.record.KeyAt) {
		return // the clock was set, or the use was of a key that is replaced
	}
	a.used = m.use
	batch := &persistence.Batch{}
	batch.Put([]byte(teamspace.KeyKeyUse), teamspace.Encode(a.used))
	a.Commits.Submit(batch, nil)
}

// forgetUse begins with a new key.
func (a *audit) forgetUse(batch *persistence.Batch) {
	a.used = watchpost.KeyUse{}
	batch.Delete([]byte(teamspace.KeyKeyUse))
}

// The use of a key is noted once a minute, and of a team that is not in memory once
// an hour: a client that only reads posts does not keep it there.
const (
	keyUseEvery        = time.Minute
	keyUseEveryPassive = time.Hour
)

// NoteKeyUse notes that a key of a team was used by a client, unless that was noted not
// long ago. of is the key with scopes, nil the team's key. It does not wait; what the
// team does not hear of is noted the next time.
func (r *Registry) NoteKeyUse(team watchpost.TeamID, of *watchpost.ScopedKey, key string, client func() string) {
	last := r.env.keys.LastUse(cache.DigestOf(key))
	now := r.env.Clock.Now()
	then := last.Load()
	since := now.Sub(time.Unix(then, 0))
	if since < keyUseEvery || since < keyUseEveryPassive && !r.Running(string(team)) || !last.CompareAndSwap(then, now.Unix()) {
		return
	}
	var id watchpost.KeyID
	if of != nil {
		id = of.ID
	}
	r.Tell(string(team), keyUsed{id, watchpost.KeyUse{At: now, Client: client()}})
}

// Audit returns the newest entries of a team's audit, newest first, with the failed
// sign-ins of its members (NotFound).
func (r *reading) Audit(ctx context.Context, team watchpost.TeamID, limit int) ([]watchpost.AuditEntry, error) {
	view, err := r.viewFor(ctx)
	if err != nil {
		return nil, root.Unavailable(err)
	}
	defer view.Close()
	space := persistence.Space(team)
	if _, err := reads.LiveTeam(view, space); err != nil {
		return nil, root.Unavailable(err)
	}
	var entries []watchpost.AuditEntry
	if err := teamspace.LoadAll(view, space, teamspace.KeyAudit, func(_ string, e watchpost.AuditEntry) { entries = append(entries, e) }); err != nil {
		return nil, root.Unavailable(err)
	}
	var members []watchpost.Member
	if err := teamspace.LoadAll(view, space, teamspace.KeyMember, func(_ string, m watchpost.Member) { members = append(members, m) }); err != nil {
		return nil, root.Unavailable(err)
	}
	for _, m := range members {
		failed, err := failedSignIns(view, m)
		if err != nil {
			return nil, root.Unavailable(err)
		}
		entries = append(entries, failed...)
	}
	slices.SortStableFunc(entries, func(a, b watchpost.AuditEntry) int { return b.At.Compare(a.At) })
	return entries[:min(len(entries), limit)], nil
}

// failedSignIns returns the wrong codes for the address of a member. The address
// has them: a team hears nothing of wrong codes, so that the time of an answer does
// not tell whether an address belongs to one.
func failedSignIns(view persistence.View, m watchpost.Member) (entries []watchpost.AuditEntry, err error) {
	failures, err := signin.Failures(view, m.Email)
	for _, f := range failures {
		if !f.At.Before(m.CreatedAt) { // before, the address was not the team's
			entries = append(entries, watchpost.AuditEntry{At: f.At, Kind: watchpost.AuditSignInFailed, By: watchpost.Origin{Client: f.Client}, Subject: m.Email})
		}
	}
	return entries, err
}

// origin says who makes the request at hand; the zero Origin: the team's key, or no one.
func (a *audit) origin() watchpost.Origin { return a.from }

// by lets f decide in the name of a request that was made earlier.
func (a *audit) by(from watchpost.Origin, f func()) {
	a.from = from
	f()
	a.from = watchpost.Origin{}
}
