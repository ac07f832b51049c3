package access

import (
	"context"
	"errors"
	"strings"

	"watchpost/actors/root"
	"watchpost/actors/signin"
	"watchpost/internal/mail/outgoing"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Proof is how a person has shown that an address is theirs.
type Proof struct {
	Email    string // normalised
	FullName string // as the person gave it; "": not known
	By       string // what showed it, for the audit; "": a one-time code
	Passkey  PasskeyUse
	// Provider means that a provider of identities says so: an unknown address joins the
	// team of its domain.
	Provider bool
}

// SignedIn is who signed in.
type SignedIn struct {
	Team   watchpost.Team
	Member watchpost.Member
	APIKey string
}

// SigningIn turns proofs of addresses into members, from outside the mailboxes.
type SigningIn struct {
	*base
	mails   *Mails
	invites *Inviting
	// joining and createTeam are those of Options.
	joining    bool
	createTeam func(ctx context.Context, p Proof) (SignedIn, error)
}

// SendOTP mails a one-time code to a normalised address unless a limit forbids
// it. The answer is the same whether or not a mail goes out, and whether or not
// the address belongs to a team. client identifies the client in limits; nonce, a secret
// of the client, binds the code to it. The mail is in the language of the member that asks for it, by its
// code: what is stored for the address is not read, which would take time of known ones only.
func (r *SigningIn) SendOTP(ctx context.Context, email, fullName, client, nonce, language string) error {
	taken, err := r.shards.TakeMail(ctx, client)
	if err != nil || taken.IsZero() {
		return err
	}
	code, err := r.shards.NewCode(ctx, email, fullName, nonce)
	if err != nil {
		return err
	}
	if code == "" {
		return r.shards.ReturnMail(ctx, client, taken)
	}
	mail := outgoing.Code(outgoing.Recipient{Address: email, Language: language}, code)
	if !r.open {
		// A mail to no one is stored instead, so that the time of the answer tells
		// nothing.
		_, err := teamspace.Read[teamspace.OwnerEntry](ctx, r.env.Store, teamspace.DirEmail, email)
		if err != nil && !errors.Is(err, persistence.ErrNotFound) {
			return root.Unavailable(err)
		}
		invited, failure := r.invites.Invitations(ctx, email)
		if failure != nil {
			return failure
		}
		if err != nil && len(invited) == 0 {
			r.mails.postToNobody(ctx, mail)
			return nil
		}
	}
	r.mails.Post(ctx, mail)
	return nil
}

// signInAttempts bounds how often a sign-in is tried again when the email has
// found another team meanwhile.
const signInAttempts = 3

// VerifyOTP redeems a one-time code (Unauthenticated) and signs in. When the error is a
// *ChoiceError the code is right, and can still be used.
func (r *SigningIn) VerifyOTP(ctx context.Context, code signin.OneTimeCode, c Choice) (SignedIn, error) {
	fullName, err := r.RedeemOTP(ctx, code, c)
	if err != nil {
		return SignedIn{}, err
	}
	return r.SignInProven(ctx, Proof{Email: code.Email, FullName: fullName}, c)
}

// RedeemOTP uses a one-time code up (Unauthenticated) and returns the name that was given
// with it. The error is a *ChoiceError when the code is right and kept, because the person
// has to choose a team first.
func (r *SigningIn) RedeemOTP(ctx context.Context, code signin.OneTimeCode, c Choice) (fullName string, err error) {
	choice := r.invites.MustChoose(ctx, code.Email, c)
	if kind := (*ChoiceError)(nil); choice != nil && !errors.As(choice, &kind) {
		return "", choice
	}
	if fullName, err = r.CheckOTP(ctx, code, choice != nil); err == nil {
		err = choice
	}
	return fullName, err
}

// CheckOTP checks a one-time code (Unauthenticated), and uses it up unless it is kept.
func (r *SigningIn) CheckOTP(ctx context.Context, code signin.OneTimeCode, kept bool) (fullName string, err error) {
	if err := r.TakeTry(ctx, code.Client); err != nil {
		return "", err
	}
	return r.shards.Verify(ctx, code, kept)
}

// SignInProven is SignIn for the node that took the proof. A new team may go to another
// one. The error is a *ChoiceError when the provider of identities proves the address of a
// person who is in no team, joins none by the domain, and is invited.
func (r *SigningIn) SignInProven(ctx context.Context, p Proof, c Choice) (SignedIn, error) {
	if c.Accept == "" && !c.JoinsOnly {
		if err := r.foundElsewhere(ctx, p); err != nil {
			return SignedIn{}, err
		}
	}
	if err := r.mustChooseByProvider(ctx, p, c); err != nil {
		return SignedIn{}, err
	}
	return r.SignIn(ctx, p, c)
}

// foundElsewhere returns an ElsewhereError for a person without a team whose new
// team goes to another node: all sign-ins come to one.
func (r *SigningIn) foundElsewhere(ctx context.Context, p Proof) error {
	id := watchpost.NewID(r.env.Clock.Now())
	if !r.open || r.Serves(id) {
		return nil
	}
	if team, err := r.teamOfDomain(ctx, p); err != nil || team != "" {
		return err // it is asked
	}
	_, err := teamspace.Read[teamspace.OwnerEntry](ctx, r.env.Store, teamspace.DirEmail, p.Email)
	if errors.Is(err, persistence.ErrNotFound) {
		return &root.ElsewhereError{Team: watchpost.TeamID(id), Accepted: true, FullName: p.FullName}
	}
	return root.Unavailable(err)
}

// textNoTeam answers a person without a team who would need one.
const textNoTeam = "No team for this email"

// ErrNoTeam is the error for a person without a team, for whom none is made (NotFound).
func ErrNoTeam() error { return watchpost.Errorf(watchpost.NotFound, textNoTeam) }

// SignIn signs in a person whose address is proven, in whichever way; MustChoose tells
// whether they have to choose first. NotFound: they have no team, and none is made for
// them. In a cluster, the error is an ElsewhereError when another node serves the team.
func (r *SigningIn) SignIn(ctx context.Context, p Proof, c Choice) (signed SignedIn, err error) {
	if c.Accept != "" {
		return r.invites.acceptInvitation(ctx, p, c.Accept)
	}
	for range signInAttempts {
		signed, err = r.signInto(ctx, p, c)
		if errors.Is(err, errPasskeyCopied) {
			r.tellOfRefusal(ctx, p)
		}
		if kind := watchpost.KindOf(err); err == nil || kind != watchpost.NotFound && kind != watchpost.Conflict {
			break
		}
	}
	return signed, err
}

// tellOfRefusal mails a member that a passkey was refused.
func (r *SigningIn) tellOfRefusal(ctx context.Context, p Proof) {
	to := outgoing.Recipient{Address: p.Email}
	if view, err := r.env.Store.View(ctx); err == nil {
		to.Language, err = languageOf(view, p.Email)
		view.Close()
		if err != nil {
			r.env.Log.Warn("a mail is in English: the language of its reader cannot be read", "error", err)
		}
	}
	r.mails.Post(ctx, outgoing.PasskeyRefused(to, strings.TrimPrefix(p.By, byPasskey)))
}

// signInto signs a person in to the team of the email, or to a new one. It is
// NotFound or Conflict when that has just changed.
func (r *SigningIn) signInto(ctx context.Context, p Proof, c Choice) (SignedIn, error) {
	owner, err := teamspace.Read[teamspace.OwnerEntry](ctx, r.env.Store, teamspace.DirEmail, p.Email)
	if errors.Is(err, persistence.ErrNotFound) {
		return r.signInStranger(ctx, p, c)
	}
	if err != nil {
		return SignedIn{}, watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
	}
	if !r.Serves(string(owner.Team)) {
		return SignedIn{}, &root.ElsewhereError{Team: owner.Team, Accepted: true, FullName: p.FullName}
	}
	return askTeam(ctx, r.base, owner.Team, SignInMember{p})
}

// signInStranger signs in a person without a team: to that of the domain, where a provider
// of identities has proven the address, or to a new one. It is NotFound for a person who
// waits for an invitation.
func (r *SigningIn) signInStranger(ctx context.Context, p Proof, c Choice) (SignedIn, error) {
	team, err := r.teamOfDomain(ctx, p)
	switch {
	case err != nil:
		return SignedIn{}, err
	case team != "" && !r.Serves(string(team)):
		return SignedIn{}, &root.ElsewhereError{Team: team, Accepted: true, FullName: p.FullName}
	case team != "":
		return askTeam(ctx, r.base, team, JoinByDomain{p})
	case c.JoinsOnly, p.Provider && !r.open:
		return SignedIn{}, ErrNoTeam()
	case !r.open:
		return SignedIn{}, signin.ErrOTP() // removed since the code was mailed
	}
	return r.createTeam(ctx, p)
}

// SignInMember notes that a person has signed in; answered by SignedIn. The team decides
// about it.
type SignInMember struct{ Proof Proof }

func (SignInMember) AnsweredWith(SignedIn) {}

// JoinByDomain signs a person in who joins the team of the domain (NotFound when it is not
// the team's any more or an admin has removed the person, PlanLimit, Conflict); answered by
// SignedIn. The team decides about it.
type JoinByDomain struct{ Proof Proof }

func (JoinByDomain) AnsweredWith(SignedIn) {}

// teamOfDomain returns the team that a person joins at the first sign-in; "": none.
func (r *SigningIn) teamOfDomain(ctx context.Context, p Proof) (watchpost.TeamID, error) {
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
func (r *SigningIn) mustChooseByProvider(ctx context.Context, p Proof, c Choice) error {
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
func (r *SigningIn) KeepProof(ctx context.Context, p Proof, nonce string) (otp string, err error) {
	return r.shards.NewCode(ctx, p.Email, p.FullName, nonce)
}

// SealNonce marks the nonce of a client as that of one that signed in to the address.
func (r *SigningIn) SealNonce(email, nonce string) string {
	return signin.SealNonce(r.env.Keyring, email, nonce)
}

// SignOnSecrets returns what binds a sign-in at the provider of identities to the browser
// with a cookie: for the browser's way there and back, for the provider's token, and for
// the exchange of its code. They follow from the cookie, so nothing is stored.
func (r *SigningIn) SignOnSecrets(cookie string) (state, nonce, verifier string) {
	k := r.env.Keyring
	return k.Hash("sign-on state", cookie), k.Hash("sign-on nonce", cookie), k.Hash("sign-on verifier", cookie)
}

// TakeTry counts a try to sign in of a client (Unauthenticated beyond the limit).
func (r *SigningIn) TakeTry(ctx context.Context, client string) error {
	return r.shards.TakeTry(ctx, client)
}
