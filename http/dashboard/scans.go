package dashboard

import (
	"net/http"
	"slices"
	"time"

	"watchpost/actors"
	"watchpost/internal/words"
	"watchpost/watchpost"
	"watchpost/watchpost/scanplan"
)

// budgetView says how many scans watchlists need, and how many the accounts have.
type budgetView struct {
	Own              int // scans a day of the watchlist of a form
	Text             string
	Over             bool // they need more than the accounts have
	PerDay, Capacity int
}

// Warn is where the gauge of a budget changes its colour.
func (b budgetView) Warn() int { return b.Capacity * 85 / 100 }

// Shown is the value of the gauge.
func (b budgetView) Shown() int { return min(b.PerDay, b.Capacity) }

// budgetText is a text about the scans of the watchlists of a type, which have an
// allowance; Of begins with the watchlist of a form.
type budgetText struct{ Enough, None, Short, Of, OfShort string }

var budgetTexts = map[watchpost.WatchlistType]budgetText{
	watchpost.KeywordWatchlist: {
		"watchlists.your_watchlists_of_keywords_need_n", "watchlists.your_watchlists_of_keywords_need", "watchlists.your_watchlists_of_keywords_need_2",
		"watchlists.with_it_your_watchlists_of_keywords", "watchlists.with_it_your_watchlists_of_keywords_2",
	},
	watchpost.PeopleWatchlist: {
		"watchlists.your_watchlists_of_people_need_n", "watchlists.your_watchlists_of_people_need", "watchlists.your_watchlists_of_people_need_2",
		"watchlists.with_it_your_watchlists_of_people", "watchlists.with_it_your_watchlists_of_people_2",
	},
	watchpost.CompanyWatchlist: {
		"watchlists.your_watchlists_of_companies_need_n", "watchlists.your_watchlists_of_companies_need", "watchlists.your_watchlists_of_companies_need_2",
		"watchlists.with_it_your_watchlists_of", "watchlists.with_it_your_watchlists_of_2",
	},
}

// budgetOf describes the budget of a type, with that of a form in it or without; ok is
// false when it needs no scans, or has no allowance.
func budgetOf(say *words.Language, plan scanplan.Plan, t watchpost.WatchlistType, ofForm bool) (view budgetView, ok bool) {
	b, limited := plan.Budget(t)
	if !limited || b.PerDay == 0 {
		return view, false
	}
	view = budgetView{PerDay: b.PerDay, Capacity: b.Capacity, Over: b.Late+b.Never > 0}
	text := budgetTexts[t]
	if ofForm {
		text.Enough, text.Short = text.Of, text.OfShort
	}
	arguments := []any{"n", b.PerDay, "capacity", b.Capacity, "scans", plural(say, b.PerDay, "scan")}
	switch {
	case !view.Over:
		view.Text = say.Text(text.Enough, arguments...)
	case b.Capacity == 0:
		view.Text = say.Text(text.None, arguments...) + " " + say.Text(textNoAccount)
	default:
		view.Text = say.Text(text.Short, arguments...) + " " + paceText(say, b)
	}
	return view, true
}

const textNoAccount = "watchlists.no_account_was_active_in_the"

// paceText says how often what a budget is too small for is looked at.
func paceText(say *words.Language, b scanplan.Budget) string {
	every := say.Text("watchlists.every_n_hours", "n", wholeHours(b.Slowest))
	if wholeHours(b.Fastest) != wholeHours(b.Slowest) {
		every = say.Text("watchlists.every_from_to_hours", "from", wholeHours(b.Fastest), "hours", plural(say, wholeHours(b.Slowest), "hour"))
	}
	var text string
	switch {
	case b.Late == b.Schedules:
		return say.Text("watchlists.each_is_looked_at_every", "every", every)
	case b.Late > 0:
		text = say.Text("watchlists.n_of_all_are_looked_at", "n", b.Late, "all", b.Schedules, "every", every)
	}
	if b.Never > 0 {
		if text != "" {
			text += " "
		}
		text += say.Text("watchlists.n_of_all_must_wait_until", "n", b.Never, "all", b.Schedules)
	}
	return text
}

func wholeHours(d time.Duration) int { return int((d + time.Hour - 1) / time.Hour) }

// budgets are those of all types that need scans.
func budgets(say *words.Language, plan scanplan.Plan) (views []budgetView) {
	for _, t := range []watchpost.WatchlistType{watchpost.KeywordWatchlist, watchpost.PeopleWatchlist, watchpost.CompanyWatchlist} {
		if view, ok := budgetOf(say, plan, t, false); ok {
			views = append(views, view)
		}
	}
	return views
}

// paceOf says how often a watchlist is looked at, if that is less often than it asks for.
func paceOf(say *words.Language, plan scanplan.Plan, id watchpost.WatchlistID) string {
	o, asked := plan.Outlook(id)
	if o.PerDay == 0 || o.Interval == 0 || o.Interval == asked.Duration() {
		return ""
	}
	return say.Text("watchlists.with_your_accounts_every_n_hours", "n", wholeHours(o.Interval))
}

