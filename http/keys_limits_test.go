package httpapi_test

import (
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	httpapi "watchpost/http"
	"watchpost/internal/testclock"
	"watchpost/watchpost"
)

// TestDailyLimitsOfKeys: of parallel calls exactly as many are taken as the limit says, and
// again after midnight UTC. What the makers of a key are limited in counts for them.
func TestDailyLimitsOfKeys(t *testing.T) {
	t.Parallel()
	clock := testclock.New(0, nil, nil)
	t.Cleanup(clock.Close)
	h := build(t, func(o *httpapi.Options) { o.Clock, o.TestClock = clock, clock })
	m := h.team("Limited", "growth")
	m.join()
	maker, _ := m.scopedKey("keys,tasks", `"daily_limits":{"profile_fetch":17,"people_scan":3}`)
	key := read[fields](m.with(maker, "POST", keysPath, `{"name":"x","scopes":["tasks"],"daily_limits":{"profile_fetch":13,"people_scan":3,"company_scan":1}}`), 201)["key"].(string)
	const fetch, full = "/network-agent/fetch-profile", "Daily limit of this key reached: 13 of 'profile_fetch'. It resets at 00:00 UTC."
	storm := func(key string) (taken int) {
		replies := make([]reply, 100)
		var calls sync.WaitGroup
		for i := range replies {
			calls.Go(func() { replies[i] = m.with(key, "POST", fetch, fmt.Sprintf(`{"profile_slug":"p%d"}`, i)) })
		}
		calls.Wait()
		for _, r := range replies {
			switch r.status {
			case 200:
				taken++
			default:
				require.Equal(t, 402, r.status, r.raw)
				require.Contains(t, r.raw, "Daily limit of this key reached")
			}
		}
		return taken
	}
	require.Equal(t, 13, storm(key))
	m.with(key, "POST", fetch, `{"profile_slug":"x"}`).fails(402, full)
	require.Equal(t, 4, storm(maker), "13 of 17 are those of the key that it made")
	read[fields](m.call("POST", fetch, `{"profile_slug":"x"}`), 200)

	// Each author is a unit; a request counts whole or not at all.
	const posts = "/network-agent/fetch-profiles-posts"
	m.with(key, "POST", posts, `{"profile_urns":["1","2","3","4"]}`).fails(402, "Daily limit of this key reached: 3 of 'people_scan'. It resets at 00:00 UTC.")
	m.with(key, "POST", posts, `{"profile_urns":["1","2","urn:network:company:7","urn:network:company:8"]}`).fails(402, "Daily limit of this key reached: 1 of 'company_scan'. It resets at 00:00 UTC.")
	read[fields](m.with(key, "POST", posts, `{"profile_urns":["1","2","urn:network:company:7"]}`), 200)
	used := func() any {
		all := read[fields](m.call("GET", keysPath, ""), 200)["keys"].([]any) // ids of one millisecond have no order
		at := slices.IndexFunc(all, func(k any) bool { return k.(fields)["name"] == "x" })
		return all[at].(fields)["used_today"]
	}
	require.Equal(t, fields{"profile_fetch": 13.0, "people_scan": 2.0, "company_scan": 1.0}, used())

	midnight := watchpost.Daily.Reset(clock.Now())
	require.NoError(t, clock.Set(midnight))
	require.Equal(t, fields{"profile_fetch": 0.0, "people_scan": 0.0, "company_scan": 0.0}, used())
	require.Equal(t, 13, storm(key))
}

