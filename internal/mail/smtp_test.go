package mail_test

import (
	"context"
	"crypto/x509"
	"errors"
	"log/slog"
	"mime"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"watchpost/internal/mail"
	"watchpost/internal/mail/mailtest"
	"watchpost/internal/mail/outgoing"
	"watchpost/watchpost"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var letter = outgoing.Mail{To: "ada@acme.example", Subject: "Your code: grüße", Body: "Your code is 123456.\n\nA line with a . alone:\n.\nend\n"}

// mailer returns an SMTP for a server.
func mailer(t *testing.T, s *mailtest.Server, changes ...func(*mail.SMTPOptions)) *mail.SMTP {
	t.Helper()
	o := mail.SMTPOptions{
		Host: s.Host, Port: s.Port, User: mailtest.User, Password: mailtest.Password, From: "no-reply@watchpost.example",
		Roots: s.Roots, Clock: watchpost.SystemClock{}, Timeout: mailtest.Wait,
	}
	for _, change := range changes {
		change(&o)
	}
	m, err := mail.NewSMTP(o)
	require.NoError(t, err)
	return m
}

func nobody(o *mail.SMTPOptions) { o.User, o.Password = "", "" }

func with(policy mail.TLSPolicy) func(*mail.SMTPOptions) {
	return func(o *mail.SMTPOptions) { o.TLS = policy }
}

// fails sends a mail that is rejected and returns the error.
func fails(t *testing.T, m outgoing.Mailer, one outgoing.Mail) *mail.DeliveryError {
	t.Helper()
	err := m.Send(context.Background(), one)
	var delivery *mail.DeliveryError
	require.ErrorAs(t, err, &delivery)
	return delivery
}

func TestDelivery(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		server  mailtest.Options
		changes []func(*mail.SMTPOptions)
		tls     bool
		user    string
	}{
		"STARTTLS and AUTH":         {tls: true, user: mailtest.User},
		"STARTTLS without AUTH":     {mailtest.Options{NoAuth: true}, []func(*mail.SMTPOptions){nobody}, true, ""},
		"TLS from the first byte":   {mailtest.Options{Implicit: true}, []func(*mail.SMTPOptions){with(mail.TLSImplicit)}, true, mailtest.User},
		"plain, on this machine":    {mailtest.Options{NoStartTLS: true, NoAuth: true}, []func(*mail.SMTPOptions){with(mail.TLSNone), nobody}, false, ""},
		"AUTH without TLS, also":    {mailtest.Options{NoStartTLS: true, PlainSecret: true}, []func(*mail.SMTPOptions){with(mail.TLSNone)}, false, mailtest.User},
		"plain though TLS is there": {mailtest.Options{NoAuth: true}, []func(*mail.SMTPOptions){with(mail.TLSNone), nobody}, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mailtest.Start(t, c.server)
			require.NoError(t, mailer(t, s, c.changes...).Send(context.Background(), letter))
			got := s.Await(1)[0]
			require.Equal(t, c.tls, got.TLS)
			require.Equal(t, c.user, got.User)
			require.Equal(t, "no-reply@watchpost.example", got.From)
			require.Equal(t, letter.To, got.To)
			require.Equal(t, letter.Body, strings.ReplaceAll(got.Body, "\r\n", "\n"))
			require.Equal(t, "<ada@acme.example>", got.Header.Get("To"))
			require.Equal(t, `"Watchpost" <no-reply@watchpost.example>`, got.Header.Get("From"))
			require.Regexp(t, `^<[0-9a-f-]{36}@watchpost\.example>$`, got.Header.Get("Message-ID"))
			require.Equal(t, "auto-generated", got.Header.Get("Auto-Submitted"))
			date, err := got.Header.Date()
			require.NoError(t, err)
			require.WithinDuration(t, time.Now(), date, time.Minute)
			require.NotContains(t, got.Raw, "go-mail")
		})
	}
}

