package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"watchpost/http/dashboard"
	"watchpost/internal/identity"
	"watchpost/watchpost"
)

// oidcFlags configure the provider of identities.
type oidcFlags struct {
	Issuer       string   `help:"OpenID Connect provider at which members sign in to the dashboard, for example https://id.example.com. Needs --public-url, whose path /app/sign-in/oidc/callback the provider must know."`
	ClientID     string   `name:"client-id" help:"Name of the service at the provider."`
	ClientSecret string   `name:"client-secret" help:"Secret of the service at the provider. Also from the file named by WATCHPOST_OIDC_CLIENT_SECRET_FILE."`
	Domains      []string `help:"Mail domains whose people sign in at the provider. Give only those whose addresses it is to be trusted with."`
}

// checkIdentity refuses a provider that cannot work, or might be trusted by accident.
func (c *serveCommand) checkIdentity() error {
	f := &c.OIDC
	if f.Issuer == "" {
		if f.ClientID != "" || f.ClientSecret != "" || len(f.Domains) > 0 || c.Registration == registrationOIDC {
			return errors.New("--oidc-issuer is missing: --oidc-client-id, --oidc-client-secret, --oidc-domains and --registration oidc need it")
		}
		return nil
	}
	if c.PublicURL == "" || f.ClientID == "" || f.ClientSecret == "" || len(f.Domains) == 0 {
		return errors.New("--oidc-issuer needs --public-url, --oidc-client-id, --oidc-client-secret and --oidc-domains")
	}
	for _, domain := range f.Domains {
		if _, ok := watchpost.NormalizeDomain(domain); !ok {
			return fmt.Errorf("--oidc-domains %s: want mail domains as example.com", domain)
		}
	}
	_, err := c.provider(nil)
	return err
}

// Values of --registration other than closed.
const (
	registrationOpen = "open"
	registrationOIDC = "oidc"
)

// provider returns the provider of identities; nil without one.
func (c *serveCommand) provider(clock watchpost.Clock) (*identity.Provider, error) {
	if c.OIDC.Issuer == "" {
		return nil, nil
	}
	o := identity.Options{
		Issuer: c.OIDC.Issuer, ClientID: c.OIDC.ClientID, Secret: c.OIDC.ClientSecret,
		Callback: strings.TrimRight(c.PublicURL, "/") + dashboard.PathCallback,
	}
	if clock != nil {
		o.Now = clock.Now
	}
	provider, err := identity.New(o)
	if err != nil {
		return nil, fmt.Errorf("--oidc-issuer %w", err)
	}
	return provider, nil
}

// domains are those of --oidc-domains, in their canonical spelling.
func (f *oidcFlags) domains() []string {
	domains := slices.Clone(f.Domains)
	for i, domain := range domains {
		domains[i], _ = watchpost.NormalizeDomain(domain)
	}
	return domains
}

// reachProvider says at the start whether members can sign in at the provider. It is
// asked again when one does.
func (s *service) reachProvider() {
	if s.provider == nil {
		return
	}
	err := s.provider.Reach(s.background)
	switch {
	case s.background.Err() != nil:
	case err != nil:
		s.log.Warn("members cannot sign in at the provider of --oidc-issuer: it is asked again when one does; mailed codes and passkeys work", "issuer", s.config.OIDC.Issuer, "error", err)
	default:
		s.log.Info("members sign in at the provider of identities", "issuer", s.config.OIDC.Issuer, "domains", s.config.OIDC.domains())
	}
}
