package httpapi_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"watchpost/internal/protocol"
)

// withKey sends a key with each request.
type withKey struct {
	key  string
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (k withKey) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+k.key)
	return k.next.RoundTrip(r)
}

// model connects the SDK's client to POST /mcp with a key.
func (h *testServer) model(key string, o *sdk.ClientOptions) *sdk.ClientSession {
	h.t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, o)
	session, err := client.Connect(context.Background(), &sdk.StreamableClientTransport{
		Endpoint: h.url + "/mcp", HTTPClient: &http.Client{Transport: withKey{key, h.client.Transport}}, DisableStandaloneSSE: true,
	}, nil)
	require.NoError(h.t, err)
	h.t.Cleanup(func() { _ = session.Close() })
	return session
}

// tool calls a tool and returns the texts of its result.
func tool(t testing.TB, s *sdk.ClientSession, name string, args fields) []string {
	t.Helper()
	done, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: name, Arguments: args})
	require.NoError(t, err)
	require.False(t, done.IsError, "%s: %v", name, texts(done))
	return texts(done)
}

// refusedTool calls a tool that fails, and returns its message.
func refusedTool(t testing.TB, s *sdk.ClientSession, name string, args fields) fields {
	t.Helper()
	done, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: name, Arguments: args})
	require.NoError(t, err)
	require.True(t, done.IsError, "%s: %v", name, texts(done))
	var said fields
	require.NoError(t, json.Unmarshal([]byte(texts(done)[0]), &said))
	require.NotEmpty(t, said["error"])
	require.NotEmpty(t, said["next"], "an error says what to do")
	return said
}

func texts(r *sdk.CallToolResult) (list []string) {
	for _, c := range r.Content {
		list = append(list, c.(*sdk.TextContent).Text)
	}
	return list
}

// data is the data of a result, which is its last text.
func data[T any](t testing.TB, result []string) T {
	t.Helper()
	var v T
	require.NoError(t, json.Unmarshal([]byte(result[len(result)-1]), &v), result)
	return v
}

// A whole job by tools: follow a subject, wait for posts, read one, like it, see it in the
// journal.
func TestModelsDoAWholeJob(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Modelled", "growth")
	s := h.model(m.key, nil)

	made := data[fields](t, tool(t, s, "create_watchlist", fields{"type": "keyword", "keywords": []any{
		fields{"keyword": "telemetry", "any_of": []any{"open", "closed"}, "none_of": []any{"crypto"}},
	}}))
	id := made["id"].(string)
	entry := read[fields](m.call("GET", watchlists+"?id="+id, ""), 200)["keyword_tracking"].([]any)[0].(fields)
	require.Equal(t, []any{[]any{"open", "closed"}, false, []any{"crypto"}}, []any{entry["required_keywords"], entry["include_all_required"], entry["exclude_keywords"]})
	tool(t, s, "change_watchlist", fields{"id": id, "type": "keyword", "keywords": []any{fields{"keyword": "telemetry", "all_of": []any{"open", "closed"}}}})
	entry = read[fields](m.call("GET", watchlists+"?id="+id, ""), 200)["keyword_tracking"].([]any)[0].(fields)
	require.Equal(t, true, entry["include_all_required"])

	p := m.join()
	waited := make(chan []string)
	go func() { waited <- tool(t, s, "wait_for_posts", fields{"watchlist_id": id}) }()
	m.scanned(p, sample(1, "open and closed telemetry"), sample(2, "open telemetry"))
	result := <-waited
	require.Contains(t, result[0], "1 posts")
	post := data[[]fields](t, result)[0]
	found := data[[]fields](t, tool(t, s, "search_posts", fields{"search_term": "telemetry", "watchlist_id": []any{id}, "sort_by": "relevance_first"}))
	require.Equal(t, post["id"], found[0]["id"])
	for _, name := range []any{post["id"], post["content_of_others"].(fields)["post_url"]} {
		require.Equal(t, post["id"], data[fields](t, tool(t, s, "get_post", fields{"post": name}))["id"])
	}
	lead := data[[]fields](t, tool(t, s, "list_leads", fields{"contacted": false, "watchlist_id": id}))[0]
	require.Equal(t, []any{post["id"], 1.0, "person"}, []any{lead["last_post_id"], lead["posts"], lead["kind"]})

	liked := make(chan []string)
	go func() {
		liked <- tool(t, s, "like_post", fields{"post_id": post["id"], "user_email": m.email})
	}()
	m.work(p, "agent_like_post", `{"liked":true}`)
	require.Equal(t, "completed", data[fields](t, <-liked)["status"])
	entries := data[[]fields](t, tool(t, s, "get_journal", fields{"status": "completed"}))
	require.NotEmpty(t, entries[0]["task_id"])
	require.Equal(t, []any{"agent_like_post", "key", m.email}, []any{entries[0]["task_type"], entries[0]["asked_by"], entries[0]["user_email"]})
	shown := data[fields](t, tool(t, s, "get_team", nil))
	require.Equal(t, "49 of 50", shown["members"].([]any)[0].(fields)["left_today"].(fields)["like"])
	require.Len(t, data[[]fields](t, tool(t, s, "list_watchlists", nil)), 1)
	tool(t, s, "delete_watchlist", fields{"id": id, "type": "keyword"})
	require.Empty(t, data[[]fields](t, tool(t, s, "list_watchlists", nil)))
}

