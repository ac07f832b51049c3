package api

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-fuego/fuego"

	"watchpost/actors"
	"watchpost/http/endpoint"
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
	quota := endpoint.WithError(http.StatusPaymentRequired, textRuleQuota)
	unknownMember := endpoint.WithError(http.StatusNotFound, endpoint.TextUserNotFound, watchpost.TextNoAdmin)
	endpoint.HandleCreate(s.API, path, s.createRule, func(_ createRuleRequest, v actors.RuleView) createRuleReply {
		return createRuleReply{showRule(v), true}
	},
		s.Operation(endpoint.Teams(watchpost.ScopeRules), "createEngagementRule", "Create an auto-engagement rule", endpoint.TagRules),
		endpoint.WithBody(slices.Concat([]string{textNoWatchlistID, textNoAction}, ruleTexts)...), withForeignErrors(), unknownMember, quota)
	endpoint.HandleBody(s.API, http.MethodPost, path+"/dry-run", s.tryRule,
		s.Operation(endpoint.Teams(watchpost.ScopeRules), "tryEngagementRule", "Show what a rule would have done with stored posts", endpoint.TagRules),
		endpoint.WithBody(slices.Concat([]string{textNoWatchlistID, textNoAction}, ruleTexts)...), withForeignErrors(), unknownMember)
	endpoint.Handle(s.API, http.MethodGet, path, s.getRules, s.Operation(endpoint.Teams(watchpost.ScopeRead), "getEngagementRules", "List the auto-engagement rules", endpoint.TagRules),
		withRulePages())
	endpoint.HandleBody(s.API, http.MethodPut, path, s.updateRule,
		s.Operation(endpoint.Teams(watchpost.ScopeRules), "updateEngagementRule", "Change a rule, or stop all rules at once", endpoint.TagRules),
		endpoint.WithBody(slices.Concat([]string{textMissingID, textStop}, ruleTexts)...), endpoint.WithError(http.StatusNotFound, watchpost.TextRuleNotFound), unknownMember)
	endpoint.Handle(s.API, http.MethodDelete, path, s.deleteRule,
		s.Operation(endpoint.Teams(watchpost.ScopeRules), "deleteEngagementRule", "Delete a rule and withdraw what waits of it", endpoint.TagRules),
		endpoint.Query("id", "the rule; may be given in a JSON body instead", openapi3.NewStringSchema()),
		endpoint.WithError(http.StatusBadRequest, textMissingID, "Invalid 'id'"), endpoint.WithError(http.StatusNotFound, watchpost.TextRuleNotFound))
	s.actionRoutes()
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

// CleanField implements endpoint.FieldCleaner.
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
	Templates []string           `json:"comment_templates" validate:"required"`
	Emails    []string           `json:"user_emails" validate:"required"`
	PerDay    int                `json:"max_per_day"`
	Hours     dailyHours         `json:"working_hours"`
	Pause     pauseMinutes       `json:"pause_minutes"`
	Approval  bool               `json:"approval"`
	Disabled  bool               `json:"disabled"`
	CreatedAt endpoint.Timestamp `json:"createdAt"`
}

// shownRule is a rule in a reply.
type shownRule struct {
	ruleSettings
	Proposed int                 `json:"proposed_actions"`
	Waiting  int                 `json:"waiting_actions"`
	NextAt   *endpoint.Timestamp `json:"next_action_at"`
}

func showRule(v actors.RuleView) shownRule {
	return shownRule{showRuleSettings(&v.Rule, v.Members), v.Proposed, v.Waiting, endpoint.TimestampOrNil(v.NextAt)}
}

