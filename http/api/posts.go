package api

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3gen"
	"github.com/go-fuego/fuego"

	"watchpost/actors"
	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

func (s posts) routes() {
	endpoint.Handle(s.API, http.MethodGet, "/api-posts", s.getPosts,
		s.Operation(endpoint.Teams(watchpost.ScopeRead), "getPosts", "Read the posts that watchlists collected", endpoint.TagPosts),
		postParams(),
		postErrors("Invalid 'fields': use "+endpoint.InWords(postFields, "or")),
		endpoint.WithError(http.StatusInternalServerError, endpoint.TextFailedPosts))
}

// postErrors documents the errors of a query of posts with an order and pages, and others
// of its parameters.
func postErrors(others ...string) fuego.RouteOption {
	return filterErrors(append([]string{"Invalid 'sort_by'", "Invalid 'page'"}, others...)...)
}

// filterErrors documents the errors of the filters of posts, and others.
func filterErrors(others ...string) fuego.RouteOption {
	return fuego.GroupOptions(
		endpoint.WithError(http.StatusBadRequest, "Invalid watchlist ID(s)", "Invalid 'start_date'", "Invalid 'lang'", "Invalid 'sentiment'", "Invalid 'source'", "Invalid 'id'",
			"Invalid 'post_type': use text, image, video, article or poll", "Invalid 'seniority_level': use C-Level, Founder, VP, Director, Manager, Senior or Entry",
			"Too many values for 'labels', at most 200"),
		endpoint.WithError(http.StatusBadRequest, others...),
		endpoint.WithError(http.StatusForbidden, watchpost.TextAccessDenied))
}

// watchlistParam documents the watchlists whose posts are asked for.
func watchlistParam() fuego.RouteOption {
	return endpoint.Query("watchlist_id", "watchlists whose posts are asked for; none: all", openapi3.NewArraySchema().WithItems(openapi3.NewStringSchema()))
}

// filterParams documents the filters of posts.
func filterParams() fuego.RouteOption {
	var options []fuego.RouteOption
	for _, filter := range watchpost.PostFilters() {
		for i := range filter.Params {
			options = append(options, filterParam(&filter.Params[i]))
		}
	}
	return fuego.GroupOptions(options...)
}

// postParams documents the parameters of GET /api-posts.
func postParams() fuego.RouteOption {
	text := openapi3.NewStringSchema
	whole := func(absent float64) *openapi3.Schema {
		return openapi3.NewIntegerSchema().WithMin(1).WithDefault(absent)
	}
	order := text().WithEnum("recent_first", "recent", "oldest_first", "engagement", "popular_first", "influence_score", "relevance_first", "stored_first", "stored_last")
	fields := openapi3.NewArraySchema().WithItems(text().WithEnum(endpoint.TextsOf(postFields...)...))
	return fuego.GroupOptions(
		watchlistParam(),
		endpoint.Query("page", "from 1; the alias `current_page` is accepted", whole(1)),
		endpoint.Query("page_size", fmt.Sprintf("posts per page; above %d it is %d", watchpost.MaxPageSize, watchpost.MaxPageSize), whole(watchpost.PageSize)),
		filterParams(),
		endpoint.Query("sort_by", "order of the posts; `stored_first` and `stored_last` go by the moment of `stored_since`", order.WithDefault("recent_first")),
		endpoint.Query("fields", "the fields that a post of the reply has; none: all", fields))
}

// filterParam documents a parameter of a filter.
func filterParam(param *watchpost.PostParam) fuego.RouteOption {
	like, err := openapi3gen.NewSchemaRefForValue(param.Example, nil)
	if err != nil {
		panic(err) // the table has an example that is no value of JSON
	}
	schema, example := like.Value, param.Example
	if param.Texts != nil {
		for _, only := range param.Only {
			schema.Enum = append(schema.Enum, only)
		}
		schema, example = openapi3.NewArraySchema().WithItems(schema), []any{example}
	}
	documented := endpoint.Query(param.Name, param.About, schema)
	return func(r *fuego.BaseRoute) {
		documented(r)
		r.Operation.Parameters[len(r.Operation.Parameters)-1].Value.Example = example
	}
}

