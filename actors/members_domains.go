package actors

import (
	"context"
	"errors"
	"slices"
	"strings"

	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Domains of a team, which the operator gives it. A person who signs in for the first
// time by the provider of identities, with an address in one of them, joins the team.

// joinByDomain signs a person in who joins the team of the domain (NotFound when it is not
// the team's any more or an admin has removed the person, PlanLimit, Conflict); answered by
// SignedIn.
type joinByDomain struct{ proof Proof }

// teamOfDomain returns the team that a person joins at the first sign-in; "": none.
func (r *signingIn) teamOfDomain(ctx context.Context, p Proof) (watchpost.TeamID, error) {
	if !p.Provider || !r.joining {
		return "", nil
	}
	owner, err := teamspace.Read[teamspace.OwnerEntry](ctx, r.env.Store, teamspace.DirDomain, watchpost.DomainOf(p.Email))
	if errors.Is(err, persistence.ErrNotFound) {
		return "", nil
	}
	return owner.Team, root.Unavailable(err)
}

// mustChooseByProvider returns a *ChoiceError when a person whom the provider of identities
// has signed in is invited, and has no other team.
func (r *signingIn) mustChooseByProvider(ctx context.Context, p Proof, c Choice) error {
	if !p.Provider || c.Accept != "" {
		return nil
	}
	if team, err := r.teamOfDomain(ctx, p); err != nil || team != "" {
		return err
	}
	return r.invites.MustChoose(ctx, p.Email, Choice{JoinsOnly: true})
}

// KeepProof returns a one-time code in place of a proof, as if it had been mailed to the
// browser with the nonce and typed there: a person who must choose a team first is asked
// as with a code. "" when a limit of the address forbids another one.
func (r *signingIn) KeepProof(ctx context.Context, p Proof, nonce string) (otp string, err error) {
	return r.shards.NewCode(ctx, p.Email, p.FullName, nonce)
}

func (ms *members) loadDomains(view persistence.View) error {
	return errors.Join(
		teamspace.LoadAll(view, ms.Space, teamspace.KeyDomain, func(domain string, _ struct{}) { ms.domains = append(ms.domains, domain) }),
		teamspace.LoadAll(view, ms.Space, teamspace.KeyUninvited, func(email string, _ struct{}) { ms.uninvited[email] = true }),
	)
}

// setDomains replaces the domains (Conflict when one is another team's). The
// compare-and-set of the commit decides when two teams get one at once.
func (ms *members) setDomains(batch *persistence.Batch, domains []string) error {
	domains = slices.Clone(domains)
	slices.Sort(domains)
	domains = slices.Compact(domains)
	ctx, cancel := root.Reading()
	defer cancel()
	for _, domain := range domains {
		if slices.Contains(ms.domains, domain) {
			continue
		}
		_, err := teamspace.Read[teamspace.OwnerEntry](ctx, ms.env.Store, teamspace.DirDomain, domain)
		if err == nil {
			return watchpost.Errorf(watchpost.Conflict, "Domain already belongs to a team")
		}
		if !errors.Is(err, persistence.ErrNotFound) {
			return root.Unavailable(err)
		}
		batch.Put(teamspace.Key(teamspace.KeyDomain, domain), teamspace.Encode(struct{}{}))
		batch.CompareAndSet(persistence.DirectoryKey{Kind: teamspace.DirDomain, Name: domain}, nil, teamspace.Encode(teamspace.OwnerEntry{Team: ms.team.id}))
	}
	for _, domain := range ms.domains {
		if !slices.Contains(domains, domain) {
			batch.Delete(teamspace.Key(teamspace.KeyDomain, domain))
			batch.Set(persistence.DirectoryKey{Kind: teamspace.DirDomain, Name: domain}, nil)
		}
	}
	ms.domains = domains
	ms.team.audit.note(batch, watchpost.AuditDomainsChanged, "", strings.Join(domains, ", "))
	return nil
}

func (ms *members) onJoinByDomain(m joinByDomain) {
	email := m.proof.Email
	if _, err := ms.byEmail(email); err == nil {
		ms.onSignInMember(signInMember(m))
		return
	}
	key, err := ms.team.key()
	if err == nil {
		err = ms.emailFree(email)
	}
	switch {
	case err != nil:
	case !slices.Contains(ms.domains, watchpost.DomainOf(email)), ms.uninvited[email]:
		err = watchpost.Errorf(watchpost.NotFound, textNoTeam)
	default:
		err = ms.team.plan().CheckMembers(len(ms.list))
	}
	if err != nil {
		ms.Answer(nil, err)
		return
	}
	now := ms.env.Clock.Now()
	member := watchpost.Member{
		ID: watchpost.MemberID(watchpost.NewID(now)), Email: email, FullName: m.proof.FullName, Role: watchpost.RoleMember, CreatedAt: now,
	}
	batch := &persistence.Batch{}
	ms.team.invitations.dropOf(batch, email)
	ms.put(batch, member)
	ms.team.audit.note(batch, watchpost.AuditMemberAdded, member.ID, email+", "+string(member.Role)+", by the domain")
	ms.signIn(batch, member, m.proof, key)
}

// uninvite notes that an address of the team's domains was removed, or has left: it does
// not join again by itself.
func (ms *members) uninvite(batch *persistence.Batch, email string) {
	if slices.Contains(ms.domains, watchpost.DomainOf(email)) {
		ms.uninvited[email] = true
		batch.Put(teamspace.Key(teamspace.KeyUninvited, email), teamspace.Encode(struct{}{}))
	}
}

// welcomeAgain forgets that of an address that is added again.
func (ms *members) welcomeAgain(batch *persistence.Batch, email string) {
	if ms.uninvited[email] {
		delete(ms.uninvited, email)
		batch.Delete(teamspace.Key(teamspace.KeyUninvited, email))
	}
}

// verifiedDomains are the mail domains of the team, as a slice of the caller's own.
func (ms *members) verifiedDomains() []string { return slices.Clone(ms.domains) }
