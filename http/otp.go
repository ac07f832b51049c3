package httpapi

import (
	"net/http"

	"watchpost/actors"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

const (
	textInvalidOTP = "Missing or invalid 'otp'"

	textNoTeam = "No team for this email"
)

func (s SignIns) routes() {
	handleBody(s.api, http.MethodPost, "/network-agent/auth-send-otp", s.sendOTP,
		s.operation(public, "sendOTP", "Mail a one-time code", tagSignIn), s.guard(s.checkSite), s.placed(placeOfSignIn), withBody(textInvalidMail, textInvalidFullName),
		withError(http.StatusForbidden, textOrigin))
	handleBody(s.api, http.MethodPost, "/network-agent/auth-verify-otp", s.verifyOTP,
		s.operation(public, "verifyOTP", "Redeem a one-time code for the team's key", tagSignIn), s.guard(s.checkSite), s.placed(placeOfSignIn),
		withBody(textInvalidMail, textInvalidOTP), withError(http.StatusUnauthorized, "Invalid or expired OTP"),
		withError(http.StatusForbidden, textOrigin), withError(http.StatusNotFound, watchpost.TextInvitationNotFound, textNoTeam),
		withError(http.StatusConflict, textEmailTaken), withError(http.StatusPaymentRequired, textMembersQuota))
	handleBody(s.api, http.MethodPost, "/extension/sign-in", s.signInSession,
		s.operation(public, "signInSession", "Redeem a pairing code, or an email with its one-time code, for a session token", tagSignIn), s.guard(s.checkSecret), s.placed(placeOfSignIn),
		withBody(textInvalidCode, textInvalidMail, textInvalidOTP), withError(http.StatusUnauthorized, "Invalid or expired pairing code", "Invalid or expired OTP"),
		withError(http.StatusForbidden, textOrigin, textNoTLS), withError(http.StatusNotFound, textNoTeam, watchpost.TextInvitationNotFound),
		withError(http.StatusConflict, textEmailTaken), withError(http.StatusPaymentRequired, textMembersQuota),
		withError(http.StatusServiceUnavailable, textUnavailable))
	handle(s.api, http.MethodPost, "/extension/sign-out", s.signOutSession,
		s.operation(sessions, "signOutSession", "End the session of a token", tagSignIn), s.guard(s.checkPoll), s.placed(placeOfSession),
		withError(http.StatusUnauthorized, textBadToken), withError(http.StatusForbidden, textOrigin, textNoTLS))
}

type sendOTPRequest struct {
	Email    string `json:"email" required:"" example:"jane@example.com"`
	FullName string `json:"full_name,omitempty" example:"Jane Doe" maxLength:"120,own"`
}

// CleanField implements fieldCleaner.
func (r *sendOTPRequest) CleanField(name string) (err error) {
	switch name {
	case "email":
		r.Email, err = mailbox(r.Email)
	case "full_name":
		r.FullName, err = readFullName(r.FullName)
	}
	return err
}

type sendOTPReply struct {
	Success bool   `json:"success"`
	Email   string `json:"email"`
	Nonce   string `json:"nonce"`
}

func (s SignIns) sendOTP(r *http.Request, request sendOTPRequest) (sendOTPReply, error) {
	nonce := actors.NewSignInNonce()
	if err := s.registry.SendOTP(r.Context(), request.Email, request.FullName, s.clientOf(r).key(), nonce); err != nil {
		return sendOTPReply{}, err
	}
	return sendOTPReply{true, request.Email, nonce}, nil
}

type verifyOTPRequest struct {
	Email string `json:"email" required:"" example:"jane@example.com"`
	OTP   string `json:"otp" required:"" example:"123456"`
	Nonce string `json:"nonce,omitempty"`

	Accept watchpost.InvitationID `json:"accept,omitempty"`
}

// CleanField implements fieldCleaner.
func (r *verifyOTPRequest) CleanField(name string) (err error) {
	switch {
	case name == "email":
		r.Email, err = mailbox(r.Email)
	case name == "otp" && !watchpost.ValidOTP(r.OTP):
		err = watchpost.Errorf(watchpost.Invalid, textInvalidOTP)
	}
	return err
}

// WithCode redeems a one-time code, unless the node that forwarded the request has.
func (s SignIns) WithCode(r *http.Request, code actors.OneTimeCode, choice actors.Choice) (actors.SignedIn, error) {
	if accepted(r) {
		return s.registry.SignIn(s.fromClient(r), actors.Proof{Email: code.Email, FullName: *peerOf(r.Context()).Accepted}, choice)
	}
	code.Client = s.clientOf(r).key()
	return s.registry.VerifyOTP(s.fromClient(r), code, choice)
}

// CheckCode checks a one-time code and keeps it. A node that forwards a request has done so.
func (s SignIns) CheckCode(r *http.Request, code actors.OneTimeCode) error {
	if accepted(r) {
		return nil
	}
	code.Client = s.clientOf(r).key()
	_, err := s.registry.CheckOTP(r.Context(), code, true)
	return err
}

// Proven signs in a person whose address is proven, to this node or to the one that
// forwarded the request.
func (s SignIns) Proven(r *http.Request, p actors.Proof) (actors.SignedIn, error) {
	if accepted(r) {
		return s.registry.SignIn(s.fromClient(r), p, actors.Choice{})
	}
	return s.registry.SignInProven(s.fromClient(r), p, actors.Choice{})
}

type verifyOTPReply struct {
	Success     bool           `json:"success"`
	APIKey      string         `json:"api_key"`
	User        signedUser     `json:"user"`
	Team        signedTeam     `json:"team"`
	Invitations []invitationTo `json:"invitations,omitempty"`
}

type signedUser struct {
	ID       watchpost.MemberID `json:"id"`
	FullName string             `json:"full_name" maxLength:"120,own"`
	Email    string             `json:"email"`
}

type signedTeam struct {
	ID     watchpost.TeamID `json:"id"`
	Name   string           `json:"name"`
	APIKey string           `json:"api_key"`
}

func (s SignIns) verifyOTP(r *http.Request, request verifyOTPRequest) (verifyOTPReply, error) {
	who, err := s.WithCode(r, actors.OneTimeCode{Email: request.Email, OTP: request.OTP, Nonce: request.Nonce}, actors.Choice{Accept: request.Accept})
	if err = s.signInElsewhere(r, request, err); err != nil {
		return verifyOTPReply{}, chosen(err)
	}
	pending, err := s.registry.Invitations(r.Context(), request.Email)
	if err != nil {
		return verifyOTPReply{}, err
	}
	return verifyOTPReply{
		Success: true, Invitations: invitationsTo(pending), APIKey: who.APIKey,
		User: signedUser{who.Member.ID, who.Member.FullName, who.Member.Email},
		Team: signedTeam{who.Team.ID, who.Team.Name, who.APIKey},
	}, nil
}

type signInRequest struct {
	Code  string `json:"code,omitempty" invalid:"Missing or invalid 'code'" example:"7K3QX2M9PD"`
	Email string `json:"email,omitempty" invalid:"Missing or invalid 'email'" example:"jane@example.com"`
	OTP   string `json:"otp,omitempty" invalid:"Missing or invalid 'otp'" example:"123456"`
	Nonce string `json:"nonce,omitempty"`

	Accept watchpost.InvitationID `json:"accept,omitempty"`
}

const textInvalidCode = "Missing or invalid 'code'"

// check makes of the request what the registry redeems: a code, or an email
// with its one-time code.
func (r signInRequest) check() (protocol.SignInRequest, error) {
	if !isBlank(r.Code) {
		return protocol.SignInRequest{Code: r.Code}, nil
	}
	if isBlank(r.Email) {
		return protocol.SignInRequest{}, watchpost.Errorf(watchpost.Invalid, textInvalidCode)
	}
	email, err := mailbox(r.Email)
	if err != nil {
		return protocol.SignInRequest{}, err
	}
	if !watchpost.ValidOTP(r.OTP) {
		return protocol.SignInRequest{}, watchpost.Errorf(watchpost.Invalid, textInvalidOTP)
	}
	return protocol.SignInRequest{Email: email, OTP: r.OTP, Nonce: r.Nonce, Accept: string(r.Accept)}, nil
}

func (s SignIns) signInSession(r *http.Request, given signInRequest) (protocol.SignInReply, error) {
	var none protocol.SignInReply
	request, err := given.check()
	if err != nil {
		return none, err
	}
	var opened actors.SessionOpened
	if accepted(r) && request.Code == "" {
		var who actors.SignedIn
		choice := actors.Choice{Accept: watchpost.InvitationID(request.Accept), JoinsOnly: true}
		if who, err = s.registry.SignIn(s.fromClient(r), actors.Proof{Email: request.Email, FullName: *peerOf(r.Context()).Accepted}, choice); err == nil {
			opened, err = s.registry.OpenSession(s.fromClient(r), who)
		}
	} else {
		opened, err = s.registry.SignInSession(s.fromClient(r), request, s.clientOf(r).key())
	}
	if err = s.signInElsewhere(r, given, err); err != nil {
		return none, chosen(err)
	}
	return protocol.SignInReply{
		SessionToken: opened.Token,
		Team:         protocol.SignInTeam{ID: string(opened.Team.ID), Name: opened.Team.Name},
		Member:       protocol.SignInMember{ID: string(opened.Member.ID), Email: opened.Member.Email},
		Network:      s.registry.Network(),
	}, nil
}

type signOutReply struct {
	Success bool `json:"success"`
}

// signOutSession ends the session of the caller's token, which may have ended
// before.
func (s SignIns) signOutSession(r *http.Request) (signOutReply, error) {
	return signOutReply{true}, s.registry.SignOut(s.fromClient(r), bearer(r))
}
