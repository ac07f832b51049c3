package httpapi

import (
	"cmp"
	"net/http"

	"watchpost/actors"
	"watchpost/watchpost"
)

// invitationRoutes are the operator's ways to pending invitations.
func (s teamsAdmin) invitationRoutes() {
	const path = "/admin/teams/{id}/invitations"
	unknown := withError(http.StatusNotFound, textTeamNotFound, watchpost.TextInvitationNotFound)
	handle(s.ops, http.MethodGet, path, s.listInvitations, s.operation(operators, "listInvitations", "List a team's pending invitations", tagAdmin),
		withError(http.StatusNotFound, textTeamNotFound))
	handle(s.ops, http.MethodPost, path+"/{invitation}/mail", s.mailInvitation,
		s.operation(operators, "mailInvitation", "Mail a pending invitation again", tagAdmin), unknown,
		withError(http.StatusConflict, watchpost.TextMailedToday))
	handle(s.ops, http.MethodDelete, path+"/{invitation}", s.withdrawInvitation,
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

func (s teamsAdmin) listInvitations(r *http.Request) (invitationList, error) {
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

func (s teamsAdmin) mailInvitation(r *http.Request) (shownInvitation, error) {
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

func (s teamsAdmin) withdrawInvitation(r *http.Request) (withdrawInvitationReply, error) {
	team, err := teamInPath(r)
	if err != nil {
		return withdrawInvitationReply{}, err
	}
	id := watchpost.InvitationID(r.PathValue("invitation"))
	_, err = actors.Ask(r.Context(), s.registry, team, actors.WithdrawInvitation{Invitation: id})
	return withdrawInvitationReply{id, true}, err
}
