package watchpost

import (
	"slices"
	"strings"
	"time"

	"watchpost/internal/langcode"
	"watchpost/internal/reference"
	"watchpost/internal/text"
)

// PostQuery is a request to GET /api-posts. The zero value of a field means no
// filter. Matches and Less define its meaning; engines must return exactly the
// same posts.
type PostQuery struct {
	// Live holds the watchlists whose posts are visible: the team's watchlists
	// that are not deleted, or those that the request names. A nil map is no
	// filter; an empty one selects nothing.
	Live map[WatchlistID]bool
	// Named reports that the request names the watchlists in Live: moments of storing are
	// those at which they got a post.
	Named      bool
	Only       *PostSet // the posts among which the query selects; nil: all
	Tagging    *Tagging // which tags of posts count; nil: all
	Labels     []string // any of them; NoLabels selects untagged posts
	People     []string // authors, any of these or of Companies: Keys of reference.ParseProfile
	Companies  []string // Keys of reference.ParseCompany
	Search     text.Search
	Saved      bool
	Languages  []string  // any of these codes, as langcode.Parse returns them
	From, To   time.Time // PostedAt in [From, To)
	StoredFrom time.Time // StoredAt at or after it
	Types      []string  // any of them
	Trending   bool
	Interacted bool
	Levels     []string // seniority, any of them, as ParseSeniority returns them
	Sentiments []string // any of them
	Sources    []string // any of them
	Keyword    string   // the keyword of a match by one of the watchlists in Live
	Slug       string   // one post: a Key of reference.ParsePost
	IDs        []string // posts with any of these ids
	Order      PostOrder
	Page       int // from 1
	PageSize   int
}

// NoLabels is the value of labels that selects posts without tags.
const NoLabels = "no labels"

// PostFilter is a condition on posts that a query may have. postFilters defines each
// once: Matches, the parameters of GET /api-posts with their description, and the
// filters of the dashboard follow that table. The index of posts does not start
// without a way to find the posts of each.
type PostFilter struct {
	Name   string // that of its parameter, or of what its parameters have in common
	Params []PostParam

	// Title shows it to people, Icon too when it is on or off. Place is its place on
	// the dashboard among those like it; 0: only a link sets it.
	Title, Icon string
	Place       int
	Choices     []string // the values that the dashboard offers, when they are always the same

	// Names are what the filter may find a post by, and Asked is what a query asks
	// for: a post matches if it has one of the names. Both are in the form in which
	// they are compared.
	Names func(*Post) []string
	Asked func(*PostQuery) []string

	// given and holds define a filter that has no Names.
	given func(*PostQuery) bool
	holds func(*PostQuery, *Post) bool

	// Empty reports that its parameters contradict each other; nil: they cannot.
	Empty func(*PostQuery) bool
}

// PostParam is a parameter of a request for posts. One of Flag, Texts, Text and
// Moment is set: it says what the parameter takes, and where in a query that goes.
type PostParam struct {
	Name, About string
	// Example has the type that the API document gives the parameter.
	Example     any
	Label, Hint string // on the dashboard, of one that is typed

	Flag func(*PostQuery) *bool
	// Texts takes several values, each read by Parse; nil: as given. Only are the
	// values that the API document lists, Use those that the error of another names.
	Texts func(*PostQuery) *[]string
	Parse func(string) (string, error)
	Only  []string
	Use   []string
	Text  func(*PostQuery, string) error
	// Moment takes a moment in UTC, or a date, which is its first moment.
	Moment func(*PostQuery, time.Time)
}

// Given reports whether the query has the filter.
func (f *PostFilter) Given(q *PostQuery) bool {
	if f.Names == nil {
		return f.given(q)
	}
	return len(f.Asked(q)) > 0
}

// Holds reports whether the filter lets the post through; one that is not given
// lets all through.
func (f *PostFilter) Holds(q *PostQuery, p *Post) bool {
	if f.Names == nil {
		return !f.given(q) || f.holds(q, p)
	}
	asked := f.Asked(q)
	return len(asked) == 0 || slices.ContainsFunc(f.Names(p), func(name string) bool { return slices.Contains(asked, name) })
}

