package endpoint

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-fuego/fuego"

	"watchpost/watchpost"
)

// Texts of package watchpost that the document quotes.
const (
	textInternal          = watchpost.TextInternal
	TextUnavailable       = watchpost.TextUnavailable
	textExtensionRequired = watchpost.TextExtensionRequired
)

// newFramework makes the framework's server with every default of it that
// would show replaced or switched off.
// Only a document that describes /admin has the operator's scheme.
func newFramework(version string, admin bool) *fuego.Server {
	if version == "" {
		version = "dev"
	}
	return fuego.NewServer(
		fuego.WithoutStartupMessages(),
		fuego.WithLoggingMiddleware(fuego.LoggingConfig{DisableRequest: true, DisableResponse: true}),
		fuego.WithoutAutoGroupTags(),
		fuego.WithDisallowUnknownFields(false),
		fuego.WithSecurity(securitySchemes(admin)),
		fuego.WithEngineOptions(
			fuego.WithErrorHandler(func(_ context.Context, err error) error { return err }),
			fuego.WithRequestContentType("application/json"),
			fuego.WithResponseContentType("application/json"),
			fuego.WithOpenAPIGeneratorSchemaCustomizer(customise),
			fuego.WithOpenAPIConfig(fuego.OpenAPIConfig{
				Disabled: true, DisableLocalSave: true, DisableMessages: true,
				DisableSwaggerUI: true, DisableDefaultServer: true,
				MiddlewareConfig: fuego.MiddlewareConfig{DisableControllerSection: true, DisableMiddlewareSection: true},
				Info: &openapi3.Info{
					Title: "Watchpost", Description: apiDescription, Version: version,
					License: &openapi3.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
				},
			}),
		),
	)
}

func securitySchemes(admin bool) openapi3.SecuritySchemes {
	scheme := func(s *openapi3.SecurityScheme, description string) *openapi3.SecuritySchemeRef {
		return &openapi3.SecuritySchemeRef{Value: s.WithDescription(description)}
	}
	bearer := func() *openapi3.SecurityScheme {
		return openapi3.NewSecurityScheme().WithType("http").WithScheme("bearer")
	}
	key := openapi3.NewSecurityScheme().WithType("apiKey").WithIn("header").WithName("x-api-key")
	schemes := openapi3.SecuritySchemes{
		SchemeKey:     scheme(key, "The key of a team, or a key with scopes."),
		SchemeBearer:  scheme(bearer(), "The same key as a bearer token."),
		SchemeSession: scheme(bearer(), "The token of a session."),
	}
	if admin {
		schemes[SchemeAdmin] = scheme(bearer(), "The operator's token (--admin-token).")
	}
	return schemes
}

// customise corrects what the generator makes of the types: in 3.1 null is a type,
// and moments are more than strings.
func customise(_ string, t reflect.Type, tag reflect.StructTag, schema *openapi3.Schema) error {
	boundOf(tag, schema)
	if schema.Nullable && t.Kind() != reflect.Struct && !strings.Contains(tag.Get("json"), ",omit") {
		schema.Type = &openapi3.Types{schema.Type.Slice()[0], openapi3.TypeNull}
	}
	schema.Nullable = false
	if t == reflect.TypeFor[Timestamp]() {
		schema.Format = "date-time"
	}
	if values := valuesOf[t]; len(schema.Enum) == 0 {
		schema.Enum = values
	}
	return nil
}

// valuesOf holds the types whose values the document lists.
var valuesOf = map[reflect.Type][]any{
	reflect.TypeFor[watchpost.WatchlistType](): TextsOf(watchpost.KeywordWatchlist, watchpost.PeopleWatchlist, watchpost.CompanyWatchlist, watchpost.ForumWatchlist),
	reflect.TypeFor[watchpost.Plan]():          TextsOf(watchpost.PlanFree, watchpost.PlanGrowth, watchpost.PlanExpert, watchpost.PlanUltimate, watchpost.PlanPro),
	reflect.TypeFor[watchpost.Role]():          TextsOf(watchpost.RoleAdmin, watchpost.RoleMember),
	reflect.TypeFor[watchpost.PostSource]():    TextsOf(watchpost.SourceNetwork, watchpost.SourceForum),
	reflect.TypeFor[watchpost.TargetKind]():    TextsOf(targetKinds()...),
	reflect.TypeFor[watchpost.PendingReason](): TextsOf(
		watchpost.PendingRunning, watchpost.PendingExtensionOffline, watchpost.PendingPaused,
		watchpost.PendingWeeklyCap, watchpost.PendingDailyCap, watchpost.PendingMemberAsked, watchpost.PendingMemberPace,
		watchpost.PendingRetry, watchpost.PendingQueued,
	),
}

// TextsOf returns named texts as the document writes them.
func TextsOf[T ~string](values ...T) []any {
	list := make([]any, len(values))
	for i, v := range values {
		list[i] = string(v)
	}
	return list
}

