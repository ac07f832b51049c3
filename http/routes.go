package httpapi

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-fuego/fuego"
)

// access says who may call a route.
type access uint8

const (
	// public may call.
	public access = iota
	// teams call with their key.
	teams
	// requiresExtension: teams call with their key and have an active extension.
	requiresExtension
	// operators call with the admin token; their requests have no deadline.
	operators
	// sessions send their token; their requests are held open.
	sessions
	// checked: the route itself checks who calls.
	checked
)

// Paths of sessions. The requests of polls are held open.
const (
	pollPath   = "/extension/poll"
	socketPath = "/extension/socket"
)

// Names of the security schemes in the OpenAPI document.
const (
	schemeKey     = "ApiKeyAuth"
	schemeAdmin   = "AdminToken"
	schemeSession = "SessionToken"
)

// operation describes a route: who may call it, its name and its summary. It
// is put before other options. Middlewares are given to each route by itself:
// the framework's groups mix up those of siblings.
func (s *shared) operation(a access, id, summary, tag string) fuego.RouteOption {
	return func(r *fuego.BaseRoute) {
		r.Middlewares = append([]middleware{s.instrument(r.Method, r.Path)}, s.guards(a)...)
		if a == operators && strings.Contains(r.Path, "{id}") {
			r.Middlewares = append(r.Middlewares, s.placedBy(placeOfTeamInPath))
		}
		if a != sessions && r.Method != http.MethodGet {
			r.Middlewares = append(r.Middlewares, s.requireWritable)
		}
		r.Operation.OperationID = id
		r.Operation.Summary = summary
		r.Operation.Description = strings.TrimPrefix(details[id]+"\n\n"+callers[a], "\n\n")
		r.Operation.Security = &openapi3.SecurityRequirements{}
		r.Operation.Responses = openapi3.NewResponsesWithCapacity(8) // without the framework's errors
		fuego.OptionTags(tag)(r)
		switch a {
		case teams:
			fuego.OptionSecurity(openapi3.SecurityRequirement{schemeKey: {}})(r)
			withError(http.StatusUnauthorized, textMissingKey, textInvalidKey)(r)
		case requiresExtension:
			fuego.OptionSecurity(openapi3.SecurityRequirement{schemeKey: {}})(r)
			withError(http.StatusUnauthorized, textMissingKey, textInvalidKey)(r)
			withError(http.StatusForbidden, textExtensionRequired)(r)
		case operators:
			fuego.OptionSecurity(openapi3.SecurityRequirement{schemeAdmin: {}})(r)
			withError(http.StatusUnauthorized, textUnauthorized)(r)
			withError(http.StatusServiceUnavailable, textUnavailable)(r)
		case sessions:
			fuego.OptionSecurity(openapi3.SecurityRequirement{schemeSession: {}})(r)
			withError(http.StatusServiceUnavailable, textUnavailable)(r)
		case public, checked:
		}
		withError(http.StatusInternalServerError, textInternal, textUnavailable)(r)
	}
}

// guards returns the middlewares of an access, the outer first.
func (s *shared) guards(a access) []middleware {
	switch a {
	case public:
		return []middleware{s.withDeadline, s.withRoom}
	case teams:
		return []middleware{s.withKey}
	case requiresExtension:
		return []middleware{s.withKey, s.withExtension}
	case operators:
		return []middleware{s.withAdmin}
	case checked:
		return []middleware{s.withDeadline}
	case sessions:
		return []middleware{s.withToken, s.withPollRoom}
	}
	return nil
}

// instrument is a route's outermost layer: it takes the request from the mux
// and knows the route's metrics.
func (s *shared) instrument(method, path string) middleware {
	taken := s.metrics.route(method, path)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			stateOf(r.Context()).route = taken
			next.ServeHTTP(w, r)
		})
	}
}

// handle adds a route. serve reads the request itself; withRequest documents a
// body that it reads.
func handle[T any](to *routes, method, path string, serve func(*http.Request) (T, error), options ...fuego.RouteOption) {
	var reply T
	to.add(method, path, reply, func(r *http.Request) (any, error) { return serve(r) }, options)
}

