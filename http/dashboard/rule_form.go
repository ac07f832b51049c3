package dashboard

import (
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"watchpost/actors"
	"watchpost/watchpost"
)

// ruleForm makes or changes a rule. Nothing typed is lost. A rule is saved only after the
// member has seen a dry run of exactly that rule.
type ruleForm struct {
	frame
	ID       watchpost.RuleID // none: a new rule
	Old      string           // the name of the rule that is changed
	Off      bool
	Deleting bool // a deletion waits
	Action   watchpost.Action
	Lists    []choice // of a new rule
	List     watchpost.WatchlistID
	ListName string
	Key      string
	Name     string
	conditionForm
	PerDay, From, Until, Zone string
	MinPause, MaxPause        string
	Templates                 []string
	Days, Members             []choice
	Approval                  bool
	Errors                    []fieldError
	Limit                     string // of the plan, which is reached
	Trial                     *trialView
	Tried                     string // names the rule that Trial is of
	Ask                       bool   // it was to be saved before its dry run was shown
	Variables                 string
	Drafts, Drafted           bool // there is a language model; it has added a comment
	NoDraft                   string
}

// blankTemplates are the rows for further comments.
const blankTemplates = 2

// Commented reports whether the rule comments.
func (f *ruleForm) Commented() bool { return f.Action == watchpost.ActionComment }

// Error returns the error of a field.
func (f *ruleForm) Error(field string) string {
	for _, e := range f.Errors {
		if e.Field == field {
			return e.Text
		}
	}
	return ""
}

// formOfRule is the form with the fields of a rule.
func (d rulePages) formOfRule(v *visit, r watchpost.EngagementRule) *ruleForm {
	f := &ruleForm{
		frame: frameOf(v, "rules", v.say.Text("common.new_rule")), ID: r.ID, Old: r.Name, Off: r.Disabled, Action: r.Action, List: r.Watchlist, Key: watchpost.NewSecret(8),
		Name: r.Name, conditionForm: conditionFormOf(v.say, &r.If, linesOf), PerDay: strconv.Itoa(r.PerDay), From: timeOfDay(r.Hours.From), Until: timeOfDay(r.Hours.Until), Zone: r.Hours.Zone,
		MinPause: decimal(r.MinPause.Minutes()), MaxPause: decimal(r.MaxPause.Minutes()), Templates: r.Templates, Approval: r.Approval,
		Variables: v.say.List(watchpost.TemplateVariables()...), Drafts: d.Draft != nil,
	}
	if r.ID != "" {
		f.Title = r.Name
	}
	var days, members []string
	for _, day := range r.Hours.Days {
		days = append(days, strconv.Itoa(int(day)))
	}
	for _, m := range r.Members {
		members = append(members, string(m))
	}
	f.choose(v, days, members)
	return f
}

// choose fills the boxes.
func (f *ruleForm) choose(v *visit, days, members []string) {
	f.Days, f.Members = nil, nil
	for _, day := range week {
		n := strconv.Itoa(int(day))
		f.Days = append(f.Days, choice{Value: n, Name: v.say.Weekday(day, true), On: slices.Contains(days, n)})
	}
	for _, m := range v.team.Team.Members {
		f.Members = append(f.Members, choice{Value: string(m.ID), Name: nameOf(m), On: slices.Contains(members, string(m.ID))})
	}
}

// take fills the form with the sent values.
func (f *ruleForm) take(v *visit, form url.Values) {
	f.conditionForm.take(form)
	f.Key, f.Name = form.Get("key"), form.Get("name")
	f.PerDay, f.From, f.Until, f.Zone = form.Get("per_day"), form.Get("from"), form.Get("until"), form.Get("zone")
	f.MinPause, f.MaxPause, f.Approval = form.Get("min_pause"), form.Get("max_pause"), form.Get("approval") != ""
	f.Templates = slices.DeleteFunc(slices.Clone(form["template"]), func(s string) bool { return strings.TrimSpace(s) == "" })
	f.choose(v, form["day"], form["member"])
}

func ticked(choices []choice) (values []string) {
	for _, c := range choices {
		if c.On {
			values = append(values, c.Value)
		}
	}
	return values
}

// amount reads a number; other text fails every check.
func amount(s string) float64 {
	n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsNaN(n) || math.Abs(n) > 1e6 {
		return -1
	}
	return n
}

