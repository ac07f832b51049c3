package httpapi_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	httpapi "watchpost/http"
)

const ourExtension = "chrome-extension://abcdefghijklmnopabcdefghijklmnop"

// Pages of the extension may read the service's replies; other pages may not.
func TestExtensionsPagesMayCall(t *testing.T) {
	t.Parallel()
	h := build(t, func(o *httpapi.Options) { o.ExtensionOrigins = []string{ourExtension} })
	asks := func(path, origin string) reply {
		return h.do("OPTIONS", path, "", "Origin", origin, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,content-type")
	}
	for _, path := range []string{"/extension/sign-in", "/extension/poll", "/network-agent/auth-send-otp"} {
		r := asks(path, ourExtension)
		require.Equal(t, http.StatusNoContent, r.status, path)
		require.Equal(t, ourExtension, r.header.Get("Access-Control-Allow-Origin"))
		require.Equal(t, "POST", r.header.Get("Access-Control-Allow-Methods"))
		require.Contains(t, r.header.Get("Access-Control-Allow-Headers"), "authorization")
		require.Equal(t, "Origin", r.header.Get("Vary"))

		r = h.do("POST", path, "{}", "Origin", ourExtension)
		require.Equal(t, ourExtension, r.header.Get("Access-Control-Allow-Origin"), path)

		for _, foreign := range []string{"http://evil.example", ourExtension + "x", "null"} {
			r = asks(path, foreign)
			require.Equal(t, http.StatusMethodNotAllowed, r.status, path)
			require.Empty(t, r.header.Get("Access-Control-Allow-Origin"), path)
		}
	}
	for _, path := range []string{"/api-posts", "/network-agent/auth-verify-otp", "/extension/socket"} {
		require.Empty(t, asks(path, ourExtension).header.Get("Access-Control-Allow-Origin"), path)
	}
}

func TestExtensionDownload(t *testing.T) {
	t.Parallel()
	build(t).do("GET", "/extension.zip", "").fails(404, "Not found")
	file := filepath.Join(t.TempDir(), "extension.zip")
	h := build(t, func(o *httpapi.Options) { o.ExtensionFile = file })
	h.do("GET", "/extension.zip", "").fails(404, "Not found")
	require.NoError(t, os.WriteFile(file, []byte("PK a zip"), 0o600))
	r := h.do("GET", "/extension.zip", "")
	require.Equal(t, 200, r.status)
	require.Equal(t, "PK a zip", r.raw)
	require.Equal(t, "application/zip", r.header.Get("Content-Type"))
	require.Contains(t, r.header.Get("Content-Disposition"), "watchpost-extension.zip")
}

// TestExtensionUpdates: the service offers the operator's packages and their
// update manifests, and allows the extension's id that they name.
func TestExtensionUpdates(t *testing.T) {
	t.Parallel()
	build(t).do("GET", "/extension/updates/chrome.xml", "").fails(404, "Not found")
	folder := t.TempDir()
	id := "chrome-extension://ponmlkjihgfedcbaponmlkjihgfedcba"
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	write("chrome.xml", `<?xml version="1.0"?><gupdate xmlns="http://www.google.com/update2/response" protocol="2.0"><app appid="ponmlkjihgfedcbaponmlkjihgfedcba"><updatecheck/></app></gupdate>`)
	write("watchpost.crx", "Cr24")
	write("key.pem", "secret")
	h := build(t, func(o *httpapi.Options) {
		o.ExtensionOrigins, o.ExtensionUpdates = []string{"moz-extension://*"}, folder
	})
	r := h.do("GET", "/extension/updates/watchpost.crx", "")
	require.Equal(t, "Cr24", r.raw)
	require.Equal(t, "application/x-chrome-extension", r.header.Get("Content-Type"))
	require.Equal(t, "text/xml; charset=utf-8", h.do("GET", "/extension/updates/chrome.xml", "").header.Get("Content-Type"))
	for _, none := range []string{"key.pem", "watchpost.xpi", "..%2fchrome.xml"} {
		h.do("GET", "/extension/updates/"+none, "").fails(404, "Not found")
	}
	for origin, allowed := range map[string]bool{
		id: true, "moz-extension://3d9dc2a7-2d6c-4a3f-9df6-0e0f5a1f2b3c": true, ourExtension: false, "https://moz-extension.example": false,
	} {
		r := h.do("POST", "/extension/sign-in", "{}", "Origin", origin, "Sec-Fetch-Site", "cross-site")
		require.Equal(t, allowed, r.header.Get("Access-Control-Allow-Origin") == origin, origin)
		require.Equal(t, allowed, r.status == 400, origin)
	}
}
