package actors

import (
	"errors"
	"slices"
	"time"

	"watchpost/actors/access"
	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

const textEmailTaken = "Email already belongs to a team"

// pairingTime is how long a pairing code is good for.
const pairingTime = 10 * time.Minute

// members is the component of a team that owns its members, the accounts that
// they have claimed and work as, and their pairing codes.
type members struct {
	*rootActor
	team *team

	list []watchpost.Member
	// claims are those that this activation made or renewed, redeemed the
	// pairing codes that it took. The directory shows them only once durable.
	claims   map[watchpost.AccountURN]heldClaim
	redeemed map[string]bool
	accounts map[watchpost.AccountURN]teamspace.AccountRecord // that members have claimed
	bindings map[watchpost.MemberID]teamspace.BindingRecord   // the accounts that members work as
}

func newMembers(t *team) *members {
	return &members{
		rootActor: &t.rootActor, team: t,
		claims:   map[watchpost.AccountURN]heldClaim{},
		redeemed: map[string]bool{},
		accounts: map[watchpost.AccountURN]teamspace.AccountRecord{},
		bindings: map[watchpost.MemberID]teamspace.BindingRecord{},
	}
}

func (ms *members) load(view persistence.View) error {
	err := teamspace.LoadAll(view, ms.Space, teamspace.KeyMember, func(_ string, m watchpost.Member) {
		ms.list = append(ms.list, m)
	})
	watchpost.SortMembers(ms.list)
	if err != nil {
		return err
	}
	return teamspace.LoadAll(view, ms.Space, teamspace.KeyLiveness, func(id string, at time.Time) {
		as := ms.team.accounts
		as.alive[watchpost.MemberID(id)], as.newest = liveness{last: at, stored: at}, later(as.newest, at)
	})
}

func (ms *members) receive(message any) bool {
	switch m := message.(type) {
	case AddMember:
		ms.onAddMember(m)
	case UpdateMember:
		ms.onUpdateMember(m)
	case RemoveMember:
		ms.onRemoveMember(m)
	case LeaveTeam:
		ms.onLeaveTeam(m)
	case ReleaseAccount:
		ms.onReleaseAccount(m)
	case access.SignInMember:
		ms.onSignInMember(m)
	case access.JoinByDomain:
		ms.onJoinByDomain(m)
	case access.AcceptInvitation:
		ms.onAcceptInvitation(m)
	default:
		return false
	}
	return true
}

// put adds a member whose email was seen to be free.
func (ms *members) put(batch *persistence.Batch, m watchpost.Member) {
	ms.list = append(ms.list, m)
	watchpost.SortMembers(ms.list)
	ms.team.domains.WelcomeAgain(batch, m.Email)
	batch.Put(teamspace.Key(teamspace.KeyMember, m.ID), teamspace.Encode(m))
	batch.CompareAndSet(persistence.DirectoryKey{Kind: teamspace.DirEmail, Name: m.Email}, nil, teamspace.Encode(teamspace.OwnerEntry{Team: ms.team.id, Member: m.ID}))
}

func (ms *members) onAddMember(m AddMember) {
	if err := ms.emailFree(m.Email); err != nil {
		ms.Answer(nil, err)
		return
	}
	if err := ms.team.plan().CheckMembers(len(ms.list)); err != nil {
		ms.Answer(nil, err)
		return
	}
	batch := &persistence.Batch{}
	ms.team.invitations.DropOf(batch, m.Email)
	now := ms.env.Clock.Now()
	member := watchpost.Member{
		ID: watchpost.MemberID(watchpost.NewID(now)), Email: m.Email, FullName: m.FullName, Role: m.Role, CreatedAt: now, NeverSignedIn: true,
	}
	ms.put(batch, member)
	ms.team.audit.note(batch, watchpost.AuditMemberAdded, "", m.Email+", "+string(m.Role))
	ms.team.idempotency.commitOnce(batch, member)
}

// emailFree returns a Conflict when the email belongs to a team already. The
// compare-and-set of the commit decides when two teams ask at once.
func (ms *members) emailFree(email string) error {
	if _, err := ms.byEmail(email); err == nil {
		return watchpost.Errorf(watchpost.Conflict, textEmailTaken)
	}
	ctx, cancel := root.Reading()
	defer cancel()
	_, err := teamspace.Read[teamspace.OwnerEntry](ctx, ms.env.Store, teamspace.DirEmail, email)
	if errors.Is(err, persistence.ErrNotFound) {
		return nil
	}
	if err != nil {
		return watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
	}
	return watchpost.Errorf(watchpost.Conflict, textEmailTaken)
}

func (ms *members) byEmail(email string) (watchpost.Member, error) {
	for _, m := range ms.list {
		if m.Email == email {
			return m, nil
		}
	}
	return watchpost.Member{}, errMember()
}

// signedIn notes that a member has signed in, and so may be mailed.
func (ms *members) signedIn(batch *persistence.Batch, id watchpost.MemberID) {
	for i := range ms.list {
		if m := &ms.list[i]; m.ID == id && m.NeverSignedIn {
			m.NeverSignedIn = false
			batch.Put(teamspace.Key(teamspace.KeyMember, m.ID), teamspace.Encode(*m))
		}
	}
}

// mailable returns the addresses of members who have signed in.
func (ms *members) mailable(emails []string) []string {
	return slices.DeleteFunc(slices.Clone(emails), func(email string) bool {
		m, err := ms.byEmail(email)
		return err != nil || m.NeverSignedIn
	})
}

func (ms *members) byID(id watchpost.MemberID) (watchpost.Member, bool) {
	i := slices.IndexFunc(ms.list, func(m watchpost.Member) bool { return m.ID == id })
	if i < 0 {
		return watchpost.Member{}, false
	}
	return ms.list[i], true
}

// actingFor returns the member with that email or, when none is named, the
// one who acts for the team.
func (ms *members) actingFor(email *string) (watchpost.Member, error) {
	if email != nil {
		return ms.byEmail(*email)
	}
	acting, ok := watchpost.ActingMember(ms.list)
	if !ok {
		return acting, watchpost.Errorf(watchpost.NotFound, watchpost.TextNoAdmin)
	}
	return acting, nil
}
