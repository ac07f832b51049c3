package dashboard

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"watchpost/actors"
	"watchpost/internal/words"
	"watchpost/watchpost"
)

// watchlistsPage lists the watchlists with their health.
type watchlistsPage struct {
	frame
	Rows []watchlistRow
	Used int
	// Limit is that of the plan; negative: none.
	Limit      int
	Plan       string
	WeeklyEnds string
	Budgets    []budgetView
	Refused    []string // why chosen watchlists are not changed
	Done       int      // how many of them are
	Undo       *undoView
	listOrder
}

// watchlistRow is a watchlist in the list.
type watchlistRow struct {
	ID                     watchpost.WatchlistID
	Paused, Chosen         bool
	Undo                   bool // it is going to be deleted, and that can be taken back
	Name, Href, Icon, Rule string
	Pace                   string // where the accounts cannot do it as often as it asks for
	State, Class, Sign     string // the word, its colour and its icon
	Detail                 string
	Posts, Limit, Warn     int // of the week
	Dropped                int
	Bars                   []bar
	BarsText               string
	looked                 time.Time
}

// bar is a day of the small chart.
type bar struct{ X, Y, Height float64 }

func (d watchlistPages) watchlists(w http.ResponseWriter, r *http.Request, v *visit) error {
	page, err := d.watchlistsPage(r, v)
	if err != nil {
		return err
	}
	return renderLive(w, r, "watchlists.html", page)
}

func (d watchlistPages) watchlistsPage(r *http.Request, v *visit) (*watchlistsPage, error) {
	lists, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListWatchlists{})
	if err != nil {
		return nil, err
	}
	plan, err := d.scanPlan(r, v)
	if err != nil {
		return nil, err
	}
	now := d.Clock.Now()
	page := &watchlistsPage{
		frame: frameOf(v, "watchlists", v.say.Text("common.watchlists")), Used: len(lists), Limit: v.team.Limits.Watchlists, Plan: planName(v.say, v.team.Team.Plan),
		WeeklyEnds: v.say.Date("date.weekday_day", watchpost.Weekly.Reset(now)), Budgets: budgets(v.say, plan), listOrder: listOrderOf(v.say, r.URL.Query(), len(lists)),
	}
	var waits []deletion
	for _, l := range lists {
		waits = append(waits, deletion{l.Watchlist.Name, pathWatchlists + "/" + string(l.Watchlist.ID), l.DeletedAt})
		if page.finds(&l) {
			row := rowOf(v.say, l, &v.team, now)
			row.Pace = paceOf(v.say, plan, l.Watchlist.ID)
			row.Chosen = r.URL.Query().Get("choose") == "all" && len(page.Rows) < maxChosen
			page.Rows = append(page.Rows, row)
		}
	}
	page.Undo = undoDeletion(v, waits, page.Here(), now)
	page.sort(page.Rows)
	return page, d.countDays(r, v, page.Rows, now)
}

// All is the address of the page with all rows chosen.
func (p watchlistsPage) All() string {
	if here := p.Here(); strings.Contains(here, "?") {
		return here + "&choose=all"
	}
	return pathWatchlists + "?choose=all"
}

// countDays adds the posts of the last days to the rows.
func (d watchlistPages) countDays(r *http.Request, v *visit, rows []watchlistRow, now time.Time) error {
	var questions []actors.PostCount
	for i := range rows {
		for day := range barDays {
			from := barDay(now, day)
			questions = append(questions, actors.PostCount{Named: []string{string(rows[i].ID)}, Query: watchpost.PostQuery{From: from, To: from.AddDate(0, 0, 1)}})
		}
	}
	found, err := d.Registry.Posts(r.Context(), v.session.Team, nil, watchpost.PostQuery{PageSize: 1}, questions...)
	if err != nil {
		return err
	}
	for i := range rows {
		rows[i].Bars, rows[i].BarsText = barsOf(v.say, found.Counts[i*barDays:(i+1)*barDays], now)
	}
	return nil
}

// planNames are the texts that name the plans.
var planNames = map[watchpost.Plan]string{
	watchpost.PlanFree: "plan.free", watchpost.PlanGrowth: "plan.growth", watchpost.PlanExpert: "plan.expert", watchpost.PlanUltimate: "plan.ultimate", watchpost.PlanPro: "plan.pro",
}

func planName(say *words.Language, p watchpost.Plan) string { return say.Text(planNames[p]) }

// Full reports whether the plan has room for no other watchlist.
func (p watchlistsPage) Full() bool { return p.Limit >= 0 && p.Used >= p.Limit }

func rowOf(say *words.Language, l actors.WatchlistView, team *actors.TeamView, now time.Time) watchlistRow {
	w := l.Watchlist
	row := watchlistRow{
		ID: w.ID, Paused: w.Disabled, Undo: l.DeletedAt.After(now), Name: w.Name, Href: watchlistHref(w.ID), Icon: watchlistIcons[w.Type], Rule: ruleOf(say, l),
		Posts: l.PostsThisWeek, Limit: team.Limits.WeeklyPosts, Dropped: l.DroppedThisWeek, looked: l.LastScanAt,
	}
	row.Warn = row.Limit * 85 / 100
	row.State, row.Class, row.Sign, row.Detail = healthOf(say, &l, team, now)
	return row
}

