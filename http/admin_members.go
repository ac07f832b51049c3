package httpapi

import (
	"net/http"

	"watchpost/actors"
	"watchpost/watchpost"
)

type addMemberRequest struct {
	Email    string `json:"email" required:"" example:"joe@example.com"`
	FullName string `json:"full_name,omitempty" example:"Joe Doe" maxLength:"120,own"`
	Role     string `json:"role" required:"" validate:"oneof=admin member" example:"member"`
	Invite   bool   `json:"invite,omitempty"`

	role watchpost.Role
}

// CleanField implements fieldCleaner.
func (r *addMemberRequest) CleanField(name string) (err error) {
	switch name {
	case "email":
		r.Email, err = mailbox(r.Email)
	case "full_name":
		r.FullName, err = readFullName(r.FullName)
	case "role":
		r.role, err = readRole(r.Role)
	}
	return err
}

// addMemberReply is the new member, or the invitation of one.
type addMemberReply struct {
	shownMember

	Pending   bool       `json:"pending,omitempty"`
	ExpiresAt *timestamp `json:"expires_at,omitempty"`
}

func (s teamsAdmin) addMember(r *http.Request, request addMemberRequest) (addMemberReply, error) {
	id, err := teamInPath(r)
	if err != nil {
		return addMemberReply{}, err
	}
	if request.Invite {
		i, err := s.registry.Invite(r.Context(), id, actors.InviteMember{Email: request.Email, FullName: request.FullName, Role: request.role})
		return addMemberReply{shownMember{watchpost.MemberID(i.ID), i.Email, i.FullName, i.Role}, true, timestampOrNil(i.Ends())}, err
	}
	member, err := s.registry.AddMember(r.Context(), id, actors.AddMember{Email: request.Email, FullName: request.FullName, Role: request.role})
	return addMemberReply{shownMember: memberShown(member)}, err
}

// memberRequest names a member of the team in the path.
type memberRequest struct {
	Email string `json:"email" required:"" example:"joe@example.com"`
}

// CleanField implements fieldCleaner.
func (r *memberRequest) CleanField(string) (err error) {
	r.Email, err = mailbox(r.Email)
	return err
}

type pairingCodeReply struct {
	Code      string    `json:"code"`
	ExpiresAt timestamp `json:"expires_at"`
}

func (s teamsAdmin) createPairingCode(r *http.Request, member memberRequest) (pairingCodeReply, error) {
	team, err := teamInPath(r)
	if err != nil {
		return pairingCodeReply{}, err
	}
	code, err := actors.Ask(r.Context(), s.registry, team, actors.CreatePairingCode{Email: member.Email})
	return pairingCodeReply{code.Code, timestampOf(code.ExpiresAt)}, err
}
