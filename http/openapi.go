package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-fuego/fuego"

	"watchpost"
)

// Texts of package watchpost that the document quotes.
const (
	textInternal          = watchpost.TextInternal
	textUnavailable       = watchpost.TextUnavailable
	textExtensionRequired = watchpost.TextExtensionRequired
)

// newFramework makes the framework's server with every default of it that
// would show replaced or switched off.
func (s *Server) newFramework(version string) *fuego.Server {
	if version == "" {
		version = "dev"
	}
	return fuego.NewServer(
		fuego.WithoutStartupMessages(),
		fuego.WithLoggingMiddleware(fuego.LoggingConfig{DisableRequest: true, DisableResponse: true}),
		fuego.WithoutAutoGroupTags(),
		fuego.WithDisallowUnknownFields(false),
		fuego.WithSecurity(securitySchemes()),
		fuego.WithEngineOptions(
			fuego.WithErrorHandler(func(_ context.Context, err error) error { return err }),
			fuego.WithRequestContentType("application/json"),
			fuego.WithResponseContentType("application/json"),
			fuego.WithOpenAPIGeneratorSchemaCustomizer(customise),
			fuego.WithOpenAPIConfig(fuego.OpenAPIConfig{
				Disabled: true, DisableLocalSave: true, DisableMessages: true,
				DisableSwaggerUI: true, DisableDefaultServer: true,
				MiddlewareConfig: fuego.MiddlewareConfig{DisableControllerSection: true, DisableMiddlewareSection: true},
				Info:             &openapi3.Info{Title: "Watchpost", Description: apiDescription, Version: version},
			}),
		),
	)
}

func securitySchemes() openapi3.SecuritySchemes {
	scheme := func(s *openapi3.SecurityScheme, description string) *openapi3.SecuritySchemeRef {
		return &openapi3.SecuritySchemeRef{Value: s.WithDescription(description)}
	}
	bearer := func() *openapi3.SecurityScheme {
		return openapi3.NewSecurityScheme().WithType("http").WithScheme("bearer")
	}
	key := openapi3.NewSecurityScheme().WithType("apiKey").WithIn("header").WithName("x-api-key")
	return openapi3.SecuritySchemes{
		schemeKey:     scheme(key, "The key of a team."),
		schemeAdmin:   scheme(bearer(), "The operator's token (--admin-token)."),
		schemeSession: scheme(bearer(), "The token of a session."),
	}
}

// customise corrects what the generator makes of the types: 3.1 has no
// nullable, and moments are more than strings.
func customise(_ string, t reflect.Type, tag reflect.StructTag, schema *openapi3.Schema) error {
	boundOf(tag, schema)
	schema.Nullable = false
	if t == reflect.TypeFor[timestamp]() {
		schema.Format = "date-time"
	}
	if values := valuesOf[t]; len(schema.Enum) == 0 {
		schema.Enum = values
	}
	return nil
}

// valuesOf are the types of which the document lists the values.
var valuesOf = map[reflect.Type][]any{
	reflect.TypeFor[watchpost.WatchlistType](): {watchpost.KeywordWatchlist, watchpost.PeopleWatchlist, watchpost.CompanyWatchlist, watchpost.ForumWatchlist},
	reflect.TypeFor[watchpost.Plan]():          {watchpost.PlanFree, watchpost.PlanGrowth, watchpost.PlanExpert, watchpost.PlanUltimate, watchpost.PlanPro},
	reflect.TypeFor[watchpost.Role]():          {watchpost.RoleAdmin, watchpost.RoleMember},
	reflect.TypeFor[watchpost.PostSource]():    {watchpost.SourceNetwork, watchpost.SourceForum},
	reflect.TypeFor[watchpost.PendingReason](): {
		watchpost.PendingRunning, watchpost.PendingExtensionOffline, watchpost.PendingPaused,
		watchpost.PendingWeeklyCap, watchpost.PendingDailyCap, watchpost.PendingRetry, watchpost.PendingQueued,
	},
}

// finishOpenAPI completes the document of the framework's routes and returns
// it as JSON.
func finishOpenAPI(f *fuego.Server) ([]byte, error) {
	document := f.OpenAPI.Description()
	for _, v := range []any{
		keywordWatchlistList{}, keywordWatchlistDetail{}, peopleWatchlistList{}, peopleWatchlistDetail{}, companyWatchlistList{}, companyWatchlistDetail{},
		createKeywordWatchlistRequest{}, updateKeywordWatchlistRequest{}, createByPrompt{}, updateByPrompt{},
	} {
		fuego.SchemaTagFromType(f.OpenAPI, v)
	}
	schemas := document.Components.Schemas
	for _, name := range []string{"HTTPError", "ErrorItem", "unknown-interface", "nullable"} {
		delete(schemas, name)
	}
	for name, schema := range handmadeSchemas(schemas) {
		schemas[name] = schema.NewRef()
	}
	taskSchemas(f, schemas)
	tidySchemas(schemas)
	for _, item := range document.Paths.Map() {
		for _, operation := range item.Operations() {
			tidyOperation(operation)
		}
	}
	return publish(f.OutputOpenAPISpec())
}

