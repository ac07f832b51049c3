package watchpost

import "context"

// Mailer delivers one mail, or takes it over to deliver it later. A mail without an
// address is delivered to no one, and takes the same time.
type Mailer interface {
	Send(ctx context.Context, m Mail) error
}

// Mail is a plain-text mail.
type Mail struct {
	To, Subject, Body string
	// Code is set if it carries a one-time code. Codes wait for no other mail.
	Code bool `json:",omitempty"`
}

// Events of mails, as Metrics counts them.
const (
	MailHanded  = "handed"  // to the Mailer
	MailSent    = "sent"    // and accepted by a mail server
	MailRetried = "retried" // after a failure that may pass
	MailFailed  = "failed"  // for good
	MailHeld    = "held"    // not sent: the address has had those of the day
)
