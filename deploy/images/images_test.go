package main

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// registry is a registry that wants a token, and has one manifest for a tag.
type registry struct {
	*httptest.Server
	manifest string
	digest   string // that it says; "" for that of the manifest
}

func newRegistry(t *testing.T) *registry {
	r := &registry{manifest: `{"schemaVersion":2}`}
	r.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		switch {
		case request.URL.Path == "/token":
			_, _ = fmt.Fprintf(w, `{"token":"for %s"}`, request.URL.Query().Get("scope"))
		case request.URL.Path != "/v2/others/proxy/manifests/3.2":
			w.WriteHeader(http.StatusNotFound)
		case request.Header.Get("Authorization") != "Bearer for repository:others/proxy:pull":
			w.Header().Set("WWW-Authenticate", `Bearer realm="`+r.URL+`/token",service="registry",scope="repository:others/proxy:pull"`)
			w.WriteHeader(http.StatusUnauthorized)
		case !strings.HasPrefix(request.Header.Get("Accept"), "application/vnd.oci.image.index.v1+json"):
			w.WriteHeader(http.StatusNotAcceptable)
		default:
			if r.digest != "" {
				w.Header().Set("Docker-Content-Digest", r.digest)
			}
			_, _ = w.Write([]byte(r.manifest))
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// TestPin writes the digests of a registry into a compose file, and new ones when the tag
// has moved; the service's own image has none.
func TestPin(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "compose.yaml")
	reference := strings.TrimPrefix(r.URL, "https://") + "/others/proxy:3.2"
	text := "services:\n  a:\n    image: watchpost:latest\n  b:\n    image: " + reference + "\n    restart: on-failure\n"
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	require.Equal(t, []string{reference}, unpinned(text))
	for _, manifest := range []string{r.manifest, `{"schemaVersion":2,"manifests":[]}`} {
		r.manifest = manifest
		require.NoError(t, run(t.Context(), r.Client(), []string{"-dir", dir}))
		pinned, err := os.ReadFile(file)
		require.NoError(t, err)
		digest := fmt.Sprintf("@sha256:%x", sha256.Sum256([]byte(manifest)))
		require.Equal(t, strings.Replace(text, reference, reference+digest, 1), string(pinned))
		require.Empty(t, unpinned(string(pinned)))
	}

	before, err := os.ReadFile(file)
	require.NoError(t, err)
	r.digest = "sha256:" + strings.Repeat("0", 64)
	require.ErrorContains(t, run(t.Context(), r.Client(), []string{"-dir", dir}), "its bytes have")
	r.Close()
	require.Error(t, run(t.Context(), r.Client(), []string{"-dir", dir}))
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, before, after, "a file is written when all of it is known")
}

// TestImagesOfOthers: the files of this repository name images that can be pinned: each
// has a tag, and none is read past.
func TestImagesOfOthers(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../compose*.yaml")
	require.NoError(t, err)
	require.Len(t, files, 2)
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, strings.Count(string(content), "image: "), len(image.FindAllString(string(content), -1)), file)
	}
}
