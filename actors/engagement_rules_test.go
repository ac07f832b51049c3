package actors_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// postBy is a post of a new author.
func postBy(w *actorstest.World, author string) protocol.Post {
	p := post(w, "of-"+author, "go, says "+author)
	p.AuthorName, p.AuthorURL = author, "/in/"+author
	return p
}

// ruled is a team with a session, a watchlist whose scan is handed out, and a
// rule.
func ruled(t *testing.T, action watchpost.Action, change func(*watchpost.EngagementRule), options ...actorstest.Option) (*actorstest.World, *actorstest.Team, *actorstest.Session, actors.RuleView, protocol.Frame) {
	t.Helper()
	w, team, s := house(t, options...)
	list := keywordWatchlist(t, team, "go")
	scan := s.Expect(protocol.TypeTask)
	return w, team, s, makeRule(t, w, team, list.ID, action, change), scan
}

func makeRule(t *testing.T, w *actorstest.World, team *actorstest.Team, list watchpost.WatchlistID, action watchpost.Action, change func(*watchpost.EngagementRule)) actors.RuleView {
	t.Helper()
	r := watchpost.NewRule(list, action, w.Now())
	r.MaxPause = r.MinPause // tests know when it ends
	if action == watchpost.ActionComment {
		r.Templates = []string{"Hello {first_name}"}
	}
	if change != nil {
		change(&r)
	}
	return actorstest.Must[actors.RuleView](t, team, actors.CreateRule{Rule: r})
}

func rulesOf(t *testing.T, team *actorstest.Team) actors.RulesView {
	t.Helper()
	return actorstest.Must[actors.RulesView](t, team, actors.ListRules{})
}

func journalOf(t *testing.T, team *actorstest.Team) (states []watchpost.RuleActionState) {
	t.Helper()
	ended, err := team.W.Registry.RuleJournal(team.W.Context(), team.ID)
	require.NoError(t, err)
	for _, a := range ended {
		states = append(states, a.State)
	}
	return states
}

// TestRuleLikes: a rule likes a new post at once, the next one after a pause, and
// one post of an author in a week.
func TestRuleLikes(t *testing.T) {
	t.Parallel()
	w, team, s, rule, scan := ruled(t, watchpost.ActionLike, nil)
	second := postBy(w, "ada")
	second.URN, second.URL = "urn:network:post:second", "/posts/second"
	s.Part(scan, 0, postBy(w, "ada"), second, postBy(w, "bob"))
	s.ExpectAck(scan)
	endScan(s, scan, true)
	like := s.Expect(protocol.TypeTask)
	require.Equal(t, "agent_like_post", like.TaskType)
	view := rulesOf(t, team)
	require.Len(t, view.Open, 2, "one of each author")
	require.False(t, view.Rules[0].NextAt.Before(w.Now().Add(4*time.Minute)), "the pause of the account")
	s.Finish(like)
	task := team.Status(t, watchpost.TaskID(like.Task))
	var input struct {
		Rule string `json:"rule_id"`
	}
	require.NoError(t, json.Unmarshal(task.Input, &input))
	require.Equal(t, string(rule.Rule.ID), input.Rule)
	w.Advance(30 * time.Minute)
	s.Finish(s.Expect(protocol.TypeTask))
	require.Eventually(t, func() bool { return len(rulesOf(t, team).Open) == 0 }, actorstest.Wait, time.Millisecond)
	require.Equal(t, []watchpost.RuleActionState{watchpost.RuleDone, watchpost.RuleDone}, journalOf(t, team))
	require.Empty(t, storedKeys(t, w, team, "v"))
	for _, q := range []watchpost.JournalQuery{{Rule: string(rule.Rule.ID)}, {Way: watchpost.AskedByRule}} {
		page, err := w.Registry.Journal(w.Context(), team.ID, q, "", 10)
		require.NoError(t, err)
		require.Len(t, page.Entries, 2)
		require.Equal(t, string(rule.Rule.ID), page.Entries[0].Asked)
	}

	t.Run("neither again when the posts are collected again", func(t *testing.T) {
		list := keywordWatchlist(t, team, "says")
		makeRule(t, w, team, list.ID, watchpost.ActionLike, func(r *watchpost.EngagementRule) { r.Members = nil })
		other := s.Expect(protocol.TypeTask)
		endScan(s, other, true, postBy(w, "ada"), postBy(w, "bob"), postBy(w, "eve"))
		openActions(t, team, 1)
		w.Advance(5 * time.Minute) // the pause since the end of the second
		third := s.Expect(protocol.TypeTask)
		require.Len(t, rulesOf(t, team).Open, 1)
		require.Equal(t, "eve", rulesOf(t, team).Open[0].Name)
		s.Finish(third)
	})
}

