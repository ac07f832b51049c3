package provider_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"watchpost/internal/interpret"
	"watchpost/internal/interpret/provider"
	"watchpost/watchpost"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	key    = "sk-very-secret-key"
	prompt = "Posts about Kubernetes security in Germany, without webinars"
	good   = `{"subject":"Kubernetes","keywords":[{"keyword":"Kubernetes","required_keywords":["Germany"],"exclude_keywords":["webinar"]},
		{"keyword":"k8s"}],"labels":[{"name":"Security","description":"CVE"}],"objective":"","slots":[
		{"slot":"subject","values":["Kubernetes"],"source":"stated"},{"slot":"keywords","values":["Kubernetes","k8s"],"source":"inferred"}]}`
)

// completion wraps the model's text in a reply of the endpoint.
func completion(content string) string {
	body, _ := json.Marshal(map[string]any{
		"id": "x", "object": "chat.completion", "usage": map[string]int{"total_tokens": 3},
		"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": content}}},
	})
	return string(body)
}

// ask calls a provider with h as its endpoint.
func ask(t *testing.T, h http.HandlerFunc) (interpret.Result, error) {
	t.Helper()
	return newProvider(t, h, 0).Interpret(t.Context(), interpret.Prompt{Text: prompt})
}

func newProvider(t *testing.T, h http.HandlerFunc, timeout time.Duration) *provider.Provider {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	client := s.Client()
	t.Cleanup(client.CloseIdleConnections)
	p, err := provider.New(provider.Config{BaseURL: s.URL + "/v1/", Model: "some-model", APIKey: key, Timeout: timeout, Client: client})
	require.NoError(t, err)
	return p
}

func says(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
}

func TestInterpret(t *testing.T) {
	t.Parallel()
	var path, authorization string
	var sent struct {
		Model          string
		Messages       []struct{ Role, Content string }
		ResponseFormat struct{ Type string } `json:"response_format"`
	}
	r, err := ask(t, func(w http.ResponseWriter, r *http.Request) {
		path, authorization = r.URL.Path, r.Header.Get("Authorization")
		_ = json.NewDecoder(r.Body).Decode(&sent)
		_, _ = io.WriteString(w, completion(good))
	})
	require.NoError(t, err)
	require.Equal(t, interpret.Result{
		Interpreter: "some-model",
		Subject:     "Kubernetes",
		Keywords:    []watchpost.KeywordEntry{{Keyword: "Kubernetes", Required: []string{"Germany"}, Excluded: []string{"webinar"}}, {Keyword: "k8s"}},
		Labels:      []watchpost.Label{{Name: "Security", Description: "CVE"}},
		Slots: []interpret.Slot{
			{Name: "subject", Values: []string{"Kubernetes"}, Source: interpret.Stated},
			{Name: "keywords", Values: []string{"Kubernetes", "k8s"}, Source: interpret.Inferred},
		},
	}, r)
	require.Equal(t, "/v1/chat/completions", path)
	require.Equal(t, "Bearer "+key, authorization)
	require.Equal(t, "some-model", sent.Model)
	require.Equal(t, "json_schema", sent.ResponseFormat.Type)
	require.Len(t, sent.Messages, 2)
	require.Equal(t, "user", sent.Messages[1].Role)
	require.Equal(t, prompt, sent.Messages[1].Content)
}

// changed returns the good answer with one change.
func changed(t *testing.T, old, replacement string) http.HandlerFunc {
	t.Helper()
	require.Contains(t, good, old)
	return says(completion(strings.Replace(good, old, replacement, 1)))
}

