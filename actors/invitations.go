package actors

import (
	"cmp"
	"strings"
	"time"

	"watchpost/actors/root"
	"watchpost/internal/ordered"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// InviteMember makes a pending invitation (Conflict, InvitationCap); answered by
// watchpost.Invitation. Nothing is asked about the address outside of the team.
type InviteMember struct {
	Email    string // normalised
	FullName string
	Role     watchpost.Role
	By       watchpost.MemberID // "": the operator, whose invitations are not counted
}

// mailInvitation notes that a pending invitation is mailed again, which begins its time
// again (NotFound, Conflict, InvitationCap); answered by watchpost.Invitation.
type mailInvitation struct {
	id watchpost.InvitationID
	by watchpost.MemberID // as in InviteMember
}

// WithdrawInvitation ends a pending invitation (NotFound); answered by Done.
type WithdrawInvitation struct{ Invitation watchpost.InvitationID }

// acceptInvitation turns a pending invitation into a signed-in member, for the person
// that proved its address (NotFound, Conflict when the address belongs to a team,
// PlanLimit); answered by SignedIn.
type acceptInvitation struct {
	id    watchpost.InvitationID
	proof Proof
}

// declineInvitation ends a pending invitation for the person that proved its address
// (NotFound); answered by Done.
type declineInvitation struct {
	id    watchpost.InvitationID
	email string
}

// invitations is the component of a team that owns its invitations. Each has an entry in
// the directory, by which its address finds it.
type invitations struct {
	*rootActor
	team *team
	byID map[watchpost.InvitationID]watchpost.Invitation
}

func newInvitations(t *team) *invitations {
	return &invitations{rootActor: &t.rootActor, team: t, byID: map[watchpost.InvitationID]watchpost.Invitation{}}
}

func (is *invitations) load(view persistence.View) error {
	return teamspace.LoadAll(view, is.Space, teamspace.KeyInvitation, func(_ string, i watchpost.Invitation) { is.byID[i.ID] = i })
}

func (is *invitations) receive(message any) bool {
	switch m := message.(type) {
	case InviteMember:
		is.onInvite(m)
	case mailInvitation:
		is.onMail(m)
	case WithdrawInvitation:
		is.onWithdraw(m)
	case acceptInvitation:
		is.onAccept(m)
	case declineInvitation:
		is.onDecline(m)
	default:
		return false
	}
	return true
}

// all returns the pending invitations, the oldest first.
func (is *invitations) all(now time.Time) []watchpost.Invitation {
	pending := make([]watchpost.Invitation, 0, len(is.byID))
	for _, i := range is.byID {
		if !i.Expired(now) {
			pending = append(pending, i)
		}
	}
	watchpost.SortInvitations(pending)
	return pending
}

// pending returns the invitation with an id (NotFound).
func (is *invitations) pending(id watchpost.InvitationID) (watchpost.Invitation, error) {
	i, known := is.byID[id]
	if !known || i.Expired(is.env.Clock.Now()) {
		return i, errInvitation()
	}
	return i, nil
}

func errInvitation() error {
	return watchpost.Errorf(watchpost.NotFound, watchpost.TextInvitationNotFound)
}

func (is *invitations) onInvite(m InviteMember) {
	now := is.env.Clock.Now()
	if err := watchpost.CheckInvite(is.team.members.list, is.all(now), m.Email, now); err != nil {
		is.Answer(nil, err)
		return
	}
	batch := &persistence.Batch{}
	if err := is.count(batch, m.By); err != nil {
		is.Answer(nil, err)
		return
	}
	is.forget(batch, now)
	by, _ := is.team.members.byID(m.By)
	i := watchpost.Invitation{
		ID: watchpost.InvitationID(watchpost.NewID(now)), Email: m.Email, FullName: m.FullName, Role: m.Role, By: by.Email, CreatedAt: now, MailedAt: now,
	}
	is.put(batch, i)
	is.team.audit.note(batch, watchpost.AuditMemberInvited, m.By, i.Email+", "+string(i.Role))
	is.Commit(batch, i)
}

func (is *invitations) onMail(m mailInvitation) {
	now := is.env.Clock.Now()
	i, err := is.pending(m.id)
	if err == nil {
		err = i.CheckMailAgain(now)
	}
	batch := &persistence.Batch{}
	if err == nil {
		err = is.count(batch, m.by)
	}
	if err != nil {
		is.Answer(nil, err)
		return
	}
	i.MailedAt = now
	is.put(batch, i)
	is.team.audit.note(batch, watchpost.AuditMailedAgain, m.by, i.Email)
	is.Commit(batch, i)
}

func (is *invitations) onWithdraw(m WithdrawInvitation) {
	i, err := is.pending(m.Invitation)
	if err != nil {
		is.Answer(nil, err)
		return
	}
	batch := &persistence.Batch{}
	is.drop(batch, i)
	is.team.audit.note(batch, watchpost.AuditWithdrawn, "", i.Email)
	is.Commit(batch, root.Done{})
}

func (is *invitations) onDecline(m declineInvitation) {
	i, err := is.pending(m.id)
	if err != nil || i.Email != m.email {
		is.Answer(nil, errInvitation())
		return
	}
	batch := &persistence.Batch{}
	is.drop(batch, i)
	is.team.audit.note(batch, watchpost.AuditDeclined, "", i.Email)
	is.Commit(batch, root.Done{})
}

func (is *invitations) onAccept(m acceptInvitation) {
	members := is.team.members
	i, err := is.pending(m.id)
	if err == nil && i.Email != m.proof.Email {
		err = errInvitation()
	}
	if err == nil {
		err = members.emailFree(i.Email)
	}
	if err == nil {
		err = is.team.plan().CheckMembers(len(members.list))
	}
	var key string
	if err == nil {
		key, err = is.team.key()
	}
	if err != nil {
		is.Answer(nil, err)
		return
	}
	now, batch := is.env.Clock.Now(), &persistence.Batch{}
	is.drop(batch, i)
	member := watchpost.Member{
		ID: watchpost.MemberID(watchpost.NewID(now)), Email: i.Email, FullName: cmp.Or(m.proof.FullName, i.FullName), Role: i.Role, CreatedAt: now,
	}
	members.put(batch, member)
	is.team.audit.note(batch, watchpost.AuditAccepted, member.ID, "invited by "+cmp.Or(i.By, "the operator")+", "+string(i.Role))
	members.enter(batch, member, key, m.proof.By)
}

// count counts a mail of an invitation by a member (InvitationCap). One of an invitation
// that is withdrawn counts, too: it was sent.
func (is *invitations) count(batch *persistence.Batch, by watchpost.MemberID) error {
	if by == "" {
		return nil
	}
	record := &is.team.record
	if day := watchpost.Daily.Key(is.env.Clock.Now()); record.InvitedOn != day {
		record.InvitedOn, record.Invited = day, 0
	}
	if record.Invited >= watchpost.MaxInvitations {
		return watchpost.Errorf(watchpost.InvitationCap, watchpost.TextInvitations)
	}
	record.Invited++
	batch.Put([]byte(teamspace.KeyTeam), teamspace.Encode(*record))
	return nil
}

// put stores an invitation with the entry that its address finds.
func (is *invitations) put(batch *persistence.Batch, i watchpost.Invitation) {
	is.byID[i.ID] = i
	batch.Put(teamspace.Key(teamspace.KeyInvitation, i.ID), teamspace.Encode(i))
	batch.Set(invitationEntry(&i), teamspace.Encode(teamspace.InvitationEntry{Team: is.team.id, By: i.By, Ends: i.Ends()}))
}

func (is *invitations) drop(batch *persistence.Batch, i watchpost.Invitation) {
	delete(is.byID, i.ID)
	batch.Delete(teamspace.Key(teamspace.KeyInvitation, i.ID))
	batch.Set(invitationEntry(&i), nil)
}

// dropOf ends the invitation of an address that is a member now.
func (is *invitations) dropOf(batch *persistence.Batch, email string) {
	for _, i := range ordered.ByKey(is.byID) {
		if i.Email == email {
			is.drop(batch, i)
		}
	}
}

// forget drops expired records.
func (is *invitations) forget(batch *persistence.Batch, now time.Time) {
	for _, i := range ordered.ByKey(is.byID) {
		if i.Expired(now) {
			is.drop(batch, i)
		}
	}
}

func invitationEntry(i *watchpost.Invitation) persistence.DirectoryKey {
	return persistence.DirectoryKey{Kind: teamspace.DirInvitation, Name: teamspace.InvitationName(i.Email, i.ID)}
}

// In earlier builds an invitation made a member, and took the address, without asking.

// askMembers makes pending invitations of those members who were invited so and have not
// come since: a member of the team added them, as the audit says, and they have neither
// signed in nor paired a browser. Whom the operator added stays.
func (is *invitations) askMembers(view persistence.View) error {
	if is.team.record.Consented {
		return nil
	}
	var absent []watchpost.Member
	for _, m := range is.team.members.list {
		_, alive := is.team.accounts.alive[m.ID]
		_, bound := is.team.members.bindings[m.ID]
		if m.NeverSignedIn && !alive && !bound && len(is.team.sessions.of(m.ID)) == 0 {
			absent = append(absent, m)
		}
	}
	if len(absent) == 0 {
		return nil // without a look at the audit
	}
	added := map[string]watchpost.AuditEntry{} // the last time, by the address
	err := teamspace.LoadAll(view, is.Space, teamspace.KeyAudit, func(_ string, e watchpost.AuditEntry) {
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
			is.ask(m, e.Email)
		}
	}
	is.team.record.Consented = true
	batch := &persistence.Batch{}
	batch.Put([]byte(teamspace.KeyTeam), teamspace.Encode(is.team.record))
	is.Commits.Submit(batch, nil)
	return nil
}

// ask makes a member a pending invitation, which was mailed when the member was added.
// The invitation gets its full time: no person could accept it so far.
func (is *invitations) ask(m watchpost.Member, by string) {
	now := is.env.Clock.Now()
	is.team.members.remove(nil, m, func(batch *persistence.Batch) {
		is.team.audit.note(batch, watchpost.AuditMemberInvited, "", m.Email+", "+string(m.Role))
		is.put(batch, watchpost.Invitation{
			ID: watchpost.InvitationID(watchpost.NewID(now)), Email: m.Email, FullName: m.FullName, Role: m.Role, By: by, CreatedAt: m.CreatedAt, MailedAt: now,
		})
	})
}
