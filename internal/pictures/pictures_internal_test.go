package pictures

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}

// open returns a fetcher whose time is at now.
func open(t *testing.T, private []netip.Prefix, now *time.Time) *Fetcher {
	t.Helper()
	f, err := New(Options{Private: private, Now: func() time.Time { return *now }, Metrics: prometheus.NewRegistry()})
	require.NoError(t, err)
	return f
}

// counted returns how many requests had an outcome.
func (f *Fetcher) counted(outcome string) int {
	return int(testutil.ToFloat64(f.counts.WithLabelValues(outcome)))
}

// pixel is a small image, in a format.
func pixel(t *testing.T, format string) []byte {
	t.Helper()
	var b bytes.Buffer
	var err error
	i := image.NewGray(image.Rect(0, 0, 1, 1))
	switch format {
	case "png":
		err = png.Encode(&b, i)
	case "jpeg":
		err = jpeg.Encode(&b, i, nil)
	case "gif":
		err = gif.Encode(&b, i, nil)
	case "webp":
		var content []byte
		content, err = base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
		b.Write(content)
	}
	require.NoError(t, err)
	return b.Bytes()
}

// TestFormats: the content decides what an image is, and nothing else is shown.
func TestFormats(t *testing.T) {
	t.Parallel()
	large := append(pixel(t, "png"), make([]byte, maxBytes)...)
	for name, c := range map[string]struct {
		header  string
		content []byte
		want    string
		err     error
	}{
		"png": {"image/png", pixel(t, "png"), "image/png", nil}, "jpeg": {"image/jpeg", pixel(t, "jpeg"), "image/jpeg", nil},
		"gif": {"image/gif", pixel(t, "gif"), "image/gif", nil}, "webp": {"image/webp", pixel(t, "webp"), "image/webp", nil},
		"a png that calls itself a page": {"text/html", pixel(t, "png"), "image/png", nil},
		"a page that calls itself a png": {"image/png", []byte("<html><script>alert(1)</script>"), "", ErrUnfit},
		"svg":                            {"image/svg+xml", []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), "", ErrUnfit},
		"svg that calls itself a png":    {"image/png", []byte(`<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>`), "", ErrUnfit},
		"empty":                          {"image/png", nil, "", ErrUnfit},
		"as large as allowed":            {"image/png", large[:maxBytes], "image/png", nil},
		"too large":                      {"image/png", large[:maxBytes+1], "", ErrUnfit},
	} {
		for _, chunked := range []bool{false, true} {
			host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", c.header)
				if chunked {
					w.(http.Flusher).Flush() // without Content-Length
				}
				_, _ = w.Write(c.content)
			}))
			now := time.Unix(1, 0)
			f := open(t, loopback, &now)
			got, err := f.Get(t.Context(), host.URL)
			require.Equal(t, c.err, err, name)
			if err == nil {
				require.Equal(t, c.want, got.Type, name)
				require.True(t, bytes.Equal(c.content, got.Content), name)
			}
			require.Equal(t, 1, f.counted(outcomes[err]), name)
			host.Close()
		}
	}
}

// TestAddresses: neither an address nor a redirect leads to a private network or out of
// HTTP, and a host learns nothing of the reader.
func TestAddresses(t *testing.T) {
	t.Parallel()
	content := pixel(t, "png")
	serve := func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Referer") != "" || r.Header.Get("Cookie") != "" || r.Header.Get("Authorization") != "" {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		_, _ = w.Write(content)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/image", serve)
	mux.HandleFunc("/hops/{n}", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1"})
		to := "/image"
		if n := r.PathValue("n"); n != "1" {
			to = "/hops/" + string(rune(n[0]-1))
		}
		http.Redirect(w, r, to, http.StatusFound)
	})
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
	})
	mux.HandleFunc("/missing", http.NotFound)
	outer := httptest.NewServer(mux)
	defer outer.Close()
	password := strings.Replace(outer.URL, "http://", "http://user:password@", 1)
	for _, c := range []struct {
		address string
		err     error
	}{
		{outer.URL + "/image", nil}, {outer.URL + "/hops/1", nil}, {outer.URL + "/hops/3", nil}, {outer.URL + "/hops/4", ErrFailed},
		{outer.URL + "/away?to=http://10.0.0.1/", ErrRefused}, {"http://10.0.0.1/", ErrRefused},
		{"http://169.254.169.254/latest/meta-data", ErrRefused}, {"http://[::1]/", ErrRefused}, {password + "/image", ErrRefused},
		{outer.URL + "/away?to=" + password + "/image", ErrRefused}, {outer.URL + "/away?to=file:///etc/passwd", ErrRefused},
		{"file:///etc/passwd", ErrRefused}, {"data:image/png;base64,AAAA", ErrRefused}, {"javascript:alert(1)", ErrRefused},
		{"//host/image", ErrRefused}, {"http://", ErrRefused}, {"http://\x00", ErrRefused}, {"", ErrRefused}, {outer.URL + "/missing", ErrFailed},
	} {
		now := time.Unix(1, 0)
		_, err := open(t, loopback, &now).Get(t.Context(), c.address)
		require.Equal(t, c.err, err, c.address)
	}
	now := time.Unix(1, 0)
	_, err := open(t, nil, &now).Get(t.Context(), outer.URL+"/image")
	require.Equal(t, ErrRefused, err, "the loopback is private")
}

