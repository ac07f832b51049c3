// Package mail delivers mail by SMTP or as files.
package mail

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"mime"
	"mime/quotedprintable"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"watchpost/internal/atomicfile"
	"watchpost/internal/mail/outgoing"
	"watchpost/watchpost"
)

// Folder is a Mailer that writes each mail as an RFC 5322 file to a folder. It
// is the default without a mail server.
type Folder struct {
	dir   string
	clock watchpost.Clock
	log   *slog.Logger
}

// NewFolder creates the folder if it is missing.
func NewFolder(dir string, clock watchpost.Clock, log *slog.Logger) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("mail folder: %w", err)
	}
	return &Folder{dir: dir, clock: clock, log: log}, nil
}

// Send implements outgoing.Mailer. When it returns, the file
// <time>-<recipient>.eml is complete and durable. Only the service's user can
// read it. A mail to no one is written, too, which takes the time, and removed.
func (f *Folder) Send(_ context.Context, m outgoing.Mail) error {
	now := f.clock.Now()
	content, err := compose(m, now)
	if err != nil {
		return err
	}
	name := filepath.Join(f.dir, now.Format("20060102T150405.000000000Z")+"-"+fileName(m.To)+".eml")
	if m.To == "" {
		name = filepath.Join(f.dir, ".to-no-one-"+watchpost.NewID(now))
		defer os.Remove(name) //nolint:errcheck // no caller waits for it
	}
	if err := atomicfile.WriteFile(name, content); err != nil {
		return fmt.Errorf("mail folder: %w", err)
	}
	if m.To == "" {
		return nil
	}
	f.log.Info("mail written", "to", m.To, "file", name)
	return nil
}

// checkHeaders rejects a mail whose fields could add headers.
func checkHeaders(m outgoing.Mail) error {
	if strings.ContainsFunc(m.To+m.Subject+m.Language, unicode.IsControl) {
		return fmt.Errorf("mail to %q: control character in a header", m.To)
	}
	return nil
}

func compose(m outgoing.Mail, now time.Time) ([]byte, error) {
	if err := checkHeaders(m); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "Date: %s\r\nFrom: Watchpost <watchpost@localhost>\r\nTo: <%s>\r\nSubject: %s\r\n",
		now.Format(time.RFC1123Z), m.To, mime.QEncoding.Encode("utf-8", m.Subject))
	if m.Language != "" {
		fmt.Fprintf(&b, "Content-Language: %s\r\n", m.Language)
	}
	fmt.Fprintf(&b, "Message-ID: <%s@localhost>\r\nMIME-Version: 1.0\r\n", watchpost.NewID(now))
	b.WriteString("Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n")
	w := quotedprintable.NewWriter(&b)
	if _, err := w.Write([]byte(m.Body)); err != nil {
		return nil, err
	}
	return b.Bytes(), w.Close()
}

// fileName converts an address to a file name: characters that could lead out
// of the folder become underscores.
func fileName(address string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) || r < ' ' {
			return '_'
		}
		return r
	}, address)
}
