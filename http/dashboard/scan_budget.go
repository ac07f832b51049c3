package dashboard

import (
	"fmt"
	"net/http"
	"time"

	"watchpost/actors"
	"watchpost/watchpost"
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
func budgetOf(plan watchpost.ScanPlan, t watchpost.WatchlistType) (view budgetView, ok bool) {
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
func paceText(b watchpost.ScanBudget) string {
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
func budgets(plan watchpost.ScanPlan) (views []budgetView) {
	for _, t := range []watchpost.WatchlistType{watchpost.KeywordWatchlist, watchpost.PeopleWatchlist, watchpost.CompanyWatchlist} {
		if view, ok := budgetOf(plan, t); ok {
			view.Text = "Y" + view.Text
			views = append(views, view)
		}
	}
	return views
}

// paceOf says how often a watchlist is looked at, if that is less often than it asks for.
func paceOf(plan watchpost.ScanPlan, id watchpost.WatchlistID) string {
	o, asked := plan.Outlook(id)
	if o.PerDay == 0 || o.Interval == 0 || o.Interval == asked.Duration() {
		return ""
	}
	return "With your accounts every " + plural(wholeHours(o.Interval), "hour") + "."
}

// scanPlan asks what the team's schedules need.
func (d watchlistPages) scanPlan(r *http.Request, v *visit) (watchpost.ScanPlan, error) {
	return actors.Ask(r.Context(), d.Registry, v.session.Team, actors.GetScanPlan{})
}

// budget is that of the team with the watchlist as the form has it; nil while it needs no
// scans.
func (f *watchlistForm) budget(plan *watchpost.ScanPlan) *budgetView {
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