func TestMisbehaving(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"500":            {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, key, http.StatusInternalServerError) }, "interpreter: the endpoint answered 500"},
		"401":            {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "bad key "+key, http.StatusUnauthorized) }, "interpreter: the endpoint answered 401"},
		"429":            {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) }, "interpreter: the endpoint answered 429"},
		"204":            {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }, "interpreter: the endpoint answered 204"},
		"no JSON":        {says("<html>" + key + "</html>"), "interpreter: the reply is no JSON of a chat completion"},
		"half of it":     {says(completion(good)[:40]), "interpreter: the reply is no JSON of a chat completion"},
		"empty":          {says(""), "interpreter: the reply is no JSON of a chat completion"},
		"no choice":      {says(`{"choices":[]}`), "interpreter: the reply has no choice"},
		"other JSON":     {says(`{"error":"x"}`), "interpreter: the reply has no choice"},
		"says nothing":   {says(completion("  ")), "interpreter: the model says nothing"},
		"refusal":        {says(`{"choices":[{"finish_reason":"stop","message":{"content":null,"refusal":"I can not"}}]}`), "interpreter: the model refuses"},
		"filtered":       {says(`{"choices":[{"finish_reason":"content_filter","message":{"content":"{}"}}]}`), "interpreter: the model refuses"},
		"cut off":        {says(`{"choices":[{"finish_reason":"length","message":{"content":"{}"}}]}`), "interpreter: the answer is cut off"},
		"chat":           {says(completion("Sure! Here are some keywords: Kubernetes.")), "interpreter: the answer is not of the form that was asked for"},
		"empty object":   {says(completion("{}")), "interpreter: the answer is not of the form that was asked for"},
		"no keywords":    {changed(t, `"keywords":[`, `"keywords":[],"x":[`), "interpreter: the answer is not of the form that was asked for"},
		"only thoughts":  {says(completion("<think>" + good)), "interpreter: the answer is not of the form that was asked for"},
		"unknown reason": {says(completion(`{"keywords":[],"refusal":{"reason":"tired"}}`)), "interpreter: the answer is not of the form that was asked for"},
		"huge body":      {says(completion(strings.Repeat("x", 1<<20))), "interpreter: the reply is too large"},
		"endless body": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		}, "interpreter: the reply is too large"},
		"hangs up": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "interpreter: the call failed: EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := ask(t, c.handler)
			require.EqualError(t, err, c.want)
			require.NotContains(t, err.Error(), key)
			require.Zero(t, r)
		})
	}
}

// TestForms: common deviations and wrappers of servers and models are
// tolerated.
func TestForms(t *testing.T) {
	t.Parallel()
	content := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	plain := `{"subject":"Kubernetes","keywords":[{"keyword":"kube-hunter","required_keywords":["Germany"],"exclude_keywords":["webinar"]}]}`
	for name, c := range map[string]string{
		"ollama": `{"id":"chatcmpl-12","object":"chat.completion","created":1,"model":"qwen3","system_fingerprint":"fp_ollama","choices":[{"index":0,"message":{"role":"assistant","content":` +
			content("<think>\nThe user {wants} posts.\n</think>\n\n"+plain) + `},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`,
		"ollama, reasoning apart":      `{"system_fingerprint":"fp_ollama","choices":[{"index":0,"message":{"role":"assistant","content":` + content(plain) + `,"reasoning":"{}"},"finish_reason":"stop"}]}`,
		"llama.cpp":                    `{"choices":[{"finish_reason":"stop","index":0,"message":{"role":"assistant","reasoning_content":"hm","content":` + content("```json\n"+plain+"\n```") + `}}],"object":"chat.completion","timings":{"prompt_n":1}}`,
		"llama.cpp, no schema":         completion("Here is the JSON you asked for:\n\n" + plain + "\n\nLet me know if you need more!"),
		"thoughts without a beginning": completion("I think {so}.</think>" + plain),
		"extra fields":                 completion(strings.Replace(plain, `{"subject"`, `{"confidence":0.9,"subject"`, 1)),
		"a string for a list":          completion(strings.NewReplacer(`["Germany"]`, `"Germany"`, `["webinar"]`, `"webinar"`).Replace(plain)),
		"null and numbers":             completion(strings.NewReplacer(`"subject":"Kubernetes"`, `"subject":null,"objective":7,"labels":null,"slots":[7]`, `["Germany"]`, `["Germany",7,null]`).Replace(plain)),
		"an entry that is none":        completion(strings.Replace(plain, `"keywords":[`, `"keywords":[7,{"keyword":null},`, 1)),
		"twice":                        completion(plain + plain),
		"in an array":                  completion("[" + plain + "]"),
		"content in parts":             strings.Replace(completion("@"), `"@"`, `[{"type":"thinking","thinking":[]},{"type":"text","text":`+content(plain)+`}]`, 1),
		"another object before it":     completion(`The request is {"topic":"Kubernetes"}. So: ` + plain),
		"an entry for a list":          completion(strings.NewReplacer(`[{`, `{`, `}]`, `}`).Replace(plain)),
		"strings for other types":      completion(strings.Replace(plain, `"exclude_keywords"`, `"include_all_required":"true","exclude_keywords"`, 1)),
	} {
		p := newProvider(t, says(c), 0)
		r, err := interpret.Fallback{Provider: p}.Interpret(t.Context(), interpret.Prompt{Text: prompt})
		require.NoError(t, err, name)
		require.Equal(t, []watchpost.KeywordEntry{{Keyword: "kube-hunter", Required: []string{"Germany"}, Excluded: []string{"webinar"}}}, r.Keywords, name)
		require.Equal(t, "some-model", r.Interpreter, name)
	}
}

