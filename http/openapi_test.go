package httpapi_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
	"github.com/stretchr/testify/require"

	httpapi "watchpost/http"
	"watchpost/internal/testclock"
)

// published is what a service with every operation shows. It is made once, because
// that takes seconds under the race detector.
var published struct {
	sync.Once
	raw      string
	document *openapi3.T
	router   routers.Router
	pages    map[string]reply // /docs, and the page of each chapter
}

// document loads what /openapi.json shows. Tests only read it.
func document(t *testing.T) *openapi3.T {
	t.Helper()
	published.Do(func() {
		h := build(t, withClock)
		r := h.do("GET", "/openapi.json", "")
		require.Equal(t, 200, r.status)
		d, err := openapi3.NewLoader().LoadFromData([]byte(r.raw))
		require.NoError(t, err)
		published.router, err = legacy.NewRouter(d) // validates the document
		require.NoError(t, err)
		published.pages = map[string]reply{"/docs": h.do("GET", "/docs", "")}
		for _, link := range regexp.MustCompile(`<h2><a href="(/docs/[a-z-]+)"`).FindAllStringSubmatch(published.pages["/docs"].raw, -1) {
			published.pages[link[1]] = h.do("GET", link[1], "")
		}
		published.raw, published.document = r.raw, d
	})
	require.NotNil(t, published.document, "another test failed to load it")
	return published.document
}

func withClock(o *httpapi.Options) { o.TestClock = testclock.New(0, nil, nil) }

// public are the operations without a key, or with a token in the body.
var public = []string{
	"GET /healthz", "GET /readyz", "POST /network-agent/auth-send-otp", "POST /network-agent/auth-verify-otp", "POST /extension/sign-in",
}

var pathParam = regexp.MustCompile(`\{[^}]*\}`)

// Every operation but the public ones refuses who does not say who they are,
// whatever the framework does with middlewares.
func TestEveryOperationIsGuarded(t *testing.T) {
	t.Parallel()
	h := build(t, withClock)
	guarded := 0
	for path, item := range document(t).Paths.Map() {
		for method, operation := range item.Operations() {
			name := method + " " + path
			r := h.do(method, pathParam.ReplaceAllString(path, unknownID), "{}")
			if slices.Contains(public, name) {
				require.Empty(t, *operation.Security, name)
				require.NotEqual(t, 401, r.status, name)
				continue
			}
			guarded++
			require.NotEmpty(t, *operation.Security, name)
			require.Equal(t, 401, r.status, name)
			require.NotNil(t, operation.Responses.Value("401"), name)
		}
	}
	require.Greater(t, guarded, 15)
}

func TestOpenAPIIsTidy(t *testing.T) {
	t.Parallel()
	d := document(t)
	for _, word := range []string{"uego", "HTTPError", "unknown-interface", "nullable", "application/xml", "*/*", " schema\"", "Accept"} {
		require.NotContains(t, published.raw, word)
	}
	require.Equal(t, "3.1.0", d.OpenAPI)
	entry := d.Components.Schemas["KeywordEntry"].Value
	require.Len(t, entry.OneOf, 2)
	require.True(t, entry.OneOf[0].Value.Type.Is("string"))
	require.Contains(t, d.Components.SecuritySchemes, "ApiKeyAuth")
	for path, item := range d.Paths.Map() {
		for method, o := range item.Operations() {
			require.NotEmpty(t, o.OperationID, method+path)
			require.NotEmpty(t, o.Summary, method+path)
			require.NotNil(t, o.Responses.Value("500"), method+path)
		}
	}
}

// Every body that the document describes has an example, which is as the
// document says; every operation tells who may call it.
func TestOpenAPIHasExamples(t *testing.T) {
	t.Parallel()
	d := document(t)
	check := func(where string, content openapi3.Content) {
		body := content.Get("application/json")
		if strings.HasSuffix(strings.TrimSuffix(where, " 200"), "/export") && strings.HasSuffix(where, " 200") {
			require.Len(t, content, 2, where)
			body = content.Get("text/csv") // a stream
		}
		require.NotNil(t, body, where)
		examples := []any{body.Example}
		if body.Example == nil {
			require.NotEmpty(t, body.Examples, where)
			examples = nil
		}
		for _, example := range body.Examples {
			examples = append(examples, example.Value.Value)
		}
		for _, example := range examples {
			require.NoError(t, body.Schema.Value.VisitJSON(example), where)
		}
	}
	for path, item := range d.Paths.Map() {
		for method, o := range item.Operations() {
			where := method + " " + path
			require.NotEmpty(t, o.Description, where)
			require.Len(t, o.Tags, 1, where)
			require.NotEmpty(t, d.Tags.Get(o.Tags[0]).Description, where)
			if o.RequestBody != nil {
				check(where, o.RequestBody.Value.Content)
			}
			for code, response := range o.Responses.Map() {
				check(where+" "+code, response.Value.Content)
				require.Contains(t, response.Value.Headers, "X-Request-Id", where)
			}
		}
	}
	require.Equal(t, "Apache-2.0", d.Info.License.Identifier)
	require.Equal(t, "/", d.Servers[0].URL)
	create := d.Paths.Value(watchlists).Post.RequestBody.Value.Content.Get("application/json").Example.(map[string]any)
	require.IsType(t, "", create["keywords"].([]any)[0])
	require.IsType(t, map[string]any{}, create["keywords"].([]any)[1])
}

