package docs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"watchpost/http/endpoint"
)

// docsView is the document as the reference page shows it.
type docsView struct {
	Title, Version, License, Description string
	Access                               []docsAccess
	Tags                                 []docsTag
}

type docsAccess struct{ Name, Header, Description string }

// docsTag is a chapter, with a separate page.
type docsTag struct {
	Path, Name, Description string
	Operations              []docsOperation
	Schemas                 []docsSchema // that its operations take and return
}

// idOf is a name without spaces, in small letters.
func idOf(name string) string { return strings.ReplaceAll(strings.ToLower(name), " ", "-") }

// pathOf is the path of the page of a chapter.
func pathOf(tag string) string { return pathDocs + "/" + idOf(tag) }

// docsPath is a path with its operations.
type docsPath struct {
	Path       string
	Operations []docsOperation
}

// Paths groups the operations by path, in their order.
func (t docsTag) Paths() []docsPath {
	var list []docsPath
	for _, o := range t.Operations {
		if len(list) == 0 || list[len(list)-1].Path != o.Path {
			list = append(list, docsPath{Path: o.Path})
		}
		last := &list[len(list)-1]
		last.Operations = append(last.Operations, o)
	}
	return list
}

type docsOperation struct {
	ID, Method, Path, Summary, Description string
	Parameters                             []docsField
	Body                                   *docsBody
	Replies                                []docsReply
	Curl                                   string
	Try                                    string // where a signed-in member can make the call
}

// docsField is a parameter, or a property of a schema.
type docsField struct {
	Name, In, Description string
	Type                  []docsType
	Required              bool
}

// docsType is a part of what a type is called; Schema is the one it links to.
type docsType struct{ Text, Schema string }

type docsBody struct {
	Type    []docsType
	Example string
}

type docsReply struct {
	Code, Description string
	Error             bool
	Type              []docsType
	Texts             []string // of errors
	Example           string
	Headers           []string
}

type docsSchema struct {
	Name, Description string
	Type              []docsType
	Fields            []docsField
}

func viewOf(document *openapi3.T) docsView {
	view := docsView{
		Title: document.Info.Title, Version: document.Info.Version, License: document.Info.License.Name, Description: document.Info.Description,
	}
	for _, name := range slices.Sorted(maps.Keys(document.Components.SecuritySchemes)) {
		scheme := document.Components.SecuritySchemes[name].Value
		header := scheme.Name
		if scheme.Scheme == "bearer" {
			header = "Authorization: Bearer"
		}
		view.Access = append(view.Access, docsAccess{name, header, scheme.Description})
	}
	operations, schemas := endpoint.OperationsOf(document), map[string]docsSchema{}
	for name, schema := range document.Components.Schemas {
		schemas[name] = shownSchema(name, schema.Value)
	}
	for _, tag := range document.Tags {
		shown := docsTag{Path: pathOf(tag.Name), Name: tag.Name, Description: tag.Description}
		for _, o := range operations {
			if slices.Contains(o.Tags, tag.Name) {
				shown.Operations = append(shown.Operations, shownOperation(o))
			}
		}
		shown.Schemas = shown.schemas(schemas)
		view.Tags = append(view.Tags, shown)
	}
	return view
}

// schemas returns those that the operations refer to, and those that these refer to, by
// their names.
func (t docsTag) schemas(all map[string]docsSchema) (used []docsSchema) {
	known := map[string]bool{}
	var add func(of []docsType)
	add = func(of []docsType) {
		for _, part := range of {
			schema, there := all[part.Schema]
			if !there || known[part.Schema] {
				continue
			}
			known[part.Schema] = true
			used = append(used, schema)
			add(schema.Type)
			for i := range schema.Fields {
				add(schema.Fields[i].Type)
			}
		}
	}
	for _, o := range t.Operations {
		for i := range o.Parameters {
			add(o.Parameters[i].Type)
		}
		if o.Body != nil {
			add(o.Body.Type)
		}
		for i := range o.Replies {
			add(o.Replies[i].Type)
		}
	}
	slices.SortFunc(used, func(a, b docsSchema) int { return strings.Compare(a.Name, b.Name) })
	return used
}

