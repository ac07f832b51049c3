package browser_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/watchpost"
)

// team is a customer.
type team struct {
	*world
	t   testing.TB
	id  watchpost.TeamID
	key string
	// newest is the task requested last.
	newest string
}

// createTeam creates a team whose admin has that email.
func (w *world) createTeam(t testing.TB, email string) *team {
	t.Helper()
	made, err := w.registry.CreateTeam(t.Context(), actors.CreateTeam{Name: "Team of " + email, Plan: watchpost.PlanUltimate, Email: email, FullName: "Ada Lovelace"})
	require.NoError(t, err)
	return &team{world: w, t: t, id: made.Team.ID, key: made.APIKey}
}

// call sends a request with the team's key.
func (m *team) call(method, path string, body any) (int, fields) {
	m.t.Helper()
	raw, err := json.Marshal(body)
	require.NoError(m.t, err)
	request, err := http.NewRequestWithContext(m.t.Context(), method, m.service+path, bytes.NewReader(raw))
	require.NoError(m.t, err)
	request.Header.Set("x-api-key", m.key)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(m.t, err)
	defer func() { _ = answer.Body.Close() }()
	raw, err = io.ReadAll(answer.Body)
	require.NoError(m.t, err)
	var out fields
	require.NoError(m.t, json.Unmarshal(raw, &out), "%s", raw)
	return answer.StatusCode, out
}

// ask creates an agent task and returns its id.
func (m *team) ask(path string, body fields) string {
	m.t.Helper()
	status, reply := m.call(http.MethodPost, path, body)
	require.Equal(m.t, http.StatusOK, status, "%s %v", path, reply)
	id, _ := reply["api_agent_task_id"].(string)
	if id == "" {
		id, _ = reply["task_id"].(string)
	}
	require.NotEmpty(m.t, id, reply)
	m.newest = id
	return id
}

// status returns the status and output of a task.
func (m *team) status(id string) (string, fields) {
	m.t.Helper()
	status, reply := m.call(http.MethodGet, "/network-agent/get-task-status?api_agent_task_id="+id, nil)
	require.Equal(m.t, http.StatusOK, status, reply)
	data, _ := reply["data"].(fields)
	output, _ := data["task_output"].(fields)
	state, _ := data["status"].(string)
	return state, output
}

// completed waits until a task is completed, and returns its output.
func (m *team) completed(id string) fields {
	m.t.Helper()
	state, output := m.ended(id)
	require.Equal(m.t, "completed", state, output)
	return output
}

// ended waits until a task is final.
func (m *team) ended(id string) (state string, output fields) {
	m.t.Helper()
	eventually(m.t, func() bool {
		state, output = m.status(id)
		return state != "pending"
	}, func() string {
		_, reply := m.call(http.MethodGet, "/network-agent/get-task-status?api_agent_task_id="+id, nil)
		return fmt.Sprint("task still ", reply)
	})
	return state, output
}

// member is a person with a browser.
type member struct {
	*team
	*chromium
	email, account string
}
