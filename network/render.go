package network

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"watchpost/network/page"
)

//go:embed templates/*.html
var templateFiles embed.FS

//go:embed static
var staticFiles embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"day":        func(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04") },
	"iso":        func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"more":       func(p *page.Paging) int { return p.Page + 1 },
	"less":       func(p *page.Paging) int { return p.Page - 1 },
	"likeButton": newLikeButton,
}).ParseFS(templateFiles, "templates/*.html"))

// shown is what a template gets.
type shown struct {
	Title string
	Data  page.Data
	// Next is where signing in leads to; Base is the address of the page
	// without its number, for links to other pages of a list.
	Next, Base string
}

// likeButton is the button by which the viewer, or a company of the viewer,
// likes a post.
type likeButton struct {
	URN, Slug, Label string // of whom the viewer acts as
	Liked            bool
	Post             *page.Post
}

func newLikeButton(urn, slug, label string, p *page.Post) likeButton {
	return likeButton{URN: urn, Slug: slug, Label: label, Liked: slices.Contains(p.LikedBy, urn), Post: p}
}

// show answers with a page.
func (v *visit) show(status int, title string, data page.Data) {
	data.V = page.Version
	data.Viewer = v.viewer()
	if data.Viewer != nil {
		data.CSRF = v.csrf
	}
	name := "page"
	if v.faults.LayoutChanged {
		name = "changed"
	}
	query := v.r.URL.Query()
	query.Del("page")
	base := v.r.URL.EscapedPath() + "?"
	if encoded := query.Encode(); encoded != "" {
		base += encoded + "&"
	}
	var b bytes.Buffer
	err := templates.ExecuteTemplate(&b, name, shown{Title: title, Data: data, Next: v.r.FormValue("next"), Base: base})
	if err != nil {
		v.opts.Logger.Error("network: page not rendered", "path", v.r.URL.Path, "error", err)
		http.Error(v.w, "Something went wrong", http.StatusInternalServerError)
		return
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.Header().Set("Cache-Control", "no-store")
	v.w.WriteHeader(status)
	_, _ = v.w.Write(b.Bytes())
}

// static serves the style sheet and the script of the pages.
func (s *Site) static(w http.ResponseWriter, r *http.Request) {
	http.ServeFileFS(w, r, staticFiles, "static/"+r.PathValue("file")) //nolint:gosec // the files of an embed.FS only
}

// media draws a picture for whatever is asked for: a coloured tile that
// follows from the name. There are no films.
func (s *Site) media(w http.ResponseWriter, r *http.Request) {
	kind, file := r.PathValue("kind"), r.PathValue("file")
	if !strings.HasSuffix(file, ".svg") {
		http.NotFound(w, r)
		return
	}
	hue := hash(0, kind+file) % 360
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Cache-Control", "public, max-age=86400")
	_, _ = fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" fill="hsl(%d 45%% 62%%)"/>`+
		`<circle cx="32" cy="25" r="11" fill="#fff" opacity=".8"/><path d="M10 60a22 20 0 0 1 44 0z" fill="#fff" opacity=".8"/></svg>`, hue)
}
