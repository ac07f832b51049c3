// Package outgoing has the mails that the service sends, and what delivers them.
// Package mail has the ways: by SMTP, or as files.
package outgoing

import "context"

// Mailer delivers one mail, or takes it over to deliver it later. A mail without an
// address is delivered to no one, and takes the same time.
type Mailer interface {
	Send(ctx context.Context, m Mail) error
}

// Mail is a plain-text mail.
type Mail struct {
	To, Subject, Body string
	// Language is the code of the language that it is written in, of BCP 47. Mails that
	// earlier builds have stored have none.
	Language string `json:",omitempty"`
	// Code is set if it carries a one-time code. Codes wait for no other mail.
	Code bool `json:",omitempty"`
}

// Events of mails, as the service counts them.
const (
	Handed  = "handed"  // to the Mailer
	Sent    = "sent"    // and accepted by a mail server
	Retried = "retried" // after a failure that may pass
	Failed  = "failed"  // for good
	Held    = "held"    // not sent: the address has had those of the day
)
