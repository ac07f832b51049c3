package dashboard

import (
	"net/http"
	"slices"
	"time"

	"watchpost/actors"
	"watchpost/internal/words"
	"watchpost/watchpost"
)

// rulesPage lists the auto-engagement rules and their proposals.
type rulesPage struct {
	frame
	Stopped          bool
	Discards         string // what a stop of all rules discards
	StoppedSince, By string
	Proposals        []proposalView
	Proposed         int // that ask for a decision, also those not shown
	Decided          int // decisions of the member that can be taken back
	Longer           bool
	Refused          []string // why what was chosen is not decided
	Done             int      // how many of it are
	Groups           []ruleGroup
	Ended            []endedView
	Undo             *undoView
}

// ruleGroup are the rules of a watchlist.
type ruleGroup struct {
	Name string
	Rows []ruleRow
	Plan string // how many rules of the plan's are in use
	Full bool
	ID   watchpost.WatchlistID
}

// ruleRow is a rule in the list.
type ruleRow struct {
	ID                 watchpost.RuleID
	Name, What         string
	Off                bool
	Undo               bool // it is going to be deleted, and that can be taken back
	State, Class, Sign string
	Detail             string
}

// proposalView is an action that waits for a decision.
type proposalView struct {
	ID                         watchpost.RuleActionID
	Action, Author             string
	Rule, As, Excerpt, Comment string
	HasText, Chosen            bool
	At                         moment
	Lapses                     string
	Post                       watchpost.PostID
	// Decided is the decision, By its author, and Left the time in which it can be taken
	// back.
	Decided, By, Left string
	Approved          bool
}

// endedView is an action of a rule that is over.
type endedView struct {
	What, Icon         string
	State, Class, Sign string
	At                 moment
	Post               watchpost.PostID
}

const (
	// maxProposalsShown bounds the proposed actions on the page, oldest first.
	maxProposalsShown = 50
	// maxEndedShown bounds the ended actions on the page.
	maxEndedShown = 20
)

// ruleVerbs, ruleNouns and ruleIcons go by what a rule does.
var (
	ruleNouns = map[watchpost.Action]string{watchpost.ActionLike: "rules.rule_like", watchpost.ActionComment: "rules.rule_comment"}
	ruleDeeds = map[watchpost.Action]string{watchpost.ActionLike: "rules.like_the_post_of_author", watchpost.ActionComment: "rules.comment_on_the_post_of_author"}
	ruleEnded = map[watchpost.Action]string{
		watchpost.ActionLike: "rules.like_a_post_of_author_as", watchpost.ActionComment: "rules.comment_on_a_post_of_author",
	}
	ruleIcons = map[watchpost.Action]string{watchpost.ActionLike: "heart", watchpost.ActionComment: "comment"}
)

// ruleStates describe how an action of a rule ended: text, class and icon.
var ruleStates = map[watchpost.RuleActionState][3]string{
	watchpost.RuleDone: {"rules.done", "good", "check"}, watchpost.RuleFailed: {"rules.failed", "bad", "x"}, watchpost.RuleRejected: {"rules.rejected", "", "x"},
	watchpost.RuleLapsed: {"rules.waited_too_long", "", "clock"}, watchpost.RuleWithdrawn: {"rules.withdrawn_rules_a_rule_or_an", "", "stop"},
	watchpost.RuleSkipped: {"rules.skipped_the_post_is_gone_was", "", "flat"},
}

func (d rulePages) rules(w http.ResponseWriter, r *http.Request, v *visit) error {
	page, err := d.rulesPage(r, v)
	if err != nil {
		return err
	}
	return renderLive(w, r, "rules.html", page)
}

