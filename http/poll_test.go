package httpapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	httpapi "watchpost/http"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// poll does one poll with a session's token.
func (h *testServer) poll(token string, frames ...protocol.Frame) reply {
	h.t.Helper()
	raw, err := json.Marshal(protocol.PollRequest{Messages: frames})
	require.NoError(h.t, err)
	return h.do("POST", "/extension/poll", string(raw), "Authorization", "Bearer "+token)
}

// said returns a poll's messages without the status, which the team sends when it has
// changed for a second.
func said(r reply) []protocol.Frame {
	r.t.Helper()
	return slices.DeleteFunc(read[protocol.PollReply](r, 200).Messages, func(f protocol.Frame) bool { return f.Type == protocol.TypeStatus })
}

// types returns the types of what a poll has said.
func types(r reply) []string {
	r.t.Helper()
	list := []string{}
	for _, f := range said(r) {
		list = append(list, f.Type)
	}
	return list
}

// await polls until there is a message.
func (h *testServer) await(token string, frames ...protocol.Frame) []protocol.Frame {
	h.t.Helper()
	var messages []protocol.Frame
	require.Eventually(h.t, func() bool {
		messages = said(h.poll(token, frames...))
		frames = nil
		return len(messages) > 0
	}, patience, time.Millisecond)
	return messages
}

// joinByPoll connects a session and returns the welcome.
func (h *testServer) joinByPoll(token string) protocol.Frame {
	h.t.Helper()
	messages := h.await(token, hello(token))
	require.Equal(h.t, protocol.TypeWelcome, messages[0].Type)
	return messages[0]
}

func shortPolls(o *httpapi.Options) { o.Timing.Poll = 50 * time.Millisecond }

func TestTaskOverPolls(t *testing.T) {
	t.Parallel()
	h := build(t, shortPolls)
	m := h.team("Polling", "free")
	token := m.token()
	h.joinByPoll(token)
	require.Empty(t, said(h.poll(token)))
	id := read[fields](m.call("POST", "/network-agent/fetch-profile", `{"profile_slug":"jane"}`), 200)["api_agent_task_id"].(string)

	first := h.await(token)
	require.Len(t, first, 1)
	require.Equal(t, id, first[0].Task)
	// The reply may have been lost: what the next poll does not speak of comes
	// once more, and at once.
	require.Equal(t, first, said(h.poll(token)))
	require.Empty(t, types(h.poll(token)))

	accepted := protocol.Frame{Type: protocol.TypeAccepted, Task: id, Lease: first[0].Lease}
	require.Empty(t, types(h.poll(token, accepted)))
	ack := h.await(token, protocol.Frame{
		Type: protocol.TypeResult, Task: id, Lease: first[0].Lease, Attempt: first[0].Attempt, Output: json.RawMessage(`{"name":"Jane"}`),
	})
	require.Equal(t, protocol.TypeAck, ack[0].Type)
	require.Equal(t, []string{"ack"}, types(h.poll(token)), "once more, with the next reply")
	require.Empty(t, types(h.poll(token)))
	require.Equal(t, "completed", m.status(id)["status"])
}

func TestPollRefusals(t *testing.T) {
	t.Parallel()
	h := build(t, shortPolls)
	token := h.team("Pollers", "free").token()
	h.do("POST", "/extension/poll", `{"messages":[]}`).fails(401, "Invalid session token")
	h.do("POST", "/extension/poll", `{`, "Authorization", "Bearer "+token).fails(400, badJSON)
	h.do("POST", "/extension/poll", `{"messages":5}`, "Authorization", "Bearer "+token).fails(400, "Invalid 'messages'")
	h.do("POST", "/extension/poll", `{"messages":[5]}`, "Authorization", "Bearer "+token).fails(400, "Invalid 'messages'")
	h.poll(token).fails(409, "Not connected: begin with hello")
	h.poll("unknown", hello("unknown-token")).fails(401, "Invalid session token")
	big := hello(token)
	big.Boot = strings.Repeat("b", protocol.MaxHelloFrame)
	h.poll(token, big).fails(413, "Request body too large")
}

