package admin

import (
	"net/http"

	"github.com/getkin/kin-openapi/openapi3"

	"watchpost/actors"
	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

// auditRoutes show the operator who got in, who changed what, and who uses the key.
func (s teams) auditRoutes() {
	unknown := endpoint.WithError(http.StatusNotFound, endpoint.TextTeamNotFound)
	endpoint.Handle(s.Ops, http.MethodGet, "/admin/teams/{id}/audit", s.getAudit,
		s.Operation(endpoint.Operators, "getAudit", "List sign-ins and changes of members, sessions and the key, newest first", endpoint.TagAdmin),
		endpoint.Query("limit", "entries at most; default 100, at most 1,000", openapi3.NewIntegerSchema().WithMin(1).WithMax(watchpost.MaxAuditEntries).WithDefault(auditAtOnce)), endpoint.WithError(http.StatusBadRequest, "Invalid 'limit'"), unknown)
	endpoint.Handle(s.Ops, http.MethodGet, "/admin/teams/{id}/keys", s.getKeys,
		s.Operation(endpoint.Operators, "getKeys", "Show when and by whom a team's key was used last", endpoint.TagAdmin), unknown)
}

const auditAtOnce = 100

type auditReply struct {
	Entries []shownAudit `json:"entries" validate:"required"`
	Count   int          `json:"count"`
}

// shownAudit is an entry of the audit.
type shownAudit struct {
	At       endpoint.Timestamp  `json:"at"`
	Event    watchpost.AuditKind `json:"event"`
	By       string              `json:"by" validate:"oneof=operator member key unknown"`
	Member   watchpost.MemberID  `json:"member_id"`
	Operator string              `json:"operator"` // name; "" of the token without one
	Key      string              `json:"key_name" description:"of the key with scopes that did it"`
	Email    string              `json:"email"`
	Client   string              `json:"client"`
	Subject  string              `json:"subject"`
}

func showAudit(e *watchpost.AuditEntry) shownAudit {
	by, operator, key := "unknown", "", ""
	switch {
	case e.By.Operator:
		by, operator = "operator", e.By.Name
	case e.By.Member != "":
		by = "member"
	case e.By.Key:
		by, key = "key", e.By.Name
	}
	return shownAudit{endpoint.TimestampOf(e.At), e.Kind, by, e.By.Member, operator, key, e.Email, e.By.Client, e.Subject}
}

func (s teams) getAudit(r *http.Request) (auditReply, error) {
	team, err := endpoint.TeamInPath(r)
	if err != nil {
		return auditReply{}, err
	}
	p := endpoint.ReadParams(r)
	limit := p.Number("limit", auditAtOnce, watchpost.MaxAuditEntries)
	if p.Err != nil {
		return auditReply{}, p.Err
	}
	entries, err := s.Registry.Audit(r.Context(), team, limit)
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
	CreatedAt *endpoint.Timestamp `json:"created_at"`
	UsedAt    *endpoint.Timestamp `json:"last_used_at"`
	UsedBy    string              `json:"last_used_by"`
}

func (s teams) getKeys(r *http.Request) (keysReply, error) {
	team, err := endpoint.TeamInPath(r)
	if err != nil {
		return keysReply{}, err
	}
	key, err := actors.Ask(r.Context(), s.Registry, team, actors.GetKeyUse{})
	return keysReply{[]shownKey{{endpoint.TimestampOrNil(key.CreatedAt), endpoint.TimestampOrNil(key.Used.At), key.Used.Client}}, 1}, err
}