func (d rulePages) rulesPage(r *http.Request, v *visit) (*rulesPage, error) {
	view, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListRules{})
	if err != nil {
		return nil, err
	}
	ended, err := d.Registry.RuleJournal(r.Context(), v.session.Team)
	if err != nil {
		return nil, err
	}
	lists, err := d.ruleLists(r, v)
	if err != nil {
		return nil, err
	}
	now, team := d.Clock.Now(), v.team.Team
	page := &rulesPage{frame: frameOf(v, "rules", v.say.Text("layout.rules")), Stopped: view.Stopped, Groups: ruleGroups(v.say, view, lists, ended, v.team, now)}
	if view.Stopped {
		page.StoppedSince, page.By = zonedTime(v.say, view.StoppedAt, now), memberName(v.say, team, view.StoppedBy)
	}
	for _, a := range view.Open {
		if a.State != watchpost.RuleProposed {
			continue
		}
		if a.Decision == nil {
			page.Proposed++
		} else if a.Decision.By == v.member.ID {
			page.Decided++
		}
		if page.Longer = len(page.Proposals) == maxProposalsShown; !page.Longer {
			page.Proposals = append(page.Proposals, proposalOf(v.say, &a, team, now))
			page.Proposals[len(page.Proposals)-1].Chosen = r.URL.Query().Get("choose") == "all"
		}
	}
	page.Discards = discardsOf(v.say, view.Open)
	var waits []deletion
	for i := range view.Rules {
		waits = append(waits, deletion{view.Rules[i].Rule.Name, pathRules + "/" + string(view.Rules[i].Rule.ID), view.Rules[i].DeletedAt})
	}
	page.Undo = undoDeletion(v, waits, pathRules, now)
	for _, a := range ended[:min(len(ended), maxEndedShown)] {
		state := ruleStates[a.State]
		page.Ended = append(page.Ended, endedView{
			What: v.say.Text(ruleEnded[a.Action], "author", a.Name, "name", memberName(v.say, team, a.Member), "rule", a.RuleName), Icon: ruleIcons[a.Action],
			State: v.say.Text(state[0]), Class: state[1], Sign: state[2], At: momentOf(v.say, ago(v.say, a.EndedAt, now), a.EndedAt), Post: a.Post,
		})
	}
	return page, nil
}

func proposalOf(say *words.Language, a *watchpost.RuleAction, team watchpost.Team, now time.Time) proposalView {
	view := proposalView{
		ID: a.ID, Action: say.Text(ruleDeeds[a.Action], "author", a.Name), Author: a.Name, Rule: a.RuleName, As: memberName(say, team, a.Member), Excerpt: a.Excerpt, Comment: a.Text,
		HasText: a.Action == watchpost.ActionComment, At: momentOf(say, agoOrNow(say, a.At, now), a.At), Lapses: inTime(say, a.Lapses().Sub(now)), Post: a.Post,
	}
	if d := a.Decision; d != nil {
		view.Decided, view.Approved, view.By = say.Text("rules.rejected"), d.Approve, memberName(say, team, d.By)
		if d.Approve {
			view.Decided = say.Text("rules.approved")
		}
		view.Left = secondsLeft(say, d.At, now)
	}
	return view
}

// discardsOf says which open actions a stop of all rules ends. What a browser does already
// goes on.
func discardsOf(say *words.Language, open []watchpost.RuleAction) string {
	var proposed, waiting, handed int
	for _, a := range open {
		switch {
		case a.State == watchpost.RuleRunning:
			handed++
		case a.State == watchpost.RuleProposed && a.Decision == nil:
			proposed++
		default:
			waiting++
		}
	}
	var parts []string
	part := func(n int, what string) {
		if n > 0 {
			parts = append(parts, say.Text(what, "n", n))
		}
	}
	part(proposed, "rules.n_proposals_to_approve")
	part(waiting, "rules.n_actions_that_wait_to_be")
	part(handed, "rules.n_actions_in_a_browser_unless")
	if len(parts) == 0 {
		return say.Text("rules.nothing_waits_so_nothing_is")
	}
	list := parts[0]
	for i, p := range parts[1:] {
		between := say.Text("list.comma")
		if i == len(parts)-2 {
			between = say.Text("list.and")
		}
		list += between + p
	}
	return say.Text("rules.this_discards_list_they_do_not", "list", list)
}

