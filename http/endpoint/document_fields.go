package endpoint

import (
	"bytes"
	_ "embed" // descriptions.json
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Descriptions of fields and parameters that have none in a tag. The key of a field
// is "schema.field", or "field" when all schemas share the description.

//go:embed descriptions.json
var descriptionsJSON []byte

type descriptions struct {
	Schemas    map[string]string `json:"schemas"`
	Fields     map[string]string `json:"fields"`
	Parameters map[string]struct {
		Description string `json:"description"`
		Example     any    `json:"example"`
	} `json:"parameters"`
}

// describeFields completes the document with them, and with the bounds of texts.
func describeFields(document *openapi3.T) error {
	var d descriptions
	if err := json.Unmarshal(descriptionsJSON, &d); err != nil {
		return fmt.Errorf("descriptions: %w", err)
	}
	for _, name := range []string{"ShownTarget", "CreateTargetReply", "CreateTargetRequest"} {
		d.Fields[name+".type"] = InWords(targetKinds(), "or")
	}
	for name, schema := range document.Components.Schemas {
		if schema.Value.Description == "" {
			schema.Value.Description = d.Schemas[name]
		}
		d.describe(name, schema.Value)
	}
	for _, o := range OperationsOf(document) {
		for _, p := range o.Parameters {
			known := d.Parameters[p.Value.In+" "+p.Value.Name]
			if p.Value.Description == "" {
				p.Value.Description = known.Description
			}
			if p.Value.Example == nil && p.Value.Schema.Value.Example == nil {
				p.Value.Example = fitting(p.Value.Schema.Value, known.Example)
			}
			boundTexts(p.Value.Schema, p.Value.Name)
			if schema := p.Value.Schema.Value; schema.Type.Is(openapi3.TypeArray) {
				schema.WithMaxItems(MaxValues)
			}
		}
		if o.RequestBody != nil && o.OperationID != "poll" { // frames have the protocol's bounds
			boundTexts(o.RequestBody.Value.Content.Get(MediaJSON).Schema, "")
		}
	}
	return nil
}

// fitting makes a list of an example, or takes the only element, as the schema
// wants it.
func fitting(schema *openapi3.Schema, example any) any {
	list, many := example.([]any)
	switch wants := schema.Type.Is(openapi3.TypeArray); {
	case wants && !many && example != nil:
		return []any{example}
	case !wants && many:
		return list[0]
	}
	return example
}

// describe describes the fields of a schema, and of the objects inside it.
func (d *descriptions) describe(name string, schema *openapi3.Schema) {
	for property, ref := range schema.Properties {
		if ref.Ref != "" || ref.Value == nil {
			continue
		}
		own, ok := d.Fields[name+"."+property]
		if !ok {
			own = d.Fields[property]
		}
		if ref.Value.Description == "" {
			ref.Value.Description = own
		}
		d.describe(name+"."+property, ref.Value)
	}
	for _, part := range slices.Concat(schema.OneOf, schema.AnyOf) {
		if part.Ref == "" {
			d.describe(name, part.Value)
		}
	}
}

// boundTexts documents the bounds of the texts of a request: Bind refuses what
// is longer.
func boundTexts(ref *openapi3.SchemaRef, name string) {
	if ref == nil || ref.Value == nil {
		return
	}
	schema := ref.Value
	text := schema.Type.Includes(openapi3.TypeString) && len(schema.Enum) == 0 && schema.Format == ""
	if text && schema.MaxLength == nil && name != "id" && !strings.HasSuffix(name, "_id") {
		most := uint64(maxText)
		schema.MaxLength = &most
	}
	boundTexts(schema.Items, name)
	for property, field := range schema.Properties {
		boundTexts(field, property)
	}
	for _, part := range slices.Concat(schema.OneOf, schema.AnyOf) {
		boundTexts(part, name)
	}
}

// boundOf documents the bound that a field's tag names.
func boundOf(tag reflect.StructTag, schema *openapi3.Schema) {
	if tag.Get("maxLength") == "" {
		return
	}
	most, _ := bound(tag)
	length := uint64(most)
	if schema.Items != nil && schema.Items.Value != nil {
		schema = schema.Items.Value
	}
	schema.MaxLength = &length
}

// ordered writes the document with its paths and schemas in reading order: those
// of pathOrder, then the others by name.
func ordered(document *openapi3.T) ([]byte, error) {
	raw, err := document.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(raw, &whole); err != nil {
		return nil, err
	}
	var components map[string]json.RawMessage
	if err := json.Unmarshal(whole["components"], &components); err != nil {
		return nil, err
	}
	if components["schemas"], err = inOrder(components["schemas"], []string{"Post"}); err != nil {
		return nil, err
	}
	if whole["components"], err = json.Marshal(components); err != nil {
		return nil, err
	}
	if whole["paths"], err = inOrder(whole["paths"], pathOrder); err != nil {
		return nil, err
	}
	return json.Marshal(whole)
}

// inOrder writes an object with its first members first, the others by name.
func inOrder(raw json.RawMessage, first []string) (json.RawMessage, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(members))
	slices.SortStableFunc(names, func(a, b string) int { return rank(first, a) - rank(first, b) })
	var out bytes.Buffer
	out.WriteByte('{')
	for i, name := range names {
		if i > 0 {
			out.WriteByte(',')
		}
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		out.Write(key)
		out.WriteByte(':')
		out.Write(members[name])
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// rank is the place of the longest of the first names that a name begins with.
func rank(first []string, name string) int {
	best, place := -1, len(first)
	for i, f := range first {
		if strings.HasPrefix(name, f) && len(f) > best {
			best, place = len(f), i
		}
	}
	return place
}

// pathOrder is the order of a first reading; a path stands for those that
// begin with it.
var pathOrder = []string{
	"/api-keyword-watchlist", "/api-people-watchlist", "/api-company-watchlist", "/api-forum-watchlist",
	"/api-posts", "/api-like", "/api-comment", "/api-interactions",
	"/api-engagement-rules", "/api-engagement-actions", "/api-notifications",
	"/network-agent/fetch-profile", "/network-agent/fetch-company", "/network-agent/fetch-profiles-posts", "/network-agent/fetch-company-posts",
	"/network-agent/search-profiles", "/network-agent/like-post", "/network-agent/comment-post", "/network-agent/send-message",
	"/network-agent/send-connection-request", "/network-agent/fetch-connections", "/network-agent/", "/network-agent/get-task-status", "/api-tasks",
	"/network-agent/auth-send-otp", "/network-agent/auth-verify-otp", "/api-team", "/extension/", "/admin/", "/healthz", "/readyz",
	"/api-keyword-watchlist-prompt", "/api-forum-watchlist-prompt",
}
