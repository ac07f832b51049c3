package httpapi_test

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	httpapi "watchpost/http"
	"watchpost/internal/pictures"
)

// withPictures lets the dashboard fetch images of this machine.
func withPictures(t *testing.T) func(*httpapi.Options) {
	t.Helper()
	return func(o *httpapi.Options) {
		o.Metrics = prometheus.NewRegistry()
		var err error
		o.Pictures, err = pictures.New(pictures.Options{Private: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Now: time.Now, Metrics: o.Metrics})
		require.NoError(t, err)
	}
}

// imageHost serves an image for all paths but those of what is none, and counts requests.
type imageHost struct {
	*httptest.Server
	image []byte
	asked atomic.Int32
}

func openImageHost(t *testing.T) *imageHost {
	t.Helper()
	var content bytes.Buffer
	require.NoError(t, png.Encode(&content, image.NewGray(image.Rect(0, 0, 200, 100))))
	host := &imageHost{image: content.Bytes()}
	host.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host.asked.Add(1)
		switch {
		case strings.HasPrefix(r.URL.Path, "/gone"):
			w.WriteHeader(http.StatusForbidden)
		case strings.HasSuffix(r.URL.Path, ".svg"):
			w.Header().Set("Content-Type", "image/svg+xml")
			_, _ = w.Write([]byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`))
		default:
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write(host.image)
		}
	}))
	t.Cleanup(host.Close)
	return host
}

var shownImage = regexp.MustCompile(`<img src="([^"]+)" alt="([^"]*)"`)

// TestDashboardImages: images and avatars of posts come through the service, fetched once,
// and only members of the post's team get them. What cannot be fetched leaves a drawing.
func TestDashboardImages(t *testing.T) {
	t.Parallel()
	host := openImageHost(t)
	h := build(t, withPictures(t))
	m := h.team("Readers", "growth")
	shown, broken := sample(1, "telemetry in a picture"), sample(2, "telemetry in a broken picture")
	shown.ImageURLs, shown.ImageText = []string{host.URL + "/1.png", host.URL + "/2.svg", host.URL + "/3.png", host.URL + "/4.png", host.URL + "/5.png"}, `A "chart"`
	shown.AuthorImageURL = host.URL + "/author.png"
	broken.ImageURLs, broken.AuthorImageURL = []string{host.URL + "/gone/1.png"}, host.URL+"/gone/author.png"
	m.collect(m.join(), "telemetry", shown, broken, sample(3, "telemetry in words"))
	b := h.browser()
	b.signIn(m.email)

	page := b.do("GET", "/app", "")
	require.Contains(t, page.header.Get("Content-Security-Policy"), "img-src 'self';")
	require.NotContains(t, page.raw, host.URL)
	require.Contains(t, page.raw, "<span>5 images</span>")
	images := shownImage.FindAllStringSubmatch(page.raw, -1)
	require.Len(t, images, 2+4+1, "avatars, and at most four images of a post")
	for _, i := range images {
		require.Regexp(t, `^/app/(avatars/[^/]+|images/[^/]+/[0-9])$`, i[1])
	}
	require.Equal(t, []string{"", `Image 1: A &#34;chart&#34;`, "Image 2"}, []string{images[0][2], images[1][2], images[2][2]})
	require.Zero(t, host.asked.Load(), "a page does not wait for images")

	avatar, first, svg, gone, goneAvatar := images[0][1], images[1][1], images[2][1], images[6][1], images[5][1]
	for _, c := range []struct {
		path, kind, age, part string
	}{
		{first, "image/png", "private, max-age=86400", string(host.image)}, {avatar, "image/png", "private, max-age=86400", string(host.image)},
		{svg, "image/svg+xml", "no-store", "Image not available"}, {gone, "image/svg+xml", "no-store", "Image not available"},
		{goneAvatar, "image/svg+xml", "no-store", "<svg"},
	} {
		for range 2 {
			got := b.do("GET", c.path, "", "Accept-Encoding", "identity")
			require.Equal(t, 200, got.status, c.path)
			require.Equal(t, c.kind, got.header.Get("Content-Type"), c.path)
			require.Equal(t, c.age, got.header.Get("Cache-Control"), c.path)
			require.Equal(t, "nosniff", got.header.Get("X-Content-Type-Options"), c.path)
			require.Equal(t, "default-src 'none'; sandbox", got.header.Get("Content-Security-Policy"), c.path)
			require.Equal(t, "inline", got.header.Get("Content-Disposition"), c.path)
			require.Contains(t, got.raw, c.part, c.path)
			require.NotContains(t, got.raw, "alert", c.path)
		}
	}
	require.EqualValues(t, 5, host.asked.Load(), "each address is asked once")
	metrics := h.admin("GET", "/metrics", "").raw
	for outcome, n := range map[string]string{"fetched": "2", "unfit": "1", "failed": "2", "cached": "5", "refused": "0", "busy": "0"} {
		require.Contains(t, metrics, `watchpost_pictures_total{outcome="`+outcome+`"} `+n)
	}

	// No one else, and nothing else.
	post := strings.TrimSuffix(first, "/0")
	for _, path := range []string{post + "/5", post + "/-1", post + "/x", post, "/app/images/none/0", "/app/avatars/none"} {
		require.Equal(t, 404, b.do("GET", path, "").status, path)
	}
	other, stranger := h.browser(), h.browser()
	other.signIn(h.team("Others", "growth").email)
	for _, path := range []string{first, avatar} {
		require.Equal(t, 404, other.do("GET", path, "").status, path)
		out := stranger.do("GET", path, "")
		require.Equal(t, 303, out.status, path)
		require.Equal(t, "/app/sign-in", out.header.Get("Location"), path)
	}
	require.Equal(t, 200, b.do("GET", first+"?url="+host.URL+"/secret", "").status)
	require.EqualValues(t, 5, host.asked.Load(), "a request names no address")

	// The pages of authors have the picture of the last post.
	require.Contains(t, b.do("GET", "/app/people", "").raw, `<img src="/app/avatars/`)
	require.Contains(t, b.do("GET", "/app/people/profile/jane-doe", "").raw, `<img src="/app/avatars/`)
}

// TestDashboardWithoutImages: without a fetcher the pages say that there are images.
func TestDashboardWithoutImages(t *testing.T) {
	t.Parallel()
	host := openImageHost(t)
	h := build(t)
	m := h.team("Readers", "growth")
	post := sample(1, "telemetry in a picture")
	post.ImageURLs, post.AuthorImageURL = []string{host.URL + "/1.png"}, host.URL+"/author.png"
	m.collect(m.join(), "telemetry", post)
	b := h.browser()
	b.signIn(m.email)
	for _, path := range []string{"/app", "/app/people", "/app/people/profile/jane-doe"} {
		require.NotContains(t, b.do("GET", path, "").raw, "<img", path)
	}
	page := b.do("GET", "/app", "").raw
	require.Contains(t, page, "<span>1 image</span>")
	id := regexp.MustCompile(`<article class="post" id="p-([^"]+)"`).FindStringSubmatch(page)[1]
	for _, path := range []string{"/app/images/" + id + "/0", "/app/avatars/" + id} {
		require.Equal(t, "no-store", b.do("GET", path, "").header.Get("Cache-Control"), path)
	}
	require.Zero(t, host.asked.Load())
}
