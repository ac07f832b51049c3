package admin

import (
	"net/http"

	"watchpost/actors"
	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

// memberRoutes are the operator's ways to change a team's members.
func (s teams) memberRoutes() {
	const path = "/admin/teams/{id}/members/{member}"
	unknown := endpoint.WithError(http.StatusNotFound, endpoint.TextTeamNotFound, endpoint.TextUserNotFound)
	endpoint.Handle(s.Ops, http.MethodGet, "/admin/teams/{id}/members", s.listMembers, s.Operation(endpoint.Operators, "listMembers", "List a team's members", endpoint.TagAdmin),
		endpoint.WithError(http.StatusNotFound, endpoint.TextTeamNotFound))
	endpoint.HandleBody(s.Ops, http.MethodPatch, path, s.updateMember, s.Operation(endpoint.Operators, "updateMember", "Change a member's role", endpoint.TagAdmin),
		endpoint.WithBody(textInvalidRole), unknown)
	endpoint.Handle(s.Ops, http.MethodDelete, path, s.removeMember,
		s.Operation(endpoint.Operators, "removeMember", "Remove a member: ends sessions, account claims and waiting writes", endpoint.TagAdmin), unknown)
	endpoint.Handle(s.Ops, http.MethodDelete, path+"/account", s.releaseAccount,
		s.Operation(endpoint.Operators, "releaseAccount", "Release the network account that a member works as", endpoint.TagAdmin), unknown)
}

// readRole reads a role that must be given.
func readRole(s string) (watchpost.Role, error) {
	role, err := watchpost.ParseRole(s)
	if err != nil || endpoint.IsBlank(s) {
		return "", watchpost.Errorf(watchpost.Invalid, textInvalidRole)
	}
	return role, nil
}

// memberInPath reads the ids of the team and the member from the path.
func memberInPath(r *http.Request) (watchpost.TeamID, watchpost.MemberID, error) {
	team, err := endpoint.TeamInPath(r)
	if err != nil {
		return "", "", err
	}
	id := r.PathValue("member")
	if !watchpost.ValidID(id) {
		return "", "", watchpost.Errorf(watchpost.NotFound, endpoint.TextUserNotFound)
	}
	return team, watchpost.MemberID(id), nil
}

type memberList struct {
	Members []shownMember `json:"members" validate:"required"`
	Count   int           `json:"count"`
}

func (s teams) listMembers(r *http.Request) (memberList, error) {
	team, err := s.showTeam(r)
	return memberList{team.Members, len(team.Members)}, err
}

type updateMemberRequest struct {
	Role string `json:"role" required:"" validate:"oneof=admin member" example:"admin"`

	role watchpost.Role
}

// CleanField implements endpoint.FieldCleaner.
func (r *updateMemberRequest) CleanField(string) (err error) {
	r.role, err = readRole(r.Role)
	return err
}

func (s teams) updateMember(r *http.Request, request updateMemberRequest) (shownMember, error) {
	team, member, err := memberInPath(r)
	if err != nil {
		return shownMember{}, err
	}
	changed, err := actors.Ask(r.Context(), s.Registry, team, actors.UpdateMember{Member: member, Role: request.role})
	return memberShown(changed), err
}

type removeMemberReply struct {
	ID      watchpost.MemberID `json:"id"`
	Removed bool               `json:"removed"`
}

func (s teams) removeMember(r *http.Request) (removeMemberReply, error) {
	team, member, err := memberInPath(r)
	if err != nil {
		return removeMemberReply{}, err
	}
	_, err = actors.Ask(r.Context(), s.Registry, team, actors.RemoveMember{Member: member})
	return removeMemberReply{member, true}, err
}

type releaseAccountReply struct {
	ID       watchpost.MemberID `json:"id"`
	Released bool               `json:"released"`
}

func (s teams) releaseAccount(r *http.Request) (releaseAccountReply, error) {
	team, member, err := memberInPath(r)
	if err != nil {
		return releaseAccountReply{}, err
	}
	_, err = actors.Ask(r.Context(), s.Registry, team, actors.ReleaseAccount{Member: member})
	return releaseAccountReply{member, true}, err
}
