package httpapi_test

import (
	"context"
	"encoding/json"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"watchpost/actors"
	httpapi "watchpost/http"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

func TestSocketWelcome(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Welcome", "free")
	p := h.dial()
	p.send(hello(m.token()))
	welcome := p.hear(protocol.TypeWelcome)
	require.Equal(t, 20, welcome.HeartbeatS)
	require.Equal(t, 60, welcome.LeaseS)
	require.NotEmpty(t, welcome.Session)
	require.NotNil(t, welcome.ServerTime)
	p.say(`{"type":"nobody-knows-this","x":1}`) // ignored
	require.Equal(t, 200, m.call("POST", "/network-agent/fetch-profile", `{"profile_slug":"jane"}`).status, "the gate is open")
	p.hear(protocol.TypeTask)
	metrics := h.admin("GET", "/metrics", "").raw
	require.Contains(t, metrics, `watchpost_gateway_connections{carrier="socket"} 1`)
}

func TestSocketRefusals(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Socketless", "free")

	p := h.dial()
	p.send(hello("unknown-token"))
	p.ends(protocol.CloseUnauthorised)

	p = h.dial()
	p.send(protocol.Frame{Type: protocol.TypeHeartbeat})
	p.ends(int(websocket.StatusPolicyViolation))

	p = h.dial()
	p.say("no JSON")
	p.ends(int(websocket.StatusInvalidFramePayloadData))

	p = h.dial()
	require.NoError(t, p.ws.Write(context.Background(), websocket.MessageBinary, []byte(`{"type":"hello"}`)))
	p.ends(int(websocket.StatusInvalidFramePayloadData))

	p = h.dial()
	big := hello(m.token())
	big.Boot = strings.Repeat("b", protocol.MaxHelloFrame)
	p.send(big)
	p.ends(int(websocket.StatusMessageTooBig))
}

func TestHelloMustComeInTime(t *testing.T) {
	t.Parallel()
	h := build(t, func(o *httpapi.Options) { o.Timing.Hello = 20 * time.Millisecond })
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, _, err := h.dial().ws.Read(ctx)
	require.Error(t, err)
	require.NoError(t, ctx.Err())
}

func TestLargeFramesAfterWelcome(t *testing.T) {
	t.Parallel()
	h := build(t)
	p := h.team("Large", "free").join()
	p.send(protocol.Frame{Type: "unknown", Reason: strings.Repeat("x", protocol.MaxFrame-100)})
	p.send(protocol.Frame{Type: "unknown", Reason: strings.Repeat("x", protocol.MaxFrame)})
	p.ends(int(websocket.StatusMessageTooBig))
}

func TestSocketIsNoPlainRequest(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.do("GET", "/extension/socket", "").fails(426, "WebSocket upgrade required")
	h.do("GET", "/extension/socket", "", "Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "12",
		"Sec-WebSocket-Key", "x").fails(426, "WebSocket upgrade required")
}

func TestOriginOfSockets(t *testing.T) {
	t.Parallel()
	const ours = "chrome-extension://abcdefghijklmnopabcdefghijklmnop"
	h := build(t, func(o *httpapi.Options) { o.ExtensionOrigins = []string{ours} })
	for _, origin := range []string{"http://evil.example", h.url, ours + "x", ours + "/", "null", "chrome-extension://other"} {
		ws, response, err := h.tryDial("Origin", origin)
		require.Error(t, err, origin)
		require.Nil(t, ws)
		require.Equal(t, 403, response.StatusCode)
		h.do("POST", "/extension/poll", `{}`, "Origin", origin, "Authorization", "Bearer x").fails(403, "Origin not allowed")
	}
	h.dial("Origin", ours)
}

func TestSessionsNeedTLS(t *testing.T) {
	t.Parallel()
	proxied := func(o *httpapi.Options) { o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} }
	h := build(t, proxied)
	far := []string{"X-Forwarded-For", "203.0.113.9", "X-Forwarded-Proto"}
	_, response, err := h.tryDial(append(far, "http")...)
	require.Error(t, err)
	require.Equal(t, 403, response.StatusCode)
	h.do("POST", "/extension/sign-in", `{"code":"x"}`, append(far, "http")...).fails(403, "Sessions connect by https only")
	h.dial(append(far, "https")...)
	h.dial("X-Forwarded-For", "203.0.113.9, 127.0.0.1", "X-Forwarded-Proto", "http, https")
	h.dial() // loopback

	insecure := build(t, proxied, func(o *httpapi.Options) { o.Insecure = true })
	insecure.dial(append(far, "http")...)

	// Without trust the headers count for nothing.
	untrusting := build(t)
	untrusting.dial(append(far, "http")...)
}