// A poll with nothing to say is held for 25 seconds, and then answered. Only the long
// tests wait that long.
func TestPollIsHeld(t *testing.T) {
	t.Parallel()
	held := time.Second
	if os.Getenv("WATCHPOST_LONG") != "" {
		held = protocol.PollTime
	}
	h := build(t, func(o *httpapi.Options) { o.Timing.Poll = held })
	token := h.team("Patient", "free").token()
	h.joinByPoll(token)
	begun := time.Now()
	require.Equal(t, `{"messages":[]}`, h.poll(token).raw)
	require.GreaterOrEqual(t, time.Since(begun), held)
}

func TestSecondPollEndsTheFirst(t *testing.T) {
	t.Parallel()
	h := build(t)
	token := h.team("Overlapping", "free").token()
	h.joinByPoll(token)
	first := make(chan reply, 1)
	go func() { first <- h.poll(token) }()
	require.Eventually(t, func() bool {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, "POST", h.url+"/extension/poll", strings.NewReader(`{"messages":[]}`))
		if err != nil {
			return false
		}
		request.Header.Set("Authorization", "Bearer "+token)
		if response, err := h.client.Do(request); err == nil {
			_ = response.Body.Close()
		}
		return len(first) == 1
	}, patience, time.Millisecond)
	require.Equal(t, `{"messages":[]}`, (<-first).raw)
}

func TestPollOfRevokedSession(t *testing.T) {
	t.Parallel()
	h := build(t, shortPolls)
	m := h.team("Unpolled", "free")
	token := m.token()
	welcome := h.joinByPoll(token)
	_, err := actors.Ask(context.Background(), h.registry, watchpost.TeamID(m.id),
		actors.Revoke{Session: watchpost.SessionID(welcome.Session)})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return h.poll(token).status != 200 }, patience, time.Millisecond)
	h.poll(token, hello(token)).fails(401, "Invalid session token")
}

func TestHelloAgainReplacesThePoller(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Again", "free")
	token := m.token()
	h.joinByPoll(token)
	held := make(chan reply, 1)
	go func() { held <- h.poll(token) }()
	require.Eventually(t, func() bool {
		h.joinByPoll(token)
		return len(held) == 1
	}, patience, time.Millisecond)
	require.Contains(t, []int{200, 409}, (<-held).status)

	// A socket of the same session is the newer connection too. It alone gets the task that
	// waited for the next poll, and what the last reply carried is not sent once more.
	for range 2 {
		read[fields](m.call("POST", "/network-agent/fetch-profile", `{"profile_slug":"jane"}`), 200)
	}
	h.await(token)
	p := h.dial()
	p.send(hello(token))
	p.hear(protocol.TypeWelcome)
	p.hear(protocol.TypeTask)
	h.poll(token).fails(409, "Replaced by a newer connection")
}

func TestPollerThatFallsSilentIsLetGo(t *testing.T) {
	t.Parallel()
	h := build(t, shortPolls, func(o *httpapi.Options) { o.Timing.Silence = 20 * time.Millisecond })
	token := h.team("Gone", "free").token()
	h.poll(token, hello(token))
	require.Eventually(t, func() bool {
		return strings.Contains(h.admin("GET", "/metrics", "").raw, `watchpost_gateway_connections{carrier="poll"} 0`)
	}, patience, 5*time.Millisecond)
	h.poll(token).fails(409, "Not connected: begin with hello")
}

func TestCloseSessionsEndsPolls(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Shutting", "free")
	token := m.token()
	h.joinByPoll(token)
	held := make(chan reply, 1)
	go func() { held <- h.poll(token) }()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	require.NoError(t, h.server.CloseSessions(ctx))
	r := <-held
	require.Contains(t, []int{503, 409}, r.status) // held, or came after the end
	h.poll(token, hello(token)).fails(503, watchpost.TextUnavailable)
}