// TestRuleProposals: comments wait for a member, who may change, approve or
// reject them, once.
func TestRuleProposals(t *testing.T) {
	t.Parallel()
	w, team, s, _, scan := ruled(t, watchpost.ActionComment, nil)
	endScan(s, scan, true, postBy(w, "ada"), postBy(w, "bob"), postBy(w, "eve"))
	s.ExpectNone()
	w.Crash()
	s.Connect()
	open := rulesOf(t, team).Open
	require.Len(t, open, 3)
	by := map[string]watchpost.RuleAction{}
	for _, a := range open {
		require.Equal(t, watchpost.RuleProposed, a.State)
		by[a.Name] = a
	}
	require.Equal(t, "Hello ada", by["ada"].Text)

	changed := "Well said."
	approve := actors.DecideRuleAction{ID: by["ada"].ID, Approve: true, Text: &changed}
	require.Equal(t, watchpost.RuleQueued, actorstest.Must[watchpost.RuleAction](t, team, approve).State)
	comment := s.Expect(protocol.TypeTask)
	var in struct {
		CommentText string `json:"comment_text"`
	}
	require.NoError(t, json.Unmarshal(comment.Input, &in))
	require.Equal(t, changed, in.CommentText)
	actorstest.Fails(t, team, watchpost.Conflict, approve)
	s.Finish(comment)
	require.Eventually(t, func() bool { return len(rulesOf(t, team).Open) == 2 }, actorstest.Wait, time.Millisecond)
	actorstest.Fails(t, team, watchpost.NotFound, approve)

	require.Equal(t, watchpost.RuleRejected, actorstest.Must[watchpost.RuleAction](t, team, actors.DecideRuleAction{ID: by["bob"].ID}).State)
	w.Advance(watchpost.RuleActionKept)
	require.Empty(t, rulesOf(t, team).Open)
	require.ElementsMatch(t, []watchpost.RuleActionState{watchpost.RuleDone, watchpost.RuleRejected, watchpost.RuleLapsed}, journalOf(t, team))
}

// TestStopRules: one request ends actions that are proposed, queued or handed out and not
// acting yet, also across a crash.
func TestStopRules(t *testing.T) {
	t.Parallel()
	for _, crash := range []bool{false, true} {
		t.Run(fmt.Sprint("crash ", crash), func(t *testing.T) {
			t.Parallel()
			w, team, s, rule, scan := ruled(t, watchpost.ActionLike, nil)
			endScan(s, scan, true, postBy(w, "ada"), postBy(w, "bob"))
			like := s.Expect(protocol.TypeTask)
			done(t, team, actors.StopRules{Stop: true})
			if crash {
				w.Crash()
				s.Connect()
			}
			require.Eventually(t, func() bool { return len(rulesOf(t, team).Open) == 0 }, actorstest.Wait, time.Millisecond)
			require.True(t, rulesOf(t, team).Stopped)
			require.Equal(t, []watchpost.RuleActionState{watchpost.RuleWithdrawn, watchpost.RuleWithdrawn}, journalOf(t, team))
			wantFailure(t, team.Status(t, watchpost.TaskID(like.Task)), watchpost.FailRuleWithdrawn, true)
			require.Zero(t, team.Used(t, s.Email, watchpost.ActionComment))

			done(t, team, actors.StopRules{})
			require.False(t, rulesOf(t, team).Stopped)
			require.Equal(t, rule.Rule.ID, rulesOf(t, team).Rules[0].Rule.ID)
		})
	}
}

// TestRuleChanges: plan limits, unknown things, and what a rule's end ends.
func TestRuleChanges(t *testing.T) {
	t.Parallel()
	w, team, s, rule, scan := ruled(t, watchpost.ActionComment, nil)
	endScan(s, scan, true, postBy(w, "ada"), postBy(w, "bob"))
	require.Len(t, rulesOf(t, team).Open, 2)
	off := true
	id := rule.Rule.ID
	actorstest.Must[actors.RuleView](t, team, actors.UpdateRule{ID: id, Patch: watchpost.RulePatch{Disabled: &off}})
	require.Empty(t, rulesOf(t, team).Open, "withdrawn with the rule")
	actorstest.Fails(t, team, watchpost.NotFound, actors.UpdateRule{ID: id, Emails: &[]string{"nobody@example.com"}})
	done(t, team, actors.DeleteRule{ID: id})
	actorstest.Fails(t, team, watchpost.NotFound, actors.DeleteRule{ID: id})
	actorstest.Fails(t, team, watchpost.NotFound, actors.CreateRule{Rule: watchpost.NewRule("nowhere", watchpost.ActionLike, w.Now())})

	for plan, limit := range map[watchpost.Plan]int{watchpost.PlanFree: 1, watchpost.PlanGrowth: 2, watchpost.PlanExpert: 5, watchpost.PlanUltimate: 10} {
		team := w.CreateTeam(t, plan)
		list, other := keywordWatchlist(t, team, "go"), keywordWatchlist(t, team, "rust")
		for range limit {
			makeRule(t, w, team, list.ID, watchpost.ActionLike, nil)
		}
		err := actorstest.Fails(t, team, watchpost.PlanLimit, actors.CreateRule{Rule: watchpost.NewRule(list.ID, watchpost.ActionLike, w.Now())})
		require.Contains(t, err.Error(), fmt.Sprintf("Your plan includes up to %d auto-engagement rule", limit))
		makeRule(t, w, team, other.ID, watchpost.ActionLike, nil)
		done(t, team, actors.DeleteWatchlist{Type: list.Type, ID: list.ID})
		require.Len(t, rulesOf(t, team).Rules, 1, "the watchlist's rules go with it")
	}
}

