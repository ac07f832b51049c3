package httpapi

import (
	"cmp"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-fuego/fuego"

	"watchpost"
	"watchpost/actors"
)

const tagPosts = "Posts"

func (s *Server) postRoutes() {
	answer(s, "/api-posts", s.getPosts,
		s.operation(teams, "getPosts", "Read the posts that watchlists collected", tagPosts),
		postParams(),
		fails(http.StatusBadRequest, "Invalid watchlist ID(s)", "Invalid 'sort_by'", "Invalid 'page'", "Invalid 'start_date'"),
		fails(http.StatusForbidden, watchpost.TextAccessDenied),
		fails(http.StatusInternalServerError, textFailedPosts))
}

// postParams documents the parameters of GET /api-posts.
func postParams() fuego.RouteOption {
	text, flag := openapi3.NewStringSchema, openapi3.NewBoolSchema
	texts := func() *openapi3.Schema { return openapi3.NewArraySchema().WithItems(text()) }
	day := func() *openapi3.Schema { return text().WithFormat("date") }
	whole := func(least, most, absent float64) *openapi3.Schema {
		return openapi3.NewIntegerSchema().WithMin(least).WithMax(most).WithDefault(absent)
	}
	order := text().WithEnum("recent_first", "recent", "oldest_first", "engagement", "popular_first", "influence_score", "relevance_first")
	return fuego.GroupOptions(
		query("watchlist_id", "watchlists whose posts are asked for; none: all", texts()),
		query("page", "from 1", openapi3.NewIntegerSchema().WithMin(1).WithDefault(1)),
		query("page_size", "posts per page", whole(1, watchpost.MaxPageSize, watchpost.PageSize)),
		query("labels", "any of these labels; `no labels` for untagged posts", texts()),
		query("people_slug", "authors: slugs, URLs or URNs of profiles", texts()),
		query("company_slug", "authors: slugs, URLs or URNs of companies", texts()),
		query("search_term", "words that must occur, quoted phrases, -excluded words, OR", text()),
		query("is_saved", "saved posts only", flag()),
		query("lang", "language: a code or an English name", text()),
		query("start_date", "first day of publication (UTC)", day()),
		query("end_date", "last day of publication (UTC)", day()),
		query("stored_since", "stored at or after this moment", text().WithFormat("date-time")),
		query("post_type", "text, image, video, article, poll", text()),
		query("trending", "posts of high engagement only", flag()),
		query("interacted", "posts that the team liked or commented on only", flag()),
		query("seniority_level", "seniority of the author", text()),
		query("network_post_slug", "one post: its slug, URL or URN", text()),
		query("sort_by", "order of the posts", order.WithDefault("recent_first")),
	)
}

// postsReply says for the API document what a reply holds. What is sent is
// page: posts are encoded when they are stored.
type postsReply struct {
	Data  []post `json:"data" validate:"required"`
	Count int    `json:"count" description:"posts that match, on all pages"`
	page  actors.PostsPage
}

func (s *Server) getPosts(r *http.Request) (postsReply, error) {
	named, q, err := readPostQuery(readParams(r))
	if err != nil {
		return postsReply{}, err
	}
	x := exchangeOf(r.Context())
	page, err := s.registry.Posts(&x.ctx, x.team, named, q)
	if err != nil {
		return postsReply{}, failed(textFailedPosts, err)
	}
	return postsReply{page: page}, nil
}

func (r postsReply) appendTo(b []byte) []byte {
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
		b = p.Append(b, r.page.Asked, r.page.Live)
	}
	b = append(b, `],"count":`...)
	return append(strconv.AppendInt(b, int64(r.page.Count), 10), '}')
}

// tagged implements taggedReply.
func (postsReply) tagged() {}

// readPostQuery reads the parameters of GET /api-posts.
func readPostQuery(p *params) (named []string, q watchpost.PostQuery, err error) {
	named = p.list("watchlist_id")
	q.Page = p.number("page", 1, math.MaxInt32)
	q.PageSize = p.number("page_size", watchpost.PageSize, watchpost.MaxPageSize)
	q.Labels = p.list("labels")
	q.People = each(p, "people_slug", key(watchpost.ParseProfile))
	q.Companies = each(p, "company_slug", key(watchpost.ParseCompany))
	q.Search = single(p, "search_term", watchpost.ParseSearch)
	q.Saved = p.flag("is_saved")
	q.Language = single(p, "lang", parseLanguage)
	q.From, q.To = readDays(p)
	q.StoredFrom = p.instant("stored_since")
	q.Type = p.one("post_type")
	q.Trending = p.flag("trending")
	q.Interacted = p.flag("interacted")
	q.Seniority = p.one("seniority_level")
	q.Slug = single(p, "network_post_slug", key(watchpost.ParsePostReference))
	q.Order = cmp.Or(single(p, "sort_by", watchpost.ParsePostOrder), watchpost.RecentFirst)
	return named, q, p.err
}

// readDays reads the range of days, of which both bounds belong to it.
func readDays(p *params) (from, to time.Time) {
	from, to = p.day("start_date"), p.day("end_date")
	if p.one("end_date") == "" {
		return from, to
	}
	if !from.IsZero() && from.After(to) {
		p.refuse("start_date")
	}
	if to = to.AddDate(0, 0, 1); to.IsZero() {
		to = to.Add(1) // a query holds "no bound" as the zero moment
	}
	return from, to
}

// single returns a parameter that takes a single value, read by parse; absent
// is empty.
func single[T any](p *params, name string, parse func(string) (T, error)) T {
	value := p.one(name)
	var none T
	if value == "" {
		return none
	}
	v, err := parse(value)
	if err != nil {
		p.refuse(name)
		return none
	}
	return v
}

// key makes of a parser of references one of their keys, as queries hold them.
func key(parse func(string) (watchpost.Reference, error)) func(string) (string, error) {
	return func(s string) (string, error) {
		reference, err := parse(s)
		return reference.Key(), err
	}
}

func parseLanguage(s string) (string, error) {
	code, ok := watchpost.ParseLanguage(s)
	if !ok {
		return "", watchpost.Errorf(watchpost.Invalid, "Invalid 'lang'")
	}
	return code, nil
}
