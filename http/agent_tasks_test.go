package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/protocol"
)

// agentTask is a row of the table of agent tasks.
type agentTask struct {
	path, kind, message string
	bodies              []string    // that are taken
	refused             [][2]string // body and text
}

var agentTasks = []agentTask{
	{"fetch-profile", "agent_profile_fetch", "Profile fetch task created successfully", []string{`{"profile_slug":"jane"}`},
		[][2]string{{`{}`, "Missing or invalid 'profile_slug'"}}},
	{"fetch-company", "agent_company_fetch", "Company fetch task created successfully",
		[]string{`{"company_slug":"example-corp"}`, `{"company_slug":"https://x/company/example/"}`},
		[][2]string{{`{}`, "Missing or invalid 'company_slug'"}, {`{"company_slug":"https://x/in/jane"}`, "Missing or invalid 'company_slug'"}}},
	{"fetch-profiles-posts", "agent_profiles_posts_fetch", "Profile posts fetch task created successfully",
		[]string{`{"profile_urns":["urn:network:member:1","2"]}`, `{"profile_urns":["urn:network:company:7","https://network.example/school/eth/"]}`, `{"profile_urns":["` + strings.Repeat(`1","`, 49) + `1"]}`},
		[][2]string{
			{`{}`, "Missing or invalid 'profile_urns'"}, {`{"profile_urns":[]}`, "Missing or invalid 'profile_urns'"},
			{`{"profile_urns":"1"}`, "Missing or invalid 'profile_urns'"}, {`{"profile_urns":[""]}`, "Missing or invalid 'profile_urns'"},
			{`{"profile_urns":["acme.inc"]}`, "Missing or invalid 'profile_urns'"}, {`{"profile_urns":["urn:network:activity:1"]}`, "Missing or invalid 'profile_urns'"},
			{`{"profile_urns":[1]}`, "Missing or invalid 'profile_urns'"},
			{`{"profile_urns":["` + strings.Repeat(`1","`, 50) + `1"]}`, "Missing or invalid 'profile_urns'"},
		}},
	{"fetch-company-posts", "agent_company_posts_fetch", "Company posts fetch task created successfully", []string{`{"company_slug":"x"}`},
		[][2]string{{`{"company_slug":7}`, "Missing or invalid 'company_slug'"}}},
	{"search-profiles", "agent_profiles_search", "Profile search task created successfully",
		[]string{`{"keywords":"go"}`, `{"geo_urn":["urn:network:geo:1"],"count":50}`, `{"last_name":"Doe","count":null}`},
		[][2]string{
			{`{}`, "At least one search filter is required"}, {`{"count":5}`, "At least one search filter is required"},
			{`{"keywords":" ","geo_urn":[]}`, "At least one search filter is required"}, {`{"keywords":7}`, "Invalid 'keywords'"},
			{`{"geo_urn":"x"}`, "Invalid 'geo_urn'"}, {`{"title":"x","count":0}`, "Invalid 'count'"}, {`{"title":"x","limit":0}`, "Invalid 'limit'"},
			{`{"title":"x","count":1.5}`, "Invalid 'count'"}, {`{"title":"x","count":"5"}`, "Invalid 'count'"},
		}},
	{"like-post", "agent_like_post", "Like post task created successfully", []string{`{"social_urn":"urn:network:activity:7"}`},
		[][2]string{{`{}`, "Missing or invalid 'social_urn'"}, {`{"social_urn":"no urn"}`, "Missing or invalid 'social_urn'"}}},
	{"comment-post", "agent_comment_post", "Comment post task created successfully",
		[]string{`{"social_urn":"urn:network:activity:7","comment_text":"` + strings.Repeat("é", 1250) + `"}`},
		[][2]string{
			{`{"comment_text":"x"}`, "Missing or invalid 'social_urn'"}, {`{"social_urn":"urn:network:activity:7"}`, "Missing or invalid 'comment_text'"},
			{`{"social_urn":"urn:network:activity:7","comment_text":" "}`, "Missing or invalid 'comment_text'"},
			{`{"social_urn":"urn:network:activity:7","comment_text":"` + strings.Repeat("é", 1251) + `"}`, "Missing or invalid 'comment_text'"},
		}},
	{"send-message", "agent_send_message", "Send message task created successfully",
		[]string{`{"recipient_urn":"urn:network:member:1","message":"` + strings.Repeat("é", 10_000) + `"}`},
		[][2]string{
			{`{"message":"x"}`, "Missing or invalid 'recipient_urn'"}, {`{"recipient_urn":"1"}`, "Missing or invalid 'message'"},
			{`{"recipient_urn":"1","message":""}`, "Missing or invalid 'message'"},
			{`{"recipient_urn":"1","message":"` + strings.Repeat("é", 10_001) + `"}`, "Message text is too long (max 10000 characters)"},
		}},
	{"send-connection-request", "agent_send_connection_request", "Send connection request task created successfully",
		[]string{`{"profile_urn":"urn:network:member:1"}`, `{"profile_urn":"2","note":"` + strings.Repeat("é", 300) + `"}`, `{"profile_urn":"3","note":null}`},
		[][2]string{
			{`{"note":7}`, "Missing or invalid 'profile_urn'"}, {`{"profile_urn":"1","note":7}`, "Invalid 'note': must be a string"},
			{`{"profile_urn":"1","note":"` + strings.Repeat("é", 301) + `"}`, "Invalid 'note': must be 300 characters or fewer"},
		}},
	{"withdraw-invitation", "agent_withdraw_invitation", "Withdraw invitation task created successfully",
		[]string{`{"profile_urn":"urn:network:member:1"}`, `{"profile_url":"https://network.example/in/jane"}`, `{"profile_url":"jane","profile_urn":"1"}`},
		[][2]string{
			{`{}`, "Missing or invalid 'profile_url'"}, {`{"profile_url":7}`, "Invalid 'profile_url'"},
			{`{"profile_url":"https://network.example/company/x","profile_urn":"1"}`, "Missing or invalid 'profile_url'"},
			{`{"profile_url":"jane","profile_urn":"two words"}`, "Missing or invalid 'profile_urn'"},
		}},
	{"fetch-connections", "agent_connections_fetch", "Fetch connections task created successfully",
		[]string{`{}`, `{"keyword":"x","sort_type":"recent","start":0,"count":100}`},
		[][2]string{{`{"count":101}`, "Invalid 'count'"}, {`{"start":-1}`, "Invalid 'start'"}, {`{"keyword":[]}`, "Invalid 'keyword'"}}},
}