// TestOnceForAll: readers of an image share one request, also when one of them leaves,
// and so do those who come later.
func TestOnceForAll(t *testing.T) {
	t.Parallel()
	content, asked := pixel(t, "png"), atomic.Int32{}
	begun, release := make(chan struct{}), make(chan struct{})
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 1 {
			close(begun)
		}
		<-release
		_, _ = w.Write(content)
	}))
	defer host.Close()
	now := time.Unix(1, 0)
	f := open(t, loopback, &now)
	first, leave := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	read := func(ctx context.Context) {
		got, err := f.Get(ctx, host.URL)
		if err != nil || !bytes.Equal(content, got.Content) {
			t.Errorf("a reader got %v", err)
		}
	}
	readers.Go(func() { read(first) })
	<-begun
	leave()
	for range 99 {
		readers.Go(func() { read(t.Context()) })
	}
	close(release)
	readers.Wait()
	require.EqualValues(t, 1, asked.Load())
	now = now.Add(keepFor - 1)
	read(t.Context())
	require.EqualValues(t, 1, asked.Load())
	require.Equal(t, []int{1, 100}, []int{f.counted("fetched"), f.counted(outcomeCached)})
	now = now.Add(1)
	read(t.Context())
	require.EqualValues(t, 2, asked.Load(), "it is fetched again after keepFor")
}

// TestFailuresAreRemembered: a host that fails is left alone for a while.
func TestFailuresAreRemembered(t *testing.T) {
	t.Parallel()
	asked := atomic.Int32{}
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusForbidden)
	}))
	defer host.Close()
	now := time.Unix(1, 0)
	f := open(t, loopback, &now)
	for range 3 {
		_, err := f.Get(t.Context(), host.URL)
		require.Equal(t, ErrFailed, err)
	}
	require.EqualValues(t, 1, asked.Load())
	now = now.Add(failedFor)
	_, err := f.Get(t.Context(), host.URL)
	require.Equal(t, ErrFailed, err)
	require.EqualValues(t, 2, asked.Load())
}

// TestSlowHosts: hosts that do not answer hold up to maxFetches places, and each for a
// while only. A reader who found no place finds one later.
func TestSlowHosts(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}, maxFetches), make(chan struct{})
	content := pixel(t, "png")
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/fast" {
			_, _ = w.Write(content[:20]) // begins as an image
			w.(http.Flusher).Flush()
			arrived <- struct{}{}
			<-release
			return
		}
		_, _ = w.Write(content)
	}))
	defer host.Close()
	defer close(release)
	now := time.Unix(1, 0)
	f := open(t, loopback, &now)
	f.timeout = 2 * time.Second
	var slow sync.WaitGroup
	for n := range maxFetches {
		slow.Go(func() {
			if _, err := f.Get(t.Context(), fmt.Sprintf("%s/slow/%d", host.URL, n)); err != ErrFailed { //nolint:errorlint // it is never wrapped
				t.Errorf("a slow host: %v", err)
			}
		})
	}
	for range maxFetches {
		<-arrived
	}
	quick := open(t, loopback, &now)
	quick.places, quick.timeout = f.places, time.Millisecond
	_, err := quick.Get(t.Context(), host.URL+"/fast")
	require.Equal(t, ErrBusy, err)
	slow.Wait()
	_, err = f.Get(t.Context(), host.URL+"/fast")
	require.NoError(t, err)
}

// TestCacheIsBounded: the cache keeps to its bytes, and the images that were used last.
func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	now := time.Unix(1, 0)
	c := newCache(10_000)
	for n := range 100 {
		c.put(fmt.Sprint(n), outcome{&Picture{"image/png", make([]byte, 1000)}, nil, now.Add(time.Hour)})
		require.LessOrEqual(t, c.held, c.most)
		_, kept := c.get("0", now)
		require.True(t, kept, "it was used last")
	}
	require.Len(t, c.known, 7)
	for n := range 100 {
		c.put("failed "+fmt.Sprint(n), outcome{nil, ErrFailed, now.Add(time.Hour)})
	}
	require.LessOrEqual(t, c.held, c.most)
	require.Equal(t, c.order.Len(), len(c.known))
	c.put("failed 99", outcome{nil, ErrFailed, now.Add(time.Minute)})
	require.Equal(t, c.order.Len(), len(c.known))
	_, kept := c.get("failed 99", now.Add(time.Minute))
	require.False(t, kept, "it is too old")
	for c.order.Len() > 0 {
		c.remove(c.order.Back())
	}
	require.Zero(t, c.held)
}
