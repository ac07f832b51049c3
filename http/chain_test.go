package httpapi_test

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	httpapi "watchpost/http"
	"watchpost/watchpost"
)

const (
	watchlists = "/api-keyword-watchlist"
	noKey      = "Missing API Key"
	badKey     = "Invalid API Key"
	badJSON    = "Invalid JSON body"
)

func TestPathsAndMethods(t *testing.T) {
	t.Parallel()
	h := build(t)
	for _, path := range []string{"/nope", "//api-posts", "/api-posts/", "/api-posts/../x", "/network-agent/", "/admin", "/docs/x"} {
		h.do("GET", path, "").fails(404, "Not found")
	}
	for path, allow := range map[string]string{
		"/api-posts":                     "GET, HEAD, PUT",
		watchlists:                       "DELETE, GET, HEAD, POST, PUT",
		"/network-agent/fetch-profile":   "POST",
		"/network-agent/get-task-status": "GET, HEAD",
		"/healthz":                       "GET, HEAD",
	} {
		r := h.do("PATCH", path, `{}`)
		r.fails(405, "Method not allowed")
		require.Equal(t, allow, r.header.Get("Allow"), path)
	}
	r := h.do("OPTIONS", "/api-posts", "")
	r.fails(405, "Method not allowed")
}

func TestNothingOfTheFrameworkShows(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Quiet", "free")
	for _, r := range []reply{
		h.do("GET", "/healthz", "", "Accept", "application/xml"),
		h.do("GET", "/healthz", "", "Accept", "image/png"),
		h.do("GET", "/nope", "", "Accept", "text/html"),
		h.do("GET", "/api-posts", "", "Accept", "application/xml"),
		h.admin("POST", "/admin/teams", `{"email":"a@example.com","plan":"free"}`), // 201
		m.call("POST", watchlists, `{`, "Accept", "application/x-yaml"),
		m.call("GET", watchlists, ""),
	} {
		require.Equal(t, "application/json; charset=utf-8", r.header.Get("Content-Type"), r.raw)
		for _, name := range []string{"X-Powered-By", "Server-Timing", "Trailer", "Transfer-Encoding"} {
			require.Empty(t, r.header.Values(name), name)
		}
		require.NotEmpty(t, r.header.Get("Content-Length"))
		require.NotEmpty(t, r.header.Get("X-Request-Id"))
		require.NotContains(t, strings.ToLower(r.raw), "fuego")
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Keys", "free")
	h.do("GET", "/api-posts", "").fails(401, noKey)
	h.do("GET", "/api-posts", "", "x-api-key", "").fails(401, noKey)
	h.do("GET", "/api-posts", "", "x-api-key", "  ").fails(401, noKey)
	h.do("GET", "/api-posts", "", "x-api-key", "nonsense").fails(401, badKey)
	h.do("GET", "/api-posts", "", "x-api-key", "wp_"+strings.Repeat("a", 32)).fails(401, badKey)
	require.Equal(t, 200, m.call("GET", watchlists, "").status)
}

// The order of checks: key, extension, body, parameters.
func TestOrderOfChecks(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Order", "free")
	big := strings.Repeat("x", 1<<20+1)
	h.do("POST", "/network-agent/fetch-profile", big).fails(401, noKey)
	m.call("POST", "/network-agent/fetch-profile", big).fails(403, watchpost.TextExtensionRequired)
	m.call("POST", "/network-agent/fetch-profile", `{`).fails(403, watchpost.TextExtensionRequired)
	m.call("GET", "/network-agent/get-task-status", "").fails(403, watchpost.TextExtensionRequired)
	m.call("POST", watchlists, big).fails(413, "Request body too large")
	m.call("POST", watchlists, `{`).fails(400, badJSON)
	m.call("POST", watchlists, `{}`).fails(400, "keywords array is required and must not be empty")
	require.Contains(t, watchpost.TextExtensionRequired, "Plugin installation required")
}

func TestBodies(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Bodies", "free")
	for _, body := range []string{
		"", " ", "null", "[]", `"x"`, "1", "true", "{", `{"a":1}{}`, `{"a":1} x`, `{'a':1}`, "{\"a\":\"\xff\"}", "a: 1", "<a/>",
		strings.Repeat("[", 20_000), "\ufeff{}",
	} {
		m.call("POST", watchlists, body).fails(400, badJSON)
		m.call("PUT", watchlists, body).fails(400, badJSON)
	}
	for i, contentType := range []string{
		"text/plain", "application/x-www-form-urlencoded", "application/xml", "application/x-yaml", "application/octet-stream",
		"multipart/form-data", "nonsense", "application/json; charset=utf-16",
	} {
		m := h.team("Type "+string(rune('a'+i)), "free")
		r := m.call("POST", watchlists, `{"keywords":["go"],"unknown":[1,{}],"Name":5}`, "Content-Type", contentType)
		require.Equal(t, 200, r.status, contentType+" "+r.raw)
	}
	m.call("POST", watchlists, strings.Repeat(" ", 1<<20)+"{}").fails(413, "Request body too large")
}

// A body of unknown length is bounded too.
func TestChunkedBodyIsBounded(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Chunked", "free")
	request, err := http.NewRequest("POST", h.url+watchlists, struct{ *strings.Reader }{strings.NewReader(strings.Repeat(" ", 1<<20+1))})
	require.NoError(t, err)
	request.ContentLength = -1
	request.Header.Set("x-api-key", m.key)
	response, err := h.client.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, 413, response.StatusCode)
}