// TestLooseValues: keywords in one string, and numbers and booleans in strings.
func TestLooseValues(t *testing.T) {
	t.Parallel()
	r, err := ask(t, says(completion(`{"keywords":"kube-hunter, Trivy","labels":"Risk","frequency_hours":"12"}`)))
	require.NoError(t, err)
	require.Equal(t, []string{"kube-hunter", " Trivy"}, watchpost.KeywordTexts(r.Keywords))
	require.Equal(t, "Risk", r.Labels[0].Name)
	require.Equal(t, 12, r.Hours)
	r, err = ask(t, says(completion(`{"keywords":[{"keyword":"x","required_keywords":["a","b"],"include_all_required":"false"}],"frequency_hours":[1]}`)))
	require.NoError(t, err)
	require.True(t, r.Keywords[0].AnyRequired)
	require.Zero(t, r.Hours)
}

// TestVetted: an answer that breaks a rule is repaired or reduced.
func TestVetted(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&many, `,{"keyword":"kube%d"}`, i)
	}
	for name, c := range map[string]struct{ entries, want string }{
		"generic":    {`{"keyword":"posts"},{"keyword":"kube-hunter"}`, "kube-hunter"},
		"impossible": {`{"keyword":"Trivy","exclude_keywords":["Trivy"]}`, "Trivy"},
		"too long":   {`{"keyword":"heat pump noise limits that no post will ever have"}`, "heat pump noise limits"},
		"many":       {`{"keyword":"kube-hunter"}` + many.String(), "kube-hunter"},
	} {
		p := newProvider(t, says(completion(`{"subject":"x","keywords":[`+c.entries+`]}`)), 0)
		r, err := interpret.Fallback{Provider: p}.Interpret(t.Context(), interpret.Prompt{Text: prompt})
		require.NoError(t, err, name)
		require.Equal(t, c.want, r.Keywords[0].Keyword, name)
		require.LessOrEqual(t, len(r.Keywords), 12, name)
		require.Empty(t, r.Keywords[0].Excluded, name)
		require.Contains(t, r.Inferred(), interpret.SlotKeywords, name)
	}
}

// TestResponseFormats: an endpoint without schema support gets a request for a
// JSON object, one without JSON support gets neither. The provider remembers
// the format.
func TestResponseFormats(t *testing.T) {
	t.Parallel()
	var asked []string
	p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			ResponseFormat struct{ Type string } `json:"response_format"`
			Temperature    *float64              `json:"temperature"`
			MaxTokens      *int                  `json:"max_tokens"`
		}
		_ = json.NewDecoder(r.Body).Decode(&q)
		asked = append(asked, q.ResponseFormat.Type)
		if q.ResponseFormat.Type != "" || q.Temperature != nil || q.MaxTokens != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		_, _ = io.WriteString(w, completion(good))
	}, 0)
	for range 2 {
		_, err := p.Interpret(t.Context(), interpret.Prompt{Text: prompt})
		require.NoError(t, err)
	}
	require.Equal(t, []string{"json_schema", "json_object", "", ""}, asked)
}

// TestModelRefuses: a model can refuse a prompt.
func TestModelRefuses(t *testing.T) {
	t.Parallel()
	p := newProvider(t, says(completion(`{"subject":"","keywords":[],"refusal":{"reason":"no_subject","question":"Which product?"}}`)), 0)
	_, err := interpret.Fallback{Provider: p}.Interpret(t.Context(), interpret.Prompt{Text: "Show me all the interesting things by managers please"})
	var refused *interpret.Refused
	require.ErrorAs(t, err, &refused)
	require.Equal(t, interpret.NoSubject, refused.Reason)
	require.Equal(t, "Which product?", refused.Question)
	require.NotEmpty(t, refused.Example)
}

// hold responds only after the client disconnected.
func hold(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // without reading, the server does not notice the disconnect
	<-r.Context().Done()
}

