package docs

import (
	"bytes"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"watchpost/http/endpoint"
)

// forTeams returns the document without what clients of a team do not call: operators'
// and sessions' paths, probes, and deprecated operations; and without what only these use.
func forTeams(document []byte) ([]byte, error) {
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		return nil, err
	}
	used := map[string]bool{}
	for path, item := range doc.Paths.Map() {
		left := 0
		for method, operation := range item.Operations() {
			if operation.Deprecated || !ofTeams(path, operation) {
				item.SetOperation(method, nil)
				continue
			}
			left++
			for _, tag := range operation.Tags {
				used[tag] = true
			}
		}
		if left == 0 {
			doc.Paths.Delete(path)
		}
	}
	doc.Tags = slices.DeleteFunc(doc.Tags, func(t *openapi3.Tag) bool { return !used[t.Name] })
	for name := range doc.Components.SecuritySchemes {
		if name != endpoint.SchemeKey && name != endpoint.SchemeBearer {
			delete(doc.Components.SecuritySchemes, name)
		}
	}
	for { // a schema may be used by one that is not
		raw, err := doc.MarshalJSON()
		if err != nil {
			return nil, err
		}
		before := len(doc.Components.Schemas)
		for name := range doc.Components.Schemas {
			if !bytes.Contains(raw, []byte(`"#/components/schemas/`+name+`"`)) {
				delete(doc.Components.Schemas, name)
			}
		}
		if len(doc.Components.Schemas) == before {
			return raw, nil
		}
	}
}

// ofTeams reports whether clients of a team call an operation: with a key, or to get one.
func ofTeams(path string, o *openapi3.Operation) bool {
	if strings.HasPrefix(path, "/network-agent/auth-") {
		return true
	}
	return o.Security != nil && slices.ContainsFunc(*o.Security, func(r openapi3.SecurityRequirement) bool {
		_, byKey := r[endpoint.SchemeKey]
		return byKey
	})
}