func TestHead(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Head", "free")
	r := m.call("HEAD", watchlists, "")
	require.Equal(t, 200, r.status)
	require.Empty(t, r.raw)
	require.Equal(t, strconv.Itoa(len(`{"watchlists":[],"count":0}`)), r.header.Get("Content-Length"))
}

// TestStrictTransport: a browser that has come by TLS comes back by TLS only.
func TestStrictTransport(t *testing.T) {
	t.Parallel()
	h := build(t)
	const name = "Strict-Transport-Security"
	require.Empty(t, h.do("GET", "/healthz", "").header.Get(name))
	server := httptest.NewTLSServer(h.server.Handler())
	defer server.Close()
	for _, path := range []string{"/healthz", "/app", "/nothing"} {
		reply, err := server.Client().Get(server.URL + path)
		require.NoError(t, err)
		require.NoError(t, reply.Body.Close())
		require.Equal(t, "max-age=31536000", reply.Header.Get(name), path)
	}
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	h := build(t)
	long := strings.Repeat("a", 128)
	for _, good := range []string{"x", "A.b_c-9", long} {
		require.Equal(t, good, h.do("GET", "/healthz", "", "X-Request-Id", good).header.Get("X-Request-Id"))
	}
	for _, bad := range []string{"", "a b", "ä", long + "a", `"`, "a/b"} {
		id := h.do("GET", "/healthz", "", "X-Request-Id", bad).header.Get("X-Request-Id")
		require.Regexp(t, "^[0-9a-f]{32}$", id)
	}
	h.do("GET", "/nope", "", "X-Request-Id", "lost-1")
	require.Contains(t, h.log.String(), `"request":"lost-1"`)
}

func TestSecretsAreNotLogged(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Secretive", "free")
	token := m.token()
	h.do("POST", "/network-agent/auth-send-otp", `{"email":"new@example.com"}`)
	code := h.mail.code(t, "new@example.com")
	signed := read[fields](h.do("POST", "/network-agent/auth-verify-otp", `{"email":"new@example.com","otp":"`+code+`"}`), 200)
	m.call("GET", "/api-posts?search_term=secretterm", "")
	h.do("POST", "/extension/poll", `{"messages":[]}`, "Authorization", "Bearer "+token)
	for _, secret := range []string{m.key, token, code, signed["api_key"].(string), adminToken, "secretterm"} {
		require.NotContains(t, h.log.String(), secret)
	}
}

// A panic is answered, and the next request is served as if nothing had been.
func TestPanicIsAnswered(t *testing.T) {
	t.Parallel()
	h := build(t, func(o *httpapi.Options) { o.Ready = func() error { panic("secret reason") } })
	for range 2 {
		r := h.do("GET", "/readyz", "", "X-Request-Id", "boom-1")
		r.fails(500, "Internal server error")
		require.Equal(t, "boom-1", r.header.Get("X-Request-Id"))
	}
	require.Contains(t, h.log.String(), "secret reason")
	require.Equal(t, 200, h.do("GET", "/healthz", "").status)
}

func TestReadiness(t *testing.T) {
	t.Parallel()
	ready := errors.New("this service stops")
	h := build(t, func(o *httpapi.Options) { o.Ready = func() error { return ready } })
	r := h.do("GET", "/readyz", "")
	require.Equal(t, fields{"error": watchpost.TextUnavailable, "reason": "this service stops"}, read[fields](r, 503))
	require.NotEmpty(t, r.header.Get("Retry-After"))
	require.Equal(t, `{"status":"ok"}`, h.do("GET", "/healthz", "").raw)
}

