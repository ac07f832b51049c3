package rules

import (
	"slices"
	"strings"
	"time"

	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Bounds of reads of rules.
const (
	// journalDays is how far back the journal of rules is shown.
	journalDays = 14
	// JournalMost is how many actions of the journal are shown together.
	JournalMost = 200
	// trialDays and trialPosts bound the stored posts of a trial.
	trialDays  = 30
	trialPosts = 1000
)

// Journal returns the newest actions that have ended before another one, or at all: at
// most that many, newest first. Errors: of the store.
func Journal(view persistence.View, space persistence.Space, before watchpost.RuleActionID, most int, now time.Time) ([]watchpost.RuleAction, error) {
	return endedActions(view, space, before, most, now, func(*watchpost.RuleAction) bool { return true })
}

// Rejected returns the newest proposals on posts of an author that were rejected, by the
// keys of the author: at most JournalMost, newest first. Errors: of the store.
func Rejected(view persistence.View, space persistence.Space, authors []string, now time.Time) ([]watchpost.RuleAction, error) {
	return endedActions(view, space, "", JournalMost, now, func(a *watchpost.RuleAction) bool {
		return a.State == watchpost.RuleRejected && slices.Contains(authors, a.Author)
	})
}

// endedActions is Journal of the actions that keep selects.
func endedActions(view persistence.View, space persistence.Space, before watchpost.RuleActionID, most int, now time.Time, keep func(*watchpost.RuleAction) bool) ([]watchpost.RuleAction, error) {
	until := persistence.PrefixEnd([]byte(teamspace.KeyRuleJournal))
	if before != "" {
		until = teamspace.Key(teamspace.KeyRuleJournal, before)
	}
	newest := []watchpost.RuleAction{}
	var failure error
	err := view.Scan(space, journalFrom(now), until, func(_, v []byte) bool {
		var a watchpost.RuleAction
		if failure = teamspace.Decode(v, &a); failure != nil {
			return false
		}
		if keep(&a) {
			newest = append(newest, a)
		}
		if len(newest) > 2*most {
			newest = append(newest[:0], newest[len(newest)-most:]...)
		}
		return true
	})
	if err == nil {
		err = failure
	}
	slices.Reverse(newest)
	return newest[:min(len(newest), most)], err
}

// Page is a part of a team's actions of rules.
type Page struct {
	Actions []watchpost.RuleAction
	Next    string // continues where the page ends; "" at the end
}

// The cursor of a page begins with the name of the list that it continues.
const (
	openActionsAfter   = "o"
	endedActionsBefore = "e"
)

// ReadPage returns a page of the actions of rules, from the cursor of an earlier one or
// "": the open ones, oldest first, then those that have ended in the last 14 days, newest
// first. open returns all open ones, oldest first, and ended is Journal. Errors: Invalid
// for a cursor, and those of open and ended.
func ReadPage(cursor string, limit int, open func() ([]watchpost.RuleAction, error), ended func(before watchpost.RuleActionID, most int) ([]watchpost.RuleAction, error)) (Page, error) {
	page, id := Page{}, watchpost.RuleActionID("")
	if cursor != "" {
		id = watchpost.RuleActionID(cursor[1:])
		if from := cursor[:1]; from != openActionsAfter && from != endedActionsBefore || !watchpost.ValidID(string(id)) {
			return page, watchpost.Errorf(watchpost.Invalid, "Invalid 'after'")
		}
	}
	before := id
	if !strings.HasPrefix(cursor, endedActionsBefore) {
		waiting, err := open()
		if err != nil {
			return page, err
		}
		page.Actions = slices.DeleteFunc(waiting, func(a watchpost.RuleAction) bool { return a.ID <= id })
		before = ""
	}
	if open := len(page.Actions); open > limit {
		page.Actions = page.Actions[:limit]
		page.Next = openActionsAfter + string(page.Actions[limit-1].ID)
		return page, nil
	}
	over, err := ended(before, limit-len(page.Actions)+1)
	if err != nil {
		return page, err
	}
	page.Actions = append(page.Actions, over...)
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

// journalFrom is the first key of the journal of rules that is shown.
func journalFrom(now time.Time) []byte {
	return teamspace.Key(teamspace.KeyRuleJournal, watchpost.FirstID(now.Add(-journalDays*24*time.Hour)))
}

// overview returns all that the team's members may see of the rules.
func (rs *Rules) overview() Overview {
	v := Overview{Rules: []View{}, Open: []watchpost.RuleAction{}}
	if rs.stopped != nil {
		v.Stopped, v.StoppedAt, v.StoppedBy = true, rs.stopped.At, rs.stopped.By
	}
	for _, r := range rs.book.Rules {
		v.Rules = append(v.Rules, rs.viewOf(r))
	}
	slices.SortFunc(v.Rules, func(a, b View) int { return watchpost.CompareRules(a.Rule, b.Rule) })
	for _, a := range rs.inOrder() {
		v.Open = append(v.Open, *a)
	}
	return v
}

// Proposals counts the actions that wait for approval.
func (rs *Rules) Proposals() (n int) {
	for _, a := range rs.book.Open {
		if a.State == watchpost.RuleProposed && a.Decision == nil {
			n++
		}
	}
	return n
}

func (rs *Rules) viewOf(r watchpost.EngagementRule) View {
	v := View{Rule: r, DeletedAt: rs.team.DeletedAt(r.ID)}
	for _, id := range r.Members {
		if member, known := rs.team.Member(id); known {
			v.Members = append(v.Members, member)
		}
	}
	now := rs.Env.Clock.Now()
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

// Try returns what a rule would have done with the newest posts that its watchlist
// collected in the last 30 days. query returns a page of that watchlist's posts. Errors:
// those of query, Unavailable for a post that cannot be read.
func Try(rule watchpost.EngagementRule, now time.Time, query func(watchpost.PostQuery) ([]*postindex.Stored, *watchpost.Tagging, error)) (watchpost.RuleTrial, error) {
	var posts []*watchpost.Post
	var tagging *watchpost.Tagging
	since := now.Add(-trialDays * 24 * time.Hour)
	for page := 1; len(posts) < trialPosts; page++ {
		q := watchpost.PostQuery{Order: watchpost.RecentFirst, StoredFrom: since, Page: page, PageSize: watchpost.MaxPageSize}
		found, counting, err := query(q)
		if err != nil {
			return watchpost.RuleTrial{}, err
		}
		tagging = counting
		for _, stored := range found {
			p, err := stored.Post()
			if err != nil {
				return watchpost.RuleTrial{}, root.Unavailable(err)
			}
			posts = append(posts, p)
		}
		if len(found) < watchpost.MaxPageSize {
			break
		}
	}
	return rule.Try(posts, tagging), nil
}