// handleBody adds a route whose body is a B.
func handleBody[B, T any](to *routes, method, path string, serve func(*http.Request, B) (T, error), options ...fuego.RouteOption) {
	var none B
	handle(to, method, path, func(r *http.Request) (reply T, err error) {
		body, err := readBody[B](to.shared, r)
		if err != nil {
			return reply, err
		}
		return serve(r, body)
	}, append(options, withRequest(none))...)
}

// routes are where endpoints are added: those of the API, or those of operators.
type routes struct {
	*fuego.Server
	shared *shared
}

// get adds a route that is answered by a plain handler.
func (to *routes) get(path string, handler http.HandlerFunc, options ...fuego.RouteOption) {
	fuego.GetStd(to.Server, path, handler, options...)
}

// add registers a handler with the framework, which routes to it and
// documents it. It is not generic: the framework's own generic handlers cost
// most of the time that this package takes to compile.
func (to *routes) add(method, path string, reply any, serve func(*http.Request) (any, error), options []fuego.RouteOption) {
	handler := func(w http.ResponseWriter, r *http.Request) {
		reply, err := serve(r)
		if err == nil {
			err = encode(r, reply)
		}
		if err != nil {
			to.shared.writeError(r, err)
		}
	}
	registrars[method](to.Server, path, handler, append(options, withReply(reply))...)
}

// registrars are the framework's functions that add a route of net/http.
var registrars = map[string]func(*fuego.Server, string, func(http.ResponseWriter, *http.Request), ...fuego.RouteOption) *fuego.Route[any, any, any]{
	http.MethodGet: fuego.GetStd, http.MethodPost: fuego.PostStd, http.MethodPut: fuego.PutStd,
	http.MethodPatch: fuego.PatchStd, http.MethodDelete: fuego.DeleteStd,
}

// withRequest documents the type of a body.
func withRequest(body any) fuego.RouteOption {
	if other, ok := body.(documentedAs); ok {
		body = other.Documented()
	}
	return func(r *fuego.BaseRoute) {
		fuego.OptionRequestBody(fuego.RequestBody{Type: body, ContentTypes: []string{mediaJSON}})(r)
		r.Operation.RequestBody.Value.Description = ""
	}
}

// documentedAs is a body that the document describes by another type.
type documentedAs interface{ Documented() any }

// withReply documents the type of a reply.
func withReply(reply any) fuego.RouteOption {
	return func(r *fuego.BaseRoute) {
		status := cmp.Or(r.DefaultStatusCode, http.StatusOK)
		fuego.OptionAddResponse(status, http.StatusText(status), fuego.Response{Type: reply, ContentTypes: []string{mediaJSON}})(r)
		r.Operation.Responses.Delete("default")
	}
}

// created makes 201 the status of success.
func created() fuego.RouteOption {
	return fuego.GroupOptions(
		fuego.OptionDefaultStatusCode(http.StatusCreated),
		fuego.OptionMiddleware(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				stateOf(r.Context()).success = http.StatusCreated
				next.ServeHTTP(w, r)
			})
		}))
}

// withError documents an error with its texts as examples, each once.
func withError(status int, texts ...string) fuego.RouteOption {
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

// withExampleMessage puts a route's own words into the example of its reply.
func withExampleMessage(message string) fuego.RouteOption {
	return func(r *fuego.BaseRoute) { r.Operation.Extensions = map[string]any{messageExtension: message} }
}

// messageExtension holds the words until the document is completed.
const messageExtension = "x-says"

// query documents a query parameter. The framework's own options express neither
// enumerations of lists nor minima.
func query(name, description string, schema *openapi3.Schema) fuego.RouteOption {
	return func(r *fuego.BaseRoute) {
		p := openapi3.NewQueryParameter(name).WithDescription(description).WithSchema(schema)
		r.Operation.AddParameter(p)
		withError(http.StatusBadRequest, textInvalidQuery)(r)
	}
}

// required makes the query parameter that was documented last a required one.
func required() fuego.RouteOption {
	return func(r *fuego.BaseRoute) {
		r.Operation.Parameters[len(r.Operation.Parameters)-1].Value.Required = true
	}
}
