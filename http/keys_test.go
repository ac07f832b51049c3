package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	httpapi "watchpost/http"
	"watchpost/internal/testclock"
	"watchpost/watchpost"
)

const keysPath = "/api-keys"

// scopedKey makes a key of the team; body is the rest of its fields.
func (m team) scopedKey(scopes string, body ...string) (key, id string) {
	m.t.Helper()
	rest := strings.Join(append([]string{""}, body...), ",")
	made := read[fields](m.call("POST", keysPath, `{"name":"Agent","scopes":["`+strings.ReplaceAll(scopes, ",", `","`)+`"]`+rest+`}`), 201)
	return made["key"].(string), made["id"].(string)
}

// with sends a request with another key of the team, as a bearer token.
func (m team) with(key, method, path, body string, headers ...string) reply {
	m.t.Helper()
	return m.do(method, path, body, append([]string{"Authorization", "Bearer " + key}, headers...)...)
}

func needs(scope watchpost.Scope) string {
	if scope == scopeOfTask {
		return "This key may not do this: it needs the scope 'tasks', 'engage' or 'contact'"
	}
	return "This key may not do this: it needs the scope '" + string(scope) + "'"
}

// scopeOfTask stands for that of the task which a request names.
const scopeOfTask watchpost.Scope = "of the task"

// scopeOf is the scope that each operation needs, by its id. It repeats what the routes
// say, so that a change of either is seen.
var scopeOf = map[string]watchpost.Scope{
	"getPosts": watchpost.ScopeRead, "getLeads": watchpost.ScopeRead, "getForecast": watchpost.ScopeRead, "getTrends": watchpost.ScopeRead, "getCoverage": watchpost.ScopeRead, "getTeam": watchpost.ScopeRead, "getJournal": watchpost.ScopeRead, "getTaskStatus": watchpost.ScopeRead,
	"getInteractions": watchpost.ScopeRead, "queryInteractions": watchpost.ScopeRead,
	"getKeywordWatchlist": watchpost.ScopeRead, "getForumWatchlist": watchpost.ScopeRead, "getPeopleWatchlist": watchpost.ScopeRead, "getCompanyWatchlist": watchpost.ScopeRead,
	"getEngagementRules": watchpost.ScopeRead, "getEngagementActions": watchpost.ScopeRead, "previewKeywordWatchlist": watchpost.ScopeRead,

	"getTasks": watchpost.ScopeRead, "cancelTask": scopeOfTask, "getChanges": watchpost.ScopeRead, "exportPosts": watchpost.ScopeRead, "exportLeads": watchpost.ScopeRead, "exportInteractions": watchpost.ScopeRead,

	"createKeywordWatchlist": watchpost.ScopeWatchlists, "updateKeywordWatchlist": watchpost.ScopeWatchlists, "deleteKeywordWatchlist": watchpost.ScopeWatchlists,
	"createForumWatchlist": watchpost.ScopeWatchlists, "updateForumWatchlist": watchpost.ScopeWatchlists, "deleteForumWatchlist": watchpost.ScopeWatchlists,
	"createPeopleWatchlist": watchpost.ScopeWatchlists, "updatePeopleWatchlist": watchpost.ScopeWatchlists, "deletePeopleWatchlist": watchpost.ScopeWatchlists,
	"createCompanyWatchlist": watchpost.ScopeWatchlists, "updateCompanyWatchlist": watchpost.ScopeWatchlists, "deleteCompanyWatchlist": watchpost.ScopeWatchlists,
	"createKeywordWatchlistFromPrompt": watchpost.ScopeWatchlists, "updateKeywordWatchlistFromPrompt": watchpost.ScopeWatchlists,
	"createForumWatchlistFromPrompt": watchpost.ScopeWatchlists, "updateForumWatchlistFromPrompt": watchpost.ScopeWatchlists,
	"bookmarkPost": watchpost.ScopeWatchlists,

	"fetchProfile": watchpost.ScopeTasks, "fetchCompany": watchpost.ScopeTasks, "fetchProfilesPosts": watchpost.ScopeTasks, "fetchCompanyPosts": watchpost.ScopeTasks,
	"searchProfiles": watchpost.ScopeTasks, "fetchConnections": watchpost.ScopeTasks,

	"createLike": watchpost.ScopeEngage, "createComment": watchpost.ScopeEngage, "likePost": watchpost.ScopeEngage, "commentPost": watchpost.ScopeEngage,

	"sendMessage": watchpost.ScopeContact, "sendConnectionRequest": watchpost.ScopeContact, "withdrawConnectionRequest": watchpost.ScopeContact,

	"createEngagementRule": watchpost.ScopeRules, "tryEngagementRule": watchpost.ScopeRules, "updateEngagementRule": watchpost.ScopeRules, "deleteEngagementRule": watchpost.ScopeRules,
	"decideEngagementAction": watchpost.ScopeRules,

	"createNotificationTarget": watchpost.ScopeNotifications, "getNotificationTargets": watchpost.ScopeNotifications, "updateNotificationTarget": watchpost.ScopeNotifications,
	"deleteNotificationTarget": watchpost.ScopeNotifications, "getNotificationDeliveries": watchpost.ScopeNotifications, "sendNotification": watchpost.ScopeNotifications,

	"createAPIKey": watchpost.ScopeKeys, "getAPIKeys": watchpost.ScopeKeys, "updateAPIKey": watchpost.ScopeKeys, "deleteAPIKey": watchpost.ScopeKeys,
}

