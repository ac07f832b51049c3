package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/textproto"
	"slices"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"watchpost/internal/mail/outgoing"
	"watchpost/watchpost"
)

// TLSPolicy is the required encryption of a connection to a mail server.
type TLSPolicy string

// The policies. Under TLSStart, a server without STARTTLS receives no mail.
const (
	TLSStart    TLSPolicy = "starttls" // STARTTLS, or the connection ends
	TLSImplicit TLSPolicy = "tls"      // TLS from the first byte, as on port 465
	TLSNone     TLSPolicy = "none"     // no TLS: to this machine only
)

// SMTPOptions configure an SMTP. Host, From and Clock are required.
type SMTPOptions struct {
	Host     string
	Port     int // 0: 465 with TLSImplicit, else 587
	User     string
	Password string
	From     string    // the sender's address
	TLS      TLSPolicy // empty: TLSStart
	// Timeout bounds one delivery, from the connection to the server's last
	// reply; 0 means DefaultTimeout.
	Timeout time.Duration
	// Roots are the trusted authorities for the server's certificate; nil means
	// those of the system.
	Roots *x509.CertPool
	Clock watchpost.Clock
	Log   *slog.Logger
}

// DefaultTimeout bounds one delivery.
const DefaultTimeout = 30 * time.Second

// SMTP is a Mailer that delivers each mail to a mail server. Its errors are
// *DeliveryError.
type SMTP struct {
	o       SMTPOptions
	from    string
	options []gomail.Option
}

// DeliveryError is the reason why a mail server did not accept a mail.
type DeliveryError struct {
	// Temporary means that the same mail may be accepted later: the server
	// replied with 4xx, was unreachable, or stopped responding.
	Temporary bool
	Code      int // of the server; 0: no reply
	Err       error
}

// Error implements error.
func (e *DeliveryError) Error() string {
	kind := "permanent"
	if e.Temporary {
		kind = "temporary"
	}
	return fmt.Sprintf("mail not delivered (%s): %v", kind, e.Err)
}

// Unwrap returns the cause.
func (e *DeliveryError) Unwrap() error { return e.Err }

// NewSMTP validates the options. It does not connect.
func NewSMTP(o SMTPOptions) (*SMTP, error) {
	from, ok := watchpost.NormalizeEmail(o.From)
	switch {
	case o.Host == "" || o.Clock == nil:
		return nil, errors.New("mail: a host and a clock are required")
	case !ok:
		return nil, fmt.Errorf("mail: the sender %q is not an address", o.From)
	case (o.User == "") != (o.Password == ""):
		return nil, errors.New("mail: user and password belong together")
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	port := 587
	switch o.TLS {
	case "", TLSStart:
		o.TLS = TLSStart
	case TLSImplicit:
		port = 465
	case TLSNone:
		if !Loopback(o.Host) {
			return nil, fmt.Errorf("mail: TLS is required: %s is not this machine", o.Host)
		}
	default:
		return nil, fmt.Errorf("mail: unknown TLS policy %q", o.TLS)
	}
	if o.Port == 0 {
		o.Port = port
	}
	policy := gomail.NoTLS // for TLSImplicit, dial does TLS
	if o.TLS == TLSStart {
		policy = gomail.TLSMandatory
	}
	s := &SMTP{o: o, from: from}
	_, domain, _ := strings.Cut(from, "@")
	s.options = []gomail.Option{
		gomail.WithPort(o.Port), gomail.WithTimeout(o.Timeout), gomail.WithHELO(domain),
		gomail.WithTLSPolicy(policy), gomail.WithTLSConfig(s.tls()), gomail.WithoutNoop(),
	}
	if o.User != "" {
		s.options = append(s.options, gomail.WithUsername(o.User), gomail.WithPassword(o.Password),
			gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin))
	}
	_, err := gomail.NewClient(o.Host, s.options...)
	return s, err
}

// Loopback reports whether a host is this machine, by name or address.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (s *SMTP) tls() *tls.Config {
	return &tls.Config{ServerName: s.o.Host, RootCAs: s.o.Roots, MinVersion: tls.VersionTLS12}
}