func TestStrangersAreBounded(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Strangers", "free")
	token := m.token()
	peers := make([]*fakeSession, 64)
	for i := range peers {
		peers[i] = h.dial()
	}
	_, response, err := h.tryDial()
	require.Error(t, err)
	require.Equal(t, 503, response.StatusCode)
	peers[0].send(hello(token)) // no stranger any more
	peers[0].hear(protocol.TypeWelcome)
	require.Eventually(t, func() bool {
		ws, _, err := h.tryDial()
		if err == nil {
			_ = ws.CloseNow()
		}
		return err == nil
	}, patience, 10*time.Millisecond)
}

func TestNewerConnectionReplacesTheOlder(t *testing.T) {
	t.Parallel()
	h := build(t)
	token := h.team("Twice", "free").token()
	first, second := h.dial(), h.dial()
	first.send(hello(token))
	first.hear(protocol.TypeWelcome)
	second.send(hello(token))
	second.hear(protocol.TypeWelcome)
	first.ends(protocol.CloseReplaced)
}

func TestRevokedSession(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Revoked", "free")
	p := h.dial()
	p.send(hello(m.token()))
	session := p.hear(protocol.TypeWelcome).Session
	_, err := actors.Ask(context.Background(), h.registry, watchpost.TeamID(m.id), actors.Revoke{Session: watchpost.SessionID(session)})
	require.NoError(t, err)
	p.hear(protocol.TypeRevoked)
	p.ends(protocol.CloseUnauthorised)
}

func TestSilentSessionIsLetGo(t *testing.T) {
	t.Parallel()
	h := build(t, func(o *httpapi.Options) { o.Timing.Silence = 100 * time.Millisecond })
	p := h.team("Silent", "free").join()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var err error
	for err == nil { // a status may come before
		_, _, err = p.ws.Read(ctx)
	}
	require.NoError(t, ctx.Err())
}

func TestCloseSessions(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Closing", "free")
	p := m.join()
	stranger := h.dial()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	closed := make(chan error, 1)
	go func() { closed <- h.server.CloseSessions(ctx) }()
	p.ends(int(websocket.StatusGoingAway))
	stranger.ends(int(websocket.StatusGoingAway))
	require.NoError(t, <-closed)
	_, response, err := h.tryDial()
	require.Error(t, err)
	require.Equal(t, 503, response.StatusCode)
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Pairing", "free")
	code := read[fields](h.admin("POST", "/admin/teams/"+m.id+"/pairing-codes", `{"email":"`+m.email+`"}`), 201)
	require.Regexp(t, `^\d{4}-.*\.\d{3}Z$`, code["expires_at"])
	body := `{"code":"` + strings.ToLower(code["code"].(string)) + `"}`
	signed := read[protocol.SignInReply](h.do("POST", "/extension/sign-in", body), 200)
	require.Equal(t, protocol.SignInTeam{ID: m.id, Name: "Pairing"}, signed.Team)
	require.Equal(t, m.email, signed.Member.Email)
	p := h.dial()
	p.send(hello(signed.SessionToken))
	p.hear(protocol.TypeWelcome)
	require.Equal(t, 401, h.do("POST", "/extension/sign-in", body).status, "one use")

	h.do("POST", "/network-agent/auth-send-otp", `{"email":"`+m.email+`"}`)
	otp := h.mail.code(t, m.email)
	signed = read[protocol.SignInReply](h.do("POST", "/extension/sign-in", `{"email":"`+m.email+`","otp":"`+otp+`"}`), 200)
	require.Equal(t, m.id, signed.Team.ID)

	for body, text := range map[string]string{
		`{}`:                        "Missing or invalid 'code'",
		`{"code":5}`:                "Missing or invalid 'code'",
		`{"code":" "}`:              "Missing or invalid 'code'",
		`{"email":"nope"}`:          "Missing or invalid 'email'",
		`{"email":"a@example.com"}`: "Missing or invalid 'otp'",
		`[]`:                        badJSON,
	} {
		h.do("POST", "/extension/sign-in", body).fails(400, text)
	}
	require.Equal(t, 401, h.do("POST", "/extension/sign-in", `{"code":"AAAAAAAAAA"}`).status)
}

