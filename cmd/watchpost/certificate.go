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

// certificate is the TLS certificate of the service. It reads both files again
// at the first handshake after one of them changed. While they do not form a
// pair, for example in the middle of a renewal, it keeps the previous
// certificate.
type certificate struct {
	certFile, keyFile string
	log               *slog.Logger

	mu      sync.Mutex
	seen    [2]fileState
	current *tls.Certificate
}

// fileState identifies a version of a file.
type fileState struct {
	changed time.Time
	size    int64
}

// openCertificate reads both files. Errors name the flag.
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

// get implements tls.Config.GetCertificate.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.state(); now != c.seen {
		c.replace(now)
	}
	return c.current, nil
}

// reload reads both files again, changed or not.
func (c *certificate) reload() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.replace(c.state())
}

// replace reads the files of a state. The caller holds mu.
func (c *certificate) replace(now [2]fileState) {
	c.seen = now
	read, err := c.read()
	if err != nil {
		c.log.Error("cannot use the changed TLS certificate; keeping the previous one", "error", err)
		return
	}
	c.current = read
	c.log.Info("read the changed TLS certificate", "file", c.certFile, "expires", read.Leaf.NotAfter)
}