// PostFilters returns the filters in the order in which a request is read and the
// API document lists them.
func PostFilters() []*PostFilter { return postFilters }

// PostFilterOf returns the filter of a name; it panics when there is none.
func PostFilterOf(name string) *PostFilter {
	i := slices.IndexFunc(postFilters, func(f *PostFilter) bool { return f.Name == name })
	return postFilters[i]
}

// sentiments, sources and postTypes are the values that posts have.
var (
	sentiments = []string{"positive", "negative", "neutral"}
	sources    = []string{string(SourceNetwork), string(SourceForum)}
	postTypes  = []string{"text", "image", "video", "article", "poll"}
)

// sentimentChoices and seniorityChoices are in the order in which people choose.
var (
	sentimentChoices = []string{"positive", "neutral", "negative"}
	seniorityChoices = []string{"C-Level", "Founder", "VP", "Director", "Manager", "Senior", "Entry"}
)

var postFilters = []*PostFilter{
	{
		Name: "labels", Title: "Label", Place: 2,
		Params: []PostParam{{
			Name: "labels", About: "any of these labels; `no labels` for untagged posts", Example: "release",
			Texts: func(q *PostQuery) *[]string { return &q.Labels },
		}},
		given: func(q *PostQuery) bool { return len(q.Labels) > 0 }, holds: (*PostQuery).matchesLabels,
	},
	{
		Name: "author", Title: "Author", Place: 9,
		Params: []PostParam{{
			Name: "people_slug", About: "authors: slugs, URLs or URNs of profiles", Example: "jane-doe",
			Label: "Profile", Hint: "Name in the address, or the address",
			Texts: func(q *PostQuery) *[]string { return &q.People }, Parse: keyOf(reference.ParseProfile),
		}, {
			Name: "company_slug", About: "authors: slugs, URLs or URNs of companies", Example: "example-corp",
			Label: "Company", Hint: "Name in the address, or the address",
			Texts: func(q *PostQuery) *[]string { return &q.Companies }, Parse: keyOf(reference.ParseCompany),
		}},
		Names: func(p *Post) []string { return some(p.AuthorKey()) },
		Asked: func(q *PostQuery) []string { return slices.Concat(q.People, q.Companies) },
	},
	{
		Name: "search_term",
		Params: []PostParam{{
			Name: "search_term", About: "words that must occur, quoted phrases, -excluded words, OR", Example: "telemetry -crypto",
			Text: func(q *PostQuery, given string) (err error) { q.Search, err = text.ParseSearch(given); return err },
		}},
		given: func(q *PostQuery) bool { return !q.Search.Zero() },
		holds: func(q *PostQuery, p *Post) bool {
			return q.Search.Matches(text.NewSearchText(p.Language, p.Content, p.ImageText))
		},
	},
	flagFilter("is_saved", "saved posts only", "Saved", "save", 1,
		func(q *PostQuery) *bool { return &q.Saved }, func(p *Post) bool { return p.Bookmark }),
	namesFilter(PostFilter{Title: "Language", Place: 3}, PostParam{
		Name: "lang", About: "any of these languages: codes, English names or their own (`deutsch`); `true` is English", Example: "en",
		Texts: func(q *PostQuery) *[]string { return &q.Languages }, Parse: parseAskedLanguage,
	}, func(p *Post) string { return p.Language }),
	{
		Name: "published", Title: "Any day", Place: 4,
		Params: []PostParam{{
			Name: "start_date", About: "first day of publication (UTC): a date, or a moment whose day counts", Example: "2030-01-01", Label: "From",
			Moment: func(q *PostQuery, t time.Time) { q.From = t.Truncate(24 * time.Hour) },
		}, {
			Name: "end_date", About: "last day of publication (UTC): a date, or a moment whose day counts", Example: "2030-01-31", Label: "To",
			Moment: func(q *PostQuery, t time.Time) { q.To = dayAfter(t) },
		}},
		given: func(q *PostQuery) bool { return !q.From.IsZero() || !q.To.IsZero() },
		holds: func(q *PostQuery, p *Post) bool {
			return (q.From.IsZero() || !p.PostedAt.Before(q.From)) && (q.To.IsZero() || p.PostedAt.Before(q.To))
		},
		Empty: func(q *PostQuery) bool { return !q.From.IsZero() && !q.To.IsZero() && !q.From.Before(q.To) },
	},
	{
		Name: "stored_since", Title: "Stored since",
		Params: []PostParam{{
			Name: "stored_since", About: "stored at or after this moment, or on or after this date; with `watchlist_id`, when that watchlist got the post: the first of several", Example: "2030-01-01T00:00:00Z",
			Moment: func(q *PostQuery, t time.Time) { q.StoredFrom = t },
		}},
		given: func(q *PostQuery) bool { return !q.StoredFrom.IsZero() },
		holds: func(q *PostQuery, p *Post) bool { return !q.StoredAt(p).Before(q.StoredFrom) },
	},
	namesFilter(PostFilter{Title: "Type", Place: 6, Choices: postTypes}, PostParam{
		Name: "post_type", About: "any of these types: " + strings.Join(postTypes, ", ") + "; plurals and synonyms count", Example: "article",
		Texts: func(q *PostQuery) *[]string { return &q.Types }, Parse: ParsePostType, Use: postTypes,
	}, func(p *Post) string { return p.Type }),
	flagFilter("trending", "posts of high engagement only", "Trending", "up", 3,
		func(q *PostQuery) *bool { return &q.Trending }, (*Post).Trending),
	flagFilter("interacted", "posts that the team liked or commented on only", "Acted on", "heart", 2,
		func(q *PostQuery) *bool { return &q.Interacted }, func(p *Post) bool { return p.Liked || p.Commented }),
	namesFilter(PostFilter{Title: "Author level", Place: 5, Choices: seniorityChoices}, PostParam{
		Name: "seniority_level", Example: "Director",
		About: "any of these levels of the author, case aside: C-Level (also CEO, CTO, CxO, C-Suite, Executive), Founder (Owner), VP (Vice President), Director (Head), Manager, Senior, Entry; plurals count",
		Texts: func(q *PostQuery) *[]string { return &q.Levels }, Parse: ParseSeniority, Use: seniorityChoices,
	}, func(p *Post) string { return p.Seniority }),
	namesFilter(PostFilter{Title: "Sentiment", Place: 1, Choices: sentimentChoices}, PostParam{
		Name: "sentiment", About: "any of these sentiments", Example: "positive",
		Texts: func(q *PostQuery) *[]string { return &q.Sentiments }, Parse: OneOf(sentiments...), Only: sentiments,
	}, func(p *Post) string { return p.Sentiment }),
	namesFilter(PostFilter{Title: "Source", Place: 7, Choices: sources}, PostParam{
		Name: "source", About: "where the posts were found: any of these", Example: "network",
		Texts: func(q *PostQuery) *[]string { return &q.Sources }, Parse: OneOf(sources...), Only: sources,
	}, func(p *Post) string { return string(p.Source) }),
	{
		Name: "keyword", Title: "Keyword", Place: 8,
		Params: []PostParam{{
			Name: "keyword", About: "matched for this keyword, case aside, by one of the watchlists asked for", Example: "opentelemetry",
			Text: func(q *PostQuery, given string) error { q.Keyword = given; return nil },
		}},
		given: func(q *PostQuery) bool { return q.Keyword != "" }, holds: (*PostQuery).matchesKeyword,
	},
	{
		Name: "network_post_slug", Title: "One post",
		Params: []PostParam{{
			Name: "network_post_slug", About: "one post: its slug, URL or URN", Example: "7123456789012345678",
			Text: func(q *PostQuery, given string) (err error) {
				q.Slug, err = keyOf(reference.ParsePost)(given)
				return err
			},
		}},
		Names: (*Post).ReferenceKeys,
		Asked: func(q *PostQuery) []string { return some(q.Slug) },
	},
	{
		Name: "id", Title: "Posts",
		Params: []PostParam{{
			Name: "id", About: "any of these posts, by their `id`", Example: "0192f3c0-0000-7000-8000-000000000001",
			Texts: func(q *PostQuery) *[]string { return &q.IDs }, Parse: parsePostID,
		}},
		given: func(q *PostQuery) bool { return len(q.IDs) > 0 },
		holds: func(q *PostQuery, p *Post) bool { return slices.Contains(q.IDs, string(p.ID)) },
	},
}

