// Package identity signs people in at an OpenID Connect provider: by the code flow, with
// PKCE. It keeps nothing of a sign-in; its secrets are the caller's.
package identity

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// Bounds of what the provider is waited for, and how far its clock may be apart.
const (
	requestTime = 10 * time.Second
	askAgain    = 5 * time.Second // after it was not reached
	clockSkew   = 2 * time.Minute
)

// Options is what a Provider needs; all fields are required.
type Options struct {
	// Issuer is the address of the provider: https, or http on this machine.
	Issuer           string
	ClientID, Secret string
	// Callback is the address of the service to which the provider sends browsers back.
	Callback string
	Now      func() time.Time
}

// Provider is the service's client of an OpenID Connect provider.
type Provider struct {
	Options
	client *http.Client

	mu        sync.Mutex
	provider  *oidc.Provider // nil until the provider was reached
	failure   error
	failureAt time.Time
}

// New returns a provider, which is not asked anything yet.
func New(o Options) (*Provider, error) {
	u, err := url.Parse(o.Issuer)
	if err != nil {
		return nil, err
	}
	host := u.Hostname()
	if host == "" || u.Scheme != "https" && (u.Scheme != "http" || host != "localhost" && host != "127.0.0.1" && host != "::1") {
		return nil, fmt.Errorf("%s: want https, or http on this machine", o.Issuer)
	}
	return &Provider{Options: o, client: &http.Client{Timeout: requestTime}}, nil
}

// ErrUnreachable is the error of a provider that does not answer as one.
var ErrUnreachable = errors.New("the provider of identities cannot be reached")

// Reach asks the provider for its description, unless it has given it (ErrUnreachable).
func (p *Provider) Reach(ctx context.Context) error {
	_, err := p.reach(ctx)
	return err
}

func (p *Provider) reach(ctx context.Context) (*oidc.Provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.provider != nil {
		return p.provider, nil
	}
	now := p.Now()
	if p.failure != nil && now.Sub(p.failureAt).Abs() < askAgain {
		return nil, p.failure
	}
	provider, err := oidc.NewProvider(p.with(ctx), p.Issuer)
	if err != nil {
		p.failure, p.failureAt = fmt.Errorf("%w: %w", ErrUnreachable, err), now
		return nil, p.failure
	}
	p.provider = provider
	return provider, nil
}

// with returns a context for requests to the provider.
func (p *Provider) with(ctx context.Context) context.Context {
	return oidc.ClientContext(ctx, p.client)
}

// Close closes the idle connections to the provider.
func (p *Provider) Close() { p.client.CloseIdleConnections() }

// Secrets bind a sign-in to the browser that began it. State comes back with the browser,
// Nonce in the token of the provider; Verifier is shown to the provider with the code.
type Secrets struct{ State, Nonce, Verifier string }

// Address returns where a browser signs in (ErrUnreachable).
func (p *Provider) Address(ctx context.Context, s Secrets) (string, error) {
	provider, err := p.reach(ctx)
	if err != nil {
		return "", err
	}
	return p.config(provider).AuthCodeURL(s.State, oidc.Nonce(s.Nonce), oauth2.S256ChallengeOption(s.Verifier)), nil
}

func (p *Provider) config(provider *oidc.Provider) *oauth2.Config {
	return &oauth2.Config{
		ClientID: p.ClientID, ClientSecret: p.Secret, Endpoint: provider.Endpoint(), RedirectURL: p.Callback,
		Scopes: []string{oidc.ScopeOpenID, "email", "profile"},
	}
}

// Person is who signed in at the provider.
type Person struct{ Email, FullName string }

// claims are what the provider says of a person.
type claims struct {
	Email    string `json:"email"`
	Verified any    `json:"email_verified"` // some providers write it as a text
	Name     string `json:"name"`
}

// person returns the person, whose address the provider has verified.
func (c claims) person() (Person, error) {
	if c.Email == "" {
		return Person{}, errors.New("the provider names no address")
	}
	if c.Verified != true && c.Verified != "true" {
		return Person{}, errors.New("the provider has not verified the address")
	}
	return Person{c.Email, c.Name}, nil
}

// Person takes the code that a browser has come back with, for which the provider gives a
// token (ErrUnreachable; otherwise the provider, or its token, was refused).
func (p *Provider) Person(ctx context.Context, code string, s Secrets) (Person, error) {
	ctx = p.with(ctx)
	provider, err := p.reach(ctx)
	if err != nil {
		return Person{}, err
	}
	tokens, err := p.config(provider).Exchange(ctx, code, oauth2.VerifierOption(s.Verifier))
	var refused *oauth2.RetrieveError
	switch {
	case errors.As(err, &refused) && refused.Response.StatusCode < http.StatusInternalServerError:
		return Person{}, fmt.Errorf("the provider refused the code: %w", err)
	case err != nil:
		return Person{}, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	verifier := provider.VerifierContext(ctx, &oidc.Config{ClientID: p.ClientID, Now: func() time.Time { return p.Now().Add(-clockSkew) }})
	token, err := verifier.Verify(ctx, raw)
	if err != nil {
		return Person{}, fmt.Errorf("token of the provider: %w", err)
	}
	if subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(s.Nonce)) != 1 {
		return Person{}, errors.New("token of the provider: it is of another sign-in")
	}
	var c claims
	if err := token.Claims(&c); err != nil {
		return Person{}, fmt.Errorf("token of the provider: %w", err)
	}
	if c.Email != "" {
		return c.person()
	}
	// A provider may keep the claims of scopes for its userinfo.
	info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(tokens))
	if err != nil {
		return Person{}, fmt.Errorf("userinfo of the provider: %w", err)
	}
	if info.Subject != token.Subject {
		return Person{}, errors.New("userinfo of the provider: it is of another person")
	}
	if err := info.Claims(&c); err != nil {
		return Person{}, fmt.Errorf("userinfo of the provider: %w", err)
	}
	return c.person()
}
