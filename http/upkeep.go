package httpapi

import (
	"net/http"

	"watchpost"
	"watchpost/actors"
)

const (
	textInvalidRepair = "Invalid 'repair'"
	textInvalidAll    = "Invalid 'all'"
)

// upkeepRoutes are what the commands verify and reprocess do with a running service.
// In a cluster the node of the team does the work.
func (s *Server) upkeepRoutes() {
	handleBody(s, s.ops, http.MethodPost, "/admin/teams/{id}/verify", s.verifyTeam,
		s.operation(operators, "verifyTeam", "Compare a team's posts with their index, and repair it", tagAdmin),
		withBody(textInvalidRepair), withError(http.StatusNotFound, textTeamNotFound))
	handleBody(s, s.ops, http.MethodPost, "/admin/teams/{id}/reprocess", s.reprocessTeam,
		s.operation(operators, "reprocessTeam", "Enrich a team's stored posts again", tagAdmin),
		withBody(textInvalidAll), withError(http.StatusNotFound, textTeamNotFound))
}

// shownProblems bounds the problems that a reply lists.
const shownProblems = 100

// VerifiedTeam is the result of verifying a team's posts.
type VerifiedTeam struct {
	Posts int `json:"posts"`
	// Found are the first of the problems.
	Found    []string `json:"found" validate:"required"`
	Problems int      `json:"problems"`
	Lost     int      `json:"lost"`
}

type verifyRequest struct {
	Repair bool `json:"repair,omitempty" invalid:"Invalid 'repair'"`
}

func (s *Server) verifyTeam(r *http.Request, request verifyRequest) (VerifiedTeam, error) {
	team, err := s.knownTeam(r)
	if err != nil {
		return VerifiedTeam{}, err
	}
	reply := VerifiedTeam{Found: []string{}}
	sum, err := s.registry.VerifyTeam(r.Context(), team, request.Repair, func(problem string) {
		if len(reply.Found) < shownProblems {
			reply.Found = append(reply.Found, problem)
		}
	})
	reply.Posts, reply.Problems, reply.Lost = sum.Posts, sum.Problems, sum.Lost
	return reply, err
}

// ReprocessedTeam says how many posts of a team were enriched again.
type ReprocessedTeam struct {
	Posts int `json:"posts"`
}

type reprocessRequest struct {
	All bool `json:"all,omitempty" invalid:"Invalid 'all'"`
}

func (s *Server) reprocessTeam(r *http.Request, request reprocessRequest) (ReprocessedTeam, error) {
	team, err := s.knownTeam(r)
	if err != nil {
		return ReprocessedTeam{}, err
	}
	posts, err := s.registry.ReprocessTeam(r.Context(), team, request.All)
	return ReprocessedTeam{posts}, err
}

// knownTeam reads the team's id from the path; NotFound when there is no such team.
func (s *Server) knownTeam(r *http.Request) (watchpost.TeamID, error) {
	team, err := teamInPath(r)
	if err == nil {
		_, err = actors.Ask(r.Context(), s.registry, team, actors.GetTeam{})
	}
	return team, err
}