// TestNothingWithoutTLS: a server without TLS or with a wrong certificate
// receives neither the mail nor the password.
func TestNothingWithoutTLS(t *testing.T) {
	t.Parallel()
	plain := mailtest.Start(t, mailtest.Options{NoStartTLS: true, PlainSecret: true})
	require.False(t, fails(t, mailer(t, plain), letter).Temporary)
	require.Zero(t, plain.Tries())

	other := mailtest.Start(t, mailtest.Options{})
	require.False(t, fails(t, mailer(t, other, func(o *mail.SMTPOptions) { o.Roots = x509.NewCertPool() }), letter).Temporary)
	implicit := mailtest.Start(t, mailtest.Options{Implicit: true})
	require.False(t, fails(t, mailer(t, implicit, with(mail.TLSImplicit), func(o *mail.SMTPOptions) { o.Roots = nil }), letter).Temporary)
	require.Zero(t, other.Tries()+implicit.Tries())
}

func TestTemporaryAndPermanent(t *testing.T) {
	t.Parallel()
	s := mailtest.Start(t, mailtest.Options{})
	m := mailer(t, s)
	for code, temporary := range map[int]bool{451: true, 421: true, 450: true, 550: false, 554: false} {
		s.Refuse(code)
		failure := fails(t, m, letter)
		require.Equal(t, code, failure.Code, "%v", failure)
		require.Equal(t, temporary, failure.Temporary, "%v", failure)
		require.NotContains(t, failure.Error(), "123456")
		require.NotContains(t, failure.Error(), mailtest.Password)
	}
	require.NoError(t, m.Send(context.Background(), letter))

	t.Run("a wrong password is permanent", func(t *testing.T) {
		failure := fails(t, mailer(t, s, func(o *mail.SMTPOptions) { o.Password = "wrong" }), letter)
		require.Equal(t, 535, failure.Code)
		require.False(t, failure.Temporary)
	})
	t.Run("a server that asks for a password is permanent", func(t *testing.T) {
		require.False(t, fails(t, mailer(t, s, nobody), letter).Temporary)
	})
	t.Run("nobody listens", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		port := listener.Addr().(*net.TCPAddr).Port
		require.NoError(t, listener.Close())
		require.True(t, fails(t, mailer(t, s, func(o *mail.SMTPOptions) { o.Port = port }), letter).Temporary)
	})
}

func TestSlowServer(t *testing.T) {
	t.Parallel()
	s := mailtest.Start(t, mailtest.Options{})
	s.Hang()
	failure := fails(t, mailer(t, s, func(o *mail.SMTPOptions) { o.Timeout = 300 * time.Millisecond }), letter)
	require.True(t, failure.Temporary, "%v", failure)

	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- mailer(t, s).Send(ctx, letter) }()
	require.Eventually(t, func() bool { return s.Tries() == 2 }, mailtest.Wait, time.Millisecond)
	cancel()
	select {
	case err := <-done:
		require.Error(t, err)
	case <-time.After(mailtest.Wait / 2):
		require.Fail(t, "the end of the context does not end the delivery")
	}

	t.Run("one that says nothing at all", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer listener.Close()
		mute := mailer(t, s, func(o *mail.SMTPOptions) {
			o.Port, o.Timeout = listener.Addr().(*net.TCPAddr).Port, 200*time.Millisecond
		})
		require.True(t, fails(t, mute, letter).Temporary)
	})
}

// TestHeadersCannotBeInjected: fields of a mail cannot add headers.
func TestHeadersCannotBeInjected(t *testing.T) {
	t.Parallel()
	s := mailtest.Start(t, mailtest.Options{})
	folder, err := mail.NewFolder(t.TempDir(), watchpost.SystemClock{}, discard())
	require.NoError(t, err)
	for _, bad := range []outgoing.Mail{
		{To: "ada@acme.example\r\nBcc: eve@evil.example", Subject: "s"},
		{To: "ada@acme.example, eve@evil.example", Subject: "s"},
		{To: "Ada <ada@acme.example>", Subject: "s"},
		{To: "ada@acme.example>\r\nDATA", Subject: "s"},
		{To: "", Subject: "s"},
		{To: "ada@acme.example", Subject: "s\r\nBcc: eve@evil.example"},
		{To: "ada@acme.example", Subject: "s\nX: y"},
		{To: "ada@acme.example", Subject: "s\x00"},
	} {
		require.False(t, fails(t, mailer(t, s), bad).Temporary)
		if strings.ContainsAny(bad.To+bad.Subject, "\r\n\x00") {
			require.Error(t, folder.Send(context.Background(), bad))
		}
	}
	require.Empty(t, s.Mails())
	tricky := outgoing.Mail{To: "ada@acme.example", Subject: "=?utf-8?q?a=0d=0aBcc:?= " + strings.Repeat("long ", 60), Body: "\r\n.\r\nQUIT\r\nBcc: eve@evil.example\r\n"}
	require.NoError(t, mailer(t, s).Send(context.Background(), tricky))
	got := s.Await(1)[0]
	require.Empty(t, got.Header.Get("Bcc"))
	require.Contains(t, got.Body, "QUIT")
}

