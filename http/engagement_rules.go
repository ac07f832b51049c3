package httpapi

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"watchpost/actors"
	"watchpost/watchpost"
)

const (
	textNoWatchlistID = "Missing required parameter: watchlist_id"
	textNoAction      = "Missing required parameter: action"
	textStop          = "stop must be a boolean value"
	textRuleQuota     = "Your plan includes up to 2 auto-engagement rules per watchlist."
	textRuleDeleted   = "Rule deleted successfully"
	textRuleUpdated   = "Rule updated successfully"
	textStopped       = "All rules are stopped"
	textResumed       = "The rules act again"
)

// ruleTexts are the errors of a rule's fields.
var ruleTexts = slices.Concat([]string{"Invalid 'name'", "Invalid 'action'"}, conditionTexts, []string{
	"Invalid 'comment_templates'", "Invalid 'user_emails'", "Invalid 'max_per_day'", "Invalid 'working_hours'", "Invalid 'pause_minutes'",
	"Invalid 'approval'", "disable must be a boolean value",
})

func (s rules) routes() {
	const path = "/api-engagement-rules"
	quota := withError(http.StatusPaymentRequired, textRuleQuota)
	unknownMember := withError(http.StatusNotFound, textUserNotFound, watchpost.TextNoAdmin)
	handleCreate(s.api, path, s.createRule, func(_ createRuleRequest, v actors.RuleView) createRuleReply {
		return createRuleReply{showRule(v), true}
	},
		s.operation(teams, "createEngagementRule", "Create an auto-engagement rule", tagRules),
		withBody(slices.Concat([]string{textNoWatchlistID, textNoAction}, ruleTexts)...), withForeignErrors(), unknownMember, quota)
	handleBody(s.api, http.MethodPost, path+"/dry-run", s.tryRule,
		s.operation(teams, "tryEngagementRule", "Show what a rule would have done with stored posts", tagRules),
		withBody(slices.Concat([]string{textNoWatchlistID, textNoAction}, ruleTexts)...), withForeignErrors(), unknownMember)
	pageSize := query("page_size", "entries per page; above 100 it is 100", openapi3.NewIntegerSchema().WithMin(1).WithDefault(watchpost.MaxPageSize))
	after := query("after", "`next` of the page before", openapi3.NewStringSchema())
	handle(s.api, http.MethodGet, path, s.getRules, s.operation(teams, "getEngagementRules", "List the auto-engagement rules", tagRules),
		pageSize, after, withError(http.StatusBadRequest, "Invalid 'page_size'", "Invalid 'after'"))
	handleBody(s.api, http.MethodPut, path, s.updateRule,
		s.operation(teams, "updateEngagementRule", "Change a rule, or stop all rules at once", tagRules),
		withBody(slices.Concat([]string{textMissingID, textStop}, ruleTexts)...), withError(http.StatusNotFound, watchpost.TextRuleNotFound), unknownMember)
	handle(s.api, http.MethodDelete, path, s.deleteRule,
		s.operation(teams, "deleteEngagementRule", "Delete a rule and withdraw what waits of it", tagRules),
		query("id", "the rule; may be given in a JSON body instead", openapi3.NewStringSchema()),
		withError(http.StatusBadRequest, textMissingID, "Invalid 'id'"), withError(http.StatusNotFound, watchpost.TextRuleNotFound))
	const actionsPath = "/api-engagement-actions"
	handle(s.api, http.MethodGet, actionsPath, s.getRuleActions,
		s.operation(teams, "getEngagementActions", "List what rules propose, have queued and have done", tagRules),
		pageSize, after, withError(http.StatusBadRequest, "Invalid 'page_size'", "Invalid 'after'"))
	handleBody(s.api, http.MethodPut, actionsPath, s.decideRuleAction,
		s.operation(teams, "decideEngagementAction", "Approve or reject a proposed action", tagRules),
		withBody(textMissingID, "approve must be a boolean value", textEmptyComment, textLongComment, "Invalid 'comment_text'"),
		withError(http.StatusNotFound, "Action not found"), withError(http.StatusConflict, "The action was approved before"))
}