func TestAgentTasks(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Agents", "growth")
	for _, task := range agentTasks {
		m.call("POST", "/network-agent/"+task.path, `{}`).fails(403, extensionRequired)
	}
	m.join()
	for _, task := range agentTasks {
		path := "/network-agent/" + task.path
		m.call("POST", path, `[]`).fails(400, badJSON)
		for _, refused := range task.refused {
			m.call("POST", path, refused[0]).fails(400, refused[1])
		}
		for _, body := range task.bodies {
			made := read[fields](m.call("POST", path, body), 200)
			require.Equal(t, true, made["success"])
			require.Equal(t, task.message, made["message"])
			view := read[fields](m.call("GET", "/network-agent/get-task-status?api_agent_task_id="+made["api_agent_task_id"].(string), ""), 200)
			var input fields
			require.NoError(t, json.Unmarshal([]byte(body), &input))
			input["task_type"] = task.kind
			require.Equal(t, input, view["data"].(fields)["task_input"])
		}
	}
}

// work plays the session's side of the next task.
func (m team) work(p *fakeSession, kind, output string) protocol.Frame {
	m.t.Helper()
	task := p.hear(protocol.TypeTask)
	require.Equal(m.t, kind, task.TaskType)
	p.send(protocol.Frame{Type: protocol.TypeAccepted, Task: task.Task, Lease: task.Lease})
	switch kind {
	case "agent_like_post", "agent_comment_post", "agent_send_message", "agent_send_connection_request", "agent_withdraw_invitation":
		p.send(protocol.Frame{Type: protocol.TypeActing, Task: task.Task, Lease: task.Lease})
		p.hear(protocol.TypeGo)
	}
	p.send(protocol.Frame{Type: protocol.TypeResult, Task: task.Task, Lease: task.Lease, Attempt: task.Attempt, Output: json.RawMessage(output)})
	p.hear(protocol.TypeAck)
	return task
}

