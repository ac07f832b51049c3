package actors_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// What a rule promises holds when its action is done, whatever happened since the
// rule decided on it.

// writesOf lets a session come to rest. It ends the scans that the session is handed
// with the posts, and returns the writes. The clock may have jumped over the lease of a
// scan, which is then handed out a second time and cancelled.
func writesOf(s *actorstest.Session, posts ...protocol.Post) (writes []protocol.Frame) {
	s.T.Helper()
	for range 3 {
		for _, f := range s.Settle() {
			switch {
			case f.Type != protocol.TypeTask:
			case watchpost.TaskType(f.TaskType).Scan():
				s.Result(f, protocol.PostsOutput{Posts: posts, Exhausted: ptr(true)})
			default:
				writes = append(writes, f)
			}
		}
		awaitSchedules(s.T, s.Team)
	}
	return writes
}

// nextWrite waits for the next write that a session is handed.
func nextWrite(s *actorstest.Session, posts ...protocol.Post) (write protocol.Frame) {
	s.T.Helper()
	require.Eventually(s.T, func() bool {
		writes := writesOf(s, posts...)
		require.LessOrEqual(s.T, len(writes), 1)
		if len(writes) == 1 {
			write = writes[0]
		}
		return write.Task != ""
	}, actorstest.Wait, time.Millisecond)
	return write
}

// openActions waits until a team's rules have n open actions.
func openActions(t *testing.T, team *actorstest.Team, n int) (open []watchpost.RuleAction) {
	t.Helper()
	require.Eventually(t, func() bool {
		open = rulesOf(t, team).Open
		return len(open) == n
	}, actorstest.Wait, time.Millisecond)
	return open
}

// TestRuleKeepsItsHours: an action whose browser went away is not done when it comes
// back in the night, but in the next hours of the rule.
func TestRuleKeepsItsHours(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	w.SetClock(time.Date(2030, 1, 11, 17, 50, 0, 0, time.UTC)) // Friday; the rule acts Monday to Friday, 9 to 18
	list := keywordWatchlist(t, team, "go")
	scan := s.Expect(protocol.TypeTask)
	makeRule(t, w, team, list.ID, watchpost.ActionLike, nil)
	endScan(s, scan, true, postBy(w, "ada"))
	require.Equal(t, "agent_like_post", s.Expect(protocol.TypeTask).TaskType)
	s.Drop()
	w.SetClock(time.Date(2030, 1, 12, 3, 0, 0, 0, time.UTC))
	s.Connect()
	require.Empty(t, writesOf(s), "at %v", w.Now())
	require.Equal(t, watchpost.RuleQueued, openActions(t, team, 1)[0].State)
	w.SetClock(time.Date(2030, 1, 14, 8, 59, 59, 0, time.UTC))
	require.Empty(t, writesOf(s))
	w.SetClock(time.Date(2030, 1, 14, 9, 0, 0, 0, time.UTC))
	s.Finish(nextWrite(s))
	openActions(t, team, 0)
	require.Equal(t, []watchpost.RuleActionState{watchpost.RuleDone}, journalOf(t, team))
}

// TestRuleHoursEndTheLease: a task that is handed out just before the hours end must not
// begin after them.
func TestRuleHoursEndTheLease(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	w.SetClock(time.Date(2030, 1, 9, 17, 58, 0, 0, time.UTC))
	list := keywordWatchlist(t, team, "go")
	scan := s.Expect(protocol.TypeTask)
	makeRule(t, w, team, list.ID, watchpost.ActionLike, nil)
	endScan(s, scan, true, postBy(w, "ada"))
	like := s.Expect(protocol.TypeTask)
	require.Equal(t, time.Date(2030, 1, 9, 18, 0, 0, 0, time.UTC), like.Deadline.UTC())
}

// TestRulePauseFromTheEnd: the pause of an account begins when an action has ended,
// however long it took, and also when the browser was away.
func TestRulePauseFromTheEnd(t *testing.T) {
	t.Parallel()
	hour := func(r *watchpost.EngagementRule) { r.MinPause, r.MaxPause = time.Hour, time.Hour }
	t.Run("a slow action", func(t *testing.T) {
		t.Parallel()
		w, team, s, _, scan := ruled(t, watchpost.ActionLike, hour)
		endScan(s, scan, true, postBy(w, "ada"), postBy(w, "bob"))
		first := s.Expect(protocol.TypeTask)
		s.Accept(first)
		s.Act(first)
		w.Advance(50 * time.Minute)
		s.Result(first, map[string]any{})
		s.ExpectAck(first)
		openActions(t, team, 1)
		w.Advance(59 * time.Minute)
		require.Empty(t, writesOf(s))
		w.Advance(time.Minute)
		s.Finish(nextWrite(s))
	})
	t.Run("an absence", func(t *testing.T) {
		t.Parallel()
		w, team, s, _, scan := ruled(t, watchpost.ActionLike, hour)
		endScan(s, scan, true, postBy(w, "ada"), postBy(w, "bob"))
		s.Expect(protocol.TypeTask)
		s.Drop()
		w.SetClock(time.Date(2030, 1, 10, 15, 0, 0, 0, time.UTC))
		s.Connect()
		s.Finish(nextWrite(s))
		openActions(t, team, 1)
		w.Advance(59 * time.Minute)
		require.Empty(t, writesOf(s))
		w.Advance(time.Minute)
		s.Finish(nextWrite(s))
	})
}

