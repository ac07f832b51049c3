package specs_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// model is an OpenAI-compatible endpoint whose behaviour a test chooses.
type model struct {
	mu      sync.Mutex
	answers http.HandlerFunc
	asked   []string // the prompts
	key     string
	slow    chan struct{} // closed to release delayed replies
}

// ServeHTTP implements http.Handler.
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var question struct {
		Messages []struct{ Content string }
	}
	err := json.NewDecoder(r.Body).Decode(&question)
	m.mu.Lock()
	if err == nil && len(question.Messages) > 0 {
		m.asked = append(m.asked, question.Messages[len(question.Messages)-1].Content)
	}
	m.key = r.Header.Get("Authorization")
	answers := m.answers
	m.mu.Unlock()
	answers(w, r)
}

// behave changes its behaviour and clears the recorded prompts.
func (m *model) behave(answers http.HandlerFunc) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answers, m.asked = answers, nil
}

func (m *model) times() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.asked)
}

// saying answers with a completion of that content.
func saying(content string) http.HandlerFunc {
	body, _ := json.Marshal(map[string]any{ // strings can always be encoded
		"choices": []any{map[string]any{"finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": content}}},
	})
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }
}

const (
	modelKey     = "sk-the-key-of-the-model"
	modelPrompt  = "Posts about Kubernetes security in Germany, not webinars"
	modelAnswer  = `{"subject":"Kubernetes","keywords":[{"keyword":"Kubernetes CVEs","required_keywords":["Germany"],"exclude_keywords":["webinar"]}],"labels":[{"name":"Security","description":"CVE"}],"objective":"","slots":[{"slot":"subject","values":["Kubernetes"],"source":"stated"},{"slot":"keywords","values":["Kubernetes CVEs"],"source":"SOURCE"}]}`
	unavailable  = "interpretation_unavailable"
	offlineFirst = "Kubernetes" // the built-in rules' first keyword of the prompt
)

