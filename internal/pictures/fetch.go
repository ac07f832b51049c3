package pictures

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"

	"watchpost/internal/outbound"
)

// sniffed are the formats that are shown. SVG is not among them: it is a document, which
// can have scripts.
var sniffed = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// sniffBytes is what http.DetectContentType looks at.
const sniffBytes = 512

// fetchable checks an address (ErrRefused).
func fetchable(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return ErrRefused
	}
	return nil
}

// checkRedirect follows up to maxRedirects, and tells no host where the reader comes from.
func checkRedirect(r *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return ErrFailed
	}
	r.Header.Del("Referer")
	return fetchable(r.URL)
}

// fetch asks the host for an image.
func (f *Fetcher) fetch(ctx context.Context, address string) (*Picture, error) {
	u, err := url.Parse(address)
	if err != nil || fetchable(u) != nil {
		return nil, ErrRefused
	}
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	select {
	case f.places <- struct{}{}:
		defer func() { <-f.places }()
	case <-ctx.Done():
		return nil, ErrBusy
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, ErrRefused
	}
	request.Header.Set("Accept", "image/webp, image/png, image/jpeg, image/gif")
	request.Header.Set("Accept-Encoding", "identity")
	request.Header.Set("User-Agent", "Watchpost")
	reply, err := f.client.Do(request)
	if err != nil {
		if errors.Is(err, outbound.ErrPrivate) || errors.Is(err, ErrRefused) {
			return nil, ErrRefused
		}
		return nil, ErrFailed
	}
	defer reply.Body.Close() //nolint:errcheck // read as far as wanted
	if reply.StatusCode != http.StatusOK {
		return nil, ErrFailed
	}
	return read(reply)
}

// read returns the image of a reply. The type that its header names does not count.
func read(reply *http.Response) (*Picture, error) {
	if reply.ContentLength > maxBytes {
		return nil, ErrUnfit
	}
	body := bufio.NewReaderSize(io.LimitReader(reply.Body, maxBytes+1), sniffBytes)
	begin, err := body.Peek(sniffBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, ErrFailed
	}
	kind := http.DetectContentType(begin)
	if !slices.Contains(sniffed, kind) {
		return nil, ErrUnfit
	}
	content := bytes.NewBuffer(make([]byte, 0, max(reply.ContentLength, 0)+bytes.MinRead))
	if _, err := content.ReadFrom(body); err != nil {
		return nil, ErrFailed
	}
	if content.Len() > maxBytes {
		return nil, ErrUnfit
	}
	return &Picture{kind, content.Bytes()}, nil
}