// TestScopeOfEveryRoute calls each operation that takes a key with a key of each scope: it
// is refused unless the key has the scope of the operation. The team's key passes
// everywhere.
func TestScopeOfEveryRoute(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Scopes", "growth")
	for _, scope := range watchpost.Scopes() {
		key, _ := m.scopedKey(string(scope))
		called := map[string]bool{}
		for path, item := range document(t).Paths.Map() {
			for method, o := range item.Operations() {
				if !slices.ContainsFunc(*o.Security, func(r openapi3.SecurityRequirement) bool { return r["ApiKeyAuth"] != nil }) {
					continue
				}
				needed, known := scopeOf[o.OperationID]
				require.True(t, known, "the scope of %s (%s %s) is missing in scopeOf", o.OperationID, method, path)
				called[o.OperationID] = true
				name := fmt.Sprintf("%s with the scope %s", o.OperationID, scope)
				r := m.with(key, method, path, "")
				if needed == scope || needed == scopeOfTask && slices.Contains(watchpost.TaskScopes(), scope) {
					require.NotContains(t, r.raw, "needs the scope", name)
					require.NotEqual(t, http.StatusUnauthorized, r.status, name)
				} else {
					require.Equal(t, `{"error":"`+needs(needed)+`"}`, r.raw, name)
					require.Equal(t, http.StatusForbidden, r.status, name)
				}
				require.NotContains(t, m.call(method, path, "").raw, "needs the scope", o.OperationID)
			}
		}
		require.Len(t, called, len(scopeOf), "scopeOf names operations that do not exist")
	}
}

