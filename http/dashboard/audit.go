package dashboard

import (
	"net/http"

	"watchpost/actors"
	"watchpost/watchpost"
)

// auditRow is an entry of the team's audit.
type auditRow struct {
	At            moment
	What, Subject string
	Who, Client   string
	Bad           bool
}

// auditShown bounds the entries on the page.
const auditShown = 50

var auditNames = map[watchpost.AuditKind]string{
	watchpost.AuditTeamCreated: "Team made", watchpost.AuditTeamChanged: "Name or plan changed", watchpost.AuditDomainsChanged: "Domains changed", watchpost.AuditVoiceChanged: "Voice changed", watchpost.AuditExported: "All data exported",
	watchpost.AuditSignedIn: "Signed in", watchpost.AuditSignInFailed: "Wrong code", watchpost.AuditSignedOut: "Signed out",
	watchpost.AuditPasskeyAdded: "Passkey added", watchpost.AuditPasskeyRemoved: "Passkey removed", watchpost.AuditPasskeyRefused: "Passkey refused: it may have been copied",
	watchpost.AuditLinkMade: "Sign-in link made", watchpost.AuditKeyRevealed: "API key shown", watchpost.AuditKeyRotated: "API key replaced",
	watchpost.AuditRotationAsked: "Another API key asked for",
	watchpost.AuditScopedKeyMade: "Key made", watchpost.AuditScopedKeyChange: "Key changed", watchpost.AuditScopedKeyDelete: "Key deleted",
	watchpost.AuditMemberInvited: "Invited", watchpost.AuditMailedAgain: "Invitation mailed again", watchpost.AuditWithdrawn: "Invitation withdrawn",
	watchpost.AuditAccepted: "Invitation accepted", watchpost.AuditDeclined: "Invitation declined", watchpost.AuditMemberLeft: "Left the team",
	watchpost.AuditMemberAdded: "Member added", watchpost.AuditRoleChanged: "Role changed", watchpost.AuditMemberRemoved: "Member removed",
	watchpost.AuditPairingCode: "Pairing code made", watchpost.AuditSessionOpened: "Browser paired", watchpost.AuditSessionEnded: "Browser disconnected",
	watchpost.AuditAccountReleased: "Account released",
	watchpost.AuditTargetMade:      "Notification made", watchpost.AuditTargetChanged: "Notification changed", watchpost.AuditTargetDeleted: "Notification deleted",
	watchpost.AuditRuleMade: "Rule made", watchpost.AuditRuleChanged: "Rule changed", watchpost.AuditRuleDeleted: "Rule deleted",
	watchpost.AuditRulesStopped: "Rules stopped", watchpost.AuditRulesResumed: "Rules resumed",
}

func auditRowOf(e *watchpost.AuditEntry, d *Dashboard) auditRow {
	row := auditRow{
		At: momentOf(clockTime(e.At, d.Clock.Now()), e.At), What: auditNames[e.Kind], Subject: e.Subject, Who: e.Email, Client: e.By.Client,
		Bad: e.Kind == watchpost.AuditSignInFailed || e.Kind == watchpost.AuditPasskeyRefused,
	}
	switch {
	case e.By.Operator:
		row.Who = "the operator"
		if e.By.Name != "" {
			row.Who += " (" + e.By.Name + ")"
		}
	case row.Who == "" && e.By.Member != "":
		row.Who = "a former member"
	case e.By.KeyID != "":
		row.Who = "the key " + e.By.Name
	case e.By.Key:
		row.Who = "the API key"
	case row.Who == "" && row.Bad:
		row.Who = "someone"
	case row.Who == "":
		row.Who = "the service"
	}
	return row
}

// keyUseView is the last use of the key.
type keyUseView struct {
	At     moment
	Client string
	Never  bool
}

// addAudit adds the last use of the key, and for admins the audit.
func (d teamPages) addAudit(r *http.Request, v *visit, page *teamPage) error {
	key, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.GetKeyUse{})
	if err != nil {
		return err
	}
	page.KeyUse = keyUseView{Client: key.Used.Client, Never: key.Used.At.IsZero()}
	if !page.KeyUse.Never {
		page.KeyUse.At = momentOf(agoOrNow(key.Used.At, d.Clock.Now()), key.Used.At)
	}
	if !page.Admin {
		return nil
	}
	entries, err := d.Registry.Audit(r.Context(), v.session.Team, auditShown)
	for i := range entries {
		page.Audit = append(page.Audit, auditRowOf(&entries[i], d.Dashboard))
	}
	return err
}
