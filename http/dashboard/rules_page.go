package dashboard

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"watchpost/actors"
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
	Longer           bool
	Groups           []ruleGroup
	Ended            []endedView
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
	State, Class, Sign string
	Detail             string
}

// proposalView is an action that waits for a decision.
type proposalView struct {
	ID                         watchpost.RuleActionID
	Action, Author             string
	Rule, As, Excerpt, Comment string
	HasText                    bool
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
	maxProposalsShown = 20
	// maxEndedShown bounds the ended actions on the page.
	maxEndedShown = 20
)

// ruleVerbs and ruleIcons go by what a rule does.
var (
	ruleVerbs = map[watchpost.Action]string{watchpost.ActionLike: "Like", watchpost.ActionComment: "Comment on"}
	ruleIcons = map[watchpost.Action]string{watchpost.ActionLike: "heart", watchpost.ActionComment: "comment"}
)

// ruleStates describe how an action of a rule ended: text, class and icon.
var ruleStates = map[watchpost.RuleActionState][3]string{
	watchpost.RuleDone: {"Done", "good", "check"}, watchpost.RuleFailed: {"Failed", "bad", "x"}, watchpost.RuleRejected: {"Rejected", "", "x"},
	watchpost.RuleLapsed: {"Waited too long", "", "clock"}, watchpost.RuleWithdrawn: {"Withdrawn: rules, a rule or an account stopped", "", "stop"},
	watchpost.RuleSkipped: {"Skipped: the post is gone, was engaged with or does not fit the rule any more", "", "flat"},
}

func (d rulePages) rules(w http.ResponseWriter, r *http.Request, v *visit) error {
	view, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListRules{})
	if err != nil {
		return err
	}
	ended, err := d.Registry.RuleJournal(r.Context(), v.session.Team)
	if err != nil {
		return err
	}
	lists, err := d.ruleLists(r, v)
	if err != nil {
		return err
	}
	now, team := d.Clock.Now(), v.team.Team
	page := rulesPage{frame: frameOf(v, "rules", "Rules"), Stopped: view.Stopped, Groups: ruleGroups(view, lists, ended, v.team, now)}
	if view.Stopped {
		page.StoppedSince, page.By = clockTime(view.StoppedAt, now), memberName(team, view.StoppedBy)
	}
	for _, a := range view.Open {
		if a.State != watchpost.RuleProposed {
			continue
		}
		if a.Decision == nil {
			page.Proposed++
		}
		if page.Longer = len(page.Proposals) == maxProposalsShown; !page.Longer {
			page.Proposals = append(page.Proposals, proposalOf(&a, team, now))
		}
	}
	page.Discards = discardsOf(view.Open)
	for _, a := range ended[:min(len(ended), maxEndedShown)] {
		state := ruleStates[a.State]
		page.Ended = append(page.Ended, endedView{
			What: ruleVerbs[a.Action] + " a post of " + a.Name + " as " + memberName(team, a.Member) + ", by “" + a.RuleName + "”", Icon: ruleIcons[a.Action],
			State: state[0], Class: state[1], Sign: state[2], At: momentOf(ago(a.EndedAt, now), a.EndedAt), Post: a.Post,
		})
	}
	return renderLive(w, r, "rules.html", page)
}

func proposalOf(a *watchpost.RuleAction, team watchpost.Team, now time.Time) proposalView {
	view := proposalView{
		ID: a.ID, Action: ruleVerbs[a.Action], Author: a.Name, Rule: a.RuleName, As: memberName(team, a.Member), Excerpt: a.Excerpt, Comment: a.Text,
		HasText: a.Action == watchpost.ActionComment, At: momentOf(agoOrNow(a.At, now), a.At), Lapses: inTime(a.Lapses().Sub(now)), Post: a.Post,
	}
	if d := a.Decision; d != nil {
		view.Decided, view.Approved, view.By = "Rejected", d.Approve, memberName(team, d.By)
		if d.Approve {
			view.Decided = "Approved"
		}
		view.Left = secondsLeft(d.At, now)
	}
	return view
}

