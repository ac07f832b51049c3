package httpapi

import (
	"net/http"

	"github.com/getkin/kin-openapi/openapi3"

	"watchpost/actors"
	"watchpost/watchpost"
)

// auditRoutes show the operator who got in, who changed what, and who uses the key.
func (s teamsAdmin) auditRoutes() {
	unknown := withError(http.StatusNotFound, textTeamNotFound)
	handle(s.ops, http.MethodGet, "/admin/teams/{id}/audit", s.getAudit,
		s.operation(operators, "getAudit", "List sign-ins and changes of members, sessions and the key, newest first", tagAdmin),
		query("limit", "entries at most; default 100, at most 1,000", openapi3.NewIntegerSchema().WithMin(1).WithMax(watchpost.MaxAuditEntries).WithDefault(auditAtOnce)), withError(http.StatusBadRequest, "Invalid 'limit'"), unknown)
	handle(s.ops, http.MethodGet, "/admin/teams/{id}/keys", s.getKeys,
		s.operation(operators, "getKeys", "Show when and by whom a team's key was used last", tagAdmin), unknown)
}

const auditAtOnce = 100

type auditReply struct {
	Entries []shownAudit `json:"entries" validate:"required"`
	Count   int          `json:"count"`
}

// shownAudit is an entry of the audit.
type shownAudit struct {
	At       timestamp           `json:"at"`
	Event    watchpost.AuditKind `json:"event"`
	By       string              `json:"by" validate:"oneof=operator member key unknown"`
	Member   watchpost.MemberID  `json:"member_id"`
	Operator string              `json:"operator"` // name; "" of the token without one
	Email    string              `json:"email"`
	Client   string              `json:"client"`
	Subject  string              `json:"subject"`
}

func showAudit(e *watchpost.AuditEntry) shownAudit {
	by := "unknown"
	switch {
	case e.By.Operator:
		by = "operator"
	case e.By.Member != "":
		by = "member"
	case e.By.Key:
		by = "key"
	}
	return shownAudit{timestampOf(e.At), e.Kind, by, e.By.Member, e.By.Name, e.Email, e.By.Client, e.Subject}
}

func (s teamsAdmin) getAudit(r *http.Request) (auditReply, error) {
	team, err := teamInPath(r)
	if err != nil {
		return auditReply{}, err
	}
	p := readParams(r)
	limit := p.number("limit", auditAtOnce, watchpost.MaxAuditEntries)
	if p.err != nil {
		return auditReply{}, p.err
	}
	entries, err := s.registry.Audit(r.Context(), team, limit)
	reply := auditReply{Entries: make([]shownAudit, len(entries)), Count: len(entries)}
	for i := range entries {
		reply.Entries[i] = showAudit(&entries[i])
	}
	return reply, err
}

type keysReply struct {
	Keys  []shownKey `json:"keys" validate:"required"`
	Count int        `json:"count"`
}

// shownKey is a key without the secret.
type shownKey struct {
	CreatedAt *timestamp `json:"created_at"`
	UsedAt    *timestamp `json:"last_used_at"`
	UsedBy    string     `json:"last_used_by"`
}

func (s teamsAdmin) getKeys(r *http.Request) (keysReply, error) {
	team, err := teamInPath(r)
	if err != nil {
		return keysReply{}, err
	}
	key, err := actors.Ask(r.Context(), s.registry, team, actors.GetKeyUse{})
	return keysReply{[]shownKey{{timestampOrNil(key.CreatedAt), timestampOrNil(key.Used.At), key.Used.Client}}, 1}, err
}
