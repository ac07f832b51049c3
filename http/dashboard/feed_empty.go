package dashboard

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"watchpost/actors"
	"watchpost/watchpost"
)

// emptyView says why the feed is empty and what to do.
type emptyView struct {
	Icon, Head, Text string
	Drops            []dropView
	Action, Href     string
}

// firstSteps are the first steps of a new team. A step is done when its object exists.
type firstSteps struct {
	Done  int
	Steps []stepView
}

// stepView is one of them. Next is the first that is left.
type stepView struct {
	N                        int
	Name, Text, Action, Href string
	Done, Next               bool
}

// firstStepsOf returns the steps of a team; nil when all are done.
func firstStepsOf(team *actors.TeamView, lists, targets int) *firstSteps {
	paired := slices.ContainsFunc(team.Presence, func(p actors.MemberPresence) bool { return p.Account != nil })
	f := &firstSteps{Steps: []stepView{
		{Name: "Pair a browser", Text: "Watchpost looks and acts through a browser that is signed in to the network. It sees no password.", Action: "Pair", Href: pathTeam + "#pair", Done: paired},
		{Name: "Watch something", Text: "One sentence is enough. Posts come once a browser is paired.", Action: "New watchlist", Href: pathWatchlists + "/new", Done: lists > 0},
		{Name: "Be told", Text: "By email, Slack, Telegram or a webhook, when there is something to read.", Action: "Choose where", Href: pathNotifications + "/new", Done: targets > 0},
		{Name: "Invite someone", Text: "Each member pairs a browser of their own, which adds to what the team may do a day.", Action: "Invite", Href: pathTeam + "#members", Done: len(team.Team.Members)+len(team.Invitations) > 1},
	}}
	for i := range f.Steps {
		step := &f.Steps[i]
		step.N, step.Next = i+1, !step.Done && f.Done == i
		if step.Done {
			f.Done++
		}
	}
	if f.Done == len(f.Steps) {
		return nil
	}
	return f
}

// dropView is a filter, and how many posts there are without it.
type dropView struct {
	Name, Href string
	Count      int
}

// emptyFeed says why the feed is empty, and without filters what a new team does first.
func (d feedPages) emptyFeed(r *http.Request, v *visit, f *feedFilters, lists []actors.WatchlistView) (*emptyView, *firstSteps, error) {
	if empty := emptyTab(f); empty != nil {
		return empty, nil, nil
	}
	empty, err := d.reasonOf(r, v, f, lists)
	if err != nil || len(f.Active) > 0 {
		return empty, nil, err
	}
	targets, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListTargets{})
	return empty, firstStepsOf(&v.team, len(lists), len(targets)), err
}

// reasonOf tells the reasons apart: no watchlist, no scan yet, no match.
func (d feedPages) reasonOf(r *http.Request, v *visit, f *feedFilters, lists []actors.WatchlistView) (*emptyView, error) {
	asked := slices.Clone(lists)
	if len(f.named) > 0 {
		asked = slices.DeleteFunc(asked, func(l actors.WatchlistView) bool { return !slices.Contains(f.named, string(l.Watchlist.ID)) })
	}
	_, onlyList := f.params.values["watchlist_id"]
	if empty := whyEmpty(asked, &v.team, d.Clock.Now(), len(f.Active) == 0 || onlyList && len(f.Active) == 1); empty != nil {
		return empty, nil
	}
	empty := &emptyView{Icon: "search", Head: "No post matches", Text: "All of these filters together leave nothing:", Action: "Clear filters", Href: pathFeed}
	var questions []actors.PostCount
	for _, a := range f.Active {
		named, q, err := d.ReadPosts(addressed(r, a.without.values.Encode()))
		if err != nil {
			return nil, err
		}
		questions = append(questions, actors.PostCount{Named: named, Query: q})
	}
	found, err := d.Registry.Posts(r.Context(), v.session.Team, nil, watchpost.PostQuery{PageSize: 1}, questions...)
	if err != nil {
		return nil, err
	}
	for i, a := range f.Active {
		empty.Drops = append(empty.Drops, dropView{a.Name, a.Href, found.Counts[i]})
	}
	slices.SortStableFunc(empty.Drops, func(a, b dropView) int { return cmp.Compare(b.Count, a.Count) })
	return empty, nil
}