// A whole task over a socket: created, handed out, done, and polled.
func TestTaskOverSocket(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Tasked", "free")
	p := m.join()
	created := read[fields](m.call("POST", "/network-agent/fetch-profile", `{"profile_slug":"https://x/in/jane-doe/","extra":1}`), 200)
	require.Equal(t, true, created["success"])
	require.Equal(t, "Profile fetch task created successfully", created["message"])
	id := created["api_agent_task_id"].(string)
	require.True(t, watchpost.ValidID(id))

	task := p.hear(protocol.TypeTask)
	require.Equal(t, id, task.Task)
	require.Equal(t, "agent_profile_fetch", task.TaskType)
	pending := m.status(id)
	require.Equal(t, fields{"task_type": "agent_profile_fetch", "profile_slug": "https://x/in/jane-doe/"}, pending["task_input"])
	require.Equal(t, "pending", pending["status"])
	require.Equal(t, "running", pending["pending_reason"])
	require.Nil(t, pending["task_output"])
	require.Contains(t, pending, "task_output")
	require.NotContains(t, pending, "completed_at")

	p.send(protocol.Frame{Type: protocol.TypeAccepted, Task: task.Task, Lease: task.Lease})
	p.send(protocol.Frame{
		Type: protocol.TypeResult, Task: task.Task, Lease: task.Lease, Attempt: task.Attempt,
		Output: json.RawMessage(`{"name":"Jane Doe","profile_slug":"jane-doe"}`),
	})
	require.Equal(t, id, p.hear(protocol.TypeAck).Task)
	done := m.status(id)
	require.Equal(t, "completed", done["status"])
	require.Equal(t, "Jane Doe", done["task_output"].(fields)["name"])
	require.Regexp(t, `^\d{4}-.*\.\d{3}Z$`, done["completed_at"])
	require.NotContains(t, done, "pending_reason")
	require.Equal(t, []string{"completed_at", "id", "status", "task_input", "task_output"}, sortedKeys(done))

	stranger := h.team("Stranger", "free")
	stranger.join()
	stranger.call("GET", "/network-agent/get-task-status?api_agent_task_id="+id, "").fails(404, "Agent task not found")
}

// status polls a task.
func (m team) status(id string) fields {
	m.t.Helper()
	r := read[fields](m.call("GET", "/network-agent/get-task-status?api_agent_task_id="+id, ""), 200)
	require.Equal(m.t, true, r["success"])
	require.Equal(m.t, []string{"data", "status", "success", "task_output", "task_type"}, sortedKeys(r))
	require.Equal(m.t, r["data"].(fields)["status"], r["status"])
	require.Equal(m.t, r["data"].(fields)["task_output"], r["task_output"])
	return r["data"].(fields)
}

func TestAgentTaskRefusals(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Refusals", "free")
	m.join()
	for body, text := range map[string]string{
		`{}`:                        "Missing or invalid 'profile_slug'",
		`{"profile_slug":null}`:     "Missing or invalid 'profile_slug'",
		`{"profile_slug":5}`:        "Missing or invalid 'profile_slug'",
		`{"profile_slug":""}`:       "Missing or invalid 'profile_slug'",
		`{"profile_slug":" "}`:      "Missing or invalid 'profile_slug'",
		`{"profile_slug":["jane"]}`: "Missing or invalid 'profile_slug'",
		`{"Profile_Slug":"jane"}`:   "Missing or invalid 'profile_slug'",
		`{"profile_slug":"a/b/c"}`:  "Missing or invalid 'profile_slug'",
		`nope`:                      badJSON,
	} {
		m.call("POST", "/network-agent/fetch-profile", body).fails(400, text)
	}
	const status = "/network-agent/get-task-status"
	for _, query := range []string{"", "?", "?api_agent_task_id=", "?api_agent_task_id=a&api_agent_task_id=b", "?api_agent_task_id[]=x", "?api_agent_task_id=%zz"} {
		m.call("GET", status+query, "").fails(400, "Missing or invalid 'api_agent_task_id'")
	}
	for _, id := range []string{unknownID, "nonsense", "%00", strings.Repeat("x", 3000)} {
		m.call("GET", status+"?api_agent_task_id="+id, "").fails(404, "Agent task not found")
	}
}
