package dashboard

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"watchpost/actors"
	"watchpost/internal/words"
	"watchpost/watchpost"
)

// parameters are those of a feed's address, each value by itself.
type parameters struct{ values url.Values }

// listParameters take several values, otherParameters take one.
var listParameters, otherParameters = feedParameters()

func feedParameters() (several, one []string) {
	several = []string{"watchlist_id"}
	for _, filter := range watchpost.PostFilters() {
		for i := range filter.Params {
			if param := &filter.Params[i]; param.Texts != nil {
				several = append(several, param.Name)
			} else {
				one = append(one, param.Name)
			}
		}
	}
	return several, append(one, "sort_by", tabParameter)
}

// maxFilters bounds the filters of a feed as its links have them: a page has more than a
// hundred of those.
const maxFilters = 2 << 10

// parametersOf keeps what the feed knows, without the page (Invalid).
func parametersOf(u *url.URL) (parameters, error) {
	given, kept := u.Query(), url.Values{}
	for _, name := range listParameters {
		for _, value := range slices.Concat(given[name], given[name+"[]"]) {
			for one := range strings.SplitSeq(value, ",") {
				if one = strings.TrimSpace(one); one != "" {
					kept.Add(name, one)
				}
			}
		}
	}
	for _, name := range otherParameters {
		if value := given.Get(name); value != "" && value != "false" && value != "0" {
			kept.Set(name, value)
		}
	}
	if !slices.Contains(tabs, kept.Get(tabParameter)) {
		kept.Del(tabParameter)
	}
	if len(kept.Encode()) > maxFilters {
		return parameters{}, watchpost.Errorf(watchpost.Invalid, "These are too many filters, or too long ones, for a page. Take some away.")
	}
	return parameters{kept}, nil
}

// readFeed reads the address of a feed: its watchlists, its query, and its parameters.
func (d feedPages) readFeed(r *http.Request, v *visit) (named []string, q watchpost.PostQuery, p parameters, err error) {
	if named, q, err = d.ReadPosts(r); err == nil {
		p, err = parametersOf(r.URL)
	}
	if tab := p.tab(); tab != "" && err == nil {
		var in *inbox
		if in, err = d.inboxOf(r, v); err == nil {
			q.Only = in.posts(tab)
		}
	}
	return named, q, p, err
}

func (p parameters) href() string {
	if len(p.values) == 0 {
		return pathFeed
	}
	return pathFeed + "?" + p.values.Encode()
}

func (p parameters) page(n int) string {
	next := p.with("page")
	if n > 1 {
		next.values.Set("page", strconv.Itoa(n))
	}
	return next.href()
}

// with returns the parameters with the values of one replaced.
func (p parameters) with(name string, values ...string) parameters {
	next := url.Values{}
	for k, v := range p.values {
		next[k] = slices.Clone(v)
	}
	delete(next, name)
	if len(values) > 0 {
		next[name] = values
	}
	return parameters{next}
}

// hidden are the parameters that a form with those names keeps.
func (p parameters) hidden(names ...string) []field {
	var fields []field
	for _, name := range slices.Concat(listParameters, otherParameters) {
		if slices.Contains(names, name) {
			continue
		}
		for _, value := range p.values[name] {
			fields = append(fields, field{name, value})
		}
	}
	return fields
}

type field struct{ Name, Value string }

// pageFilters are the filters of a page in its address, each with one value.
type pageFilters struct {
	path   string
	names  []string
	values url.Values
}

func pageFiltersOf(path string, names []string, given url.Values) pageFilters {
	f := pageFilters{path, names, url.Values{}}
	for _, name := range names {
		if value := given.Get(name); value != "" {
			f.values.Set(name, value)
		}
	}
	return f
}

// href is the address of the page with these filters.
func (f pageFilters) href() string {
	if len(f.values) == 0 {
		return f.path
	}
	return f.path + "?" + f.values.Encode()
}

// page is the address of a page of the list.
func (f pageFilters) page(n int) string {
	next := pageFilters{f.path, f.names, maps.Clone(f.values)}
	if n > 1 {
		next.values.Set("page", strconv.Itoa(n))
	}
	return next.href()
}

// with is the address with other values of some; "" takes a filter away.
func (f pageFilters) with(set map[string]string) string {
	next := pageFilters{f.path, f.names, url.Values{}}
	for _, name := range f.names {
		value, changed := set[name]
		if !changed {
			value = f.values.Get(name)
		}
		if value != "" {
			next.values.Set(name, value)
		}
	}
	return next.href()
}

// menu is the menu of a filter, whose values are links that keep the other filters; the
// first option is that of no value.
func (f pageFilters) menu(say *words.Language, title, name string, options []choice) menu {
	set := f.values.Get(name)
	m := menu{say: say, Title: title, Name: name, Action: f.path, Links: true, On: set != ""}
	for _, c := range options {
		if c.On = c.Value == set; c.On && c.Value != "" {
			m.Title = title + ": " + c.Name
		}
		c.Value = f.with(map[string]string{name: c.Value})
		m.Options = append(m.Options, c)
	}
	return m
}

// chips are the values of a filter as links that keep the other filters.
func (f pageFilters) chips(name string, options []choice) (chips []chip) {
	for _, c := range options {
		chips = append(chips, chip{Name: c.Name, On: c.Value == f.values.Get(name), Href: f.with(map[string]string{name: c.Value})})
	}
	return chips
}

