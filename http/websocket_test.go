package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"github.com/stretchr/testify/require"

	httpapi "watchpost/http"
	"watchpost/internal/protocol"
)

// rawSocket is a session's end of a socket, frame by frame.
type rawSocket struct {
	t    testing.TB
	conn net.Conn
	in   io.Reader
}

func (h *testServer) dialRaw() *rawSocket {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, buffered, _, err := ws.Dial(ctx, strings.Replace(h.url, "http", "ws", 1)+"/extension/socket")
	require.NoError(h.t, err)
	h.t.Cleanup(func() { _ = conn.Close() })
	require.NoError(h.t, conn.SetDeadline(time.Now().Add(patience)))
	s := &rawSocket{t: h.t, conn: conn, in: conn}
	if buffered != nil {
		s.in = buffered
	}
	return s
}

func (s *rawSocket) send(frames ...ws.Frame) {
	s.t.Helper()
	var all bytes.Buffer
	for _, f := range frames {
		require.NoError(s.t, ws.WriteFrame(&all, ws.MaskFrame(f)))
	}
	_, err := s.conn.Write(all.Bytes())
	require.NoError(s.t, err)
}

// read returns the next frame that is no status: those come at moments of their
// own.
func (s *rawSocket) read() ws.Frame {
	s.t.Helper()
	for {
		f, err := ws.ReadFrame(s.in)
		require.NoError(s.t, err)
		if !bytes.HasPrefix(f.Payload, []byte(`{"type":"status"`)) {
			return f
		}
	}
}

func (s *rawSocket) hear(op ws.OpCode) []byte {
	s.t.Helper()
	f := s.read()
	require.Equal(s.t, op, f.Header.OpCode)
	require.True(s.t, f.Header.Fin)
	require.False(s.t, f.Header.Masked)
	return f.Payload
}

// hearAll expects a number of frames of each kind, in any order.
func (s *rawSocket) hearAll(want map[ws.OpCode]int) {
	s.t.Helper()
	heard := map[ws.OpCode]int{}
	for len(heard) < len(want) || heard[ws.OpText] < want[ws.OpText] {
		heard[s.read().Header.OpCode]++
	}
	require.Equal(s.t, want, heard)
}

// ends expects the close frame.
func (s *rawSocket) ends(code int) {
	s.t.Helper()
	got, _ := ws.ParseCloseFrameData(s.hear(ws.OpClose))
	require.Equal(s.t, code, int(got))
}

// gone expects the orderly end of the connection.
func (s *rawSocket) gone() {
	s.t.Helper()
	_, err := s.in.Read(make([]byte, 1))
	require.ErrorIs(s.t, err, io.EOF)
}

func text(t testing.TB, f protocol.Frame) []byte {
	t.Helper()
	raw, err := json.Marshal(f)
	require.NoError(t, err)
	return raw
}

func (s *rawSocket) join(m team) {
	s.t.Helper()
	s.send(ws.NewTextFrame(text(s.t, hello(m.token()))))
	var welcome protocol.Frame
	require.NoError(s.t, json.Unmarshal(s.hear(ws.OpText), &welcome))
	require.Equal(s.t, protocol.TypeWelcome, welcome.Type)
}

// A message in several frames, with a ping between, is one message.
func TestFragmentedMessage(t *testing.T) {
	t.Parallel()
	h := build(t)
	raw := text(t, hello(h.team("Fragments", "free").token()))
	s := h.dialRaw()
	s.send(ws.NewFrame(ws.OpText, false, raw[:10]), ws.NewPingFrame([]byte("now?")), ws.NewPongFrame(nil),
		ws.NewFrame(ws.OpContinuation, false, nil), ws.NewFrame(ws.OpContinuation, true, raw[10:]))
	require.Equal(t, "now?", string(s.hear(ws.OpPong)))
	s.hear(ws.OpText)
}

// A message that arrives byte by byte is read; several that arrive at once are
// all read.
func TestMessagesInPieces(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Pieces", "free")
	s := h.dialRaw()
	frame, err := ws.CompileFrame(ws.MaskFrame(ws.NewTextFrame(text(t, hello(m.token())))))
	require.NoError(t, err)
	for i := range frame {
		_, err := s.conn.Write(frame[i : i+1])
		require.NoError(t, err)
	}
	s.hear(ws.OpText)
	late := func(task string) ws.Frame {
		return ws.NewTextFrame(text(t, protocol.Frame{Type: protocol.TypeResult, Task: task, Lease: "none"}))
	}
	s.send(late("a"), late("b"), ws.NewPingFrame(nil), late("c"))
	s.hearAll(map[ws.OpCode]int{ws.OpText: 3, ws.OpPong: 1})
}

