package dashboard

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"watchpost/actors"
	"watchpost/internal/words"
	"watchpost/watchpost"
)

// conditionForm are the conditions on posts in the forms of rules and of
// notification targets, as they are typed.
type conditionForm struct {
	lang *words.Language

	Labels, Languages, Authors, Keyword string
	Relevance, MaxAge                   string
	Sentiments, Levels                  []choice

	// Views are the saved views that the form can take over. Filters are those of the feed
	// whose link led here. Filled and Left say what was filled in, and what could not be.
	Views                 []choice
	Filters, Filled, Left string

	saved              []watchpost.SavedView
	sentiments, levels []string
	// entries splits labels and authors, each form as its text says.
	entries func(string) []string
}

func conditionFormOf(say *words.Language, c *watchpost.PostConditions, entries func(string) []string) conditionForm {
	f := conditionForm{
		lang:   say,
		Labels: strings.Join(c.Labels, "\n"), Languages: strings.Join(c.Languages, ", "), Authors: strings.Join(c.Authors, "\n"), Keyword: c.Keyword,
		Relevance: someNumber(c.MinRelevance), MaxAge: someNumber(c.MaxAge.Hours()), entries: entries,
	}
	f.tick(c.Sentiments, c.Levels)
	return f
}

// tick chooses sentiments and levels.
func (f *conditionForm) tick(sentiments, levels []string) {
	f.sentiments, f.levels = sentiments, levels
	f.Sentiments = choicesNamed(f.lang, watchpost.PostFilterOf("sentiment").Choices)
	f.Levels = choicesNamed(f.lang, watchpost.PostFilterOf("seniority_level").Choices)
	tick(f.Sentiments, sentiments...)
	tick(f.Levels, levels...)
}

// take fills the form with the sent values.
func (f *conditionForm) take(form url.Values) {
	f.Labels, f.Languages, f.Authors, f.Keyword = form.Get("labels"), form.Get("languages"), form.Get("authors"), form.Get("keyword")
	f.Relevance, f.MaxAge = form.Get("min_relevance"), form.Get("max_age_hours")
	f.tick(form["sentiments"], form["seniority_levels"])
}

// conditions is the change that the form makes, of every condition. A text that is
// no number becomes one out of bounds.
func (f *conditionForm) conditions() watchpost.ConditionsPatch {
	return watchpost.ConditionsPatch{
		Labels: new(f.entries(f.Labels)), Sentiments: &f.sentiments, Levels: &f.levels, Languages: new(wordsOf(f.Languages)), Authors: new(f.entries(f.Authors)), Keyword: &f.Keyword,
		MinRelevance: new(numberIn(f.Relevance, 10, 0)), MaxAge: new(time.Duration(numberIn(f.MaxAge, 24*366, 0) * float64(time.Hour))),
	}
}

// Further reports whether one of the conditions is given that a form may fold away.
func (f *conditionForm) Further() bool {
	return strings.TrimSpace(f.Languages+f.Authors+f.Keyword+f.MaxAge) != "" || len(f.levels) > 0
}

// takenView is what the filters of a feed give to a form of conditions.
type takenView struct {
	say        *words.Language
	If         watchpost.PostConditions
	Watchlists []string
	Left       []string // names of the filters that no condition expresses
}

// takenFilters sets, by the name of a parameter of the feed, the condition that means the
// same. A parameter that is not here has none: forms name it.
var takenFilters = map[string]func(*takenView, *watchpost.PostQuery){
	"labels":          func(t *takenView, q *watchpost.PostQuery) { t.If.Labels = q.Labels },
	"people_slug":     func(t *takenView, q *watchpost.PostQuery) { t.addAuthors(q.People) },
	"company_slug":    func(t *takenView, q *watchpost.PostQuery) { t.addAuthors(q.Companies) },
	"lang":            func(t *takenView, q *watchpost.PostQuery) { t.If.Languages = q.Languages },
	"seniority_level": func(t *takenView, q *watchpost.PostQuery) { t.If.Levels = q.Levels },
	"sentiment":       func(t *takenView, q *watchpost.PostQuery) { t.If.Sentiments = q.Sentiments },
	"keyword":         func(t *takenView, q *watchpost.PostQuery) { t.If.Keyword = q.Keyword },
}

