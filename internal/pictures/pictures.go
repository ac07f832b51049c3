// Package pictures fetches the images that posts name, so that the browsers of readers
// need not ask their hosts.
//
//	pictures.go  Fetcher: one fetch for all readers of an image, and its metric
//	fetch.go     the request, and which answers are images
//	cache.go     what was fetched of late, bounded by bytes
package pictures

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/singleflight"

	"watchpost/internal/outbound"
)

// Bounds of a process. maxFetches images of maxBytes can be on their way while the cache
// is full, so pictures take at most 72 MiB of memory.
const (
	maxBytes     = 5 << 20 // of one image
	maxFetches   = 8       // at a time
	cacheBytes   = 32 << 20
	fetchTimeout = 5 * time.Second // with the wait for a place
	maxRedirects = 3
)

const (
	// keepFor is how long an image is answered from the cache.
	keepFor = 24 * time.Hour
	// failedFor is how long a failed image is not fetched again.
	failedFor = time.Minute
)

// Picture is an image in one of the formats that sniffed names. Its content must not be
// changed: all readers share it.
type Picture struct {
	Type    string // media type, by the content
	Content []byte
}

// Errors of Get.
var (
	// ErrRefused is the error for an address that is not fetched: it is none of HTTP, has a
	// password, or leads to a private network.
	ErrRefused = errors.New("the address of the image is refused")
	// ErrUnfit is the error for a content that is too large or no image.
	ErrUnfit = errors.New("the content is too large, or no image in a known format")
	// ErrFailed is the error for an address that did not answer with a content in time.
	ErrFailed = errors.New("the image could not be fetched")
	// ErrBusy is the error when too many images are being fetched.
	ErrBusy = errors.New("too many images are being fetched")
)

// outcomes are the values of the metric's label, by the error of a fetch.
var outcomes = map[error]string{nil: "fetched", ErrRefused: "refused", ErrUnfit: "unfit", ErrFailed: "failed", ErrBusy: "busy"}

const outcomeCached = "cached"

// Options configure a Fetcher. All but Private are required.
type Options struct {
	// Private are addresses of private networks from which images may be fetched.
	Private []netip.Prefix
	Now     func() time.Time
	Metrics prometheus.Registerer
}

// Fetcher fetches images and remembers them. Its methods may be called from several
// goroutines.
type Fetcher struct {
	client  *http.Client
	now     func() time.Time
	timeout time.Duration
	places  chan struct{} // one is taken for each fetch
	flights singleflight.Group
	cache   *cache
	counts  *prometheus.CounterVec
}

// New returns a Fetcher, and registers its metric.
func New(o Options) (*Fetcher, error) {
	f := &Fetcher{
		client: outbound.Client(o.Private, nil), now: o.Now, timeout: fetchTimeout,
		places: make(chan struct{}, maxFetches), cache: newCache(cacheBytes),
		counts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "watchpost_pictures_total", Help: "Images that readers of the dashboard asked for: fetched, cached (also the failures), refused (address), unfit (content), failed, or busy (no place).",
		}, []string{"outcome"}),
	}
	f.client.CheckRedirect = checkRedirect
	f.counts.WithLabelValues(outcomeCached)
	for _, outcome := range outcomes {
		f.counts.WithLabelValues(outcome)
	}
	return f, o.Metrics.Register(f.counts)
}

// Get returns the image at an address, which must come from a stored post. It fetches an
// image once for all who ask meanwhile, and then answers from memory. A reader who leaves
// does not end the fetch: others may wait for it. The error is one of those above.
func (f *Fetcher) Get(ctx context.Context, address string) (*Picture, error) {
	if known, found := f.cache.get(address, f.now()); found {
		f.counts.WithLabelValues(outcomeCached).Inc()
		return known.picture, known.err
	}
	asked := false
	picture, err, _ := f.flights.Do(address, func() (any, error) {
		if known, found := f.cache.get(address, f.now()); found { // another flight has just ended
			return known.picture, known.err
		}
		asked = true
		picture, err := f.fetch(context.WithoutCancel(ctx), address)
		f.keep(address, picture, err)
		return picture, err
	})
	outcome := outcomeCached
	if asked {
		outcome = outcomes[err]
	}
	f.counts.WithLabelValues(outcome).Inc()
	if err != nil {
		return nil, err
	}
	return picture.(*Picture), nil
}

// keep remembers what became of a fetch, unless it had no place.
func (f *Fetcher) keep(address string, picture *Picture, err error) {
	if errors.Is(err, ErrBusy) {
		return
	}
	until := f.now().Add(keepFor)
	if err != nil {
		until = f.now().Add(failedFor)
	}
	f.cache.put(address, outcome{picture, err, until})
}
