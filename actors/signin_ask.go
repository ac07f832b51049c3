package actors

import (
	"context"
	"errors"

	"watchpost/actors/access"
	"watchpost/actors/root"
	"watchpost/actors/signin"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// SendOTP mails a one-time code to a normalised address unless a limit forbids
// it. The answer is the same whether or not a mail goes out, and whether or not
// the address belongs to a team. client identifies the client in limits; nonce, a secret
// of the client, binds the code to it.
func (r *signingIn) SendOTP(ctx context.Context, email, fullName, client, nonce string) error {
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
			r.mails.PostToNobody(ctx, otpMail(email, code))
			return nil
		}
	}
	r.mails.Post(ctx, otpMail(email, code))
	return nil
}

// otpMail carries a one-time code, the only run of six digits in it.
func otpMail(email, code string) watchpost.Mail {
	return watchpost.Mail{
		To: email, Subject: "Your Watchpost code", Code: true,
		Body: "Your sign-in code is " + code + ".\n\nIt can be used once, within ten minutes. If you did not ask for it, ignore this mail.\n",
	}
}

// signInAttempts bounds how often a sign-in is tried again when the email has
// found another team meanwhile.
const signInAttempts = 3

// VerifyOTP redeems a one-time code (Unauthenticated) and signs in. When the error is a
// *ChoiceError the code is right, and can still be used.
func (r *signingIn) VerifyOTP(ctx context.Context, code signin.OneTimeCode, c Choice) (SignedIn, error) {
	fullName, err := r.RedeemOTP(ctx, code, c)
	if err != nil {
		return SignedIn{}, err
	}
	return r.SignInProven(ctx, Proof{Email: code.Email, FullName: fullName}, c)
}

