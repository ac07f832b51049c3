package dashboard

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"watchpost/actors"
	"watchpost/watchpost"
)

// chip is a filter that a click sets, or takes away.
type chip struct {
	Name, Icon, Href string
	Count            int
	On               bool
}

// active is a filter that is set.
type active struct {
	Name, Href string
	without    parameters
}

// feedFilters are the filters above the feed, with the number of posts that each
// leads to.
type feedFilters struct {
	Search     string
	SearchKept []field
	Order      watchpost.PostOrder
	Orders     []choice
	Lists      []chip
	Flags      []chip
	Menus      []menu
	Active     []active

	params    parameters
	languages map[string]bool // that posts may be in
	named     []string
	query     watchpost.PostQuery
	questions []actors.PostCount
	answers   []func(int)
}

// orders are the values of sort_by that the feed offers.
var orders = []choice{
	{Value: string(watchpost.RecentFirst), Name: "Newest first"}, {Value: string(watchpost.RelevanceFirst), Name: "Most relevant"},
	{Value: string(watchpost.MostInfluence), Name: "Most influence"}, {Value: string(watchpost.MostEngaging), Name: "Most engagement"},
	{Value: string(watchpost.MostLiked), Name: "Most likes"}, {Value: string(watchpost.OldestFirst), Name: "Oldest first"},
}

// usualCounts is the room for the queries of a page, which are large values.
const usualCounts = 320

func newFeedFilters(p parameters, named []string, q watchpost.PostQuery, lists []actors.WatchlistView, languages map[string]bool, now time.Time) *feedFilters {
	f := &feedFilters{params: p, languages: languages, named: named, query: q, Search: p.values.Get("search_term"), SearchKept: p.hidden("search_term", "sort_by"), Order: q.Order}
	f.questions = make([]actors.PostCount, 0, usualCounts)
	for _, o := range orders {
		o.On = watchpost.PostOrder(o.Value) == q.Order
		f.Orders = append(f.Orders, o)
	}
	f.watchlists(lists)
	f.flags()
	f.menus(lists, now)
	f.setActive(lists)
	return f
}

// count asks how many posts a changed query finds; tell gets the answer.
func (f *feedFilters) count(named []string, change func(*watchpost.PostQuery), tell func(int)) {
	q := f.query
	change(&q)
	f.questions = append(f.questions, actors.PostCount{Named: named, Query: q})
	f.answers = append(f.answers, tell)
}

// answer fills in the counts. Values of open-ended menus without posts go.
func (f *feedFilters) answer(counts []int) {
	for i, tell := range f.answers {
		tell(counts[i])
	}
	for i := range f.Menus {
		m := &f.Menus[i]
		m.Action = pathFeed
		if m.Name == "labels" || m.Name == "lang" || m.Name == "keyword" {
			m.Options = slices.DeleteFunc(m.Options, func(c choice) bool { return c.counted && c.Count == 0 && !c.On })
			slices.SortStableFunc(m.Options, func(a, b choice) int { return cmp.Compare(b.Count, a.Count) })
		}
	}
	f.Menus = slices.DeleteFunc(f.Menus, func(m menu) bool { return len(m.Options)+len(m.Inputs) == 0 })
}

func (f *feedFilters) watchlists(lists []actors.WatchlistView) {
	same := func(*watchpost.PostQuery) {}
	f.Lists = make([]chip, len(lists)+1)
	f.Lists[0] = chip{Name: "All", Href: f.params.with("watchlist_id").href(), On: len(f.named) == 0}
	f.count(nil, same, func(n int) { f.Lists[0].Count = n })
	for i, l := range lists {
		id := string(l.Watchlist.ID)
		f.Lists[i+1] = chip{Name: l.Watchlist.Name, Href: f.params.with("watchlist_id", id).href(), On: slices.Contains(f.named, id)}
		f.count([]string{id}, same, func(n int) { f.Lists[i+1].Count = n })
	}
}

// flags are the filters that are on or off.
func (f *feedFilters) flags() {
	all := []struct {
		name, icon, param string
		of                func(*watchpost.PostQuery) *bool
	}{
		{"Saved", "save", "is_saved", func(q *watchpost.PostQuery) *bool { return &q.Saved }},
		{"Acted on", "heart", "interacted", func(q *watchpost.PostQuery) *bool { return &q.Interacted }},
		{"Trending", "up", "trending", func(q *watchpost.PostQuery) *bool { return &q.Trending }},
	}
	f.Flags = make([]chip, len(all))
	for i, one := range all {
		c := chip{Name: one.name, Icon: one.icon, On: *one.of(&f.query), Href: f.params.with(one.param, "true").href()}
		if c.On {
			c.Href = f.params.with(one.param).href()
		}
		f.Flags[i] = c
		f.count(f.named, func(q *watchpost.PostQuery) { *one.of(q) = true }, func(n int) { f.Flags[i].Count = n })
	}
}