// usualDays is the period of a page without a filter.
const usualDays = 30

// paged says which part of a list a page has.
type paged struct {
	First, Last  int
	Newer, Older string // addresses of the neighbouring pages
}

// pagedOf describes the n-th page of a list, which shows some of all.
func pagedOf(n, size, shown, all int, href func(page int) string) (p paged) {
	if shown > 0 {
		p.First = (n-1)*size + 1
		p.Last = p.First + shown - 1
	}
	if last := (all + size - 1) / size; n > 1 && last > 0 {
		p.Newer = href(min(n-1, last))
	}
	if p.Last > 0 && p.Last < all {
		p.Older = href(n + 1)
	}
	return p
}

// savedViews are the filters of the feed that the team has named.
type savedViews struct {
	Shown, More []*viewChip
	On          *viewChip // whose filters the page has; nil for none
	Query       string    // what "Save as a view" saves; "" without filters, or when they are saved
	Filters     string    // of the page, without its tab, for the forms of conditions; "" for none
}

// filtersParameter holds the filters of a feed in a link to a form of conditions.
const filtersParameter = "filters"

// viewChip is a view as a link.
type viewChip struct {
	ID         watchpost.ViewID
	Name, Href string
	Count      int  // of its unread posts
	Word       bool // says that they are unread
	On         bool
	Gone       bool // a watchlist that it names was deleted: it finds nothing
}

// viewsShown is how many views are next to each other above the feed. The others are in a
// menu, but for the one whose filters the page has.
const viewsShown = 6

// views returns the team's saved views. Their counts are asked for with the filters'.
// A view has no tab: it is opened in that of the page, and has the number of its unread
// posts.
func (d feedPages) views(r *http.Request, v *visit, f *feedFilters, lists []actors.WatchlistView) (*savedViews, error) {
	stored, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListViews{})
	if err != nil {
		return nil, err
	}
	views := &savedViews{Query: f.params.with(tabParameter).values.Encode()}
	for i := range stored {
		s := &stored[i]
		chip := &viewChip{ID: s.ID, Name: s.Name, Href: pathFeed + "?" + s.Query, On: s.Query == views.Query}
		if tab := f.params.tab(); tab != "" {
			chip.Href += "&" + url.Values{tabParameter: {tab}}.Encode()
		}
		if chip.On {
			views.On = chip
		}
		if chip.On || len(views.Shown) < viewsShown {
			views.Shown = append(views.Shown, chip)
		} else {
			views.More = append(views.More, chip)
		}
		named, q, err := d.ReadPosts(addressed(r, s.Query))
		q.Only = v.inbox.posts(string(watchpost.TriageUnread))
		chip.Word = f.params.tab() != string(watchpost.TriageUnread)
		chip.Gone = err != nil || slices.ContainsFunc(named, func(id string) bool {
			return !slices.ContainsFunc(lists, func(l actors.WatchlistView) bool { return string(l.Watchlist.ID) == id })
		})
		if !chip.Gone {
			f.count(named, func(of *watchpost.PostQuery) { *of = q }, func(n int) { chip.Count = n })
		}
	}
	views.Filters = views.Query
	if views.On != nil {
		views.Query = ""
	}
	return views, nil
}

// addressed returns a request with the parameters of another address.
func addressed(r *http.Request, query string) *http.Request {
	other := r.Clone(r.Context())
	other.URL.RawQuery = query
	return other
}

// changeViews saves the filters of a feed as a view of the team, or deletes one.
func (d feedPages) changeViews(w http.ResponseWriter, r *http.Request, v *visit) error {
	switch r.PostFormValue("do") {
	case "save":
		_, _, params, err := d.readFeed(addressed(r, r.PostFormValue("query")), v)
		if err != nil {
			return err
		}
		params = params.with(tabParameter)
		view := watchpost.SavedView{Name: r.PostFormValue("name"), Query: params.values.Encode(), By: v.member.ID}
		if _, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.SaveView{View: view}); err != nil {
			return err
		}
		http.Redirect(w, r, params.href(), http.StatusSeeOther)
	case "delete":
		if _, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.DeleteView{ID: watchpost.ViewID(r.PostFormValue("id"))}); err != nil {
			return err
		}
		http.Redirect(w, r, backFrom(r), http.StatusSeeOther)
	default:
		return errUnknownForm()
	}
	return nil
}

// maxChosen is how many rows of a list a form can change together.
const maxChosen = 100

// chosenIDs returns the rows of a list that a form chooses, each once (Invalid for none or
// more than maxChosen).
func chosenIDs[ID ~string](r *http.Request) (ids []ID, err error) {
	for _, id := range r.PostForm["chosen"] {
		if !slices.Contains(ids, ID(id)) {
			ids = append(ids, ID(id))
		}
		if len(ids) > maxChosen {
			return nil, watchpost.Errorf(watchpost.Invalid, "Choose at most %d together.", maxChosen)
		}
	}
	if len(ids) == 0 {
		return nil, watchpost.Errorf(watchpost.Invalid, "Nothing is chosen. Tick a box first.")
	}
	return ids, nil
}
