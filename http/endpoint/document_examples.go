package endpoint

import (
	_ "embed" // examples.json
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Examples are made of the schemas: of a type's own example, of its values, or
// of what a property of that name usually holds. The file has the latter two
// for whatever a machine could not make up.

//go:embed examples.json
var examplesJSON []byte

// examples are the values that examples are made of.
type examples struct {
	// Schemas are examples of whole types.
	Schemas map[string]any `json:"schemas"`
	// Parts are what some types show in properties of theirs.
	Parts map[string]map[string]any `json:"parts"`
	// Properties are examples by the name of a property. One is taken where
	// the property's schema allows it.
	Properties map[string]any `json:"properties"`
}

func readExamples() (*examples, error) {
	var e examples
	if err := json.Unmarshal(examplesJSON, &e); err != nil {
		return nil, fmt.Errorf("examples: %w", err)
	}
	return &e, nil
}

// fill gives a body an example, unless it has one.
func (e *examples) fill(content *openapi3.MediaType, request bool) {
	if content == nil || content.Schema == nil || content.Example != nil || len(content.Examples) > 0 {
		return
	}
	content.Example = e.of("", content.Schema, request)
}

// of returns an example of a schema, which is that of the property of that
// name. Of a request's optional properties those are shown whose type has an
// example for them.
func (e *examples) of(name string, ref *openapi3.SchemaRef, request bool) any {
	schema, kind := ref.Value, ref.Ref[strings.LastIndex(ref.Ref, "/")+1:]
	if v, ok := e.Schemas[kind]; ok {
		return v
	}
	if schema.Example != nil {
		return schema.Example
	}
	if schema.Default != nil {
		return schema.Default
	}
	if schema.Items != nil && len(schema.Items.Value.OneOf) > 0 {
		return e.alternatives(strings.TrimSuffix(name, "s"), schema.Items.Value.OneOf, request)
	}
	if v, ok := e.Properties[name]; ok && schema.VisitJSON(v) == nil {
		return v
	}
	switch {
	case len(schema.Enum) > 0:
		return schema.Enum[0]
	case len(schema.OneOf) > 0:
		return e.of(name, schema.OneOf[0], request)
	case len(schema.AnyOf) > 0:
		return e.of(name, schema.AnyOf[0], request)
	case schema.Type.Includes(openapi3.TypeArray):
		return []any{e.of(strings.TrimSuffix(name, "s"), schema.Items, request)}
	case schema.Type.Includes(openapi3.TypeObject):
		o := e.object(schema, request)
		maps.Copy(o, e.Parts[kind])
		return o
	}
	return e.plain(name, schema)
}

// alternatives shows one element of each kind that a list takes.
func (e *examples) alternatives(name string, kinds openapi3.SchemaRefs, request bool) []any {
	list := make([]any, len(kinds))
	for i, kind := range kinds {
		list[i] = e.of(name, kind, request)
	}
	return list
}

func (e *examples) object(schema *openapi3.Schema, request bool) map[string]any {
	o := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		property := schema.Properties[name]
		if slices.Contains(schema.Required, name) || request && property.Value.Example != nil {
			o[name] = e.of(name, property, request)
		}
	}
	if values := schema.AdditionalProperties.Schema; values != nil {
		o["name"] = e.of("", values, request)
	}
	return o
}

func (e *examples) plain(name string, schema *openapi3.Schema) any {
	switch {
	case schema.Format == "date-time":
		return e.Properties["created_at"]
	case schema.Type.Includes(openapi3.TypeBoolean):
		return true
	case schema.Type.Includes(openapi3.TypeInteger), schema.Type.Includes(openapi3.TypeNumber):
		if schema.Min != nil {
			return *schema.Min
		}
		return float64(1)
	case schema.Type.Includes(openapi3.TypeString):
		if strings.HasSuffix(name, "id") {
			return e.Properties["id"]
		}
		return strings.ReplaceAll(name, "_", " ")
	}
	return map[string]any{} // anything
}
