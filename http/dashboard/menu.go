package dashboard

import (
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"watchpost/actors"
	"watchpost/actors/triage"
	"watchpost/internal/words"
	"watchpost/watchpost"
)

// menu is a filter with several values, as a form.
type menu struct {
	say         *words.Language // of the counts
	Title, Name string
	Action      string // the address of the form
	On          bool
	Options     []choice
	Inputs      []input
	Single      bool // one of the options
	Links       bool // the value of an option is its address
	Hidden      []field
}

// choice is a value of a filter.
type choice struct {
	Value, Name string
	Count       int
	On          bool
	counted     bool
}

// input is a filter that is typed.
type input struct{ Name, Label, Type, Value, Hint string }

// choiceSize is about how many bytes an option has on a page.
const choiceSize = 160

// Choices are the options of the menu. They are written without a template: a page
// has hundreds, and they were half of its time on the server.
func (m menu) Choices() template.HTML {
	kind := "checkbox"
	if m.Single {
		kind = "radio"
	}
	var b strings.Builder
	b.Grow(choiceSize * len(m.Options))
	write := func(parts ...string) {
		for _, part := range parts {
			b.WriteString(part)
		}
	}
	for _, c := range m.Options {
		value, name, set := template.HTMLEscapeString(c.Value), template.HTMLEscapeString(c.Name), ""
		if m.Links {
			if c.On {
				set = ` aria-current="true"`
			}
			write(`<a class="choice" href="`, value, `"`, set, `>`, name)
		} else {
			if c.On {
				set = " checked"
			}
			write(`<label class="choice"><input type="`, kind, `" name="`, m.Name, `" value="`, value, `"`, set, `> `, name)
		}
		if c.counted {
			write(`<span class="count">`, m.say.Number(c.Count), `</span>`)
		}
		if m.Links {
			write("</a>\n")
		} else {
			write("</label>\n")
		}
	}
	return template.HTML(b.String()) //nolint:gosec // values and names are escaped above
}

// manyLists is how many watchlists are chips above the feed; more are a menu with a
// search.
const manyLists = 8

// listPicker is the choice of watchlists where there are many: those that are chosen,
// those with posts, and the others, each by name.
type listPicker struct {
	Title, Term          string
	Kept                 []field
	Chosen, With, Others menu
	Shown                bool // the search found some
	All                  string
}