// A model says what a watchlist is for, and has it scanned before its time.
func TestModelsChangeAWatchlist(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Changing", "growth")
	p := m.join()
	s := h.model(m.key, nil)
	id := m.collect(p, "telemetry", sample(1, "open telemetry"))
	of := func(more fields) fields {
		maps.Copy(more, fields{"id": id, "type": "keyword"})
		return more
	}
	tool(t, s, "change_watchlist", of(fields{"objective": " teams that switch "}))
	shown := read[fields](m.call("GET", watchlists+"?id="+id, ""), 200)
	require.Equal(t, "teams that switch", shown["objective"])
	require.Greater(t, shown["next_scan_at"], time.Now().UTC().Add(time.Hour).Format(time.RFC3339), "it is not due")
	tool(t, s, "change_watchlist", of(fields{"scan_now": true}))
	m.scanned(p, sample(2, "closed telemetry"))
	require.Contains(t, tool(t, s, "search_posts", fields{"watchlist_id": id})[0], "2 posts match")
	require.Equal(t, "teams that switch", read[fields](m.call("GET", watchlists+"?id="+id, ""), 200)["objective"], "what is not given stays")

	require.Equal(t, "Invalid 'scan_now': it takes true or false.", refusedTool(t, s, "change_watchlist", of(fields{"scan_now": "yes"}))["error"])
	require.Contains(t, refusedTool(t, s, "change_watchlist", of(fields{"prompt": aPrompt, "objective": "x"}))["error"], "either prompt or update fields")
	tool(t, s, "change_watchlist", of(fields{"disable": true}))
	require.Contains(t, refusedTool(t, s, "change_watchlist", of(fields{"scan_now": true}))["next"], "disable false")
	tool(t, s, "change_watchlist", of(fields{"disable": false, "scan_now": true}))
	m.scanned(p)
}

// scanned answers the next scan of a session.
func (m team) scanned(p *fakeSession, posts ...protocol.Post) {
	m.t.Helper()
	exhausted := true
	output, err := json.Marshal(protocol.PostsOutput{Posts: posts, Exhausted: &exhausted})
	require.NoError(m.t, err)
	m.work(p, "keyword_scan", string(output))
}

func TestToolErrorsSayWhatToDo(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Mistaken", "free")
	s := h.model(m.key, nil)
	require.Contains(t, refusedTool(t, s, "look_up", fields{"what": "profile", "of": "jane"})["next"], "extension")
	m.join()
	said := refusedTool(t, s, "search_posts", fields{"sort_by": "newest"})
	require.Equal(t, "Invalid 'sort_by': it takes one of the allowed values.", said["error"])
	require.Contains(t, said["allowed"], "recent_first")
	said = refusedTool(t, s, "search_posts", fields{"query": "x"})
	require.Equal(t, "search_posts has no argument 'query'.", said["error"])
	require.Contains(t, said["allowed"], "search_term")
	said = refusedTool(t, s, "get_post", nil)
	require.Contains(t, said["error"], "needs the argument 'post'")
	require.Equal(t, "Invalid 'page': it takes a whole number.", refusedTool(t, s, "search_posts", fields{"page": 1.5})["error"])
	require.Equal(t, "Invalid 'start_date'", refusedTool(t, s, "search_posts", fields{"start_date": "yesterday"})["error"])
	require.Contains(t, refusedTool(t, s, "search_posts", fields{"watchlist_id": "x"})["next"], "list_watchlists")
	require.Contains(t, refusedTool(t, s, "delete_watchlist", fields{"id": "x", "type": "forum"})["next"], "list_watchlists")
	require.Contains(t, refusedTool(t, s, "like_post", fields{"post_id": "x", "user_email": m.email})["next"], "search_posts")
	said = refusedTool(t, s, "create_watchlist", fields{"type": "keyword", "prompt": "https://example.com"})
	require.Equal(t, "prompt_not_specific_enough", said["error"])
	require.Equal(t, "bare_url", said["details"].(fields)["reason"])
	said = refusedTool(t, s, "create_watchlist", fields{"type": "keyword", "keywords": []any{fields{"keyword": "a", "all_of": []any{"b"}, "any_of": []any{"c"}}}})
	require.Contains(t, said["error"], "not both")
	require.Contains(t, refusedTool(t, s, "create_watchlist", fields{"type": "keyword", "keywords": []any{fields{"keyword": "a", "required": "b"}}})["allowed"], "any_of")
	_, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: "nothing"})
	require.Error(t, err)
}

