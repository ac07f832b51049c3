package networktest

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"watchpost/internal/fakenetwork/page"
)

// Browser acts as a person at the site: it keeps cookies, follows redirects
// and sends the token of the last page.
type Browser struct {
	tb     testing.TB
	base   string
	Client *http.Client
	// CSRF is the token for writes.
	CSRF string
	// Status and HTML are those of the last response.
	Status int
	HTML   string
}

// NewBrowser returns a browser at the site with that address.
func NewBrowser(tb testing.TB, base string) *Browser {
	tb.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		tb.Fatal(err)
	}
	transport := &http.Transport{}
	tb.Cleanup(transport.CloseIdleConnections)
	return &Browser{tb: tb, base: base, Client: &http.Client{Jar: jar, Transport: transport}}
}

// SignIn signs in as the member with a slug and returns the next page.
func (b *Browser) SignIn(slug string) *page.Data {
	b.tb.Helper()
	return b.Post("/sign-in", url.Values{"slug": {slug}})
}

// Get opens a page.
func (b *Browser) Get(path string) *page.Data {
	b.tb.Helper()
	resp, err := b.Client.Get(b.base + path) //nolint:bodyclose // seen closes it
	return b.seen(resp, err)
}

// Post sends a form.
func (b *Browser) Post(path string, form url.Values) *page.Data {
	b.tb.Helper()
	resp, err := b.TryPost(path, form) //nolint:bodyclose // seen closes it
	return b.seen(resp, err)
}

// TryPost sends a form and returns the raw response.
func (b *Browser) TryPost(path string, form url.Values) (*http.Response, error) {
	req, err := http.NewRequest(http.MethodPost, b.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if b.CSRF != "" {
		req.Header.Set("X-CSRF-Token", b.CSRF)
	}
	return b.Client.Do(req)
}

// seen parses a page and fails the test on an unknown layout.
func (b *Browser) seen(resp *http.Response, err error) *page.Data {
	b.tb.Helper()
	if err != nil {
		b.tb.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	html, err := io.ReadAll(resp.Body)
	if err != nil {
		b.tb.Fatal(err)
	}
	b.Status, b.HTML = resp.StatusCode, string(html)
	data, err := page.Parse(html)
	if err != nil {
		b.tb.Fatalf("%s: %v\n%.300s", resp.Request.URL, err, html)
	}
	if data.CSRF != "" {
		b.CSRF = data.CSRF
	}
	return data
}
