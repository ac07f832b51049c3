package api

import (
	"cmp"
	"encoding/json"
	"math"
	"net/http"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-fuego/fuego"

	"watchpost/actors"
	"watchpost/actors/insight"
	"watchpost/http/endpoint"
	"watchpost/internal/csvrow"
	"watchpost/watchpost"
)

// exportFormats are the values of format, the default first, with their media types.
var (
	exportFormats = []string{"csv", "jsonl"}
	exportMedia   = map[string]string{"csv": endpoint.MediaCSV, "jsonl": endpoint.MediaJSONLines}
)

// The columns of exports. A list is one cell.
var (
	// PostColumns are those of posts.
	PostColumns = append(columnsOf("id", "network_post_url", "network_post_urn", "tracking_lists_id", "content", "author_name", "author_url", "author_headline",
		"author_image_url", "posted_at", "created_at", "likes_count", "comments_count", "shares_count", "post_type", "language", "image_urls", "image_text", "videos", "tags",
		"sentiment", "influence_score", "relevance_score", "seniority_level", "bookmark", "liked", "commented", "source", "potential_lead"),
		csvrow.Column{Name: "watchlists", Member: "matched", Of: "watchlist_id"}, csvrow.Column{Name: "keywords", Member: "matched", Of: "keyword"})
	leadColumns = columnsOf("author_url", "name", "headline", "seniority_level", "kind", "posts", "first_at", "last_at", "best_relevance", "sentiment", "watchlists",
		"last_post_id", "interacted", "contacted", "connected")
	interactionColumns = append(columnsOf("id", "interaction_type", "text", "created_at"),
		csvrow.Column{Name: "author_id", Member: "author", Of: "id"}, csvrow.Column{Name: "author_name", Member: "author", Of: "full_name"},
		csvrow.Column{Name: "author_type", Member: "author", Of: "author_type"}, csvrow.Column{Name: "post_id", Member: "post", Of: "id"},
		csvrow.Column{Name: "network_post_url", Member: "post", Of: "network_post_url"})
)

// columnsOf returns the columns of members of the same names.
func columnsOf(names ...string) (columns []csvrow.Column) {
	for _, name := range names {
		columns = append(columns, csvrow.Column{Name: name, Member: name})
	}
	return columns
}

func (s exports) routes() {
	stream := func(path, id, summary, tag string, serve func(*http.Request, *endpoint.Params, *rows) error, options ...fuego.RouteOption) {
		endpoint.HandleStream(s.API, path, watchpost.ScopeRead, exportMediaOf, func(r *http.Request, to *endpoint.Stream) error {
			p := endpoint.ReadParams(r)
			return serve(r, p, &rows{stream: to, json: readFormat(p) == "jsonl"})
		}, append([]fuego.RouteOption{s.Operation(endpoint.Teams(watchpost.ScopeRead), id, summary, tag), formatParams()}, options...)...)
	}
	stream("/api-posts/export", "exportPosts", "Export the posts that filters select, as CSV or JSON lines", endpoint.TagPosts, s.posts,
		watchlistParam(), filterParams(), filterErrors("Invalid 'after'"), endpoint.WithError(http.StatusInternalServerError, endpoint.TextFailedPosts))
	stream("/api-leads/export", "exportLeads", "Export the leads that filters select, as CSV or JSON lines", endpoint.TagPosts, s.leads,
		watchlistParam(), filterParams(), leadFilterParams(), filterErrors("Invalid 'min_posts'", "Invalid 'contacted'", "Invalid 'after'"), endpoint.WithError(http.StatusInternalServerError, textFailedLeads))
	stream("/api-interactions/export", "exportInteractions", "Export what the team did on a watchlist's posts, as CSV or JSON lines", endpoint.TagEngagement, s.interactions,
		interactionParams(),
		endpoint.WithError(http.StatusBadRequest, textNoWatchlist, "Invalid watchlist ID: <id>", textInvalidKind, "Invalid 'after'", "Too many values for 'actor_ids', at most 200"),
		endpoint.WithError(http.StatusForbidden, watchpost.TextAccessDenied),
		endpoint.WithError(http.StatusInternalServerError, textFailedInteractions))
}

