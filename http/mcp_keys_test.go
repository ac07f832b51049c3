package httpapi_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/protocol"
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

// TestHintsOfTools: programs ask a person before an action that cannot be taken back, and
// repeat only idempotent actions.
func TestHintsOfTools(t *testing.T) {
	t.Parallel()
	h := build(t)
	list, err := h.model(h.team("Hints", "growth").key, nil).ListTools(context.Background(), nil)
	require.NoError(t, err)
	writing := map[string]string{}
	for _, one := range list.Tools {
		if hints := one.Annotations; !hints.ReadOnlyHint {
			writing[one.Name] = fmt.Sprintf("destructive %t, idempotent %t, network %t", *hints.DestructiveHint, hints.IdempotentHint, *hints.OpenWorldHint)
		}
	}
	require.Equal(t, map[string]string{
		"create_watchlist": "destructive false, idempotent false, network false",
		"change_watchlist": "destructive true, idempotent true, network false",
		"delete_watchlist": "destructive true, idempotent true, network false",
		"cancel_task":      "destructive true, idempotent true, network false",
		"set_rule":         "destructive true, idempotent false, network true",
		"decide_draft":     "destructive true, idempotent true, network true",
		"like_post":        "destructive true, idempotent true, network true",
		"comment_on_post":  "destructive true, idempotent false, network true",
		"send_message":     "destructive true, idempotent false, network true",
		"invite_person":    "destructive true, idempotent true, network true",
	}, writing)
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
	require.ElementsMatch(t, []string{"search_posts", "get_post", "wait_for_posts", "list_leads", "get_trends", "get_forecast", "get_coverage", "list_watchlists", "preview_watchlist", "get_task", "list_tasks", "list_rules", "get_team", "get_journal"}, names(`"read"`))
	require.ElementsMatch(t, []string{"like_post", "comment_on_post", "cancel_task"}, names(`"engage"`))
	require.ElementsMatch(t, []string{"send_message", "invite_person", "cancel_task"}, names(`"contact"`))
	require.ElementsMatch(t, []string{"look_up", "search_people", "cancel_task"}, names(`"tasks"`))
	require.ElementsMatch(t, []string{"set_rule", "decide_draft"}, names(`"rules"`))
	require.ElementsMatch(t, []string{"create_watchlist", "change_watchlist", "delete_watchlist"}, names(`"watchlists"`))
}

// A model finds tasks again, and cancels one that no browser has begun.
func TestModelsListAndCancelTasks(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Listing", "growth")
	p := m.join()
	s := h.model(m.key, nil)
	look := func(slug string) string {
		return data[fields](t, tool(t, s, "look_up", fields{"what": "profile", "of": slug, "wait": 0}))["task_id"].(string)
	}
	first, second := look("jane"), look("john")
	p.hear(protocol.TypeTask)
	list := tool(t, s, "list_tasks", fields{"task_type": "agent_profile_fetch", "page_size": 1})
	require.Equal(t, "2 tasks match; 1 are shown. Next: page 2.", list[0])
	shown := data[[]fields](t, list)[0]
	require.Equal(t, []any{second, "agent_profile_fetch", "pending", "queued"}, []any{shown["task_id"], shown["task_type"], shown["status"], shown["waits_for"]})

	gone := data[fields](t, tool(t, s, "cancel_task", fields{"task_id": second}))
	require.Equal(t, []any{"failed", "cancelled", true}, []any{gone["status"], gone["failure"].(fields)["code"], gone["failure"].(fields)["retry_safe"]})
	said := refusedTool(t, s, "cancel_task", fields{"task_id": first})
	require.Equal(t, "The task is being done", said["error"])
	require.Contains(t, said["next"], "get_task")
	require.Contains(t, refusedTool(t, s, "cancel_task", fields{"task_id": "x"})["next"], "list_tasks")
	failed := data[[]fields](t, tool(t, s, "list_tasks", fields{"status": "failed"}))
	require.Len(t, failed, 1)
	require.Equal(t, []any{second, "cancelled"}, []any{failed[0]["task_id"], failed[0]["error_code"]})
	require.Len(t, data[[]fields](t, tool(t, s, "list_tasks", fields{"status": "pending"})), 1)
	other := h.model(h.team("Strange", "growth").key, nil)
	require.Empty(t, data[[]fields](t, tool(t, other, "list_tasks", nil)))
	require.Contains(t, refusedTool(t, other, "cancel_task", fields{"task_id": first})["next"], "list_tasks")
}
