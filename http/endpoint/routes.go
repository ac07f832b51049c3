package endpoint

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-fuego/fuego"

	"watchpost/watchpost"
)

// Access says who may call a route. A route that takes a key names the scope that it
// needs here, and nowhere else.
type Access struct {
	who    callers
	scopes []watchpost.Scope // a key needs one of them; none for others
}

// callers are who may call a route.
type callers uint8

const (
	public callers = iota
	teams
	teamsHere
	requiresExtension
	operators
	sessions
	checked
)

var (
	// Public may call.
	Public = Access{who: public}
	// TeamsHere call with any of their keys; the node that gets the request serves it, for as
	// long as it takes.
	TeamsHere = Access{who: teamsHere}
	// Operators call with the admin token; their requests have no deadline.
	Operators = Access{who: operators}
	// Sessions send their token; their requests are held open.
	Sessions = Access{who: sessions}
	// Checked means that the route itself checks who calls.
	Checked = Access{who: checked}
)

// Teams call with a key that has the scope; the team's key has every one.
func Teams(scope watchpost.Scope) Access { return accessWith(teams, scope) }

// TeamsByTask means that teams call with a key that has the scope of the task which the
// request names. The task's owner checks that: the route takes a key with any such scope.
func TeamsByTask() Access { return accessWith(teams, watchpost.TaskScopes()...) }

// RequiresExtension means that teams call with a key that has the scope, and have an
// active extension.
func RequiresExtension(scope watchpost.Scope) Access { return accessWith(requiresExtension, scope) }

func accessWith(who callers, scopes ...watchpost.Scope) Access {
	for _, scope := range scopes {
		if !scope.Known() {
			panic("a route needs the unknown scope '" + string(scope) + "'")
		}
	}
	return Access{who, scopes}
}

// PollPath and SocketPath are where sessions connect. The requests of polls are held open.
const (
	PollPath   = "/extension/poll"
	SocketPath = "/extension/socket"
)

// TaskStatusPath is where clients ask how far a task is. The status of one that runs
// waits a little for its end.
const TaskStatusPath = "/network-agent/get-task-status"

// Names of the security schemes in the OpenAPI document.
const (
	SchemeKey     = "ApiKeyAuth"
	SchemeBearer  = "ApiKeyBearer"
	SchemeAdmin   = "AdminToken"
	SchemeSession = "SessionToken"
)

// Operation describes a route: who may call it, its name and its summary. It
// is put before other options. Middlewares are given to each route by itself:
// the framework's groups mix up those of siblings.
func (s *Server) Operation(a Access, id, summary, tag string) fuego.RouteOption {
	return func(r *fuego.BaseRoute) {
		r.Middlewares = append([]middleware{s.instrument(r.Method, r.Path)}, s.guards(a)...)
		if a.who == operators && strings.Contains(r.Path, "{id}") {
			r.Middlewares = append(r.Middlewares, s.PlacedBy(placeOfTeamInPath))
		}
		if a.who != sessions && a.who != teamsHere && r.Method != http.MethodGet {
			r.Middlewares = append(r.Middlewares, s.requireWritable)
		}
		if len(a.scopes) > 0 {
			s.Scopes[r.Method+" "+r.Path] = a.scopes
		}
		r.Operation.OperationID = id
		r.Operation.Summary = summary
		r.Operation.Description = strings.TrimPrefix(details[id]+"\n\n"+a.description(), "\n\n")
		r.Operation.Security = &openapi3.SecurityRequirements{}
		r.Operation.Responses = openapi3.NewResponsesWithCapacity(8) // without the framework's errors
		fuego.OptionTags(tag)(r)
		switch a.who {
		case teams, requiresExtension:
			fuego.OptionSecurity(openapi3.SecurityRequirement{SchemeKey: {}}, openapi3.SecurityRequirement{SchemeBearer: {}})(r)
			WithError(http.StatusUnauthorized, textMissingKey, textInvalidKey)(r)
			if a.who == requiresExtension {
				WithError(http.StatusForbidden, textExtensionRequired)(r)
			}
			WithError(http.StatusForbidden, watchpost.TextNeedsScope(a.scopes...), watchpost.TextKeyAddress)(r)
		case operators:
			fuego.OptionSecurity(openapi3.SecurityRequirement{SchemeAdmin: {}})(r)
			WithError(http.StatusUnauthorized, TextUnauthorized)(r)
			WithError(http.StatusServiceUnavailable, TextUnavailable)(r)
		case sessions:
			fuego.OptionSecurity(openapi3.SecurityRequirement{SchemeSession: {}})(r)
			WithError(http.StatusServiceUnavailable, TextUnavailable)(r)
		case public, checked, teamsHere:
		}
		WithError(http.StatusInternalServerError, textInternal, TextUnavailable)(r)
	}
}