// whyEmpty says why the watchlists have no posts; nil when other filters are the
// reason. all: there are no others.
func whyEmpty(lists []actors.WatchlistView, team *actors.TeamView, now time.Time, all bool) *emptyView {
	if len(lists) == 0 {
		return &emptyView{Icon: "eye", Head: "No watchlist yet", Text: "A watchlist says which posts to collect: by keywords, people, companies or in the forum.", Action: "New watchlist", Href: pathWatchlists + "/new"}
	}
	next := &lists[0] // whose scan is the closest to being done
	paused, excluded, scanned := true, true, false
	for i := range lists {
		l := &lists[i]
		paused = paused && l.Watchlist.Disabled
		excluded = excluded && !team.Team.Plan.Scans(l.Watchlist.Type)
		scanned = scanned || !l.LastScanAt.IsZero()
		if l.Waits != "" && (next.Waits == "" || slices.Index(closest, l.Waits) < slices.Index(closest, next.Waits)) {
			next = l
		}
	}
	if scanned && !all {
		return nil
	}
	noun := "watchlist is"
	if len(lists) > 1 {
		noun = "watchlists are"
	}
	used := next.Waits == watchpost.PendingDailyCap && !withheld(next, now)
	paired := slices.ContainsFunc(team.Presence, func(p actors.MemberPresence) bool { return p.Account != nil })
	_, text := waitText(next, team, now)
	empty := &emptyView{Icon: "clock", Head: "Not scanned yet", Text: text, Action: "See the accounts", Href: pathTeam}
	switch {
	case used:
		empty.Head = "Today’s scans are used up"
	case scanned:
		return &emptyView{Icon: "search", Head: "No posts found", Text: "The scans of your watchlists have found no post that matches.", Action: "See the watchlists", Href: pathWatchlists}
	case paused:
		empty.Icon, empty.Head, empty.Text = "pause", "Paused", "The "+noun+" paused, so nothing is collected."
		empty.Action, empty.Href = "See the watchlists", pathWatchlists
	case excluded:
		empty.Text = "The " + planName(team.Team.Plan) + " plan does not include this kind of watchlist."
		empty.Action, empty.Href = "See the plan", pathTeam
	case !paired:
		empty.Icon, empty.Action = "eye", "Pair a browser"
		empty.Text = "No browser with the extension is paired, so nothing could be collected."
	case next.Waits == watchpost.PendingRunning:
		empty.Icon, empty.Head, empty.Text = "spin", "Looking for the first posts", "The first scan is under way. Posts usually come within a minute."
		empty.Action, empty.Href = "See the watchlists", pathWatchlists
	case next.Waits == "", next.Waits == watchpost.PendingExtensionOffline:
		empty.Text += " The first scan begins when one is."
		if next.Waits == "" && slices.ContainsFunc(team.Presence, func(p actors.MemberPresence) bool { return p.Connected }) {
			empty.Text = text
		}
	}
	return empty
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
	empty := &emptyView{Icon: "check", Head: "Nothing here", Action: "Show all " + plural(all.Count, "post"), Href: all.Href}
	switch f.params.tab() {
	case string(watchpost.TriageUnread):
		empty.Head, empty.Text = "Nothing unread", "You have decided about every post that these filters find."
	case tabLater:
		empty.Text = "Posts that you keep for later are here."
	case tabMine:
		empty.Icon, empty.Text = "users", "Posts that are assigned to you are here."
	default:
		empty.Text = "Posts that you have marked as done are here."
	}
	return empty
}
