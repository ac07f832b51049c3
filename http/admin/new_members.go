package admin

import (
	"net/http"

	"watchpost/actors"
	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

type addMemberRequest struct {
	Email    string `json:"email" required:"" example:"joe@example.com"`
	FullName string `json:"full_name,omitempty" example:"Joe Doe" maxLength:"120,own"`
	Role     string `json:"role" required:"" validate:"oneof=admin member" example:"member"`
	Invite   bool   `json:"invite,omitempty"`

	role watchpost.Role
}

// CleanField implements endpoint.FieldCleaner.
func (r *addMemberRequest) CleanField(name string) (err error) {
	switch name {
	case "email":
		r.Email, err = endpoint.ReadEmail(r.Email)
	case "full_name":
		r.FullName, err = endpoint.ReadFullName(r.FullName)
	case "role":
		r.role, err = readRole(r.Role)
	}
	return err
}

// addMemberReply is the new member, or the invitation of one.
type addMemberReply struct {
	shownMember

	Pending   bool                `json:"pending,omitempty"`
	ExpiresAt *endpoint.Timestamp `json:"expires_at,omitempty"`
}

func (s teams) addMember(r *http.Request, request addMemberRequest) (addMemberReply, error) {
	id, err := endpoint.TeamInPath(r)
	if err != nil {
		return addMemberReply{}, err
	}
	if request.Invite {
		i, err := s.Registry.Invite(r.Context(), id, actors.InviteMember{Email: request.Email, FullName: request.FullName, Role: request.role})
		return addMemberReply{shownMember{watchpost.MemberID(i.ID), i.Email, i.FullName, i.Role}, true, endpoint.TimestampOrNil(i.Ends())}, err
	}
	member, err := s.Registry.AddMember(r.Context(), id, actors.AddMember{Email: request.Email, FullName: request.FullName, Role: request.role})
	return addMemberReply{shownMember: memberShown(member)}, err
}

// memberRequest names a member of the team in the path.
type memberRequest struct {
	Email string `json:"email" required:"" example:"joe@example.com"`
}

// CleanField implements endpoint.FieldCleaner.
func (r *memberRequest) CleanField(string) (err error) {
	r.Email, err = endpoint.ReadEmail(r.Email)
	return err
}

type pairingCodeReply struct {
	Code      string             `json:"code"`
	ExpiresAt endpoint.Timestamp `json:"expires_at"`
}

func (s teams) createPairingCode(r *http.Request, member memberRequest) (pairingCodeReply, error) {
	team, err := endpoint.TeamInPath(r)
	if err != nil {
		return pairingCodeReply{}, err
	}
	code, err := actors.Ask(r.Context(), s.Registry, team, actors.CreatePairingCode{Email: member.Email})
	return pairingCodeReply{code.Code, endpoint.TimestampOf(code.ExpiresAt)}, err
}