// Document completes the document of the API's routes and returns it as JSON. types are
// described too; more adds schemas that no type describes.
func (s *Server) Document(types []any, more func(*fuego.Server, openapi3.Schemas)) ([]byte, error) {
	f := s.API.framework
	document := f.OpenAPI.Description()
	for _, v := range types {
		fuego.SchemaTagFromType(f.OpenAPI, v)
	}
	schemas := document.Components.Schemas
	for _, name := range []string{"HTTPError", "ErrorItem", "unknown-interface", "Nullable"} {
		delete(schemas, name)
	}
	more(f, schemas)
	tidySchemas(schemas)
	document = f.OutputOpenAPISpec()
	publish(document)
	if err := complete(document); err != nil {
		return nil, fmt.Errorf("openapi: %w", err)
	}
	return ordered(document)
}

// SchemaPrefix begins a reference to a schema.
const SchemaPrefix = "#/components/schemas/"

// publish names the schemas by their types in capitals, and points every
// reference at the schema of that name.
func publish(document *openapi3.T) {
	named := openapi3.Schemas{}
	for name, schema := range document.Components.Schemas {
		named[publicName(name)] = schema
	}
	document.Components.Schemas = named
	for _, schema := range named {
		publicSchemas(named).resolve(schema)
	}
	for _, o := range OperationsOf(document) {
		if o.RequestBody != nil {
			publicSchemas(named).content(o.RequestBody.Value.Content)
		}
		for _, response := range o.Responses.Map() {
			publicSchemas(named).content(response.Value.Content)
		}
	}
}

func publicName(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// publicSchemas are the schemas of a document by their public names.
type publicSchemas openapi3.Schemas

func (p publicSchemas) content(content openapi3.Content) {
	for _, media := range content {
		p.resolve(media.Schema)
	}
}

// resolve resolves the references of a schema.
func (p publicSchemas) resolve(ref *openapi3.SchemaRef) {
	if ref == nil {
		return
	}
	if name, ok := strings.CutPrefix(ref.Ref, SchemaPrefix); ok {
		name = publicName(name)
		ref.Ref, ref.Value = SchemaPrefix+name, p[name].Value
		return
	}
	schema := ref.Value
	for _, property := range schema.Properties {
		p.resolve(property)
	}
	p.resolve(schema.Items)
	p.resolve(schema.AdditionalProperties.Schema)
	for _, part := range slices.Concat(schema.OneOf, schema.AnyOf) {
		p.resolve(part)
	}
	if schema.Discriminator != nil {
		for value, target := range schema.Discriminator.Mapping {
			target.Ref = SchemaPrefix + publicName(strings.TrimPrefix(target.Ref, SchemaPrefix))
			schema.Discriminator.Mapping[value] = target
		}
	}
}

// tidySchemas removes the generator's default descriptions, and corrects the types
// that it cannot know: raw JSON and nullable.
func tidySchemas(schemas openapi3.Schemas) {
	for name, schema := range schemas {
		if schema.Value.Description == name+" schema" {
			schema.Value.Description = ""
		}
		for property, ref := range schema.Value.Properties {
			switch {
			case ref.Ref == SchemaPrefix+"Nullable":
				text := openapi3.NewSchema()
				text.Type = &openapi3.Types{openapi3.TypeString, openapi3.TypeNull}
				if ref.Value != nil {
					text.Description = ref.Value.Description
				}
				schema.Value.Properties[property] = text.NewRef()
			case ref.Value != nil && ref.Value.Type.Is("null"):
				ref.Value.Type = nil // raw JSON
			}
		}
	}
}

// OrNull documents that a property with a named type may be null.
func OrNull(schemas openapi3.Schemas, name, property string) {
	either := openapi3.NewSchema()
	null := openapi3.NewSchema()
	null.Type = &openapi3.Types{"null"}
	one := schemas[name].Value.Properties[property]
	if named := schemas[strings.TrimPrefix(one.Ref, SchemaPrefix)]; one.Value == nil && named != nil {
		one.Value = named.Value // the framework resolves no reference inside anyOf
	}
	either.AnyOf = openapi3.SchemaRefs{one, null.NewRef()}
	schemas[name].Value.Properties[property] = either.NewRef()
}

// WithDetail documents what the summary of an operation does not say.
func WithDetail(text string) fuego.RouteOption {
	return func(r *fuego.BaseRoute) {
		r.Operation.Description = strings.TrimSuffix(text+"\n\n"+r.Operation.Description, "\n\n")
	}
}

// WithBody documents the errors of a body that cannot be read.
func WithBody(texts ...string) fuego.RouteOption {
	return func(r *fuego.BaseRoute) {
		WithError(http.StatusBadRequest, append([]string{textInvalidJSON}, texts...)...)(r)
		WithError(http.StatusRequestEntityTooLarge, TextTooLarge)(r)
	}
}