// TestDailyLimitsOverMidnight: a day ends for all keys at once while calls are under way.
// Each call counts on one day, for its key and for the key that made it.
func TestDailyLimitsOverMidnight(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]int64{"limit not reached": 5, "limit reached": 150} { // replies before midnight
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := testclock.New(0, nil, nil)
			t.Cleanup(clock.Close)
			h := build(t, func(o *httpapi.Options) { o.Clock, o.TestClock = clock, clock })
			midnight := watchpost.Daily.Reset(clock.Now())
			require.NoError(t, clock.Set(midnight.Add(-10*time.Minute)))
			m := h.team("Midnight", "growth")
			m.join()
			const limitOfMaker, limit, calls = 17, 13, 200
			maker, makerID := m.scopedKey("keys,tasks", fmt.Sprintf(`"daily_limits":{"profile_fetch":%d}`, limitOfMaker))
			made := read[fields](m.with(maker, "POST", keysPath, fmt.Sprintf(`{"name":"x","scopes":["tasks"],"daily_limits":{"profile_fetch":%d}}`, limit)), 201)
			key, keyID := made["key"].(string), made["id"].(string)

			var byMaker, byKey, replies atomic.Int64
			var under sync.WaitGroup
			for i := range calls {
				under.Go(func() {
					of, taken := maker, &byMaker
					if i%2 == 0 {
						of, taken = key, &byKey
					}
					if m.fetches(of, i) {
						taken.Add(1)
					}
					if replies.Add(1) == before {
						require.NoError(t, clock.Set(midnight))
					}
				})
			}
			under.Wait()
			today, todayOfBoth := m.usedToday(keyID), m.usedToday(makerID)
			require.LessOrEqual(t, today, limit)
			require.LessOrEqual(t, todayOfBoth, limitOfMaker)
			yesterday, yesterdayOfBoth := int(byKey.Load())-today, int(byKey.Load()+byMaker.Load())-todayOfBoth
			require.LessOrEqual(t, yesterday, limit)
			require.LessOrEqual(t, yesterdayOfBoth, limitOfMaker)
			require.GreaterOrEqual(t, yesterdayOfBoth, min(limitOfMaker, int(before)), "each reply before midnight was of that day")

			// The rest of today is what those calls have left.
			want := min(limit, today+limitOfMaker-todayOfBoth)
			for i := range 2 * calls {
				m.fetches([]string{key, maker}[i/calls], i)
			}
			require.Equal(t, []int{want, limitOfMaker}, []int{m.usedToday(keyID), m.usedToday(makerID)})
		})
	}
}

// fetches reports whether the key may have a profile fetched, within its daily limit.
func (m team) fetches(key string, i int) bool {
	m.t.Helper()
	r := m.with(key, "POST", "/network-agent/fetch-profile", fmt.Sprintf(`{"profile_slug":"p%d"}`, i))
	if r.status != 200 {
		require.Equal(m.t, 402, r.status, r.raw)
		require.Contains(m.t, r.raw, "Daily limit of this key reached")
	}
	return r.status == 200
}

// usedToday returns how many profiles a key has had fetched today.
func (m team) usedToday(id string) int {
	m.t.Helper()
	all := read[fields](m.call("GET", keysPath, ""), 200)["keys"].([]any)
	at := slices.IndexFunc(all, func(k any) bool { return k.(fields)["id"] == id })
	return int(all[at].(fields)["used_today"].(fields)["profile_fetch"].(float64))
}

// TestRepeatedTasksAreNotCounted: the answer to a repetition, and the first task of a like
// that was asked for before, need nothing of a limit.
func TestRepeatedTasksAreNotCounted(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Repeating", "growth")
	m.join()
	key, _ := m.scopedKey("engage,contact", `"daily_limits":{"like":1,"message":0}`)
	const like = "/network-agent/like-post"
	for range 3 {
		read[fields](m.with(key, "POST", like, `{"social_urn":"urn:network:activity:7"}`, "Idempotency-Key", "a"), 200)
		read[fields](m.with(key, "POST", like, `{"social_urn":"urn:network:activity:7"}`), 200)
	}
	m.with(key, "POST", like, `{"social_urn":"urn:network:activity:8"}`).fails(402, "Daily limit of this key reached: 1 of 'like'. It resets at 00:00 UTC.")
	m.with(key, "POST", "/network-agent/send-message", `{"recipient_urn":"1","message":"x"}`).fails(402, "Daily limit of this key reached: 0 of 'message'. It resets at 00:00 UTC.")
}

// TestNetworksOfKeys: the address of the client counts, and only a trusted proxy can name
// it.
func TestNetworksOfKeys(t *testing.T) {
	t.Parallel()
	for _, trusted := range []bool{true, false} {
		h := build(t, func(o *httpapi.Options) {
			if trusted {
				o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
			}
		})
		m := h.team("Networked", "growth")
		key, _ := m.scopedKey("read", `"networks":["203.0.113.0/24","2001:db8::/32"]`)
		for address, allowed := range map[string]bool{
			"203.0.113.9": true, "203.0.114.9": false, "2001:db8:1::7": true, "2001:db9::7": false, "::ffff:203.0.113.9": true,
			"unknown": false, "198.51.100.1, 203.0.113.9": true, "203.0.113.9, 198.51.100.1": false, "": false,
		} {
			var headers []string
			if address != "" {
				headers = []string{"X-Forwarded-For", address}
			}
			r := m.with(key, "GET", "/api-team", "", headers...)
			if allowed && trusted {
				require.Equal(t, 200, r.status, address)
			} else {
				r.fails(403, "This key may not be used from this address")
			}
		}
	}
}
