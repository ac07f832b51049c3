package actors_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// countURNs is how many people a task is to fetch the posts of.
func countURNs(t *testing.T, f protocol.Frame) int {
	t.Helper()
	var input struct {
		URNs []string `json:"profile_urns"`
	}
	require.NoError(t, json.Unmarshal(f.Input, &input), "%s", f.Input)
	return len(input.URNs)
}

// near compares a moment with the model's, which knows no time within a step.
func (m *month) near(want, got time.Time, what string) {
	m.t.Helper()
	require.Equal(m.t, want.IsZero(), got.IsZero(), what)
	require.WithinDuration(m.t, want, got, monthSlack, what)
}

// compareUse compares what each account has used of each allowance, and what
// waits.
func (m *month) compareUse() actors.TeamView {
	m.t.Helper()
	view := actorstest.Must[actors.TeamView](m.t, m.team, actors.GetTeam{})
	require.Len(m.t, view.Presence, len(m.sessions))
	both := map[watchpost.Action]int{}
	for account, p := range view.Presence {
		require.True(m.t, p.Active)
		require.Empty(m.t, p.Pauses)
		require.Len(m.t, p.Used, len(monthCaps))
		for _, u := range p.Used {
			own := pool{u.Action, account}
			require.Equal(m.t, monthCaps[u.Action], u.Limit, u.Action)
			require.LessOrEqual(m.t, u.Used, u.Limit, u.Action)
			require.True(m.t, own.reset(m.now).Equal(u.ResetsAt), "%s: %s", u.Action, u.ResetsAt)
			both[u.Action] += u.Used
			if monthWrites[u.Action] {
				require.Equal(m.t, m.model.usedOf(own, m.now), u.Used, "%s: %s of account %d", m.now, u.Action, account)
			}
		}
	}
	for action, used := range both {
		if !monthWrites[action] {
			require.Equal(m.t, m.model.usedOf(pool{action, -1}, m.now), used, "%s: %s", m.now, action)
		}
	}
	n, oldest := m.model.waitingScans()
	require.Equal(m.t, n, view.WaitingScans, "%s", m.now)
	require.Zero(m.t, view.RunningScans)
	m.near(oldest, view.OldestScan, "oldest scan")
	return view
}

var monthWrites = map[watchpost.Action]bool{
	watchpost.ActionMessage: true, watchpost.ActionLike: true, watchpost.ActionComment: true, watchpost.ActionInvitation: true,
}

// compareDay compares at the end of a day every task, watchlist and quota.
func (m *month) compareDay() {
	for _, kind := range []watchpost.TaskType{watchpost.TaskKeywordScan, watchpost.TaskPeopleScan, watchpost.TaskCompanyScan} {
		had, fair := m.model.shares(kind, m.now)
		for i := range had {
			require.InDelta(m.t, fair[i], had[i], 1, "%s %s: %v of %v", m.now, kind, had, fair)
		}
	}
	m.t.Helper()
	view := m.compareUse()
	require.Equal(m.t, m.model.scans, m.scans)
	for p, queue := range m.model.queues {
		for _, task := range queue {
			require.Equal(m.t, p.reset(m.now), wantPending(m.t, m.team, task.id, watchpost.PendingDailyCap).NotBefore)
		}
	}
	for id, at := range m.model.closed {
		if _, seen := m.done[id]; !seen {
			m.done[id] = at
			v := m.team.Status(m.t, id)
			require.Equal(m.t, watchpost.TaskCompleted, v.State, "%s", v.Output)
			m.near(at, v.CompletedAt, "completed")
		}
	}
	for id, at := range m.model.expired {
		if _, seen := m.done[id]; !seen {
			m.done[id] = at
			v := m.team.Status(m.t, id)
			wantFailure(m.t, v, "expired", true)
			m.near(at, v.CompletedAt, "expired")
		}
	}
	m.compareQuotas(&view)
	m.compareCoverage()
	for i, w := range m.lists {
		last, next := m.model.times(m.owner[i])
		shown := getWatchlist(m.t, m.team, w)
		require.WithinDuration(m.t, last, shown.LastScanAt, monthSlack, w.Name)
		require.WithinDuration(m.t, next, shown.NextScanAt, monthSlack, w.Name)
		require.Zero(m.t, shown.DroppedThisWeek)
	}
}

// compareCoverage compares the scans and posts of the day. No post is dropped.
func (m *month) compareCoverage() {
	m.t.Helper()
	rows, planned := coverageOf(m.t, m.team, m.now), map[int]int{}
	require.Len(m.t, rows, len(m.lists))
	for _, e := range m.model.entries {
		planned[e.owner] += int(24 * time.Hour / e.frequency)
	}
	for i, w := range m.lists {
		of := monthShare{w.Type.ScanTask(), m.owner[i], monthDay(m.now)}
		require.Equal(m.t, teamspace.ScanDay{Planned: planned[m.owner[i]], Done: m.model.had[of]}, rows[w.ID].Scans, "%s %s", m.now, w.Name)
		require.Equal(m.t, teamspace.PostDay{Found: m.brought[of], Kept: m.brought[of]}, rows[w.ID].Posts, "%s %s", m.now, w.Name)
	}
}

// compareQuotas compares the used quotas of the plan. All posts are relevant, and
// each has a different author.
func (m *month) compareQuotas(view *actors.TeamView) {
	m.t.Helper()
	relevant := m.model.relevant(m.now)
	require.Equal(m.t, watchpost.Quotas{
		Watchlists: 20, Members: 2, Profiles: 30, CompaniesPerWatchlist: 24,
		WeeklyPosts: relevant, PotentialLeads: min(100, relevant),
	}, view.Use, "%s", m.now)
	require.Equal(m.t, watchpost.Quotas{
		Watchlists: 100, Members: watchpost.Unlimited, Profiles: 200, CompaniesPerWatchlist: 200,
		WeeklyPosts: 10_000, PotentialLeads: 100, AutoEngagementRules: 10,
	}, view.Limits)
}

// compareEnd compares the engagement of posts with the tasks that caused it.
func (m *month) compareEnd(days int) {
	m.t.Helper()
	done := 0
	for _, id := range m.liked {
		if _, closed := m.model.closed[id]; closed {
			done++
		}
	}
	likes := 0
	for _, w := range m.keywordLists() {
		page, err := m.w.Registry.Interactions(m.w.Context(), m.team.ID, string(w), watchpost.InteractionQuery{Page: 1, PageSize: 10})
		require.NoError(m.t, err)
		likes += page.Summary.Likes
	}
	require.Equal(m.t, done, likes)
	for _, p := range m.team.Posts(m.t) {
		require.GreaterOrEqual(m.t, p.Relevance, float64(watchpost.RelevantFrom))
	}
	if days > 7 { // what takes a week has happened
		require.NotZero(m.t, m.refused)
		require.NotEmpty(m.t, m.model.expired)
	}
}
