package access

import (
	"context"

	"watchpost/internal/mail/outgoing"
	"watchpost/watchpost"
)

// Mails hands mails to the mailer.
type Mails struct {
	*base
	mailer outgoing.Mailer
	count  func(event string)
}

// Post hands a mail to the mailer. What becomes of it is logged and counted,
// and no request waits for a mail.
func (r *Mails) Post(ctx context.Context, m outgoing.Mail) {
	event := outgoing.Handed
	if err := r.mailer.Send(ctx, m); err != nil {
		event = outgoing.Failed
		r.env.Log.Error("mail not sent", "to", m.To, "error", err)
	}
	r.count(event)
}

// RecipientOf returns a member as the recipient of mails.
func RecipientOf(m watchpost.Member) outgoing.Recipient {
	return outgoing.Recipient{Address: m.Email, Language: m.Language}
}

// Mail sends a mail to a member.
func (r *Mails) Mail(ctx context.Context, to watchpost.Member, m outgoing.Mail) {
	if to.NeverSignedIn {
		r.mailStranger(ctx, m, "")
		return
	}
	r.Post(ctx, m)
}

// mailStranger sends a mail to a person who did not ask for it. An address gets a few
// a day, from all senders together. blocked is the team if the address blocks it: the
// mail takes the time of others, is not sent, and takes none from the mails of the
// address.
func (r *Mails) mailStranger(ctx context.Context, m outgoing.Mail, blocked watchpost.TeamID) {
	counted := m.To
	if blocked != "" {
		counted = string(blocked) + " " + m.To
	}
	taken, err := r.takeStrangerMail(ctx, counted)
	switch {
	case err != nil:
		r.env.Log.Error("mail not sent", "to", m.To, "error", err)
		r.count(outgoing.Failed)
	case taken && blocked == "":
		r.Post(ctx, m)
	default:
		if blocked == "" {
			r.env.Log.Warn("mail held: others have caused the mails of the day", "to", m.To)
			r.count(outgoing.Held)
		}
		r.postToNobody(ctx, m)
	}
}

// postToNobody takes the time of a mail.
func (r *Mails) postToNobody(ctx context.Context, m outgoing.Mail) {
	m.To = ""
	if err := r.mailer.Send(ctx, m); err != nil {
		r.env.Log.Debug("no mail to nobody", "error", err)
	}
}