var watchlistIcons = map[watchpost.WatchlistType]string{
	watchpost.KeywordWatchlist: "hash", watchpost.PeopleWatchlist: "person", watchpost.CompanyWatchlist: "building", watchpost.ForumWatchlist: "forum",
}

// namedKeywords is how many keywords a rule names.
const namedKeywords = 3

// ruleOf says in a sentence what a watchlist collects.
func ruleOf(say *words.Language, l actors.WatchlistView) string {
	w := l.Watchlist
	every := say.Text("watchlists.every_n_hours_2", "n", w.Frequency.Hours())
	if !w.Type.HasKeywords() {
		entries := plural(say, len(l.List.Entries), "profile")
		if w.Type == watchpost.CompanyWatchlist {
			entries = plural(say, len(l.List.Entries), "company")
		}
		return entries + ". " + every
	}
	rule := "watchlists.keywords_words_every"
	if w.Type == watchpost.ForumWatchlist {
		rule = "watchlists.forum_keywords_words_every"
	}
	return say.Text(rule, "words", keywordsText(say, w.Keywords)+conditionsText(say, &w.Conditions), "every", every)
}

// keywordsText says which posts the keywords keep: the conditions of each entry behind
// it, or once where all entries have the same.
func keywordsText(say *words.Language, keywords []watchpost.KeywordEntry) string {
	var listed, entries []string
	same := true
	for i, k := range keywords {
		condition := conditionText(say, &keywords[i])
		listed = append(listed, say.Quoted(k.Keyword))
		entries = append(entries, say.Quoted(k.Keyword)+condition)
		same = same && condition == conditionText(say, &keywords[0])
	}
	if same && len(keywords) > 0 {
		condition := conditionText(say, &keywords[0])
		if condition != "" && len(listed) > 1 {
			condition = say.Text("list.comma") + say.Text("watchlists.each_condition", "condition", strings.TrimSpace(condition))
		}
		return some(say, listed) + condition
	}
	return someOf(say, entries, "; ")
}

// conditionText is what a post of a keyword must contain, and must not.
func conditionText(say *words.Language, k *watchpost.KeywordEntry) (text string) {
	if len(k.Required) > 0 {
		with := "watchlist.with_words"
		if k.AnyRequired && len(k.Required) > 1 {
			with = "watchlist.with_one_of_words"
		}
		text = " " + say.Text(with, "words", some(say, quotes(say, k.Required)))
	}
	if len(k.Excluded) > 0 {
		text += " " + say.Text("watchlists.without_words", "words", some(say, quotes(say, k.Excluded)))
	}
	return text
}

func quotes(say *words.Language, listed []string) (quoted []string) {
	for _, w := range listed {
		quoted = append(quoted, say.Quoted(w))
	}
	return quoted
}

// some lists the first of some words.
func some(say *words.Language, listed []string) string {
	return someOf(say, listed, say.Text("list.comma"))
}

func someOf(say *words.Language, listed []string, between string) string {
	if len(listed) <= namedKeywords {
		return strings.Join(listed, between)
	}
	return say.Text("watchlists.words_and_n_more", "words", strings.Join(listed[:namedKeywords], between), "n", len(listed)-namedKeywords)
}

// healthOf says whether a watchlist is scanned in time, and if not, why it waits.
func healthOf(say *words.Language, l *actors.WatchlistView, team *actors.TeamView, now time.Time) (state, class, sign, detail string) {
	looked := say.Text("watchlists.looked_ago", "ago", ago(say, l.LastScanAt, now))
	if now.Sub(l.LastScanAt) < time.Minute {
		looked = say.Text("watchlists.looked_just_now")
	}
	first := l.LastScanAt.IsZero()
	switch {
	case !l.DeletedAt.IsZero():
		return say.Text("common.being_deleted"), "wait", "clock", say.Text("watchlists.goes_in_a_few_seconds_with_its_posts")
	case l.Watchlist.Disabled:
		return say.Text("feed.paused_2"), "", "pause", say.Text("watchlists.keeps_its_posts_counts_towards_the")
	case !team.Team.Plan.Scans(l.Watchlist.Type):
		return say.Text("watchlists.not_scanned"), "wait", "clock", say.Text("watchlists.the_plan_plan_does_not_include", "plan", planName(say, team.Team.Plan))
	case first || l.NextScanAt.Before(now):
		state, detail = waitText(say, l, team, now)
		class, sign = "wait", "clock"
		if l.Waits == watchpost.PendingRunning {
			class, sign = "info", "spin"
		}
		if first {
			return say.Text("feed.not_scanned_yet"), class, sign, detail
		}
		if l.Waits != watchpost.PendingRunning && state != say.Text("watchlists.due") {
			class, sign = "bad", "warn"
		}
		return state, class, sign, looked + ". " + detail
	case team.Limits.WeeklyPosts >= 0 && l.PostsThisWeek >= team.Limits.WeeklyPosts:
		return say.Text("watchlists.week_is_full"), "wait", "warn", looked + ". " + say.Text("watchlists.new_posts_are_dropped_until_until", "until", say.Date("date.weekday_day", watchpost.Weekly.Reset(now)), "plan", planName(say, team.Team.Plan))
	}
	return say.Text("watchlists.on_time"), "good", "check", say.List(looked, say.Text("watchlists.next_at_at_utc", "at", zonedTime(say, l.NextScanAt, now)))
}

