package main

import (
	"crypto/tls"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"
)

// certificate is the TLS certificate of the service. It reads the files again at
// the next handshake after one of them has changed; while they are no pair, as in
// the middle of a renewal, the certificate before stays in use.
type certificate struct {
	certFile, keyFile string
	log               *slog.Logger

	mu      sync.Mutex
	seen    [2]fileState
	current *tls.Certificate
}

// fileState tells a version of a file from others.
type fileState struct {
	changed time.Time
	size    int64
}

// openCertificate reads the files. Errors name the flags.
func openCertificate(certFile, keyFile string, log *slog.Logger) (*certificate, error) {
	c := &certificate{certFile: certFile, keyFile: keyFile, log: log}
	c.seen = c.state()
	var err error
	c.current, err = c.read()
	return c, err
}

func (c *certificate) read() (*tls.Certificate, error) {
	cert, err := os.ReadFile(c.certFile)
	if err != nil {
		return nil, fmt.Errorf("--tls-cert: %w", err)
	}
	key, err := os.ReadFile(c.keyFile)
	if err != nil {
		return nil, fmt.Errorf("--tls-key: %w", err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("--tls-cert %s and --tls-key %s: %w", c.certFile, c.keyFile, err)
	}
	return &pair, nil
}

func (c *certificate) state() (s [2]fileState) {
	for i, file := range []string{c.certFile, c.keyFile} {
		var info fs.FileInfo
		if info, _ = os.Stat(file); info != nil {
			s[i] = fileState{info.ModTime(), info.Size()}
		}
	}
	return s
}

// get is tls.Config.GetCertificate.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.state()
	if now == c.seen {
		return c.current, nil
	}
	c.seen = now
	read, err := c.read()
	if err != nil {
		c.log.Error("the changed TLS certificate cannot be used, the previous one stays", "error", err)
		return c.current, nil
	}
	c.current = read
	c.log.Info("read the changed TLS certificate", "file", c.certFile, "expires", read.Leaf.NotAfter)
	return c.current, nil
}
