package actors

import "context"

// Mailer delivers one mail.
type Mailer interface {
	Send(ctx context.Context, m Mail) error
}

// Mail is a plain-text mail.
type Mail struct{ To, Subject, Body string }
