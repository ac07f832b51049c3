package api

import (
	"net/http"

	"watchpost/actors"
	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

// actionRoutes adds the actions of rules.
func (s rules) actionRoutes() {
	const path = "/api-engagement-actions"
	endpoint.Handle(s.API, http.MethodGet, path, s.getRuleActions,
		s.Operation(endpoint.Teams(watchpost.ScopeRead), "getEngagementActions", "List what rules propose, have queued and have done", endpoint.TagRules),
		withRulePages())
	endpoint.HandleBody(s.API, http.MethodPut, path, s.decideRuleAction,
		s.Operation(endpoint.Teams(watchpost.ScopeRules), "decideEngagementAction", "Approve or reject a proposed action", endpoint.TagRules),
		endpoint.WithBody(textMissingID, "approve must be a boolean value", textEmptyComment, textLongComment, "Invalid 'comment_text'"),
		endpoint.WithError(http.StatusNotFound, "Action not found"), endpoint.WithError(http.StatusConflict, "The action was approved before"))
}

// shownAction is an action of a rule in a reply.
type shownAction struct {
	ID        watchpost.RuleActionID    `json:"id"`
	Rule      watchpost.RuleID          `json:"rule_id"`
	RuleName  string                    `json:"rule_name"`
	Watchlist watchpost.WatchlistID     `json:"watchlist_id"`
	Action    watchpost.Action          `json:"action" validate:"oneof=like comment"`
	Member    watchpost.MemberID        `json:"user_id"`
	Post      watchpost.PostID          `json:"post_id"`
	Author    string                    `json:"author_name"`
	Text      string                    `json:"comment_text"`
	State     watchpost.RuleActionState `json:"state" validate:"oneof=proposed queued running done failed rejected lapsed withdrawn skipped"`
	At        endpoint.Timestamp        `json:"created_at"`
	LapsesAt  *endpoint.Timestamp       `json:"lapses_at"`
	Task      watchpost.TaskID          `json:"task_id"`
	EndedAt   *endpoint.Timestamp       `json:"ended_at"`
}

func showAction(a *watchpost.RuleAction) shownAction {
	shown := shownAction{
		ID: a.ID, Rule: a.Rule, RuleName: a.RuleName, Watchlist: a.Watchlist, Action: a.Action, Member: a.Member, Post: a.Post,
		Author: a.Name, Text: a.Text, State: a.State, At: endpoint.TimestampOf(a.At), Task: a.Task, EndedAt: endpoint.TimestampOrNil(a.EndedAt),
	}
	if a.State == watchpost.RuleProposed || a.State == watchpost.RuleQueued {
		shown.LapsesAt = endpoint.TimestampOrNil(a.Lapses())
	}
	return shown
}

type ruleActionsReply struct {
	Actions []shownAction `json:"actions" validate:"required"`
	Count   int           `json:"count"`
	Next    *string       `json:"next"`
}

func (s rules) getRuleActions(r *http.Request) (ruleActionsReply, error) {
	p := endpoint.ReadParams(r)
	size, after := pageSizeOf(p), p.One("after")
	if p.Err != nil {
		return ruleActionsReply{}, p.Err
	}
	page, err := s.Registry.RuleActions(r.Context(), endpoint.TeamOf(r.Context()), after, size)
	reply := ruleActionsReply{Actions: []shownAction{}, Count: len(page.Actions)}
	for i := range page.Actions {
		reply.Actions = append(reply.Actions, showAction(&page.Actions[i]))
	}
	if page.Next != "" {
		reply.Next = &page.Next
	}
	return reply, err
}

type decideActionRequest struct {
	ID      filled  `json:"id" required:"Missing required parameter: id"`
	Approve bool    `json:"approve" required:"approve must be a boolean value"`
	Text    *string `json:"comment_text,omitempty" maxLength:"1250,own" example:"Well done!"`
}

// CleanField implements endpoint.FieldCleaner.
func (r *decideActionRequest) CleanField(name string) error {
	if name != "comment_text" || r.Text == nil {
		return nil
	}
	text, ok := watchpost.CleanComment(*r.Text)
	switch {
	case text == "":
		return watchpost.Errorf(watchpost.Invalid, textEmptyComment)
	case !ok:
		return watchpost.Errorf(watchpost.Invalid, textLongComment)
	}
	r.Text = &text
	return nil
}

func (s rules) decideRuleAction(r *http.Request, request decideActionRequest) (shownAction, error) {
	a, err := actors.Ask(r.Context(), s.Registry, endpoint.TeamOf(r.Context()),
		actors.DecideRuleAction{ID: watchpost.RuleActionID(request.ID), Approve: request.Approve, Text: request.Text})
	return showAction(&a), err
}