// isSet is the name that a post has for a flag.
var isSet = []string{""}

// flagFilter makes a filter that is on or off.
func flagFilter(name, about, title, icon string, place int, of func(*PostQuery) *bool, has func(*Post) bool) *PostFilter {
	return &PostFilter{
		Name: name, Title: title, Icon: icon, Place: place, Params: []PostParam{{Name: name, About: about, Example: true, Flag: of}},
		Names: func(p *Post) []string {
			if has(p) {
				return isSet
			}
			return nil
		},
		Asked: func(q *PostQuery) []string {
			if *of(q) {
				return isSet
			}
			return nil
		},
	}
}

// namesFilter makes a filter by a name that each post has, case aside.
func namesFilter(f PostFilter, param PostParam, of func(*Post) string) *PostFilter {
	f.Name, f.Params = param.Name, []PostParam{param}
	f.Names = func(p *Post) []string { return []string{text.NormalizeName(of(p))} }
	f.Asked = func(q *PostQuery) (asked []string) {
		for _, name := range *param.Texts(q) {
			asked = append(asked, text.NormalizeName(name))
		}
		return asked
	}
	return &f
}

// some returns a list of one name, or none for an empty one.
func some(name string) []string {
	if name == "" {
		return nil
	}
	return []string{name}
}

