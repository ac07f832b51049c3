package specs_test

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/specs/process"
)

// supervisor receives what a service tells it, as systemd does.
type supervisor struct {
	t    *testing.T
	conn *net.UnixConn
}

func newSupervisor(t *testing.T) (s supervisor, variable string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	return supervisor{t, conn}, "NOTIFY_SOCKET=" + path
}

// awaits reads messages until one has the state.
func (s supervisor) awaits(state string) {
	s.t.Helper()
	buffer := make([]byte, 4096)
	require.NoError(s.t, s.conn.SetReadDeadline(time.Now().Add(patience)))
	for {
		n, err := s.conn.Read(buffer)
		require.NoError(s.t, err, state)
		for line := range strings.SplitSeq(string(buffer[:n]), "\n") {
			if line == state {
				return
			}
		}
	}
}

// passed opens a socket as systemd does for a socket unit.
func passed(t *testing.T) (file *os.File, address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	file, err = listener.(*net.TCPListener).File()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, file.Close()) })
	require.NoError(t, listener.Close()) // the file stays open
	return file, listener.Addr().String()
}

// asUnit is a command that starts a program as systemd does: with its own process id
// in LISTEN_PID.
const asUnit = `LISTEN_PID=$$; export LISTEN_PID; exec "$0" "$@"`

// TestUnderSystemd: the service uses passed sockets, and tells a supervisor when it is
// ready, that it lives, that it reloads and that it stops (sd_notify(3),
// sd_listen_fds(3)). SIGHUP reads the certificate again.
func TestUnderSystemd(t *testing.T) {
	t.Parallel()
	program, err := binary()
	require.NoError(t, err)
	dir := t.TempDir()
	cert, key, trust := certificate(t, dir)
	system, notify := newSupervisor(t)
	api, apiAddress := passed(t)
	ops, opsAddress := passed(t)
	variables := []string{notify, "WATCHDOG_USEC=200000", "LISTEN_FDS=2", "LISTEN_FDNAMES=watchpost.socket:ops"}
	p, err := process.LaunchFiles([]*os.File{api, ops}, variables, "service", dir, "sh", "-c", asUnit, program,
		"serve", "--listen", "0.0.0.0:1", "--data", "data", "--admin-token", operatorToken, "--tls-cert", cert, "--tls-key", key)
	require.NoError(t, err)
	t.Cleanup(p.Kill)
	system.awaits("READY=1")
	system.awaits("WATCHDOG=1")
	system.awaits("WATCHDOG=1")
	url, err := p.URL()
	require.NoError(t, err)
	require.Equal(t, "https://"+apiAddress, url)

	ask := func(trust *x509.CertPool, url string) {
		t.Helper()
		client := &http.Client{Timeout: patience, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trust}}}
		defer client.CloseIdleConnections()
		response, err := client.Get(url)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, response.StatusCode)
		require.NoError(t, response.Body.Close())
	}
	ask(trust, url+"/healthz")
	ask(trust, "https://"+opsAddress+"/metrics")
	_, _, renewed := certificate(t, dir)
	require.NoError(t, syscall.Kill(p.PID(), syscall.SIGHUP))
	system.awaits("RELOADING=1")
	system.awaits("READY=1")
	_, err = p.Await("read the changed TLS certificate") // before any handshake
	require.NoError(t, err)
	ask(renewed, url+"/healthz")

	require.NoError(t, syscall.Kill(p.PID(), syscall.SIGTERM))
	system.awaits("STOPPING=1")
	<-p.Done()
	require.Zero(t, p.ExitCode(), p.Tail())
}

// TestPassedSocketsAreChecked: a passed socket that other machines can reach needs TLS
// as an address of the configuration does.
func TestPassedSocketsAreChecked(t *testing.T) {
	t.Parallel()
	program, err := binary()
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "0.0.0.0:0")
	require.NoError(t, err)
	defer listener.Close()
	open, err := listener.(*net.TCPListener).File()
	require.NoError(t, err)
	defer open.Close()
	local, err := net.Listen("unix", filepath.Join(t.TempDir(), "socket"))
	require.NoError(t, err)
	defer local.Close()
	unix, err := local.(*net.UnixListener).File()
	require.NoError(t, err)
	defer unix.Close()
	for says, file := range map[string]*os.File{"is not loopback": open, "want a TCP socket": unix} {
		p, err := process.LaunchFiles([]*os.File{file}, []string{"LISTEN_FDS=1"}, "service", t.TempDir(), "sh", "-c", asUnit, program, "serve", "--data", "data")
		require.NoError(t, err)
		<-p.Done()
		require.Equal(t, 1, p.ExitCode())
		require.Contains(t, p.Tail(), says)
	}
}
