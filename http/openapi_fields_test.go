package httpapi_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"
)

// TestEveryFieldIsDescribed: no field of a schema is without a description, no
// parameter without a description and an example that fits.
func TestEveryFieldIsDescribed(t *testing.T) {
	t.Parallel()
	d := document(t)
	var walk func(name string, schema *openapi3.Schema)
	walk = func(name string, schema *openapi3.Schema) {
		for property, ref := range schema.Properties {
			require.NotEmpty(t, ref.Value.Description, "%s.%s", name, property)
			if ref.Ref == "" {
				walk(name+"."+property, ref.Value)
			}
		}
		for _, part := range slices.Concat(schema.OneOf, schema.AnyOf) {
			if part.Ref == "" {
				walk(name, part.Value)
			}
		}
	}
	for name, schema := range d.Components.Schemas {
		walk(name, schema.Value)
	}
	for path, item := range d.Paths.Map() {
		for method, o := range item.Operations() {
			for _, p := range o.Parameters {
				where := method + " " + path + " " + p.Value.Name
				require.NotEmpty(t, p.Value.Description, where)
				example := p.Value.Example
				if example == nil {
					example = p.Value.Schema.Value.Example
				}
				require.NotNil(t, example, where)
				require.NoError(t, p.Value.Schema.Value.VisitJSON(example), where)
			}
		}
	}
}

// TestTextsHaveBounds: every text of a request has a bound in the document, but
// for ids, enumerations and moments.
func TestTextsHaveBounds(t *testing.T) {
	t.Parallel()
	d := document(t)
	var walk func(where, name string, schema *openapi3.Schema)
	walk = func(where, name string, schema *openapi3.Schema) {
		if schema.Type.Includes("string") && len(schema.Enum) == 0 && schema.Format == "" && name != "id" && !strings.HasSuffix(name, "_id") {
			require.NotNil(t, schema.MaxLength, where+" "+name)
		}
		if schema.Items != nil {
			walk(where, name, schema.Items.Value)
		}
		for property, ref := range schema.Properties {
			walk(where, property, ref.Value)
		}
		for _, part := range slices.Concat(schema.OneOf, schema.AnyOf) {
			walk(where, name, part.Value)
		}
	}
	for path, item := range d.Paths.Map() {
		for method, o := range item.Operations() {
			for _, p := range o.Parameters {
				walk(method+" "+path, p.Value.Name, p.Value.Schema.Value)
			}
			if o.RequestBody != nil && path != "/extension/poll" {
				walk(method+" "+path, "", o.RequestBody.Value.Content.Get("application/json").Schema.Value)
			}
		}
	}
	comment := d.Components.Schemas["CommentRequest"].Value.Properties["comment_text"].Value
	require.EqualValues(t, 1250, *comment.MaxLength)
}

// TestDocumentIsInReadingOrder: paths are in the order of pathOrder, and
// the first schema is a post.
func TestDocumentIsInReadingOrder(t *testing.T) {
	t.Parallel()
	document(t)
	raw := published.raw
	last := strings.Index(raw, `"paths":`)
	for _, path := range []string{
		"/api-keyword-watchlist", "/api-people-watchlist", "/api-company-watchlist", "/api-forum-watchlist", "/api-posts", "/api-like",
		"/network-agent/fetch-profile", "/network-agent/get-task-status", "/api-keyword-watchlist-prompt",
	} {
		at := strings.Index(raw, `"`+path+`":{`)
		require.Greater(t, at, last, path)
		last = at
	}
	require.Contains(t, raw, `"schemas":{"Post":{`)
	require.True(t, json.Valid([]byte(raw)))
}

// TestTasksAreTyped: the input of a task names its type, which tells the schemas
// apart; an output is that of one type.
func TestTasksAreTyped(t *testing.T) {
	t.Parallel()
	d := document(t)
	input, output := d.Components.Schemas["TaskInput"].Value, d.Components.Schemas["TaskOutput"].Value
	require.Equal(t, "task_type", input.Discriminator.PropertyName)
	require.Len(t, input.OneOf, len(agentTasks))
	for _, task := range agentTasks {
		require.Contains(t, input.Discriminator.Mapping, task.kind)
		require.NoError(t, input.VisitJSON(withType(t, task.kind, task.bodies[0])), task.kind)
	}
	require.Error(t, input.VisitJSON(map[string]any{"task_type": "agent_like_post"}))
	require.Error(t, input.VisitJSON(map[string]any{"task_type": "agent_dance"}))
	require.NoError(t, output.VisitJSON(map[string]any{"sent": true}))
	require.NoError(t, output.VisitJSON(map[string]any{"error": map[string]any{"code": "x", "message": "y"}, "retry_safe": true}))
	require.Error(t, output.VisitJSON(map[string]any{"danced": true}))

	// A profile's lists name their entries, and generated clients have a type for it.
	profile := d.Components.Schemas["ProfileOutput"].Value.Properties
	for list, items := range map[string]map[string]string{
		"experience": {
			"title": "string", "company_name": "string", "company_slug": "string", "location": "string", "is_current": "boolean",
			"start_year": "integer", "start_month": "integer", "end_year": "integer", "end_month": "integer",
		},
		"education": {"school": "string", "degree": "string", "field": "string", "start_year": "integer", "end_year": "integer"},
	} {
		of := profile[list].Value.Items
		require.NotEmpty(t, of.Ref, list)
		require.True(t, of.Value.Type.Is("object"), list)
		require.Len(t, of.Value.Required, len(items), list)
		require.Len(t, of.Value.Properties, len(items), list)
		for name, kind := range items {
			require.Contains(t, of.Value.Properties, name, list)
			require.True(t, of.Value.Properties[name].Value.Type.Is(kind), "%s.%s", list, name)
		}
	}
	require.True(t, profile["skills"].Value.Items.Value.Type.Is("string"))
}

// withType is the input of a task that a body makes.
func withType(t *testing.T, kind, body string) map[string]any {
	t.Helper()
	var input map[string]any
	require.NoError(t, json.Unmarshal([]byte(body), &input))
	input["task_type"] = kind
	return input
}
