package actors

import (
	"context"
	"errors"

	"watchpost/actors/access"
	"watchpost/actors/root"
	"watchpost/actors/signin"
	"watchpost/internal/mail/outgoing"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// CreateTeam creates a team under a new id (Conflict when the email belongs to one).
func (r *admitting) CreateTeam(ctx context.Context, c CreateTeam) (TeamCreated, error) {
	return askTeam(ctx, r.base, r.newTeamID(), c)
}

// signUp creates a team for a person who signs in with that.
func (r *admitting) signUp(ctx context.Context, p Proof) (SignedIn, error) {
	made, err := r.CreateTeam(ctx, CreateTeam{Plan: watchpost.PlanFree, Email: p.Email, FullName: p.FullName, SignedIn: true})
	if err != nil {
		return SignedIn{}, err
	}
	return SignedIn{Team: made.Team, Member: made.Team.Members[0], APIKey: made.APIKey}, nil
}

// AddMember adds a member to a team at once (PlanLimit, Conflict when the email belongs to
// a team) and mails that.
func (r *admitting) AddMember(ctx context.Context, team watchpost.TeamID, m AddMember) (watchpost.Member, error) {
	member, err := askTeam(ctx, r.base, team, m)
	if err != nil {
		return member, err
	}
	name := ""
	if view, err := askTeam(ctx, r.base, team, GetTeam{}); err == nil {
		name = view.Team.Name
	}
	r.mails.Mail(ctx, member, outgoing.Added(access.RecipientOf(member), name))
	return member, nil
}

// MailPairingLink mails a link with a pairing code to its member, in the language of the page
// that asks for it, by its code.
func (r *admitting) MailPairingLink(ctx context.Context, email, link, language string, code PairingCode) {
	r.mails.Post(ctx, outgoing.PairingLink(outgoing.Recipient{Address: email, Language: language}, link, code.ExpiresAt))
}

// SignInSession redeems a pairing code, or the email of a member and its one-time
// code, for a session token (Unauthenticated; as SignIn, and never makes a team). client
// identifies the client in limits.
func (r *admitting) SignInSession(ctx context.Context, req protocol.SignInRequest, client string) (SessionOpened, error) {
	if req.Code == "" {
		signed, err := r.signing.VerifyOTP(ctx, signin.OneTimeCode{Email: req.Email, OTP: req.OTP, Client: client, Nonce: req.Nonce},
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
func (r *admitting) OpenSession(ctx context.Context, who SignedIn) (SessionOpened, error) {
	return askTeam(ctx, r.base, who.Team.ID, OpenSession{Email: who.Member.Email})
}

// SignOut ends the session of a token. An unknown token is no error: its session
// has ended already. In a cluster, the error is an ElsewhereError when another
// node serves the team.
func (r *admitting) SignOut(ctx context.Context, token string) error {
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
func (r *admitting) Network() string {
	if r.env.network == nil {
		return ""
	}
	return r.env.network.Scheme + "://" + r.env.network.Host
}
