package admin

import (
	"cmp"
	"net/http"

	"watchpost/actors"
	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

// invitationRoutes are the operator's ways to pending invitations.
func (s teams) invitationRoutes() {
	const path = "/admin/teams/{id}/invitations"
	unknown := endpoint.WithError(http.StatusNotFound, endpoint.TextTeamNotFound, watchpost.TextInvitationNotFound)
	endpoint.Handle(s.Ops, http.MethodGet, path, s.listInvitations, s.Operation(endpoint.Operators, "listInvitations", "List a team's pending invitations", endpoint.TagAdmin),
		endpoint.WithError(http.StatusNotFound, endpoint.TextTeamNotFound))
	endpoint.Handle(s.Ops, http.MethodPost, path+"/{invitation}/mail", s.mailInvitation,
		s.Operation(endpoint.Operators, "mailInvitation", "Mail a pending invitation again", endpoint.TagAdmin), unknown,
		endpoint.WithError(http.StatusConflict, watchpost.TextMailedToday))
	endpoint.Handle(s.Ops, http.MethodDelete, path+"/{invitation}", s.withdrawInvitation,
		s.Operation(endpoint.Operators, "withdrawInvitation", "Withdraw a pending invitation", endpoint.TagAdmin), unknown)
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
	CreatedAt endpoint.Timestamp     `json:"created_at"`
	MailedAt  endpoint.Timestamp     `json:"mailed_at"`
	ExpiresAt endpoint.Timestamp     `json:"expires_at"`
}

func invitationShown(i *watchpost.Invitation) shownInvitation {
	return shownInvitation{i.ID, i.Email, i.FullName, i.Role, cmp.Or(i.By, endpoint.ByOperator), endpoint.TimestampOf(i.CreatedAt), endpoint.TimestampOf(i.MailedAt), endpoint.TimestampOf(i.Ends())}
}

func (s teams) listInvitations(r *http.Request) (invitationList, error) {
	team, err := endpoint.TeamInPath(r)
	if err != nil {
		return invitationList{}, err
	}
	view, err := actors.Ask(r.Context(), s.Registry, team, actors.GetTeam{})
	list := invitationList{Invitations: make([]shownInvitation, len(view.Invitations)), Count: len(view.Invitations)}
	for i := range view.Invitations {
		list.Invitations[i] = invitationShown(&view.Invitations[i])
	}
	return list, err
}

func (s teams) mailInvitation(r *http.Request) (shownInvitation, error) {
	team, err := endpoint.TeamInPath(r)
	if err != nil {
		return shownInvitation{}, err
	}
	mailed, err := s.Registry.MailInvitation(r.Context(), team, watchpost.InvitationID(r.PathValue("invitation")), "", "")
	return invitationShown(&mailed), err
}

type withdrawInvitationReply struct {
	ID        watchpost.InvitationID `json:"id"`
	Withdrawn bool                   `json:"withdrawn"`
}

func (s teams) withdrawInvitation(r *http.Request) (withdrawInvitationReply, error) {
	team, err := endpoint.TeamInPath(r)
	if err != nil {
		return withdrawInvitationReply{}, err
	}
	id := watchpost.InvitationID(r.PathValue("invitation"))
	_, err = actors.Ask(r.Context(), s.Registry, team, actors.WithdrawInvitation{Invitation: id})
	return withdrawInvitationReply{id, true}, err
}