// patch is the change that the form makes, of every field.
func (f *ruleForm) patch() watchpost.RulePatch {
	perDay := 0
	if n, err := strconv.Atoi(strings.TrimSpace(f.PerDay)); err == nil {
		perDay = n
	}
	hours := watchpost.DailyHours{From: -1, Until: -1, Zone: strings.TrimSpace(f.Zone)}
	if from, ok := watchpost.ParseMinutes(f.From); ok {
		hours.From = from
	}
	if until, ok := watchpost.ParseMinutes(f.Until); ok {
		hours.Until = until
	}
	for _, day := range ticked(f.Days) {
		n, _ := strconv.Atoi(day) // one of the boxes
		hours.Days = append(hours.Days, time.Weekday(n))
	}
	minPause, maxPause := time.Duration(amount(f.MinPause)*float64(time.Minute)), time.Duration(amount(f.MaxPause)*float64(time.Minute))
	p := watchpost.RulePatch{
		If: f.conditions(), Templates: &f.Templates, PerDay: &perDay, Hours: &hours, MinPause: &minPause, MaxPause: &maxPause, Approval: &f.Approval,
	}
	if strings.TrimSpace(f.Name) != "" {
		p.Name = &f.Name
	}
	return p
}

// ruleErrors are the field and the text for each error of a rule.
var ruleErrors = map[string]fieldError{
	"Invalid 'name'":              {"name", "conditions.name_length"},
	"Invalid 'labels'":            {"labels", "rule.enter_at_most_values_labels_each"},
	"Invalid 'min_relevance'":     {"min_relevance", "rule.enter_a_number_from_0_to"},
	"Invalid 'languages'":         {"languages", "rule.enter_codes_of_languages_as_in"},
	"Invalid 'authors'":           {"authors", "rule.enter_addresses_or_names_of"},
	"Invalid 'keyword'":           {"keyword", "rule.this_keyword_is_too_long"},
	"Invalid 'max_age_hours'":     {"max_age_hours", "rule.enter_a_number_of_hours_up"},
	"Invalid 'comment_templates'": {"templates", "rule.enter_1_to_templates_comments_of"},
	"Invalid 'max_per_day'":       {"per_day", "rule.enter_a_whole_number_at_least"},
	"Invalid 'working_hours'":     {"from", "rule.enter_times_as_in_09_00"},
	"Invalid 'pause_minutes'":     {"min_pause", "rule.enter_minutes_at_least_1_at"},
}

// refused shows the form with an error of the rule or of the team.
func (f *ruleForm) refused(w http.ResponseWriter, err error) error {
	switch watchpost.KindOf(err) {
	case watchpost.PlanLimit:
		f.Limit = f.say.Known(errorText(err))
		return f.render(w, http.StatusPaymentRequired)
	case watchpost.Invalid, watchpost.Conflict:
		e, known := ruleErrors[errorText(err)]
		e.Text = f.say.Text(e.Text, bounds(f.say)...)
		if !known {
			e = fieldError{"name", f.say.Known(errorText(err))}
		}
		f.Errors = append(f.Errors, e)
		return f.render(w, http.StatusUnprocessableEntity)
	}
	return err
}

func (f *ruleForm) render(w http.ResponseWriter, status int) error {
	if f.Commented() {
		for range blankTemplates {
			f.Templates = append(f.Templates, "")
		}
		f.Templates = f.Templates[:min(len(f.Templates), watchpost.MaxTemplates)]
	}
	if len(f.Errors) > 0 || f.Limit != "" {
		f.Title = errorTitle(f.say, f.Title)
	}
	return render(w, status, "rule.html", f)
}

// newRule shows the form.
func (d rulePages) newRule(w http.ResponseWriter, r *http.Request, v *visit) error {
	f, err := d.blankRule(r, v, r.URL.Query())
	if err != nil {
		return err
	}
	if f.Filters, err = fillFromFeed(d.Dashboard, r, f.fill); err != nil {
		return err
	}
	return f.render(w, http.StatusOK)
}

// fill fills the form with the filters of a feed. A rule keeps its watchlist once it is made.
func (f *ruleForm) fill(t *takenView, from string) {
	f.List = watchpost.WatchlistID(t.list(string(f.List), func(id string) bool {
		return id == string(f.List) || slices.ContainsFunc(f.Lists, func(c choice) bool { return c.Value == id })
	}))
	tick(f.Lists, string(f.List))
	f.conditionForm.fill(t, from)
}

// filled shows the form with the saved view that was chosen in it.
func (d rulePages) filled(w http.ResponseWriter, r *http.Request, f *ruleForm) error {
	taken, name, err := f.chosenView(d.Dashboard, r)
	if err != nil {
		f.Errors = []fieldError{{"view", f.say.Known(errorText(err))}}
		return f.render(w, http.StatusUnprocessableEntity)
	}
	f.fill(&taken, name)
	return f.render(w, http.StatusOK)
}

