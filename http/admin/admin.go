// Package admin has the endpoints of operators, and those that machines ask whether the
// service is well: /admin, /healthz, /readyz and /metrics.
package admin

import (
	"context"
	"net/http"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"watchpost/actors"
	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

const (
	textInvalidPlan = "Missing or invalid 'plan'"
	textInvalidRole = "Missing or invalid 'role'"

	textInvalidExpiry = "Invalid 'plan_expires_at'"
	textInvalidEmail  = "Invalid 'email'"
	textNoStep        = "Missing or invalid 'advance'"
	textNoMoment      = "Missing or invalid 'set'"
)

// Options are the needs of the admin API that other endpoints do not share.
type Options struct {
	// Shown returns the kind of a record and how an export shows it.
	Shown func(record any) (kind string, shown any)
	// TestClock opens /admin/clock; nil means that there is none. ShareClock sets the
	// clocks of the other nodes forward to this one's.
	TestClock  endpoint.TestClock
	ShareClock func(context.Context) error
	// Backup makes a backup; nil means that there is no POST /admin/backup.
	Backup func(ctx context.Context, full bool) (Backup, error)
	// Doctor checks the service and its surroundings; nil means that there is no
	// GET /admin/doctor.
	Doctor func(ctx context.Context) []Finding
}

// Add adds the admin API to the routes of operators.
func Add(s *endpoint.Server, o Options) {
	teams{s, o.Shown}.routes()
	service{s, o}.routes()
}

// teams is what operators do with teams.
type teams struct {
	*endpoint.Server
	shown func(record any) (kind string, shown any)
}

// service is what operators do with the service.
type service struct {
	*endpoint.Server
	Options
}

func (s service) routes() {
	s.backupRoutes()
	s.doctorRoutes()
	s.profileRoutes()
	if s.TestClock != nil {
		endpoint.Handle(s.Ops, http.MethodGet, "/admin/clock", s.readClock, s.Operation(endpoint.Operators, "readClock", "Read the clock", endpoint.TagAdmin))
		endpoint.HandleBody(s.Ops, http.MethodPost, "/admin/clock", s.setClock, s.Operation(endpoint.Operators, "setClock", "Set the clock forward", endpoint.TagAdmin),
			endpoint.WithBody(textNoStep, textNoMoment, watchpost.ErrClockBackwards.Text))
	}
}

func (s teams) routes() {
	unknown := endpoint.WithError(http.StatusNotFound, endpoint.TextTeamNotFound)
	known := endpoint.WithError(http.StatusConflict, endpoint.TextEmailTaken)
	endpoint.HandleBody(s.Ops, http.MethodPost, "/admin/teams", s.createTeam, s.Operation(endpoint.Operators, "createTeam", "Found a team", endpoint.TagAdmin), endpoint.Created(), s.Placed(endpoint.PlaceOfNewTeam(s.Clock)),
		endpoint.WithBody(endpoint.TextInvalidMail, textInvalidPlan, endpoint.TextInvalidFullName), known)
	endpoint.Handle(s.Ops, http.MethodGet, "/admin/teams", s.listTeams, s.Operation(endpoint.Operators, "listTeams", "List all teams", endpoint.TagAdmin),
		endpoint.Query("email", "only the team that this member belongs to", openapi3.NewStringSchema()), endpoint.WithError(http.StatusBadRequest, textInvalidEmail))
	endpoint.Handle(s.Ops, http.MethodGet, "/admin/teams/{id}", s.showTeam, s.Operation(endpoint.Operators, "showTeam", "Show a team with its members", endpoint.TagAdmin), unknown)
	endpoint.Handle(s.Ops, http.MethodDelete, "/admin/teams/{id}", s.deleteTeam, s.Operation(endpoint.Operators, "deleteTeam", "Delete a team and everything of it", endpoint.TagAdmin), unknown)
	endpoint.HandleBody(s.Ops, http.MethodPatch, "/admin/teams/{id}", s.updateTeam, s.Operation(endpoint.Operators, "updateTeam", "Change a team's name, its plan, or when that expires", endpoint.TagAdmin),
		endpoint.WithBody(textInvalidPlan, textInvalidExpiry, "Invalid 'keep_posts'", textInvalidDomains), endpoint.WithError(http.StatusConflict, "Domain already belongs to a team"), unknown)
	endpoint.HandleBody(s.Ops, http.MethodPost, "/admin/teams/{id}/members", s.addMember,
		s.Operation(endpoint.Operators, "addMember", "Add a member at once, or invite one", endpoint.TagAdmin), endpoint.Created(),
		endpoint.WithBody(endpoint.TextInvalidMail, textInvalidRole, endpoint.TextInvalidFullName), known, unknown,
		endpoint.WithError(http.StatusConflict, watchpost.TextInvited, watchpost.TextIsMember, watchpost.TextPendingInvitations),
		endpoint.WithError(http.StatusPaymentRequired, endpoint.TextMembersQuota))
	s.memberRoutes()
	s.invitationRoutes()
	s.exportRoutes()
	s.upkeepRoutes()
	s.sessionRoutes()
	s.auditRoutes()
	endpoint.HandleBody(s.Ops, http.MethodPost, "/admin/teams/{id}/pairing-codes", s.createPairingCode,
		s.Operation(endpoint.Operators, "createPairingCode", "Make a code with which a member's extension signs in", endpoint.TagAdmin),
		endpoint.Created(), endpoint.WithBody(endpoint.TextInvalidMail), endpoint.WithError(http.StatusNotFound, endpoint.TextTeamNotFound, "User not found"))
	endpoint.Handle(s.Ops, http.MethodPost, "/admin/teams/{id}/rotate-key", s.rotateKey,
		s.Operation(endpoint.Operators, "rotateKey", "Replace a team's key", endpoint.TagAdmin), unknown)
	endpoint.Handle(s.Ops, http.MethodPost, "/admin/teams/{id}/reveal-key", s.revealKey,
		s.Operation(endpoint.Operators, "revealKey", "Show a team's key", endpoint.TagAdmin), unknown)
}

// shownTeam is a team as the operator sees it; the key is shown when it is new.
type shownTeam struct {
	ID      watchpost.TeamID    `json:"id"`
	Name    string              `json:"name"`
	Plan    watchpost.Plan      `json:"plan"`
	Expires *endpoint.Timestamp `json:"plan_expires_at" description:"when the plan becomes free; null: never"`
	Keep    *string             `json:"keep_posts"`
	Asked   *endpoint.Timestamp `json:"key_rotation_asked_at" description:"since when an admin of the team asks for another key; null: nobody does"`
	Domains []string            `json:"domains" validate:"required" description:"mail domains whose people join the team at their first sign-in by the provider of identities"`
	APIKey  string              `json:"api_key,omitempty"`
	Members []shownMember       `json:"members" validate:"required"`
}

type shownMember struct {
	ID       watchpost.MemberID `json:"id"`
	Email    string             `json:"email"`
	FullName string             `json:"full_name"`
	Role     watchpost.Role     `json:"role"`
}

func teamShown(t watchpost.Team, key string) shownTeam {
	var keep *string
	if s := t.KeepPosts.String(); s != "" {
		keep = &s
	}
	v := shownTeam{Keep: keep, Domains: append([]string{}, t.Domains...), ID: t.ID, Name: t.Name, Plan: t.Plan, Expires: endpoint.TimestampOrNil(t.PlanExpiresAt), Asked: endpoint.TimestampOrNil(t.KeyRotationAskedAt), APIKey: key, Members: make([]shownMember, len(t.Members))}
	for i, m := range t.Members {
		v.Members[i] = memberShown(m)
	}
	return v
}

func memberShown(m watchpost.Member) shownMember {
	return shownMember{m.ID, m.Email, m.FullName, m.Role}
}

type createTeamRequest struct {
	Email    string `json:"email" required:"" example:"jane@example.com"`
	FullName string `json:"full_name,omitempty" example:"Jane Doe" maxLength:"120,own"`
	Name     string `json:"name,omitempty" example:"Example" maxLength:"120,own"`
	Plan     string `json:"plan" required:"" validate:"oneof=free growth expert ultimate pro" example:"growth"`

	plan watchpost.Plan
}

// CleanField implements endpoint.FieldCleaner.
func (r *createTeamRequest) CleanField(name string) (err error) {
	switch name {
	case "email":
		r.Email, err = endpoint.ReadEmail(r.Email)
	case "full_name":
		r.FullName, err = endpoint.ReadFullName(r.FullName)
	case "name":
		r.Name, err = endpoint.ReadName(r.Name)
	case "plan":
		r.plan, err = readPlan(r.Plan)
	}
	return err
}

func (s teams) createTeam(r *http.Request, request createTeamRequest) (shownTeam, error) {
	founded, err := s.Registry.CreateTeam(r.Context(), actors.CreateTeam{
		Name: request.Name, Plan: request.plan, Email: request.Email, FullName: request.FullName,
	})
	if err != nil {
		return shownTeam{}, err
	}
	return teamShown(founded.Team, founded.APIKey), nil
}

func readPlan(s string) (watchpost.Plan, error) {
	plan, err := watchpost.ParsePlan(s)
	if err != nil {
		return "", watchpost.Errorf(watchpost.Invalid, textInvalidPlan)
	}
	return plan, nil
}

type teamList struct {
	Teams []listedTeam `json:"teams" validate:"required"`
	Count int          `json:"count"`
}

type listedTeam struct {
	ID        watchpost.TeamID    `json:"id"`
	Name      string              `json:"name"`
	Plan      watchpost.Plan      `json:"plan"`
	Expires   *endpoint.Timestamp `json:"plan_expires_at" description:"when the plan becomes free; null: never"`
	CreatedAt endpoint.Timestamp  `json:"created_at"`
	Asked     *endpoint.Timestamp `json:"key_rotation_asked_at" description:"since when an admin of the team asks for another key; null: nobody does"`
}

func (s teams) listTeams(r *http.Request) (teamList, error) {
	p := endpoint.ReadParams(r)
	email := p.One("email")
	if email != "" {
		var ok bool
		if email, ok = watchpost.NormalizeEmail(email); !ok {
			p.Refuse("email")
		}
	}
	if p.Err != nil {
		return teamList{}, p.Err
	}
	var all []watchpost.Team
	var err error
	if email != "" {
		all, err = s.Registry.TeamsOf(r.Context(), email)
	} else {
		all, err = s.Registry.Teams(r.Context())
	}
	if err != nil {
		return teamList{}, err
	}
	list := teamList{Teams: make([]listedTeam, len(all)), Count: len(all)}
	for i, t := range all {
		list.Teams[i] = listedTeam{t.ID, t.Name, t.Plan, endpoint.TimestampOrNil(t.PlanExpiresAt), endpoint.TimestampOf(t.CreatedAt), endpoint.TimestampOrNil(t.KeyRotationAskedAt)}
	}
	return list, nil
}

func (s teams) showTeam(r *http.Request) (shownTeam, error) {
	id, err := endpoint.TeamInPath(r)
	if err != nil {
		return shownTeam{}, err
	}
	view, err := actors.Ask(r.Context(), s.Registry, id, actors.GetTeam{})
	return teamShown(view.Team, ""), err
}

type deleteTeamReply struct {
	ID      watchpost.TeamID `json:"id"`
	Deleted bool             `json:"deleted"`
}

func (s teams) deleteTeam(r *http.Request) (deleteTeamReply, error) {
	id, err := endpoint.TeamInPath(r)
	if err == nil {
		err = s.Registry.DeleteTeam(r.Context(), id)
	}
	return deleteTeamReply{id, true}, err
}

type updateTeamRequest struct {
	Name    string            `json:"name,omitempty" example:"Example"`
	Plan    string            `json:"plan,omitempty" validate:"oneof=free growth expert ultimate pro" invalid:"Missing or invalid 'plan'" example:"expert"`
	Expires endpoint.Nullable `json:"plan_expires_at,omitempty" description:"RFC 3339; null: never. A plan that is set without it does not expire" example:"2030-01-01T00:00:00Z"`

	KeepPosts endpoint.Nullable `json:"keep_posts,omitempty" example:"365d"`
	Domains   []string          `json:"domains,omitempty" description:"mail domains of the team in place of all before, for example [\"example.com\"]"`

	patch watchpost.TeamPatch
}

// CleanField implements endpoint.FieldCleaner.
func (r *updateTeamRequest) CleanField(name string) (err error) {
	switch name {
	case "name":
		var name string
		if name, err = endpoint.ReadName(r.Name); name != "" {
			r.patch.Name = &name
		}
	case "plan":
		if r.Plan != "" {
			var plan watchpost.Plan
			plan, err = readPlan(r.Plan)
			r.patch.Plan = &plan
		}
	case "plan_expires_at":
		if !r.Expires.Set {
			return nil
		}
		var at time.Time
		if r.Expires.Value != "" {
			if at, err = time.Parse(time.RFC3339, r.Expires.Value); err != nil {
				return watchpost.Errorf(watchpost.Invalid, textInvalidExpiry)
			}
		}
		at = at.UTC()
		r.patch.PlanExpiresAt = &at
	case "keep_posts":
		if !r.KeepPosts.Set {
			return nil
		}
		var keep watchpost.KeepDays
		if r.KeepPosts.Value != "" {
			if keep, err = watchpost.ParseKeepDays(r.KeepPosts.Value); err != nil {
				return err
			}
		}
		r.patch.KeepPosts = &keep
	case "domains":
		if r.Domains != nil {
			r.patch.Domains, err = readDomains(r.Domains)
		}
	}
	return err
}

const textInvalidDomains = "Invalid 'domains'"

// readDomains reads the mail domains of a team.
func readDomains(given []string) (*[]string, error) {
	domains := make([]string, len(given))
	for i, s := range given {
		var ok bool
		if domains[i], ok = watchpost.NormalizeDomain(s); !ok || len(given) > watchpost.MaxDomains {
			return nil, watchpost.Errorf(watchpost.Invalid, textInvalidDomains)
		}
	}
	return &domains, nil
}

func (s teams) updateTeam(r *http.Request, request updateTeamRequest) (shownTeam, error) {
	if request.patch == (watchpost.TeamPatch{}) {
		return shownTeam{}, watchpost.Errorf(watchpost.Invalid, textInvalidPlan)
	}
	id, err := endpoint.TeamInPath(r)
	if err != nil {
		return shownTeam{}, err
	}
	team, err := actors.Ask(r.Context(), s.Registry, id, actors.UpdateTeam{Patch: request.patch})
	return teamShown(team, ""), err
}

type keyReply struct {
	APIKey string `json:"api_key"`
}

func (s teams) rotateKey(r *http.Request) (keyReply, error) {
	team, err := endpoint.TeamInPath(r)
	if err != nil {
		return keyReply{}, err
	}
	key, err := actors.Ask(r.Context(), s.Registry, team, actors.RotateKey{})
	return keyReply{key.Key}, err
}

func (s teams) revealKey(r *http.Request) (keyReply, error) {
	team, err := endpoint.TeamInPath(r)
	if err != nil {
		return keyReply{}, err
	}
	key, err := actors.Ask(r.Context(), s.Registry, team, actors.RevealKey{})
	if err == nil {
		s.Log.Info("the operator was shown a team's key", "team", team, "request", endpoint.StateOf(r.Context()).ID)
	}
	return keyReply{key.Key}, err
}