// facet adds a menu of values.
func (f *feedFilters) facet(title, param string, values []choice, of func(*watchpost.PostQuery) *[]string) {
	m := menu{Title: title, Name: param, Hidden: f.params.hidden(param), Options: slices.Clone(values)}
	set := *of(&f.query)
	for _, value := range set {
		if !slices.ContainsFunc(m.Options, func(c choice) bool { return strings.EqualFold(c.Value, value) }) {
			m.Options = append(m.Options, choice{Value: value, Name: value})
		}
	}
	for i := range m.Options {
		c := &m.Options[i]
		c.On, c.counted = slices.ContainsFunc(set, func(v string) bool { return strings.EqualFold(c.Value, v) }), true
		m.On = m.On || c.On
		f.count(f.named, func(q *watchpost.PostQuery) { *of(q) = []string{c.Value} }, func(n int) { c.Count = n })
	}
	if names := chosen(m.Options); len(names) == 1 {
		m.Title = title + ": " + names[0]
	} else if len(names) > 1 {
		m.Title = title + ": " + number(len(names))
	}
	f.Menus = append(f.Menus, m)
}

func chosen(options []choice) (names []string) {
	for _, c := range options {
		if c.On {
			names = append(names, c.Name)
		}
	}
	return names
}

func (f *feedFilters) menus(lists []actors.WatchlistView, now time.Time) {
	named := func(values ...string) (all []choice) {
		for _, v := range values {
			all = append(all, choice{Value: v, Name: strings.ToUpper(v[:1]) + v[1:]})
		}
		return all
	}
	f.facet("Sentiment", "sentiment", named("positive", "neutral", "negative"), func(q *watchpost.PostQuery) *[]string { return &q.Sentiments })
	f.facet("Label", "labels", labelsOf(lists, f.named), func(q *watchpost.PostQuery) *[]string { return &q.Labels })
	var languages []choice
	for _, code := range watchpost.LanguageCodes() {
		if !f.languages[code] {
			continue // no post is in it
		}
		languages = append(languages, choice{Value: code, Name: watchpost.LanguageName(code)})
	}
	f.facet("Language", "lang", languages, func(q *watchpost.PostQuery) *[]string { return &q.Languages })
	f.days(now)
	f.facet("Author level", "seniority_level", named("C-Level", "Founder", "VP", "Director", "Manager", "Senior", "Entry"), func(q *watchpost.PostQuery) *[]string { return &q.Levels })
	f.facet("Type", "post_type", named("text", "image", "video", "article", "poll"), func(q *watchpost.PostQuery) *[]string { return &q.Types })
	if slices.ContainsFunc(lists, func(l actors.WatchlistView) bool { return l.Watchlist.Type == watchpost.ForumWatchlist }) {
		f.facet("Source", "source", named("network", "forum"), func(q *watchpost.PostQuery) *[]string { return &q.Sources })
	}
	f.keywords(lists)
	author := menu{Title: "Author", Name: "people_slug", Hidden: f.params.hidden("people_slug", "company_slug")}
	for _, in := range []input{{Name: "people_slug", Label: "Profile"}, {Name: "company_slug", Label: "Company"}} {
		in.Type, in.Hint, in.Value = "text", "Name in the address, or the address", strings.Join(f.params.values[in.Name], ", ")
		author.On = author.On || in.Value != ""
		author.Inputs = append(author.Inputs, in)
	}
	f.Menus = append(f.Menus, author)
}

// labelsOf are the labels that the watchlists give; those without labels give
// their keywords.
func labelsOf(lists []actors.WatchlistView, named []string) (all []choice) {
	seen := map[string]bool{}
	add := func(name string) {
		if key := strings.ToLower(name); !seen[key] {
			seen[key] = true
			all = append(all, choice{Value: name, Name: name})
		}
	}
	for _, l := range lists {
		if len(named) > 0 && !slices.Contains(named, string(l.Watchlist.ID)) {
			continue
		}
		for _, label := range l.Watchlist.Labels {
			add(label.Name)
		}
		for _, k := range l.Watchlist.Keywords {
			if len(l.Watchlist.Labels) == 0 && !strings.Contains(k.Keyword, ",") {
				add(k.Keyword)
			}
		}
	}
	return append(all, choice{Value: watchpost.NoLabels, Name: "No label"})
}