func TestScopedKeys(t *testing.T) {
	t.Parallel()
	h := build(t)
	m, other := h.team("Holders", "growth"), h.team("Strangers", "growth")
	raw := m.call("POST", keysPath, `{"name":" Weekly  report ","scopes":["tasks","read","read"],"expires_at":"2999-01-01T01:00:00+01:00",
		"daily_limits":{"profile_fetch":20},"networks":["10.1.2.3/8","127.0.0.1","2001:db8::1/32"]}`)
	made := read[fields](raw, 201)
	keepsToTheDocument(t, "POST", keysPath, raw)
	key, id := made["key"].(string), made["id"].(string)
	require.Regexp(t, `^wpk_[0-9A-Za-z]{35}$`, key)
	require.Equal(t, "Weekly report", made["name"])
	require.Equal(t, []any{"read", "tasks"}, made["scopes"])
	require.Equal(t, "2999-01-01T00:00:00.000Z", made["expires_at"])
	require.Equal(t, fields{"profile_fetch": 20.0}, made["daily_limits"])
	require.Equal(t, fields{"profile_fetch": 0.0}, made["used_today"])
	require.Equal(t, []any{"10.0.0.0/8", "127.0.0.1/32", "2001:db8::/32"}, made["networks"])
	require.Equal(t, true, made["created"])
	require.Nil(t, made["created_by_key"])

	// It is never shown again, and used in either header.
	list := m.call("GET", keysPath, "")
	keepsToTheDocument(t, "GET", keysPath, list)
	require.NotContains(t, list.raw, key)
	require.Equal(t, 1.0, read[fields](list, 200)["count"])
	m.do("GET", "/api-team", "", "x-api-key", key).isStatus(t, 200)
	m.with(key, "GET", "/api-team", "").isStatus(t, 200)
	m.do("GET", "/api-team", "", "Authorization", "Bearer "+m.key).isStatus(t, 200)
	m.do("GET", "/api-team", "", "Authorization", "Basic "+key).fails(401, "Missing API Key")
	m.with(key+"x", "GET", "/api-team", "").fails(401, badKey)
	m.do("GET", "/api-team", "", "x-api-key", "nonsense", "Authorization", "Bearer "+key).fails(401, badKey)
	m.with(key, "POST", watchlists, `{"keywords":["go"]}`).fails(403, needs(watchpost.ScopeWatchlists))
	m.with(key, "GET", "/network-agent/get-task-status", "").fails(403, watchpost.TextExtensionRequired)
	require.Eventually(t, func() bool {
		one := read[fields](m.call("GET", keysPath, ""), 200)["keys"].([]any)[0].(fields)
		return one["last_used_at"] != nil && one["last_used_from"] == "127.0.0.1"
	}, 10*time.Second, time.Millisecond)

	// Another team knows nothing of it.
	require.Equal(t, 0.0, read[fields](other.call("GET", keysPath, ""), 200)["count"])
	other.call("PUT", keysPath, `{"id":"`+id+`","name":"x"}`).fails(404, "Key not found")
	other.call("DELETE", keysPath+"?id="+id, "").fails(404, "Key not found")

	// A change counts at once.
	raw = m.call("PUT", keysPath, `{"id":"`+id+`","scopes":["watchlists"],"expires_at":null,"daily_limits":{},"networks":[]}`)
	changed := read[fields](raw, 200)
	keepsToTheDocument(t, "PUT", keysPath, raw)
	require.Equal(t, []any{true, nil, fields{}, []any{}, "Weekly report"}, []any{changed["updated"], changed["expires_at"], changed["daily_limits"], changed["networks"], changed["name"]})
	m.with(key, "GET", "/api-team", "").fails(403, needs(watchpost.ScopeRead))
	read[fields](m.with(key, "POST", watchlists, `{"keywords":["go"]}`), 200)

	raw = m.call("DELETE", keysPath, `{"id":"`+id+`"}`)
	require.Equal(t, fields{"id": id, "deleted": true, "message": "Key deleted successfully"}, read[fields](raw, 200))
	keepsToTheDocument(t, "DELETE", keysPath, raw)
	m.with(key, "GET", "/api-team", "").fails(401, badKey)
	m.call("DELETE", keysPath+"?id="+id, "").fails(404, "Key not found")
	m.call("PUT", keysPath, `{"id":"`+id+`"}`).fails(404, "Key not found")
	require.NotContains(t, h.log.String(), key)
}

// isStatus checks the status of a reply that is not refused for its key.
func (r reply) isStatus(t *testing.T, status int) {
	t.Helper()
	require.Equal(t, status, r.status, r.raw)
}