// ruleLists are the watchlists that can have rules: no one likes or comments in
// the forum.
func (d rulePages) ruleLists(r *http.Request, v *visit) ([]actors.WatchlistView, error) {
	lists, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListWatchlists{})
	return slices.DeleteFunc(slices.Clone(lists), func(l actors.WatchlistView) bool { return l.Watchlist.Type == watchpost.ForumWatchlist }), err
}

// memberName names a member who may have left; "" without one.
func memberName(say *words.Language, team watchpost.Team, id watchpost.MemberID) string {
	if m, known := team.Member(id); known {
		return nameOf(m)
	}
	if id == "" {
		return ""
	}
	return say.Text("tasks.a_former_member")
}

// ruleGroups are the rules by watchlist, in the order of the watchlists.
func ruleGroups(say *words.Language, view actors.RulesView, lists []actors.WatchlistView, ended []watchpost.RuleAction, team actors.TeamView, now time.Time) []ruleGroup {
	limit := team.Limits.AutoEngagementRules
	var groups []ruleGroup
	for _, l := range lists {
		g := ruleGroup{Name: l.Watchlist.Name, ID: l.Watchlist.ID}
		for _, rv := range view.Rules {
			if rv.Rule.Watchlist == l.Watchlist.ID {
				g.Rows = append(g.Rows, ruleRowOf(say, rv, view.Stopped, ended, now))
			}
		}
		g.Full = limit != watchpost.Unlimited && len(g.Rows) >= limit
		g.Plan = plural(say, len(g.Rows), "rule")
		if limit != watchpost.Unlimited {
			g.Plan = say.Text("rules.used_of_rules_on_the_plan", "used", len(g.Rows), "rules", plural(say, limit, "rule"), "plan", planName(say, team.Team.Plan))
		}
		groups = append(groups, g)
	}
	return groups
}

func ruleRowOf(say *words.Language, rv actors.RuleView, stopped bool, ended []watchpost.RuleAction, now time.Time) ruleRow {
	r := &rv.Rule
	row := ruleRow{ID: r.ID, Name: r.Name, What: ruleText(say, rv), Off: r.Disabled, Undo: rv.DeletedAt.After(now), State: say.Text("rules.on"), Class: "good", Sign: "check"}
	_, open := r.Hours.Contains(now)
	switch {
	case !rv.DeletedAt.IsZero():
		row.State, row.Class, row.Sign, row.Detail = say.Text("common.being_deleted"), "wait", "clock", say.Text("rules.goes_in_a_few_seconds")
		return row
	case stopped:
		row.State, row.Class, row.Sign = say.Text("rules.stopped_with_all_rules"), "bad", "stop"
	case r.Disabled:
		row.State, row.Class, row.Sign = say.Text("rules.off"), "", "pause"
	case !open:
		row.State, row.Class, row.Sign = say.Text("rules.outside_its_hours"), "", "clock"
		if next, ever := r.Hours.Next(now); ever {
			row.State = say.List(row.State, say.Text("rules.goes_on_at", "at", clockIn(say, next, now, r.Hours.Zone)))
		}
	}
	done := 0
	for _, a := range ended {
		if a.Rule == r.ID && a.State == watchpost.RuleDone && now.Sub(a.EndedAt) < 7*24*time.Hour {
			done++
		}
	}
	row.Detail = say.Text("rules.proposed_to_approve_waiting_waiting", "proposed", rv.Proposed, "waiting", rv.Waiting, "done", done)
	if !rv.NextAt.IsZero() {
		next := say.Text("time.now")
		if !rv.NextAt.Before(now) {
			next = clockIn(say, rv.NextAt, now, r.Hours.Zone)
		}
		row.Detail = say.List(row.Detail, say.Text("rules.next_at", "at", next))
	}
	return row
}

