package actors

import (
	"cmp"
	"strings"

	"watchpost/actors/access"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Members who sign in, and people who join the team with that.

func (ms *members) onSignInMember(m access.SignInMember) {
	member, err := ms.byEmail(m.Proof.Email)
	if err != nil {
		ms.Answer(nil, err)
		return
	}
	key, err := ms.team.key()
	if err != nil {
		ms.Answer(nil, err)
		return
	}
	ms.signIn(&persistence.Batch{}, member, m.Proof, key)
}

// signIn signs a member in, in the batch of the member if it is new.
func (ms *members) signIn(batch *persistence.Batch, member watchpost.Member, p Proof, key string) {
	if err := ms.team.passkeys.Use(batch, member.ID, p.Passkey); err != nil {
		ms.Commit(batch, err)
		return
	}
	ms.enter(batch, member, key, p.By)
}

// enter answers a member who signs in by a proof ("": a one-time code) with the team's key,
// and notes it in the batch.
func (ms *members) enter(batch *persistence.Batch, member watchpost.Member, key, by string) {
	ms.team.noteSignIn(batch, member.ID, cmp.Or(by, access.ByCode))
	ms.Commit(batch, SignedIn{Team: ms.team.value(), Member: member, APIKey: key})
}

// noteSignIn notes that a member has signed in. by is what showed who it is.
func (t *team) noteSignIn(batch *persistence.Batch, member watchpost.MemberID, by string) {
	t.personSeen(batch)
	t.members.amend(batch, member, func(m *watchpost.Member) { m.NeverSignedIn = false }) // so it may be mailed
	t.audit.note(batch, watchpost.AuditSignedIn, member, by)
}

// personSeen notes that a person of the team was there just now.
func (t *team) personSeen(batch *persistence.Batch) {
	t.record.SignedInAt = t.env.Clock.Now()
	batch.Put([]byte(teamspace.KeyTeam), teamspace.Encode(t.record))
}

func (ms *members) onJoinByDomain(m access.JoinByDomain) {
	email := m.Proof.Email
	if _, err := ms.byEmail(email); err == nil {
		ms.onSignInMember(access.SignInMember(m))
		return
	}
	key, err := ms.team.key()
	if err == nil {
		err = ms.emailFree(email)
	}
	switch {
	case err != nil:
	case !ms.team.domains.Take(email):
		err = access.ErrNoTeam()
	default:
		err = ms.team.plan().CheckMembers(len(ms.list))
	}
	if err != nil {
		ms.Answer(nil, err)
		return
	}
	now := ms.env.Clock.Now()
	member := watchpost.Member{
		ID: watchpost.MemberID(watchpost.NewID(now)), Email: email, FullName: m.Proof.FullName, Role: watchpost.RoleMember, CreatedAt: now,
	}
	batch := &persistence.Batch{}
	ms.team.invitations.DropOf(batch, email)
	ms.put(batch, member)
	ms.team.audit.note(batch, watchpost.AuditMemberAdded, member.ID, email+", "+string(member.Role)+", by the domain")
	ms.signIn(batch, member, m.Proof, key)
}

func (ms *members) onAcceptInvitation(m access.AcceptInvitation) {
	i, err := ms.team.invitations.Of(m.ID, m.Proof.Email)
	if err == nil {
		err = ms.emailFree(i.Email)
	}
	if err == nil {
		err = ms.team.plan().CheckMembers(len(ms.list))
	}
	var key string
	if err == nil {
		key, err = ms.team.key()
	}
	if err != nil {
		ms.Answer(nil, err)
		return
	}
	now, batch := ms.env.Clock.Now(), &persistence.Batch{}
	ms.team.invitations.Drop(batch, i)
	member := watchpost.Member{
		ID: watchpost.MemberID(watchpost.NewID(now)), Email: i.Email, FullName: cmp.Or(m.Proof.FullName, i.FullName), Role: i.Role, CreatedAt: now,
	}
	ms.put(batch, member)
	ms.team.audit.note(batch, watchpost.AuditAccepted, member.ID, "invited by "+cmp.Or(i.By, "the operator")+", "+string(i.Role))
	ms.enter(batch, member, key, m.Proof.By)
}

// In earlier builds an invitation made a member, and took the address, without asking.

// askMembers makes pending invitations of those members who were invited so and have not
// come since: a member of the team added them, as the audit says, and they have neither
// signed in nor paired a browser. Whom the operator added stays.
func (t *team) askMembers(view persistence.View) error {
	if t.record.Consented {
		return nil
	}
	var absent []watchpost.Member
	for _, m := range t.members.all() {
		_, alive := t.accounts.lastAlive(m.ID)
		_, bound := t.members.binding(m.ID)
		if m.NeverSignedIn && !alive && !bound && len(t.sessions.of(m.ID)) == 0 {
			absent = append(absent, m)
		}
	}
	if len(absent) == 0 {
		return nil // without a look at the audit
	}
	added := map[string]watchpost.AuditEntry{} // the last time, by the address
	err := teamspace.LoadAll(view, t.Space, teamspace.KeyAudit, func(_ string, e watchpost.AuditEntry) {
		email, _, _ := strings.Cut(e.Subject, ", ")
		if _, later := added[email]; e.Kind == watchpost.AuditMemberAdded && !later {
			added[email] = e
		}
	})
	if err != nil {
		return err
	}
	for _, m := range absent {
		if e := added[m.Email]; e.By.Member != "" {
			t.inviteAgain(m, e.Email)
		}
	}
	t.record.Consented = true
	batch := &persistence.Batch{}
	batch.Put([]byte(teamspace.KeyTeam), teamspace.Encode(t.record))
	t.Commits.Submit(batch, nil)
	return nil
}

// inviteAgain makes a member a pending invitation, which was mailed when the member was
// added. The invitation gets its full time: no person could accept it so far.
func (t *team) inviteAgain(m watchpost.Member, by string) {
	now := t.env.Clock.Now()
	t.members.remove(nil, m, func(batch *persistence.Batch) {
		t.audit.note(batch, watchpost.AuditMemberInvited, "", m.Email+", "+string(m.Role))
		t.invitations.Put(batch, watchpost.Invitation{
			ID: watchpost.InvitationID(watchpost.NewID(now)), Email: m.Email, FullName: m.FullName, Role: m.Role, By: by, CreatedAt: m.CreatedAt, MailedAt: now,
		})
	})
}