// What a session left out of an output is filled in.
func TestTaskOutputs(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Outputs", "growth")
	p := m.join()
	for _, c := range []struct{ path, body, kind, output, want string }{
		{"fetch-company", `{"company_slug":"x"}`, "agent_company_fetch", `{"name":"X","website":"javascript:alert(1)"}`,
			`{"name":"X","slug":"","company_urn":"","industry":"","description":"","employee_count":0,"headquarters":"","website":"","followers":0,"logo_url":"","specialties":[]}`},
		{"search-profiles", `{"keywords":"x"}`, "agent_profiles_search", `{"profiles":[{"name":"Jane"}]}`,
			`{"profiles":[{"name":"Jane","headline":"","location":"","profile_slug":"","profile_urn":"","profile_url":"","degree":0}],"total":0}`},
		{"fetch-connections", `{}`, "agent_connections_fetch", `{}`, `{"connections":[],"total":0}`},
		{"like-post", `{"social_urn":"urn:network:activity:7"}`, "agent_like_post", `{}`, `{"liked":true}`},
		{"comment-post", `{"social_urn":"urn:network:activity:7","comment_text":"x"}`, "agent_comment_post", `{"comment_urn":"c"}`, `{"commented":true,"comment_urn":"c"}`},
		{"send-message", `{"recipient_urn":"1","message":"x"}`, "agent_send_message", `{}`, `{"sent":true}`},
		{"send-connection-request", `{"profile_urn":"1"}`, "agent_send_connection_request", `{}`, `{"sent":true}`},
		{"withdraw-invitation", `{"profile_urn":"1"}`, "agent_withdraw_invitation", `{"profile_urn":"urn:network:member:1","profile_url":"javascript:alert(1)"}`,
			`{"withdrawn":true,"profile_urn":"urn:network:member:1","profile_url":""}`},
	} {
		id := read[fields](m.call("POST", "/network-agent/"+c.path, c.body), 200)["api_agent_task_id"].(string)
		m.work(p, c.kind, c.output)
		data := m.status(id)
		require.Equal(t, "completed", data["status"])
		got, err := json.Marshal(data["task_output"])
		require.NoError(t, err)
		require.JSONEq(t, c.want, string(got))
	}
}

func TestFetchedPosts(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Fetched", "growth")
	p := m.join()
	id := read[fields](m.call("POST", "/network-agent/fetch-company-posts", `{"company_slug":"x"}`), 200)["api_agent_task_id"].(string)
	raw, err := json.Marshal(protocol.PostsOutput{Posts: []protocol.Post{sample(1, "All about telemetry")}})
	require.NoError(t, err)
	m.work(p, "agent_company_posts_fetch", string(raw))
	data := m.status(id)
	posts := data["task_output"].(fields)["posts"].([]any)
	require.Len(t, posts, 1)
	require.Equal(t, []string{
		"author_headline", "author_image_url", "author_name", "author_url", "comments_count", "content", "image_text", "image_url", "image_urls",
		"influence_score", "language", "likes_count", "network_post_url", "network_post_urn", "post_type", "posted_at", "seniority_level",
		"sentiment", "shares_count", "source", "videos",
	}, sortedKeys(posts[0].(fields)))
	require.Equal(t, "All about telemetry", posts[0].(fields)["content"])
}

// What the service answers on these paths is what the document says.
func TestTasksKeepToTheDocument(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Contract", "growth")
	p := m.join()
	list := m.collect(p, "telemetry", sample(1, "telemetry"))
	post := m.posts("")[0]["id"].(string)
	check := func(method, path, body string) { checkContract(t, m, method, path, body) }
	for _, task := range agentTasks {
		check(http.MethodPost, "/network-agent/"+task.path, task.bodies[0])
		check(http.MethodPost, "/network-agent/"+task.path, task.refused[0][0])
	}
	like := `{"post_id":"` + post + `","user_email":"` + m.email + `"}`
	check(http.MethodPost, "/api-like", like)
	check(http.MethodPost, "/api-like", `{}`)
	check(http.MethodPost, "/api-comment", like)
	check(http.MethodPost, "/api-comment", `{"post_id":"`+post+`","user_email":"`+m.email+`","comment_text":"x"}`)
	check(http.MethodPut, "/api-posts", `{"id":"`+post+`","bookmark":true}`)
	check(http.MethodPut, "/api-posts", `{"id":"x","bookmark":true}`)
	check(http.MethodGet, "/api-interactions?watchlist_id="+list, "")
	check(http.MethodGet, "/api-interactions", "")
	check(http.MethodPost, "/api-interactions", `{"watchlist_id":"`+list+`","actor_ids":["a"],"page":1}`)
}
