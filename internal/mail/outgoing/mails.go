package outgoing

import (
	"time"

	"watchpost/internal/words"
)

// Recipient is whom a mail is for.
type Recipient struct {
	Address string // "": no one
	// Language is the code of the language that the mail is written in. The mail is in
	// English when the catalogue does not have it.
	Language string
}

// Words returns the texts of the language of the recipient. Moments are in UTC.
func (to Recipient) Words() *words.Language { return words.For(to.Language, "") }

// Write returns a mail to the recipient.
func (to Recipient) Write(subject, body string) Mail {
	return Mail{To: to.Address, Language: to.Words().Code, Subject: subject, Body: body + "\n"}
}

// Code carries a one-time code, the only run of six digits in it.
func Code(to Recipient, code string) Mail {
	say := to.Words()
	m := to.Write(say.Text("mail.code_subject"), say.Text("mail.code", "code", code))
	m.Code = true
	return m
}

// Invitation says who invites whom, and where to accept. Names that members gave are in its
// body only. by is the address of a member, "" the operator; origin is the address of the
// service for browsers, "" when the operator has not said it.
func Invitation(to Recipient, by, team, origin string, ends time.Time) Mail {
	say := to.Words()
	invites := say.Text("mail.invitation_by", "by", by, "team", team)
	if by == "" {
		invites = say.Text("mail.invitation_of_the_operator", "team", team)
	}
	date := say.Date("date.long", ends.UTC())
	accept := say.Text("mail.invitation_at", "address", origin+"/app/sign-in", "email", to.Address, "date", date)
	if origin == "" {
		accept = say.Text("mail.invitation", "email", to.Address, "date", date)
	}
	return to.Write(say.Text("mail.invitation_subject"), invites+"\n\n"+accept)
}

// Added tells a member who was added to a team at once; team is "" when its name is not known.
// The mail holds no secret: a reader of
// the mailbox signs in with a one-time code, like any other member.
func Added(to Recipient, team string) Mail {
	say := to.Words()
	if team == "" {
		team = say.Text("mail.a_team")
	}
	return to.Write(say.Text("mail.added_subject"), say.Text("mail.added", "team", team))
}

// PairingLink carries a link with a pairing code, which can be used until then.
func PairingLink(to Recipient, link string, until time.Time) Mail {
	say := to.Words()
	m := to.Write(say.Text("mail.pairing_subject"), say.Text("mail.pairing", "link", link, "time", say.Date("date.time", until.UTC())))
	m.Code = true
	return m
}

// NewSignIn tells a member of a sign-in with a new browser. browser and address are "" when
// they are not known. The mail has no words of the browser: it may be a stranger's.
func NewSignIn(to Recipient, at time.Time, browser, address string) Mail {
	say := to.Words()
	if browser == "" {
		browser = say.Text("mail.unknown_browser")
	}
	if address == "" {
		address = say.Text("mail.unknown_address")
	}
	return to.Write(say.Text("mail.sign_in_subject"),
		say.Text("mail.sign_in", "when", say.Date("date.exact", at.UTC()), "browser", browser, "address", address))
}

// PasskeyAdded tells a member of a new passkey.
func PasskeyAdded(to Recipient, passkey string) Mail {
	say := to.Words()
	return to.Write(say.Text("mail.passkey_added_subject"), say.Text("mail.passkey_added", "passkey", passkey))
}

// PasskeyRemoved tells a member that a passkey was removed.
func PasskeyRemoved(to Recipient, passkey string) Mail {
	say := to.Words()
	return to.Write(say.Text("mail.passkey_removed_subject"), say.Text("mail.passkey_removed", "passkey", passkey))
}

// PasskeyRefused tells a member that a sign-in was refused whose passkey may have been copied.
func PasskeyRefused(to Recipient, passkey string) Mail {
	say := to.Words()
	return to.Write(say.Text("mail.passkey_refused_subject"), say.Text("mail.passkey_refused", "passkey", passkey))
}
