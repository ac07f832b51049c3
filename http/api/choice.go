package api

import (
	"cmp"
	"errors"
	"net/http"

	"watchpost/actors"
	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

// invitationTo is a pending invitation as the invited person sees it.
type invitationTo struct {
	ID       watchpost.InvitationID `json:"id"`
	TeamName string                 `json:"team_name"`
	By       string                 `json:"invited_by"`
}

func invitationsTo(pending []actors.InvitationTo) []invitationTo {
	shown := make([]invitationTo, len(pending))
	for i, one := range pending {
		shown[i] = invitationTo{one.ID, one.TeamName, cmp.Or(one.By, endpoint.ByOperator)}
	}
	return shown
}

// choiceBody is the body of the error of a sign-in that has to name an invitation.
type choiceBody struct {
	Error       string         `json:"error"`
	Invitations []invitationTo `json:"invitations"`
}

// chosen gives the error of a person who must choose a team the body that shows the
// choice; other errors are returned as they are.
func chosen(err error) error {
	var choice *actors.ChoiceError
	if !errors.As(err, &choice) {
		return err
	}
	return &endpoint.ReplyError{Status: http.StatusNotFound, Body: choiceBody{choice.Error(), invitationsTo(choice.Invitations)}, Cause: err}
}