// publish writes the document with the names of types in capitals, completed
// and checked.
func publish(document *openapi3.T) ([]byte, error) {
	const prefix = "#/components/schemas/"
	named := openapi3.Schemas{}
	var renames []string
	for name, schema := range document.Components.Schemas {
		public := strings.ToUpper(name[:1]) + name[1:]
		named[public] = schema
		renames = append(renames, `"`+prefix+name+`"`, `"`+prefix+public+`"`)
	}
	document.Components.Schemas = named
	raw, err := document.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("openapi: %w", err)
	}
	raw = []byte(strings.NewReplacer(renames...).Replace(string(raw)))
	written, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil {
		return nil, fmt.Errorf("openapi: %w", err)
	}
	if err := complete(written); err != nil {
		return nil, fmt.Errorf("openapi: %w", err)
	}
	if err := written.Validate(context.Background()); err != nil {
		return nil, fmt.Errorf("openapi: %w", err)
	}
	return ordered(written)
}

// tidySchemas takes out what the generator says of every type, and says what
// it cannot know: what raw JSON holds, and where null means something.
func tidySchemas(schemas openapi3.Schemas) {
	for name, schema := range schemas {
		if schema.Value.Description == name+" schema" {
			schema.Value.Description = ""
		}
		for _, property := range schema.Value.Properties {
			if v := property.Value; v != nil && v.Type.Is("null") {
				v.Type = nil // raw JSON
			}
		}
	}
	typed := func(name, property string, types ...string) {
		schema := openapi3.NewSchema()
		if known := schemas[name].Value.Properties[property].Value; known != nil {
			schema.Format, schema.Description = known.Format, known.Description
		}
		schema.Type = (*openapi3.Types)(&types)
		schemas[name].Value.Properties[property] = schema.NewRef()
	}

	typed("TaskError", "acted", "boolean", "null")
	for _, detail := range []string{"keywordWatchlistDetail", "peopleWatchlistDetail", "companyWatchlistDetail"} {
		typed(detail, "slack_webhook_url", "string", "null")
		typed(detail, "last_scan_at", "string", "null")
		typed(detail, "next_scan_at", "string", "null")
	}
	for _, entry := range []string{"followedProfile", "followedCompany"} {
		typed(entry, "slug", "string", "null")
		typed(entry, "urn", "string", "null")
	}
	typed("updateKeywordWatchlistRequest", "slack_webhook_url", "string", "null")
	typed("updateListWatchlistRequest", "slack_webhook_url", "string", "null")
	typed("extensionState", "last_active_at", "string", "null")
	typed("pause", "until", "string", "null")
	typed("waitingScans", "oldest", "string", "null")
	typed("quota", "limit", "integer", "null")
	for _, name := range []string{"teamReply", "shownTeam", "listedTeam", "updateTeamRequest"} {
		if schemas[name] != nil { // the operator's are missing without /admin
			typed(name, "plan_expires_at", "string", "null")
		}
	}
	orNull(schemas, "teamMember", "account")
}

// orNull says that a property that is a type of its own may be null.
func orNull(schemas openapi3.Schemas, name, property string) {
	either := openapi3.NewSchema()
	null := openapi3.NewSchema()
	null.Type = &openapi3.Types{"null"}
	one := schemas[name].Value.Properties[property]
	if named := schemas[strings.TrimPrefix(one.Ref, "#/components/schemas/")]; one.Value == nil && named != nil {
		one.Value = named.Value // the framework resolves no reference inside anyOf
	}
	either.AnyOf = openapi3.SchemaRefs{one, null.NewRef()}
	schemas[name].Value.Properties[property] = either.NewRef()
}

// tidyOperation takes out the errors that the framework adds to every operation.
func tidyOperation(o *openapi3.Operation) {
	for code, response := range o.Responses.Map() {
		content := response.Value.Content.Get(mediaJSON)
		if content != nil && content.Schema != nil && strings.HasSuffix(content.Schema.Ref, "/HTTPError") {
			o.Responses.Delete(code)
		}
	}
}

// withBody documents the errors of a body that cannot be read.
func withBody(texts ...string) fuego.RouteOption {
	return func(r *fuego.BaseRoute) {
		withError(http.StatusBadRequest, append([]string{textInvalidJSON}, texts...)...)(r)
		withError(http.StatusRequestEntityTooLarge, textTooLarge)(r)
	}
}