// guards returns the middlewares of an access, the outer first.
func (s *Server) guards(a Access) []middleware {
	switch a.who {
	case public:
		return []middleware{s.WithDeadline, s.WithRoom}
	case teams:
		return []middleware{s.withKey(a.scopes)}
	case teamsHere:
		return []middleware{func(next http.Handler) http.Handler { return withKeyHere(s, next) }}
	case requiresExtension:
		return []middleware{s.withKey(a.scopes), s.withExtension}
	case operators:
		return []middleware{s.withAdmin}
	case checked:
		return []middleware{s.WithDeadline}
	case sessions:
		return []middleware{s.withToken, s.withPollRoom}
	}
	return nil
}

// instrument is a route's outermost layer: it takes the request from the mux
// and knows the route's metrics.
func (s *Server) instrument(method, path string) middleware {
	taken := s.metrics.route(method, path)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			StateOf(r.Context()).route = taken
			next.ServeHTTP(w, r)
		})
	}
}

// Handle adds a route. serve reads the request itself; withRequest documents a
// body that it reads.
func Handle[T any](to *Routes, method, path string, serve func(*http.Request) (T, error), options ...fuego.RouteOption) {
	var reply T
	to.add(method, path, reply, func(r *http.Request) (any, error) { return serve(r) }, options)
}

// HandleBody adds a route whose body is a B.
func HandleBody[B, T any](to *Routes, method, path string, serve func(*http.Request, B) (T, error), options ...fuego.RouteOption) {
	var none B
	Handle(to, method, path, func(r *http.Request) (reply T, err error) {
		body, err := ReadBody[B](to.server, r)
		if err != nil {
			return reply, err
		}
		return serve(r, body)
	}, append(options, withRequest(none))...)
}

// Routes are where endpoints are added: those of the API, or those of operators.
type Routes struct {
	framework *fuego.Server
	server    *Server
}

// Get adds a route that is answered by a plain handler.
func (to *Routes) Get(path string, handler http.HandlerFunc, options ...fuego.RouteOption) {
	fuego.GetStd(to.framework, path, handler, options...)
}

// Post adds a route that reads its body and writes its replies by itself.
func (to *Routes) Post(path string, handler http.HandlerFunc, options ...fuego.RouteOption) {
	fuego.PostStd(to.framework, path, handler, options...)
}

// Page adds a page, which is no part of the document.
func (to *Routes) Page(method, path string, handler http.Handler) {
	page := to.server.instrument(method, strings.TrimSuffix(path, "{$}"))(handler)
	to.framework.Mux.Handle(method+" "+path, page)
}

// add registers a handler with the framework, which routes to it and
// documents it. It is not generic: the framework's own generic handlers cost
// most of the time that this package takes to compile.
func (to *Routes) add(method, path string, reply any, serve func(*http.Request) (any, error), options []fuego.RouteOption) {
	var takes queryNames
	handler := func(w http.ResponseWriter, r *http.Request) {
		reply, err := serve(r)
		if err == nil {
			err = encode(r, reply, takes.unknown(r.URL.RawQuery))
		}
		if err != nil {
			to.server.WriteError(r, err)
		}
	}
	route := registrars[method](to.framework, path, handler, append(options, withReply(reply))...)
	takes = queryNamesOf(method, route.Operation)
}

