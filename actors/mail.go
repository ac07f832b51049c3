package actors

import (
	"cmp"
	"context"

	"watchpost/internal/mail/outgoing"
	"watchpost/watchpost"
)

// post hands a mail to the mailer. What becomes of it is logged and counted,
// and no request waits for a mail.
func (r *mailing) post(ctx context.Context, m outgoing.Mail) {
	event := outgoing.Handed
	if err := r.mailer.Send(ctx, m); err != nil {
		event = outgoing.Failed
		r.env.Log.Error("mail not sent", "to", m.To, "error", err)
	}
	r.env.metrics.Mail(event)
}

// mail sends a mail to a member.
func (r *mailing) mail(ctx context.Context, to watchpost.Member, subject, body string) {
	m := outgoing.Mail{To: to.Email, Subject: subject, Body: body}
	if to.NeverSignedIn {
		r.mailStranger(ctx, m, "")
		return
	}
	r.post(ctx, m)
}

// mailStranger sends a mail to a person who did not ask for it. An address gets a few
// a day, from all senders together. blocked is the team if the address blocks it: the
// mail takes the time of others, is not sent, and takes none from the mails of the
// address.
func (r *mailing) mailStranger(ctx context.Context, m outgoing.Mail, blocked watchpost.TeamID) {
	counted := m.To
	if blocked != "" {
		counted = string(blocked) + " " + m.To
	}
	taken, err := r.takeStrangerMail(ctx, counted)
	switch {
	case err != nil:
		r.env.Log.Error("mail not sent", "to", m.To, "error", err)
		r.env.metrics.Mail(outgoing.Failed)
	case taken && blocked == "":
		r.post(ctx, m)
	default:
		if blocked == "" {
			r.env.Log.Warn("mail held: others have caused the mails of the day", "to", m.To)
			r.env.metrics.Mail(outgoing.Held)
		}
		r.postToNobody(ctx, m)
	}
}

// postToNobody takes the time of a mail.
func (r *mailing) postToNobody(ctx context.Context, m outgoing.Mail) {
	m.To = ""
	if err := r.mailer.Send(ctx, m); err != nil {
		r.env.Log.Debug("no mail to nobody", "error", err)
	}
}

// otpMail carries a one-time code, the only run of six digits in it.
func otpMail(email, code string) outgoing.Mail {
	return outgoing.Mail{
		To: email, Subject: "Your Watchpost code", Code: true,
		Body: "Your sign-in code is " + code + ".\n\nIt can be used once, within ten minutes. If you did not ask for it, ignore this mail.\n",
	}
}

// MailPairingLink mails a link with a pairing code to its member.
func (r *mailing) MailPairingLink(ctx context.Context, email, link string, code PairingCode) {
	r.post(ctx, outgoing.Mail{
		To: email, Subject: "Pair a browser with Watchpost", Code: true,
		Body: "Open this link in the browser that is to work for you:\n\n" + link + "\n\n" +
			"The extension there asks you first. The link can be used once, until " + code.ExpiresAt.UTC().Format("15:04 UTC") + ". If you did not ask for it, ignore this mail.\n",
	})
}

// AddMember adds a member to a team at once (PlanLimit, Conflict when the email belongs to
// a team) and mails that. The mail holds no secret: a reader of the mailbox signs in with a
// one-time code, like anybody else.
func (r *mailing) AddMember(ctx context.Context, team watchpost.TeamID, m AddMember) (watchpost.Member, error) {
	member, err := askTeam(ctx, r.base, team, m)
	if err != nil {
		return member, err
	}
	name := "a team"
	if view, err := askTeam(ctx, r.base, team, GetTeam{}); err == nil {
		name = view.Team.Name
	}
	r.mail(ctx, member, "You were added to a team on Watchpost",
		"You are now a member of \""+name+"\" on Watchpost.\n\n"+
			"To sign in, ask for a one-time code with this address: it is mailed to you. "+
			"If this is a mistake, ignore this mail, or leave the team on its page.\n")
	return member, nil
}

// invitationMail says who invites whom, and where to accept: at origin, "" when the operator
// has not said it. Names that members gave are in its body only.
func invitationMail(i watchpost.Invitation, team, origin string) outgoing.Mail {
	where := "ask for a one-time code there with "
	if origin == "" {
		where = "ask for a one-time code with "
	} else {
		where = "open " + origin + "/app/sign-in and " + where
	}
	return outgoing.Mail{
		To: i.Email, Subject: "You are invited to a team on Watchpost",
		Body: cmp.Or(i.By, "The operator of the service") + " invites you to \"" + team + "\" on Watchpost.\n\n" +
			"To accept, " + where + i.Email + ": at the sign-in you are asked. " +
			"You can decline there, too, and block further invitations. The invitation expires on " + i.Ends().UTC().Format("2 January 2006") + ".\n",
	}
}