func TestInvalidKeys(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Refused", "growth")
	const scopes, limits = "Invalid 'scopes': use read, watchlists, tasks, engage, contact, rules, notifications or keys",
		"Invalid 'daily_limits': use people_scan, company_scan, profile_fetch, company_fetch, profile_search, message, like, comment or invitation"
	many := strings.TrimSuffix(strings.Repeat(`"10.0.0.0/8",`, watchpost.MaxKeyNetworks+1), ",")
	_, id := m.scopedKey("read")
	for body, text := range map[string]string{
		`"name":" "`: "Invalid 'name'",
		`"name":7`:   "Invalid 'name'",
		`"name":"` + strings.Repeat("é", 121) + `"`: "Invalid 'name'",
		`"scopes":[]`:                         scopes,
		`"scopes":["read","admin"]`:           scopes,
		`"scopes":"read"`:                     "Invalid 'scopes'",
		`"expires_at":"tomorrow"`:             "Invalid 'expires_at'",
		`"expires_at":"2020-01-01T00:00:00Z"`: "Invalid 'expires_at': it is not in the future",
		`"daily_limits":{"like":-1}`:          limits,
		`"daily_limits":{"like":100001}`:      limits,
		`"daily_limits":{"keyword_scan":1}`:   limits,
		`"daily_limits":{"like":1.5}`:         "Invalid 'daily_limits'",
		`"networks":["10.0.0.0/33"]`:          "Invalid 'networks'",
		`"networks":["::ffff:10.0.0.0/104"]`:  "Invalid 'networks'",
		`"networks":["example.com"]`:          "Invalid 'networks'",
		`"networks":[` + many + `]`:           "Invalid 'networks': at most 20",
	} {
		m.call("PUT", keysPath, `{"id":"`+id+`",`+body+`}`).fails(400, text)
		full := `{` + body
		for name, field := range map[string]string{"name": `,"name":"x"`, "scopes": `,"scopes":["read"]`} {
			if !strings.HasPrefix(body, `"`+name) {
				full += field
			}
		}
		m.call("POST", keysPath, full+`}`).fails(400, text)
	}
	m.call("POST", keysPath, `{"scopes":["read"]}`).fails(400, "Invalid 'name'")
	m.call("POST", keysPath, `{"name":"x"}`).fails(400, scopes)
	m.call("PUT", keysPath, `{"name":"x"}`).fails(400, "Missing required parameter: id")
	for range watchpost.MaxScopedKeys - 1 {
		m.scopedKey("read")
	}
	m.call("POST", keysPath, `{"name":"x","scopes":["read"]}`).fails(409, "At most 50 keys")
	require.Equal(t, 50.0, read[fields](m.call("GET", keysPath, ""), 200)["count"])
}

// TestKeysGiveNoMoreThanTheyHave: a key with the scope keys makes and changes only keys that
// may do no more than it.
func TestKeysGiveNoMoreThanTheyHave(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Givers", "growth")
	maker, _ := m.scopedKey("keys,engage", `"expires_at":"2998-01-01T00:00:00Z","daily_limits":{"like":10},"networks":["127.0.0.0/8","10.0.0.0/8"]`)
	_, wider := m.scopedKey("read")
	const within = `"expires_at":"2997-01-01T00:00:00Z","daily_limits":{"like":10,"comment":3},"networks":["127.1.0.0/16"]`
	for body, text := range map[string]string{
		`"scopes":["engage","contact"],` + within:                                                                       needs(watchpost.ScopeContact),
		`"scopes":["engage"],"daily_limits":{"like":10},"networks":["127.0.0.0/8"]`:                                     "Invalid 'expires_at': a key cannot give more than it has",
		`"scopes":["engage"],"expires_at":"2998-01-01T00:00:01Z","daily_limits":{"like":10},"networks":["127.0.0.0/8"]`: "Invalid 'expires_at': a key cannot give more than it has",
		`"scopes":["engage"],"expires_at":"2998-01-01T00:00:00Z","networks":["127.0.0.0/8"]`:                            "Invalid 'daily_limits': a key cannot give more than it has",
		`"scopes":["engage"],"expires_at":"2998-01-01T00:00:00Z","daily_limits":{"like":11},"networks":["127.0.0.0/8"]`: "Invalid 'daily_limits': a key cannot give more than it has",
		`"scopes":["engage"],"expires_at":"2998-01-01T00:00:00Z","daily_limits":{"like":10}`:                            "Invalid 'networks': a key cannot give more than it has",
		`"scopes":["engage"],"expires_at":"2998-01-01T00:00:00Z","daily_limits":{"like":10},"networks":["126.0.0.0/7"]`: "Invalid 'networks': a key cannot give more than it has",
	} {
		status := 400
		if text == needs(watchpost.ScopeContact) {
			status = 403
		}
		m.with(maker, "POST", keysPath, `{"name":"x",`+body+`}`).fails(status, text)
	}
	made := read[fields](m.with(maker, "POST", keysPath, `{"name":"child","scopes":["engage"],`+within+`}`), 201)
	child := made["id"].(string)
	require.NotNil(t, made["created_by_key"])
	m.with(maker, "PUT", keysPath, `{"id":"`+child+`","scopes":["engage","read"]}`).fails(403, needs(watchpost.ScopeRead))
	m.with(maker, "PUT", keysPath, `{"id":"`+wider+`","name":"mine"}`).fails(403, needs(watchpost.ScopeRead))
	read[fields](m.with(maker, "PUT", keysPath, `{"id":"`+child+`","name":"renamed"}`), 200)
	read[fields](m.call("PUT", keysPath, `{"id":"`+child+`","scopes":["engage","read"]}`), 200)
	read[fields](m.with(maker, "DELETE", keysPath+"?id="+wider, ""), 200)
}

