package edge

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gobwas/ws"
	"github.com/stretchr/testify/require"

	"watchpost/internal/protocol"
)

// TestHelloAtTheOwner: the owner gets the handshake and the hello, and no data is lost
// that the owner sends right behind its reply.
func TestHelloAtTheOwner(t *testing.T) {
	t.Parallel()
	for reply, want := range map[string]error{
		"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nwelcome": nil,
		"HTTP/1.1 421 Misdirected Request\r\nContent-Length: 0\r\n\r\n":                                errNotTaken,
		"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n":                                errOwnerFull,
	} {
		up, owner := net.Pipe()
		got := make(chan string, 1)
		go func() {
			defer func() { _ = owner.Close() }()
			in := bufio.NewReader(owner)
			r, err := http.ReadRequest(in)
			if err != nil {
				got <- err.Error()
				return
			}
			_, _ = io.WriteString(owner, reply)
			frame, err := ws.ReadFrame(in)
			if err != nil {
				got <- r.Method
				return
			}
			got <- r.Method + " " + string(ws.UnmaskFrameInPlace(frame).Payload)
			_, _ = io.WriteString(owner, ", and more")
		}()
		ahead, err := sayHello(up, httptest.NewRequest(http.MethodGet, "/extension/socket", nil), protocol.Frame{Type: protocol.TypeHello, Token: "t"})
		require.ErrorIs(t, err, want)
		if want == nil {
			require.Equal(t, `GET {"type":"hello","token":"t"}`, <-got)
			all, err := io.ReadAll(&ownerSocket{up, ahead})
			require.NoError(t, err)
			require.Equal(t, "welcome, and more", string(all))
			continue
		}
		require.NoError(t, up.Close())
		require.Equal(t, http.MethodGet, <-got)
	}
}
