package dashboard

import (
	"net/http"
	"slices"
	"time"

	"watchpost/actors"
	"watchpost/internal/useragent"
	"watchpost/watchpost"
)

// teamPage shows members, their accounts and browsers, the plan, the key and
// the sign-ins of the visitor.
type teamPage struct {
	frame
	Name, Plan string
	PlanEnds   string
	Admin      bool // the visitor may change the members
	Accounts   []accountView
	Members    []memberView
	Invited    []invitationView // for admins
	Alone      bool             // the visitor is the only member
	Room       string           // members in use
	Quotas     []gauge
	SignIns    []signInView
	Audit      []auditRow // for admins
	KeyUse     keyUseView
	Key        string       // shown on request
	KeyHeld    string       // since when a former member may have the key
	KeyAsked   string       // since when the operator is asked for another one
	Pairing    *pairingView // a new pairing code
	Email      string       // typed into the invitation
	Error      string
	Drafts     bool // there is a language model, which writes in the team's voice
	Voice      string
	VoiceError string
	ResetIn    string
	Origin     string // of the API
}

// gauge is a part of something limited that is in use.
type gauge struct {
	Name                string
	Used, Limit, Warn   int
	UsedText, LimitText string
}

func gaugeOf(name string, used, limit int) gauge {
	g := gauge{Name: name, Used: used, Limit: limit, Warn: limit * 85 / 100, UsedText: number(used), LimitText: number(limit)}
	if limit == watchpost.Unlimited {
		g.LimitText = "any number"
	}
	return g
}

// accountView is a member's account of the network.
type accountView struct {
	ID                 watchpost.MemberID
	Name, Initials     string
	State, Class, Icon string
	Fix                string // what to do about a pause
	Seen               string
	Gauges             []gauge
	Sessions           []sessionView
}

// sessionView is a browser with the extension.
type sessionView struct {
	ID         watchpost.SessionID
	Text, Seen string
	Revoke     bool // the visitor may end it
}

type memberView struct {
	ID          watchpost.MemberID
	Name, Email string
	Role, Other watchpost.Role
	Me, Acting  bool
}

type signInView struct {
	ID, Agent string
	Who       string // another member
	When      moment
	This      bool
}

var actionNames = map[watchpost.Action]string{
	watchpost.ActionLike: "Likes", watchpost.ActionComment: "Comments", watchpost.ActionMessage: "Messages", watchpost.ActionInvitation: "Invitations",
	watchpost.ActionProfileFetch: "Profiles", watchpost.ActionCompanyFetch: "Companies", watchpost.ActionProfileSearch: "Searches",
	watchpost.ActionKeywordScan: "Keyword scans", watchpost.ActionPeopleScan: "Profile scans", watchpost.ActionCompanyScan: "Company scans",
}

// actionOrder is the order of the gauges.
var actionOrder = []watchpost.Action{
	watchpost.ActionLike, watchpost.ActionComment, watchpost.ActionMessage, watchpost.ActionInvitation, watchpost.ActionProfileFetch,
	watchpost.ActionCompanyFetch, watchpost.ActionProfileSearch, watchpost.ActionKeywordScan, watchpost.ActionPeopleScan, watchpost.ActionCompanyScan,
}

// pauseTexts say why an account is paused, and what to do.
var pauseTexts = map[actors.PauseReason][2]string{
	actors.PauseAccountInUse:  {"another member works with this account", "Sign in to the network with an account of your own."},
	actors.PauseOtherAccount:  {"signed in to another account", "Sign in to the network with the account that is shown here, or ask the operator to release it."},
	actors.PauseSignedOut:     {"signed out of the network", "Sign in to the network in that browser. Tasks wait until then; nothing is lost."},
	actors.PauseChallenge:     {"the network asks for a check", "Open the network in that browser and answer the check. Tasks wait until then; nothing is lost."},
	actors.PauseReleased:      {"the browser gave a task back", "It goes on when the browser is heard of again."},
	actors.PauseNewClaim:      {"new to this team", "Its allowances begin with the next day, its invitations with the next week."},
	actors.PauseNotUnderstood: {"a page of the network has changed", "Tasks of this kind wait. Update the extension if there is a newer one."},
	actors.PauseFailing:       {"the network fails", "Tasks of this kind wait, and are tried again by themselves."},
	actors.PauseNetworkLimit:  {"the network refused more", "It goes on by itself."},
}

func (d teamPages) showTeam(w http.ResponseWriter, r *http.Request, v *visit) error {
	page, err := d.teamPage(r, v)
	if err != nil {
		return err
	}
	return render(w, http.StatusOK, "team.html", page)
}

