package watchpost_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/watchpost"
)

// slowDown is not a code: it stands for a network_limit that asks to slow down.
const slowDown = "slow_down"

func fault(code string) watchpost.Outcome {
	if code == slowDown {
		return watchpost.ClassifyError(watchpost.TaskProfileFetch, "network_limit", "scripted", nil).AskedToSlowDown()
	}
	return watchpost.ClassifyError(watchpost.TaskProfileFetch, code, "scripted", nil)
}

func TestBreaker(t *testing.T) {
	t.Parallel()
	start := time.Date(2030, 1, 7, 10, 0, 0, 0, time.UTC)
	type failure struct {
		code string
		task watchpost.TaskID
		at   time.Duration
	}
	const minute = time.Minute
	for name, c := range map[string]struct {
		failures []failure
		open     time.Duration // until; 0: closed
		count    int
	}{
		"two":                     {[]failure{{"timeout", "a", 0}, {"timeout", "b", 0}}, 0, 2},
		"three":                   {[]failure{{"timeout", "a", 0}, {"timeout", "b", 0}, {"timeout", "c", minute}}, 16 * minute, 3},
		"of one task":             {[]failure{{"timeout", "a", 0}, {"timeout", "a", minute}, {"timeout", "a", 2 * minute}}, 0, 1},
		"of another kind":         {[]failure{{"timeout", "a", 0}, {"timeout", "b", 0}, {"odd", "c", 0}}, 0, 1},
		"unexpected answers":      {[]failure{{"odd", "a", 0}, {"odd", "b", 0}, {"odd", "c", 0}}, 15 * minute, 3},
		"under way":               {[]failure{{"odd", "a", 0}, {"odd", "b", 0}, {"odd", "c", 0}, {"odd", "d", minute}}, 15 * minute, 4},
		"a probe fails":           {[]failure{{"odd", "a", 0}, {"odd", "b", 0}, {"odd", "c", 0}, {"odd", "c", 20 * minute}}, 50 * minute, 4},
		"another kind while open": {[]failure{{"odd", "a", 0}, {"odd", "b", 0}, {"odd", "c", 0}, {"timeout", "d", minute}}, 15 * minute, 1},
		"another kind of a probe": {[]failure{{"odd", "a", 0}, {"odd", "b", 0}, {"odd", "c", 0}, {"timeout", "d", 20 * minute}}, 50 * minute, 1},
		"slow down":               {[]failure{{slowDown, "a", 0}}, 2 * minute, 1},
		"slow down, in a row":     {[]failure{{slowDown, "a", 0}, {slowDown, "a", 2 * minute}, {slowDown, "a", 6 * minute}}, 14 * minute, 3},
		"slow down, under way":    {[]failure{{slowDown, "a", 0}, {slowDown, "b", minute}}, 2 * minute, 2},
		"slow down after layouts": {[]failure{{"page_not_understood", "a", 0}, {slowDown, "a", 15 * minute}}, 19 * minute, 1},
		"the layout":              {[]failure{{"page_not_understood", "a", 0}}, 15 * minute, 1},
		"the layout, probed":      {[]failure{{"page_not_understood", "a", 0}, {"page_not_understood", "a", 15 * minute}}, 30 * minute, 2},
		"the layout, in a row":    {[]failure{{"page_not_understood", "a", 0}, {"page_not_understood", "b", minute}}, 16 * minute, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b watchpost.Breaker
			for _, f := range c.failures {
				b = b.Fail(fault(f.code), f.task, start.Add(f.at))
			}
			require.Equal(t, c.count, b.Failures)
			if c.open == 0 {
				require.Zero(t, b.Until)
				return
			}
			require.Equal(t, start.Add(c.open), b.Until)
			require.True(t, b.Open(b.Until.Add(-1)))
			require.False(t, b.Open(b.Until))
		})
	}
}