func TestSMTPOptions(t *testing.T) {
	t.Parallel()
	good := mail.SMTPOptions{Host: "mail.example", From: "a@b.example", Clock: watchpost.SystemClock{}}
	_, err := mail.NewSMTP(good)
	require.NoError(t, err)
	for name, change := range map[string]func(*mail.SMTPOptions){
		"no host":               func(o *mail.SMTPOptions) { o.Host = "" },
		"no sender":             func(o *mail.SMTPOptions) { o.From = "" },
		"sender is no address":  func(o *mail.SMTPOptions) { o.From = "Watchpost <a@b.example>" },
		"user without password": func(o *mail.SMTPOptions) { o.User = "u" },
		"password without user": func(o *mail.SMTPOptions) { o.Password = "p" },
		"plain to elsewhere":    func(o *mail.SMTPOptions) { o.TLS = mail.TLSNone },
		"unknown policy":        func(o *mail.SMTPOptions) { o.TLS = "maybe" },
	} {
		o := good
		change(&o)
		_, err := mail.NewSMTP(o)
		require.Error(t, err, name)
	}
	for host, is := range map[string]bool{"localhost": true, "127.0.0.1": true, "::1": true, "127.0.0.2": true, "mail.example": false, "10.0.0.1": false, "localhost.example": false} {
		require.Equal(t, is, mail.Loopback(host), host)
	}
	require.ErrorIs(t, &mail.DeliveryError{Err: errors.ErrUnsupported}, errors.ErrUnsupported)
}

// TestLanguagesOverSMTP: a mail in German and one in Arabic arrive as they were written, and
// say their language, over SMTP and in a file.
func TestLanguagesOverSMTP(t *testing.T) {
	t.Parallel()
	server := mailtest.Start(t, mailtest.Options{})
	m := mailer(t, server)
	for n, sent := range []outgoing.Mail{
		outgoing.Code(outgoing.Recipient{Address: "ada@acme.example", Language: "de"}, "123456"),
		outgoing.Code(outgoing.Recipient{Address: "ada@acme.example", Language: "ar"}, "123456"),
		outgoing.Invitation(outgoing.Recipient{Address: "ada@acme.example", Language: "de"}, "bob@acme.example", "Acme", "https://watch.example", time.Unix(0, 0)),
		outgoing.Invitation(outgoing.Recipient{Address: "ada@acme.example", Language: "ar"}, "bob@acme.example", "Acme", "https://watch.example", time.Unix(0, 0)),
	} {
		require.NoError(t, m.Send(context.Background(), sent))
		got := server.Await(n + 1)[n]
		subject, err := new(mime.WordDecoder).DecodeHeader(got.Header.Get("Subject"))
		require.NoError(t, err)
		require.Equal(t, []string{sent.Subject, sent.Language}, []string{subject, got.Header.Get("Content-Language")})
		require.Equal(t, sent.Body, strings.ReplaceAll(got.Body, "\r\n", "\n"))

		dir := t.TempDir()
		folder, err := mail.NewFolder(dir, watchpost.SystemClock{}, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		require.NoError(t, folder.Send(context.Background(), sent))
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		require.NoError(t, err)
		written, err := os.ReadFile(files[0])
		require.NoError(t, err)
		require.Contains(t, string(written), "\r\nContent-Language: "+sent.Language+"\r\n")
	}
}