// dial connects to the server. The connection ends with ctx.
func (s *SMTP) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil || s.o.TLS != TLSImplicit {
		return conn, err
	}
	secured := tls.Client(conn, s.tls())
	if err := secured.HandshakeContext(ctx); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return secured, nil
}

// Send implements outgoing.Mailer. When it returns without an error, the mail
// server has accepted the mail.
func (s *SMTP) Send(ctx context.Context, m outgoing.Mail) error {
	message, err := s.compose(m)
	if err != nil {
		return &DeliveryError{Err: err}
	}
	err = s.connect(ctx, func(ctx context.Context, client *gomail.Client) error {
		return client.DialAndSendWithContext(ctx, message)
	})
	if err != nil && !message.IsDelivered() {
		return classified(err)
	}
	s.o.Log.Info("mail sent", "to", m.To, "server", s.o.Host)
	return nil
}

// Check connects to the mail server, encrypts and signs in as Send would, and sends
// nothing.
func (s *SMTP) Check(ctx context.Context) error {
	return s.connect(ctx, func(ctx context.Context, client *gomail.Client) error {
		if err := client.DialWithContext(ctx); err != nil {
			return err
		}
		return client.Close()
	})
}

// connect calls use with a new client: deliveries share no state, and the context
// can end the connection.
func (s *SMTP) connect(ctx context.Context, use func(context.Context, *gomail.Client) error) error {
	ctx, cancel := context.WithTimeout(ctx, s.o.Timeout)
	defer cancel()
	var hold func() bool
	options := append(slices.Clone(s.options), gomail.WithDialContextFunc(func(dialing context.Context, network, address string) (net.Conn, error) {
		conn, err := s.dial(dialing, network, address)
		if err == nil {
			hold = context.AfterFunc(ctx, func() { _ = conn.Close() })
		}
		return conn, err
	}))
	client, err := gomail.NewClient(s.o.Host, options...)
	if err != nil {
		return err
	}
	err = use(ctx, client)
	if hold != nil {
		hold()
	}
	return err
}

// compose builds the message. The fields of a mail cannot add headers.
func (s *SMTP) compose(m outgoing.Mail) (*gomail.Msg, error) {
	if err := checkHeaders(m); err != nil {
		return nil, err
	}
	if to, ok := watchpost.NormalizeEmail(m.To); !ok || to != m.To {
		return nil, fmt.Errorf("mail to %q: not one plain address", m.To)
	}
	message := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := message.FromFormat("Watchpost", s.from); err != nil {
		return nil, err
	}
	if err := message.To(m.To); err != nil {
		return nil, err
	}
	now := s.o.Clock.Now()
	_, domain, _ := strings.Cut(s.from, "@")
	message.Subject(m.Subject)
	message.SetDateWithValue(now)
	message.SetMessageIDWithValue(watchpost.NewID(now) + "@" + domain)
	message.SetGenHeader("Auto-Submitted", "auto-generated")
	if m.Language != "" {
		message.SetGenHeader(gomail.HeaderContentLang, m.Language)
	}
	message.SetBodyString(gomail.TypeTextPlain, m.Body)
	return message, nil
}

// classified separates temporary failures from permanent ones.
func classified(err error) *DeliveryError {
	e := &DeliveryError{Err: err, Code: replyCode(err)}
	var network net.Error
	var certificate *tls.CertificateVerificationError
	switch {
	case e.Code != 0:
		e.Temporary = e.Code < 500
	case errors.As(err, &certificate):
		// A wrong certificate is permanent: a retry would fail again.
	case errors.As(err, &network), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed),
		errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		e.Temporary = true
	default:
		// A connection that broke off has no code either.
		var sending *gomail.SendError
		e.Temporary = errors.As(err, &sending) && sending.ErrorCode() == 0 && sending.Reason != gomail.ErrGetSender && sending.Reason != gomail.ErrGetRcpts
	}
	return e
}

// replyCode returns the server's reply code from an error, or 0.
func replyCode(err error) int {
	var reply *textproto.Error
	if errors.As(err, &reply) {
		return reply.Code
	}
	var sending *gomail.SendError
	if errors.As(err, &sending) {
		return sending.ErrorCode()
	}
	return 0
}