// TestRuleWithoutItsMember: what waits in the name of a member ends when the rule is
// no longer that member's.
func TestRuleWithoutItsMember(t *testing.T) {
	t.Parallel()
	w, team, s, rule, scan := ruled(t, watchpost.ActionComment, nil)
	joe := team.Member(t, "joe")
	endScan(s, scan, true, postBy(w, "ada"))
	require.Len(t, rulesOf(t, team).Open, 1)
	actorstest.Must[actors.RuleView](t, team, actors.UpdateRule{ID: rule.Rule.ID, Emails: &[]string{joe}})
	require.Empty(t, rulesOf(t, team).Open)
	require.Equal(t, []watchpost.RuleActionState{watchpost.RuleWithdrawn}, journalOf(t, team))
}

// TestEndedActionsAreForgotten: what the journal of rules shows no longer goes with the
// next activation.
func TestEndedActionsAreForgotten(t *testing.T) {
	t.Parallel()
	w, team, s, _, scan := ruled(t, watchpost.ActionLike, nil)
	endScan(s, scan, true, postBy(w, "ada"))
	s.Finish(s.Expect(protocol.TypeTask))
	require.Eventually(t, func() bool { return len(journalOf(t, team)) == 1 }, actorstest.Wait, time.Millisecond)
	w.Advance(13 * 24 * time.Hour)
	w.Restart()
	require.Empty(t, rulesOf(t, team).Open)
	require.Len(t, storedKeys(t, w, team, teamspace.KeyRuleJournal), 1)
	w.Advance(25 * time.Hour)
	w.Restart()
	require.Empty(t, rulesOf(t, team).Open)
	require.Empty(t, storedKeys(t, w, team, teamspace.KeyRuleJournal))
}

// TestALivingTeamForgets: ended actions and the marks of their authors go while the team
// lives, too.
func TestALivingTeamForgets(t *testing.T) {
	t.Parallel()
	w, team, s, _, scan := ruled(t, watchpost.ActionLike, nil)
	endScan(s, scan, true, postBy(w, "ada"))
	s.Finish(s.Expect(protocol.TypeTask))
	require.Eventually(t, func() bool { return len(journalOf(t, team)) == 1 }, actorstest.Wait, time.Millisecond)
	kept := func() []int {
		return []int{len(storedKeys(t, w, team, teamspace.KeyRuleAuthor)), len(storedKeys(t, w, team, teamspace.KeyRuleJournal))}
	}
	require.Equal(t, []int{1, 1}, kept())
	w.Advance(9 * 24 * time.Hour)
	require.Equal(t, []int{0, 1}, kept(), "the author is of another week")
	w.Advance(6 * 24 * time.Hour)
	require.Equal(t, []int{0, 0}, kept(), "the action is shown no longer")
	require.True(t, s.Open(), "it was the same life")
}

// TestTryStoredPosts: a trial stores nothing.
func TestTryStoredPosts(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	list := keywordWatchlist(t, team, "go")
	endScan(s, s.Expect(protocol.TypeTask), true, postBy(w, "ada"), postBy(w, "bob"))
	require.Empty(t, storedKeys(t, w, team, "v"), "without rules nothing is noted of posts")
	r := watchpost.NewRule(list.ID, watchpost.ActionLike, w.Now())
	r.Members = []watchpost.MemberID{"anybody"}
	trial, err := w.Registry.TryRule(w.Context(), team.ID, r)
	require.NoError(t, err)
	require.Equal(t, []int{2, 2}, []int{trial.Matches, len(trial.Acts)})
	require.Empty(t, storedKeys(t, w, team, "R"))
	other := w.CreateTeam(t, watchpost.PlanFree)
	_, err = w.Registry.TryRule(w.Context(), other.ID, r)
	require.Equal(t, watchpost.Forbidden, watchpost.KindOf(err))
}
