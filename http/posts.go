package httpapi

import (
	"cmp"
	"math"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-fuego/fuego"

	"watchpost"
	"watchpost/actors"
)

const tagPosts = "Posts"

func (s *Server) postRoutes() {
	fuego.Get(s.api, "/api-posts", s.getPosts,
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
// body: posts are encoded when they are stored.
type postsReply struct {
	Data  []post `json:"data" validate:"required"`
	Count int    `json:"count" description:"posts that match, on all pages"`
	body  *[]byte
}

// pageBuffers holds what pages were written in, to be filled again.
var pageBuffers = sync.Pool{New: func() any { return new([]byte) }}

// writeTo implements encodedReply.
func (r postsReply) writeTo(x *exchange) {
	x.writeJSON(http.StatusOK, *r.body)
	pageBuffers.Put(r.body)
}

func (s *Server) getPosts(c fuego.ContextNoBody) (postsReply, error) {
	named, q, err := readPostQuery(readParams(c.Request()))
	if err != nil {
		return postsReply{}, err
	}
	page, err := s.registry.Posts(c.Context(), teamOf(c.Context()), named, q)
	if err != nil {
		return postsReply{}, failed(textFailedPosts, err)
	}
	buffer := pageBuffers.Get().(*[]byte)
	*buffer = encodePage((*buffer)[:0], &page)
	return postsReply{body: buffer}, nil
}

// encodePage appends a page of posts as postsReply says.
func encodePage(body []byte, page *actors.PostsPage) []byte {
	const margin = 200 // for what depends on who asks
	size := margin
	for _, p := range page.Posts {
		size += p.Size() + margin
	}
	body = append(slices.Grow(body, size), `{"data":[`...)
	for i, p := range page.Posts {
		if i > 0 {
			body = append(body, ',')
		}
		body = p.Append(body, page.Asked, page.Live)
	}
	body = append(body, `],"count":`...)
	return append(strconv.AppendInt(body, int64(page.Count), 10), '}')
}

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
	if !from.IsZero() && !to.IsZero() && from.After(to) {
		p.refuse("start_date")
	}
	if !to.IsZero() {
		to = to.AddDate(0, 0, 1)
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
