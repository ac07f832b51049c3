package httpapi_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestModelsNeedAKey(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Keyed", "growth")
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	headers := []string{"content-type", "application/json", "accept", "application/json, text/event-stream"}
	h.do("POST", "/mcp", list, headers...).fails(401, "Missing API Key")
	h.do("POST", "/mcp", list, append(headers, "x-api-key", "wp_nope")...).fails(401, "Invalid API Key")
	require.Equal(t, 200, m.call("POST", "/mcp", list, headers...).status)
	m.call("GET", "/mcp", "").fails(405, "Method not allowed")
	m.call("POST", "/mcp", "nope", headers...).fails(400, `malformed payload: unmarshaling jsonrpc message: json: expected 'null' but found invalid token: nope`)
	m.call("POST", "/mcp", list, "content-type", "application/json").fails(400, "Accept must contain both 'application/json' and 'text/event-stream'")
	m.call("POST", "/mcp", strings.Repeat(" ", 1<<20+1), headers...).fails(413, "Request body too large")
}

// A key sees the tools that its scopes allow.
func TestKeysSeeTheirTools(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Scoped", "growth")
	names := func(scopes string) (names []string) {
		key := read[fields](m.call("POST", "/api-keys", `{"name":"agent","scopes":[`+scopes+`]}`), 201)["key"].(string)
		list, err := h.model(key, nil).ListTools(context.Background(), nil)
		require.NoError(t, err)
		for _, one := range list.Tools {
			names = append(names, one.Name)
			if scopes == `"read"` {
				require.True(t, one.Annotations.ReadOnlyHint, one.Name)
			}
		}
		return names
	}
	require.ElementsMatch(t, []string{"search_posts", "get_post", "wait_for_posts", "list_leads", "list_watchlists", "get_task", "list_tasks", "list_rules", "get_team", "get_journal"}, names(`"read"`))
	require.ElementsMatch(t, []string{"like_post", "comment_on_post", "cancel_task"}, names(`"engage"`))
	require.ElementsMatch(t, []string{"send_message", "invite_person", "cancel_task"}, names(`"contact"`))
	require.ElementsMatch(t, []string{"look_up", "search_people", "cancel_task"}, names(`"tasks"`))
	require.ElementsMatch(t, []string{"set_rule", "decide_draft"}, names(`"rules"`))
	require.ElementsMatch(t, []string{"create_watchlist", "change_watchlist", "delete_watchlist"}, names(`"watchlists"`))
}
