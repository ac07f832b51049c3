package actors

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors/dispatch"
	"watchpost/actors/root"
	"watchpost/watchpost"
)

// TestRuleWaitsForRoom: an action that may begin while too many tasks are open is
// tried again soon, not only when something else happens.
func TestRuleWaitsForRoom(t *testing.T) {
	t.Parallel()
	now := wednesday
	team := newTeam(&environment{Environment: &root.Environment{Clock: &fixedClock{now: now}}}, "team")
	team.members.list = []watchpost.Member{{ID: "ada"}}
	team.dispatch.Changed(&dispatch.Worker{Session: "s", Member: "ada", Account: "a", Readiness: dispatch.Readiness{SignedIn: true}})
	r := watchpost.NewRule("list", watchpost.ActionLike, now)
	r.ID, r.Members, r.Hours = "rule", []watchpost.MemberID{"ada"}, watchpost.DailyHours{Until: 24 * 60}
	team.rules.book.Rules[r.ID] = r
	a := r.Act(&watchpost.Post{ID: "p", URN: "u", AuthorName: "Grace"}, "ada", "", now)
	team.rules.book.Open[a.ID] = &a
	require.Equal(t, watchpost.RuleRunning, team.rules.book.Decide(&a, team.rules.accounts(&r, now), now).State)
	for i := range maxOpenTasks {
		team.tasks.open[watchpost.TaskID(strconv.Itoa(i))] = &openTask{}
	}
	w := newRuleWork(team.rules, now)
	w.decide(&a)
	require.Equal(t, watchpost.RuleQueued, a.State)
	require.Equal(t, now.Add(time.Minute), w.next)
}