// discardsOf says which open actions a stop of all rules ends. What a browser does already
// goes on.
func discardsOf(open []watchpost.RuleAction) string {
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
	part := func(n int, noun, more string) {
		if n > 0 {
			parts = append(parts, plural(n, noun)+more)
		}
	}
	part(proposed, "proposal", " to approve")
	part(waiting, "action", " that wait"+map[bool]string{true: "s"}[waiting == 1]+" to be done")
	part(handed, "action", " in a browser, unless it has begun")
	if len(parts) == 0 {
		return "Nothing waits, so nothing is discarded."
	}
	list := parts[0]
	for i, p := range parts[1:] {
		between := ", "
		if i == len(parts)-2 {
			between = " and "
		}
		list += between + p
	}
	return "This discards " + list + ". They do not come back when the rules act again."
}

// ruleLists are the watchlists that can have rules: no one likes or comments in
// the forum.
func (d rulePages) ruleLists(r *http.Request, v *visit) ([]actors.WatchlistView, error) {
	lists, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListWatchlists{})
	return slices.DeleteFunc(slices.Clone(lists), func(l actors.WatchlistView) bool { return l.Watchlist.Type == watchpost.ForumWatchlist }), err
}

// memberName names a member who may have left; "" without one.
func memberName(team watchpost.Team, id watchpost.MemberID) string {
	if m, known := team.Member(id); known {
		return nameOf(m)
	}
	if id == "" {
		return ""
	}
	return "a former member"
}

// ruleGroups are the rules by watchlist, in the order of the watchlists.
func ruleGroups(view actors.RulesView, lists []actors.WatchlistView, ended []watchpost.RuleAction, team actors.TeamView, now time.Time) []ruleGroup {
	limit := team.Limits.AutoEngagementRules
	var groups []ruleGroup
	for _, l := range lists {
		g := ruleGroup{Name: l.Watchlist.Name, ID: l.Watchlist.ID}
		for _, rv := range view.Rules {
			if rv.Rule.Watchlist == l.Watchlist.ID {
				g.Rows = append(g.Rows, ruleRowOf(rv, view.Stopped, ended, now))
			}
		}
		g.Full = limit != watchpost.Unlimited && len(g.Rows) >= limit
		g.Plan = plural(len(g.Rows), "rule")
		if limit != watchpost.Unlimited {
			g.Plan = number(len(g.Rows)) + " of " + plural(limit, "rule") + " on the " + planName(team.Team.Plan) + " plan"
		}
		groups = append(groups, g)
	}
	return groups
}

func ruleRowOf(rv actors.RuleView, stopped bool, ended []watchpost.RuleAction, now time.Time) ruleRow {
	r := &rv.Rule
	row := ruleRow{ID: r.ID, Name: r.Name, What: ruleText(rv), Off: r.Disabled, State: "On", Class: "good", Sign: "check"}
	_, open := r.Hours.Contains(now)
	switch {
	case stopped:
		row.State, row.Class, row.Sign = "Stopped with all rules", "bad", "stop"
	case r.Disabled:
		row.State, row.Class, row.Sign = "Off", "", "pause"
	case !open:
		row.State, row.Class, row.Sign = "Outside its hours", "", "clock"
		if next, ever := r.Hours.Next(now); ever {
			row.State += ", goes on " + clockIn(next, now, r.Hours.Zone)
		}
	}
	done := 0
	for _, a := range ended {
		if a.Rule == r.ID && a.State == watchpost.RuleDone && now.Sub(a.EndedAt) < 7*24*time.Hour {
			done++
		}
	}
	row.Detail = number(rv.Proposed) + " to approve, " + number(rv.Waiting) + " waiting, " + number(done) + " done in 7 days"
	if !rv.NextAt.IsZero() {
		next := "now"
		if !rv.NextAt.Before(now) {
			next = clockIn(rv.NextAt, now, r.Hours.Zone)
		}
		row.Detail += ", next " + next
	}
	return row
}

// ruleText says what a rule does.
func ruleText(rv actors.RuleView) string {
	r := &rv.Rule
	text := "Like"
	if r.Action == watchpost.ActionComment {
		text = "Comment"
	}
	conditions := conditionTexts(&r.If)
	if len(conditions) == 0 {
		text += " on every post"
		if r.Action == watchpost.ActionLike {
			text = "Like every post"
		}
	} else {
		text += " if " + strings.Join(conditions, ", ")
	}
	var names []string
	for _, m := range rv.Members {
		names = append(names, nameOf(m))
	}
	text += ". " + some(names) + ", at most " + number(r.PerDay) + " a day each, " + hoursText(r.Hours) + "."
	if r.Approval {
		text += " Each waits for approval."
	}
	return text
}

