package actors

import (
	"context"
	"slices"
	"strings"
	"time"

	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Bounds of reads of rules.
const (
	// ruleJournalDays is how far back the journal of rules is shown.
	ruleJournalDays = 14
	ruleJournalMost = 200
	// trialDays and trialPosts bound the stored posts of a trial.
	trialDays  = 30
	trialPosts = 1000
)

// RuleJournal returns the newest actions of rules that have ended, newest first.
func (r *reading) RuleJournal(ctx context.Context, team watchpost.TeamID) ([]watchpost.RuleAction, error) {
	return r.ruleJournal(ctx, team, "", ruleJournalMost)
}

// ruleJournal returns the newest actions that have ended before another one, or at
// all: at most that many, newest first.
func (r *reading) ruleJournal(ctx context.Context, team watchpost.TeamID, before watchpost.RuleActionID, most int) ([]watchpost.RuleAction, error) {
	view, err := r.viewFor(ctx)
	if err != nil {
		return nil, root.Unavailable(err)
	}
	defer view.Close()
	until := persistence.PrefixEnd([]byte(teamspace.KeyRuleJournal))
	if before != "" {
		until = teamspace.Key(teamspace.KeyRuleJournal, before)
	}
	newest := []watchpost.RuleAction{}
	var failure error
	err = view.Scan(persistence.Space(team), ruleJournalFrom(r.env.Clock.Now()), until, func(_, v []byte) bool {
		var a watchpost.RuleAction
		if failure = teamspace.Decode(v, &a); failure != nil {
			return false
		}
		newest = append(newest, a)
		if len(newest) > 2*most {
			newest = append(newest[:0], newest[len(newest)-most:]...)
		}
		return true
	})
	if err == nil {
		err = failure
	}
	slices.Reverse(newest)
	return newest[:min(len(newest), most)], root.Unavailable(err)
}

// RuleActionsPage is a part of a team's actions of rules.
type RuleActionsPage struct {
	Actions []watchpost.RuleAction
	Next    string // continues where the page ends; "" at the end
}

// The cursor of a page begins with the name of the list that it continues.
const (
	openActionsAfter   = "o"
	endedActionsBefore = "e"
)

// RuleActions returns a page of the actions of rules, from the cursor of an earlier one
// or "": the open ones, oldest first, then those that have ended in the last 14 days,
// newest first. Errors: Invalid for a cursor, Unavailable.
func (r *reading) RuleActions(ctx context.Context, team watchpost.TeamID, cursor string, limit int) (RuleActionsPage, error) {
	page, id := RuleActionsPage{}, watchpost.RuleActionID("")
	if cursor != "" {
		id = watchpost.RuleActionID(cursor[1:])
		if from := cursor[:1]; from != openActionsAfter && from != endedActionsBefore || !watchpost.ValidID(string(id)) {
			return page, watchpost.Errorf(watchpost.Invalid, "Invalid 'after'")
		}
	}
	before := id
	if !strings.HasPrefix(cursor, endedActionsBefore) {
		view, err := askTeam(ctx, r.base, team, ListRules{})
		if err != nil {
			return page, err
		}
		page.Actions = slices.DeleteFunc(view.Open, func(a watchpost.RuleAction) bool { return a.ID <= id })
		before = ""
	}
	if open := len(page.Actions); open > limit {
		page.Actions = page.Actions[:limit]
		page.Next = openActionsAfter + string(page.Actions[limit-1].ID)
		return page, nil
	}
	ended, err := r.ruleJournal(ctx, team, before, limit-len(page.Actions)+1)
	if err != nil {
		return page, err
	}
	page.Actions = append(page.Actions, ended...)
	if len(page.Actions) > limit {
		page.Actions = page.Actions[:limit]
		last := page.Actions[limit-1]
		page.Next = endedActionsBefore + string(last.ID)
		if last.Open() {
			page.Next = openActionsAfter + string(last.ID)
		}
	}
	return page, nil
}

// ruleJournalFrom is the first key of the journal of rules that is shown.
func ruleJournalFrom(now time.Time) []byte {
	return teamspace.Key(teamspace.KeyRuleJournal, watchpost.FirstID(now.Add(-ruleJournalDays*24*time.Hour)))
}

// view returns all that the team's members may see of the rules.
func (rs *engagementRules) view() RulesView {
	v := RulesView{Rules: []RuleView{}, Open: []watchpost.RuleAction{}}
	if rs.stopped != nil {
		v.Stopped, v.StoppedAt, v.StoppedBy = true, rs.stopped.At, rs.stopped.By
	}
	for _, r := range rs.book.Rules {
		v.Rules = append(v.Rules, rs.viewOf(r))
	}
	slices.SortFunc(v.Rules, func(a, b RuleView) int { return watchpost.CompareRules(a.Rule, b.Rule) })
	for _, a := range rs.inOrder() {
		v.Open = append(v.Open, *a)
	}
	return v
}

// proposals counts the actions that wait for approval.
func (rs *engagementRules) proposals() (n int) {
	for _, a := range rs.book.Open {
		if a.State == watchpost.RuleProposed && a.Decision == nil {
			n++
		}
	}
	return n
}

func (rs *engagementRules) viewOf(r watchpost.EngagementRule) RuleView {
	v := RuleView{Rule: r}
	for _, id := range r.Members {
		if member, known := rs.team.members.byID(id); known {
			v.Members = append(v.Members, member)
		}
	}
	now := rs.env.Clock.Now()
	accounts := rs.accounts(&r, now)
	for _, a := range rs.book.Open {
		switch {
		case a.Rule != r.ID, a.Decision != nil:
		case a.State == watchpost.RuleProposed:
			v.Proposed++
		case a.State == watchpost.RuleQueued:
			v.Waiting++
			if at := rs.book.Decide(a, accounts, now).At; v.NextAt.IsZero() || at.Before(v.NextAt) {
				v.NextAt = at
			}
		}
	}
	return v
}

// TryRule returns what a rule would have done with the newest posts that its
// watchlist collected in the last 30 days (NotFound, Forbidden). Nothing is
// stored, and nothing is done on the network.
func (r *reading) TryRule(ctx context.Context, team watchpost.TeamID, rule watchpost.EngagementRule) (watchpost.RuleTrial, error) {
	if err := r.WatchlistAccess(ctx, team, string(rule.Watchlist)); err != nil {
		return watchpost.RuleTrial{}, err
	}
	var posts []*watchpost.Post
	var tagging *watchpost.Tagging
	since := r.env.Clock.Now().Add(-trialDays * 24 * time.Hour)
	for page := 1; len(posts) < trialPosts; page++ {
		q := watchpost.PostQuery{Order: watchpost.RecentFirst, StoredFrom: since, Page: page, PageSize: watchpost.MaxPageSize}
		found, err := r.Posts(ctx, team, []string{string(rule.Watchlist)}, q)
		if err != nil {
			return watchpost.RuleTrial{}, err
		}
		tagging = found.Tagging
		for _, stored := range found.Posts {
			p, err := stored.Post()
			if err != nil {
				return watchpost.RuleTrial{}, root.Unavailable(err)
			}
			posts = append(posts, p)
		}
		if len(found.Posts) < watchpost.MaxPageSize {
			break
		}
	}
	return rule.Try(posts, tagging), nil
}