// What the service answers is what the document says.
func TestRepliesKeepToTheDocument(t *testing.T) {
	t.Parallel()
	h := build(t, withClock)
	m := h.team("Contract", "ultimate")
	p := m.join()
	collected := m.collect(p, "telemetry", sample(1, "telemetry"))
	task := read[fields](m.call("POST", "/network-agent/fetch-profile", `{"profile_slug":"jane"}`), 200)["api_agent_task_id"].(string)
	tracked := read[fields](m.call("POST", people, `{"profiles":["ada","`+opaque+`"],"labels":["l"]}`), 200)["id"].(string)
	for _, c := range []struct{ method, path, body string }{
		{"GET", "/healthz", ""}, {"GET", "/readyz", ""},
		{"POST", watchlists, `{"keywords":["go",{"keyword":"rust","required_keywords":["x"]}],"labels":["a",{"key":"b"}],"fetchFreqInHours":6}`},
		{"POST", watchlists, `{"keywords":[]}`}, {"POST", watchlists, ``},
		{"GET", watchlists, ""}, {"GET", watchlists + "?id=" + collected, ""}, {"GET", watchlists + "?id=" + unknownID, ""},
		{"PUT", watchlists, `{"id":"` + collected + `","name":"n","slack_webhook_url":null}`}, {"PUT", watchlists, `{"id":"x"}`},
		{"POST", forums, `{"keywords":["go"]}`}, {"POST", forums, `{}`}, {"GET", forums, ""}, {"GET", forums + "?id=" + unknownID, ""},
		{"PUT", forums, `{"id":"` + unknownID + `","name":"n"}`}, {"DELETE", forums, ""},
		{"POST", people, `{"profiles":["jane"]}`}, {"POST", people, `{}`}, {"POST", people, `{"profiles":["x"],"list_id":"` + unknownID + `"}`},
		{"GET", people, ""}, {"GET", people + "?id=" + tracked, ""}, {"PUT", people, `{"id":"` + tracked + `","slack_webhook_url":null}`}, {"PUT", people, `{}`},
		{"POST", companies, `{"companies":["acme","1441"]}`}, {"POST", companies, `{}`}, {"GET", companies, ""},
		{"DELETE", people + "?id=" + tracked, ""}, {"DELETE", companies, ""},
		{"GET", "/api-posts", ""}, {"GET", "/api-posts?page=x", ""}, {"GET", "/api-posts?watchlist_id=" + collected + "&sort_by=recent", ""},
		{"POST", "/network-agent/fetch-profile", `{"profile_slug":"jane"}`}, {"POST", "/network-agent/fetch-profile", `{}`},
		{"GET", "/network-agent/get-task-status?api_agent_task_id=" + task, ""}, {"GET", "/network-agent/get-task-status", ""},
		{"POST", "/network-agent/auth-send-otp", `{"email":"a@example.com"}`}, {"POST", "/network-agent/auth-verify-otp", `{"email":"a@example.com","otp":"000000"}`},
		{"POST", "/extension/sign-in", `{"code":"x"}`},
		{"POST", "/admin/teams", `{"email":"b@example.com","plan":"free"}`}, {"GET", "/admin/teams", ""},
		{"PATCH", "/admin/teams/" + m.id, `{"plan":"expert"}`}, {"GET", "/api-team", ""},
		{"PATCH", "/admin/teams/" + m.id + "/members/" + m.member(m.email), `{"role":"admin"}`}, {"DELETE", "/admin/teams/" + m.id + "/members/" + unknownID, ""},
		{"POST", "/admin/teams/" + m.id + "/members", `{"email":"c@example.com","role":"admin"}`},
		{"POST", "/admin/teams/" + m.id + "/sessions", `{"email":"c@example.com"}`},
		{"POST", "/admin/teams/" + m.id + "/pairing-codes", `{"email":"c@example.com"}`},
		{"GET", "/admin/clock", ""}, {"POST", "/admin/clock", `{"advance":"0s"}`},
		{"DELETE", watchlists + "?id=" + collected, ""}, {"DELETE", watchlists, ""},
		{"POST", "/admin/teams/" + m.id + "/rotate-key", ""},
	} {
		checkContract(t, m, c.method, c.path, c.body)
	}
}

// checkContract sends a request, with the operator's token if it is one of the admin
// API, and checks the reply against the document.
func checkContract(t *testing.T, m team, method, path, body string) {
	t.Helper()
	token := m.key
	if strings.HasPrefix(path, "/admin") {
		token = adminToken
	}
	keepsToTheDocument(t, method, path, m.do(method, path, body, "x-api-key", m.key, "Authorization", "Bearer "+token))
}

// keepsToTheDocument checks a reply to a request against the document.
func keepsToTheDocument(t *testing.T, method, path string, r reply) {
	t.Helper()
	document(t)
	request, err := http.NewRequest(method, path, http.NoBody)
	require.NoError(t, err)
	route, params, err := published.router.FindRoute(request)
	require.NoError(t, err, path)
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: request, PathParams: params, Route: route},
		Status:                 r.status, Header: r.header, Body: io.NopCloser(bytes.NewReader([]byte(r.raw))),
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	}
	require.NoError(t, openapi3filter.ValidateResponse(context.Background(), input), method+" "+path+" "+r.raw)
}