// Data sent right after the handshake, before its reply, is read.
func TestHelloWithTheHandshake(t *testing.T) {
	t.Parallel()
	h := build(t)
	token := h.team("Early", "free").token()
	conn, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	var all bytes.Buffer
	all.WriteString("GET /extension/socket HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\nConnection: Upgrade\r\nUpgrade: h9, WebSocket\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nX-Request-Id: early\r\n\r\n")
	require.NoError(t, ws.WriteFrame(&all, ws.MaskFrame(ws.NewTextFrame(text(t, hello(token))))))
	require.NoError(t, ws.WriteFrame(&all, ws.MaskFrame(ws.NewPingFrame([]byte("x")))))
	_, err = conn.Write(all.Bytes())
	require.NoError(t, err)
	var reply bytes.Buffer
	for !bytes.HasSuffix(reply.Bytes(), []byte("\r\n\r\n")) {
		_, err := io.CopyN(&reply, conn, 1)
		require.NoError(t, err)
	}
	require.Contains(t, reply.String(), "HTTP/1.1 101 ")
	require.Contains(t, reply.String(), "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n")
	require.Contains(t, reply.String(), "X-Request-Id: early\r\n")
	s := &rawSocket{t: t, conn: conn, in: conn}
	s.hearAll(map[ws.OpCode]int{ws.OpText: 1, ws.OpPong: 1})
}

func TestMalformedFrames(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Malformed", "free")
	reserved := ws.NewTextFrame([]byte("{}"))
	reserved.Header.Rsv = 4
	for name, frame := range map[string]ws.Frame{
		"continuation of nothing": ws.MaskFrame(ws.NewFrame(ws.OpContinuation, true, nil)),
		"not masked":              ws.NewTextFrame([]byte("{}")),
		"reserved bit":            ws.MaskFrame(reserved),
		"reserved code":           ws.MaskFrame(ws.NewFrame(5, true, nil)),
		"large ping":              ws.MaskFrame(ws.NewPingFrame(make([]byte, 126))),
		"ping in fragments":       ws.MaskFrame(ws.NewFrame(ws.OpPing, false, nil)),
	} {
		s := h.dialRaw()
		s.join(m)
		raw, err := ws.CompileFrame(frame)
		require.NoError(t, err)
		_, err = s.conn.Write(append(raw, "and more"...))
		require.NoError(t, err)
		t.Log(name)
		s.ends(int(ws.StatusProtocolError))
	}
}

// The session's close is answered with its code, behind it the connection ends.
func TestCloseBySession(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Leaving", "free")
	for _, c := range []struct {
		body []byte
		code int
	}{
		{ws.NewCloseFrameBody(4000, "bye"), 4000},
		{ws.NewCloseFrameBody(ws.StatusGoingAway, ""), int(ws.StatusGoingAway)},
		{nil, int(ws.StatusNormalClosure)},
		{ws.NewCloseFrameBody(1005, ""), int(ws.StatusProtocolError)},
	} {
		s := h.dialRaw()
		s.join(m)
		s.send(ws.NewCloseFrame(c.body))
		s.ends(c.code)
		s.gone()
	}
	require.Eventually(t, func() bool {
		return strings.Contains(h.admin("GET", "/metrics", "").raw, `watchpost_gateway_connections{carrier="socket"} 0`)
	}, patience, time.Millisecond)
}

// A connection that the service ends skips frames until the client's close, and
// ends cleanly.
func TestCloseByServiceIsAnswered(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Answering", "free")
	token := m.token()
	s := h.dialRaw()
	s.send(ws.NewTextFrame(text(t, hello(token))))
	s.hear(ws.OpText)
	h.joinByPoll(token)
	s.ends(protocol.CloseReplaced)
	s.send(ws.NewTextFrame([]byte("no JSON")), ws.NewPingFrame([]byte("still")))
	require.Equal(t, "still", string(s.hear(ws.OpPong)))
	s.send(ws.NewCloseFrame(ws.NewCloseFrameBody(protocol.CloseReplaced, "")))
	s.gone()
}

// A session that does not answer a close frame is let go nevertheless.
func TestCloseWithoutAnswer(t *testing.T) {
	t.Parallel()
	h := build(t)
	s := h.dialRaw()
	s.send(ws.NewBinaryFrame([]byte("x")))
	s.ends(int(ws.StatusInvalidFramePayloadData))
	begun := time.Now()
	s.gone()
	require.Greater(t, time.Since(begun), 4*time.Second)
	require.Less(t, time.Since(begun), patience)
}

// A silent session gets the reason, and its connection ends.
func TestSilentSessionGetsTheReason(t *testing.T) {
	t.Parallel()
	h := build(t, func(o *httpapi.Options) { o.Timing.Silence = 50 * time.Millisecond })
	s := h.dialRaw()
	s.join(h.team("Dozing", "free"))
	s.ends(int(ws.StatusGoingAway))
	s.gone()
}