// leftNames name parameters whose filter has no title, or one that says too little here.
var leftNames = map[string]string{
	"search_term": "conditions.words_searched_for", "start_date": "conditions.date", "end_date": "conditions.date", "is_saved": "conditions.saved_posts", "id": "conditions.chosen_posts",
	"sort_by": "conditions.order", tabParameter: "conditions.tab",
}

// conditionsOf maps the filters of a feed, and the query that they mean, to conditions.
// Each parameter that is given becomes a condition, a watchlist or a name in Left.
func conditionsOf(say *words.Language, p parameters, q *watchpost.PostQuery) (t takenView) {
	t.say = say
	for _, name := range slices.Concat(listParameters, otherParameters) {
		if len(p.values[name]) == 0 {
			continue
		}
		if name == "watchlist_id" {
			t.Watchlists = p.values[name]
		} else if take := takenFilters[name]; take != nil {
			take(&t, q)
		} else if left := leftName(say, name); !slices.Contains(t.Left, left) {
			t.Left = append(t.Left, left)
		}
	}
	return t
}

func leftName(say *words.Language, param string) string {
	if name := leftNames[param]; name != "" {
		return say.Text(name)
	}
	for _, filter := range watchpost.PostFilters() {
		if slices.ContainsFunc(filter.Params, func(p watchpost.PostParam) bool { return p.Name == param }) && filter.Title != "" {
			return say.Known(strings.ToLower(filter.Title))
		}
	}
	return param
}

// addAuthors adds the authors with these keys (reference.Reference.Key), as
// reference.ParseAuthor reads them.
func (t *takenView) addAuthors(keys []string) {
	for _, key := range keys {
		kind, slug, named := strings.Cut(key, "/")
		switch {
		case !named:
			t.If.Authors = append(t.If.Authors, "urn:network:"+key)
		case kind == "company":
			t.If.Authors = append(t.If.Authors, "/company/"+url.PathEscape(slug))
		default:
			t.If.Authors = append(t.If.Authors, "/in/"+url.PathEscape(slug))
		}
	}
}

// list returns the watchlist that the view names. If it names none, or not one that the
// form can have, it returns the watchlist that the form has.
func (t *takenView) list(has string, can func(id string) bool) string {
	switch {
	case len(t.Watchlists) == 0:
	case len(t.Watchlists) > 1:
		t.Left = append(t.Left, t.say.Text("conditions.several_watchlists"))
	case !can(t.Watchlists[0]):
		t.Left = append(t.Left, t.say.Text("conditions.watchlist"))
	default:
		return t.Watchlists[0]
	}
	return has
}

// offerViews reads the saved views that the form can take over.
func (f *conditionForm) offerViews(d *Dashboard, r *http.Request, v *visit) (err error) {
	f.saved, err = actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListViews{})
	for _, s := range f.saved {
		f.Views = append(f.Views, choice{Value: string(s.ID), Name: s.Name})
	}
	return err
}

// takeFilters reads filters of a feed (Invalid).
func takeFilters(d *Dashboard, r *http.Request, query string) (takenView, error) {
	at := addressed(r, query)
	_, q, err := d.ReadPosts(at)
	if err != nil {
		return takenView{}, err
	}
	p, err := parametersOf(at.URL)
	return conditionsOf(sayOf(r), p, &q), err
}

// fillFromFeed fills a form by the link from a feed, and returns the filters that the link
// names (Invalid); "": none.
func fillFromFeed(d *Dashboard, r *http.Request, fill func(t *takenView, from string)) (filters string, err error) {
	if filters = r.URL.Query().Get(filtersParameter); filters == "" {
		return "", nil
	}
	taken, err := takeFilters(d, r, filters)
	if err == nil {
		fill(&taken, sayOf(r).Text("conditions.the_filters_of_the_feed"))
	}
	return filters, err
}

// chosenView reads the saved view that was chosen in the form (NotFound, Invalid).
func (f *conditionForm) chosenView(d *Dashboard, r *http.Request) (t takenView, name string, err error) {
	id := r.PostForm.Get("view")
	i := slices.IndexFunc(f.saved, func(s watchpost.SavedView) bool { return string(s.ID) == id })
	if i < 0 {
		return t, "", watchpost.Errorf(watchpost.NotFound, "This view was deleted.")
	}
	tick(f.Views, id)
	t, err = takeFilters(d, r, f.saved[i].Query)
	return t, f.lang.Quoted(f.saved[i].Name), err
}

