package mcp

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
)

// client makes requests of the HTTP API with a key.
type client struct {
	base string // of the service, without a slash at the end
	key  string
	do   func(*http.Request) (*http.Response, error)
	// ends are contexts that end a call, in addition to its own.
	ends []context.Context
	// where says how the person reaches the service, for errors.
	where string
}

// maxReply bounds a reply of the API that is read.
const maxReply = 16 << 20

// until returns a context that ends with those of the client, too.
func (c *client) until(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	var apart []func() bool
	for _, end := range c.ends {
		apart = append(apart, context.AfterFunc(end, func() { cancel(context.Cause(end)) }))
	}
	return ctx, func() {
		for _, stop := range apart {
			stop()
		}
		cancel(nil)
	}
}

// query makes parameters of arguments: lists are repeated.
func query(args map[string]any) url.Values {
	q := url.Values{}
	for name, value := range args {
		switch v := value.(type) {
		case []any:
			for _, one := range v {
				q.Add(name, fmt.Sprint(one))
			}
		case float64:
			q.Set(name, strconv.FormatFloat(v, 'f', -1, 64))
		default:
			q.Set(name, fmt.Sprint(v))
		}
	}
	return q
}

// get reads a resource into reply.
func (c *call) get(path string, q url.Values, reply any) error {
	if len(q) > 0 {
		path += "?" + q.Encode()
	}
	return c.api.send(c, http.MethodGet, path, nil, reply)
}

// send sends a body and reads the reply.
func (c *call) send(method, path string, body map[string]any, reply any) error {
	return c.api.send(c, method, path, body, reply)
}

func (c *client) send(ctx context.Context, method, path string, body map[string]any, reply any) error {
	var content io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(raw)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, content)
	if err != nil {
		return err
	}
	r.Header.Set("X-Api-Key", c.key)
	r.Header.Set("User-Agent", "watchpost-mcp")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if method == http.MethodPost {
		r.Header.Set("Idempotency-Key", rand.Text()) // a cluster may send it to the owner again
	}
	response, err := c.do(r)
	if err != nil {
		return c.unreached(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(response.Body, maxReply))
	switch {
	case err != nil:
		return c.unreached(ctx, err)
	case response.StatusCode/100 != 2: //nolint:mnd // 2xx
		return refusal(response.StatusCode, raw)
	}
	if err := json.Unmarshal(raw, reply); err != nil {
		return fmt.Errorf("read the reply of %s %s: %w", method, r.URL.Path, err)
	}
	return nil
}

// unreached is the error of a request without a reply.
func (c *client) unreached(ctx context.Context, err error) error {
	if ended := context.Cause(ctx); ended != nil {
		return ended
	}
	if c.where == "" {
		return err
	}
	return &advice{Text: fmt.Sprintf("The service cannot be reached at %s: %v.", c.base, errors.Unwrap(err)), Next: c.where}
}
