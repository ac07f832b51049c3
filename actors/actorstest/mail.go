package actorstest

import (
	"context"
	"errors"
	"regexp"
	"sync"

	"watchpost/internal/mail/outgoing"
)

// Mailbox is a Mailer that keeps every mail.
type Mailbox struct {
	mu    sync.Mutex
	mails []outgoing.Mail
	fail  bool
}

// Send implements outgoing.Mailer.
func (m *Mailbox) Send(_ context.Context, mail outgoing.Mail) error {
	if mail.To == "" {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail {
		m.fail = false
		return errors.New("scripted mail failure")
	}
	m.mails = append(m.mails, mail)
	return nil
}

// FailNext makes the next mail fail.
func (m *Mailbox) FailNext() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fail = true
}

// To returns the mails to an address.
func (m *Mailbox) To(address string) []outgoing.Mail {
	m.mu.Lock()
	defer m.mu.Unlock()
	var to []outgoing.Mail
	for _, mail := range m.mails {
		if mail.To == address {
			to = append(to, mail)
		}
	}
	return to
}

var sixDigits = regexp.MustCompile(`\b[0-9]{6}\b`)

// Code returns the one-time code of the last mail to an address; "" when there
// is none.
func (m *Mailbox) Code(address string) string {
	mails := m.To(address)
	if len(mails) == 0 {
		return ""
	}
	return sixDigits.FindString(mails[len(mails)-1].Body)
}
