package dashboard

import (
	"net/http"
	"slices"
	"time"

	"watchpost/actors"
	"watchpost/internal/useragent"
	"watchpost/internal/words"
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

func gaugeOf(say *words.Language, name string, used, limit int) gauge {
	g := gauge{Name: name, Used: used, Limit: limit, Warn: limit * 85 / 100, UsedText: say.Number(used), LimitText: say.Number(limit)}
	if limit == watchpost.Unlimited {
		g.LimitText = say.Text("team.any_number")
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
	watchpost.ActionLike: "team.likes", watchpost.ActionComment: "team.comments", watchpost.ActionMessage: "team.messages", watchpost.ActionInvitation: "team.invitations",
	watchpost.ActionProfileFetch: "team.profiles", watchpost.ActionCompanyFetch: "team.companies", watchpost.ActionProfileSearch: "team.searches",
	watchpost.ActionKeywordScan: "team.keyword_scans", watchpost.ActionPeopleScan: "team.profile_scans", watchpost.ActionCompanyScan: "team.company_scans",
}

// actionOrder is the order of the gauges.
var actionOrder = []watchpost.Action{
	watchpost.ActionLike, watchpost.ActionComment, watchpost.ActionMessage, watchpost.ActionInvitation, watchpost.ActionProfileFetch,
	watchpost.ActionCompanyFetch, watchpost.ActionProfileSearch, watchpost.ActionKeywordScan, watchpost.ActionPeopleScan, watchpost.ActionCompanyScan,
}

// pauseTexts say why an account is paused, and what to do.
var pauseTexts = map[actors.PauseReason][2]string{
	actors.PauseAccountInUse:  {"team.another_member_works_with_this", "team.sign_in_to_the_network_with"},
	actors.PauseOtherAccount:  {"team.signed_in_to_another_account", "team.sign_in_to_the_network_with_2"},
	actors.PauseSignedOut:     {"team.signed_out_of_the_network", "team.sign_in_to_the_network_in"},
	actors.PauseChallenge:     {"team.the_network_asks_for_a_check", "team.open_the_network_in_that_browser"},
	actors.PauseReleased:      {"team.the_browser_gave_a_task_back", "team.it_goes_on_when_the_browser"},
	actors.PauseNewClaim:      {"team.new_to_this_team", "team.its_allowances_begin_with_the_next"},
	actors.PauseNotUnderstood: {"team.a_page_of_the_network_has", "team.tasks_of_this_kind_wait_update"},
	actors.PauseFailing:       {"team.the_network_fails", "team.tasks_of_this_kind_wait_and"},
	actors.PauseNetworkLimit:  {"team.the_network_refused_more", "team.it_goes_on_by_itself"},
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
		frame: frameOf(v, "team", v.say.Text("common.team")), Name: team.Team.Name, Plan: planName(v.say, team.Team.Plan), Admin: admin,
		Room: gaugeOf(v.say, "", team.Use.Members, team.Limits.Members).LimitText, ResetIn: inTime(v.say, watchpost.Daily.Reset(now).Sub(now)), Origin: d.origin(r),
		Drafts: d.Draft != nil, Voice: team.Team.Voice,
		Quotas: []gauge{
			gaugeOf(v.say, v.say.Text("common.watchlists"), team.Use.Watchlists, team.Limits.Watchlists), gaugeOf(v.say, v.say.Text("team.members"), team.Use.Members, team.Limits.Members),
			gaugeOf(v.say, v.say.Text("team.relevant_posts_this_week_fullest"), team.Use.WeeklyPosts, team.Limits.WeeklyPosts),
			gaugeOf(v.say, v.say.Text("team.potential_leads_this_week_fullest"), team.Use.PotentialLeads, team.Limits.PotentialLeads),
		},
	}
	if at := team.Team.MemberLeftAt; !at.IsZero() {
		page.KeyHeld = v.say.Date("date.long", v.say.Local(at))
	}
	if at := team.Team.KeyRotationAskedAt; !at.IsZero() {
		page.KeyAsked = v.say.Date("date.long", v.say.Local(at))
	}
	if !team.Team.PlanExpiresAt.IsZero() {
		page.PlanEnds = v.say.Date("date.long", team.Team.PlanExpiresAt.UTC())
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
			page.Accounts = append(page.Accounts, accountOf(v.say, m, p, mine, admin || m.ID == v.member.ID, now))
		}
	}
	page.addInvitations(team, now)
	for _, s := range signIns {
		page.SignIns = append(page.SignIns, signInView{ID: s.ID, Agent: useragent.Name(s.Agent), When: momentOf(v.say, ago(v.say, s.CreatedAt, now), s.CreatedAt), This: s.ID == v.session.ID})
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
			page.SignIns = append(page.SignIns, signInView{Who: nameOf(m), Agent: useragent.Name(s.Agent), When: momentOf(v.say, ago(v.say, s.CreatedAt, now), s.CreatedAt)})
		}
	}
	return page, d.addAudit(r, v, page)
}