// keywords is the menu of the keywords that posts matched.
func (f *feedFilters) keywords(lists []actors.WatchlistView) {
	m := menu{Title: "Keyword", Name: "keyword", Single: true, Hidden: f.params.hidden("keyword"), On: f.query.Keyword != ""}
	seen := map[string]bool{}
	for _, l := range lists {
		for _, k := range l.Watchlist.Keywords {
			if key := strings.ToLower(k.Keyword); !seen[key] && (len(f.named) == 0 || slices.Contains(f.named, string(l.Watchlist.ID))) {
				seen[key] = true
				m.Options = append(m.Options, choice{Value: k.Keyword, Name: k.Keyword, On: strings.EqualFold(k.Keyword, f.query.Keyword), counted: true})
			}
		}
	}
	if m.On && len(chosen(m.Options)) == 0 {
		m.Options = append(m.Options, choice{Value: f.query.Keyword, Name: f.query.Keyword, On: true, counted: true})
	}
	for i := range m.Options {
		c := &m.Options[i]
		f.count(f.named, func(q *watchpost.PostQuery) { q.Keyword = c.Value }, func(n int) { c.Count = n })
	}
	if m.On {
		m.Title = "Keyword: " + f.query.Keyword
	}
	f.Menus = append(f.Menus, m)
}

// days is the menu of the days of publication.
func (f *feedFilters) days(now time.Time) {
	m := menu{Title: "Any day", Name: "start_date", Links: true, Hidden: f.params.hidden("start_date", "end_date")}
	from, to := f.params.values.Get("start_date"), f.params.values.Get("end_date")
	today := now.UTC().Truncate(24 * time.Hour)
	for _, d := range []struct {
		name string
		days int
	}{{"Today", 1}, {"Last 7 days", 7}, {"Last 30 days", 30}} {
		start := today.AddDate(0, 0, 1-d.days)
		c := choice{Value: start.Format(time.DateOnly), Name: d.name, counted: true}
		c.On = from == c.Value && to == ""
		if c.On {
			m.Title = d.name
		}
		m.Options = append(m.Options, c)
		i := len(m.Options) - 1
		f.count(f.named, func(q *watchpost.PostQuery) { q.From, q.To = start, time.Time{} }, func(n int) { m.Options[i].Count = n })
	}
	m.On = from+to != ""
	if m.On && m.Title == "Any day" {
		m.Title = cmp.Or(from, "…") + " to " + cmp.Or(to, "today")
	}
	links := m.Options
	for i := range links {
		links[i].Value = f.params.with("end_date").with("start_date", links[i].Value).href()
	}
	m.Inputs = []input{{"start_date", "From", "date", from, ""}, {"end_date", "To", "date", to, ""}}
	f.Menus = append(f.Menus, m)
}

// setActive lists the filters that are set.
func (f *feedFilters) setActive(lists []actors.WatchlistView) {
	add := func(name string, params ...string) {
		p := f.params
		for _, param := range params {
			p = p.with(param)
		}
		f.Active = append(f.Active, active{name, p.href(), p})
	}
	if f.Search != "" {
		add("“"+f.Search+"”", "search_term")
	}
	for _, l := range lists {
		if len(f.named) == 1 && f.named[0] == string(l.Watchlist.ID) {
			add(l.Watchlist.Name, "watchlist_id")
		}
	}
	if len(f.named) > 1 {
		add(plural(len(f.named), "watchlist"), "watchlist_id")
	}
	for i, param := range []string{"is_saved", "interacted", "trending"} {
		if f.Flags[i].On {
			add(f.Flags[i].Name, param)
		}
	}
	for _, m := range f.Menus {
		if m.On {
			var params []string
			for _, in := range m.Inputs {
				params = append(params, in.Name)
			}
			add(m.Title, append(params, m.Name)...)
		}
	}
	for param, name := range map[string]string{"network_post_slug": "One post", "stored_since": "Stored since"} {
		if value := f.params.values.Get(param); value != "" {
			add(name+" "+value, param)
		}
	}
}

func watchlistHref(id watchpost.WatchlistID) string {
	return pathFeed + "?watchlist_id=" + url.QueryEscape(string(id))
}