// RedeemOTP uses a one-time code up (Unauthenticated) and returns the name that was given
// with it. The error is a *ChoiceError when the code is right and kept, because the person
// has to choose a team first.
func (r *signingIn) RedeemOTP(ctx context.Context, code signin.OneTimeCode, c Choice) (fullName string, err error) {
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
func (r *signingIn) CheckOTP(ctx context.Context, code signin.OneTimeCode, kept bool) (fullName string, err error) {
	if err := r.TakeTry(ctx, code.Client); err != nil {
		return "", err
	}
	return r.shards.Verify(ctx, code, kept)
}

// SignInProven is SignIn for the node that took the proof. A new team may go to another
// one. The error is a *ChoiceError when the provider of identities proves the address of a
// person who is in no team, joins none by the domain, and is invited.
func (r *signingIn) SignInProven(ctx context.Context, p Proof, c Choice) (SignedIn, error) {
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

// textNoTeam answers a person without a team who would need one.
const textNoTeam = "No team for this email"

// SignIn signs in a person whose address is proven, in whichever way; MustChoose tells
// whether they have to choose first. NotFound: they have no team, and none is made for
// them. In a cluster, the error is an ElsewhereError when another node serves the team.
func (r *signingIn) SignIn(ctx context.Context, p Proof, c Choice) (signed SignedIn, err error) {
	if c.Accept != "" {
		return r.invites.acceptInvitation(ctx, p, c.Accept)
	}
	for range signInAttempts {
		signed, err = r.signInto(ctx, p, c)
		if errors.Is(err, access.ErrPasskeyCopied) {
			r.mails.Post(ctx, copiedMail(p))
		}
		if kind := watchpost.KindOf(err); err == nil || kind != watchpost.NotFound && kind != watchpost.Conflict {
			break
		}
	}
	return signed, err
}

// copiedMail tells a member that a passkey was refused.
func copiedMail(p Proof) watchpost.Mail {
	return watchpost.Mail{
		To: p.Email, Subject: "A passkey was refused at your sign-in on Watchpost",
		Body: "A sign-in with your " + p.By + " was refused: its counter went back, as happens when a key was copied.\n\n" +
			"Sign in with a code, and remove the passkey under Settings. If you do not know of the sign-in, tell your operator.\n",
	}
}

// signInto signs a person in to the team of the email, or to a new one. It is
// NotFound or Conflict when that has just changed.
func (r *signingIn) signInto(ctx context.Context, p Proof, c Choice) (SignedIn, error) {
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
	return askTeam(ctx, r.base, owner.Team, signInMember{p})
}

// signInStranger signs in a person without a team: to that of the domain, where a provider
// of identities has proven the address, or to a new one. It is NotFound for a person who
// waits for an invitation.
func (r *signingIn) signInStranger(ctx context.Context, p Proof, c Choice) (SignedIn, error) {
	team, err := r.teamOfDomain(ctx, p)
	switch {
	case err != nil:
		return SignedIn{}, err
	case team != "" && !r.Serves(string(team)):
		return SignedIn{}, &root.ElsewhereError{Team: team, Accepted: true, FullName: p.FullName}
	case team != "":
		return askTeam(ctx, r.base, team, joinByDomain{p})
	case c.JoinsOnly, p.Provider && !r.open:
		return SignedIn{}, watchpost.Errorf(watchpost.NotFound, textNoTeam)
	case !r.open:
		return SignedIn{}, signin.ErrOTP() // removed since the code was mailed
	}
	made, err := r.CreateTeam(ctx, CreateTeam{Plan: watchpost.PlanFree, Email: p.Email, FullName: p.FullName, SignedIn: true})
	if err != nil {
		return SignedIn{}, err
	}
	return SignedIn{Team: made.Team, Member: made.Team.Members[0], APIKey: made.APIKey}, nil
}

// signInMember notes that a person has signed in; answered by SignedIn.
type signInMember struct{ proof Proof }

func (ms *members) onSignInMember(m signInMember) {
	member, err := ms.byEmail(m.proof.Email)
	if err != nil {
		ms.Answer(nil, err)
		return
	}
	key, err := ms.team.key()
	if err != nil {
		ms.Answer(nil, err)
		return
	}
	ms.signIn(&persistence.Batch{}, member, m.proof, key)
}

// signIn signs a member in, in the batch of the member if it is new.
func (ms *members) signIn(batch *persistence.Batch, member watchpost.Member, p Proof, key string) {
	if err := ms.team.passkeys.Use(batch, member.ID, p.Passkey); err != nil {
		ms.Commit(batch, err)
		return
	}
	ms.enter(batch, member, key, p.By)
}

// personSeen notes that a person of the team was there just now.
func (t *team) personSeen(batch *persistence.Batch) {
	t.record.SignedInAt = t.env.Clock.Now()
	batch.Put([]byte(teamspace.KeyTeam), teamspace.Encode(t.record))
}

// CreateTeam creates a team under a new id (Conflict when the email belongs to one).
func (r *signingIn) CreateTeam(ctx context.Context, c CreateTeam) (TeamCreated, error) {
	return askTeam(ctx, r.base, r.newTeamID(), c)
}

// SignInSession redeems a pairing code, or the email of a member and its one-time
// code, for a session token (Unauthenticated; as SignIn, and never makes a team). client
// identifies the client in limits.
func (r *signingIn) SignInSession(ctx context.Context, req protocol.SignInRequest, client string) (SessionOpened, error) {
	if req.Code == "" {
		signed, err := r.VerifyOTP(ctx, signin.OneTimeCode{Email: req.Email, OTP: req.OTP, Client: client, Nonce: req.Nonce},
			Choice{Accept: watchpost.InvitationID(req.Accept), JoinsOnly: true})
		if err != nil {
			return SessionOpened{}, err
		}
		return r.OpenSession(ctx, signed)
	}
	code := watchpost.NormalizePairingCode(req.Code)
	hash := r.env.Keyring.Hash(teamspace.DirPairing, code)
	owner, err := teamspace.Read[teamspace.OwnerEntry](ctx, r.env.Store, teamspace.DirPairing, hash)
	if errors.Is(err, persistence.ErrNotFound) {
		return SessionOpened{}, errPairing()
	}
	if err != nil {
		return SessionOpened{}, watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
	}
	if !r.Serves(string(owner.Team)) {
		return SessionOpened{}, &root.ElsewhereError{Team: owner.Team}
	}
	return askTeam(ctx, r.base, owner.Team, redeemPairing{hash})
}

// OpenSession opens a session of a person that has just signed in.
func (r *signingIn) OpenSession(ctx context.Context, who SignedIn) (SessionOpened, error) {
	return askTeam(ctx, r.base, who.Team.ID, OpenSession{Email: who.Member.Email})
}

// SignOut ends the session of a token. An unknown token is no error: its session
// has ended already. In a cluster, the error is an ElsewhereError when another
// node serves the team.
func (r *signingIn) SignOut(ctx context.Context, token string) error {
	owner, err := teamspace.Read[teamspace.OwnerEntry](ctx, r.env.Store, teamspace.DirToken, r.env.Keyring.Hash(teamspace.DirToken, token))
	if errors.Is(err, persistence.ErrNotFound) {
		return nil
	}
	if err != nil {
		return root.Unavailable(err)
	}
	_, err = askTeam(ctx, r.base, owner.Team, Revoke{owner.Session})
	if watchpost.KindOf(err) == watchpost.NotFound {
		return nil
	}
	return err
}

// Network is the origin of the network that the service works on, without a
// path; "" when it is not known.
func (r *signingIn) Network() string {
	if r.env.network == nil {
		return ""
	}
	return r.env.network.Scheme + "://" + r.env.network.Host
}

// SealNonce marks the nonce of a client as that of one that signed in to the address.
func (r *signingIn) SealNonce(email, nonce string) string {
	return signin.SealNonce(r.env.Keyring, email, nonce)
}

// SignOnSecrets returns what binds a sign-in at the provider of identities to the browser
// with a cookie: for the browser's way there and back, for the provider's token, and for
// the exchange of its code. They follow from the cookie, so nothing is stored.
func (r *signingIn) SignOnSecrets(cookie string) (state, nonce, verifier string) {
	k := r.env.Keyring
	return k.Hash("sign-on state", cookie), k.Hash("sign-on nonce", cookie), k.Hash("sign-on verifier", cookie)
}

// TakeTry counts a try to sign in of a client (Unauthenticated beyond the limit).
func (r *signingIn) TakeTry(ctx context.Context, client string) error {
	return r.shards.TakeTry(ctx, client)
}
