package httpapi

import (
	"net/http"

	"watchpost/actors"
	"watchpost/watchpost"
)

// memberRoutes are the operator's ways to change a team's members.
func (s teamsAdmin) memberRoutes() {
	const path = "/admin/teams/{id}/members/{member}"
	unknown := withError(http.StatusNotFound, textTeamNotFound, textUserNotFound)
	handle(s.ops, http.MethodGet, "/admin/teams/{id}/members", s.listMembers, s.operation(operators, "listMembers", "List a team's members", tagAdmin),
		withError(http.StatusNotFound, textTeamNotFound))
	handleBody(s.ops, http.MethodPatch, path, s.updateMember, s.operation(operators, "updateMember", "Change a member's role", tagAdmin),
		withBody(textInvalidRole), unknown)
	handle(s.ops, http.MethodDelete, path, s.removeMember,
		s.operation(operators, "removeMember", "Remove a member: ends sessions, account claims and waiting writes", tagAdmin), unknown)
	handle(s.ops, http.MethodDelete, path+"/account", s.releaseAccount,
		s.operation(operators, "releaseAccount", "Release the network account that a member works as", tagAdmin), unknown)
}

// readRole reads a role that must be given.
func readRole(s string) (watchpost.Role, error) {
	role, err := watchpost.ParseRole(s)
	if err != nil || isBlank(s) {
		return "", watchpost.Errorf(watchpost.Invalid, textInvalidRole)
	}
	return role, nil
}

// memberInPath reads the ids of the team and the member from the path.
func memberInPath(r *http.Request) (watchpost.TeamID, watchpost.MemberID, error) {
	team, err := teamInPath(r)
	if err != nil {
		return "", "", err
	}
	id := r.PathValue("member")
	if !watchpost.ValidID(id) {
		return "", "", watchpost.Errorf(watchpost.NotFound, textUserNotFound)
	}
	return team, watchpost.MemberID(id), nil
}

type memberList struct {
	Members []shownMember `json:"members" validate:"required"`
	Count   int           `json:"count"`
}

func (s teamsAdmin) listMembers(r *http.Request) (memberList, error) {
	team, err := s.showTeam(r)
	return memberList{team.Members, len(team.Members)}, err
}

type updateMemberRequest struct {
	Role string `json:"role" required:"" validate:"oneof=admin member" example:"admin"`

	role watchpost.Role
}

// CleanField implements fieldCleaner.
func (r *updateMemberRequest) CleanField(string) (err error) {
	r.role, err = readRole(r.Role)
	return err
}

func (s teamsAdmin) updateMember(r *http.Request, request updateMemberRequest) (shownMember, error) {
	team, member, err := memberInPath(r)
	if err != nil {
		return shownMember{}, err
	}
	changed, err := actors.Ask(r.Context(), s.registry, team, actors.UpdateMember{Member: member, Role: request.role})
	return memberShown(changed), err
}

type removeMemberReply struct {
	ID      watchpost.MemberID `json:"id"`
	Removed bool               `json:"removed"`
}

func (s teamsAdmin) removeMember(r *http.Request) (removeMemberReply, error) {
	team, member, err := memberInPath(r)
	if err != nil {
		return removeMemberReply{}, err
	}
	_, err = actors.Ask(r.Context(), s.registry, team, actors.RemoveMember{Member: member})
	return removeMemberReply{member, true}, err
}

type releaseAccountReply struct {
	ID       watchpost.MemberID `json:"id"`
	Released bool               `json:"released"`
}

func (s teamsAdmin) releaseAccount(r *http.Request) (releaseAccountReply, error) {
	team, member, err := memberInPath(r)
	if err != nil {
		return releaseAccountReply{}, err
	}
	_, err = actors.Ask(r.Context(), s.registry, team, actors.ReleaseAccount{Member: member})
	return releaseAccountReply{member, true}, err
}