// ruleFields are the fields of a rule that a request gives.
type ruleFields struct {
	Name   *string `json:"name,omitempty" maxLength:"120,own" example:"Warm CTOs"`
	Action *string `json:"action,omitempty" validate:"oneof=like comment" example:"comment"`
	conditionFields
	Templates *[]string     `json:"comment_templates,omitempty" maxLength:"1250,own"`
	Emails    *[]string     `json:"user_emails,omitempty"`
	PerDay    *int          `json:"max_per_day,omitempty" example:"10"`
	Hours     *dailyHours   `json:"working_hours,omitempty"`
	Pause     *pauseMinutes `json:"pause_minutes,omitempty"`
	Approval  *bool         `json:"approval,omitempty"`
	Disable   *bool         `json:"disable,omitempty" invalid:"disable must be a boolean value"`
}

type pauseMinutes struct {
	From  float64 `json:"from" example:"5"`
	Until float64 `json:"until" example:"25"`
}

// patch returns the change that the fields make.
func (f *ruleFields) patch() watchpost.RulePatch {
	p := watchpost.RulePatch{Name: f.Name, Disabled: f.Disable, If: f.conditionFields.patch(), Templates: f.Templates, PerDay: f.PerDay, Approval: f.Approval}
	if f.Action != nil {
		action := watchpost.Action(*f.Action)
		p.Action = &action
	}
	if f.Hours != nil {
		h := f.Hours.hours()
		p.Hours = &h
	}
	if f.Pause != nil {
		from, until := hours(f.Pause.From/60), hours(f.Pause.Until/60)
		p.MinPause, p.MaxPause = &from, &until
	}
	return p
}

// check returns the error of a field. Fields that were not read yet have their
// defaults.
func (f *ruleFields) check(name string) error {
	action := watchpost.ActionLike
	if f.Action != nil {
		action = watchpost.Action(*f.Action)
	}
	p := f.patch()
	_, err := p.Apply(watchpost.NewRule("", action, time.Time{}))
	if err != nil && err.Error() == "Invalid '"+name+"'" {
		return err
	}
	return nil
}

// emails returns the normalized addresses; text that is no address is "", which no
// member has.
func (f *ruleFields) emails() *[]string {
	if f.Emails == nil {
		return nil
	}
	emails := []string{}
	for _, given := range *f.Emails {
		emails = append(emails, knownEmail(filled(given)))
	}
	return &emails
}

type createRuleRequest struct {
	Watchlist filled `json:"watchlist_id" required:"Missing required parameter: watchlist_id"`
	ruleFields
}

// CleanField implements fieldCleaner.
func (r *createRuleRequest) CleanField(name string) error {
	if name == "action" && r.Action == nil {
		return watchpost.Errorf(watchpost.Invalid, textNoAction)
	}
	return r.check(name)
}

// rule returns the rule that is asked for (Invalid), and the emails of its members.
func (r *createRuleRequest) rule() (watchpost.EngagementRule, []string, error) {
	p := r.patch()
	rule, err := p.Apply(watchpost.NewRule(watchpost.WatchlistID(r.Watchlist), watchpost.Action(*r.Action), time.Time{}))
	var emails []string
	if given := r.emails(); given != nil {
		emails = *given
	}
	return rule, emails, err
}

// ruleSettings is a rule as its team made it.
type ruleSettings struct {
	ID        watchpost.RuleID      `json:"id"`
	Watchlist watchpost.WatchlistID `json:"watchlist_id"`
	Name      string                `json:"name"`
	Action    watchpost.Action      `json:"action" validate:"oneof=like comment"`
	shownConditions
	Templates []string     `json:"comment_templates" validate:"required"`
	Emails    []string     `json:"user_emails" validate:"required"`
	PerDay    int          `json:"max_per_day"`
	Hours     dailyHours   `json:"working_hours"`
	Pause     pauseMinutes `json:"pause_minutes"`
	Approval  bool         `json:"approval"`
	Disabled  bool         `json:"disabled"`
	CreatedAt timestamp    `json:"createdAt"`
}

// shownRule is a rule in a reply.
type shownRule struct {
	ruleSettings
	Proposed int        `json:"proposed_actions"`
	Waiting  int        `json:"waiting_actions"`
	NextAt   *timestamp `json:"next_action_at"`
}

func showRule(v actors.RuleView) shownRule {
	return shownRule{showRuleSettings(&v.Rule, v.Members), v.Proposed, v.Waiting, timestampOrNil(v.NextAt)}
}

