// Package provider asks a language model behind an OpenAI-compatible chat
// endpoint what a prompt means. It is an interpret.Interpreter to stand behind
// interpret.Fallback, which decides what its failures mean.
//
// What the model says is not trusted: an answer is taken whole, within the
// bounds of interpret.Vet, or not at all. Errors carry neither the key nor
// what was sent or received.
package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"watchpost/actors/interpret"
)

// DefaultTimeout bounds a question when the configuration does not.
const DefaultTimeout = 10 * time.Second

// maxReply bounds what is read of a reply, in bytes.
const maxReply = 256 << 10

// maxAnswer is how many tokens the model may answer with.
const maxAnswer = 4000

// Config says whom to ask.
type Config struct {
	// BaseURL is the endpoint without /chat/completions, such as
	// https://api.example.com/v1.
	BaseURL string
	Model   string
	// APIKey is sent as a bearer token; empty: none is.
	APIKey string
	// Timeout bounds a question from connecting to the last byte; zero:
	// DefaultTimeout.
	Timeout time.Duration
	// Client does the calls, but follows no redirect: the key and the prompt go
	// to the configured host or nowhere.
	Client *http.Client
}

// Provider is a language model. It may be used by several goroutines.
type Provider struct {
	endpoint string
	model    string
	key      string
	timeout  time.Duration
	client   http.Client
}

// New makes a Provider of a configuration, or says what is wrong with it.
func New(c Config) (*Provider, error) {
	u, err := url.Parse(c.BaseURL)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return nil, errors.New("interpreter: the base URL must be an http or https address")
	case u.User != nil, u.RawQuery != "", u.Fragment != "":
		return nil, errors.New("interpreter: the base URL must have no user, query or fragment")
	case strings.TrimSpace(c.Model) == "":
		return nil, errors.New("interpreter: a model must be named")
	case strings.ContainsFunc(c.APIKey, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, errors.New("interpreter: the key must be of visible ASCII characters")
	case c.Client == nil:
		return nil, errors.New("interpreter: an HTTP client is needed")
	case c.Timeout < 0:
		return nil, errors.New("interpreter: the timeout must not be negative")
	}
	p := &Provider{
		endpoint: strings.TrimRight(u.String(), "/") + "/chat/completions",
		model:    c.Model, key: c.APIKey, timeout: c.Timeout, client: *c.Client,
	}
	if p.timeout == 0 {
		p.timeout = DefaultTimeout
	}
	p.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return p, nil
}

// Interpret implements interpret.Interpreter.
func (p *Provider) Interpret(ctx context.Context, prompt string) (interpret.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	body, err := p.ask(ctx, prompt)
	if err != nil {
		return interpret.Result{}, err
	}
	content, err := said(body)
	if err != nil {
		return interpret.Result{}, err
	}
	return read(content)
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type question struct {
	Model          string            `json:"model"`
	Messages       []message         `json:"messages"`
	Temperature    float64           `json:"temperature"`
	MaxTokens      int               `json:"max_tokens"`
	ResponseFormat map[string]string `json:"response_format"`
}

// ask sends the prompt and returns the body of the reply.
func (p *Provider) ask(ctx context.Context, prompt string) ([]byte, error) {
	body, err := json.Marshal(question{
		Model:     p.model,
		Messages:  []message{{"system", instructions}, {"user", clip(prompt)}},
		MaxTokens: maxAnswer, ResponseFormat: map[string]string{"type": "json_object"},
	})
	if err != nil {
		return nil, errors.New("interpreter: the question cannot be written")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("interpreter: the question cannot be sent")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if p.key != "" {
		req.Header.Set("Authorization", "Bearer "+p.key)
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return nil, p.scrub(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }() // nothing was written
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("interpreter: the endpoint answered %d", resp.StatusCode)
	}
	reply, err := io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	switch {
	case err != nil:
		return nil, p.scrub(ctx, err)
	case len(reply) > maxReply:
		return nil, errors.New("interpreter: the reply is too large")
	}
	return reply, nil
}

// scrub makes of a failed call an error that can be logged: without address,
// and without the key, wherever that may have come in.
func (p *Provider) scrub(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("interpreter: %w", ctx.Err())
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	text := err.Error()
	if p.key != "" {
		text = strings.ReplaceAll(text, p.key, "***")
	}
	return errors.New("interpreter: the call failed: " + text)
}

// clip returns as much of a prompt as is read.
func clip(prompt string) string {
	prompt = strings.ToValidUTF8(prompt, " ")
	if utf8.RuneCountInString(prompt) <= interpret.MaxPrompt {
		return prompt
	}
	return string([]rune(prompt)[:interpret.MaxPrompt])
}