// scanPlan asks what the team's schedules need.
func (d watchlistPages) scanPlan(r *http.Request, v *visit) (scanplan.Plan, error) {
	return actors.Ask(r.Context(), d.Registry, v.session.Team, actors.GetScanPlan{})
}

// budget is that of the team with the watchlist as the form has it; nil while it needs no
// scans.
func (f *watchlistForm) budget(plan *scanplan.Plan) *budgetView {
	if plan == nil || !f.Read || f.Paused {
		return nil
	}
	draft := *f
	draft.Errors = nil
	w := watchpost.Watchlist{ID: f.ID, Type: f.typ, Frequency: draft.frequency()}
	entries := 0
	if f.HasKeywords() {
		w.Keywords = draft.keywords()
	} else if references, err := watchpost.CleanReferences(f.typ, linesOf(f.References)); err == nil {
		entries = len(references)
	}
	with := plan.With(w, entries)
	o, _ := with.Outlook(w.ID)
	view, ok := budgetOf(f.say, with, f.typ, true)
	if !ok || o.PerDay == 0 {
		return nil
	}
	view.Own = o.PerDay
	if view.Capacity == 0 {
		view.Text = f.say.Text(textNoAccount)
	}
	return &view
}

// closest orders the reasons for waiting, those of the scans that are done next first.
var closest = []watchpost.PendingReason{
	watchpost.PendingRunning, watchpost.PendingQueued, watchpost.PendingRetry, watchpost.PendingDailyCap, watchpost.PendingWeeklyCap,
	watchpost.PendingPaused, watchpost.PendingExtensionOffline,
}

// waitText says why scans that are due are not done yet. short is a word or two for a
// state.
func waitText(say *words.Language, l *actors.WatchlistView, team *actors.TeamView, now time.Time) (short, text string) {
	connected := slices.ContainsFunc(team.Presence, func(p actors.MemberPresence) bool { return p.Connected })
	switch l.Waits {
	case watchpost.PendingRunning:
		return say.Text("watchlists.looking_now"), say.Text("watchlists.a_browser_is_looking_for_new")
	case watchpost.PendingRetry:
		return say.Text("notifications.waiting"), say.Text("watchlists.the_last_scan_failed_and_is", "at", zonedTime(say, l.NotBefore, now))
	case watchpost.PendingDailyCap, watchpost.PendingWeeklyCap:
		reset := watchpost.Daily.Reset(now)
		if withheld(l, now) {
			return say.Text("notifications.waiting"), say.Text("watchlists.it_has_had_its_share_of", "at", zonedTime(say, l.NotBefore, now))
		}
		return say.Text("notifications.waiting"), say.Text("watchlists.todays_scans_are_used_up_goes", "at", zonedTime(say, reset, now), "time", inTime(say, reset.Sub(now)))
	case watchpost.PendingPaused:
		return say.Text("notifications.waiting"), pausedText(say, l.Watchlist.Type.ScanTask(), team, now)
	case watchpost.PendingExtensionOffline:
		if connected {
			return say.Text("notifications.waiting"), say.Text("watchlists.no_connected_browser_has_an_account")
		}
		return say.Text("notifications.waiting"), say.Text("watchlists.no_browser_with_the_extension_is")
	case "":
		if !connected {
			return say.Text("notifications.waiting"), say.Text("watchlists.no_browser_with_the_extension_is")
		}
	}
	return say.Text("watchlists.due"), say.Text("watchlists.the_scan_waits_for_its_turn")
}

// withheld reports whether scans wait while the accounts may do more today.
func withheld(l *actors.WatchlistView, now time.Time) bool {
	return l.Waits == watchpost.PendingDailyCap && l.NotBefore.After(now) && l.NotBefore.Before(watchpost.Daily.Reset(now))
}

// pausedText says which account is paused that could do a task of that type, and why.
func pausedText(say *words.Language, kind watchpost.TaskType, team *actors.TeamView, now time.Time) string {
	for _, p := range team.Presence {
		for _, pause := range p.Pauses {
			if pause.TaskType != "" && pause.TaskType != kind || pause.Action != "" && pause.Action != kind.Action() {
				continue
			}
			m, _ := team.Team.Member(p.Member)
			text := say.Text("watchlists.the_account_of_name_is_paused", "name", nameOf(m), "why", say.Text(pauseTexts[pause.Reason][0]))
			if pause.Until.After(now) {
				text += " " + say.Text("watchlists.goes_on_at_at_utc", "at", zonedTime(say, pause.Until, now))
			}
			return text
		}
	}
	return say.Text("watchlists.the_accounts_are_paused_the_team")
}

// zonedTime is clockTime with UTC named where that is not the reader's own choice.
func zonedTime(say *words.Language, t, now time.Time) string {
	text := clockTime(say, t, now)
	if say.Zone() == time.UTC {
		text += " UTC"
	}
	return text
}