func shownOperation(o endpoint.OperationAt) docsOperation {
	view := docsOperation{ID: o.OperationID, Method: o.Method, Path: o.Path, Summary: o.Summary, Description: o.Description, Curl: curl(o)}
	for _, p := range o.Parameters {
		view.Parameters = append(view.Parameters, docsField{
			Name: p.Value.Name, In: p.Value.In, Description: note(p.Value.Description, p.Value.Schema.Value),
			Type: typeOf(p.Value.Schema), Required: p.Value.Required,
		})
	}
	if o.RequestBody != nil {
		if content := o.RequestBody.Value.Content.Get(endpoint.MediaJSON); content != nil {
			view.Body = &docsBody{typeOf(content.Schema), indented(content.Example)}
		}
	}
	if strings.HasPrefix(o.Path, "/api-") || strings.HasPrefix(o.Path, "/network-agent/") && !strings.Contains(o.Path, "/auth-") {
		call := url.Values{"method": {o.Method}, "path": {o.Path}}
		if view.Body != nil {
			call.Set("body", view.Body.Example)
		}
		view.Try = "/app/try?" + call.Encode()
	}
	for _, code := range slices.Sorted(maps.Keys(o.Responses.Map())) {
		view.Replies = append(view.Replies, shownReply(code, o.Responses.Value(code).Value))
	}
	return view
}

func shownReply(code string, response *openapi3.Response) docsReply {
	view := docsReply{Code: code, Error: code >= "400", Headers: slices.Sorted(maps.Keys(response.Headers))}
	if response.Description != nil {
		view.Description = *response.Description
	}
	content := response.Content.Get(endpoint.MediaJSON)
	if content == nil {
		return view
	}
	view.Type = typeOf(content.Schema)
	if content.Example != nil {
		view.Example = indented(content.Example)
	}
	for i := range len(content.Examples) {
		name := fmt.Sprintf("case%d", i+1)
		if example := content.Examples[name]; example != nil {
			if body, ok := example.Value.Value.(map[string]any); ok && len(body) == 1 {
				view.Texts = append(view.Texts, fmt.Sprint(body["error"]))
			}
		}
	}
	if view.Example == "" && len(view.Texts) < len(content.Examples) {
		for _, name := range slices.Sorted(maps.Keys(content.Examples)) {
			view.Example += indented(content.Examples[name].Value.Value) + "\n"
		}
		view.Texts = nil
	}
	return view
}

func shownSchema(name string, schema *openapi3.Schema) docsSchema {
	view := docsSchema{Name: name, Description: schema.Description}
	object := schema
	if several := slices.Concat(schema.OneOf, schema.AnyOf); len(several) > 0 {
		view.Type = typeOf(&openapi3.SchemaRef{Value: schema})
		for _, alternative := range several {
			if alternative.Ref == "" && alternative.Value.Properties != nil {
				object = alternative.Value
			}
		}
	}
	for _, property := range slices.Sorted(maps.Keys(object.Properties)) {
		p := object.Properties[property]
		view.Fields = append(view.Fields, docsField{
			Name: property, Description: note(p.Value.Description, p.Value), Type: typeOf(p), Required: slices.Contains(object.Required, property),
		})
	}
	return view
}

// typeOf says in words what a schema takes.
func typeOf(ref *openapi3.SchemaRef) []docsType {
	if ref == nil || ref.Value == nil {
		return nil
	}
	if name, ok := strings.CutPrefix(ref.Ref, "#/components/schemas/"); ok {
		return []docsType{{name, name}}
	}
	schema := ref.Value
	if several := slices.Concat(schema.OneOf, schema.AnyOf); len(several) > 0 {
		var all []docsType
		for i, one := range several {
			if i > 0 {
				all = append(all, docsType{Text: " or "})
			}
			all = append(all, typeOf(one)...)
		}
		return all
	}
	if schema.Items != nil {
		list := append([]docsType{{Text: "array of "}}, typeOf(schema.Items)...)
		if schema.Type.Includes("null") {
			list = append(list, docsType{Text: " or null"})
		}
		return list
	}
	if values := schema.AdditionalProperties.Schema; values != nil {
		return append([]docsType{{Text: "object of "}}, typeOf(values)...)
	}
	if schema.Type == nil {
		return []docsType{{Text: "anything"}}
	}
	return []docsType{{Text: strings.Join(schema.Type.Slice(), " or ")}}
}

