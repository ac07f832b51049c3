package httpapi

import (
	"net/http"

	"watchpost/actors"
	"watchpost/watchpost"
)

const (
	textInvalidRepair = "Invalid 'repair'"
	textInvalidAll    = "Invalid 'all'"
)

// upkeepRoutes are what the commands verify and reprocess do with a running service.
// In a cluster the node of the team does the work.
func (s teamsAdmin) upkeepRoutes() {
	handleBody(s.ops, http.MethodPost, "/admin/teams/{id}/verify", s.verifyTeam,
		s.operation(operators, "verifyTeam", "Compare a team's posts with their index, repair it, and check the chain of its journal", tagAdmin),
		withBody(textInvalidRepair), withError(http.StatusNotFound, textTeamNotFound))
	handleBody(s.ops, http.MethodPost, "/admin/teams/{id}/reprocess", s.reprocessTeam,
		s.operation(operators, "reprocessTeam", "Enrich a team's stored posts again", tagAdmin),
		withBody(textInvalidAll), withError(http.StatusNotFound, textTeamNotFound))
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

func (s teamsAdmin) verifyTeam(r *http.Request, request verifyRequest) (VerifiedTeam, error) {
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
	posts, err := s.registry.VerifyTeam(r.Context(), team, request.Repair, report)
	if err != nil {
		return reply, err
	}
	reply.Posts, reply.Problems, reply.Lost = posts.Posts, posts.Problems, posts.Lost
	journal, err := s.registry.VerifyJournal(r.Context(), team, report)
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

func (s teamsAdmin) reprocessTeam(r *http.Request, request reprocessRequest) (ReprocessedTeam, error) {
	team, err := s.knownTeam(r)
	if err != nil {
		return ReprocessedTeam{}, err
	}
	posts, err := s.registry.ReprocessTeam(r.Context(), team, request.All)
	return ReprocessedTeam{posts}, err
}

// knownTeam reads the team's id from the path; NotFound when there is no such team.
func (s teamsAdmin) knownTeam(r *http.Request) (watchpost.TeamID, error) {
	team, err := teamInPath(r)
	if err == nil {
		_, err = actors.Ask(r.Context(), s.registry, team, actors.GetTeam{})
	}
	return team, err
}
