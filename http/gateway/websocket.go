package gateway

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/gobwas/ws"

	"watchpost/http/endpoint"
)

const (
	// writeTimeout bounds the sending of one frame.
	writeTimeout = 10 * time.Second
	// closeTimeout bounds the wait for the answer to a close frame.
	closeTimeout = 5 * time.Second
)

// webSocket reads and writes WebSocket frames. It keeps no buffer but for the
// begin of a frame: the rest is read straight from the connection.
type webSocket struct {
	net net.Conn
	in  io.Reader // of net, behind what net/http had read already
	// ahead is the part of begin that was read and not used yet.
	begin [8]byte
	ahead []byte
	// unread is the rest of a frame that was refused.
	unread int64
}

// refusedError is a message that the service does not take: it ends the
// connection with this code.
type refusedError struct {
	code   int
	reason string
}

// Error implements error.
func (r refusedError) Error() string { return r.reason }

// closedError is the session's own end of the connection, or its answer to ours.
type closedError struct{ code int }

// Error implements error.
func (closedError) Error() string { return "closed by the session" }

// upgradeSocket answers the handshake and takes the connection from net/http.
func upgradeSocket(w http.ResponseWriter, r *http.Request) (*webSocket, error) {
	// The library does not read these two as lists over several lines.
	r.Header.Set("Connection", "Upgrade")
	r.Header.Set("Upgrade", "websocket")
	x := endpoint.StateOf(r.Context())
	x.AnsweredBy(http.StatusSwitchingProtocols) // by the library
	upgrader := ws.HTTPUpgrader{Timeout: writeTimeout, Header: http.Header{"X-Request-Id": {x.ID}}}
	conn, buffered, _, err := upgrader.Upgrade(r, w)
	if err != nil {
		if conn != nil {
			_ = conn.Close()
		}
		return nil, err
	}
	return &webSocket{net: conn, in: unbuffered(buffered.Reader, conn)}, nil
}

// unbuffered returns a reader of the connection that begins with what the
// buffered one has read ahead.
func unbuffered(buffered *bufio.Reader, conn net.Conn) io.Reader {
	if buffered.Buffered() == 0 {
		return conn
	}
	ahead, _ := buffered.Peek(buffered.Buffered()) // no error: so much is there
	return io.MultiReader(bytes.NewReader(bytes.Clone(ahead)), conn)
}

// await returns when data has arrived. A socket waits here most of the time, so it
// calls as few functions as possible: their frames stay on the stack.
func (s *webSocket) await() error {
	if len(s.ahead) > 0 {
		return nil
	}
	n, err := s.in.Read(s.begin[:])
	if n > 0 {
		s.ahead, err = s.begin[:n], nil
	}
	return err
}

// Read implements io.Reader.
func (s *webSocket) Read(p []byte) (int, error) {
	if len(s.ahead) == 0 {
		return s.in.Read(p)
	}
	n := copy(p, s.ahead)
	s.ahead = s.ahead[n:]
	return n, nil
}

// read appends the next text message to buf, and answers pings on the way. An
// error that is no refusedError or closedError is the connection's.
func (s *webSocket) read(buf *bytes.Buffer, limit int) error {
	for state := ws.StateServerSide; ; state = state.Set(ws.StateFragmented) {
		h, err := s.readHeader(state)
		if err != nil {
			return err
		}
		s.unread = h.Length
		switch {
		case h.OpCode == ws.OpBinary:
			return refusedError{closeBadPayload, textNoFrame}
		case h.Length > int64(limit-buf.Len()):
			return refusedError{closeTooBig, "message too big"}
		}
		if err := s.readPayload(buf, h); err != nil || h.Fin {
			return err
		}
	}
}

// readHeader returns the header of the next frame with data.
func (s *webSocket) readHeader(state ws.State) (ws.Header, error) {
	for {
		h, err := ws.ReadHeader(s)
		if errors.Is(err, ws.ErrHeaderLengthMSB) || errors.Is(err, ws.ErrHeaderLengthUnexpected) {
			return h, refusedError{closeProtocolError, "malformed frame"}
		}
		if err != nil {
			return h, err
		}
		if err := ws.CheckHeader(h, state); err != nil {
			s.unread = h.Length
			return h, refusedError{closeProtocolError, "malformed frame"}
		}
		if !h.OpCode.IsControl() {
			return h, nil
		}
		if err := s.control(h); err != nil {
			return h, err
		}
	}
}

func (s *webSocket) readPayload(buf *bytes.Buffer, h ws.Header) error {
	begin := buf.Len()
	n, err := io.CopyN(buf, s, h.Length)
	s.unread -= n
	ws.Cipher(buf.Bytes()[begin:], h.Mask, 0)
	return err
}

// control answers a ping and takes note of a close.
func (s *webSocket) control(h ws.Header) error {
	var buf bytes.Buffer
	if err := s.readPayload(&buf, h); err != nil {
		return err
	}
	switch h.OpCode {
	case ws.OpPing:
		return s.write(ws.OpPong, buf.Bytes())
	case ws.OpClose:
		if buf.Len() == 0 {
			return closedError{int(ws.StatusNormalClosure)}
		}
		code, reason := ws.ParseCloseFrameData(buf.Bytes())
		if ws.CheckCloseFrameData(code, reason) != nil {
			return closedError{closeProtocolError}
		}
		return closedError{int(code)}
	}
	return nil // an unsolicited pong
}

// drain reads on until the session has answered a close frame, or the read
// deadline: to close before would take the close frame from it, where there is
// something that was not read.
func (s *webSocket) drain() {
	for closed := false; ; {
		if _, err := io.CopyN(io.Discard, s, s.unread); err != nil || closed {
			return
		}
		h, err := ws.ReadHeader(s)
		if err != nil {
			return
		}
		s.unread, closed = h.Length, h.OpCode == ws.OpClose
	}
}

// write sends one frame. Several goroutines may: a net.Conn writes them one by
// one and whole.
func (s *webSocket) write(op ws.OpCode, payload []byte) error {
	frame, err := ws.CompileFrame(ws.NewFrame(op, true, payload))
	if err != nil {
		return err
	}
	if err := s.net.SetWriteDeadline(endpoint.RealNow().Add(writeTimeout)); err != nil {
		return err
	}
	_, err = s.net.Write(frame)
	return err
}

// writeClose sends the close frame and bounds the wait for its answer.
func (s *webSocket) writeClose(code int, reason string) error {
	if err := s.net.SetReadDeadline(endpoint.RealNow().Add(closeTimeout)); err != nil {
		return err
	}
	return s.write(ws.OpClose, ws.NewCloseFrameBody(ws.StatusCode(code), reason))
}
