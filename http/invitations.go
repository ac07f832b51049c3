package httpapi

import (
	"cmp"
	"errors"
	"net/http"

	"watchpost/actors"
	"watchpost/watchpost"
)

// invitationTo is a pending invitation as the invited person sees it.
type invitationTo struct {
	ID       watchpost.InvitationID `json:"id"`
	TeamName string                 `json:"team_name"`
	By       string                 `json:"invited_by"`
}

// byOperator stands for the email of who invited.
const byOperator = "operator"

func invitationsTo(pending []actors.InvitationTo) []invitationTo {
	shown := make([]invitationTo, len(pending))
	for i, one := range pending {
		shown[i] = invitationTo{one.ID, one.TeamName, cmp.Or(one.By, byOperator)}
	}
	return shown
}

// choiceBody is the body of the error of a sign-in that has to name an invitation.
type choiceBody struct {
	Error       string         `json:"error"`
	Invitations []invitationTo `json:"invitations"`
}

// writeChoiceError writes the error of a person who has to choose a team; false when the
// error is another.
func (x *requestState) writeChoiceError(err error) bool {
	var choice *actors.ChoiceError
	if !errors.As(err, &choice) {
		return false
	}
	x.writeBody(http.StatusNotFound, choiceBody{choice.Error(), invitationsTo(choice.Invitations)})
	return true
}

// invitationRoutes are the operator's ways to pending invitations.
func (s *Server) invitationRoutes() {
	const path = "/admin/teams/{id}/invitations"
	unknown := withError(http.StatusNotFound, textTeamNotFound, watchpost.TextInvitationNotFound)
	handle(s, s.ops, http.MethodGet, path, s.listInvitations, s.operation(operators, "listInvitations", "List a team's pending invitations", tagAdmin),
		withError(http.StatusNotFound, textTeamNotFound))
	handle(s, s.ops, http.MethodPost, path+"/{invitation}/mail", s.mailInvitation,
		s.operation(operators, "mailInvitation", "Mail a pending invitation again", tagAdmin), unknown,
		withError(http.StatusConflict, watchpost.TextMailedToday))
	handle(s, s.ops, http.MethodDelete, path+"/{invitation}", s.withdrawInvitation,
		s.operation(operators, "withdrawInvitation", "Withdraw a pending invitation", tagAdmin), unknown)
}

type invitationList struct {
	Invitations []shownInvitation `json:"invitations" validate:"required"`
	Count       int               `json:"count"`
}

// shownInvitation is a pending invitation as its team sees it.
type shownInvitation struct {
	ID        watchpost.InvitationID `json:"id"`
	Email     string                 `json:"email"`
	FullName  string                 `json:"full_name"`
	Role      watchpost.Role         `json:"role"`
	By        string                 `json:"invited_by"`
	CreatedAt timestamp              `json:"created_at"`
	MailedAt  timestamp              `json:"mailed_at"`
	ExpiresAt timestamp              `json:"expires_at"`
}

func invitationShown(i *watchpost.Invitation) shownInvitation {
	return shownInvitation{i.ID, i.Email, i.FullName, i.Role, cmp.Or(i.By, byOperator), timestampOf(i.CreatedAt), timestampOf(i.MailedAt), timestampOf(i.Ends())}
}

func (s *Server) listInvitations(r *http.Request) (invitationList, error) {
	team, err := teamInPath(r)
	if err != nil {
		return invitationList{}, err
	}
	view, err := actors.Ask(r.Context(), s.registry, team, actors.GetTeam{})
	list := invitationList{Invitations: make([]shownInvitation, len(view.Invitations)), Count: len(view.Invitations)}
	for i := range view.Invitations {
		list.Invitations[i] = invitationShown(&view.Invitations[i])
	}
	return list, err
}

func (s *Server) mailInvitation(r *http.Request) (shownInvitation, error) {
	team, err := teamInPath(r)
	if err != nil {
		return shownInvitation{}, err
	}
	mailed, err := s.registry.MailInvitation(r.Context(), team, watchpost.InvitationID(r.PathValue("invitation")), "")
	return invitationShown(&mailed), err
}

type withdrawInvitationReply struct {
	ID        watchpost.InvitationID `json:"id"`
	Withdrawn bool                   `json:"withdrawn"`
}

func (s *Server) withdrawInvitation(r *http.Request) (withdrawInvitationReply, error) {
	team, err := teamInPath(r)
	if err != nil {
		return withdrawInvitationReply{}, err
	}
	id := watchpost.InvitationID(r.PathValue("invitation"))
	_, err = actors.Ask(r.Context(), s.registry, team, actors.WithdrawInvitation{Invitation: id})
	return withdrawInvitationReply{id, true}, err
}