// switchRules stops all rules of the team, or lets them act again.
func (d rulePages) switchRules(w http.ResponseWriter, r *http.Request, v *visit) error {
	do := r.PostFormValue("do")
	if do != "stop" && do != "resume" {
		return errUnknownAction()
	}
	if _, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.StopRules{Stop: do == "stop", By: v.member.ID}); err != nil {
		return err
	}
	http.Redirect(w, r, pathRules, http.StatusSeeOther)
	return nil
}

func errUnknownAction() error {
	return watchpost.Errorf(watchpost.Invalid, "The form does not say what to do.")
}

// decideAction approves or rejects an action, with the text as it was edited, or takes a
// decision back that waits.
func (d rulePages) decideAction(w http.ResponseWriter, r *http.Request, v *visit) error {
	view, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListRules{})
	if err != nil {
		return err
	}
	id := watchpost.RuleActionID(r.PathValue("id"))
	if _, err := d.decide(r, v, view, id); err != nil {
		return err
	}
	http.Redirect(w, r, pathRules+"#proposal-"+string(id), http.StatusSeeOther)
	return nil
}

// decide does with an open action what a form says; it returns the action.
func (d rulePages) decide(r *http.Request, v *visit, view actors.RulesView, id watchpost.RuleActionID) (a watchpost.RuleAction, err error) {
	i := slices.IndexFunc(view.Open, func(a watchpost.RuleAction) bool { return a.ID == id })
	if i < 0 {
		return a, watchpost.Errorf(watchpost.NotFound, "Action not found")
	}
	a = view.Open[i]
	decision := actors.DecideRuleAction{ID: id, By: v.member.ID, Delay: undoDelay}
	switch r.PostFormValue("do") {
	case "approve":
		decision.Approve = true
		if a.Action == watchpost.ActionComment {
			text, fits := watchpost.CleanComment(r.PostFormValue("text-" + string(id)))
			if text == "" || !fits {
				return a, watchpost.Errorf(watchpost.Invalid, "A comment has 1 to %s characters.", words.English().Number(watchpost.MaxComment))
			}
			decision.Text = &text
		}
		_, err = actors.Ask(r.Context(), d.Registry, v.session.Team, decision)
	case "reject":
		_, err = actors.Ask(r.Context(), d.Registry, v.session.Team, decision)
	case "undo":
		_, err = actors.Ask(r.Context(), d.Registry, v.session.Team, actors.UndoRuleDecision{ID: id})
	default:
		err = errUnknownAction()
	}
	return a, err
}

// decideActions approves or rejects the chosen actions, or takes back all decisions of the
// member that wait. It says which it could not decide.
func (d rulePages) decideActions(w http.ResponseWriter, r *http.Request, v *visit) error {
	view, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListRules{})
	if err != nil {
		return err
	}
	ids, err := chosenIDs[watchpost.RuleActionID](r)
	if r.PostFormValue("do") == "undo" {
		ids, err = nil, nil
		for _, a := range view.Open {
			if a.Decision != nil && a.Decision.By == v.member.ID {
				ids = append(ids, a.ID)
			}
		}
	}
	if err != nil {
		return err
	}
	var refused []string
	for _, id := range ids {
		a, err := d.decide(r, v, view, id)
		if err != nil && watchpost.KindOf(err) == watchpost.Unavailable {
			return err
		}
		if err != nil && a.ID == "" {
			refused = append(refused, v.say.Text("rules.a_proposal_is_gone_or_was"))
		} else if err != nil {
			refused = append(refused, v.say.Text(ruleDeeds[a.Action], "author", a.Name)+": "+v.say.Known(err.Error()))
		}
	}
	if len(refused) == 0 {
		http.Redirect(w, r, pathRules+"#approve", http.StatusSeeOther)
		return nil
	}
	page, err := d.rulesPage(r, v)
	if err != nil {
		return err
	}
	page.Refused, page.Done = refused, len(ids)-len(refused)
	return render(w, http.StatusConflict, "rules.html", page)
}