// barDays is how many days the small chart shows.
const barDays = 7

func barDay(now time.Time, i int) time.Time {
	return watchpost.Daily.Start(now).AddDate(0, 0, i+1-barDays)
}

// barsOf draws the posts per day, in a box of 88 by 24.
func barsOf(say *words.Language, days []int, now time.Time) (bars []bar, text string) {
	const width, height = 12.6, 24.0
	most := 1
	for _, n := range days {
		most = max(most, n)
	}
	var numbers []string
	for i, n := range days {
		h := max(1, height*float64(n)/float64(most))
		bars = append(bars, bar{0.5 + width*float64(i), height - h, h})
		numbers = append(numbers, say.Number(n))
	}
	return bars, say.Text("watchlists.posts_per_day_from_to_today", "from", say.Date("date.weekday", barDay(now, 0)), "numbers", say.List(numbers...))
}

// listOrder is which watchlists the page of them shows, and in which order. Both are part
// of its address.
type listOrder struct {
	Term       string
	Sorts      []choice
	Searchable bool // there are many, or the address asks for some
	sorted     string
}

// listSorts are the orders of watchlists; the first is the usual one.
var listSorts = []struct {
	choice
	compare func(a, b *watchlistRow) int
}{
	{choice{Value: "", Name: "watchlists.oldest_first"}, func(_, _ *watchlistRow) int { return 0 }},
	{choice{Value: "newest", Name: "watchlists.newest_first"}, func(a, b *watchlistRow) int { return cmp.Compare(b.ID, a.ID) }},
	{choice{Value: "name", Name: "watchlists.by_name"}, func(a, b *watchlistRow) int {
		return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	}},
	{choice{Value: "posts", Name: "watchlists.most_posts_this_week"}, func(a, b *watchlistRow) int { return cmp.Compare(b.Posts, a.Posts) }},
	{choice{Value: "state", Name: "watchlists.what_needs_attention"}, func(a, b *watchlistRow) int {
		return cmp.Compare(slices.Index(attention, a.Class), slices.Index(attention, b.Class))
	}},
	{choice{Value: "looked", Name: "watchlists.longest_not_looked_at"}, func(a, b *watchlistRow) int { return a.looked.Compare(b.looked) }},
}

// attention orders the classes of states, the worst first.
var attention = []string{"bad", "wait", "info", "good", ""}

// listOrderOf reads the address of the page, for a number of watchlists.
func listOrderOf(say *words.Language, q url.Values, lists int) listOrder {
	o := listOrder{Term: strings.TrimSpace(strings.ToValidUTF8(clip(q.Get("q"), maxListTerm), ""))}
	for _, s := range listSorts {
		s.On = s.Value == q.Get("sort")
		if s.On {
			o.sorted = s.Value
		}
		s.Name = say.Text(s.Name)
		o.Sorts = append(o.Sorts, s.choice)
	}
	o.Searchable = lists >= manyLists || o.Term != "" || o.sorted != ""
	return o
}

// maxListTerm bounds a search for watchlists, in bytes.
const maxListTerm = 100

// Here is the address of the page.
func (o listOrder) Here() string {
	q := url.Values{}
	if o.Term != "" {
		q.Set("q", o.Term)
	}
	if o.sorted != "" {
		q.Set("sort", o.sorted)
	}
	if len(q) == 0 {
		return pathWatchlists
	}
	return pathWatchlists + "?" + q.Encode()
}

// finds reports whether the name of a watchlist, or one of its entries, has the term.
func (o listOrder) finds(l *actors.WatchlistView) bool {
	term := strings.ToLower(o.Term)
	has := func(s string) bool { return strings.Contains(strings.ToLower(s), term) }
	if term == "" || has(l.Watchlist.Name) {
		return true
	}
	for _, k := range l.Watchlist.Keywords {
		if has(k.Keyword) {
			return true
		}
	}
	for _, e := range l.List.Entries {
		if has(e.Reference.Name()) {
			return true
		}
	}
	return false
}

// sort orders rows, which are the oldest first; equal ones stay so.
func (o listOrder) sort(rows []watchlistRow) {
	for _, s := range listSorts {
		if s.Value == o.sorted {
			slices.SortStableFunc(rows, func(a, b watchlistRow) int { return s.compare(&a, &b) })
		}
	}
}
