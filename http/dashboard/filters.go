package dashboard

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"watchpost/actors"
	"watchpost/internal/langcode"
	"watchpost/internal/words"
	"watchpost/watchpost"
)

// chip is a filter that a click sets, or takes away.
type chip struct {
	Name, Icon, Href string
	Count            int
	On               bool
	value            string
}

// active is a filter that is set.
type active struct {
	Name, Href string
	without    parameters
}

// feedFilters are the filters above the feed, with the number of posts that each
// leads to.
type feedFilters struct {
	say        *words.Language
	Search     string
	SearchKept []field
	Order      watchpost.PostOrder
	Orders     []choice
	Lists      []chip
	Picker     *listPicker // in place of Lists, of a team with many
	Flags      []chip
	Menus      []menu
	Active     []active
	Tabs       []tab

	params    parameters
	term      string          // by which the picker of lists is searched
	languages map[string]bool // that posts may be in
	named     []string
	query     watchpost.PostQuery
	questions []actors.PostCount
	answers   []func(int)
}

// orders are the values of sort_by that the feed offers.
var orders = []choice{
	{Value: string(watchpost.RecentFirst), Name: "feed.newest_first"}, {Value: string(watchpost.RelevanceFirst), Name: "feed.most_relevant"},
	{Value: string(watchpost.MostInfluence), Name: "feed.most_influence"}, {Value: string(watchpost.MostEngaging), Name: "feed.most_engagement"},
	{Value: string(watchpost.MostLiked), Name: "feed.most_likes"}, {Value: string(watchpost.OldestFirst), Name: "feed.oldest_first"},
}

// otherCounts is about how many queries a page has apart from those of its watchlists.
const otherCounts = 120

