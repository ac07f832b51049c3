package endpoint

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"

	"watchpost/watchpost"
)

// The parts that every operation of the document has: examples, the headers of
// replies, and tags with descriptions.

// complete adds it to a document whose references are resolved.
func complete(document *openapi3.T) error {
	values, err := readExamples()
	if err != nil {
		return err
	}
	document.Servers = openapi3.Servers{{URL: "/", Description: "The service that serves this document"}}
	document.Components.Headers = openapi3.Headers{
		headerRequestID:  replyHeader("The request's own id, or one that was made; it is in the log.", openapi3.NewStringSchema()),
		headerRetryAfter: replyHeader("Seconds after which the same request may be sent again.", openapi3.NewIntegerSchema()),
	}
	if frame := document.Components.Schemas["Frame"]; frame != nil {
		frame.Value.Required = []string{"type"} // the generator does not know omitzero
	}
	if err := describeFields(document); err != nil {
		return err
	}
	for _, o := range OperationsOf(document) {
		completeBodies(o.Operation, values, document.Components.Headers)
		describeWarnings(o)
	}
	orderTags(document)
	return nil
}

// MediaJSON is the type of all bodies.
const MediaJSON = "application/json"

const (
	headerRequestID  = "X-Request-Id"
	headerRetryAfter = "Retry-After"
)

func replyHeader(description string, schema *openapi3.Schema) *openapi3.HeaderRef {
	return &openapi3.HeaderRef{Value: &openapi3.Header{Parameter: openapi3.Parameter{Description: description, Schema: schema.NewRef()}}}
}

// completeBodies gives an operation's bodies examples where it has none, and
// its replies their headers.
func completeBodies(o *openapi3.Operation, values *examples, headers openapi3.Headers) {
	if o.RequestBody != nil {
		values.fill(o.RequestBody.Value.Content.Get(MediaJSON), true)
	}
	refer := func(response *openapi3.Response, name string) {
		if response.Headers == nil {
			response.Headers = openapi3.Headers{}
		}
		response.Headers[name] = &openapi3.HeaderRef{Ref: "#/components/headers/" + name, Value: headers[name].Value}
	}
	for code, response := range o.Responses.Map() {
		content := response.Value.Content.Get(MediaJSON)
		values.fill(content, false)
		if said, ok := o.Extensions[messageExtension]; ok && code == "200" {
			content.Example.(map[string]any)["message"] = said
		}
		refer(response.Value, headerRequestID)
		if content != nil && documentsError(content.Examples, watchpost.TextUnavailable) {
			refer(response.Value, headerRetryAfter)
		}
	}
	delete(o.Extensions, messageExtension)
}

// describeWarnings documents the warnings of an operation that takes query parameters.
func describeWarnings(o OperationAt) {
	if queryNamesOf(o.Method, o.Operation) == nil {
		return
	}
	content := o.Responses.Value("200").Value.Content.Get(MediaJSON)
	if content == nil || content.Schema.Value.Properties == nil || content.Schema.Value.Properties[warningsField] != nil {
		return
	}
	list := openapi3.NewArraySchema().WithItems(openapi3.NewStringSchema()).WithMaxItems(maxWarnings)
	list.Description = "query parameters that were ignored, if there were any"
	content.Schema.Value.Properties[warningsField] = list.NewRef()
}

// Tags are the chapters that a document may have, in the order in which a new reader would
// read them.
func Tags() (names []string) {
	for _, t := range tags {
		names = append(names, t.name)
	}
	return names
}

// orderTags puts the tags in the order in which a new reader would read them.
func orderTags(document *openapi3.T) {
	known := document.Tags
	document.Tags = nil
	for _, t := range tags {
		if known.Get(t.name) != nil {
			document.Tags = append(document.Tags, &openapi3.Tag{Name: t.name, Description: t.text})
		}
	}
}

// OperationsOf returns the operations of a document in the order of paths,
// then of methods.
func OperationsOf(document *openapi3.T) []OperationAt {
	var list []OperationAt
	for _, path := range document.Paths.InMatchingOrder() {
		item := document.Paths.Value(path)
		for _, method := range methods {
			if o := item.GetOperation(method); o != nil {
				list = append(list, OperationAt{method, path, o})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b OperationAt) int {
		return cmp.Or(cmp.Compare(rank(pathOrder, a.Path), rank(pathOrder, b.Path)), cmp.Compare(a.Path, b.Path))
	})
	return list
}

// OperationAt is an operation with its method and path.
type OperationAt struct {
	Method, Path string
	*openapi3.Operation
}

// methods are those of the API, in the order in which a resource lives.
var methods = []string{http.MethodPost, http.MethodGet, http.MethodPut, http.MethodPatch, http.MethodDelete}
