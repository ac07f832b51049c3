package dashboard

import (
	"cmp"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"watchpost/actors"
	"watchpost/internal/csvrow"
	"watchpost/internal/words"
	"watchpost/watchpost"
)

// peoplePageSize is how many authors a page has.
const peoplePageSize = 50

// peoplePage lists the authors of the posts that the watchlists collected.
type peoplePage struct {
	frame
	paged
	Tabs      []chip
	Menus     []menu
	Filtered  bool
	Term      string   // of the search
	Kept      []choice // the other filters, for its form
	Rows      []personRow
	Count     int
	Here, CSV string // addresses
	Period    string // of the posts that count
}

// personRow is an author.
type personRow struct {
	Name, Initials, Headline, Level string
	Avatar                          string // address; "" for initials alone
	Company                         bool
	Href                            string // of the author's page
	Posted                          string // address of the author's posts
	Posts                           int
	LastPost                        watchpost.PostID
	LastAt                          moment
	Relevance                       float64
	Interacted                      bool
	Contacted, Connected            bool
}

// peopleParams are the filters in an address of the page.
var peopleParams = []string{"q", "list", "days", "level", "kind", "new", "posts", "contacted", "order"}

// The values of contacted.
const contactedYes, contactedNo = "yes", "no"

// Choices of the filters. The one without a value is that of an address without the filter.
var (
	peopleDays   = []choice{{Value: "7", Name: "people.last_7_days"}, {Name: "people.last_30_days"}, {Value: "90", Name: "people.last_90_days"}, {Value: "all", Name: "people.all_posts"}}
	peoplePosts  = []choice{{Name: "people.any_number"}, {Value: "2", Name: "people.2_and_more"}, {Value: "5", Name: "people.5_and_more"}, {Value: "10", Name: "people.10_and_more"}}
	peopleKinds  = []choice{{Name: "people.people_and_companies"}, {Value: string(watchpost.LeadPerson), Name: "common.people"}, {Value: string(watchpost.LeadCompany), Name: "watchlist.companies"}}
	peopleNew    = []choice{{Name: "people.new_or_not"}, {Value: "7", Name: "people.last_7_days"}, {Value: "30", Name: "people.last_30_days"}}
	peopleTabs   = []choice{{Name: "people.all"}, {Value: contactedNo, Name: "people.not_contacted"}, {Value: contactedYes, Name: "people.contacted"}}
	peopleOrders = []choice{{Name: "people.last_post_first"}, {Value: string(watchpost.LeadsMostPosts), Name: "people.most_posts_first"}, {Value: string(watchpost.LeadsRelevanceFirst), Name: "people.best_relevance_first"}}
)

// readPeople reads the filters of an address.
func readPeople(q url.Values, now time.Time) (named []string, query watchpost.LeadQuery, err error) {
	if list := q.Get("list"); list != "" {
		named = []string{list}
	}
	days, posts, newDays := usualDays, 1, 1
	for name, n := range map[string]*int{"days": &days, "posts": &posts, "new": &newDays} {
		if value := q.Get(name); value != "" && (name != "days" || value != "all") {
			var failed error
			*n, failed = strconv.Atoi(value)
			err = cmp.Or(err, failed)
		}
	}
	if err != nil || min(days, posts, newDays) < 1 || max(days, newDays) > 3650 {
		return nil, query, watchpost.Errorf(watchpost.Invalid, "Days and posts are numbers from 1 on.")
	}
	if q.Get("new") != "" {
		query.NewSince = sinceDays(newDays, now)
	}
	if q.Get("days") != "all" {
		query.From = sinceDays(days, now)
	}
	query.MinPosts = posts
	if query.Words = strings.TrimSpace(q.Get("q")); len(query.Words) > maxListTerm || !utf8.ValidString(query.Words) {
		return nil, query, watchpost.Errorf(watchpost.Invalid, "A search has at most %d characters.", maxListTerm)
	}
	if level := q.Get("level"); level != "" {
		if level, err = watchpost.ParseSeniority(level); err != nil {
			return nil, query, err
		}
		query.Levels = []string{level}
	}
	if query.Kind = watchpost.LeadKind(q.Get("kind")); query.Kind != "" && query.Kind != watchpost.LeadPerson && query.Kind != watchpost.LeadCompany {
		return nil, query, watchpost.Errorf(watchpost.Invalid, "A kind is %s or %s.", watchpost.LeadPerson, watchpost.LeadCompany)
	}
	switch q.Get("contacted") {
	case "":
	case contactedYes, contactedNo:
		query.OnlyContacted = new(q.Get("contacted") == contactedYes)
	default:
		return nil, query, watchpost.Errorf(watchpost.Invalid, "Contacted is %s or %s.", contactedYes, contactedNo)
	}
	query.By, err = watchpost.ParseLeadOrder(q.Get("order"))
	return named, query, err
}

