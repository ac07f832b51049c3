package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// ask sends a request straight to the handler and checks that the reply is one
// of those statuses, and JSON.
func (m team) ask(method, path, query, body string, statuses ...int) {
	m.t.Helper()
	r := &http.Request{
		Method: method, URL: &url.URL{Path: path, RawQuery: query}, Host: "x", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		RemoteAddr: "127.0.0.1:1", ContentLength: int64(len(body)), Body: http.NoBody,
		Header: http.Header{"X-Api-Key": {m.key}, "Authorization": {"Bearer " + adminToken}},
	}
	if body != "" {
		r.Body = readCloser{strings.NewReader(body)}
	}
	w := httptest.NewRecorder()
	m.server.Handler().ServeHTTP(w, r)
	require.True(m.t, slices.Contains(statuses, w.Code), "%s %s?%s %q: %d %s", method, path, query, body, w.Code, w.Body)
	require.True(m.t, json.Valid(w.Body.Bytes()), w.Body.String())
}

type readCloser struct{ *strings.Reader }

// Close implements io.Closer.
func (readCloser) Close() error { return nil }

// No query makes the service fail.
func FuzzQuery(f *testing.F) {
	m := build(f).team("Fuzzed", "free")
	for _, seed := range []string{
		"", "watchlist_id=a,b&watchlist_id[]=c", "page=1&page_size=100", "start_date=2030-01-01&end_date=2030-01-02", "a=%zz", "&&=&;",
		"search_term=%22a%20b%22+-c+OR+d", "people_slug=https%3A%2F%2Fx%2Fin%2Fa", "stored_since=2030-01-01T00:00:00%2B01:00",
		"network_post_slug=urn:li:activity:1", "lang=pt-BR", "labels=no+labels,x", "is_saved=1&trending=0&interacted=true", "sort_by=recent", "%00=%00",
		// One for each branch that half an hour of fuzzing reached beyond these.
		"id=0", "page=A", "end_date=0", "interacted=aA", "sort_by=0", "lang=ʘ",
		"search_term=\xb4д", "search_term=\"00\xff  ", "search_term=#", "search_term=#0", "search_term=A#", "search_term=" + strings.Repeat("0", 600),
		"people_slug=\x1b", "people_slug=%2Fin", "people_slug=x%3A%2F%2F0", "people_slug=0%2F0%2F0%2F0", "people_slug=000000%2C00000000!",
		"network_post_slug=________", "network_post_slug=  ", "network_post_slug= :", "network_post_slug=A:00", "network_post_slug=0:_!",
		"network_post_slug=0////////0000",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		m := m
		h := *m.testServer
		h.t, m.testServer = t, &h
		m.ask("GET", "/api-posts", query, "", 200, 400)
		m.ask("GET", watchlists, query, "", 200, 400, 404)
		m.ask("DELETE", watchlists, query, "", 400, 404)
		m.ask("GET", "/network-agent/get-task-status", query, "", 403)
	})
}

// No body makes the service fail.
func FuzzBody(f *testing.F) {
	m := build(f).team("Fuzzed", "free")
	m.join()
	for _, seed := range []string{
		`{}`, ``, `null`, `[]`, `{"keywords":["a",{"keyword":"b","required_keywords":["c"]}],"labels":["x",{"key":"y","default":true}],"fetchFreqInHours":12}`,
		`{"id":"` + unknownID + `","name":"n","disable":true,"slack_webhook_url":null,"append":true}`, `{"profile_slug":"a"}`,
		`{"profiles":["a",null,5],"companies":["/company/b","12"],"list_id":"` + unknownID + `","description":"d"}`, `{"companies":["a"],"labels":["l"]}`,
		`{"email":"a@example.com","otp":"123456","full_name":"A"}`, `{"code":"AAAA"}`, `{"messages":[{"type":"heartbeat"}]}`,
		`{"email":"a@example.com","plan":"free","role":"member"}`, `{"keywords":[{"keyword":null}]}`, "{\"a\":\"\xff\"}", `{"prompt":"x"}`,
		// One for each branch that half an hour of fuzzing reached beyond these.
		`{"email":"0@A{.","otp":""}`, `{"profile_slug":"+"}`, `{"email":"a@example.com","plan":"frle"}`, `{"email":"a@example.com","otp":"123e56"}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		m := m
		h := *m.testServer
		h.t, m.testServer = t, &h
		m.ask("POST", watchlists, "", body, 200, 400, 402, 422)
		m.ask("PUT", watchlists, "", body, 400, 404)
		m.ask("DELETE", watchlists, "", body, 400, 404)
		m.ask("POST", forums, "", body, 200, 400, 402, 422)
		m.ask("POST", people, "", body, 400, 402, 404)
		m.ask("POST", companies, "", body, 200, 400, 402, 404)
		m.ask("PUT", companies, "", body, 400, 404)
		m.ask("POST", "/network-agent/fetch-profile", "", body, 200, 400)
		m.ask("POST", "/network-agent/auth-send-otp", "", body, 200, 400)
		m.ask("POST", "/network-agent/auth-verify-otp", "", body, 400, 401)
		m.ask("POST", "/extension/sign-in", "", body, 400, 401)
		m.ask("POST", "/extension/poll", "", body, 400, 401, 409, 413)
		m.ask("POST", "/admin/teams", "", body, 201, 400, 409)
		m.ask("POST", "/admin/teams/"+unknownID+"/members", "", body, 400, 404)
	})
}
