package dashboard

import (
	"cmp"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"

	"watchpost/actors"
	"watchpost/actors/triage"
	"watchpost/watchpost"
)

// The tabs of the feed are the values of a parameter of its address; "" has all posts. They
// do not belong to saved views.
const (
	tabParameter = "tab"
	tabLater     = string(watchpost.TriageLater)
	tabMine      = "mine"
)

var tabs = []string{string(watchpost.TriageUnread), "", tabLater, tabMine, string(watchpost.TriageDone)}

// tabNames have the texts of the tabs but that of all.
var tabNames = map[string]string{
	string(watchpost.TriageUnread): "feed.unread", tabLater: "feed.later", tabMine: "feed.mine", string(watchpost.TriageDone): "feed.done",
}

// tab is a part of the feed as a link.
type tab struct {
	Name, Href string
	Count      int
	On         bool
}

// tab returns the tab of an address.
func (p parameters) tab() string { return p.values.Get(tabParameter) }

// inbox is what a member and the team have decided about posts.
type inbox struct {
	triage.View
	member watchpost.MemberID
	mine   *watchpost.PostSet
	sets   map[watchpost.TriageState]*watchpost.PostSet
}

// inboxOf returns the inbox of the visitor, read once for a request. A whole page is a
// visit; what a script asks for may be asked for without a reader.
func (d feedPages) inboxOf(r *http.Request, v *visit) (*inbox, error) {
	if v.inbox != nil {
		return v.inbox, nil
	}
	reads := r.Method == http.MethodGet && !byHTMX(r) && d.Writable() == nil
	view, err := actors.Ask(r.Context(), d.Registry, v.session.Team, triage.Get{Member: v.member.ID, Visit: reads})
	if err != nil {
		return nil, err
	}
	v.inbox = &inbox{View: view, member: v.member.ID}
	return v.inbox, nil
}

// posts returns the posts of a tab; nil: all.
func (in *inbox) posts(tab string) *watchpost.PostSet {
	if in.sets == nil {
		in.sets, in.mine = in.Sets(), in.AssignedTo(in.member)
	}
	switch tab {
	case "":
		return nil
	case tabMine:
		return in.mine
	}
	return in.sets[watchpost.TriageState(tab)]
}

// askInbox adds the tabs, and asks how many posts are new.
func (f *feedFilters) askInbox(in *inbox, now time.Time) *sinceView {
	f.askTabs(in)
	return f.askSince(in, now)
}

// askTabs adds the tabs, with the number of posts that the filters find in each.
func (f *feedFilters) askTabs(in *inbox) {
	f.Tabs = make([]tab, len(tabs))
	for i, name := range tabs {
		t := &f.Tabs[i]
		*t = tab{Name: f.say.Text("feed.all"), Href: f.params.with(tabParameter).href(), On: f.params.tab() == name}
		if name != "" {
			t.Name, t.Href = f.say.Text(tabNames[name]), f.params.with(tabParameter, name).href()
		}
		f.count(f.named, func(q *watchpost.PostQuery) { q.Only = in.posts(name) }, func(n int) { t.Count = n })
	}
}

// emptyTab says that a tab has no posts where there are some without it; nil otherwise.
func emptyTab(f *feedFilters) *emptyView {
	var all, on *tab
	for i, name := range tabs {
		if name == "" {
			all = &f.Tabs[i]
		}
		if f.Tabs[i].On {
			on = &f.Tabs[i]
		}
	}
	if on == all || on.Count > 0 || all.Count == 0 {
		return nil
	}
	empty := &emptyView{Icon: "check", Head: f.say.Text("feed.nothing_here"), Action: f.say.Text("feed.show_all_posts", "posts", plural(f.say, all.Count, "post")), Href: all.Href}
	switch f.params.tab() {
	case string(watchpost.TriageUnread):
		empty.Head, empty.Text = f.say.Text("feed.nothing_unread"), f.say.Text("feed.you_have_decided_about_every_post")
	case tabLater:
		empty.Text = f.say.Text("feed.posts_that_you_keep_for_later")
	case tabMine:
		empty.Icon, empty.Text = "users", f.say.Text("feed.posts_that_are_assigned_to_you")
	default:
		empty.Text = f.say.Text("feed.posts_that_you_have_marked_as")
	}
	return empty
}