// keyOf makes of a parser of references one of their keys, as queries hold them.
func keyOf(parse func(string) (reference.Reference, error)) func(string) (string, error) {
	return func(s string) (string, error) {
		r, err := parse(s)
		return r.Key(), err
	}
}

// OneOf makes a parser of names, case aside.
func OneOf(names ...string) func(string) (string, error) {
	return func(s string) (string, error) {
		if s = strings.ToLower(s); slices.Contains(names, s) {
			return s, nil
		}
		return "", Errorf(Invalid, "want one of %s", strings.Join(names, ", "))
	}
}

// parsePostID reads an id. One that no post has finds nothing.
func parsePostID(s string) (string, error) {
	if s = strings.ToLower(s); !ValidID(s) {
		return "", Errorf(Invalid, "want an id")
	}
	return s, nil
}

// parseAskedLanguage reads a language; clients of old send true for English.
func parseAskedLanguage(s string) (string, error) {
	if strings.EqualFold(s, "true") {
		return "en", nil
	}
	code, ok := langcode.Parse(s)
	if !ok {
		return "", Errorf(Invalid, "Invalid 'lang'")
	}
	return code, nil
}

// dayAfter returns the end of the day of a moment. A query holds "no bound" as the
// zero moment.
func dayAfter(t time.Time) time.Time {
	if t = t.Truncate(24*time.Hour).AddDate(0, 0, 1); t.IsZero() {
		return t.Add(1)
	}
	return t
}

// Matches reports whether the query selects the post, on any page
// (api.md#filters).
func (q *PostQuery) Matches(p *Post) bool {
	if q.Live != nil && !p.Collected(func(id WatchlistID) bool { return q.Live[id] }) {
		return false
	}
	if q.Only != nil && !q.Only.Has(p) {
		return false
	}
	for _, f := range postFilters {
		if !f.Holds(q, p) {
			return false
		}
	}
	return true
}

func (q *PostQuery) matchesKeyword(p *Post) bool {
	return slices.ContainsFunc(p.Matches, func(m Match) bool {
		return (q.Live == nil || q.Live[m.Watchlist]) && m.Keyword != "" && text.NormalizeName(m.Keyword) == text.NormalizeName(q.Keyword)
	})
}

func (q *PostQuery) matchesLabels(p *Post) bool {
	tags := p.TagsGiven(q.Tagging)
	return slices.ContainsFunc(q.Labels, func(label string) bool {
		label = text.NormalizeName(label)
		return label == NoLabels && len(tags) == 0 ||
			slices.ContainsFunc(tags, func(t Tag) bool { return text.NormalizeName(t.Name) == label })
	})
}
