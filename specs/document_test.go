package specs_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// document is the OpenAPI document that the service serves.
type document struct{ spec *openapi3.T }

// documents are the parsed documents by their bytes. Services with the same flags
// serve the same bytes, and parsing takes longer than the start of a service.
var documents = struct {
	sync.Mutex
	byBytes map[string]*document
}{byBytes: map[string]*document{}}

// readDocument requests it from the service.
func (w *world) readDocument() (*document, error) {
	w.document = nil
	r, err := w.request("nobody", http.MethodGet, "/openapi.json", nil)
	if err != nil {
		return nil, err
	}
	documents.Lock()
	defer documents.Unlock()
	if known := documents.byBytes[string(r.body)]; known != nil {
		return known, nil
	}
	spec, err := openapi3.NewLoader().LoadFromData(r.body)
	if err != nil {
		return nil, fmt.Errorf("openapi.json: %w", err)
	}
	documents.byBytes[string(r.body)] = &document{spec}
	return documents.byBytes[string(r.body)], nil
}

// undocumented are the paths that the document omits on purpose: they do not
// return JSON, or return the document.
var undocumented = map[string]bool{"/metrics": true, "/openapi.json": true, "/docs": true, "/extension/socket": true, "/extension/removed": true, "/extension/updates/chrome.xml": true}

// operation returns the operation of a request; nil when the document has
// none.
func (d *document) operation(method, path string) (template string, o *openapi3.Operation) {
	path, _, _ = strings.Cut(path, "?")
	for template, item := range d.spec.Paths.Map() {
		if matchesTemplate(template, path) {
			return template, item.GetOperation(strings.ToUpper(method))
		}
	}
	return "", nil
}

// matchesTemplate compares a path with a template: {id} matches any segment.
func matchesTemplate(template, path string) bool {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return false
	}
	for i := range want {
		if want[i] != got[i] && (!strings.HasPrefix(want[i], "{") || got[i] == "") {
			return false
		}
	}
	return true
}

// check compares a reply with its operation in the document: the status must
// be documented, and the body must conform.
func (d *document) check(r *reply) error {
	if r.method == http.MethodHead {
		return nil // HEAD gets the headers of GET, without a body
	}
	if string(r.body) == `{"error":"Not found"}` {
		return nil // no such route, so no operation to compare with
	}
	if r.status == http.StatusOK && strings.Contains(r.path, "fields=") {
		return nil // the document describes posts whole: a union would hide the type of each field
	}
	template, o := d.operation(r.method, r.path)
	if o == nil {
		return nil // a script about unknown paths
	}
	request, err := http.NewRequest(r.method, r.path, http.NoBody)
	if err != nil {
		return err
	}
	err = openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: request,
			Route:   &routers.Route{Spec: d.spec, Path: template, Method: r.method, Operation: o},
		},
		Status: r.status, Header: r.header, Body: io.NopCloser(bytes.NewReader(r.body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
	})
	if err != nil {
		return fmt.Errorf("not as the OpenAPI document says of %s %s: %w", r.method, template, err)
	}
	return nil
}

// Lines of JSON are a text to the document; so is CSV with any cells.
func init() {
	openapi3filter.RegisterBodyDecoder("application/x-ndjson", openapi3filter.PlainBodyDecoder)
	openapi3filter.RegisterBodyDecoder("text/csv", openapi3filter.PlainBodyDecoder)
}