// accountOf describes a member's account and browsers.
func accountOf(say *words.Language, m watchpost.Member, p actors.MemberPresence, sessions []actors.SessionView, revoke bool, now time.Time) accountView {
	a := accountView{ID: m.ID, Name: nameOf(m), Initials: initials(nameOf(m)), State: say.Text("team.working"), Class: "good", Icon: "check"}
	if p.Account != nil && p.Account.Name != "" && p.Account.Name != a.Name {
		a.Name = say.Text("team.name_account_on_the_network", "name", a.Name, "account", p.Account.Name)
	}
	switch {
	case len(p.Pauses) > 0:
		text := pauseTexts[p.Pauses[0].Reason]
		a.State, a.Class, a.Icon, a.Fix = say.Text("team.paused_why", "why", say.Text(text[0])), "bad", "pause", say.Text(text[1])
		if until := p.Pauses[0].Until; until.After(now) {
			a.Fix += " " + say.Text("team.until_until_utc", "until", zonedTime(say, until, now))
		}
		for _, p := range p.Pauses {
			if p.Failures > 0 {
				a.Fix += " " + say.Text("team.task_failures_in_a_row_the", "task", say.Known(p.TaskType.Title()), "failures", plural(say, p.Failures, "failure"), "message", say.Known(p.Message))
			}
		}
	case p.Account == nil:
		a.State, a.Class, a.Icon, a.Fix = say.Text("team.not_signed_in_to_the_network"), "wait", "clock", say.Text("team.sign_in_to_the_network_in_2")
	case !p.Connected:
		a.State, a.Class, a.Icon, a.Fix = say.Text("team.no_browser_is_open"), "wait", "clock", say.Text("team.tasks_of_this_account_wait_until")
	}
	if !p.LastActive.IsZero() {
		a.Seen = say.Text("team.seen_ago", "ago", ago(say, p.LastActive, now))
	}
	for _, action := range actionOrder {
		for _, u := range p.Used {
			if u.Action == action {
				a.Gauges = append(a.Gauges, gaugeOf(say, say.Text(actionNames[action]), u.Used, u.Limit))
			}
		}
	}
	for _, s := range sessions {
		text := s.Browser.Name
		if s.Browser.Version != "" {
			text += " " + s.Browser.Version
		}
		if s.Browser.OS != "" {
			text = say.List(text, s.Browser.OS)
		}
		if text == "" {
			text = say.Text("team.browser")
		}
		view := sessionView{ID: s.ID, Text: text, Seen: say.Text("team.not_seen_yet"), Revoke: revoke}
		if s.Connected {
			view.Seen = say.Text("team.connected")
		} else if !s.LastSeen.IsZero() {
			view.Seen = say.Text("team.seen_ago", "ago", ago(say, s.LastSeen, now))
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