func (d teamPages) teamPage(r *http.Request, v *visit) (*teamPage, error) {
	now, team := d.Clock.Now(), v.team
	sessions, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListSessions{})
	if err != nil {
		return nil, err
	}
	signIns, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListWebSessions{Member: v.member.ID})
	if err != nil {
		return nil, err
	}
	admin := v.member.Role == watchpost.RoleAdmin
	page := &teamPage{
		frame: frameOf(v, "team", "Team"), Name: team.Team.Name, Plan: planName(team.Team.Plan), Admin: admin,
		Room: gaugeOf("", team.Use.Members, team.Limits.Members).LimitText, ResetIn: inTime(watchpost.Daily.Reset(now).Sub(now)), Origin: d.origin(r),
		Drafts: d.Draft != nil, Voice: team.Team.Voice,
		Quotas: []gauge{
			gaugeOf("Watchlists", team.Use.Watchlists, team.Limits.Watchlists), gaugeOf("Members", team.Use.Members, team.Limits.Members),
			gaugeOf("Relevant posts this week, fullest watchlist", team.Use.WeeklyPosts, team.Limits.WeeklyPosts),
			gaugeOf("Potential leads this week, fullest watchlist", team.Use.PotentialLeads, team.Limits.PotentialLeads),
		},
	}
	if at := team.Team.MemberLeftAt; !at.IsZero() {
		page.KeyHeld = at.UTC().Format("2 January 2006")
	}
	if at := team.Team.KeyRotationAskedAt; !at.IsZero() {
		page.KeyAsked = at.UTC().Format("2 January 2006")
	}
	if !team.Team.PlanExpiresAt.IsZero() {
		page.PlanEnds = team.Team.PlanExpiresAt.UTC().Format("2 January 2006")
	}
	for i, m := range team.Team.Members {
		p := team.Presence[i]
		other := watchpost.RoleAdmin
		if m.Role == watchpost.RoleAdmin {
			other = watchpost.RoleMember
		}
		page.Members = append(page.Members, memberView{m.ID, nameOf(m), m.Email, m.Role, other, m.ID == v.member.ID, p.Acting})
		mine := slices.DeleteFunc(slices.Clone(sessions), func(s actors.SessionView) bool { return s.Member.ID != m.ID })
		if p.Account != nil || len(mine) > 0 {
			page.Accounts = append(page.Accounts, accountOf(m, p, mine, admin || m.ID == v.member.ID, now))
		}
	}
	page.addInvitations(team, now)
	for _, s := range signIns {
		page.SignIns = append(page.SignIns, signInView{ID: s.ID, Agent: useragent.Name(s.Agent), When: momentOf(ago(s.CreatedAt, now), s.CreatedAt), This: s.ID == v.session.ID})
	}
	for _, m := range team.Team.Members {
		if !admin || m.ID == v.member.ID {
			continue
		}
		theirs, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListWebSessions{Member: m.ID})
		if err != nil {
			return nil, err
		}
		for _, s := range theirs { // without the id, which ends it
			page.SignIns = append(page.SignIns, signInView{Who: nameOf(m), Agent: useragent.Name(s.Agent), When: momentOf(ago(s.CreatedAt, now), s.CreatedAt)})
		}
	}
	return page, d.addAudit(r, v, page)
}

// accountOf describes a member's account and browsers.
func accountOf(m watchpost.Member, p actors.MemberPresence, sessions []actors.SessionView, revoke bool, now time.Time) accountView {
	a := accountView{ID: m.ID, Name: nameOf(m), Initials: initials(nameOf(m)), State: "Working", Class: "good", Icon: "check"}
	if p.Account != nil && p.Account.Name != "" && p.Account.Name != a.Name {
		a.Name += ", " + p.Account.Name + " on the network"
	}
	switch {
	case len(p.Pauses) > 0:
		text := pauseTexts[p.Pauses[0].Reason]
		a.State, a.Class, a.Icon, a.Fix = "Paused: "+text[0], "bad", "pause", text[1]
		if until := p.Pauses[0].Until; until.After(now) {
			a.Fix += " Until " + clockTime(until, now) + " UTC."
		}
		for _, p := range p.Pauses {
			if p.Failures > 0 {
				a.Fix += " " + p.TaskType.Title() + ": " + plural(p.Failures, "failure") + " in a row, the last: " + p.Message + "."
			}
		}
	case p.Account == nil:
		a.State, a.Class, a.Icon, a.Fix = "Not signed in to the network yet", "wait", "clock", "Sign in to the network in the browser with the extension."
	case !p.Connected:
		a.State, a.Class, a.Icon, a.Fix = "No browser is open", "wait", "clock", "Tasks of this account wait until it is."
	}
	if !p.LastActive.IsZero() {
		a.Seen = "seen " + ago(p.LastActive, now)
	}
	for _, action := range actionOrder {
		for _, u := range p.Used {
			if u.Action == action {
				a.Gauges = append(a.Gauges, gaugeOf(actionNames[action], u.Used, u.Limit))
			}
		}
	}
	for _, s := range sessions {
		text := s.Browser.Name
		if s.Browser.Version != "" {
			text += " " + s.Browser.Version
		}
		if s.Browser.OS != "" {
			text += ", " + s.Browser.OS
		}
		if text == "" {
			text = "Browser"
		}
		view := sessionView{ID: s.ID, Text: text, Seen: "not seen yet", Revoke: revoke}
		if s.Connected {
			view.Seen = "connected"
		} else if !s.LastSeen.IsZero() {
			view.Seen = "seen " + ago(s.LastSeen, now)
		}
		a.Sessions = append(a.Sessions, view)
	}
	return a
}