// note adds to a description what else a schema says.
func note(description string, schema *openapi3.Schema) string {
	var notes []string
	if description != "" {
		notes = append(notes, strings.TrimSuffix(description, "."))
	}
	if schema.Format == "date" || schema.Format == "date-time" {
		notes = append(notes, schema.Format)
	}
	if len(schema.Enum) > 0 {
		values := make([]string, len(schema.Enum))
		for i, v := range schema.Enum {
			values[i] = fmt.Sprintf("`%v`", v)
		}
		notes = append(notes, "one of "+strings.Join(values, ", "))
	}
	if schema.Min != nil {
		notes = append(notes, fmt.Sprintf("at least %v", *schema.Min))
	}
	if schema.Max != nil {
		notes = append(notes, fmt.Sprintf("at most %v", *schema.Max))
	}
	if schema.MaxLength != nil {
		notes = append(notes, fmt.Sprintf("at most %d characters", *schema.MaxLength))
	}
	if schema.MaxItems != nil {
		notes = append(notes, fmt.Sprintf("at most %d", *schema.MaxItems))
	}
	if schema.Default != nil {
		notes = append(notes, fmt.Sprintf("default `%v`", schema.Default))
	}
	return strings.Join(notes, "; ")
}

func indented(v any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if encoder.Encode(v) != nil {
		return ""
	}
	return strings.TrimSpace(out.String())
}

// curl is a call of the operation, for a shell that has the variables of the
// page's head.
func curl(o endpoint.OperationAt) string {
	var b strings.Builder
	b.WriteString("curl -s")
	if o.Method != http.MethodGet && (o.Method != http.MethodPost || o.RequestBody == nil) {
		b.WriteString(" -X " + o.Method)
	}
	if len(*o.Security) > 0 { // the others are other ways to send the same key
		for scheme := range (*o.Security)[0] {
			b.WriteString(` -H "` + curlHeaders[scheme] + `"`)
		}
	}
	path := o.Path
	var query []string
	for _, p := range o.Parameters {
		switch {
		case p.Value.In == "path":
			path = strings.ReplaceAll(path, "{"+p.Value.Name+"}", "<"+p.Value.Name+">")
		case p.Value.In == "query" && (p.Value.Required || o.Method == http.MethodDelete):
			query = append(query, p.Value.Name+"=<"+p.Value.Name+">")
		}
	}
	if len(query) > 0 {
		path += "?" + strings.Join(query, "&")
	}
	b.WriteString(` "$WATCHPOST_URL` + path + `"`)
	if o.RequestBody != nil {
		if content := o.RequestBody.Value.Content.Get(endpoint.MediaJSON); content != nil {
			b.WriteString(" \\\n  -d '" + strings.ReplaceAll(indented(content.Example), "'", `'\''`) + "'")
		}
	}
	return b.String()
}

var curlHeaders = map[string]string{
	endpoint.SchemeKey:     "x-api-key: $WATCHPOST_KEY",
	endpoint.SchemeBearer:  "Authorization: Bearer $WATCHPOST_KEY",
	endpoint.SchemeAdmin:   "Authorization: Bearer $ADMIN_TOKEN",
	endpoint.SchemeSession: "Authorization: Bearer $SESSION_TOKEN",
}

// span is a piece of a paragraph.
type span struct {
	Text string
	Code bool
}

// prose splits a text into paragraphs, and those at what stands in backticks.
func prose(text string) [][]span {
	var paragraphs [][]span
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		var spans []span
		for i, piece := range strings.Split(paragraph, "`") {
			if piece != "" {
				spans = append(spans, span{piece, i%2 == 1})
			}
		}
		paragraphs = append(paragraphs, spans)
	}
	return paragraphs
}