// conditionTexts are the conditions in words.
func conditionTexts(c *watchpost.PostConditions) (parts []string) {
	either := func(what string, values []string) {
		if len(values) > 0 {
			parts = append(parts, what+" "+strings.Join(values, " or "))
		}
	}
	either("the label is", c.Labels)
	either("sentiment is", c.Sentiments)
	either("seniority is", c.Levels)
	either("language is", c.Languages)
	either("the author is", c.Authors)
	if c.Keyword != "" {
		parts = append(parts, "the keyword is “"+c.Keyword+"”")
	}
	if c.MinRelevance > 0 {
		parts = append(parts, "relevance is "+decimal(c.MinRelevance)+" or more")
	}
	if c.MaxAge > 0 {
		parts = append(parts, "at most "+decimal(c.MaxAge.Hours())+" h old")
	}
	return parts
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// hoursText says when a rule acts.
func hoursText(h watchpost.DailyHours) string {
	days := "every day"
	if len(h.Days) > 0 && len(h.Days) < 7 {
		var names []string
		for _, day := range week {
			if slices.Contains(h.Days, day) {
				names = append(names, day.String()[:3])
			}
		}
		days = strings.Join(names, " ")
	}
	zone := h.Zone
	if zone == "" {
		zone = "UTC"
	}
	return days + " " + timeOfDay(h.From) + " to " + timeOfDay(h.Until) + " " + zone
}

// clockIn says when a moment is in the zone of a rule's hours, so that a row has one zone.
func clockIn(t, now time.Time, zone string) string {
	in, err := time.LoadLocation(zone)
	if err != nil || zone == "" {
		in, zone = time.UTC, "UTC"
	}
	format := "Mon 2 Jan 15:04 "
	if t.Sub(now).Abs() < 24*time.Hour {
		format = "15:04 "
	}
	return t.In(in).Format(format) + zone
}

// week begins on Monday.
var week = []time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday, time.Saturday, time.Sunday}

// timeOfDay writes minutes after midnight as ParseMinutes reads them.
func timeOfDay(minutes int) string {
	two := func(n int) string { return string([]byte{byte('0' + n/10), byte('0' + n%10)}) }
	return two(minutes/60) + ":" + two(minutes%60)
}

// switchRules stops all rules of the team, or lets them act again.
func (d rulePages) switchRules(w http.ResponseWriter, r *http.Request, v *visit) error {
	do := r.PostFormValue("do")
	if do != "stop" && do != "resume" {
		return errUnknownDeed()
	}
	if _, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.StopRules{Stop: do == "stop", By: v.member.ID}); err != nil {
		return err
	}
	http.Redirect(w, r, pathRules, http.StatusSeeOther)
	return nil
}

func errUnknownDeed() error {
	return watchpost.Errorf(watchpost.Invalid, "The form does not say what to do.")
}

// decideAction approves or rejects an action, with the text as it was edited, or takes a
// decision back that waits.
func (d rulePages) decideAction(w http.ResponseWriter, r *http.Request, v *visit) error {
	view, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListRules{})
	if err != nil {
		return err
	}
	decision := actors.DecideRuleAction{ID: watchpost.RuleActionID(r.PathValue("id")), By: v.member.ID, Delay: undoDelay}
	i := slices.IndexFunc(view.Open, func(a watchpost.RuleAction) bool { return a.ID == decision.ID })
	if i < 0 {
		return watchpost.Errorf(watchpost.NotFound, "Action not found")
	}
	switch r.PostFormValue("do") {
	case "approve":
		decision.Approve = true
		if view.Open[i].Action == watchpost.ActionComment {
			text, fits := watchpost.CleanComment(r.PostFormValue("text"))
			if text == "" || !fits {
				return watchpost.Errorf(watchpost.Invalid, "A comment has 1 to %s characters.", number(watchpost.MaxComment))
			}
			decision.Text = &text
		}
		_, err = actors.Ask(r.Context(), d.Registry, v.session.Team, decision)
	case "reject":
		_, err = actors.Ask(r.Context(), d.Registry, v.session.Team, decision)
	case "undo":
		_, err = actors.Ask(r.Context(), d.Registry, v.session.Team, actors.UndoRuleDecision{ID: decision.ID})
	default:
		return errUnknownDeed()
	}
	if err != nil {
		return err
	}
	http.Redirect(w, r, pathRules+"#proposal-"+string(decision.ID), http.StatusSeeOther)
	return nil
}
