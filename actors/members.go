package actors

import (
	"errors"
	"iter"
	"slices"
	"time"

	"watchpost/actors/access"
	"watchpost/actors/root"
	"watchpost/internal/ordered"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

const textEmailTaken = "Email already belongs to a team"

// pairingTime is how long a pairing code is good for.
const pairingTime = 10 * time.Minute

// members is the component of a team that owns its members, the accounts that
// they have claimed and work as, and their pairing codes.
//
// The others ask who is a member (all, byID, byEmail, actingFor, emailFree, mailable,
// verifiedDomains), as which account one works (binding, bound, accountOf, boundAccount) and
// whose an account is (claimedAccounts, holds, unconfirmed). They let it add and remove
// members (put, enter, remove, signedIn) and change one (amend), and give accounts to them
// (claim, confirm, bind, keepAccount, endClaims); forgetAllPairings comes before passivation.
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
	return ms.team.accounts.loadLiveness(view)
}

// all are the members, oldest first. The caller does not change them.
func (ms *members) all() []watchpost.Member { return ms.list }

// binding returns the account that a member works as.
func (ms *members) binding(member watchpost.MemberID) (teamspace.BindingRecord, bool) {
	bound, works := ms.bindings[member]
	return bound, works
}

// bound yields the accounts that members work as, by the members.
func (ms *members) bound() iter.Seq2[watchpost.MemberID, teamspace.BindingRecord] {
	return ordered.ByKey(ms.bindings)
}

// claimedAccounts yields the accounts that members have claimed.
func (ms *members) claimedAccounts() iter.Seq2[watchpost.AccountURN, teamspace.AccountRecord] {
	return ordered.ByKey(ms.accounts)
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

// amend changes the record of a member, if there is that one, and returns it. It adds one
// operation to the batch when the record is another one then.
func (ms *members) amend(batch *persistence.Batch, id watchpost.MemberID, change func(*watchpost.Member)) watchpost.Member {
	i := slices.IndexFunc(ms.list, func(m watchpost.Member) bool { return m.ID == id })
	if i < 0 {
		return watchpost.Member{}
	}
	before := ms.list[i]
	change(&ms.list[i])
	if ms.list[i] != before {
		batch.Put(teamspace.Key(teamspace.KeyMember, id), teamspace.Encode(ms.list[i]))
	}
	return ms.list[i]
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