// TestRuleOneOfAnAuthorAWeek: the week of an engagement is the one in which it is
// done, not the one in which it was handed out.
func TestRuleOneOfAnAuthorAWeek(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	w.SetClock(time.Date(2030, 1, 13, 23, 50, 0, 0, time.UTC)) // Sunday
	list := keywordWatchlist(t, team, "go")
	scan := s.Expect(protocol.TypeTask)
	makeRule(t, w, team, list.ID, watchpost.ActionLike, func(r *watchpost.EngagementRule) { r.Hours = watchpost.DailyHours{Until: 24 * 60} })
	endScan(s, scan, true, postBy(w, "ada"))
	require.Equal(t, "agent_like_post", s.Expect(protocol.TypeTask).TaskType)
	s.Drop()
	w.SetClock(time.Date(2030, 1, 14, 8, 0, 0, 0, time.UTC)) // Monday
	s.Connect()
	second := postBy(w, "ada")
	second.URN, second.URL = "urn:network:post:second", "/posts/second"
	s.Finish(nextWrite(s, second))
	for range 5 { // days of this week
		w.Advance(24 * time.Hour)
		require.Empty(t, writesOf(s, second), "a second one of the same week")
	}
}

// TestRuleAfterANetworkLimit: an action that the network refused is done in the next
// hours of the rule, not when the allowance begins again.
func TestRuleAfterANetworkLimit(t *testing.T) {
	t.Parallel()
	w, team, s, _, scan := ruled(t, watchpost.ActionLike, nil)
	endScan(s, scan, true, postBy(w, "ada"))
	like := s.Expect(protocol.TypeTask)
	s.Accept(like)
	s.Act(like)
	s.Error(like, protocol.CodeNetworkLimit, actorstest.Lie) // it did not act
	s.ExpectAck(like)
	for _, at := range []time.Time{time.Date(2030, 1, 9, 17, 0, 0, 0, time.UTC), time.Date(2030, 1, 10, 0, 0, 1, 0, time.UTC), time.Date(2030, 1, 10, 8, 59, 0, 0, time.UTC)} {
		w.SetClock(at)
		require.Empty(t, writesOf(s), "at %v", at)
	}
	require.Equal(t, watchpost.RuleQueued, openActions(t, team, 1)[0].State)
	w.SetClock(time.Date(2030, 1, 10, 9, 0, 0, 0, time.UTC))
	s.Finish(nextWrite(s))
	openActions(t, team, 0)
}

// TestRuleStopsWhatDidNotAct: a task that had begun to act when the rules were
// stopped, and did not act, is not handed out again.
func TestRuleStopsWhatDidNotAct(t *testing.T) {
	t.Parallel()
	w, team, s, _, scan := ruled(t, watchpost.ActionLike, nil)
	endScan(s, scan, true, postBy(w, "ada"))
	like := s.Expect(protocol.TypeTask)
	s.Accept(like)
	s.Act(like)
	done(t, team, actors.StopRules{Stop: true})
	s.Error(like, protocol.CodeTimeout, actorstest.Lie)
	s.ExpectAck(like)
	openActions(t, team, 0)
	require.Equal(t, []watchpost.RuleActionState{watchpost.RuleWithdrawn}, journalOf(t, team))
	for range 5 {
		w.Advance(time.Minute)
		require.Empty(t, writesOf(s))
	}
	done(t, team, actors.StopRules{})
	w.Advance(time.Hour)
	require.Empty(t, writesOf(s), "what was withdrawn does not come back")
}