// picker makes the picker, after the counts are known.
func (f *feedFilters) picker() *listPicker {
	p := &listPicker{Term: f.term, All: f.params.with("watchlist_id").href(), Kept: f.params.hidden("watchlist_id")}
	lists := slices.Clone(f.Lists[1:])
	slices.SortStableFunc(lists, func(a, b chip) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	for _, l := range lists {
		found := strings.Contains(strings.ToLower(l.Name), strings.ToLower(strings.TrimSpace(f.term)))
		group := &p.Others
		switch {
		case l.On && !found: // stays chosen
			p.Kept = append(p.Kept, field{"watchlist_id", l.value})
			continue
		case !found:
			continue
		case l.On:
			group = &p.Chosen
		case l.Count > 0:
			group = &p.With
		}
		p.Shown = true
		group.say, group.Name = f.say, "watchlist_id"
		group.Options = append(group.Options, choice{Value: l.value, Name: l.Name, Count: l.Count, On: l.On, counted: true})
	}
	p.Title = f.say.Text("feed.all_n_lists", "n", len(lists))
	if len(f.named) > 0 {
		p.Title = f.say.Text("feed.chosen_of_n_lists", "chosen", len(f.named), "n", len(lists))
	}
	return p
}

// listChoices are the watchlists as values of a filter.
func listChoices(say *words.Language, lists []actors.WatchlistView) []choice {
	of := []choice{{Name: say.Text("feed.all_watchlists")}}
	for _, l := range lists {
		of = append(of, choice{Value: string(l.Watchlist.ID), Name: l.Watchlist.Name})
	}
	return of
}

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

// askUnread asks how many posts the visitor has not decided about, for the navigation.
func (f *feedFilters) askUnread(d feedPages, r *http.Request, v *visit) error {
	q, err := d.unreadQuery(r, v)
	if err != nil {
		return err
	}
	unread := 0
	v.unread = func() int { return unread }
	f.count(nil, func(of *watchpost.PostQuery) { *of = q }, func(n int) { unread = n })
	return nil
}

// unreadQuery finds the posts that the visitor has not decided about.
func (d *Dashboard) unreadQuery(r *http.Request, v *visit) (q watchpost.PostQuery, err error) {
	in := v.inbox
	if in == nil { // a page that is not the feed is no visit of it
		view, err := actors.Ask(r.Context(), d.Registry, v.session.Team, triage.Get{Member: v.member.ID})
		if err != nil {
			return q, err
		}
		in = &inbox{View: view, member: v.member.ID}
	}
	if _, q, err = d.ReadPosts(addressed(r, "")); err == nil {
		q.Only = in.posts(string(watchpost.TriageUnread))
	}
	return q, err
}

// countUnread counts the posts that the visitor has not decided about. A page is shown
// without the count if there is an error.
func (d *Dashboard) countUnread(r *http.Request, v *visit) int {
	q, err := d.unreadQuery(r, v)
	if err != nil {
		return 0
	}
	q.PageSize = 1
	found, err := d.Registry.Posts(r.Context(), v.session.Team, nil, q)
	if err != nil {
		return 0
	}
	return found.Count
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

// Nav is the navigation of the page.
func (f frame) Nav() []navLink { return f.links(false) }

// More are the entries that a narrow screen shows in a menu.
func (f frame) More() []navLink { return f.links(true) }

// MoreAlert is what the entries behind "More" alert of, as one count.
func (f frame) MoreAlert() navLink {
	var alert navLink
	var parts []string
	for _, link := range f.More() {
		if link.Alert && link.Count > 0 {
			alert.Count += link.Count
			parts = append(parts, f.say.Number(link.Count)+" "+link.What)
		}
	}
	alert.What = f.say.List(parts...)
	return alert
}

func (f frame) links(more bool) (links []navLink) {
	for _, e := range navigation {
		if e.More != more {
			continue
		}
		link := navLink{navEntry: e, Here: e.Page == f.Page}
		link.Name = f.say.Text(e.Name)
		switch e.Page {
		case "feed":
			link.Count, link.What = f.unread(), f.say.Text("layout.unread")
		case "tasks":
			link.Count, link.What = f.Waiting, f.say.Text("layout.waiting")
			if f.Failed > 0 {
				link.Count, link.What, link.Alert = f.Failed, f.say.Text("layout.tasks_failed_today", "n", f.Failed), true
			}
		case "rules":
			link.Count, link.What = f.Proposed, f.say.Text("layout.to_approve")
		case "notifications":
			link.Count, link.What, link.Alert = f.Failing, f.say.Text("layout.failing"), true
		}
		links = append(links, link)
	}
	return links
}

// navEntry is an entry of the navigation. Page is the frame's.
type navEntry struct {
	Page, Href, Icon, Name string
	Key                    string // pressed after g
	More                   bool
}

// navLink is an entry in the navigation of a page.
type navLink struct {
	navEntry
	Here  bool
	Count int
	What  string // is counted
	Alert bool   // the counted items have failed
}

var navigation = []navEntry{
	{Page: "feed", Href: pathFeed, Icon: "feed", Name: "layout.feed", Key: "f"},
	{Page: "people", Href: pathPeople, Icon: "person", Name: "common.people", Key: "p"},
	{Page: "trends", Href: pathTrends, Icon: "trend", Name: "layout.trends", Key: "d"},
	{Page: "rules", Href: pathRules, Icon: "bolt", Name: "layout.rules", Key: "r"},
	{Page: "watchlists", Href: pathWatchlists, Icon: "eye", Name: "common.watchlists", Key: "w", More: true},
	{Page: "tasks", Href: pathTasks, Icon: "tasks", Name: "common.tasks", Key: "t", More: true},
	{Page: "notifications", Href: pathNotifications, Icon: "bell", Name: "layout.notifications", Key: "n", More: true},
	{Page: "team", Href: pathTeam, Icon: "users", Name: "common.team", Key: "m", More: true},
}
