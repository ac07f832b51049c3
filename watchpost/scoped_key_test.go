package watchpost_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/watchpost"
)

// TestTextsOfKeys: the errors list the allowed values.
func TestTextsOfKeys(t *testing.T) {
	t.Parallel()
	listed := func(text string) []string {
		_, names, found := strings.Cut(text, ": use ")
		require.True(t, found)
		return strings.Split(strings.ReplaceAll(names, " or ", ", "), ", ")
	}
	var scopes, actions []string
	for _, s := range watchpost.Scopes() {
		scopes = append(scopes, string(s))
	}
	for _, a := range watchpost.KeyActions() {
		actions = append(actions, string(a))
	}
	require.Equal(t, scopes, listed(watchpost.TextInvalidScopes))
	require.Equal(t, actions, listed(watchpost.TextInvalidLimits))
}

// TestScopeOfTasks: reads, likes and comments, and what reaches people have their scopes.
func TestScopeOfTasks(t *testing.T) {
	t.Parallel()
	scopes := map[watchpost.Scope][]watchpost.TaskType{}
	for _, kind := range watchpost.JournalTypes() {
		scopes[kind.Scope()] = append(scopes[kind.Scope()], kind)
	}
	require.ElementsMatch(t, []watchpost.TaskType{watchpost.TaskLikePost, watchpost.TaskCommentPost}, scopes[watchpost.ScopeEngage])
	require.ElementsMatch(t, []watchpost.TaskType{watchpost.TaskSendMessage, watchpost.TaskConnectionRequest, watchpost.TaskWithdrawal}, scopes[watchpost.ScopeContact])
	require.Len(t, scopes, 3)
}

// keys draws keys with few values, so that one often has what another has.
func keys(r *rapid.T, label string) watchpost.ScopedKey {
	key := watchpost.ScopedKey{Name: "k", DailyLimits: map[watchpost.Action]int{}}
	key.Scopes = rapid.SliceOfNDistinct(rapid.SampledFrom(watchpost.Scopes()), 1, 8, rapid.ID).Draw(r, label+" scopes")
	if rapid.Bool().Draw(r, label+" ends") {
		key.ExpiresAt = time.Unix(int64(rapid.IntRange(1, 5).Draw(r, label+" end")), 0)
	}
	for _, action := range []watchpost.Action{watchpost.ActionLike, watchpost.ActionComment} {
		if limit := rapid.IntRange(-1, 3).Draw(r, label+" limit"); limit >= 0 {
			key.DailyLimits[action] = limit
		}
	}
	for _, text := range rapid.SliceOfN(rapid.SampledFrom([]string{"10.0.0.0/8", "10.1.0.0/16", "10.1.2.3/32", "10.2.0.0/16", "2001:db8::/32", "2001:db8::1/128"}), 0, 3).Draw(r, label+" networks") {
		key.Networks = append(key.Networks, netip.MustParsePrefix(text))
	}
	return key
}

// TestGives: when a key gives another one, then whatever that one may do, at any time, from
// any address, the key itself may do; and a key gives itself.
func TestGives(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		giver, given := keys(r, "giver"), keys(r, "given")
		require.NoError(r, giver.Gives(&giver))
		may := true
		for _, scope := range watchpost.Scopes() {
			may = may && (given.Allows(scope) != nil || giver.Allows(scope) == nil)
		}
		for second := range int64(7) {
			now := time.Unix(second, 0)
			may = may && (given.Expired(now) || !giver.Expired(now))
		}
		for _, addr := range []string{"10.1.2.3", "10.1.2.4", "10.2.0.1", "10.9.9.9", "192.0.2.1", "2001:db8::1", "2001:db8::2", "2001:db9::1"} {
			from := netip.MustParseAddr(addr)
			may = may && (given.AllowsFrom(from) != nil || giver.AllowsFrom(from) == nil)
		}
		for _, action := range []watchpost.Action{watchpost.ActionLike, watchpost.ActionComment} {
			for used := 1; used < 5; used++ {
				costs := map[watchpost.Action]int{action: used}
				_, over := watchpost.KeyCount{}.Add(&giver, costs, time.Unix(0, 0))
				_, theirs := watchpost.KeyCount{}.Add(&given, costs, time.Unix(0, 0))
				may = may && (theirs != nil || over == nil)
			}
		}
		if giver.Gives(&given) == nil {
			require.True(r, may, "%v gives %v", giver, given)
		} else {
			require.False(r, may, "%v does not give %v", giver, given)
		}
	})
}

// TestKeyCount: of any sequence of tasks, over any number of days, each day's units stay
// within the limit, a task is refused only when it would exceed it, and a refused one
// changes nothing.
func TestKeyCount(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		limit := rapid.IntRange(0, 10).Draw(r, "limit")
		key := watchpost.ScopedKey{DailyLimits: map[watchpost.Action]int{watchpost.ActionPeopleScan: limit}}
		now, count, used := time.Date(2030, 1, 7, 23, 0, 0, 0, time.UTC), watchpost.KeyCount{}, map[string]int{}
		for range rapid.IntRange(1, 40).Draw(r, "tasks") {
			now = now.Add(time.Duration(rapid.IntRange(0, 600).Draw(r, "minutes")) * time.Minute)
			units := rapid.IntRange(1, 4).Draw(r, "units")
			day := now.Format(time.DateOnly)
			next, err := count.Add(&key, map[watchpost.Action]int{watchpost.ActionPeopleScan: units, watchpost.ActionLike: 1}, now)
			if used[day]+units > limit {
				require.Equal(r, watchpost.PlanLimit, watchpost.KindOf(err))
				continue
			}
			require.NoError(r, err)
			used[day] += units
			count = next
			require.Equal(r, watchpost.KeyCount{Day: day, Used: map[watchpost.Action]int{watchpost.ActionPeopleScan: used[day]}}, count)
		}
	})
}

// TestSlot: old and new forms of keys are distinguished, and slots are spread evenly.
func TestSlot(t *testing.T) {
	t.Parallel()
	team := watchpost.TeamID("01932f5e-0000-7000-8000-000000000001")
	key := watchpost.NewScopedKey(team)
	require.True(t, watchpost.ValidScopedKey(key))
	require.False(t, watchpost.ValidAPIKey(key))
	require.False(t, watchpost.ValidScopedKey(watchpost.NewAPIKey(team)))
	require.Equal(t, watchpost.Slot(team), key[len("wpk_"):][:3])
	require.Equal(t, watchpost.Slot(team), watchpost.NewAPIKey(team)[len("wp_"):][:3])
	session, web := watchpost.NewSessionToken(team), watchpost.NewWebToken(team)
	require.Regexp(t, "^wps_"+watchpost.Slot(team)+"[0-9A-Za-z]{43}$", session)
	require.Regexp(t, "^wpw_"+watchpost.Slot(team)+"[0-9A-Za-z]{43}$", web)
	require.NotEqual(t, session, watchpost.NewSessionToken(team))
	require.True(t, watchpost.ValidAPIKey("wp_"+strings.Repeat("z", 32)), "of an earlier build")
	slots := map[string]int{}
	for range 40_000 {
		slots[watchpost.Slot(watchpost.TeamID(watchpost.NewID(time.Unix(1, 0))))]++
	}
	require.Greater(t, len(slots), 4000)
	require.LessOrEqual(t, len(slots), 4096)
	var most int
	for slot, n := range slots {
		require.Len(t, slot, 3)
		most = max(most, n)
	}
	require.Less(t, most, 40)
}
