package rules

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors/root"
	"watchpost/watchpost"
)

// fullTeam is a team of one member, whose account is free, with too many open tasks.
type fullTeam struct{ Host }

// Member implements Host.
func (fullTeam) Member(id watchpost.MemberID) (watchpost.Member, bool) {
	return watchpost.Member{ID: id}, id == "ada"
}

// Account implements Host.
func (fullTeam) Account(watchpost.TaskType, watchpost.MemberID, time.Time) watchpost.RuleAccount {
	return watchpost.RuleAccount{Connected: true, Free: true}
}

// DeletedAt implements Host.
func (fullTeam) DeletedAt(watchpost.RuleID) time.Time { return time.Time{} }

// HasRoom implements Host.
func (fullTeam) HasRoom() bool { return false }

// TestRuleWaitsForRoom: an action that may begin while too many tasks are open is
// tried again soon, not only when something else happens.
func TestRuleWaitsForRoom(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 9, 12, 0, 0, 0, time.UTC) // a Wednesday
	rs := New(&root.Actor{}, fullTeam{})
	r := watchpost.NewRule("list", watchpost.ActionLike, now)
	r.ID, r.Members, r.Hours = "rule", []watchpost.MemberID{"ada"}, watchpost.DailyHours{Until: 24 * 60}
	rs.book.Rules[r.ID] = r
	a := r.Act(&watchpost.Post{ID: "p", URN: "u", AuthorName: "Grace"}, "ada", "", now)
	rs.book.Open[a.ID] = &a
	require.Equal(t, watchpost.RuleRunning, rs.book.Decide(&a, rs.accounts(&r, now), now).State)
	w := newRound(rs, now)
	w.decide(&a)
	require.Equal(t, watchpost.RuleQueued, a.State)
	require.Equal(t, now.Add(time.Minute), w.next)
}
