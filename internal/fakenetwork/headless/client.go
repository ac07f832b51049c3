package headless

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"watchpost/internal/fakenetwork/page"
	"watchpost/internal/protocol"
)

// maxPage bounds a page of the network in bytes.
const maxPage = 16 << 20

// fault is the reason why a request to the network failed. It becomes the error
// of a result.
type fault struct {
	code    string
	message string
	// sure is false when a write may have been applied anyway.
	sure bool
	// slowDown: the network asked to slow down, and named no limit.
	slowDown bool
	// reason is the network's code for a refused write.
	reason string
}

func (f *fault) Error() string { return f.code + ": " + f.message }

func faultf(code, format string, args ...any) *fault {
	return &fault{code: code, message: fmt.Sprintf(format, args...), sure: true}
}

// client knows the network's addresses and the meaning of its pages. Nothing
// else in the package does.
type client struct {
	origin *url.URL
	http   *http.Client
	// seen is called with the account that a page shows: the viewer, or nil
	// when no account is signed in or a challenge blocks the page.
	seen func(viewer *page.Viewer, challenge bool)

	mu     sync.Mutex
	slug   string // the account to sign in as; "" until it is known
	csrf   string // of the last page that had one
	viewer string // URN of the account that csrf belongs to
}

// newClient makes a client for an account. It uses the transport of base and a
// separate cookie jar.
func newClient(origin string, base *http.Client, slug string, seen func(viewer *page.Viewer, challenge bool)) (*client, error) {
	u, err := parseOrigin(origin)
	if err != nil {
		return nil, err
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	c := &client{origin: u, slug: slug, seen: seen}
	c.http = &http.Client{Transport: base.Transport, Jar: jar, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if r.URL.Host != u.Host || len(via) > 5 {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	return c, nil
}

// absolute returns the network's address of a path.
func (c *client) absolute(path string) string {
	if path == "" {
		return ""
	}
	if strings.HasPrefix(path, "https://") || strings.HasPrefix(path, "http://") {
		return path
	}
	return c.origin.Scheme + "://" + c.origin.Host + path
}

// account returns the account to sign in as, or "" before it is known.
func (c *client) account() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.slug
}

// setAccount sets the account to sign in as.
func (c *client) setAccount(slug string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.slug = slug
}

// signIn signs the account in.
func (c *client) signIn(ctx context.Context) error {
	data, err := c.send(ctx, http.MethodPost, "/sign-in", url.Values{"slug": {c.account()}, "next": {"/feed"}}, "")
	if err != nil {
		return err
	}
	return expect(data, page.KindFeed)
}

// get reads a page and checks its kind.
func (c *client) get(ctx context.Context, path string, query url.Values, want page.Kind) (*page.Data, error) {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	data, err := c.send(ctx, http.MethodGet, path, nil, "")
	if err != nil {
		return nil, err
	}
	return data, expect(data, want)
}

// apply does a write as the account with that URN or not at all: it sends the
// token of a page that the account was shown, and the network refuses a token
// of another sign-in. It retries only a refusal for a stale token, because such
// a write was certainly not applied.
func (c *client) apply(ctx context.Context, as, path string, form url.Values) (*page.Applied, error) {
	for try := 1; ; try++ {
		token, err := c.tokenOf(as)
		if err != nil {
			return nil, err
		}
		data, err := c.send(ctx, http.MethodPost, path, form, token)
		if err != nil {
			return nil, err
		}
		if data.Kind == page.KindRefused && data.Reason == page.ReasonCSRF && try == 1 {
			if _, err := c.get(ctx, "/feed", nil, page.KindFeed); err != nil {
				return nil, err
			}
			continue
		}
		if err := expect(data, page.KindApplied); err != nil {
			return nil, err
		}
		return data.Applied, nil
	}
}

// tokenOf returns the token for writes of the account with that URN. It is a
// fault when the last page was shown to another account.
func (c *client) tokenOf(as string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !strings.EqualFold(c.viewer, as) {
		return "", faultf(protocol.CodeSignedOut, "signed in to the network as another account than the one that the task is for")
	}
	return c.csrf, nil
}

// send does one request, a POST with a token, and reads the page of the
// response. The fault of a POST is not sure when the request may have reached
// the network.
func (c *client) send(ctx context.Context, method, path string, form url.Values, token string) (*page.Data, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	ctx, span := trace.SpanFromContext(ctx).TracerProvider().Tracer("watchpost").Start(ctx, method+" on the network", trace.WithSpanKind(trace.SpanKindClient))
	defer span.End()
	page, _, _ := strings.Cut(path, "?")
	span.SetAttributes(attribute.String("http.request.method", method), attribute.String("url.path", page))
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	req, err := http.NewRequestWithContext(ctx, method, c.absolute(path), body)
	if err != nil {
		return nil, faultf(protocol.CodeInvalidInput, "no address of the network: %v", err)
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("X-CSRF-Token", token)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		f := faultf(protocol.CodeTimeout, "the network did not answer: %v", err)
		f.sure = method == http.MethodGet || notSent(err)
		return nil, f
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := c.read(resp)
	if f := new(fault); errors.As(err, &f) {
		f.sure = method == http.MethodGet
	}
	return data, err
}

// notSent reports whether a request certainly failed before it was sent: there
// was no connection.
func notSent(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// read parses the page of a response and reports the account that it shows.
func (c *client) read(resp *http.Response) (*page.Data, error) {
	html, err := io.ReadAll(io.LimitReader(resp.Body, maxPage+1))
	if err != nil {
		return nil, faultf(protocol.CodeTimeout, "the network's answer broke off: %v", err)
	}
	if len(html) > maxPage {
		return nil, faultf(protocol.CodePageNotUnderstood, "a page of more than %d bytes", maxPage)
	}
	if resp.StatusCode >= 500 {
		return nil, faultf(protocol.CodeTimeout, "the network answered %s", resp.Status)
	}
	data, err := page.Parse(html)
	if err != nil {
		return nil, faultf(protocol.CodePageNotUnderstood, "%s: %v", resp.Request.URL.Path, err)
	}
	if data.Viewer != nil {
		c.mu.Lock()
		c.csrf, c.viewer = data.CSRF, data.Viewer.URN
		c.mu.Unlock()
	}
	switch {
	case data.Kind == page.KindSignIn, data.Kind == page.KindChallenge:
		c.seen(nil, data.Kind == page.KindChallenge)
	case data.Viewer != nil:
		c.seen(data.Viewer, false)
	}
	return data, nil
}

// expect returns the fault of a page that has another kind than the wanted one.
func expect(data *page.Data, want page.Kind) error {
	switch data.Kind {
	case want:
		return nil
	case page.KindSignIn:
		return faultf(protocol.CodeSignedOut, "the account is not signed in to the network")
	case page.KindChallenge:
		return faultf(protocol.CodeChallenge, "the network asks for a human")
	case page.KindNotFound:
		return faultf(protocol.CodeNotFound, "the network does not know it")
	case page.KindLimit:
		message := data.Limit.Reason + " of " + data.Limit.Action
		if at := data.Limit.ResetsAt; at != nil {
			message += " until " + at.UTC().Format("2006-01-02T15:04:05Z")
		}
		f := faultf(protocol.CodeNetworkLimit, "%s", message)
		f.slowDown = data.Limit.Reason == page.LimitRate
		return f
	case page.KindRefused:
		f := refusal(data.Reason)
		f.reason = data.Reason
		return f
	default:
		return faultf(protocol.CodePageNotUnderstood, "a page of kind %q instead of %q", data.Kind, want)
	}
}

// hasReason reports whether err is a write refused for that reason.
func hasReason(err error, reason string) bool {
	var f *fault
	return errors.As(err, &f) && f.reason == reason
}

// refusal is the fault of a refused write.
func refusal(reason string) *fault {
	switch reason {
	case page.ReasonNotConnected:
		return faultf(protocol.CodeNotConnected, "the member is no connection of the account")
	case page.ReasonNotManaged:
		return faultf(protocol.CodeCompanyNotManaged, "the account does not manage the company's page")
	case page.ReasonConnected:
		return faultf(protocol.CodeInvalidInput, "the member is a connection already")
	case page.ReasonNoInvitation:
		return faultf(protocol.CodeNotInvited, "no invitation of the account is pending")
	case page.ReasonInvalid:
		return faultf(protocol.CodeInvalidInput, "the network refused the input")
	default:
		return faultf(protocol.CodePageNotUnderstood, "refused: %s", reason)
	}
}
