// Package mailtest provides a real mail server for tests, on a local port, with
// a generated certificate and scripted behavior.
package mailtest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"
)

// User and Password are the credentials that the server accepts.
const (
	User     = "watchpost"
	Password = "correct horse"
)

// Wait bounds each wait of a test.
const Wait = 2 * time.Minute

// Options change the server's capabilities.
type Options struct {
	NoStartTLS  bool // plain only
	Implicit    bool // TLS from the first byte
	NoAuth      bool // accepts mail without authentication
	PlainSecret bool // allows AUTH without TLS
}

// Server is the mail server.
type Server struct {
	Host  string
	Port  int
	Roots *x509.CertPool // for clients that verify its certificate

	t    testing.TB
	cert []byte

	mu      sync.Mutex
	mails   []Mail
	came    chan struct{} // closed at the next mail
	replies []*smtp.SMTPError
	hang    chan struct{} // deliveries wait for it if set
	tries   int
}

// Mail is a mail that the server accepted.
type Mail struct {
	From, To string
	TLS      bool
	User     string // the signed-in user
	Raw      string
	Header   mail.Header
	Body     string
}

// Start starts a server that stops with the test.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	s := &Server{Host: "127.0.0.1", t: t, came: make(chan struct{})}
	certificate := s.certificate()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	s.Port, err = strconv.Atoi(port)
	require.NoError(t, err)
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		return &session{server: s, conn: c, open: o.NoAuth}, nil
	}))
	server.Domain, server.AllowInsecureAuth = "localhost", o.PlainSecret
	server.ErrorLog = silent{}
	config := &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	switch {
	case o.Implicit:
		listener = tls.NewListener(listener, config)
	case !o.NoStartTLS:
		server.TLSConfig = config
	}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) })
	t.Cleanup(func() {
		s.Resume()
		_ = server.Close()
		serving.Wait()
	})
	return s
}

type silent struct{}

// Printf implements smtp.Logger.
func (silent) Printf(string, ...any) {}

// Println implements smtp.Logger.
func (silent) Println(...any) {}

func (s *Server) certificate() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(s.t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "mailtest"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"localhost"},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(s.t, err)
	s.cert = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	s.Roots = x509.NewCertPool()
	require.True(s.t, s.Roots.AppendCertsFromPEM(s.cert))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// CertificateFile writes the certificate to a file and returns the file's name.
func (s *Server) CertificateFile() string {
	name := filepath.Join(s.t.TempDir(), "mail.pem")
	require.NoError(s.t, os.WriteFile(name, s.cert, 0o600))
	return name
}

// Refuse answers the next recipients with these codes, one each.
func (s *Server) Refuse(codes ...int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, code := range codes {
		s.replies = append(s.replies, &smtp.SMTPError{Code: code, EnhancedCode: smtp.EnhancedCode{code / 100, 0, 0}, Message: "scripted"})
	}
}

// Hang blocks every delivery until Resume.
func (s *Server) Hang() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hang = make(chan struct{})
}

// Resume ends Hang.
func (s *Server) Resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hang != nil {
		close(s.hang)
		s.hang = nil
	}
}

// Tries returns the number of recipients received so far.
func (s *Server) Tries() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tries
}

// Mails returns the mails accepted so far.
func (s *Server) Mails() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Mail(nil), s.mails...)
}

// Await waits for n mails and returns them.
func (s *Server) Await(n int) []Mail {
	s.t.Helper()
	timeout := time.After(Wait)
	for {
		s.mu.Lock()
		mails, came := append([]Mail(nil), s.mails...), s.came
		s.mu.Unlock()
		if len(mails) >= n {
			return mails[:n]
		}
		select {
		case <-came:
		case <-timeout:
			require.FailNow(s.t, "no mail", "%d of %d came", len(mails), n)
		}
	}
}

// session is one connection to the server.
type session struct {
	server *Server
	conn   *smtp.Conn
	open   bool
	user   string
	mail   Mail
}

// AuthMechanisms implements smtp.AuthSession.
func (s *session) AuthMechanisms() []string {
	if s.open {
		return nil
	}
	return []string{sasl.Plain}
}

// Auth implements smtp.AuthSession.
func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != User || password != Password {
			return smtp.ErrAuthFailed
		}
		s.user = user
		return nil
	}), nil
}

// Reset implements smtp.Session.
func (s *session) Reset() { s.mail = Mail{} }

// Logout implements smtp.Session.
func (s *session) Logout() error { return nil }

// Mail implements smtp.Session.
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if !s.open && s.user == "" {
		return smtp.ErrAuthRequired
	}
	_, secured := s.conn.TLSConnectionState()
	s.mail = Mail{From: from, TLS: secured, User: s.user}
	return nil
}

// Rcpt implements smtp.Session.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.tries++
	if len(s.server.replies) > 0 {
		reply := s.server.replies[0]
		s.server.replies = s.server.replies[1:]
		return reply
	}
	s.mail.To = to
	return nil
}

// Data implements smtp.Session.
func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	message, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	body := message.Body
	if strings.EqualFold(message.Header.Get("Content-Transfer-Encoding"), "quoted-printable") {
		body = quotedprintable.NewReader(body)
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	s.mail.Raw, s.mail.Header, s.mail.Body = string(raw), message.Header, string(text)
	s.server.mu.Lock()
	hang := s.server.hang
	s.server.mu.Unlock()
	if hang != nil {
		<-hang
	}
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.mails = append(s.server.mails, s.mail)
	close(s.server.came)
	s.server.came = make(chan struct{})
	return nil
}