// blankRule is the form of a new rule; the values name its action and watchlist.
func (d rulePages) blankRule(r *http.Request, v *visit, values url.Values) (*ruleForm, error) {
	lists, err := d.ruleLists(r, v)
	if err != nil {
		return nil, err
	}
	action := watchpost.ActionLike
	if watchpost.Action(values.Get("action")) == watchpost.ActionComment {
		action = watchpost.ActionComment
	}
	f := d.formOfRule(v, watchpost.NewRule(watchpost.WatchlistID(values.Get("watchlist")), action, d.Clock.Now()))
	for _, l := range lists {
		on := l.Watchlist.ID == f.List
		f.Lists = append(f.Lists, choice{Value: string(l.Watchlist.ID), Name: l.Watchlist.Name, On: on})
	}
	if f.List == "" && len(lists) > 0 {
		f.List = lists[0].Watchlist.ID
	}
	return f, f.offerViews(d.Dashboard, r, v)
}

// makeRule tries a rule, or makes it.
func (d rulePages) makeRule(w http.ResponseWriter, r *http.Request, v *visit) error {
	f, err := d.blankRule(r, v, r.PostForm)
	if err != nil {
		return err
	}
	f.take(v, r.PostForm)
	p := f.patch()
	rule, err := p.Apply(watchpost.NewRule(f.List, f.Action, d.Clock.Now()))
	switch r.PostForm.Get("do") {
	case "rows":
		return f.render(w, http.StatusOK)
	case "draft":
		return d.drafted(w, r, v, f)
	case "fill":
		return d.filled(w, r, f)
	}
	if err != nil {
		return f.refused(w, err)
	}
	if done, err := d.tried(w, r, v, f, rule); done || err != nil {
		return err
	}
	_, _, err = actors.AskOnce(r.Context(), d.Registry, v.session.Team, formKey(r), actors.CreateRule{Rule: rule, Emails: f.emails(v)})
	if err != nil {
		return f.refused(w, err)
	}
	http.Redirect(w, r, pathRules, http.StatusSeeOther)
	return nil
}

// emails are those of the chosen members.
func (f *ruleForm) emails(v *visit) []string {
	emails := []string{}
	for _, id := range ticked(f.Members) {
		if m, known := v.team.Team.Member(watchpost.MemberID(id)); known {
			emails = append(emails, m.Email)
		}
	}
	return emails
}

// ruleForm returns the form of the rule that a path names, and the rule.
func (d rulePages) ruleForm(r *http.Request, v *visit) (*ruleForm, watchpost.EngagementRule, error) {
	view, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListRules{})
	if err != nil {
		return nil, watchpost.EngagementRule{}, err
	}
	i := slices.IndexFunc(view.Rules, func(rv actors.RuleView) bool { return string(rv.Rule.ID) == r.PathValue("id") })
	if i < 0 {
		return nil, watchpost.EngagementRule{}, watchpost.Errorf(watchpost.NotFound, watchpost.TextRuleNotFound)
	}
	lists, err := d.ruleLists(r, v)
	if err != nil {
		return nil, watchpost.EngagementRule{}, err
	}
	rule := view.Rules[i].Rule
	f := d.formOfRule(v, rule)
	f.Deleting = !view.Rules[i].DeletedAt.IsZero()
	for _, l := range lists {
		if l.Watchlist.ID == rule.Watchlist {
			f.ListName = l.Watchlist.Name
		}
	}
	return f, rule, f.offerViews(d.Dashboard, r, v)
}

// editRule shows the form of a rule.
func (d rulePages) editRule(w http.ResponseWriter, r *http.Request, v *visit) error {
	f, _, err := d.ruleForm(r, v)
	if err != nil {
		return err
	}
	return f.render(w, http.StatusOK)
}

// changeRule tries or saves the form, switches the rule on or off, deletes it, or takes that back.
func (d rulePages) changeRule(w http.ResponseWriter, r *http.Request, v *visit) error {
	f, old, err := d.ruleForm(r, v)
	if err != nil {
		return err
	}
	update := actors.UpdateRule{ID: old.ID}
	switch do := r.PostForm.Get("do"); do {
	case "pause", "resume":
		off := do == "pause"
		update.Patch.Disabled = &off
	case "delete", "undo":
		return deleteLater(d.Dashboard, w, r, v, actors.DeletableRule, string(old.ID), pathRules)
	case "rows":
		f.take(v, r.PostForm)
		return f.render(w, http.StatusOK)
	case "draft":
		f.take(v, r.PostForm)
		return d.drafted(w, r, v, f)
	case "fill":
		f.take(v, r.PostForm)
		return d.filled(w, r, f)
	case "try", "save":
		f.take(v, r.PostForm)
		update.Patch = f.patch()
		rule, err := update.Patch.Apply(old)
		if err != nil {
			return f.refused(w, err)
		}
		if done, err := d.tried(w, r, v, f, rule); done || err != nil {
			return err
		}
		emails := f.emails(v)
		update.Emails = &emails
	default:
		return errUnknownAction()
	}
	if _, err := actors.Ask(r.Context(), d.Registry, v.session.Team, update); err != nil {
		return f.refused(w, err)
	}
	http.Redirect(w, r, pathRules, http.StatusSeeOther)
	return nil
}
