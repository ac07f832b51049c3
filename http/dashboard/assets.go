package dashboard

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"watchpost/internal/text"
	"watchpost/internal/words"
	"watchpost/watchpost"
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
	"app.css":      {"tokens.css", "app.css", "vendor/uPlot.min.css"},
	"icon.svg":     {"icon.svg"},
	"no-image.svg": {"no-image.svg"}, "no-avatar.svg": {"no-avatar.svg"},
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

// imageView is an image of a post.
type imageView struct{ Href, Alt string }

// Bounds of the images of a post on a page.
const (
	imagesShown = 4
	altLength   = 300
)

// imagesOf are the first images of a post. The text of the image describes the first.
func imagesOf(say *words.Language, p *watchpost.Post) (list []imageView) {
	for n := range min(len(p.ImageURLs), imagesShown) {
		alt := say.Text("feed.the_image")
		if len(p.ImageURLs) > 1 {
			alt = say.Text("feed.image_n", "n", n+1)
		}
		if n == 0 && p.ImageText != "" {
			alt += ": " + text.Clip(p.ImageText, altLength)
		}
		list = append(list, imageView{pathImages + "/" + string(p.ID) + "/" + strconv.Itoa(n), alt})
	}
	return list
}

// avatarOf is the address of the picture of a post's author; "" when images are not shown.
func (d *Dashboard) avatarOf(post watchpost.PostID) string {
	if d.Picture == nil {
		return ""
	}
	return pathAvatars + "/" + string(post)
}

// image shows an image of a post.
func (d imagePages) image(w http.ResponseWriter, r *http.Request, v *visit) error {
	page, err := d.Registry.Post(r.Context(), v.session.Team, watchpost.PostID(r.PathValue("post")))
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil || n < 0 || n >= len(page.Post.ImageURLs) {
		return watchpost.WrapError(watchpost.NotFound, "Not found", err)
	}
	d.showPicture(w, r, page.Post.ImageURLs[n], "no-image.svg")
	return nil
}

// avatar shows the picture of a post's author. Below it the page has the initials, which
// stay visible when there is none.
func (d imagePages) avatar(w http.ResponseWriter, r *http.Request, v *visit) error {
	page, err := d.Registry.Post(r.Context(), v.session.Team, watchpost.PostID(r.PathValue("post")))
	if err != nil {
		return err
	}
	d.showPicture(w, r, page.Post.AuthorImageURL, "no-avatar.svg")
	return nil
}

// pictureAge is how long a browser keeps an image.
const pictureAge = "private, max-age=86400"

// showPicture answers with the image at an address, which must come from a stored post: a
// request that could name it would lead the service anywhere. In place of an image that
// cannot be fetched it shows an asset, which no browser keeps.
func (d *Dashboard) showPicture(w http.ResponseWriter, r *http.Request, address, instead string) {
	kind, content, age := "image/svg+xml", assets()[instead].content, "no-store"
	if d.Picture != nil && address != "" {
		if picture, err := d.Picture(r.Context(), address); err == nil { // a metric counts the failures
			kind, content, age = picture.Type, picture.Content, pictureAge
		}
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", "inline")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", age)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}
