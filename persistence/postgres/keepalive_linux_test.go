package postgres

import (
	"net"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestKeepalives: both ends of every connection find out that the other's machine has gone.
func TestKeepalives(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, listener.Close()) }()
	commits, views, err := configure("postgres://watchpost@" + listener.Addr().String() + "/watchpost?connect_timeout=3")
	require.NoError(t, err)
	for _, config := range []*pgxpool.Config{commits, views} {
		require.Equal(t, "10", config.ConnConfig.RuntimeParams["tcp_keepalives_idle"])
		conn, err := config.ConnConfig.DialFunc(t.Context(), "tcp", listener.Addr().String())
		require.NoError(t, err)
		raw, err := conn.(*net.TCPConn).SyscallConn()
		require.NoError(t, err)
		var idle int
		require.NoError(t, raw.Control(func(fd uintptr) {
			idle, err = unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_KEEPIDLE)
		}))
		require.NoError(t, err)
		require.Equal(t, 10, idle)
		require.NoError(t, conn.Close())
	}
}