func TestSlow(t *testing.T) {
	t.Parallel()
	_, err := newProvider(t, hold, 50*time.Millisecond).Interpret(t.Context(), interpret.Prompt{Text: prompt})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NotContains(t, err.Error(), "http")

	dripping := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"choices":`)
		w.(http.Flusher).Flush()
		hold(w, r)
	}
	_, err = newProvider(t, dripping, 50*time.Millisecond).Interpret(t.Context(), interpret.Prompt{Text: prompt})
	require.ErrorIs(t, err, context.DeadlineExceeded)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = newProvider(t, hold, time.Minute).Interpret(ctx, interpret.Prompt{Text: prompt})
	require.ErrorIs(t, err, context.Canceled)
}

// TestRedirect: a redirect would send the key and the prompt to another host.
func TestRedirect(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("followed") }))
	defer elsewhere.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, to := range []string{elsewhere.URL, "/elsewhere"} {
			calls := 0
			_, err := ask(t, func(w http.ResponseWriter, r *http.Request) {
				calls++
				http.Redirect(w, r, to, status)
			})
			require.Error(t, err)
			require.Contains(t, err.Error(), "the endpoint answered 3")
			require.Equal(t, 1, calls)
		}
	}
}

func TestNobodyThere(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(nil)
	client := s.Client()
	s.Close()
	p, err := provider.New(provider.Config{BaseURL: s.URL, Model: "m", APIKey: key, Client: client})
	require.NoError(t, err)
	_, err = p.Interpret(t.Context(), interpret.Prompt{Text: prompt})
	require.ErrorContains(t, err, "interpreter: the call failed: ")
	require.NotContains(t, err.Error(), key)
	require.NotContains(t, err.Error(), "chat/completions")
}

func TestBehindFallback(t *testing.T) {
	t.Parallel()
	p := newProvider(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }, 0)
	f := interpret.Fallback{Provider: p}
	r, err := f.Interpret(t.Context(), interpret.Prompt{Text: prompt})
	require.NoError(t, err)
	require.Equal(t, interpret.ByRules, r.Interpreter)
	_, err = f.Strict(t.Context(), interpret.Prompt{Text: prompt})
	var unavailable *interpret.Unavailable
	require.ErrorAs(t, err, &unavailable)
}

func TestNew(t *testing.T) {
	t.Parallel()
	fine := provider.Config{BaseURL: "https://api.example.com/v1", Model: "m", Client: http.DefaultClient}
	_, err := provider.New(fine)
	require.NoError(t, err)
	require.Nil(t, http.DefaultClient.CheckRedirect, "the caller's client is left alone")
	for name, spoil := range map[string]func(*provider.Config){
		"no URL":         func(c *provider.Config) { c.BaseURL = "" },
		"no scheme":      func(c *provider.Config) { c.BaseURL = "api.example.com/v1" },
		"other scheme":   func(c *provider.Config) { c.BaseURL = "file:///etc/passwd" },
		"user":           func(c *provider.Config) { c.BaseURL = "https://u:p4ss@api.example.com" },
		"query":          func(c *provider.Config) { c.BaseURL = "https://api.example.com?key=p4ss" },
		"no model":       func(c *provider.Config) { c.Model = " " },
		"line in key":    func(c *provider.Config) { c.APIKey = "p4ss\n" },
		"no client":      func(c *provider.Config) { c.Client = nil },
		"timeout":        func(c *provider.Config) { c.Timeout = -1 },
		"unreadable URL": func(c *provider.Config) { c.BaseURL = "https://p4ss%zz" },
	} {
		c := fine
		spoil(&c)
		_, err := provider.New(c)
		require.Error(t, err, name)
		require.NotContains(t, err.Error(), "p4ss", name)
	}
}

// TestAnswer: a draft is asked for in text, with the limits and checks of prompts.
func TestAnswer(t *testing.T) {
	t.Parallel()
	var sent map[string]any
	p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewDecoder(r.Body).Decode(&sent)
		_, _ = io.WriteString(w, completion("<think>Hm, {a} post.</think>\nWell said."))
	}, 0)
	got, err := p.Answer(t.Context(), "rules", "<post>\nx\n</post>")
	require.NoError(t, err)
	require.Equal(t, "Well said.", strings.TrimSpace(got))
	require.Equal(t, map[string]any{"model": "some-model", "messages": []any{
		map[string]any{"role": "system", "content": "rules"}, map[string]any{"role": "user", "content": "<post>\nx\n</post>"},
	}}, sent)

	for name, c := range map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"500":     {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, key, http.StatusInternalServerError) }, "interpreter: the endpoint answered 500"},
		"refusal": {says(`{"choices":[{"message":{"content":null,"refusal":"no"}}]}`), "interpreter: the model refuses"},
		"huge":    {says(completion(strings.Repeat("x", 1<<20))), "interpreter: the reply is too large"},
	} {
		got, err := newProvider(t, c.handler, 0).Answer(t.Context(), "rules", "data")
		require.EqualError(t, err, c.want, name)
		require.Empty(t, got, name)
	}
	_, err = newProvider(t, hold, 50*time.Millisecond).Answer(t.Context(), "rules", "data")
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