// Clear is the address of the feed without filters, in its tab.
func (f *feedFilters) Clear() string {
	p := parameters{url.Values{}}
	if tab := f.params.tab(); tab != "" {
		p = p.with(tabParameter, tab)
	}
	return p.href()
}

// sinceView says how many posts are new since the visit before.
type sinceView struct {
	Count int
	When  moment
	Href  string
}

// askSince counts the posts that were stored since the member's last visit; nil: there was
// none, or the address says since when.
func (f *feedFilters) askSince(in *inbox, now time.Time) *sinceView {
	if in.Before.IsZero() || !f.query.StoredFrom.IsZero() {
		return nil
	}
	since := in.Before.UTC()
	view := &sinceView{When: momentOf(f.say, zonedTime(f.say, since, now), since), Href: f.params.with("stored_since", since.Format(time.RFC3339Nano)).href()}
	f.count(f.named, func(q *watchpost.PostQuery) { q.StoredFrom = since }, func(n int) { view.Count = n })
	return view
}

// triageView is what was decided about a post.
type triageView struct {
	State    watchpost.TriageState
	New      bool   // since the last visit
	Assigned string // who takes care of it
	Note     string
	NoteBy   string // who changed the assignment or the note, and when
	Replies  []string
	Members  template.HTML // the choice of a member
	Undo     *undoView     // what was decided just now
}

// undoView is a decision that can be taken back.
type undoView struct {
	ID    watchpost.PostID
	Text  string
	Was   watchpost.TriageState
	Token string
	Back  string
}

// undoTexts say what was decided.
var undoTexts = map[watchpost.TriageState]string{
	watchpost.TriageDone: "feed.marked_as_done", watchpost.TriageLater: "feed.kept_for_later", watchpost.TriageUnread: "feed.marked_as_unread",
}

// triage returns what was decided about a post.
func (s *postShower) triage(p *watchpost.Post) (t triageView) {
	in := s.inbox
	t.State, _ = in.StateOf(p.Marked())
	t.New = !in.Before.IsZero() && !p.CreatedAt.Before(in.Before)
	var assigned watchpost.MemberID
	if a := in.Assignment(p.ID); a != nil {
		assigned, t.Note = a.Member, a.Note
		t.Assigned = s.who(a.Member, s.say.Text("feed.you"))
		t.NoteBy = s.who(a.By, s.say.Text("feed.you")) + ", " + clockTime(s.say, a.At, s.now)
	}
	t.Members = s.members(assigned)
	for _, r := range in.Replying {
		if name := s.who(r.Member, ""); r.Post == p.ID && name != "" {
			t.Replies = append(t.Replies, s.say.Text("feed.name_is_replying_since_since_utc", "name", name, "since", zonedTime(s.say, r.Since, s.now)))
		}
	}
	return t
}

// who names a member: the visitor as you; "" for one who is none.
func (s *postShower) who(id watchpost.MemberID, you string) string {
	if id == s.inbox.member {
		return you
	}
	m, known := s.team.Member(id)
	if !known {
		return ""
	}
	return nameOf(m)
}

// members returns the choice of a member of the team, written once for those posts that
// nobody takes care of.
func (s *postShower) members(chosen watchpost.MemberID) template.HTML {
	if chosen == "" && s.nobody != "" {
		return s.nobody
	}
	var b strings.Builder
	option := func(id watchpost.MemberID, name string) {
		b.WriteString(`<option value="` + template.HTMLEscapeString(string(id)) + `"`)
		if id == chosen {
			b.WriteString(" selected")
		}
		b.WriteString(">" + template.HTMLEscapeString(name) + "</option>")
	}
	option("", s.say.Text("feed.nobody"))
	for _, m := range s.team.Members {
		option(m.ID, cmp.Or(s.who(m.ID, ""), s.say.Text("feed.me_name", "name", nameOf(m))))
	}
	all := template.HTML(b.String()) //nolint:gosec // escaped above
	if chosen == "" {
		s.nobody = all
	}
	return all
}

