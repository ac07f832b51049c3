package actors

import (
	"context"

	"watchpost/watchpost"
)

// AddMember adds a member to a team at once (PlanLimit, Conflict when the email belongs to
// a team) and mails that. The mail holds no secret: a reader of the mailbox signs in with a
// one-time code, like anybody else.
func (r *admitting) AddMember(ctx context.Context, team watchpost.TeamID, m AddMember) (watchpost.Member, error) {
	member, err := askTeam(ctx, r.base, team, m)
	if err != nil {
		return member, err
	}
	name := "a team"
	if view, err := askTeam(ctx, r.base, team, GetTeam{}); err == nil {
		name = view.Team.Name
	}
	r.mails.Mail(ctx, member, "You were added to a team on Watchpost",
		"You are now a member of \""+name+"\" on Watchpost.\n\n"+
			"To sign in, ask for a one-time code with this address: it is mailed to you. "+
			"If this is a mistake, ignore this mail, or leave the team on its page.\n")
	return member, nil
}

// MailPairingLink mails a link with a pairing code to its member.
func (r *admitting) MailPairingLink(ctx context.Context, email, link string, code PairingCode) {
	r.mails.Post(ctx, watchpost.Mail{
		To: email, Subject: "Pair a browser with Watchpost", Code: true,
		Body: "Open this link in the browser that is to work for you:\n\n" + link + "\n\n" +
			"The extension there asks you first. The link can be used once, until " + code.ExpiresAt.UTC().Format("15:04 UTC") + ". If you did not ask for it, ignore this mail.\n",
	})
}
