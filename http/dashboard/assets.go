package dashboard

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

//go:embed assets
var assetFiles embed.FS

// asset is a file that pages load. Its name has a hash of the content, so that
// browsers keep it for good.
type asset struct {
	path    string
	content []byte
}

// assetParts lists the files of each asset, in their order.
var assetParts = map[string][]string{
	"app.css":    {"tokens.css", "app.css", "vendor/uPlot.min.css"},
	"icon.svg":   {"icon.svg"},
	"step-1.svg": {"step-1.svg"}, "step-2.svg": {"step-2.svg"}, "step-3.svg": {"step-3.svg"},
	"app.js":     {"vendor/htmx.min.js", "app.js"},
	"passkey.js": {"passkey.js"},
	"pair.js":    {"pair.js"},
	"chart.js":   {"vendor/uPlot.iife.min.js", "chart.js"},
}

// assets are the files by their name, and by the name with the hash.
var assets = sync.OnceValue(func() map[string]asset {
	all := map[string]asset{}
	for name, parts := range assetParts {
		var content []byte
		for _, part := range parts {
			b, err := assetFiles.ReadFile("assets/" + part)
			if err != nil {
				panic(err) // the file is embedded
			}
			content = append(append(content, b...), '\n')
		}
		sum := sha256.Sum256(content)
		extension := path.Ext(name)
		hashed := strings.TrimSuffix(name, extension) + "-" + hex.EncodeToString(sum[:6]) + extension
		a := asset{"/app/assets/" + hashed, content}
		all[name], all[hashed] = a, a
	}
	return all
})

// serveAsset serves a file under its hashed name.
func serveAsset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	a, known := assets()[name]
	if !known || path.Base(a.path) != name {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Content-Security-Policy", "default-src 'none'")
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(a.content))
}