// mark decides about a post for the member. The answer has the way back.
func (d triagePages) mark(w http.ResponseWriter, r *http.Request, v *visit) error {
	id := watchpost.PostID(r.PathValue("id"))
	found, err := d.Registry.Post(r.Context(), v.session.Team, id)
	if err != nil {
		return err
	}
	state, err := watchpost.ParseTriageState(r.PostFormValue("do"))
	if err != nil {
		return err
	}
	marked, err := actors.Ask(r.Context(), d.Registry, v.session.Team, triage.Mark{Member: v.member.ID, Post: found.Post.Marked(), State: state})
	if err != nil {
		return err
	}
	undo := r.PostFormValue("undo") == "" && marked.Before != state
	if byHTMX(r) {
		v.undo = &undoView{}
		if undo {
			v.undo = newUndo(v, id, state, marked.Before, backFrom(r))
		}
		return d.postPart(w, r, v, id, postAnswer{})
	}
	back, err := url.Parse(backFrom(r))
	if err != nil {
		return err
	}
	if q := back.Query(); undo {
		q.Set("did", string(state))
		q.Set("was", string(marked.Before))
		q.Set("post", string(id))
		back.RawQuery = q.Encode()
	}
	back.Fragment = "p-" + string(id)
	http.Redirect(w, r, back.String(), http.StatusSeeOther)
	return nil
}

func newUndo(v *visit, id watchpost.PostID, did, was watchpost.TriageState, back string) *undoView {
	return &undoView{ID: id, Text: v.say.Text(undoTexts[did]), Was: was, Token: v.formToken(), Back: back}
}

// undoOf returns the decision that an address says was made just now, without a script.
func undoOf(r *http.Request, v *visit, back string) *undoView {
	q := r.URL.Query()
	did, err := watchpost.ParseTriageState(q.Get("did"))
	was, wrong := watchpost.ParseTriageState(q.Get("was"))
	if err != nil || wrong != nil || !watchpost.ValidID(q.Get("post")) {
		return &undoView{}
	}
	return newUndo(v, watchpost.PostID(q.Get("post")), did, was, back)
}

// markAll marks all posts as done that came before the page was made.
func (d triagePages) markAll(w http.ResponseWriter, r *http.Request, v *visit) error {
	before, err := time.Parse(time.RFC3339Nano, r.PostFormValue("since"))
	if err != nil || before.After(d.Clock.Now()) {
		return errUnknownForm()
	}
	if _, err := actors.Ask(r.Context(), d.Registry, v.session.Team, triage.MarkAll{Member: v.member.ID, Before: before}); err != nil {
		return err
	}
	http.Redirect(w, r, backFrom(r), http.StatusSeeOther)
	return nil
}

// assign says who takes care of a post, and notes something for the team.
func (d triagePages) assign(w http.ResponseWriter, r *http.Request, v *visit) error {
	id := watchpost.PostID(r.PathValue("id"))
	found, err := d.Registry.Post(r.Context(), v.session.Team, id)
	if err != nil {
		return err
	}
	a := watchpost.PostAssignment{Post: found.Post.Marked(), Member: watchpost.MemberID(r.PostFormValue("member")), Note: r.PostFormValue("note"), By: v.member.ID}
	if _, err := actors.Ask(r.Context(), d.Registry, v.session.Team, triage.Assign{Assignment: a}); err != nil {
		return err
	}
	return d.showPost(w, r, v, id, "")
}

// replying notes that the member types a reply, or has given it up.
func (d triagePages) replying(w http.ResponseWriter, r *http.Request, v *visit) error {
	id := watchpost.PostID(r.PathValue("id"))
	if _, err := d.Registry.Post(r.Context(), v.session.Team, id); err != nil {
		return err
	}
	if err := d.noteReply(r, v, id, r.PostFormValue("ended") != ""); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (d feedPages) noteReply(r *http.Request, v *visit, id watchpost.PostID, ended bool) error {
	_, err := actors.Ask(r.Context(), d.Registry, v.session.Team, triage.Reply{Member: v.member.ID, Post: id, Ended: ended})
	return err
}
