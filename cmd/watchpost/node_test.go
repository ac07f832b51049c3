package main

import (
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/specs/process"
)

// TestStrangersAreNoNodes: a caller without a certificate of the cluster's authority gets
// nothing at the address for nodes, and is not called as a node.
func TestStrangersAreNoNodes(t *testing.T) {
	t.Parallel()
	log := slog.New(slog.DiscardHandler)
	configs := func() (server, client *tls.Config) { // each with a separate authority
		dir := t.TempDir()
		cert, key := filepath.Join(dir, "node.pem"), filepath.Join(dir, "node.key")
		require.NoError(t, process.WriteCertificate(cert, key))
		s := &service{log: log, config: &serveCommand{Advertise: "127.0.0.1:1", ClusterCert: cert, ClusterKey: key, ClusterCA: cert}}
		server, client, err := s.peerTLS()
		require.NoError(t, err)
		return server, client
	}
	ownServer, ownClient := configs()
	foreignServer, foreignClient := configs()
	listen := func(config *tls.Config) string {
		served := newPeerServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "node") }), log)
		served.TLSConfig = config
		return listening(t, served.Server)
	}
	ask := func(address string, config *tls.Config) error {
		transport := &http.Transport{TLSClientConfig: config}
		defer transport.CloseIdleConnections()
		request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "https://"+address+"/", http.NoBody)
		require.NoError(t, err)
		response, err := transport.RoundTrip(request)
		if err == nil {
			err = response.Body.Close()
		}
		return err
	}
	address := listen(ownServer)
	require.NoError(t, ask(address, ownClient))

	foreign := foreignClient.Clone()
	foreign.RootCAs = ownClient.RootCAs
	none := ownClient.Clone()
	none.GetClientCertificate = nil
	old := ownClient.Clone()
	old.MinVersion, old.MaxVersion = 0, tls.VersionTLS12
	for name, config := range map[string]*tls.Config{"no certificate": none, "another authority": foreign, "an old version": old} {
		require.Error(t, ask(address, config), name)
	}
	plain, err := net.Dial("tcp", address)
	require.NoError(t, err)
	defer plain.Close()
	_, err = io.WriteString(plain, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	require.NoError(t, err)
	reply, _ := io.ReadAll(plain)
	require.NotContains(t, string(reply), "node")

	accepting := foreignServer.Clone()
	accepting.ClientAuth = tls.NoClientCert
	require.Error(t, ask(listen(accepting), ownClient), "a server of another authority")
}

// TestNodeWithAnUnfitCertificate does not start: the others would refuse it.
func TestNodeWithAnUnfitCertificate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key, foreign := filepath.Join(dir, "node.pem"), filepath.Join(dir, "node.key"), filepath.Join(dir, "foreign.pem")
	require.NoError(t, process.WriteCertificate(cert, key))
	require.NoError(t, process.WriteCertificate(foreign, filepath.Join(dir, "foreign.key")))
	start := func(advertise, authority string) error {
		s := &service{log: slog.New(slog.DiscardHandler), config: &serveCommand{Advertise: advertise, ClusterCert: cert, ClusterKey: key, ClusterCA: authority}}
		_, _, err := s.peerTLS()
		return err
	}
	require.NoError(t, start("127.0.0.1:1", cert))
	require.ErrorContains(t, start("10.0.0.2:1", cert), "10.0.0.2")
	require.ErrorContains(t, start("node2.example:1", cert), "node2.example")
	require.ErrorContains(t, start("127.0.0.1:1", foreign), "--cluster-ca")
	require.ErrorContains(t, start("127.0.0.1:1", filepath.Join(dir, "none")), "--cluster-ca")
}
