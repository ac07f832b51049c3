package api

import (
	"net/http"
	"strings"

	"watchpost/actors"
	"watchpost/actors/signin"
	"watchpost/http/endpoint"
	"watchpost/internal/protocol"
	"watchpost/internal/words"
	"watchpost/watchpost"
)

const (
	textInvalidOTP = "Missing or invalid 'otp'"

	textNoTeam = "No team for this email"
)

func (s SignIns) routes() {
	endpoint.HandleBody(s.API, http.MethodPost, "/network-agent/auth-send-otp", s.sendOTP,
		s.Operation(endpoint.Public, "sendOTP", "Mail a one-time code", endpoint.TagSignIn), s.Guard(s.CheckSite), s.Placed(endpoint.PlaceOfSignIn), endpoint.WithBody(endpoint.TextInvalidMail, endpoint.TextInvalidFullName),
		endpoint.WithError(http.StatusForbidden, endpoint.TextOrigin))
	endpoint.HandleBody(s.API, http.MethodPost, "/network-agent/auth-verify-otp", s.verifyOTP,
		s.Operation(endpoint.Public, "verifyOTP", "Redeem a one-time code for the team's key", endpoint.TagSignIn), s.Guard(s.CheckSite), s.Placed(endpoint.PlaceOfSignIn),
		endpoint.WithBody(endpoint.TextInvalidMail, textInvalidOTP), endpoint.WithError(http.StatusUnauthorized, "Invalid or expired OTP"),
		endpoint.WithError(http.StatusForbidden, endpoint.TextOrigin), endpoint.WithError(http.StatusNotFound, watchpost.TextInvitationNotFound, textNoTeam),
		endpoint.WithError(http.StatusConflict, endpoint.TextEmailTaken), endpoint.WithError(http.StatusPaymentRequired, endpoint.TextMembersQuota))
	endpoint.HandleBody(s.API, http.MethodPost, "/extension/sign-in", s.signInSession,
		s.Operation(endpoint.Public, "signInSession", "Redeem a pairing code, or an email with its one-time code, for a session token", endpoint.TagSignIn), s.Guard(s.CheckSecret), s.Placed(endpoint.PlaceOfSignIn),
		endpoint.WithBody(textInvalidCode, endpoint.TextInvalidMail, textInvalidOTP), endpoint.WithError(http.StatusUnauthorized, "Invalid or expired pairing code", "Invalid or expired OTP"),
		endpoint.WithError(http.StatusForbidden, endpoint.TextOrigin, endpoint.TextNoTLS), endpoint.WithError(http.StatusNotFound, textNoTeam, watchpost.TextInvitationNotFound),
		endpoint.WithError(http.StatusConflict, endpoint.TextEmailTaken), endpoint.WithError(http.StatusPaymentRequired, endpoint.TextMembersQuota),
		endpoint.WithError(http.StatusServiceUnavailable, endpoint.TextUnavailable))
	endpoint.Handle(s.API, http.MethodPost, "/extension/sign-out", s.signOutSession,
		s.Operation(endpoint.Sessions, "signOutSession", "End the session of a token", endpoint.TagSignIn), s.Guard(s.CheckPoll), s.Placed(endpoint.PlaceOfSession),
		endpoint.WithError(http.StatusUnauthorized, endpoint.TextBadToken), endpoint.WithError(http.StatusForbidden, endpoint.TextOrigin, endpoint.TextNoTLS))
}

type sendOTPRequest struct {
	Email    string `json:"email" required:"" example:"jane@example.com"`
	FullName string `json:"full_name,omitempty" example:"Jane Doe" maxLength:"120,own"`
}

// CleanField implements endpoint.FieldCleaner.
func (r *sendOTPRequest) CleanField(name string) (err error) {
	switch name {
	case "email":
		r.Email, err = endpoint.ReadEmail(r.Email)
	case "full_name":
		r.FullName, err = endpoint.ReadFullName(r.FullName)
	}
	return err
}

type sendOTPReply struct {
	Success bool   `json:"success"`
	Email   string `json:"email"`
	Nonce   string `json:"nonce"`
}

