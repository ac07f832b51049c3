package dashboard

import (
	"net/http"

	"watchpost/actors"
	"watchpost/internal/words"
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
	watchpost.AuditTeamCreated: "audit.team_made", watchpost.AuditTeamChanged: "audit.name_or_plan_changed", watchpost.AuditDomainsChanged: "audit.domains_changed", watchpost.AuditVoiceChanged: "audit.voice_changed", watchpost.AuditExported: "audit.all_data_exported",
	watchpost.AuditSignedIn: "audit.signed_in", watchpost.AuditSignInFailed: "audit.wrong_code", watchpost.AuditSignedOut: "audit.signed_out",
	watchpost.AuditPasskeyAdded: "audit.passkey_added", watchpost.AuditPasskeyRemoved: "audit.passkey_removed", watchpost.AuditPasskeyRefused: "audit.passkey_refused_it_may_have_been",
	watchpost.AuditLinkMade: "audit.sign_in_link_made", watchpost.AuditKeyRevealed: "audit.api_key_shown", watchpost.AuditKeyRotated: "audit.api_key_replaced",
	watchpost.AuditRotationAsked: "audit.another_api_key_asked_for",
	watchpost.AuditScopedKeyMade: "audit.key_made", watchpost.AuditScopedKeyChange: "audit.key_changed", watchpost.AuditScopedKeyDelete: "audit.key_deleted",
	watchpost.AuditMemberInvited: "audit.invited", watchpost.AuditMailedAgain: "audit.invitation_mailed_again", watchpost.AuditWithdrawn: "audit.invitation_withdrawn",
	watchpost.AuditAccepted: "audit.invitation_accepted", watchpost.AuditDeclined: "audit.invitation_declined", watchpost.AuditMemberLeft: "audit.left_the_team",
	watchpost.AuditMemberAdded: "audit.member_added", watchpost.AuditRoleChanged: "audit.role_changed", watchpost.AuditMemberRemoved: "audit.member_removed",
	watchpost.AuditPairingCode: "audit.pairing_code_made", watchpost.AuditSessionOpened: "audit.browser_paired", watchpost.AuditSessionEnded: "audit.browser_disconnected",
	watchpost.AuditAccountReleased: "audit.account_released",
	watchpost.AuditTargetMade:      "audit.notification_made", watchpost.AuditTargetChanged: "audit.notification_changed", watchpost.AuditTargetDeleted: "audit.notification_deleted",
	watchpost.AuditRuleMade: "audit.rule_made", watchpost.AuditRuleChanged: "audit.rule_changed", watchpost.AuditRuleDeleted: "audit.rule_deleted",
	watchpost.AuditRulesStopped: "audit.rules_stopped", watchpost.AuditRulesResumed: "audit.rules_resumed",
}

func auditRowOf(say *words.Language, e *watchpost.AuditEntry, d *Dashboard) auditRow {
	row := auditRow{
		At: momentOf(say, clockTime(say, e.At, d.Clock.Now()), e.At), What: say.Text(auditNames[e.Kind]), Subject: e.Subject, Who: e.Email, Client: e.By.Client,
		Bad: e.Kind == watchpost.AuditSignInFailed || e.Kind == watchpost.AuditPasskeyRefused,
	}
	switch {
	case e.By.Operator:
		row.Who = say.Text("audit.the_operator")
		if e.By.Name != "" {
			row.Who += " (" + e.By.Name + ")"
		}
	case row.Who == "" && e.By.Member != "":
		row.Who = say.Text("tasks.a_former_member")
	case e.By.KeyID != "":
		row.Who = say.Text("audit.the_key_name", "name", e.By.Name)
	case e.By.Key:
		row.Who = say.Text("tasks.the_api_key")
	case row.Who == "" && row.Bad:
		row.Who = say.Text("audit.someone")
	case row.Who == "":
		row.Who = say.Text("audit.the_service")
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
		page.KeyUse.At = momentOf(v.say, agoOrNow(v.say, key.Used.At, d.Clock.Now()), key.Used.At)
	}
	if !page.Admin {
		return nil
	}
	entries, err := d.Registry.Audit(r.Context(), v.session.Team, auditShown)
	for i := range entries {
		page.Audit = append(page.Audit, auditRowOf(v.say, &entries[i], d.Dashboard))
	}
	return err
}
