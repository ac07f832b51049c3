package dashboard

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"watchpost/actors"
	"watchpost/internal/words"
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
func firstStepsOf(say *words.Language, team *actors.TeamView, lists, targets int) *firstSteps {
	paired := slices.ContainsFunc(team.Presence, func(p actors.MemberPresence) bool { return p.Account != nil })
	f := &firstSteps{Steps: []stepView{
		{Name: say.Text("feed.pair_a_browser"), Text: say.Text("feed.watchpost_looks_and_acts_through_a"), Action: say.Text("feed.pair"), Href: pathTeam + "#pair", Done: paired},
		{Name: say.Text("feed.watch_something"), Text: say.Text("feed.one_sentence_is_enough_posts_come"), Action: say.Text("common.new_watchlist"), Href: pathWatchlists + "/new", Done: lists > 0},
		{Name: say.Text("feed.be_told"), Text: say.Text("feed.by_email_slack_telegram_or_a"), Action: say.Text("feed.choose_where"), Href: pathNotifications + "/new", Done: targets > 0},
		{Name: say.Text("feed.invite_someone"), Text: say.Text("feed.each_member_pairs_a_browser_of"), Action: say.Text("common.invite"), Href: pathTeam + "#members", Done: len(team.Team.Members)+len(team.Invitations) > 1},
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
	return empty, firstStepsOf(v.say, &v.team, len(lists), len(targets)), err
}

// reasonOf tells the reasons apart: no watchlist, no scan yet, no match.
func (d feedPages) reasonOf(r *http.Request, v *visit, f *feedFilters, lists []actors.WatchlistView) (*emptyView, error) {
	asked := slices.Clone(lists)
	if len(f.named) > 0 {
		asked = slices.DeleteFunc(asked, func(l actors.WatchlistView) bool { return !slices.Contains(f.named, string(l.Watchlist.ID)) })
	}
	_, onlyList := f.params.values["watchlist_id"]
	if empty := whyEmpty(v.say, asked, &v.team, d.Clock.Now(), len(f.Active) == 0 || onlyList && len(f.Active) == 1); empty != nil {
		return empty, nil
	}
	empty := &emptyView{Icon: "search", Head: v.say.Text("feed.no_post_matches"), Text: v.say.Text("feed.all_of_these_filters_together_leave"), Action: v.say.Text("common.clear_filters"), Href: pathFeed}
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
func whyEmpty(say *words.Language, lists []actors.WatchlistView, team *actors.TeamView, now time.Time, all bool) *emptyView {
	if len(lists) == 0 {
		return &emptyView{Icon: "eye", Head: say.Text("common.no_watchlist_yet"), Text: say.Text("feed.a_watchlist_says_which_posts_to"), Action: say.Text("common.new_watchlist"), Href: pathWatchlists + "/new"}
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
	used := next.Waits == watchpost.PendingDailyCap && !withheld(next, now)
	paired := slices.ContainsFunc(team.Presence, func(p actors.MemberPresence) bool { return p.Account != nil })
	_, text := waitText(say, next, team, now)
	empty := &emptyView{Icon: "clock", Head: say.Text("feed.not_scanned_yet"), Text: text, Action: say.Text("feed.see_the_accounts"), Href: pathTeam}
	switch {
	case used:
		empty.Head = say.Text("feed.todays_scans_are_used_up")
	case scanned:
		return &emptyView{Icon: "search", Head: say.Text("feed.no_posts_found"), Text: say.Text("feed.the_scans_of_your_watchlists_have"), Action: say.Text("feed.see_the_watchlists"), Href: pathWatchlists}
	case paused:
		empty.Icon, empty.Head, empty.Text = "pause", say.Text("feed.paused_2"), say.Text("feed.the_watchlists_are_paused_so", "n", len(lists))
		empty.Action, empty.Href = say.Text("feed.see_the_watchlists"), pathWatchlists
	case excluded:
		empty.Text = say.Text("feed.the_plan_plan_does_not_include", "plan", planName(say, team.Team.Plan))
		empty.Action, empty.Href = say.Text("feed.see_the_plan"), pathTeam
	case !paired:
		empty.Icon, empty.Action = "eye", say.Text("feed.pair_a_browser")
		empty.Text = say.Text("feed.no_browser_with_the_extension_is")
	case next.Waits == watchpost.PendingRunning:
		empty.Icon, empty.Head, empty.Text = "spin", say.Text("feed.looking_for_the_first_posts"), say.Text("feed.the_first_scan_is_under_way")
		empty.Action, empty.Href = say.Text("feed.see_the_watchlists"), pathWatchlists
	case next.Waits == "", next.Waits == watchpost.PendingExtensionOffline:
		empty.Text += " " + say.Text("feed.the_first_scan_begins_when_one")
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
