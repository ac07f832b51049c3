package api

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-fuego/fuego"

	"watchpost/actors"
	"watchpost/http/endpoint"
	"watchpost/internal/reference"
	"watchpost/internal/text"
	"watchpost/watchpost"
)

func (s posts) routes() {
	endpoint.Handle(s.API, http.MethodGet, "/api-posts", s.getPosts,
		s.Operation(endpoint.Teams, "getPosts", "Read the posts that watchlists collected", endpoint.TagPosts),
		postParams(),
		endpoint.WithError(http.StatusBadRequest, "Invalid watchlist ID(s)", "Invalid 'sort_by'", "Invalid 'page'", "Invalid 'start_date'", "Invalid 'lang'", "Invalid 'seniority_level'", "Invalid 'sentiment'", "Invalid 'source'", "Too many values for 'labels', at most 200"),
		endpoint.WithError(http.StatusForbidden, watchpost.TextAccessDenied),
		endpoint.WithError(http.StatusInternalServerError, endpoint.TextFailedPosts))
}

// postParams documents the parameters of GET /api-posts.
func postParams() fuego.RouteOption {
	text, flag := openapi3.NewStringSchema, openapi3.NewBoolSchema
	texts := func() *openapi3.Schema { return openapi3.NewArraySchema().WithItems(text()) }
	day := func() *openapi3.Schema { return text() }
	names := func(values ...any) *openapi3.Schema {
		return openapi3.NewArraySchema().WithItems(text().WithEnum(values...))
	}
	whole := func(absent float64) *openapi3.Schema {
		return openapi3.NewIntegerSchema().WithMin(1).WithDefault(absent)
	}
	order := text().WithEnum("recent_first", "recent", "oldest_first", "engagement", "popular_first", "influence_score", "relevance_first")
	return fuego.GroupOptions(
		endpoint.Query("watchlist_id", "watchlists whose posts are asked for; none: all", texts()),
		endpoint.Query("page", "from 1; the alias `current_page` is accepted", whole(1)),
		endpoint.Query("page_size", fmt.Sprintf("posts per page; above %d it is %d", watchpost.MaxPageSize, watchpost.MaxPageSize), whole(watchpost.PageSize)),
		endpoint.Query("labels", "any of these labels; `no labels` for untagged posts", texts()),
		endpoint.Query("people_slug", "authors: slugs, URLs or URNs of profiles", texts()),
		endpoint.Query("company_slug", "authors: slugs, URLs or URNs of companies", texts()),
		endpoint.Query("search_term", "words that must occur, quoted phrases, -excluded words, OR", text()),
		endpoint.Query("is_saved", "saved posts only", flag()),
		endpoint.Query("lang", "any of these languages: codes or English names; `true` is English", texts()),
		endpoint.Query("start_date", "first day of publication (UTC): a date, or a moment whose day counts", day()),
		endpoint.Query("end_date", "last day of publication (UTC): a date, or a moment whose day counts", day()),
		endpoint.Query("stored_since", "stored at or after this moment, or on or after this date", text()),
		endpoint.Query("post_type", "any of these types: text, image, video, article, poll", texts()),
		endpoint.Query("trending", "posts of high engagement only", flag()),
		endpoint.Query("interacted", "posts that the team liked or commented on only", flag()),
		endpoint.Query("seniority_level", "any of these levels of the author, case aside: C-Level (also CEO, CTO, CxO, C-Suite, Executive), Founder, VP (Vice President), Director (Head), Manager, Senior, Entry", texts()),
		endpoint.Query("sentiment", "any of these sentiments", names("positive", "negative", "neutral")),
		endpoint.Query("source", "where the posts were found: any of these", names("network", "forum")),
		endpoint.Query("keyword", "matched for this keyword, case aside, by one of the watchlists asked for", text()),
		endpoint.Query("network_post_slug", "one post: its slug, URL or URN", text()),
		endpoint.Query("sort_by", "order of the posts", order.WithDefault("recent_first")),
	)
}

// postsReply documents the fields of a reply. AppendTo writes page instead: posts
// are encoded when they are stored.
type postsReply struct {
	Data  []post `json:"data" validate:"required"`
	Count int    `json:"count" description:"posts that match, on all pages"`
	page  actors.PostsPage
}

func (s posts) getPosts(r *http.Request) (postsReply, error) {
	named, q, err := ReadPosts(r)
	if err != nil {
		return postsReply{}, err
	}
	x := endpoint.StateOf(r.Context())
	page, err := s.Registry.Posts(x.Context(), x.Team, named, q)
	if err != nil {
		return postsReply{}, endpoint.Failed(endpoint.TextFailedPosts, err)
	}
	return postsReply{page: page}, nil
}