// formatParams documents the parameters of each export.
func formatParams() fuego.RouteOption {
	return fuego.GroupOptions(
		endpoint.Query("format", "a row for each record", openapi3.NewStringSchema().WithEnum(endpoint.TextsOf(exportFormats...)...).WithDefault(exportFormats[0])),
		endpoint.Query("after", "goes on behind a row that was received: its `id`, or the `author_url` of a lead", openapi3.NewStringSchema()),
		endpoint.WithError(http.StatusBadRequest, "Invalid 'format': use "+endpoint.InWords(exportFormats, "or")))
}

func readFormat(p *endpoint.Params) string {
	format := p.One("format")
	if format == "" {
		return exportFormats[0]
	}
	if exportMedia[format] == "" {
		p.RefuseValue("format", exportFormats)
	}
	return format
}

func exportMediaOf(r *http.Request) (string, error) {
	p := endpoint.ReadParams(r)
	format := readFormat(p)
	return exportMedia[format], p.Err
}

// rows are the rows of an export.
type rows struct {
	stream *endpoint.Stream
	json   bool
	csv    csvrow.Rows
	object []byte
}

// begin writes the header of CSV.
func (r *rows) begin(columns []csvrow.Column) error {
	r.csv.Columns = columns
	if r.json {
		return nil
	}
	return r.stream.Append(func(b []byte) []byte { return csvrow.AppendHeader(b, columns) })
}

// add writes the row of an object, which show appends as JSON.
func (r *rows) add(show func([]byte) []byte) error {
	if r.json {
		return r.stream.Append(func(b []byte) []byte { return append(show(b), '\n') })
	}
	r.object = show(r.object[:0])
	return r.stream.Append(func(b []byte) []byte { return r.csv.Append(b, r.object) })
}

// addValue writes the row of a value.
func (r *rows) addValue(v any) error {
	object, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return r.add(func(b []byte) []byte { return append(b, object...) })
}

func (s exports) posts(r *http.Request, p *endpoint.Params, to *rows) error {
	var q watchpost.PostQuery
	named, after := readPostFilters(p, &q), watchpost.PostID(p.One("after"))
	if err := cmp.Or(p.Err, to.begin(PostColumns)); err != nil {
		return err
	}
	err := s.Registry.ExportPosts(r.Context(), endpoint.TeamOf(r.Context()), named, q, after, func(post *actors.StoredPost, q *watchpost.PostQuery) error {
		return to.add(func(b []byte) []byte { return post.Append(b, q.Live, q.Tagging) })
	})
	return failedExport(endpoint.TextFailedPosts, err)
}

func (s exports) leads(r *http.Request, p *endpoint.Params, to *rows) error {
	named, q, err := readLeadQuery(p)
	after := p.One("after")
	if err = cmp.Or(err, p.Err, to.begin(leadColumns)); err != nil {
		return err
	}
	err = s.Registry.ExportLeads(r.Context(), endpoint.TeamOf(r.Context()), named, q, after, func(lead *insight.Lead) error { return to.addValue(shownLead(lead)) })
	return failedExport(textFailedLeads, err)
}

func (s exports) interactions(r *http.Request, p *endpoint.Params, to *rows) error {
	id, q, err := readInteractionQuery(p)
	after := watchpost.TaskID(p.One("after"))
	if err = cmp.Or(err, p.Err, to.begin(interactionColumns)); err != nil {
		return err
	}
	err = s.Registry.ExportInteractions(r.Context(), endpoint.TeamOf(r.Context()), id, q, after, func(one *watchpost.Interaction, page *actors.InteractionsPage) error {
		return to.addValue(shownInteraction(one, page))
	})
	return failedExport(textFailedInteractions, err)
}

// failedExport is the error of an export that ended with err; nil for none.
func failedExport(text string, err error) error {
	if err == nil {
		return nil
	}
	return endpoint.Failed(text, err)
}

// readInteractionQuery reads the watchlist and the filters of interactions.
func readInteractionQuery(p *endpoint.Params) (id string, q watchpost.InteractionQuery, err error) {
	id = p.One("watchlist_id")
	if p.Err != nil || endpoint.IsBlank(id) {
		return "", q, watchpost.Errorf(watchpost.Invalid, textNoWatchlist)
	}
	q = watchpost.InteractionQuery{
		Kind: single(p, "interaction_type", parseInteractionKind), Actors: p.List("actor_ids"),
		Page: p.Page(),
	}
	q.PageSize = boundedPage(p.Number("page_size", watchpost.InteractionPageSize, math.MaxInt))
	return id, q, p.Err
}