// registrars are the framework's functions that add a route of net/http.
var registrars = map[string]func(*fuego.Server, string, func(http.ResponseWriter, *http.Request), ...fuego.RouteOption) *fuego.Route[any, any, any]{
	http.MethodGet: fuego.GetStd, http.MethodPost: fuego.PostStd, http.MethodPut: fuego.PutStd,
	http.MethodPatch: fuego.PatchStd, http.MethodDelete: fuego.DeleteStd,
}

// withRequest documents the type of a body.
func withRequest(body any) fuego.RouteOption {
	if other, ok := body.(DocumentedAs); ok {
		body = other.Documented()
	}
	return func(r *fuego.BaseRoute) {
		fuego.OptionRequestBody(fuego.RequestBody{Type: body, ContentTypes: []string{MediaJSON}})(r)
		r.Operation.RequestBody.Value.Description = ""
	}
}

// DocumentedAs is a body that the document describes by another type.
type DocumentedAs interface{ Documented() any }

// withReply documents the type of a reply.
func withReply(reply any) fuego.RouteOption {
	return func(r *fuego.BaseRoute) {
		status := cmp.Or(r.DefaultStatusCode, http.StatusOK)
		fuego.OptionAddResponse(status, http.StatusText(status), fuego.Response{Type: reply, ContentTypes: []string{MediaJSON}})(r)
		r.Operation.Responses.Delete("default")
	}
}

// Created makes 201 the status of success.
func Created() fuego.RouteOption {
	return fuego.GroupOptions(
		fuego.OptionDefaultStatusCode(http.StatusCreated),
		fuego.OptionMiddleware(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				StateOf(r.Context()).success = http.StatusCreated
				next.ServeHTTP(w, r)
			})
		}))
}

// WithError documents an error with its texts as examples, each once.
func WithError(status int, texts ...string) fuego.RouteOption {
	return func(r *fuego.BaseRoute) {
		code := strconv.Itoa(status)
		known := r.Operation.Responses.Value(code)
		if known == nil {
			fuego.OptionAddResponse(status, http.StatusText(status),
				fuego.Response{Type: errorBody{}, ContentTypes: []string{"application/json"}})(r)
			known = r.Operation.Responses.Value(code)
			known.Value.Content.Get("application/json").Examples = openapi3.Examples{}
		}
		examples := known.Value.Content.Get("application/json").Examples
		for _, text := range texts {
			if documentsError(examples, text) {
				continue
			}
			name := "case" + strconv.Itoa(len(examples)+1)
			examples[name] = &openapi3.ExampleRef{Value: openapi3.NewExample(map[string]any{"error": text})}
		}
	}
}

func documentsError(examples openapi3.Examples, text string) bool {
	for _, example := range examples {
		if body, ok := example.Value.Value.(map[string]any); ok && body["error"] == text {
			return true
		}
	}
	return false
}

// WithExampleMessage puts a route's own words into the example of its reply.
func WithExampleMessage(message string) fuego.RouteOption {
	return func(r *fuego.BaseRoute) { r.Operation.Extensions = map[string]any{messageExtension: message} }
}

// messageExtension holds the words until the document is completed.
const messageExtension = "x-says"

// Query documents a query parameter. The framework's own options express neither
// enumerations of lists nor minima.
func Query(name, description string, schema *openapi3.Schema) fuego.RouteOption {
	return func(r *fuego.BaseRoute) {
		p := openapi3.NewQueryParameter(name).WithDescription(description).WithSchema(schema)
		r.Operation.AddParameter(p)
		WithError(http.StatusBadRequest, textInvalidQuery)(r)
	}
}

// Required makes the query parameter that was documented last a required one.
func Required() fuego.RouteOption {
	return func(r *fuego.BaseRoute) {
		r.Operation.Parameters[len(r.Operation.Parameters)-1].Value.Required = true
	}
}
