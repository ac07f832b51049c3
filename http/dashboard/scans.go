package dashboard

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"watchpost/actors"
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

// budgetNames are the watchlists whose scans have an allowance.
var budgetNames = map[watchpost.WatchlistType]string{
	watchpost.KeywordWatchlist: "watchlists of keywords", watchpost.PeopleWatchlist: "watchlists of people", watchpost.CompanyWatchlist: "watchlists of companies",
}

// budgetOf describes the budget of a type; ok is false when it needs no scans, or has no
// allowance.
func budgetOf(plan scanplan.Plan, t watchpost.WatchlistType) (view budgetView, ok bool) {
	b, limited := plan.Budget(t)
	if !limited || b.PerDay == 0 {
		return view, false
	}
	view = budgetView{PerDay: b.PerDay, Capacity: b.Capacity, Over: b.Late+b.Never > 0}
	need := "our " + budgetNames[t] + " need "
	switch {
	case !view.Over:
		view.Text = need + fmt.Sprintf("%s of the %s scans a day that your accounts have.", number(b.PerDay), number(b.Capacity))
		return view, true
	case b.Capacity == 0:
		view.Text = need + plural(b.PerDay, "scan") + " a day. " + textNoAccount
		return view, true
	}
	view.Text = need + fmt.Sprintf("%s a day, your accounts have %s: ", plural(b.PerDay, "scan"), number(b.Capacity)) + paceText(b)
	return view, true
}

const textNoAccount = "No account was active in the last two days, so nothing is scanned."

// paceText says how often what a budget is too small for is looked at.
func paceText(b scanplan.Budget) string {
	every := "every " + plural(wholeHours(b.Slowest), "hour")
	if wholeHours(b.Fastest) != wholeHours(b.Slowest) {
		every = fmt.Sprintf("every %s to %s", number(wholeHours(b.Fastest)), plural(wholeHours(b.Slowest), "hour"))
	}
	var text string
	switch {
	case b.Late == b.Schedules:
		return "each is looked at " + every + "."
	case b.Late > 0:
		verb := "are"
		if b.Late == 1 {
			verb = "is"
		}
		text = fmt.Sprintf("%s of %s %s looked at less often than you asked, %s.", number(b.Late), number(b.Schedules), verb, every)
	}
	if b.Never > 0 {
		if text != "" {
			text += " "
		}
		text += fmt.Sprintf("%s of %s must wait until others need less.", number(b.Never), number(b.Schedules))
	}
	return text
}

func wholeHours(d time.Duration) int { return int((d + time.Hour - 1) / time.Hour) }

// budgets are those of all types that need scans.
func budgets(plan scanplan.Plan) (views []budgetView) {
	for _, t := range []watchpost.WatchlistType{watchpost.KeywordWatchlist, watchpost.PeopleWatchlist, watchpost.CompanyWatchlist} {
		if view, ok := budgetOf(plan, t); ok {
			view.Text = "Y" + view.Text
			views = append(views, view)
		}
	}
	return views
}

// paceOf says how often a watchlist is looked at, if that is less often than it asks for.
func paceOf(plan scanplan.Plan, id watchpost.WatchlistID) string {
	o, asked := plan.Outlook(id)
	if o.PerDay == 0 || o.Interval == 0 || o.Interval == asked.Duration() {
		return ""
	}
	return "With your accounts every " + plural(wholeHours(o.Interval), "hour") + "."
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
	view, ok := budgetOf(with, f.typ)
	if !ok || o.PerDay == 0 {
		return nil
	}
	view.Own = o.PerDay
	if view.Capacity == 0 {
		view.Text = textNoAccount
	} else {
		view.Text = "With it, y" + view.Text
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
func waitText(l *actors.WatchlistView, team *actors.TeamView, now time.Time) (short, text string) {
	connected := slices.ContainsFunc(team.Presence, func(p actors.MemberPresence) bool { return p.Connected })
	switch l.Waits {
	case watchpost.PendingRunning:
		return "Looking now", "A browser is looking for new posts."
	case watchpost.PendingRetry:
		return "Waiting", "The last scan failed and is tried again at " + clockTime(l.NotBefore, now) + " UTC."
	case watchpost.PendingDailyCap, watchpost.PendingWeeklyCap:
		reset := watchpost.Daily.Reset(now)
		if withheld(l, now) {
			return "Waiting", "It has had its share of today’s scans; the rest is kept for other watchlists. Asked again at " + clockTime(l.NotBefore, now) + " UTC."
		}
		return "Waiting", "Today’s scans are used up. Goes on at " + clockTime(reset, now) + " UTC, in " + inTime(reset.Sub(now)) + "."
	case watchpost.PendingPaused:
		return "Waiting", pausedText(l.Watchlist.Type.ScanTask(), team, now)
	case watchpost.PendingExtensionOffline:
		if connected {
			return "Waiting", "No connected browser has an account of its own."
		}
		return "Waiting", "No browser with the extension is connected."
	case "":
		if !connected {
			return "Waiting", "No browser with the extension is connected."
		}
	}
	return "Due", "The scan waits for its turn."
}

// withheld reports whether scans wait while the accounts may do more today.
func withheld(l *actors.WatchlistView, now time.Time) bool {
	return l.Waits == watchpost.PendingDailyCap && l.NotBefore.After(now) && l.NotBefore.Before(watchpost.Daily.Reset(now))
}

// pausedText says which account is paused that could do a task of that type, and why.
func pausedText(kind watchpost.TaskType, team *actors.TeamView, now time.Time) string {
	for _, p := range team.Presence {
		for _, pause := range p.Pauses {
			if pause.TaskType != "" && pause.TaskType != kind || pause.Action != "" && pause.Action != kind.Action() {
				continue
			}
			m, _ := team.Team.Member(p.Member)
			text := "The account of " + nameOf(m) + " is paused: " + pauseTexts[pause.Reason][0] + "."
			if pause.Until.After(now) {
				text += " Goes on at " + clockTime(pause.Until, now) + " UTC."
			}
			return text
		}
	}
	return "The accounts are paused; the team page says why."
}
