package endpoint

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/gzhttp"
)

// Replies that are large and asked for again and again have an ETag and are
// compressed for clients that ask for it. Other requests do not pay for compression: RequestState
// writes past it.

// compressedPaths are the paths of such replies.
var compressedPaths = []string{"/api-posts", "/openapi.json"}

// compressedPages begin the paths of the dashboard and of the reference. Other sites
// cannot make a browser load a page with its session, so they cannot guess its content
// from the size.
var compressedPages = []string{"/app", "/docs"}

// EventStream is sent as it comes.
const EventStream = "/app/events"

// ChangesPath is where changes are followed: a request may wait, or be a stream.
const ChangesPath = "/api-changes"

// Streams reports whether the reply to a request is a stream without end.
func Streams(r *http.Request) bool {
	if r.URL.Path != ChangesPath || r.Method != http.MethodGet {
		return r.URL.Path == EventStream
	}
	for _, accepted := range r.Header["Accept"] {
		for kind := range strings.SplitSeq(accepted, ",") {
			kind, _, _ = strings.Cut(kind, ";")
			if strings.EqualFold(strings.TrimSpace(kind), "text/event-stream") {
				return true
			}
		}
	}
	return false
}

// compresses reports whether the replies of a path are compressed.
func compresses(path string) bool {
	page := slices.ContainsFunc(compressedPages, func(begin string) bool { return strings.HasPrefix(path, begin) })
	return (page || slices.Contains(compressedPaths, path)) && path != EventStream
}

// leastCompressed is the size from which compression saves a packet.
const leastCompressed = 1400

// maxCompressors bounds the compressors in use. Each takes about a megabyte until the
// client has read the reply, so clients that do not read must not get as many as they
// ask for. Without one a reply is sent as it is.
const maxCompressors = 64

// compressed puts gzip and zstd around a handler.
func compressed(next http.Handler) (http.Handler, error) {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(leastCompressed))
	if err != nil {
		return nil, err
	}
	compressing, compressors := wrap(next), make(chan struct{}, maxCompressors)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || !compresses(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		if len(r.Header["Accept-Encoding"]) == 0 {
			w.Header()["Vary"] = variesByEncoding
			next.ServeHTTP(w, r)
			return
		}
		select {
		case compressors <- struct{}{}:
			defer func() { <-compressors }()
			compressing.ServeHTTP(w, r)
		default:
			w.Header()["Vary"] = variesByEncoding
			next.ServeHTTP(w, r)
		}
	}), nil
}

var variesByEncoding = []string{"Accept-Encoding"}

// asksForTag reports whether a client uses what a tag is for: the others do not
// pay for it.
func asksForTag(r *http.Request) bool {
	return len(r.Header["Accept-Encoding"]) > 0 || len(r.Header["If-None-Match"]) > 0
}

// EtagOf names a body. The tag is weak, as the body may be compressed.
func EtagOf(body []byte) string {
	const hexadecimal = 16
	return `W/"` + strconv.FormatUint(xxhash.Sum64(body), hexadecimal) + `"`
}

// Unchanged sets the tag of a reply and reports whether the client has a reply
// with that tag; then the answer is 304.
func (x *RequestState) Unchanged(r *http.Request, tag string) bool {
	x.Header()["Etag"] = []string{tag}
	for _, list := range r.Header["If-None-Match"] {
		for known := range strings.SplitSeq(list, ",") {
			known = strings.TrimSpace(known)
			if known == "*" || strings.TrimPrefix(known, "W/") == strings.TrimPrefix(tag, "W/") {
				x.WriteHeader(http.StatusNotModified)
				x.Send()
				return true
			}
		}
	}
	return false
}

// Revalidated lets caches keep a reply that is no team's own, if they ask each
// time whether it still holds.
func (x *RequestState) Revalidated() { x.Header()["Cache-Control"] = []string{"no-cache"} }
