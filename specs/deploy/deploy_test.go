// Package deploy checks the files of the folder deploy: rules, dashboard, unit,
// secrets, and what the runbook says about backups.
package deploy

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const folder = "../../deploy"

// tool returns the path of a program. make deploy-tools and long-tools install those that
// may be missing; on the build server a missing one is a failure.
func tool(t *testing.T, name string) string {
	t.Helper()
	if local, err := filepath.Abs(filepath.Join("../../bin/tools", name)); err == nil {
		if _, err := os.Stat(local); err == nil {
			return local
		}
	}
	path, err := exec.LookPath(name)
	if err != nil && os.Getenv("CI") == "" {
		t.Skipf("%s is not installed: make deploy-tools", name)
	}
	require.NoError(t, err)
	return path
}

func output(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s %v\n%s", name, args, out)
	return string(out)
}

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, name))
	require.NoError(t, err)
	return string(content)
}

// TestBackupFoldersAreWritable: every folder for backups that the texts name is one that
// the unit lets the service write to.
func TestBackupFoldersAreWritable(t *testing.T) {
	unit := read(t, "watchpost.service")
	require.Contains(t, unit, "ProtectSystem=strict\n")
	state := "/var/lib/" + regexp.MustCompile(`(?m)^StateDirectory=(\w+)$`).FindStringSubmatch(unit)[1] + "/"
	named := 0
	for _, text := range []string{"../README.md", "RUNBOOK.md", "package/env"} {
		for _, found := range regexp.MustCompile(`(?:--backup-to|--from|WATCHPOST_BACKUP_TO)[ =](/[^\s`+"`"+`]*)`).FindAllStringSubmatch(read(t, text), -1) {
			if found[1]+"/" == state { // a store, for watchpost migrate
				continue
			}
			named++
			require.True(t, strings.HasPrefix(found[1], state), "%s names %s", text, found[1])
		}
	}
	require.Greater(t, named, 3)
}

// TestUnit checks the systemd units.
func TestUnit(t *testing.T) {
	analyze := tool(t, "systemd-analyze")
	unit := strings.ReplaceAll(read(t, "watchpost.service"), "/usr/local/bin/watchpost", "/bin/true")
	file := filepath.Join(t.TempDir(), "watchpost.service")
	require.NoError(t, os.WriteFile(file, []byte(unit), 0o600))
	socket := filepath.Join(filepath.Dir(file), "watchpost.socket")
	require.NoError(t, os.WriteFile(socket, []byte(read(t, "watchpost.socket")), 0o600))
	for line := range strings.Lines(output(t, ".", analyze, "verify", "--man=no", file, socket)) {
		require.NotContains(t, line, "watchpost", "systemd complains")
	}
}

// TestRegistrationIsClosed: a service that is started by a shipped file lets no stranger
// make a team.
func TestRegistrationIsClosed(t *testing.T) {
	t.Parallel()
	setting := regexp.MustCompile(`(?m)^[^#\n]*WATCHPOST_REGISTRATION(?:=|: |, value: )(\w+)`)
	for _, name := range []string{"watchpost.service", "compose.yaml", "compose.cluster.yaml", "kubernetes/nodes.yaml", "Dockerfile"} {
		found := setting.FindAllStringSubmatch(read(t, name), -1)
		require.Len(t, found, 1, name)
		require.Equal(t, "closed", found[0][1], name)
	}
	require.Empty(t, setting.FindAllString(read(t, "package/env"), -1), "the unit decides")
}

// TestSecrets makes secrets twice and connects two nodes with them.
func TestSecrets(t *testing.T) {
	tool(t, "openssl")
	script, err := filepath.Abs(filepath.Join(folder, "make-secrets"))
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "secrets")
	output(t, ".", script, dir, "*.watchpost-nodes", "watchpost1", "10.0.0.1", "fd00::1", "10.example")
	made := map[string]string{}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		made[e.Name()] = string(content)
	}
	require.Len(t, made, 8)
	output(t, ".", script, dir, "*.watchpost-nodes")
	for name, before := range made {
		content, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, before, string(content), name)
	}
	key, err := os.Stat(filepath.Join(dir, "ca.key"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), key.Mode())

	pair, err := tls.X509KeyPair([]byte(made["node.pem"]), []byte(made["node.key"]))
	require.NoError(t, err)
	authority := x509.NewCertPool()
	require.True(t, authority.AppendCertsFromPEM([]byte(made["ca.pem"])))
	for _, host := range []string{"watchpost-2.watchpost-nodes", "watchpost1", "10.0.0.1", "fd00::1", "10.example"} {
		a, b := net.Pipe()
		node := tls.Server(a, &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: authority, ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS13})
		peer := tls.Client(b, &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: authority, ServerName: host, MinVersion: tls.VersionTLS13})
		ended := make(chan error, 1)
		go func() { ended <- node.HandshakeContext(t.Context()) }()
		require.NoError(t, peer.HandshakeContext(t.Context()), host)
		require.NoError(t, <-ended)
		require.NoError(t, a.Close())
		require.NoError(t, b.Close())
	}
}