func newFeedFilters(say *words.Language, p parameters, term string, named []string, q watchpost.PostQuery, lists []actors.WatchlistView, languages map[string]bool, now time.Time) *feedFilters {
	f := &feedFilters{say: say, params: p, languages: languages, named: named, term: term, query: q, Search: p.values.Get("search_term"), SearchKept: p.hidden("search_term", "sort_by"), Order: q.Order}
	room := otherCounts // queries are large values
	for _, l := range lists {
		room += 1 + 2*len(l.Watchlist.Keywords)
	}
	f.questions = make([]actors.PostCount, 0, room)
	for _, o := range withNames(say, orders) {
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
	if len(f.Lists) > manyLists {
		f.Picker = f.picker()
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
	f.Lists[0] = chip{Name: f.say.Text("feed.all"), Href: f.params.with("watchlist_id").href(), On: len(f.named) == 0}
	f.count(nil, same, func(n int) { f.Lists[0].Count = n })
	for i, l := range lists {
		id := string(l.Watchlist.ID)
		f.Lists[i+1] = chip{Name: l.Watchlist.Name, value: id, Href: f.params.with("watchlist_id", id).href(), On: slices.Contains(f.named, id)}
		f.count([]string{id}, same, func(n int) { f.Lists[i+1].Count = n })
	}
}

// feedFlags are the filters that are on or off, feedMenus the others that the feed
// offers, both in its order.
var feedFlags, feedMenus = offeredFilters()

func offeredFilters() (flags, menus []*watchpost.PostFilter) {
	for _, filter := range watchpost.PostFilters() {
		switch {
		case filter.Place == 0:
		case filter.Params[0].Flag != nil:
			flags = append(flags, filter)
		default:
			menus = append(menus, filter)
		}
	}
	inPlace := func(a, b *watchpost.PostFilter) int { return cmp.Compare(a.Place, b.Place) }
	slices.SortFunc(flags, inPlace)
	slices.SortFunc(menus, inPlace)
	return flags, menus
}

func (f *feedFilters) flags() {
	f.Flags = make([]chip, len(feedFlags))
	for i, filter := range feedFlags {
		of, param := filter.Params[0].Flag, filter.Params[0].Name
		c := chip{Name: f.say.Known(filter.Title), Icon: filter.Icon, On: *of(&f.query), Href: f.params.with(param, "true").href()}
		if c.On {
			c.Href = f.params.with(param).href()
		}
		f.Flags[i] = c
		f.count(f.named, func(q *watchpost.PostQuery) { *of(q) = true }, func(n int) { f.Flags[i].Count = n })
	}
}

// facet adds a menu of the values of a filter.
func (f *feedFilters) facet(filter *watchpost.PostFilter, values []choice) {
	title, of := f.say.Known(filter.Title), filter.Params[0].Texts
	m := f.menuOf(filter)
	m.Options = slices.Clone(values)
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
		m.Title = title + ": " + f.say.Number(len(names))
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

// withNames returns choices with the texts that their names are the ids of.
func withNames(say *words.Language, choices []choice) []choice {
	choices = slices.Clone(choices)
	for i := range choices {
		choices[i].Name = say.Text(choices[i].Name)
	}
	return choices
}

// choicesNamed are choices whose names are their values.
func choicesNamed(say *words.Language, values []string) (all []choice) {
	for _, v := range values {
		all = append(all, choice{Value: v, Name: say.Known(strings.ToUpper(v[:1]) + v[1:])})
	}
	return all
}

// menus adds a menu for each filter that has values to choose from or to type. The
// values of some depend on the team.
func (f *feedFilters) menus(lists []actors.WatchlistView, now time.Time) {
	for _, filter := range feedMenus {
		switch {
		case filter.Name == "labels":
			f.facet(filter, labelsOf(f.say, lists, f.named))
		case filter.Name == "lang":
			f.facet(filter, languagesOf(f.say, f.languages))
		case filter.Name == "published":
			f.days(filter, now)
		case filter.Name == "keyword":
			f.keywords(filter, lists)
		case filter.Name == "source" && !slices.ContainsFunc(lists, func(l actors.WatchlistView) bool { return l.Watchlist.Type == watchpost.ForumWatchlist }):
		case filter.Choices != nil:
			f.facet(filter, choicesNamed(f.say, filter.Choices))
		default:
			f.typed(filter)
		}
	}
}

// typed adds a menu of the parameters of a filter, to be typed.
func (f *feedFilters) typed(filter *watchpost.PostFilter) {
	m := f.menuOf(filter)
	for _, param := range filter.Params {
		value := strings.Join(f.params.values[param.Name], ", ")
		m.On = m.On || value != ""
		m.Inputs = append(m.Inputs, input{Name: param.Name, Label: f.say.Known(param.Label), Type: "text", Hint: f.say.Known(param.Hint), Value: value})
	}
	f.Menus = append(f.Menus, m)
}

// menuOf is the menu of a filter, without anything to choose from.
func (f *feedFilters) menuOf(filter *watchpost.PostFilter) menu {
	names := make([]string, len(filter.Params))
	for i := range filter.Params {
		names[i] = filter.Params[i].Name
	}
	return menu{say: f.say, Title: f.say.Known(filter.Title), Name: names[0], Hidden: f.params.hidden(names...)}
}

// languagesOf are the languages that posts are in.
func languagesOf(say *words.Language, known map[string]bool) (all []choice) {
	for _, code := range langcode.Codes() {
		if known[code] {
			all = append(all, choice{Value: code, Name: say.Known(langcode.Name(code))})
		}
	}
	return all
}

// labelsOf are the labels that the watchlists give; those without labels give
// their keywords.
func labelsOf(say *words.Language, lists []actors.WatchlistView, named []string) (all []choice) {
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
	return append(all, choice{Value: watchpost.NoLabels, Name: say.Text("feed.no_label")})
}

// keywords is the menu of the keywords that posts matched.
func (f *feedFilters) keywords(filter *watchpost.PostFilter, lists []actors.WatchlistView) {
	m := f.menuOf(filter)
	m.Single, m.On = true, f.query.Keyword != ""
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
		m.Title = m.Title + ": " + f.query.Keyword
	}
	f.Menus = append(f.Menus, m)
}

// days is the menu of the days of publication.
func (f *feedFilters) days(filter *watchpost.PostFilter, now time.Time) {
	m := f.menuOf(filter)
	m.Links = true
	from, to := f.params.values.Get("start_date"), f.params.values.Get("end_date")
	today := now.UTC().Truncate(24 * time.Hour)
	for _, d := range []struct {
		name string
		days int
	}{{"feed.today", 1}, {"feed.last_7_days", 7}, {"feed.last_30_days", 30}} {
		start := today.AddDate(0, 0, 1-d.days)
		c := choice{Value: start.Format(time.DateOnly), Name: f.say.Text(d.name), counted: true}
		c.On = from == c.Value && to == ""
		if c.On {
			m.Title = f.say.Text(d.name)
		}
		m.Options = append(m.Options, c)
		i := len(m.Options) - 1
		f.count(f.named, func(q *watchpost.PostQuery) { q.From, q.To = start, time.Time{} }, func(n int) { m.Options[i].Count = n })
	}
	m.On = from+to != ""
	if m.On && m.Title == f.say.Known(filter.Title) {
		m.Title = f.say.Text("feed.from_to_to", "from", cmp.Or(from, "…"), "to", cmp.Or(to, f.say.Text("feed.until_today")))
	}
	links := m.Options
	for i := range links {
		links[i].Value = f.params.with("end_date").with("start_date", links[i].Value).href()
	}
	for i, value := range []string{from, to} {
		m.Inputs = append(m.Inputs, input{Name: filter.Params[i].Name, Label: f.say.Known(filter.Params[i].Label), Type: "date", Value: value})
	}
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
		add(f.say.Quoted(f.Search), "search_term")
	}
	for _, l := range lists {
		if len(f.named) == 1 && f.named[0] == string(l.Watchlist.ID) {
			add(l.Watchlist.Name, "watchlist_id")
		}
	}
	if len(f.named) > 1 {
		add(plural(f.say, len(f.named), "watchlist"), "watchlist_id")
	}
	for i, filter := range feedFlags {
		if f.Flags[i].On {
			add(f.say.Known(filter.Title), filter.Name)
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
	for _, filter := range watchpost.PostFilters() {
		if value := f.params.values.Get(filter.Name); value != "" && filter.Place == 0 && filter.Title != "" {
			add(f.say.Known(filter.Title)+" "+value, filter.Name)
		}
	}
}

func watchlistHref(id watchpost.WatchlistID) string {
	return pathFeed + "?watchlist_id=" + url.QueryEscape(string(id))
}