// A client that waits hears how far the task is; one that leaves ends the wait.
func TestModelsWaitWithProgress(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Patient", "growth")
	p := m.join()
	heard := make(chan string, 100)
	s := h.model(m.key, &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
		heard <- r.Params.Message
	}})
	params := &sdk.CallToolParams{Name: "look_up", Arguments: fields{"what": "company", "of": "x"}}
	params.SetProgressToken("t")
	over := make(chan *sdk.CallToolResult)
	go func() {
		done, err := s.CallTool(context.Background(), params)
		if err != nil {
			close(over)
			return
		}
		over <- done
	}()
	task := p.hear(protocol.TypeTask)
	p.send(protocol.Frame{Type: protocol.TypeAccepted, Task: task.Task, Lease: task.Lease})
	require.Equal(t, "waiting for the task", <-heard)
	require.Equal(t, "a browser is doing it", <-heard)
	p.send(protocol.Frame{Type: protocol.TypeResult, Task: task.Task, Lease: task.Lease, Attempt: task.Attempt, Output: json.RawMessage(`{"name":"X"}`)})
	p.hear(protocol.TypeAck)
	require.Equal(t, "completed", data[fields](t, texts(<-over))["status"])

	t.Run("a short wait", func(t *testing.T) {
		result := tool(t, s, "look_up", fields{"what": "company", "of": "y", "wait": 0})
		require.Contains(t, result[0], "goes on without you")
		shown := data[fields](t, result)
		require.Equal(t, "pending", shown["status"])
		m.work(p, "agent_company_fetch", `{"name":"Y"}`)
		require.Equal(t, "completed", data[fields](t, tool(t, s, "get_task", fields{"task_id": shown["task_id"]}))["status"])
	})
	t.Run("a client that leaves", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error)
		params := &sdk.CallToolParams{Name: "wait_for_posts", Arguments: fields{"wait": 300}}
		params.SetProgressToken("u")
		go func() {
			_, err := s.CallTool(ctx, params)
			ended <- err
		}()
		require.Equal(t, "waiting for posts", <-heard)
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
	})
}

// A client of an older protocol cancels by a separate request.
func TestCancelledByARequest(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Cancelled", "growth")
	headers := []string{"content-type", "application/json", "accept", "application/json, text/event-stream", "mcp-protocol-version", "2025-11-25"}
	over := make(chan reply)
	go func() {
		over <- m.call("POST", "/mcp", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"wait_for_posts","arguments":{"wait":300}}}`, headers...)
	}()
	cancelled := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`
	require.Eventually(t, func() bool { // until the call runs
		require.Equal(t, http.StatusAccepted, m.call("POST", "/mcp", cancelled, headers...).status)
		select {
		case r := <-over:
			return strings.Contains(r.raw, "The call was cancelled.")
		default:
			return false
		}
	}, 10*time.Second, 10*time.Millisecond)
}

// A call that waits ends when the service stops.
func TestWaitingCallsEndWithTheService(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Stopped", "growth")
	heard := make(chan struct{}, 100)
	s := h.model(m.key, &sdk.ClientOptions{ProgressNotificationHandler: func(context.Context, *sdk.ProgressNotificationClientRequest) { heard <- struct{}{} }})
	params := &sdk.CallToolParams{Name: "wait_for_posts", Arguments: fields{"wait": 300}}
	params.SetProgressToken("t")
	over := make(chan []string)
	go func() {
		done, err := s.CallTool(context.Background(), params)
		if err != nil {
			over <- []string{err.Error()}
			return
		}
		over <- texts(done)
	}()
	<-heard
	require.NoError(t, h.server.CloseSessions(context.Background()))
	require.Contains(t, (<-over)[0], "The service is restarting.")
}

// The tools fit into what a model can keep in mind.
func TestToolsAreShort(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Short", "growth")
	s := h.model(m.key, nil)
	list, err := s.ListTools(context.Background(), nil)
	require.NoError(t, err)
	raw, err := json.Marshal(list.Tools)
	require.NoError(t, err)
	const tokens, letters = 6000, 4
	require.Less(t, len(raw)+len(s.InitializeResult().Instructions), tokens*letters)
	t.Logf("%d tools, %d characters", len(list.Tools), len(raw))
	for _, one := range list.Tools {
		require.NotEmpty(t, one.Annotations.Title, one.Name)
		require.NotEmpty(t, one.Description, one.Name)
		schema := one.InputSchema.(fields)
		for name, of := range schema["properties"].(fields) {
			require.NotEmpty(t, of.(fields)["type"], "%s.%s", one.Name, name)
		}
	}
}
