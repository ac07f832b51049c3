package access

import (
	"errors"
	"slices"
	"strings"

	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Domains is the component of a team that owns its mail domains, which the operator gives
// it, and the addresses in them that were removed. A person who signs in for the first time
// by the provider of identities, with an address in one of the domains, joins the team.
type Domains struct {
	*root.Actor
	host      Host
	list      []string
	uninvited map[string]bool // addresses that were removed
}

// NewDomains returns the component of a team, which runs in the team's actor.
func NewDomains(a *root.Actor, host Host) *Domains {
	return &Domains{Actor: a, host: host, uninvited: map[string]bool{}}
}

// Load reads the domains, and the addresses that were removed.
func (ds *Domains) Load(view persistence.View) error {
	return errors.Join(
		teamspace.LoadAll(view, ds.Space, teamspace.KeyDomain, func(domain string, _ struct{}) { ds.list = append(ds.list, domain) }),
		teamspace.LoadAll(view, ds.Space, teamspace.KeyUninvited, func(email string, _ struct{}) { ds.uninvited[email] = true }),
	)
}

// List returns the domains in order.
func (ds *Domains) List() []string { return slices.Clone(ds.list) }

// Take reports whether an address is in one of the domains and may join by itself.
func (ds *Domains) Take(email string) bool {
	return slices.Contains(ds.list, watchpost.DomainOf(email)) && !ds.uninvited[email]
}

// Set replaces the domains (Conflict when one is another team's). The
// compare-and-set of the commit decides when two teams get one at once.
func (ds *Domains) Set(batch *persistence.Batch, domains []string) error {
	domains = slices.Clone(domains)
	slices.Sort(domains)
	domains = slices.Compact(domains)
	ctx, cancel := root.Reading()
	defer cancel()
	for _, domain := range domains {
		if slices.Contains(ds.list, domain) {
			continue
		}
		_, err := teamspace.Read[teamspace.OwnerEntry](ctx, ds.Env.Store, teamspace.DirDomain, domain)
		if err == nil {
			return watchpost.Errorf(watchpost.Conflict, "Domain already belongs to a team")
		}
		if !errors.Is(err, persistence.ErrNotFound) {
			return root.Unavailable(err)
		}
		batch.Put(teamspace.Key(teamspace.KeyDomain, domain), teamspace.Encode(struct{}{}))
		batch.CompareAndSet(persistence.DirectoryKey{Kind: teamspace.DirDomain, Name: domain}, nil, teamspace.Encode(teamspace.OwnerEntry{Team: watchpost.TeamID(ds.Name)}))
	}
	for _, domain := range ds.list {
		if !slices.Contains(domains, domain) {
			batch.Delete(teamspace.Key(teamspace.KeyDomain, domain))
			batch.Set(persistence.DirectoryKey{Kind: teamspace.DirDomain, Name: domain}, nil)
		}
	}
	ds.list = domains
	ds.host.Note(batch, watchpost.AuditDomainsChanged, "", strings.Join(domains, ", "))
	return nil
}

// Uninvite notes that an address of the team's domains was removed, or has left: it does
// not join again by itself.
func (ds *Domains) Uninvite(batch *persistence.Batch, email string) {
	if slices.Contains(ds.list, watchpost.DomainOf(email)) {
		ds.uninvited[email] = true
		batch.Put(teamspace.Key(teamspace.KeyUninvited, email), teamspace.Encode(struct{}{}))
	}
}

// WelcomeAgain forgets that an address was removed: it is added again.
func (ds *Domains) WelcomeAgain(batch *persistence.Batch, email string) {
	if ds.uninvited[email] {
		delete(ds.uninvited, email)
		batch.Delete(teamspace.Key(teamspace.KeyUninvited, email))
	}
}
