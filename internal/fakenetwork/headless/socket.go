package headless

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"watchpost/internal/protocol"
)

// Real-time periods of a socket.
const (
	dialTime = 15 * time.Second
	// pingEvery and pingTime detect connections that died silently.
	pingEvery = 20 * time.Second
	pingTime  = 10 * time.Second
	writeTime = 30 * time.Second
)

// socketTransport exchanges frames over a WebSocket.
type socketTransport struct {
	server string
	client *http.Client
}

func (c *socketTransport) name() string { return "socket" }

// exchange implements transport.
func (c *socketTransport) exchange(ctx context.Context, out *outbox, in func(protocol.Frame)) error {
	origin, err := parseOrigin(c.server)
	if err != nil {
		return err
	}
	dialing, cancelDial := context.WithTimeout(ctx, dialTime)
	conn, _, err := websocket.Dial( //nolint:bodyclose // the library closes it
		dialing, origin.String()+"/extension/socket", &websocket.DialOptions{HTTPClient: c.client})
	cancelDial()
	if err != nil {
		return err
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(protocol.MaxFrame)

	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	// The goroutines close the connection when they fail, which ends the
	// reader.
	running.Go(func() { writeFrames(ctx, conn, out) })
	running.Go(func() { ping(ctx, conn) })
	for {
		_, b, err := conn.Read(ctx)
		if err != nil {
			return closeReason(err)
		}
		var f protocol.Frame
		if json.Unmarshal(b, &f) == nil { // an invalid frame is ignored like an unknown one
			in(f)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// closeReason converts the close codes that end a session to its errors.
func closeReason(err error) error {
	switch websocket.CloseStatus(err) {
	case protocol.CloseUnauthorised:
		return ErrRevoked
	case protocol.CloseReplaced:
		return ErrReplaced
	default:
		return err
	}
}

// writeFrames sends frames added to out until the connection ends.
func writeFrames(ctx context.Context, conn *websocket.Conn, out *outbox) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-out.filled:
		}
		for _, f := range out.take(protocol.MaxFrame) {
			if err := writeFrame(ctx, conn, f); err != nil {
				_ = conn.CloseNow()
				return
			}
		}
	}
}

func writeFrame(ctx context.Context, conn *websocket.Conn, f protocol.Frame) error {
	b, err := json.Marshal(f)
	if err != nil {
		return err
	}
	if len(b) > protocol.MaxFrame {
		return errors.New("frame too large")
	}
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	return conn.Write(ctx, websocket.MessageText, b)
}

// ping closes the connection when the other side no longer replies.
func ping(ctx context.Context, conn *websocket.Conn) {
	ticks := time.NewTicker(pingEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		within, cancel := context.WithTimeout(ctx, pingTime)
		err := conn.Ping(within)
		cancel()
		if err != nil {
			_ = conn.CloseNow()
			return
		}
	}
}