// sinceDays is when the last days began, of which today is one.
func sinceDays(days int, now time.Time) time.Time {
	return watchpost.Daily.Start(now).AddDate(0, 0, 1-days)
}

// people shows the authors of the posts that the filters select, and what the team has
// done with each.
func (d peoplePages) people(w http.ResponseWriter, r *http.Request, v *visit) error {
	given, now := r.URL.Query(), d.Clock.Now()
	named, query, err := readPeople(given, now)
	if err != nil {
		return err
	}
	n, _ := strconv.Atoi(given.Get("page")) // any other text is the first page
	query.Page, query.PageSize = max(n, 1), peoplePageSize
	found, err := d.Registry.Leads(r.Context(), v.session.Team, named, query)
	if err != nil {
		return err
	}
	lists, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListWatchlists{})
	if err != nil {
		return err
	}
	filters := pageFiltersOf(pathPeople, peopleParams, given)
	page := peoplePage{
		frame: frameOf(v, "people", v.say.Text("common.people")), Menus: peopleMenus(v.say, filters, lists), Filtered: len(filters.values) > 0,
		Count: found.Count, Here: filters.page(query.Page), CSV: pathPeople + ".csv?" + filters.values.Encode(), Period: v.say.Text("people.of_all_time"),
	}
	page.Term = query.Words
	for _, name := range peopleParams {
		if value := filters.values.Get(name); value != "" && name != "q" {
			page.Kept = append(page.Kept, choice{Name: name, Value: value})
		}
	}
	if !query.From.IsZero() {
		page.Period = v.say.Text("people.since_date", "date", v.say.Date("date.long", query.From))
	}
	if page.Tabs, err = d.tabsOfPeople(r, v, filters, named, query, found.Count); err != nil {
		return err
	}
	for i := range found.Leads {
		page.Rows = append(page.Rows, d.personRowOf(v.say, &found.Leads[i], now))
	}
	page.paged = pagedOf(query.Page, peoplePageSize, len(page.Rows), page.Count, filters.page)
	return renderLive(w, r, "people.html", page)
}

// tabsOfPeople are all authors, those whom the team has not contacted, and those whom it
// has, each with their number. count is that of the query.
func (d peoplePages) tabsOfPeople(r *http.Request, v *visit, filters pageFilters, named []string, query watchpost.LeadQuery, count int) ([]chip, error) {
	ask := func(only *bool) (int, error) {
		q := query
		q.OnlyContacted, q.Page, q.PageSize = only, 1, 1
		found, err := d.Registry.Leads(r.Context(), v.session.Team, named, q)
		return found.Count, err
	}
	all, contacted := count, count
	var err, otherErr error
	if query.OnlyContacted != nil {
		all, err = ask(nil)
	}
	if query.OnlyContacted == nil || !*query.OnlyContacted {
		contacted, otherErr = ask(new(true))
	}
	if err = errors.Join(err, otherErr); err != nil {
		return nil, err
	}
	tabs := filters.chips("contacted", withNames(v.say, peopleTabs))
	for i, n := range []int{all, all - contacted, contacted} {
		tabs[i].Count = n
	}
	return tabs, nil
}