func TestUndecodableQueryIsRefused(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Query", "free")
	m.call("GET", "/api-posts?lang=%zz", "").fails(400, "Invalid query string")
	m.call("GET", watchlists+"?id=%", "").fails(400, "Invalid query string")
}

func TestMetricsNameNobody(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Metered", "free")
	m.call("GET", "/api-posts", "")
	m.call("GET", "/api-posts?page=x", "")
	h.do("GET", "/nope/"+m.id, "")
	r := h.admin("GET", "/metrics", "")
	require.Equal(t, 200, r.status)
	require.Contains(t, r.raw, `watchpost_http_requests_total{code="400",method="GET",route="/api-posts"} 1`)
	require.Contains(t, r.raw, `watchpost_http_requests_total{code="404",method="",route="unmatched"} 1`)
	require.Contains(t, r.raw, `watchpost_http_request_duration_seconds_bucket{method="GET",route="/api-posts"`)
	require.NotContains(t, r.raw, m.id)
	require.NotContains(t, r.raw, m.email)
}

// TestMetricsNeedAToken: only these may see how much a service does: the operator and
// to the holder of the metrics token, which opens nothing else.
func TestMetricsNeedAToken(t *testing.T) {
	t.Parallel()
	const scraper = "token-of-prometheus"
	h := build(t, func(o *httpapi.Options) { o.MetricsToken = scraper })
	h.do("GET", "/metrics", "").fails(401, "Unauthorized")
	h.do("GET", "/metrics", "", "Authorization", "Bearer wrong").fails(401, "Unauthorized")
	require.Equal(t, 200, h.do("GET", "/metrics", "", "Authorization", "Bearer "+scraper).status)
	require.Equal(t, 200, h.admin("GET", "/metrics", "").status)
	h.do("GET", "/admin/teams", "", "Authorization", "Bearer "+scraper).fails(401, "Unauthorized")

	h = build(t, func(o *httpapi.Options) { o.AdminToken = "" })
	h.do("GET", "/metrics", "").fails(404, "Not found")
	h.do("GET", "/metrics", "", "Authorization", "Bearer ").fails(404, "Not found")

	h = build(t, func(o *httpapi.Options) { o.SeparateOps, o.MetricsToken = true, scraper })
	h.url = listen(t, h.server.OpsHandler())
	h.do("GET", "/metrics", "").fails(401, "Unauthorized")
	require.Equal(t, 200, h.do("GET", "/metrics", "", "Authorization", "Bearer "+scraper).status)
}

func TestSeparateOps(t *testing.T) {
	t.Parallel()
	h := build(t, func(o *httpapi.Options) { o.SeparateOps = true })
	for _, path := range []string{"/metrics", "/admin/teams"} {
		h.do("GET", path, "", "Authorization", "Bearer "+adminToken).fails(404, "Not found")
	}
	require.Equal(t, 200, h.do("GET", "/healthz", "").status)
	document := h.do("GET", "/openapi.json", "")
	require.Equal(t, 200, document.status)
	require.Contains(t, document.raw, `"/api-posts"`)
	for _, elsewhere := range []string{"/admin", "AdminToken", "Administration"} {
		require.NotContains(t, document.raw, elsewhere, "the document tells of what is served beside it")
	}
	require.NotContains(t, h.do("GET", "/docs", "").raw, "/admin")
	ops := listen(t, h.server.OpsHandler())
	h.url = ops
	require.Equal(t, 200, h.do("GET", "/metrics", "").status, "an address of its own guards it")
	require.Equal(t, 200, h.do("GET", "/healthz", "").status)
	require.Equal(t, 200, h.admin("GET", "/admin/teams", "").status)
	h.do("GET", "/api-posts", "").fails(404, "Not found")
}

// What net/http hands over as it came must not lead around the routes.
func TestRawRequestTargets(t *testing.T) {
	t.Parallel()
	h := build(t)
	for target, status := range map[string]string{
		"/api-posts":          "401",
		"/%61pi-posts":        "401",
		"/./api-posts":        "404",
		"http://x/api-posts":  "401",
		"/api-posts%2f":       "404",
		"/api-posts?a=1#frag": "401",
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
		require.NoError(t, err)
		_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", target)
		require.NoError(t, err)
		line, err := bufio.NewReader(conn).ReadString('\n')
		require.NoError(t, err)
		require.Contains(t, line, " "+status+" ", target)
		require.NoError(t, conn.Close())
	}
}
