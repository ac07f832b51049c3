package actors

import (
	"strings"

	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// In earlier builds an invitation made a member, and took the address, without asking.

// askMembers makes pending invitations of those members who were invited so and have not
// come since: a member of the team added them, as the audit says, and they have neither
// signed in nor paired a browser. Whom the operator added stays.
func (is *invitations) askMembers(view persistence.View) error {
	if is.team.record.Consented {
		return nil
	}
	var absent []watchpost.Member
	for _, m := range is.team.members.list {
		_, alive := is.team.accounts.alive[m.ID]
		_, bound := is.team.members.bindings[m.ID]
		if m.NeverSignedIn && !alive && !bound && len(is.team.sessions.of(m.ID)) == 0 {
			absent = append(absent, m)
		}
	}
	if len(absent) == 0 {
		return nil // without a look at the audit
	}
	added := map[string]watchpost.AuditEntry{} // the last time, by the address
	err := teamspace.LoadAll(view, is.Space, teamspace.KeyAudit, func(_ string, e watchpost.AuditEntry) {
		email, _, _ := strings.Cut(e.Subject, ", ")
		if _, later := added[email]; e.Kind == watchpost.AuditMemberAdded && !later {
			added[email] = e
		}
	})
	if err != nil {
		return err
	}
	for _, m := range absent {
		if e := added[m.Email]; e.By.Member != "" {
			is.ask(m, e.Email)
		}
	}
	is.team.record.Consented = true
	batch := &persistence.Batch{}
	batch.Put([]byte(teamspace.KeyTeam), teamspace.Encode(is.team.record))
	is.Commits.Submit(batch, nil)
	return nil
}

// ask makes a member a pending invitation, which was mailed when the member was added. The
// invitation has its whole time: nobody could accept it so far.
func (is *invitations) ask(m watchpost.Member, by string) {
	now := is.env.Clock.Now()
	is.team.members.remove(nil, m, func(batch *persistence.Batch) {
		is.team.audit.note(batch, watchpost.AuditMemberInvited, "", m.Email+", "+string(m.Role))
		is.put(batch, watchpost.Invitation{
			ID: watchpost.InvitationID(watchpost.NewID(now)), Email: m.Email, FullName: m.FullName, Role: m.Role, By: by, CreatedAt: m.CreatedAt, MailedAt: now,
		})
	})
}