// TestRuleMadeAfterARestore: only rules that the backup held are stopped.
func TestRuleMadeAfterARestore(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t, actorstest.With(func(o *actors.Options) { o.RestoredAt = actorstest.Start.Add(time.Hour) }))
	team := w.CreateTeam(t, watchpost.PlanUltimate)
	list := keywordWatchlist(t, team, "go")
	w.Advance(5 * 24 * time.Hour)
	w.Restart()
	makeRule(t, w, team, list.ID, watchpost.ActionLike, nil)
	w.Advance(24 * time.Hour)
	w.Restart()
	require.False(t, rulesOf(t, team).Stopped)
	require.Len(t, rulesOf(t, team).Rules, 1)
}

// TestRuleApprovalSwitchedOn: from then on no task of the rule is done without a
// decision. This includes tasks that were handed out and do not act yet. What a member
// has approved stays approved.
func TestRuleApprovalSwitchedOn(t *testing.T) {
	t.Parallel()
	approval := func(t *testing.T, team *actorstest.Team, rule actors.RuleView, on bool) {
		actorstest.Must[actors.RuleView](t, team, actors.UpdateRule{ID: rule.Rule.ID, Patch: watchpost.RulePatch{Approval: &on}})
	}
	t.Run("for what is queued", func(t *testing.T) {
		t.Parallel()
		w, team, s, rule, scan := ruled(t, watchpost.ActionLike, nil)
		endScan(s, scan, true, postBy(w, "ada"), postBy(w, "bob"))
		s.Finish(s.Expect(protocol.TypeTask))
		openActions(t, team, 1)
		approval(t, team, rule, true)
		proposed := rulesOf(t, team).Open[0]
		require.Equal(t, watchpost.RuleProposed, proposed.State)
		w.Crash()
		s.Connect()
		require.Equal(t, watchpost.RuleProposed, rulesOf(t, team).Open[0].State)
		approval(t, team, rule, false)
		w.Advance(30 * time.Minute)
		require.Empty(t, writesOf(s), "to switch it off approves nothing")
		done(t, team, actors.DecideRuleAction{ID: proposed.ID, Approve: true})
		approval(t, team, rule, true)
		s.Finish(nextWrite(s))
	})
	t.Run("for what is handed out", func(t *testing.T) {
		t.Parallel()
		w, team, s, rule, scan := ruled(t, watchpost.ActionLike, nil)
		endScan(s, scan, true, postBy(w, "ada"))
		like := s.Expect(protocol.TypeTask)
		approval(t, team, rule, true)
		require.Equal(t, like.Task, s.Expect(protocol.TypeCancel).Task)
		require.Eventually(t, func() bool { return rulesOf(t, team).Open[0].State == watchpost.RuleProposed }, actorstest.Wait, time.Millisecond)
		w.Advance(time.Hour)
		require.Empty(t, writesOf(s))
	})
}

// TestChangedRuleApplies: what waits of a rule is what the rule says now.
func TestChangedRuleApplies(t *testing.T) {
	t.Parallel()
	w, team, s, rule, scan := ruled(t, watchpost.ActionComment, func(r *watchpost.EngagementRule) { r.Approval = false })
	endScan(s, scan, true, postBy(w, "ada"), postBy(w, "bob"), postBy(w, "eve"))
	s.Finish(s.Expect(protocol.TypeTask))
	open := openActions(t, team, 2)
	templates, authors := []string{"Well said, {first_name}!"}, []string{"https://network.example/in/" + open[1].Name}
	actorstest.Must[actors.RuleView](t, team, actors.UpdateRule{ID: rule.Rule.ID, Patch: watchpost.RulePatch{
		Templates: &templates, If: watchpost.ConditionsPatch{Authors: &authors},
	}})
	left := openActions(t, team, 1)
	require.Equal(t, open[1].ID, left[0].ID)
	require.Equal(t, "Well said, "+open[1].Name+"!", left[0].Text)
	require.Contains(t, journalOf(t, team), watchpost.RuleSkipped)
	w.Advance(time.Hour)
	require.Contains(t, string(nextWrite(s).Input), left[0].Text)
}

// TestRuleTooLate: a post that has become too old for the rule while its action
// waited is left alone.
func TestRuleTooLate(t *testing.T) {
	t.Parallel()
	w, team, s, _, scan := ruled(t, watchpost.ActionLike, func(r *watchpost.EngagementRule) {
		r.If.MaxAge, r.MinPause, r.MaxPause = 2*time.Hour, 3*time.Hour, 3*time.Hour
	})
	endScan(s, scan, true, postBy(w, "ada"), postBy(w, "bob"))
	s.Finish(s.Expect(protocol.TypeTask))
	openActions(t, team, 1)
	w.Advance(4 * time.Hour)
	require.Empty(t, writesOf(s))
	openActions(t, team, 0)
	require.ElementsMatch(t, []watchpost.RuleActionState{watchpost.RuleDone, watchpost.RuleSkipped}, journalOf(t, team))
}

