package mcp

import (
	"context"
	"net/http"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// whereStdio is what to do when the service cannot be reached from watchpost mcp.
const whereStdio = "Ask the person you work for to check that the service runs, and WATCHPOST_URL."

// ServeStdio serves a client over the standard streams until it closes them or ctx ends. Its
// tools use the service at an address, without a slash at the end, with a key.
func ServeStdio(ctx context.Context, o Options, base, key string) error {
	c := &client{base: base, key: key, do: http.DefaultClient.Do, where: whereStdio}
	names, err := c.listed(ctx)
	if err != nil { // each call says so
		names = o.allowedTools()
	}
	return newServer(o.Version, names, func(context.Context) *client { return c }).Run(ctx, &sdk.StdioTransport{})
}

// listed returns the names of the tools that the service offers for the key.
func (c *client) listed(ctx context.Context) (names []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	transport := &sdk.StreamableClientTransport{Endpoint: c.base + path, DisableStandaloneSSE: true, HTTPClient: &http.Client{Transport: keyed{c}}}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "watchpost"}, nil).Connect(ctx, transport, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = session.Close() }()
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		return nil, err
	}
	for _, t := range list.Tools {
		names = append(names, t.Name)
	}
	return names, nil
}

// listTime bounds the question which tools there are.
const listTime = 10 * time.Second

// keyed sends a client's key with each request.
type keyed struct{ *client }

// RoundTrip implements http.RoundTripper.
func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Api-Key", k.key)
	return http.DefaultTransport.RoundTrip(r)
}