func (s SignIns) sendOTP(r *http.Request, request sendOTPRequest) (sendOTPReply, error) {
	nonce := signin.NewNonce()
	language := words.For("", strings.Join(r.Header.Values("Accept-Language"), ",")).Code
	if err := s.Registry.SendOTP(r.Context(), request.Email, request.FullName, s.ClientOf(r).Key(), nonce, language); err != nil {
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

// CleanField implements endpoint.FieldCleaner.
func (r *verifyOTPRequest) CleanField(name string) (err error) {
	switch {
	case name == "email":
		r.Email, err = endpoint.ReadEmail(r.Email)
	case name == "otp" && !watchpost.ValidOTP(r.OTP):
		err = watchpost.Errorf(watchpost.Invalid, textInvalidOTP)
	}
	return err
}

// WithCode redeems a one-time code, unless the node that forwarded the request has.
func (s SignIns) WithCode(r *http.Request, code signin.OneTimeCode, choice actors.Choice) (actors.SignedIn, error) {
	if endpoint.Accepted(r) {
		return s.Registry.SignIn(s.FromClient(r), actors.Proof{Email: code.Email, FullName: *endpoint.PeerOf(r.Context()).Accepted}, choice)
	}
	code.Client = s.ClientOf(r).Key()
	return s.Registry.VerifyOTP(s.FromClient(r), code, choice)
}

// CheckCode checks a one-time code and keeps it. A node that forwards a request has done so.
func (s SignIns) CheckCode(r *http.Request, code signin.OneTimeCode) error {
	if endpoint.Accepted(r) {
		return nil
	}
	code.Client = s.ClientOf(r).Key()
	_, err := s.Registry.CheckOTP(r.Context(), code, true)
	return err
}

// Proven signs in a person whose address is proven, to this node or to the one that
// forwarded the request.
func (s SignIns) Proven(r *http.Request, p actors.Proof) (actors.SignedIn, error) {
	if endpoint.Accepted(r) {
		return s.Registry.SignIn(s.FromClient(r), p, actors.Choice{})
	}
	return s.Registry.SignInProven(s.FromClient(r), p, actors.Choice{})
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
	who, err := s.WithCode(r, signin.OneTimeCode{Email: request.Email, OTP: request.OTP, Nonce: request.Nonce}, actors.Choice{Accept: request.Accept})
	if err = s.SignInElsewhere(r, request, err); err != nil {
		return verifyOTPReply{}, chosen(err)
	}
	pending, err := s.Registry.Invitations(r.Context(), request.Email)
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
	if !endpoint.IsBlank(r.Code) {
		return protocol.SignInRequest{Code: r.Code}, nil
	}
	if endpoint.IsBlank(r.Email) {
		return protocol.SignInRequest{}, watchpost.Errorf(watchpost.Invalid, textInvalidCode)
	}
	email, err := endpoint.ReadEmail(r.Email)
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
	if endpoint.Accepted(r) && request.Code == "" {
		var who actors.SignedIn
		choice := actors.Choice{Accept: watchpost.InvitationID(request.Accept), JoinsOnly: true}
		if who, err = s.Registry.SignIn(s.FromClient(r), actors.Proof{Email: request.Email, FullName: *endpoint.PeerOf(r.Context()).Accepted}, choice); err == nil {
			opened, err = s.Registry.OpenSession(s.FromClient(r), who)
		}
	} else {
		opened, err = s.Registry.SignInSession(s.FromClient(r), request, s.ClientOf(r).Key())
	}
	if err = s.SignInElsewhere(r, given, err); err != nil {
		return none, chosen(err)
	}
	return protocol.SignInReply{
		SessionToken: opened.Token,
		Team:         protocol.SignInTeam{ID: string(opened.Team.ID), Name: opened.Team.Name},
		Member:       protocol.SignInMember{ID: string(opened.Member.ID), Email: opened.Member.Email},
		Network:      s.Registry.Network(),
	}, nil
}

type signOutReply struct {
	Success bool `json:"success"`
}

// signOutSession ends the session of the caller's token, which may have ended
// before.
func (s SignIns) signOutSession(r *http.Request) (signOutReply, error) {
	return signOutReply{true}, s.Registry.SignOut(s.FromClient(r), endpoint.Bearer(r))
}
