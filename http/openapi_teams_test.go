package httpapi_test

import (
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"
)

// The document for clients of a team has their operations, all of them, and no others.
func TestOpenAPIForTeams(t *testing.T) {
	t.Parallel()
	h := build(t)
	read := func(path string) *openapi3.T {
		doc, err := openapi3.NewLoader().LoadFromData([]byte(h.do("GET", path, "").raw))
		require.NoError(t, err)
		require.NoError(t, doc.Validate(t.Context()))
		return doc
	}
	all, teams := read("/openapi.json"), read("/openapi.json?for=teams")
	require.Less(t, len(teams.Components.Schemas), len(all.Components.Schemas))
	for path, item := range all.Paths.Map() {
		for method, operation := range item.Operations() {
			byTeams := strings.HasPrefix(path, "/api-") || strings.HasPrefix(path, "/network-agent/")
			kept := teams.Paths.Value(path) != nil && teams.Paths.Value(path).GetOperation(method) != nil
			require.Equal(t, byTeams && !operation.Deprecated, kept, "%s %s", method, path)
		}
	}
	h.do("GET", "/openapi.json?for=operators", "").fails(400, "Invalid 'for': use teams")
}