func showRuleSettings(r *watchpost.EngagementRule, members []watchpost.Member) ruleSettings {
	shown := ruleSettings{
		ID: r.ID, Watchlist: r.Watchlist, Name: r.Name, Action: r.Action, shownConditions: showConditions(&r.If), Templates: textsOrNone(r.Templates),
		Emails: []string{}, PerDay: r.PerDay, Hours: showHours(&r.Hours), Pause: pauseMinutes{r.MinPause.Minutes(), r.MaxPause.Minutes()},
		Approval: r.Approval, Disabled: r.Disabled, CreatedAt: timestampOf(r.CreatedAt),
	}
	for _, m := range members {
		shown.Emails = append(shown.Emails, m.Email)
	}
	return shown
}

type createRuleReply struct {
	shownRule
	Created bool `json:"created"`
}

func (s rules) createRule(ctx context.Context, key *actors.IdempotencyKey, request createRuleRequest) (actors.RuleView, error) {
	rule, emails, err := request.rule()
	if err != nil {
		return actors.RuleView{}, err
	}
	made, err := sendOnce(ctx, s.registry, key, actors.CreateRule{Rule: rule, Emails: emails})
	if err != nil && watchpost.KindOf(err) == watchpost.NotFound {
		if denied := s.registry.WatchlistAccess(ctx, teamOf(ctx), string(rule.Watchlist)); denied != nil {
			return actors.RuleView{}, denied
		}
	}
	return made, err
}

type tryRuleReply struct {
	Posts   int           `json:"posts"`
	Matches int           `json:"matches"`
	Busiest int           `json:"busiest_day"`
	Second  int           `json:"second_of_author"`
	NoText  int           `json:"without_text"`
	Lapsed  int           `json:"lapsed"`
	Actions []triedAction `json:"actions" validate:"required"`
}

type triedAction struct {
	Post   watchpost.PostID `json:"post_id"`
	Author string           `json:"author_name"`
	Text   string           `json:"comment_text"`
	At     timestamp        `json:"acts_at"`
}

// tryRule shows what a rule would have done. Its members count by their number
// only.
func (s rules) tryRule(r *http.Request, request createRuleRequest) (tryRuleReply, error) {
	rule, emails, err := request.rule()
	if err != nil {
		return tryRuleReply{}, err
	}
	for i := range emails {
		rule.Members = append(rule.Members, watchpost.MemberID(strconv.Itoa(i)))
	}
	trial, err := s.registry.TryRule(r.Context(), teamOf(r.Context()), rule)
	reply := tryRuleReply{Posts: trial.Posts, Matches: trial.Matches, Busiest: trial.Busiest, Second: trial.SecondOfAuthor, NoText: trial.NoText,
		Lapsed: trial.Lapsed, Actions: []triedAction{}}
	for _, a := range trial.Acts {
		reply.Actions = append(reply.Actions, triedAction{a.Post.ID, a.Post.AuthorName, a.Text, timestampOf(a.At)})
	}
	return reply, err
}

type rulesReply struct {
	Rules     []shownRule `json:"rules" validate:"required"`
	Count     int         `json:"count"`
	Next      *string     `json:"next"`
	Stopped   bool        `json:"stopped"`
	StoppedAt *timestamp  `json:"stopped_at"`
}

func (s rules) getRules(r *http.Request) (rulesReply, error) {
	p := readParams(r)
	size, after := pageSizeOf(p), p.one("after")
	if after != "" && !watchpost.ValidID(after) {
		p.refuse("after")
	}
	if p.err != nil {
		return rulesReply{}, p.err
	}
	view, err := actors.Ask(r.Context(), s.registry, teamOf(r.Context()), actors.ListRules{})
	reply := rulesReply{Rules: []shownRule{}, Stopped: view.Stopped, StoppedAt: timestampOrNil(view.StoppedAt)}
	slices.SortFunc(view.Rules, func(a, b actors.RuleView) int { return cmp.Compare(a.Rule.ID, b.Rule.ID) })
	for _, v := range view.Rules {
		if v.Rule.ID <= watchpost.RuleID(after) {
			continue
		}
		if len(reply.Rules) == size {
			next := string(reply.Rules[size-1].ID)
			reply.Next = &next
			break
		}
		reply.Rules = append(reply.Rules, showRule(v))
	}
	reply.Count = len(reply.Rules)
	return reply, err
}