// TestInterpreterEndpoint: a configured endpoint reads prompts. When it fails,
// a strict creation is 503 with both fields and creates nothing; other requests
// use the built-in rules (api.md#prompt-mode).
func TestInterpreterEndpoint(t *testing.T) {
	t.Parallel()
	m := &model{slow: make(chan struct{})}
	endpoint := httptest.NewServer(m)
	t.Cleanup(endpoint.Close)
	t.Cleanup(func() { close(m.slow) }) // runs before the server's cleanup
	w := isolatedWorld(t)
	w.play(t, "service --interpreter-url "+endpoint.URL+"/v1 --interpreter-model some-model --interpreter-key "+modelKey+" --interpreter-timeout 5s")
	w.play(t, "team ACME ultimate ada@acme.example")
	ask, _ := json.Marshal(map[string]any{"prompt": modelPrompt})
	strict, _ := json.Marshal(map[string]any{"prompt": modelPrompt, "strict": true})
	create := func(status int, body []byte) *reply {
		t.Helper()
		return w.ask(t, status, "ACME", http.MethodPost, "/api-keyword-watchlist", string(body))
	}

	// The service calls it with its key, and its answer defines the watchlist.
	m.behave(saying(strings.Replace(modelAnswer, "SOURCE", "stated", 1)))
	r := create(http.StatusOK, strict)
	require.Equal(t, `["Kubernetes CVEs"]`, textOf(member(t, r, "keywords")))
	require.Equal(t, []string{modelPrompt}, m.asked)
	require.Equal(t, "Bearer "+modelKey, m.key)
	id := textOf(member(t, r, "id"))
	r = w.ask(t, http.StatusOK, "ACME", http.MethodGet, "/api-keyword-watchlist?id="+id, "")
	require.Equal(t, `["Germany"]`, textOf(member(t, r, "keyword_tracking[0].required_keywords")))
	require.Equal(t, `["webinar"]`, textOf(member(t, r, "keyword_tracking[0].exclude_keywords")))
	require.Equal(t, "Security", textOf(member(t, r, "labels[0].name")))

	// A strict prompt rejects guessed parts; a prompt without strict accepts
	// them.
	m.behave(saying(strings.Replace(modelAnswer, "SOURCE", "inferred", 1)))
	r = create(http.StatusUnprocessableEntity, strict)
	require.Equal(t, "inferred_slots", textOf(member(t, r, "reason")))
	require.Equal(t, `["keywords"]`, textOf(member(t, r, "missing")))
	create(http.StatusOK, ask)
	made := 2

	for name, c := range map[string]http.HandlerFunc{
		"breaks down":  func(w http.ResponseWriter, _ *http.Request) { http.Error(w, modelKey, http.StatusInternalServerError) },
		"is crowded":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) },
		"says garbage": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>"+modelKey) },
		"chats":        saying("Sure! Here are some keywords: Kubernetes."),
		"refuses": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"choices":[{"finish_reason":"stop","message":{"content":null,"refusal":"I cannot help"}}]}`)
		},
		"hangs up": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"is slow":  func(http.ResponseWriter, *http.Request) { <-m.slow },
	} {
		t.Run(name, func(t *testing.T) {
			m.behave(c)
			r := w.ask(t, http.StatusServiceUnavailable, "ACME", http.MethodPost, "/api-keyword-watchlist", string(strict))
			require.Equal(t, unavailable, textOf(member(t, r, "error")))
			require.NotEmpty(t, textOf(member(t, r, "message")))
			fields, _ := r.value.(map[string]any)
			require.Len(t, fields, 2)
			require.NotContains(t, string(r.body), modelKey)
			require.Equal(t, 1, m.times(), "it was asked")
			r = w.ask(t, http.StatusOK, "ACME", http.MethodGet, "/api-keyword-watchlist", "")
			require.Equal(t, made, int(number(t, r, "count")), "nothing is created")

			r = w.ask(t, http.StatusOK, "ACME", http.MethodPost, "/api-keyword-watchlist", string(ask))
			require.Contains(t, textOf(member(t, r, "keywords")), offlineFirst)
			require.Equal(t, 2, m.times(), "it was asked first")
			made++
			if name == "is slow" {
				return // the delay is long enough
			}
			update, _ := json.Marshal(map[string]any{"id": id, "prompt": modelPrompt})
			r = w.ask(t, http.StatusOK, "ACME", http.MethodPut, "/api-keyword-watchlist", string(update))
			require.Contains(t, textOf(member(t, r, "keywords")), offlineFirst)
		})
	}

	// An empty prompt is refused without a call.
	m.behave(saying(modelAnswer))
	w.ask(t, http.StatusUnprocessableEntity, "ACME", http.MethodPost, "/api-keyword-watchlist", `{"prompt":"hello","strict":true}`)
	require.Zero(t, m.times())

	// The endpoint answers again, and the service uses its answers. Its key is
	// not in the log.
	m.behave(saying(strings.Replace(modelAnswer, "SOURCE", "stated", 1)))
	r = create(http.StatusOK, ask)
	require.Equal(t, `["Kubernetes CVEs"]`, textOf(member(t, r, "keywords")))
	_, found := w.service.Logged("the interpreter failed")
	require.True(t, found, "the operator is told")
	_, found = w.service.Logged(modelKey)
	require.False(t, found)
}

// member returns a part of a reply.
func member(t *testing.T, r *reply, path string) any {
	t.Helper()
	value, found := lookUp(r.value, path)
	require.True(t, found, "no %s\n%s", path, r)
	return value
}

// number returns a part of a reply that is a number.
func number(t *testing.T, r *reply, path string) float64 {
	t.Helper()
	n, ok := member(t, r, path).(json.Number)
	require.True(t, ok, "%s is no number\n%s", path, r)
	f, err := n.Float64()
	require.NoError(t, err)
	return f
}