// fill replaces the conditions that a feed can filter by. The others stay as typed.
func (f *conditionForm) fill(t *takenView, from string) {
	f.Labels, f.Languages, f.Authors, f.Keyword = strings.Join(t.If.Labels, "\n"), strings.Join(t.If.Languages, ", "), strings.Join(t.If.Authors, "\n"), t.If.Keyword
	f.tick(t.If.Sentiments, t.If.Levels)
	f.Filled, f.Left = f.lang.Text("conditions.filled_in_from_from", "from", from), ""
	if len(t.Left) > 0 {
		f.Left = f.lang.Text("conditions.the_condition_has_no_field_for", "names", f.lang.List(t.Left...))
	}
}

// ruleText says what a rule does.
func ruleText(say *words.Language, rv actors.RuleView) string {
	r := &rv.Rule
	conditions := conditionTexts(say, &r.If)
	var text string
	switch comments := r.Action == watchpost.ActionComment; {
	case comments && len(conditions) == 0:
		text = say.Text("conditions.comment_on_every_post")
	case comments:
		text = say.Text("conditions.comment_if_conditions", "conditions", say.List(conditions...))
	case len(conditions) == 0:
		text = say.Text("conditions.like_every_post")
	default:
		text = say.Text("conditions.like_if_conditions", "conditions", say.List(conditions...))
	}
	var names []string
	for _, m := range rv.Members {
		names = append(names, nameOf(m))
	}
	text += ". " + say.Text("conditions.names_at_most_most_a_day", "names", some(say, names), "most", r.PerDay, "hours", hoursText(say, r.Hours))
	if r.Approval {
		text += " " + say.Text("conditions.each_waits_for_approval")
	}
	return text
}

// conditionTexts are the conditions in words.
func conditionTexts(say *words.Language, c *watchpost.PostConditions) (parts []string) {
	either := func(what string, values []string) {
		if len(values) > 0 {
			parts = append(parts, say.Text(what, "values", strings.Join(values, say.Text("list.or"))))
		}
	}
	either("conditions.the_label_is_values", c.Labels)
	either("conditions.sentiment_is_values", knownAll(say, c.Sentiments))
	either("conditions.seniority_is_values", knownAll(say, c.Levels))
	either("conditions.language_is_values", c.Languages)
	either("conditions.the_author_is_values", c.Authors)
	if c.Keyword != "" {
		parts = append(parts, say.Text("conditions.the_keyword_is_keyword", "keyword", c.Keyword))
	}
	if c.MinRelevance > 0 {
		parts = append(parts, say.Text("conditions.relevance_is_relevance_or_more", "relevance", say.Decimal(c.MinRelevance)))
	}
	if c.MaxAge > 0 {
		parts = append(parts, say.Text("conditions.at_most_hours_h_old", "hours", say.Decimal(c.MaxAge.Hours())))
	}
	return parts
}

// knownAll are texts of the service in a language.
func knownAll(say *words.Language, texts []string) []string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = say.Known(text)
	}
	return all
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// hoursText says when a rule acts.
func hoursText(say *words.Language, h watchpost.DailyHours) string {
	days := say.Text("conditions.every_day")
	if len(h.Days) > 0 && len(h.Days) < 7 {
		var names []string
		for _, day := range week {
			if slices.Contains(h.Days, day) {
				names = append(names, say.Weekday(day, true))
			}
		}
		days = strings.Join(names, " ")
	}
	zone := h.Zone
	if zone == "" {
		zone = "UTC"
	}
	return say.Text("conditions.days_from_to_until_zone", "days", days, "from", timeOfDay(h.From), "until", timeOfDay(h.Until), "zone", zone)
}

// clockIn says when a moment is in the zone of a rule's hours, so that a row has one zone.
func clockIn(say *words.Language, t, now time.Time, zone string) string {
	in, err := time.LoadLocation(zone)
	if err != nil || zone == "" {
		in, zone = time.UTC, "UTC"
	}
	layout := "date.week_time"
	if t.Sub(now).Abs() < 24*time.Hour {
		layout = "date.time"
	}
	return say.Date(layout, t.In(in)) + " " + zone
}

// week begins on Monday.
var week = []time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday, time.Saturday, time.Sunday}

// timeOfDay writes minutes after midnight as ParseMinutes reads them.
func timeOfDay(minutes int) string {
	two := func(n int) string { return string([]byte{byte('0' + n/10), byte('0' + n%10)}) }
	return two(minutes/60) + ":" + two(minutes%60)
}