// TestBreakerAlwaysProbes: whatever fails, a breaker is open for at most
// BreakerLongest, each failed probe opens it again for no less than before, and it
// never opens without a page that was not understood, an answer that asked to slow down,
// or the failures of two tasks.
func TestBreakerAlwaysProbes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var b watchpost.Breaker
		now, last := time.Date(2030, 1, 7, 10, 0, 0, 0, time.UTC), time.Duration(0)
		tasks, code := map[watchpost.TaskID]bool{}, ""
		for range rapid.IntRange(1, 40).Draw(t, "failures") {
			now = now.Add(time.Duration(rapid.IntRange(0, 300).Draw(t, "minutes")) * time.Minute)
			v := fault(rapid.SampledFrom([]string{"timeout", "odd", "page_not_understood", slowDown}).Draw(t, "code"))
			task := watchpost.TaskID(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "task"))
			if v.Failure.Code != code {
				tasks, code, last = map[watchpost.TaskID]bool{}, v.Failure.Code, 0
			}
			tasks[task] = true
			before := b
			b = b.Fail(v, task, now)
			require.Equal(t, code, b.Code)
			require.LessOrEqual(t, b.Until.Sub(now), watchpost.BreakerLongest)
			require.False(t, b.Open(now) && !v.PauseType && !v.SlowDown && len(tasks) < 2 && before.Opened == 0)
			if b.Until != before.Until && b.Opened > 0 {
				delay := b.Until.Sub(now)
				require.GreaterOrEqual(t, delay, last)
				last = delay
			}
		}
	})
}

// TestProbe: what a breaker stopped may be tried at once when a member asks for it; the
// next failure opens it for longer all the same.
func TestProbe(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 7, 10, 0, 0, 0, time.UTC)
	require.Equal(t, watchpost.Breaker{}, watchpost.Breaker{}.Probe(now))
	b := watchpost.Breaker{}.Fail(fault(slowDown), "a", now)
	require.True(t, b.Open(now))
	b = b.Probe(now.Add(time.Second))
	require.False(t, b.Open(now.Add(time.Second)))
	b = b.Fail(fault(slowDown), "b", now.Add(2*time.Second))
	require.Equal(t, now.Add(2*time.Second+4*time.Minute), b.Until)
}

// TestSlowDown: only a network's limit is eased, and nothing else of its outcome.
func TestSlowDown(t *testing.T) {
	t.Parallel()
	no := false
	limit := watchpost.ClassifyError(watchpost.TaskLikePost, "network_limit", "why", &no)
	eased := limit.AskedToSlowDown()
	require.True(t, eased.SlowDown)
	require.False(t, eased.CloseAction)
	eased.SlowDown, eased.CloseAction = false, true
	require.Equal(t, limit, eased)
	for _, other := range []string{"timeout", "page_not_understood", "not_found", "challenge", "odd"} {
		v := watchpost.ClassifyError(watchpost.TaskLikePost, other, "why", &no)
		require.Equal(t, v, v.AskedToSlowDown(), other)
	}
}

// TestSiteFault: the site is to blame for what a session did not expect of it, and not
// for its answer.
func TestSiteFault(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	for code, want := range map[string]bool{
		"timeout": true, "page_not_understood": true, "anything else": true,
		"not_found": false, "not_connected": false, "company_not_managed": false, "invalid_input": false,
		"signed_out": false, "challenge": false, "network_limit": false, "outcome_unknown": false,
	} {
		require.Equal(t, want, watchpost.ClassifyError(watchpost.TaskProfileFetch, code, "", nil).SiteFault, code)
		require.Equal(t, want, watchpost.ClassifyError(watchpost.TaskLikePost, code, "", &no).SiteFault, code)
		require.Equal(t, want, watchpost.ClassifyError(watchpost.TaskLikePost, code, "", &yes).SiteFault, code)
		require.False(t, watchpost.ClassifyError(watchpost.TaskLikePost, code, "", nil).SiteFault, code)
	}
}
