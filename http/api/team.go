package api

import (
	"net/http"

	"watchpost/actors"
	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

func (s team) routes() {
	endpoint.Handle(s.API, http.MethodGet, "/api-team", s.getTeam,
		s.Operation(endpoint.Teams(watchpost.ScopeRead), "getTeam", "Show the team: members, extensions, allowances, quotas, waiting scans", endpoint.TagTeam))
}

// teamReply is a team as its members see it. Members documents the fields of one;
// AppendTo writes those of view.
type teamReply struct {
	ID      watchpost.TeamID    `json:"id"`
	Name    string              `json:"name"`
	Plan    watchpost.Plan      `json:"plan"`
	Expires *endpoint.Timestamp `json:"plan_expires_at" description:"when the plan becomes free; null: never"`
	Members []teamMember        `json:"members" validate:"required"`
	Quotas  teamQuotas          `json:"quotas"`
	Scans   waitingScans        `json:"waiting_scans"`
	view    *actors.TeamView
}

type teamMember struct {
	ID        watchpost.MemberID `json:"id"`
	FullName  string             `json:"full_name"`
	Email     string             `json:"email"`
	Role      watchpost.Role     `json:"role"`
	Acting    bool               `json:"acting" description:"agent calls that name nobody act in this member's name"`
	Extension extensionState     `json:"extension"`
	Account   *networkAccount    `json:"account"`
	// AccountInUse reports that another member has claimed the account.
	AccountInUse bool                           `json:"account_in_use"`
	Allowances   map[watchpost.Action]allowance `json:"allowances" validate:"required"`
	Pauses       []pause                        `json:"pauses" validate:"required"`
}

type extensionState struct {
	Active       bool                `json:"active" description:"seen signed in within the last 48 hours"`
	Connected    bool                `json:"connected"`
	LastActiveAt *endpoint.Timestamp `json:"last_active_at"`
}

type networkAccount struct {
	URN      string `json:"urn"`
	Slug     string `json:"slug"`
	Name     string `json:"name"`
	SignedIn bool   `json:"signed_in"`
}

type allowance struct {
	Used     int                `json:"used"`
	Limit    int                `json:"limit"`
	ResetsAt endpoint.Timestamp `json:"resets_at"`
}

type pause struct {
	Reason   actors.PauseReason  `json:"reason" validate:"oneof=account_in_use other_account signed_out challenge released new_claim page_not_understood network_failing network_limit"`
	TaskType watchpost.TaskType  `json:"task_type,omitempty"`
	Action   watchpost.Action    `json:"action,omitempty"`
	Until    *endpoint.Timestamp `json:"until"`
	Failures int                 `json:"failures,omitempty"`
	Since    *endpoint.Timestamp `json:"since,omitempty"`
	Code     string              `json:"error_code,omitempty"`
	Message  string              `json:"error_text,omitempty"`
}

// teamQuotas are the plan's; of those per watchlist, used is that of the
// watchlist that uses most.
type teamQuotas struct {
	Watchlists      quota `json:"watchlists"`
	Members         quota `json:"members"`
	Profiles        quota `json:"profiles_per_watchlist"`
	Companies       quota `json:"companies_per_watchlist"`
	WeeklyPosts     quota `json:"weekly_posts_per_watchlist"`
	PotentialLeads  quota `json:"weekly_potential_leads_per_watchlist"`
	EngagementRules quota `json:"auto_engagement_rules_per_watchlist"`
}

// quota has no limit when that is null.
type quota struct {
	Used  int  `json:"used"`
	Limit *int `json:"limit"`
}

type waitingScans struct {
	Count  int                 `json:"count"`
	Oldest *endpoint.Timestamp `json:"oldest" description:"since when the oldest waits"`
}

func (s team) getTeam(r *http.Request) (teamReply, error) {
	view, err := actors.Ask(r.Context(), s.Registry, endpoint.TeamOf(r.Context()), actors.GetTeam{})
	if err != nil {
		return teamReply{}, err
	}
	return replyOfTeam(&view), nil
}

func replyOfTeam(view *actors.TeamView) teamReply {
	return teamReply{
		view: view,
		ID:   view.Team.ID, Name: view.Team.Name, Plan: view.Team.Plan, Expires: endpoint.TimestampOrNil(view.Team.PlanExpiresAt),
		Quotas: quotasShown(view.Use, view.Limits),
		Scans:  waitingScans{view.WaitingScans, endpoint.TimestampOrNil(view.OldestScan)},
	}
}

func quotasShown(use, limits watchpost.Quotas) teamQuotas {
	of := func(used, limit int) quota {
		if limit == watchpost.Unlimited {
			return quota{Used: used}
		}
		return quota{used, &limit}
	}
	return teamQuotas{
		Watchlists:      of(use.Watchlists, limits.Watchlists),
		Members:         of(use.Members, limits.Members),
		Profiles:        of(use.Profiles, limits.Profiles),
		Companies:       of(use.CompaniesPerWatchlist, limits.CompaniesPerWatchlist),
		WeeklyPosts:     of(use.WeeklyPosts, limits.WeeklyPosts),
		PotentialLeads:  of(use.PotentialLeads, limits.PotentialLeads),
		EngagementRules: of(use.AutoEngagementRules, limits.AutoEngagementRules),
	}
}