// peopleMenus are the filters above the people.
func peopleMenus(say *words.Language, filters pageFilters, lists []actors.WatchlistView) []menu {
	levels := []choice{{Name: say.Text("people.any_level")}}
	for _, level := range watchpost.PostFilterOf("seniority_level").Choices {
		levels = append(levels, choice{Value: level, Name: say.Known(level)})
	}
	return []menu{
		filters.menu(say, say.Text("people.watchlist"), "list", listChoices(say, lists)), filters.menu(say, say.Text("people.level"), "level", levels), filters.menu(say, say.Text("people.kind"), "kind", withNames(say, peopleKinds)), filters.menu(say, say.Text("people.new"), "new", withNames(say, peopleNew)), filters.menu(say, say.Text("common.posts"), "posts", withNames(say, peoplePosts)),
		filters.menu(say, say.Text("people.period"), "days", withNames(say, peopleDays)), filters.menu(say, say.Text("common.order"), "order", withNames(say, peopleOrders)),
	}
}

func (d peoplePages) personRowOf(say *words.Language, l *actors.Lead, now time.Time) personRow {
	row := personRow{
		Name: cmp.Or(l.Name, say.Text("feed.unknown_author")), Headline: l.Headline, Level: say.Known(l.Seniority), Company: l.Kind == watchpost.LeadCompany,
		Posts: l.Posts, LastPost: l.LastPost, LastAt: momentOf(say, ago(say, l.LastAt, now), l.LastAt), Relevance: l.BestRelevance,
		Interacted: l.Interacted, Contacted: l.Contacted, Connected: l.Connected, Avatar: d.avatarOf(l.LastPost),
	}
	row.Initials = initials(row.Name)
	param := "people_slug"
	if row.Company {
		param = "company_slug"
	}
	row.Posted = pathFeed + "?" + url.Values{param: {l.AuthorURL}}.Encode()
	row.Href = cmp.Or(personHref(l.Key), row.Posted)
	return row
}

// authorHistory is what a post says of the team and its author.
type authorHistory struct {
	Posts                            string // of the last 30 days
	Interacted, Contacted, Connected bool
	Unwritten                        bool // a person whom the team neither wrote to nor is connected with
}

// historiesOf returns what the team has to do with the authors of posts, by their keys.
func (d feedPages) historiesOf(r *http.Request, v *visit, posts []*watchpost.Post) (map[string]*authorHistory, error) {
	all := map[string]*authorHistory{}
	for _, p := range posts {
		if key := p.AuthorKey(); personHref(key) != "" {
			all[key] = nil
		}
	}
	found, err := d.Registry.Histories(r.Context(), v.session.Team, slices.Sorted(maps.Keys(all)), sinceDays(usualDays, d.Clock.Now()))
	for key, h := range found {
		all[key] = &authorHistory{
			Posts:      v.say.Text("feed.posts_in_30_days", "posts", plural(v.say, h.Posts, "post")),
			Interacted: h.Interacted, Contacted: h.Contacted, Connected: h.Connected,
			Unwritten: watchpost.LeadKindOf(key) == watchpost.LeadPerson && !h.Contacted && !h.Connected,
		}
	}
	return all, err
}

// peopleCSV exports the authors that the filters select, at most maxCSV.
func (d peoplePages) peopleCSV(w http.ResponseWriter, r *http.Request, v *visit) error {
	named, query, err := readPeople(r.URL.Query(), d.Clock.Now())
	if err != nil {
		return err
	}
	rows := csvrow.Append(nil, "author_url", "name", "headline", "seniority_level", "kind", "posts", "first_at", "last_at", "best_relevance", "sentiment", "interacted", "contacted", "connected")
	left := maxCSV
	err = d.Registry.ExportLeads(r.Context(), v.session.Team, named, query, "", func(l *actors.Lead) error {
		if left--; left < 0 {
			return errEnough
		}
		rows = csvrow.Append(rows, l.AuthorURL, l.Name, l.Headline, l.Seniority, string(l.Kind), strconv.Itoa(l.Posts), l.FirstAt.UTC().Format(time.RFC3339), l.LastAt.UTC().Format(time.RFC3339),
			strconv.FormatFloat(l.BestRelevance, 'f', -1, 64), l.Sentiment, strconv.FormatBool(l.Interacted), strconv.FormatBool(l.Contacted), strconv.FormatBool(l.Connected))
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	return writeCSV(w, "watchpost-people.csv", rows)
}

var errEnough = errors.New("enough rows")