// pageSizeOf is the wanted size of a page of rules or their actions.
func pageSizeOf(p *params) int {
	return min(p.number("page_size", watchpost.MaxPageSize, math.MaxInt), watchpost.MaxPageSize)
}

type updateRuleRequest struct {
	ID   string `json:"id,omitempty"`
	Stop *bool  `json:"stop,omitempty" invalid:"stop must be a boolean value"`
	ruleFields
}

// CleanField implements fieldCleaner.
func (r *updateRuleRequest) CleanField(name string) error {
	switch {
	case name == "stop" && r.Stop == nil && r.ID == "":
		return watchpost.Errorf(watchpost.Invalid, textMissingID)
	case name == "comment_templates" && r.Action == nil:
		return nil // depends on the rule
	}
	return r.check(name)
}

type updateRuleReply struct {
	Rule    *shownRule `json:"rule,omitempty"`
	Stopped *bool      `json:"stopped,omitempty"`
	Updated bool       `json:"updated"`
	Message string     `json:"message" example:"Rule updated successfully"`
}

func (s rules) updateRule(r *http.Request, request updateRuleRequest) (updateRuleReply, error) {
	ctx := r.Context()
	if request.Stop != nil {
		_, err := actors.Ask(ctx, s.registry, teamOf(ctx), actors.StopRules{Stop: *request.Stop})
		reply := updateRuleReply{Stopped: request.Stop, Updated: true, Message: textResumed}
		if *request.Stop {
			reply.Message = textStopped
		}
		return reply, err
	}
	view, err := actors.Ask(ctx, s.registry, teamOf(ctx), actors.UpdateRule{ID: watchpost.RuleID(request.ID), Patch: request.patch(), Emails: request.emails()})
	if err != nil {
		return updateRuleReply{}, err
	}
	rule := showRule(view)
	return updateRuleReply{Rule: &rule, Updated: true, Message: textRuleUpdated}, nil
}

type deleteRuleReply struct {
	ID      string `json:"id"`
	Deleted bool   `json:"deleted"`
	Message string `json:"message" example:"Rule deleted successfully"`
}

func (s rules) deleteRule(r *http.Request) (deleteRuleReply, error) {
	id, err := idOfDelete(s.shared, r)
	if err == nil {
		_, err = actors.Ask(r.Context(), s.registry, teamOf(r.Context()), actors.DeleteRule{ID: watchpost.RuleID(id)})
	}
	return deleteRuleReply{id, true, textRuleDeleted}, err
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
	At        timestamp                 `json:"created_at"`
	LapsesAt  *timestamp                `json:"lapses_at"`
	Task      watchpost.TaskID          `json:"task_id"`
	EndedAt   *timestamp                `json:"ended_at"`
}

func showAction(a *watchpost.RuleAction) shownAction {
	shown := shownAction{
		ID: a.ID, Rule: a.Rule, RuleName: a.RuleName, Watchlist: a.Watchlist, Action: a.Action, Member: a.Member, Post: a.Post,
		Author: a.Name, Text: a.Text, State: a.State, At: timestampOf(a.At), Task: a.Task, EndedAt: timestampOrNil(a.EndedAt),
	}
	if a.State == watchpost.RuleProposed || a.State == watchpost.RuleQueued {
		shown.LapsesAt = timestampOrNil(a.Lapses())
	}
	return shown
}

type ruleActionsReply struct {
	Actions []shownAction `json:"actions" validate:"required"`
	Count   int           `json:"count"`
	Next    *string       `json:"next"`
}

func (s rules) getRuleActions(r *http.Request) (ruleActionsReply, error) {
	p := readParams(r)
	size, after := pageSizeOf(p), p.one("after")
	if p.err != nil {
		return ruleActionsReply{}, p.err
	}
	page, err := s.registry.RuleActions(r.Context(), teamOf(r.Context()), after, size)
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

// CleanField implements fieldCleaner.
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
	a, err := actors.Ask(r.Context(), s.registry, teamOf(r.Context()),
		actors.DecideRuleAction{ID: watchpost.RuleActionID(request.ID), Approve: request.Approve, Text: request.Text})
	return showAction(&a), err
}
