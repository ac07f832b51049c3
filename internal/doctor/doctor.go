// Package doctor checks a service and its surroundings: data, keys, versions, index,
// journals, clocks, addresses, certificates, mail, backups. It changes nothing. A finding
// names the problem and its remedy.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode"

	"watchpost/actors/vault"
	"watchpost/http/admin"
	"watchpost/internal/identity"
	"watchpost/internal/mail"
	"watchpost/persistence"
	"watchpost/persistence/badger"
	"watchpost/watchpost"
)

// Service is the service to examine, which runs or is stopped.
type Service struct {
	Build   string
	Running bool
	Clock   watchpost.Clock
	// Settings returns why the settings of the service cannot be used; nil: they can.
	Settings func() error
	// UnknownVariables look like settings and have no effect.
	UnknownVariables []string
	TestClock        bool

	// Data is the folder of the service, and Database the connection string of its
	// store; "" when the store lies in the folder.
	Data, Database string
	// Store is nil when it cannot be opened: OpenError says why.
	Store     persistence.Store
	OpenError error
	// Writable returns why writes are refused; nil: not known. Free returns the free
	// bytes of the disk; nil: the store has none. MinFree is in MiB.
	Writable func() error
	Free     func() int64
	MinFree  int

	// Keyring returns the master key of the service and its origin.
	Keyring func() (keys *vault.Keyring, origin string, err error)
	// SecretFiles are files that only their owner should read; "" is none.
	SecretFiles []string

	// Addresses are those at which it listens; "" is none.
	Addresses []string
	TLSCert   string
	TLSKey    string
	Node      Node

	// SMTP is the mail server; without a host, mails are written to MailFolder.
	SMTP       mail.SMTPOptions
	MailFolder string
	// Provider returns the provider of identities, nil without one, and its settings.
	Provider        func() (*identity.Provider, error)
	ProviderIssuer  string
	ProviderDomains []string
	PublicURL       string
	// BackupTo is the place of the backups; "" is none.
	BackupTo string
}

// Node is the service as a member of a cluster.
type Node struct {
	Clustered                 bool
	Advertise                 string
	CertFile, KeyFile, CAFile string
	// Reached returns why a running node and others do not reach each other.
	Reached func(ctx context.Context, others []string) error
}

// Examine runs every check and returns the findings.
func Examine(ctx context.Context, s Service) []admin.Finding {
	e := &examination{Service: s}
	e.checkOpened()
	if err := s.Settings(); err != nil {
		e.fail("configuration", err, "correct the flag or its variable")
	} else {
		e.ok("configuration", "version %s", s.Build)
	}
	e.checkFolder()
	if s.Store != nil {
		e.checkFormat(ctx)
		e.checkKey(ctx)
		e.checkContent(ctx)
		e.checkIndex(ctx)
		e.checkJournals(ctx)
		e.checkDisk()
	}
	e.checkClock(ctx)
	e.checkPorts()
	e.checkCertificates()
	e.checkMail(ctx)
	e.checkProvider(ctx)
	e.checkBackups(ctx)
	e.checkVariables()
	return e.found
}

// Print writes findings. It prints what strangers may have written, too: nothing of it
// controls the operator's terminal.
func Print(w io.Writer, found []admin.Finding) error {
	plain := func(r rune) rune {
		switch {
		case r == '\n': // between errors
			return ' '
		case !unicode.IsGraphic(r):
			return unicode.ReplacementChar
		}
		return r
	}
	for _, f := range found {
		if _, err := fmt.Fprintf(w, "%-8s %-13s %s\n", f.Level, f.Check, strings.Map(plain, f.Found)); err != nil {
			return err
		}
		if f.Advice != "" {
			if _, err := fmt.Fprintf(w, "%-8s %-13s → %s\n", "", "", strings.Map(plain, f.Advice)); err != nil {
				return err
			}
		}
	}
	return nil
}

// examination collects the findings.
type examination struct {
	Service
	found []admin.Finding
}

// checkOpened tells why the store of a stopped service cannot be opened.
func (e *examination) checkOpened() {
	const check = "store"
	switch err := e.OpenError; {
	case err == nil:
	case errors.Is(err, fs.ErrNotExist):
		e.fail(check, err, "name the data folder of the service with --data; a new one is made at the first start of serve")
	case errors.Is(err, badger.ErrInUse):
		e.fail(check, err, "a service runs: name it with --server")
	case errors.Is(err, persistence.ErrDamaged):
		e.fail(check, err, damagedAdvice)
	case errors.Is(err, fs.ErrPermission):
		e.fail(check, err, "run doctor as the user of the service")
	default:
		e.fail(check, err, "if a service runs, name it with --server")
	}
}

// damagedAdvice is for records that are lost. A repair is no advice: it drops them.
const damagedAdvice = "restore a backup; keep the damaged folder until then"

func (e *examination) add(level, check, advice, format string, args ...any) {
	e.found = append(e.found, admin.Finding{Check: check, Level: level, Found: fmt.Sprintf(format, args...), Advice: advice})
}

func (e *examination) ok(check, format string, args ...any) {
	e.add(admin.FindingOK, check, "", format, args...)
}

func (e *examination) warn(check, advice, format string, args ...any) {
	e.add(admin.FindingWarning, check, advice, format, args...)
}

func (e *examination) fail(check string, err error, advice string) {
	e.add(admin.FindingError, check, advice, "%v", err)
}
