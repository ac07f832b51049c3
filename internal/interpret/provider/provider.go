// Package provider asks a language model behind an OpenAI-compatible chat
// endpoint to interpret a prompt, or to write a draft. It is an interpret.Interpreter to
// use with interpret.Fallback, which handles its failures, and a draft.Model.
//
// The answer of the model is not trusted: it is decoded entry by entry and
// checked by interpret.Vet. Errors contain neither the key nor the request or
// reply.
package provider

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"watchpost/internal/interpret"
)

// DefaultTimeout is the timeout of a request if the configuration sets none.
const DefaultTimeout = 30 * time.Second

// maxReply bounds the size of a reply in bytes.
const maxReply = 256 << 10

// Config is the configuration of a Provider.
type Config struct {
	// BaseURL is the endpoint without /chat/completions, for example
	// https://api.example.com/v1.
	BaseURL string
	Model   string
	// APIKey is sent as a bearer token, unless it is empty.
	APIKey string
	// Timeout bounds a request from connecting to the last byte; zero means
	// DefaultTimeout.
	Timeout time.Duration
	// Temperature and MaxTokens are sent only if set, because some endpoints
	// reject them.
	Temperature *float64
	MaxTokens   int
	// Client sends the requests. Provider disables redirects, so that the key
	// and the prompt reach only the configured host.
	Client *http.Client
}

// Provider is a language model. It is safe for concurrent use.
type Provider struct {
	config   Config
	endpoint string
	client   http.Client
	format   atomic.Int32 // index in formats
}

// New returns a Provider for a configuration, or an error if the configuration
// is invalid.
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
	case c.MaxTokens < 0:
		return nil, errors.New("interpreter: the number of tokens must not be negative")
	case c.Timeout < 0:
		return nil, errors.New("interpreter: the timeout must not be negative")
	}
	c.Timeout = cmp.Or(c.Timeout, DefaultTimeout)
	p := &Provider{config: c, endpoint: strings.TrimRight(u.String(), "/") + "/chat/completions", client: *c.Client}
	p.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return p, nil
}

// Interpret implements interpret.Interpreter.
func (p *Provider) Interpret(ctx context.Context, prompt interpret.Prompt) (interpret.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, p.config.Timeout)
	defer cancel()
	body, err := p.ask(ctx, prompt.Text)
	if err != nil {
		return interpret.Result{}, err
	}
	content, err := said(body)
	if err != nil {
		return interpret.Result{}, err
	}
	r, err := read(content, prompt)
	if err == nil {
		r.Interpreter = p.config.Model
	}
	return r, err
}

// formats are the response formats in order of preference. If an endpoint
// rejects one, the next is tried.
var formats = []any{
	map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "watchlist", "strict": true, "schema": json.RawMessage(schema)}},
	map[string]any{"type": "json_object"},
	nil,
}

// ask sends the prompt and returns the body of the reply. It remembers the
// response format that the endpoint accepts.
func (p *Provider) ask(ctx context.Context, prompt string) ([]byte, error) {
	for {
		format := p.format.Load()
		question := p.question(instructions, clip(prompt))
		if formats[format] != nil {
			question["response_format"] = formats[format]
		}
		body, status, err := p.post(ctx, question)
		switch {
		case err != nil:
			return nil, err
		case status == http.StatusOK:
			return body, nil
		case (status == http.StatusBadRequest || status == http.StatusUnprocessableEntity || status == http.StatusNotImplemented) && int(format)+1 < len(formats):
			p.format.CompareAndSwap(format, format+1)
		default:
			return nil, fmt.Errorf("interpreter: the endpoint answered %d", status)
		}
	}
}

// Answer implements draft.Model: it returns the model's text without its reasoning.
func (p *Provider) Answer(ctx context.Context, instructions, data string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, p.config.Timeout)
	defer cancel()
	body, status, err := p.post(ctx, p.question(instructions, strings.ToValidUTF8(data, " ")))
	switch {
	case err != nil:
		return "", err
	case status != http.StatusOK:
		return "", fmt.Errorf("interpreter: the endpoint answered %d", status)
	}
	content, err := said(body)
	return withoutReasoning(content), err
}

// question returns the body of a request, without a response format.
func (p *Provider) question(instructions, data string) map[string]any {
	q := map[string]any{"model": p.config.Model, "messages": []map[string]string{{"role": "system", "content": instructions}, {"role": "user", "content": data}}}
	if p.config.Temperature != nil {
		q["temperature"] = *p.config.Temperature
	}
	if p.config.MaxTokens > 0 {
		q["max_tokens"] = p.config.MaxTokens
	}
	return q
}

// post sends a request and returns the body and status of the reply.
func (p *Provider) post(ctx context.Context, q map[string]any) ([]byte, int, error) {
	body, err := json.Marshal(q)
	if err != nil {
		return nil, 0, errors.New("interpreter: the question cannot be written")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, 0, errors.New("interpreter: the question cannot be sent")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if p.config.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+p.config.APIKey)
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return nil, 0, p.scrub(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }() // read only
	reply, err := io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	switch {
	case err != nil:
		return nil, 0, p.scrub(ctx, err)
	case len(reply) > maxReply:
		return nil, 0, errors.New("interpreter: the reply is too large")
	}
	return reply, resp.StatusCode, nil
}

// scrub converts the error of a failed call to one that can be logged: without
// address, and without the key in any form.
func (p *Provider) scrub(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("interpreter: %w", ctx.Err())
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	text := err.Error()
	if p.config.APIKey != "" {
		text = strings.ReplaceAll(text, p.config.APIKey, "***")
	}
	return errors.New("interpreter: the call failed: " + text)
}

// clip returns the part of a prompt that is sent.
func clip(prompt string) string {
	prompt = strings.ToValidUTF8(prompt, " ")
	if utf8.RuneCountInString(prompt) <= interpret.MaxPrompt {
		return prompt
	}
	return string([]rune(prompt)[:interpret.MaxPrompt])
}