// adminsOnly refuses what members may not do.
func adminsOnly(v *visit) error {
	if v.member.Role != watchpost.RoleAdmin {
		return watchpost.Errorf(watchpost.Forbidden, "Only admins of the team may change its members. Ask one of them.")
	}
	return nil
}

// changeTeam carries out a form of the team's page.
func (d teamPages) changeTeam(w http.ResponseWriter, r *http.Request, v *visit) error {
	ctx, team := r.Context(), v.session.Team
	member := watchpost.MemberID(r.PostFormValue("member"))
	var err error
	switch r.PostFormValue("do") {
	case "invite", "mail", "withdraw":
		return d.changeInvitations(w, r, v)
	case "voice":
		return d.changeVoice(w, r, v)
	case "leave":
		return d.leave(w, r, v)
	case "role", "remove":
		if err := adminsOnly(v); err != nil {
			return err
		}
		if member == v.member.ID {
			return watchpost.Errorf(watchpost.Forbidden, "Another admin has to do this: no admin changes their own role or removes themselves.")
		}
		if r.PostFormValue("do") == "remove" {
			_, err = actors.Ask(ctx, d.Registry, team, actors.RemoveMember{Member: member})
			break
		}
		var role watchpost.Role
		if role, err = watchpost.ParseRole(r.PostFormValue("role")); err == nil {
			_, err = actors.Ask(ctx, d.Registry, team, actors.UpdateMember{Member: member, Role: role})
		}
	case "rotate":
		if err = adminsOnly(v); err == nil {
			_, err = actors.Ask(ctx, d.Registry, team, actors.AskKeyRotation{})
		}
	case "revoke":
		err = d.revoke(r, v)
	case "pair", "code", "mail-code":
		return d.pair(w, r, v)
	case "reveal":
		return d.showKey(w, r, v)
	case "end":
		_, err = actors.Ask(ctx, d.Registry, team, actors.EndWebSessions{Member: v.member.ID, ID: r.PostFormValue("session")})
	default:
		err = errUnknownForm()
	}
	if err != nil {
		return err
	}
	http.Redirect(w, r, pathTeam, http.StatusSeeOther)
	return nil
}

// revoke ends a browser's session: one's own, or any for an admin.
func (d teamPages) revoke(r *http.Request, v *visit) error {
	id := watchpost.SessionID(r.PostFormValue("session"))
	sessions, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListSessions{})
	if err != nil {
		return err
	}
	i := slices.IndexFunc(sessions, func(s actors.SessionView) bool { return s.ID == id })
	if i < 0 {
		return watchpost.Errorf(watchpost.NotFound, "Session not found")
	}
	if sessions[i].Member.ID != v.member.ID {
		if err := adminsOnly(v); err != nil {
			return err
		}
	}
	_, err = actors.Ask(r.Context(), d.Registry, v.session.Team, actors.Revoke{Session: id})
	return err
}

// showKey answers with the page that shows the key. The page is not stored, and does
// not show it when it is loaded again.
func (d teamPages) showKey(w http.ResponseWriter, r *http.Request, v *visit) error {
	page, err := d.teamPage(r, v)
	if err != nil {
		return err
	}
	key, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.RevealKey{Session: v.session.ID})
	if err != nil && watchpost.KindOf(err) == watchpost.Forbidden { // the sign-in is not fresh
		http.Redirect(w, r, pathSignIn+"?again="+nextKey, http.StatusSeeOther)
		return nil
	}
	if err != nil {
		return err
	}
	page.Key = key.Key
	return render(w, http.StatusOK, "team.html", page)
}