// AppendTo implements endpoint.AppendedReply.
func (r postsReply) AppendTo(b []byte) []byte {
	const margin = 200 // for what depends on who asks
	size := margin
	for _, p := range r.page.Posts {
		size += p.Size() + margin
	}
	b = append(slices.Grow(b, size), `{"data":[`...)
	for i, p := range r.page.Posts {
		if i > 0 {
			b = append(b, ',')
		}
		b = p.Append(b, r.page.Asked, r.page.Tagging)
	}
	b = append(b, `],"count":`...)
	return append(strconv.AppendInt(b, int64(r.page.Count), 10), '}')
}

// Tagged implements endpoint.TaggedReply.
func (postsReply) Tagged() {}

// ReadPosts reads the query of a request for posts.
func ReadPosts(r *http.Request) ([]string, watchpost.PostQuery, error) {
	return readPostQuery(endpoint.ReadParams(r))
}

// readPostQuery reads the parameters of GET /api-posts.
func readPostQuery(p *endpoint.Params) (named []string, q watchpost.PostQuery, err error) {
	named = p.List("watchlist_id")
	q.Page = p.Page()
	q.PageSize = min(p.Number("page_size", watchpost.PageSize, math.MaxInt), watchpost.MaxPageSize)
	q.Labels = p.List("labels")
	q.People = endpoint.Each(p, "people_slug", key(reference.ParseProfile))
	q.Companies = endpoint.Each(p, "company_slug", key(reference.ParseCompany))
	q.Search = single(p, "search_term", text.ParseSearch)
	q.Saved = p.Flag("is_saved")
	q.Languages = endpoint.Each(p, "lang", parseLanguage)
	q.From, q.To = readDays(p)
	q.StoredFrom = p.Instant("stored_since")
	q.Types = p.List("post_type")
	q.Trending = p.Flag("trending")
	q.Interacted = p.Flag("interacted")
	q.Levels = endpoint.Each(p, "seniority_level", watchpost.ParseSeniority)
	q.Sentiments = endpoint.Each(p, "sentiment", oneOf("positive", "negative", "neutral"))
	q.Sources = endpoint.Each(p, "source", oneOf(string(watchpost.SourceNetwork), string(watchpost.SourceForum)))
	q.Keyword = p.One("keyword")
	q.Slug = single(p, "network_post_slug", key(reference.ParsePost))
	q.Order = cmp.Or(single(p, "sort_by", watchpost.ParsePostOrder), watchpost.RecentFirst)
	return named, q, p.Err
}

// readDays reads a range of days with both bounds included.
func readDays(p *endpoint.Params) (from, to time.Time) {
	from, to = p.Day("start_date"), p.Day("end_date")
	if p.One("end_date") == "" {
		return from, to
	}
	if !from.IsZero() && from.After(to) {
		p.Refuse("start_date")
	}
	if to = to.AddDate(0, 0, 1); to.IsZero() {
		to = to.Add(1) // a query holds "no bound" as the zero moment
	}
	return from, to
}

// single returns a parameter that takes a single value, read by parse; absent
// is empty.
func single[T any](p *endpoint.Params, name string, parse func(string) (T, error)) T {
	value := p.One(name)
	var none T
	if value == "" {
		return none
	}
	v, err := parse(value)
	if err != nil {
		p.Refuse(name)
		return none
	}
	return v
}

// key makes of a parser of references one of their keys, as queries hold them.
func key(parse func(string) (reference.Reference, error)) func(string) (string, error) {
	return func(s string) (string, error) {
		reference, err := parse(s)
		return reference.Key(), err
	}
}

// oneOf makes a parser of names, case aside.
func oneOf(names ...string) func(string) (string, error) {
	return func(s string) (string, error) {
		if s = strings.ToLower(s); slices.Contains(names, s) {
			return s, nil
		}
		return "", watchpost.Errorf(watchpost.Invalid, "want one of %s", strings.Join(names, ", "))
	}
}

// parseLanguage reads a language; clients of old send true for English.
func parseLanguage(s string) (string, error) {
	if strings.EqualFold(s, "true") {
		return "en", nil
	}
	code, ok := watchpost.ParseLanguage(s)
	if !ok {
		return "", watchpost.Errorf(watchpost.Invalid, "Invalid 'lang'")
	}
	return code, nil
}