// TestCreateKeyOnce: a repeated request makes one key, which is not shown again, as it is
// not stored.
func TestCreateKeyOnce(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Once", "growth")
	const body = `{"name":"x","scopes":["read"]}`
	first := read[fields](m.call("POST", keysPath, body, "Idempotency-Key", "k"), 201)
	again := m.call("POST", keysPath, body, "Idempotency-Key", "k")
	require.Equal(t, "true", again.header.Get("Idempotent-Replayed"))
	second := read[fields](again, 201)
	require.NotNil(t, first["key"])
	require.Nil(t, second["key"])
	delete(first, "key")
	delete(second, "key")
	require.Equal(t, first, second)
	require.Equal(t, 1.0, read[fields](m.call("GET", keysPath, ""), 200)["count"])
	m.call("POST", keysPath, `{"name":"y","scopes":["read"]}`, "Idempotency-Key", "k").fails(409, "Idempotency-Key was used with a different request")
}

// TestKeyExpires refuses a key from its end on, as one that is not known.
func TestKeyExpires(t *testing.T) {
	t.Parallel()
	clock := testclock.New(0, nil, nil)
	t.Cleanup(clock.Close)
	h := build(t, func(o *httpapi.Options) { o.Clock, o.TestClock = clock, clock })
	m := h.team("Expiring", "growth")
	ends := clock.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	key, id := m.scopedKey("read", `"expires_at":"`+ends+`"`)
	require.Equal(t, 200, m.with(key, "GET", "/api-team", "").status)
	require.NoError(t, clock.Advance(time.Hour))
	m.with(key, "GET", "/api-team", "").fails(401, badKey)
	read[fields](m.call("PUT", keysPath, `{"id":"`+id+`","name":"has expired"}`), 200)
	m.with(key, "GET", "/api-team", "").fails(401, badKey)
	read[fields](m.call("PUT", keysPath, `{"id":"`+id+`","expires_at":null}`), 200)
	require.Equal(t, 200, m.with(key, "GET", "/api-team", "").status)
}

// TestJournalNamesTheKey: the journal has the key of each action, also after it was
// deleted, and the audit who made, changed and deleted it.
func TestJournalNamesTheKey(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Named", "growth")
	m.join()
	key, id := m.scopedKey("tasks,keys,read")
	read[fields](m.with(key, "POST", "/network-agent/fetch-profile", `{"profile_slug":"x"}`), 200)
	read[fields](m.call("POST", "/network-agent/fetch-profile", `{"profile_slug":"y"}`), 200)
	read[fields](m.with(key, "PUT", keysPath, `{"id":"`+id+`","name":"Renamed"}`), 200)
	read[fields](m.call("DELETE", keysPath+"?id="+id, ""), 200)
	for query, names := range map[string][]any{"": {"", "Agent"}, "?key_id=" + id: {"Agent"}, "?asked_by=key": {"", "Agent"}, "?key_id=x": nil} {
		raw := m.call("GET", "/api-journal"+query, "")
		keepsToTheDocument(t, "GET", "/api-journal", raw)
		var found []any
		for _, e := range read[fields](raw, 200)["entries"].([]any) {
			e := e.(fields)
			require.Equal(t, "key", e["asked_by"])
			if found = append(found, e["asked_by_name"]); e["asked_by_name"] != "" {
				require.Equal(t, id, e["asked_by_id"])
			}
		}
		require.ElementsMatch(t, names, found, query) // two actions of one millisecond have no order
	}
	var audited []any
	for _, e := range read[fields](m.admin("GET", "/admin/teams/"+m.id+"/audit", ""), 200)["entries"].([]any) {
		if e := e.(fields); strings.HasPrefix(e["event"].(string), "scoped_key") {
			require.Equal(t, "key", e["by"])
			audited = append(audited, []any{e["event"], e["subject"], e["key_name"]})
		}
	}
	require.Equal(t, []any{
		[]any{"scoped_key_deleted", "Renamed", ""}, []any{"scoped_key_changed", "Renamed", "Agent"}, []any{"scoped_key_made", "Agent", ""},
	}, audited)
}
