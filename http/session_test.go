package httpapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"watchpost/internal/protocol"
)

// patience bounds what a test waits for; it is never used up when all is well.
const patience = 40 * time.Second

// fakeSession is a session's end of a socket.
type fakeSession struct {
	t  testing.TB
	ws *websocket.Conn
}

// dial opens a socket.
func (h *testServer) dial(headers ...string) *fakeSession {
	h.t.Helper()
	ws, _, err := h.tryDial(headers...)
	require.NoError(h.t, err)
	p := &fakeSession{h.t, ws}
	h.t.Cleanup(func() { _ = ws.CloseNow() })
	return p
}

func (h *testServer) tryDial(headers ...string) (*websocket.Conn, *http.Response, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	options := &websocket.DialOptions{HTTPClient: h.client, HTTPHeader: http.Header{}}
	for i := 0; i < len(headers); i += 2 {
		options.HTTPHeader.Set(headers[i], headers[i+1])
	}
	ws, response, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(h.url, "http")+"/extension/socket", options)
	if ws != nil {
		ws.SetReadLimit(protocol.MaxFrame)
	}
	return ws, response, err
}

func (p *fakeSession) send(f protocol.Frame) {
	p.t.Helper()
	raw, err := json.Marshal(f)
	require.NoError(p.t, err)
	p.say(string(raw))
}

func (p *fakeSession) say(text string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	require.NoError(p.t, p.ws.Write(ctx, websocket.MessageText, []byte(text)))
}

// hear returns the next frame of that type, passing over others.
func (p *fakeSession) hear(kind string) protocol.Frame {
	p.t.Helper()
	return p.hearUntil(func(f *protocol.Frame) bool { return f.Type == kind })
}

// hearUntil returns the next frame that is the one, passing over others.
func (p *fakeSession) hearUntil(one func(*protocol.Frame) bool) protocol.Frame {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		_, raw, err := p.ws.Read(ctx)
		require.NoError(p.t, err)
		var f protocol.Frame
		require.NoError(p.t, json.Unmarshal(raw, &f))
		if one(&f) {
			return f
		}
	}
}

// ends waits until the service closes the socket, and checks with which code.
func (p *fakeSession) ends(code int) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		if _, _, err := p.ws.Read(ctx); err != nil {
			require.Equal(p.t, websocket.StatusCode(code), websocket.CloseStatus(err), err.Error())
			return
		}
	}
}

func hello(token string) protocol.Frame {
	return protocol.Frame{
		Type: protocol.TypeHello, V: protocol.Version, Token: token, Boot: "boot", Journal: "journal", Version: "test",
		Account: account(token),
	}
}

// account returns the account of a session: each session has another one. A token begins with
// what those of a team have in common.
func account(token string) *protocol.Account {
	return &protocol.Account{URN: "urn:network:member:" + token[max(0, len(token)-16):], Slug: "jane", Name: "Jane", SignedIn: true}
}

// join connects a session of the team's founder.
func (m team) join() *fakeSession {
	m.t.Helper()
	p := m.dial()
	p.send(hello(m.token()))
	p.hear(protocol.TypeWelcome)
	return p
}
