package admin

import (
	"net/http"

	"watchpost/actors"
	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

const (
	textInvalidRepair = "Invalid 'repair'"
	textInvalidAll    = "Invalid 'all'"
)

// upkeepRoutes are what the commands verify and reprocess do with a running service.
// In a cluster the node of the team does the work.
func (s teams) upkeepRoutes() {
	endpoint.HandleBody(s.Ops, http.MethodPost, "/admin/teams/{id}/verify", s.verifyTeam,
		s.Operation(endpoint.Operators, "verifyTeam", "Compare a team's posts with their index, repair it, and check the chain of its journal", endpoint.TagAdmin),
		endpoint.WithBody(textInvalidRepair), endpoint.WithError(http.StatusNotFound, endpoint.TextTeamNotFound))
	endpoint.HandleBody(s.Ops, http.MethodPost, "/admin/teams/{id}/reprocess", s.reprocessTeam,
		s.Operation(endpoint.Operators, "reprocessTeam", "Enrich a team's stored posts again", endpoint.TagAdmin),
		endpoint.WithBody(textInvalidAll), endpoint.WithError(http.StatusNotFound, endpoint.TextTeamNotFound))
}

// shownProblems bounds the problems that a reply lists.
const shownProblems = 100

// VerifiedTeam is the result of verifying a team's posts and its journal.
type VerifiedTeam struct {
	Posts int `json:"posts"`
	// Found are the first of the problems.
	Found    []string `json:"found" validate:"required"`
	Problems int      `json:"problems"`
	Lost     int      `json:"lost"`
	// JournalProblems are not repaired.
	JournalRecords  int `json:"journal_records"`
	JournalProblems int `json:"journal_problems"`
}

type verifyRequest struct {
	Repair bool `json:"repair,omitempty" invalid:"Invalid 'repair'"`
}

func (s teams) verifyTeam(r *http.Request, request verifyRequest) (VerifiedTeam, error) {
	team, err := s.knownTeam(r)
	if err != nil {
		return VerifiedTeam{}, err
	}
	reply := VerifiedTeam{Found: []string{}}
	report := func(problem string) {
		if len(reply.Found) < shownProblems {
			reply.Found = append(reply.Found, problem)
		}
	}
	posts, err := s.Registry.VerifyTeam(r.Context(), team, request.Repair, report)
	if err != nil {
		return reply, err
	}
	reply.Posts, reply.Problems, reply.Lost = posts.Posts, posts.Problems, posts.Lost
	journal, err := s.Registry.VerifyJournal(r.Context(), team, report)
	reply.JournalRecords, reply.JournalProblems = journal.Records, journal.Problems
	return reply, err
}

// ReprocessedTeam says how many posts of a team were enriched again.
type ReprocessedTeam struct {
	Posts int `json:"posts"`
}

type reprocessRequest struct {
	All bool `json:"all,omitempty" invalid:"Invalid 'all'"`
}

func (s teams) reprocessTeam(r *http.Request, request reprocessRequest) (ReprocessedTeam, error) {
	team, err := s.knownTeam(r)
	if err != nil {
		return ReprocessedTeam{}, err
	}
	posts, err := s.Registry.ReprocessTeam(r.Context(), team, request.All)
	return ReprocessedTeam{posts}, err
}

// knownTeam reads the team's id from the path; NotFound when there is no such team.
func (s teams) knownTeam(r *http.Request) (watchpost.TeamID, error) {
	team, err := endpoint.TeamInPath(r)
	if err == nil {
		_, err = actors.Ask(r.Context(), s.Registry, team, actors.GetTeam{})
	}
	return team, err
}