// TestRuleAccountsShare: of two accounts each does its part.
func TestRuleAccountsShare(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	joe := team.Member(t, "joe")
	other := team.SessionOf(t, joe, "joe").Connect()
	list := keywordWatchlist(t, team, "go")
	r := watchpost.NewRule(list.ID, watchpost.ActionLike, w.Now())
	r.MaxPause, r.Hours = r.MinPause, watchpost.DailyHours{Until: 24 * 60}
	actorstest.Must[actors.RuleView](t, team, actors.CreateRule{Rule: r, Emails: []string{team.Email, joe}})
	likes, n := map[string]int{}, 0
	for range 8 { // hours
		n++
		found := postBy(w, fmt.Sprint("author", n))
		for likes["ada"]+likes["joe"] < n {
			for name, one := range map[string]*actorstest.Session{"ada": s, "joe": other} {
				for _, like := range writesOf(one, found) {
					likes[name]++
					one.Finish(like)
				}
			}
		}
		w.Advance(61 * time.Minute)
	}
	require.Equal(t, map[string]int{"ada": 4, "joe": 4}, likes)
}

// TestRuleMembersAway: a member who was not seen for two days gets nothing; another
// member does the tasks that wait for a member who is away.
func TestRuleMembersAway(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	list := keywordWatchlist(t, team, "go")
	scan := s.Expect(protocol.TypeTask)
	joe, eve := team.Member(t, "joe"), team.Member(t, "eve")
	other := team.SessionOf(t, joe, "joe").Connect()
	rule := watchpost.NewRule(list.ID, watchpost.ActionComment, w.Now())
	rule.Templates, rule.MaxPause = []string{"Hello"}, rule.MinPause
	actorstest.Must[actors.RuleView](t, team, actors.CreateRule{Rule: rule, Emails: []string{eve, joe, team.Email}})
	other.Drop()
	w.Advance(49 * time.Hour)
	s.Heartbeat()
	if !s.Open() {
		s.Connect()
	}
	endScan(s, scan, true, postBy(w, "one"), postBy(w, "two"), postBy(w, "three"))
	for _, a := range openActions(t, team, 3) {
		require.Equal(t, memberOf(t, team, team.Email), a.Member)
	}
}

// TestRuleGoesOnWithAnother: what an account was handed and gave back is done by
// another one.
func TestRuleGoesOnWithAnother(t *testing.T) {
	t.Parallel()
	w, team, s, rule, scan := ruled(t, watchpost.ActionLike, nil)
	joe := team.Member(t, "joe")
	actorstest.Must[actors.RuleView](t, team, actors.UpdateRule{ID: rule.Rule.ID, Emails: &[]string{team.Email, joe}})
	endScan(s, scan, true, postBy(w, "ada"))
	like := s.Expect(protocol.TypeTask)
	other := team.SessionOf(t, joe, "joe").Connect()
	s.Drop()
	w.Advance(10 * time.Minute)
	again := nextWrite(other)
	require.NotEqual(t, like.Task, again.Task)
	other.Finish(again)
	openActions(t, team, 0)
	wantFailure(t, team.Status(t, watchpost.TaskID(like.Task)), "rule_postponed", true)
	require.Equal(t, []watchpost.RuleActionState{watchpost.RuleDone}, journalOf(t, team))
}

// TestRuleActionsBoundTheTeam: the bound is one for all rules of a team.
func TestRuleActionsBoundTheTeam(t *testing.T) {
	t.Parallel()
	w, team, s, _, scan := ruled(t, watchpost.ActionComment, nil)
	list := scanOwner(t, team)
	makeRule(t, w, team, list, watchpost.ActionLike, func(r *watchpost.EngagementRule) { r.Approval = true })
	var posts []protocol.Post
	for i := range watchpost.MaxOpenRuleActions + 30 {
		posts = append(posts, postBy(w, fmt.Sprint("author", i)))
	}
	endScan(s, scan, true, posts...)
	require.Eventually(t, func() bool { return len(storedKeys(t, w, team, "v")) == 0 }, actorstest.Wait, time.Millisecond)
	require.Len(t, rulesOf(t, team).Open, watchpost.MaxOpenRuleActions)
}

// scanOwner is the only watchlist of a team.
func scanOwner(t *testing.T, team *actorstest.Team) watchpost.WatchlistID {
	t.Helper()
	lists := actorstest.Must[[]actors.WatchlistView](t, team, actors.ListWatchlists{Type: watchpost.KeywordWatchlist})
	require.Len(t, lists, 1)
	return lists[0].Watchlist.ID
}