func showRuleSettings(r *watchpost.EngagementRule, members []watchpost.Member) ruleSettings {
	shown := ruleSettings{
		ID: r.ID, Watchlist: r.Watchlist, Name: r.Name, Action: r.Action, shownConditions: showConditions(&r.If), Templates: textsOrNone(r.Templates),
		Emails: []string{}, PerDay: r.PerDay, Hours: showHours(&r.Hours), Pause: pauseMinutes{r.MinPause.Minutes(), r.MaxPause.Minutes()},
		Approval: r.Approval, Disabled: r.Disabled, CreatedAt: endpoint.TimestampOf(r.CreatedAt),
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
	made, err := endpoint.SendOnce(ctx, s.Registry, key, actors.CreateRule{Rule: rule, Emails: emails})
	if err != nil && watchpost.KindOf(err) == watchpost.NotFound {
		if denied := s.Registry.WatchlistAccess(ctx, endpoint.TeamOf(ctx), string(rule.Watchlist)); denied != nil {
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
	Post   watchpost.PostID   `json:"post_id"`
	Author string             `json:"author_name"`
	Text   string             `json:"comment_text"`
	At     endpoint.Timestamp `json:"acts_at"`
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
	trial, err := s.Registry.TryRule(r.Context(), endpoint.TeamOf(r.Context()), rule)
	reply := tryRuleReply{Posts: trial.Posts, Matches: trial.Matches, Busiest: trial.Busiest, Second: trial.SecondOfAuthor, NoText: trial.NoText,
		Lapsed: trial.Lapsed, Actions: []triedAction{}}
	for _, a := range trial.Acts {
		reply.Actions = append(reply.Actions, triedAction{a.Post.ID, a.Post.AuthorName, a.Text, endpoint.TimestampOf(a.At)})
	}
	return reply, err
}

type rulesReply struct {
	Rules     []shownRule         `json:"rules" validate:"required"`
	Count     int                 `json:"count"`
	Next      *string             `json:"next"`
	Stopped   bool                `json:"stopped"`
	StoppedAt *endpoint.Timestamp `json:"stopped_at"`
}

func (s rules) getRules(r *http.Request) (rulesReply, error) {
	p := endpoint.ReadParams(r)
	size, after := pageSizeOf(p), p.One("after")
	if after != "" && !watchpost.ValidID(after) {
		p.Refuse("after")
	}
	if p.Err != nil {
		return rulesReply{}, p.Err
	}
	view, err := actors.Ask(r.Context(), s.Registry, endpoint.TeamOf(r.Context()), actors.ListRules{})
	reply := rulesReply{Rules: []shownRule{}, Stopped: view.Stopped, StoppedAt: endpoint.TimestampOrNil(view.StoppedAt)}
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

// withRulePages documents the pages of rules and of their actions.
func withRulePages() fuego.RouteOption {
	return fuego.GroupOptions(
		endpoint.Query("page_size", "entries per page; above 100 it is 100", openapi3.NewIntegerSchema().WithMin(1).WithDefault(watchpost.MaxPageSize)),
		endpoint.Query("after", "`next` of the page before", openapi3.NewStringSchema()),
		endpoint.WithError(http.StatusBadRequest, "Invalid 'page_size'", "Invalid 'after'"))
}

// pageSizeOf is the wanted size of a page of rules or their actions.
func pageSizeOf(p *endpoint.Params) int {
	return min(p.Number("page_size", watchpost.MaxPageSize, math.MaxInt), watchpost.MaxPageSize)
}

type updateRuleRequest struct {
	ID   string `json:"id,omitempty"`
	Stop *bool  `json:"stop,omitempty" invalid:"stop must be a boolean value"`
	ruleFields
}

// CleanField implements endpoint.FieldCleaner.
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
		_, err := actors.Ask(ctx, s.Registry, endpoint.TeamOf(ctx), actors.StopRules{Stop: *request.Stop})
		reply := updateRuleReply{Stopped: request.Stop, Updated: true, Message: textResumed}
		if *request.Stop {
			reply.Message = textStopped
		}
		return reply, err
	}
	view, err := actors.Ask(ctx, s.Registry, endpoint.TeamOf(ctx), actors.UpdateRule{ID: watchpost.RuleID(request.ID), Patch: request.patch(), Emails: request.emails()})
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
	id, err := idOfDelete(s.Server, r)
	if err == nil {
		_, err = actors.Ask(r.Context(), s.Registry, endpoint.TeamOf(r.Context()), actors.DeleteRule{ID: watchpost.RuleID(id)})
	}
	return deleteRuleReply{id, true, textRuleDeleted}, err
}
