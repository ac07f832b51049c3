package actors_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/watchpost"
)

// TestUndoDecision: a decision that waits can be taken back until it takes effect, and not
// after. It survives a crash, and a stop of all rules comes before it.
func TestUndoDecision(t *testing.T) {
	t.Parallel()
	const delay = 10 * time.Second
	w, team, s, _, scan := ruled(t, watchpost.ActionComment, nil)
	endScan(s, scan, true, postBy(w, "ada"), postBy(w, "bob"), postBy(w, "eve"))
	by := map[string]watchpost.RuleActionID{}
	openActions(t, team, 3)
	for _, a := range rulesOf(t, team).Open {
		by[a.Name] = a.ID
	}
	decide := func(name string, approve bool, text string) watchpost.RuleAction {
		return actorstest.Must[watchpost.RuleAction](t, team, actors.DecideRuleAction{ID: by[name], Approve: approve, Text: &text, By: "m", Delay: delay})
	}
	undo := func(name string) watchpost.RuleAction {
		return actorstest.Must[watchpost.RuleAction](t, team, actors.UndoRuleDecision{ID: by[name]})
	}
	require.Equal(t, 3, rulesOf(t, team).Rules[0].Proposed)
	decided := decide("ada", true, "Edited")
	require.Equal(t, watchpost.RuleProposed, decided.State)
	require.Equal(t, 2, rulesOf(t, team).Rules[0].Proposed, "it asks for no decision")
	actorstest.Fails(t, team, watchpost.Conflict, actors.DecideRuleAction{ID: by["ada"]})
	w.Advance(delay - time.Second)
	back := undo("ada")
	require.Nil(t, back.Decision)
	require.Equal(t, "Edited", back.Text, "the text stays for the next decision")
	actorstest.Fails(t, team, watchpost.Conflict, actors.UndoRuleDecision{ID: by["ada"]})
	decide("bob", false, "")
	actorstest.Fails(t, team, watchpost.NotFound, actors.DecideRuleAction{ID: by["bob"], Approve: true})
	undo("bob")
	w.Advance(time.Hour)
	require.Empty(t, writesOf(s))
	require.Len(t, rulesOf(t, team).Open, 3)

	// Both take effect in time, though the service crashes meanwhile.
	decide("ada", true, "In the end")
	decide("bob", false, "")
	w.Advance(delay / 2)
	w.Crash()
	s.Connect()
	require.Len(t, rulesOf(t, team).Open, 3)
	require.Empty(t, writesOf(s))
	w.Advance(delay / 2)
	comment := nextWrite(s)
	require.Contains(t, string(comment.Input), "In the end")
	require.Eventually(t, func() bool { return len(rulesOf(t, team).Open) == 2 }, actorstest.Wait, time.Millisecond)
	require.Equal(t, []watchpost.RuleActionState{watchpost.RuleRejected}, journalOf(t, team))
	actorstest.Fails(t, team, watchpost.NotFound, actors.UndoRuleDecision{ID: by["bob"]})
	actorstest.Fails(t, team, watchpost.Conflict, actors.UndoRuleDecision{ID: by["ada"]})
	s.Finish(comment)

	decide("eve", true, "Too late")
	done(t, team, actors.StopRules{Stop: true})
	require.Eventually(t, func() bool { return len(rulesOf(t, team).Open) == 0 }, actorstest.Wait, time.Millisecond)
	w.Advance(time.Hour)
	require.Empty(t, writesOf(s))
	require.Contains(t, journalOf(t, team), watchpost.RuleWithdrawn)
}