// postsReply documents the fields of a reply. AppendTo writes page instead: posts
// are encoded when they are stored.
type postsReply struct {
	Data  []post `json:"data" validate:"required"`
	Count int    `json:"count" description:"posts that match, on all pages"`
	page  actors.PostsPage
	// fields are those that posts are shown with; nil: all.
	fields []string
}

// postFields are the fields of a post in their order.
var postFields = fieldsOf(reflect.TypeFor[post]())

func parsePostField(name string) (string, error) {
	if !slices.Contains(postFields, name) {
		return "", watchpost.Errorf(watchpost.Invalid, "Invalid 'fields'")
	}
	return name, nil
}

func fieldsOf(t reflect.Type) (names []string) {
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

func (s posts) getPosts(r *http.Request) (postsReply, error) {
	p := endpoint.ReadParams(r)
	named, q, err := readPostQuery(p)
	fields := endpoint.Each(p, "fields", parsePostField, postFields...)
	if err = cmp.Or(err, p.Err); err != nil {
		return postsReply{}, err
	}
	x := endpoint.StateOf(r.Context())
	page, err := s.Registry.Posts(x.Context(), x.Team, named, q)
	if err != nil {
		return postsReply{}, endpoint.Failed(endpoint.TextFailedPosts, err)
	}
	return postsReply{page: page, fields: fields}, nil
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
		from := len(b)
		b = p.Append(b, r.page.Asked, r.page.Tagging)
		if r.fields != nil {
			b = append(b[:from], endpoint.PickMembers(b[from:], r.fields)...)
		}
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
	named = readPostFilters(p, &q)
	q.Order = cmp.Or(single(p, "sort_by", watchpost.ParsePostOrder), watchpost.RecentFirst)
	return named, q, p.Err
}

// readPostFilters reads the watchlists, the page and the filters of a query.
func readPostFilters(p *endpoint.Params, q *watchpost.PostQuery) (named []string) {
	named = p.List("watchlist_id")
	q.Page = p.Page()
	q.PageSize = min(p.Number("page_size", watchpost.PageSize, math.MaxInt), watchpost.MaxPageSize)
	for _, filter := range watchpost.PostFilters() {
		readFilter(p, filter, q)
	}
	return named
}

// readFilter reads the parameters of a filter into a query.
func readFilter(p *endpoint.Params, filter *watchpost.PostFilter, q *watchpost.PostQuery) {
	for i := range filter.Params {
		readFilterParam(p, &filter.Params[i], q)
	}
	if filter.Empty != nil && filter.Empty(q) {
		p.Refuse(filter.Params[0].Name)
	}
}

// readDays reads a range of days with both bounds included, as that of posts.
func readDays(p *endpoint.Params) (from, to time.Time) {
	var q watchpost.PostQuery
	readFilter(p, watchpost.PostFilterOf("published"), &q)
	return q.From, q.To
}

func readFilterParam(p *endpoint.Params, param *watchpost.PostParam, q *watchpost.PostQuery) {
	switch {
	case param.Flag != nil:
		*param.Flag(q) = p.Flag(param.Name)
	case param.Texts != nil && param.Parse != nil:
		*param.Texts(q) = endpoint.Each(p, param.Name, param.Parse, param.Use...)
	case param.Texts != nil:
		*param.Texts(q) = p.List(param.Name)
	case param.Text != nil:
		if given := p.One(param.Name); given != "" && param.Text(q, given) != nil {
			p.Refuse(param.Name)
		}
	default:
		if moment := p.Instant(param.Name); p.One(param.Name) != "" {
			param.Moment(q, moment)
		}
	}
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
