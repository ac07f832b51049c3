package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"

	"watchpost/internal/cluster"
	"watchpost/persistence/postgres"
)

// checkCluster refuses a configuration that nodes could not share.
func (c *serveCommand) checkCluster() error {
	if !c.Cluster {
		if c.Advertise != "" || c.ClusterListen != "" || c.ClusterCert != "" || c.ClusterKey != "" || c.ClusterCA != "" {
			return errors.New("--advertise and --cluster-… need --cluster")
		}
		return nil
	}
	host, port, err := net.SplitHostPort(c.Advertise)
	switch {
	case !isDatabase(c.Store):
		return errors.New("--cluster needs --store postgres://…, the database that the nodes share")
	case err != nil || host == "" || port == "" || port == "0":
		return fmt.Errorf("--advertise %q: want the host and port at which the other nodes reach this one", c.Advertise)
	case c.ClusterCert == "" || c.ClusterKey == "" || c.ClusterCA == "":
		return errors.New("--cluster needs --cluster-cert, --cluster-key and --cluster-ca: nodes trust each other by certificate")
	case c.MasterKey == "" && c.MasterKeyFile == "":
		return errors.New("--cluster needs --master-key or --master-key-file: all nodes use the same key")
	}
	return nil
}

func isDatabase(url string) bool {
	return strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://")
}

// peerTLS returns the configurations for serving other nodes and for calling
// them. Both sides show a certificate of the cluster's authority.
func (s *service) peerTLS() (server, client *tls.Config, err error) {
	c := s.config
	own, err := openCertificate(c.ClusterCert, c.ClusterKey, s.log)
	if err != nil {
		return nil, nil, fmt.Errorf("--cluster-cert and --cluster-key: %w", err)
	}
	raw, err := os.ReadFile(c.ClusterCA)
	if err != nil {
		return nil, nil, fmt.Errorf("--cluster-ca: %w", err)
	}
	trusted := x509.NewCertPool()
	if !trusted.AppendCertsFromPEM(raw) {
		return nil, nil, fmt.Errorf("--cluster-ca %s: no certificate in it", c.ClusterCA)
	}
	host, _, _ := net.SplitHostPort(c.Advertise) // checkCluster has looked at it
	if err := cluster.VerifyCertificate(own.current, trusted, host); err != nil {
		return nil, nil, fmt.Errorf("the other nodes would refuse this one: --cluster-cert %s by --cluster-ca %s: %w", c.ClusterCert, c.ClusterCA, err)
	}
	server = &tls.Config{GetCertificate: own.get, ClientCAs: trusted, ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS13, NextProtos: []string{"http/1.1"}}
	client = &tls.Config{GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return own.get(nil) }, RootCAs: trusted, MinVersion: tls.VersionTLS13}
	return server, client, nil
}

// newNode makes this process a node that has not joined yet.
func (s *service) newNode() error {
	config, err := postgres.ConnConfig(s.config.Store)
	if err != nil {
		return err
	}
	s.node = cluster.New(cluster.Options{
		Config: config, ID: s.config.Advertise, Build: version, Log: s.log,
		Release:     func(ctx context.Context, serves func(string) bool) error { return s.registry.Release(ctx, serves) },
		ReleaseName: func(ctx context.Context, name string) error { return s.registry.ReleaseName(ctx, name) },
		Teams:       func() int { return s.registry.Active() },

		Transient: postgres.Transient,
		Reached:   func(ctx context.Context, others []string) error { return s.api.Reached(ctx, others) },
	})
	s.metrics.MustRegister(s.node.Collectors()...)
	return nil
}

// joinCluster serves the other nodes and becomes one of them. The listener comes
// first: others may forward at once.
func (s *service) joinCluster(ctx context.Context, peers *tls.Config) error {
	address := cmp.Or(s.config.ClusterListen, s.config.Advertise)
	s.peers = newPeerServer(s.api.PeerHandler(), s.log)
	if _, err := s.run(s.peers.Server, address, peers); err != nil {
		return fmt.Errorf("serve the nodes of the cluster: %w", err)
	}
	if err := s.node.Join(ctx); err != nil {
		return err
	}
	contact, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.endContact = stop
	s.running.Go(func() { s.api.KeepContact(contact) })
	return nil
}

// peerServer serves the other nodes.
type peerServer struct {
	*http.Server
	unused unusedConns
}

func newPeerServer(handler http.Handler, log *slog.Logger) *peerServer {
	p := &peerServer{Server: newServer(handler, log)}
	p.unused.conns = map[net.Conn]struct{}{}
	p.ConnState = p.unused.note
	return p
}

// unusedConns are connections without a request so far. The other nodes keep some, and
// http.Server.Shutdown waits 5 seconds for a request on each. A node that has given up
// its teams expects none, and its sender would ask another node.
type unusedConns struct {
	mu    sync.Mutex
	conns map[net.Conn]struct{}
}

func (u *unusedConns) note(conn net.Conn, state http.ConnState) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if state == http.StateNew {
		u.conns[conn] = struct{}{}
	} else {
		delete(u.conns, conn)
	}
}

func (u *unusedConns) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for conn := range u.conns {
		_ = conn.Close() // the server notes its end
	}
}

// sends reports whether the process that a sender of mails names may still send: its
// node is another member. Before the node has joined, no one knows.
func (s *service) sends(sender string) bool {
	id, _, _ := strings.Cut(sender, " ")
	if id == s.node.ID() {
		return false // an earlier process of this node
	}
	return s.node.Member(id) || !s.node.Member(s.node.ID())
}

// nodeFailed receives the error that ended the membership of a cluster.
func (s *service) nodeFailed() <-chan error {
	if s.node == nil {
		return nil
	}
	return s.node.Failed()
}
