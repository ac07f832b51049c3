package fakenetwork

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"path"
	"regexp"
	"strings"

	"watchpost/internal/fakenetwork/page"
)

//go:embed app
var appFiles embed.FS

// form is what a site answers with.
type form int

const (
	formPages form = iota // pages rendered by the server
	formApp               // the single-page site, which renders in the browser
	formJSON              // the API of the single-page site
)

type formKey struct{}

// in returns a handler whose pages have a form.
func in(f form, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), formKey{}, f)))
	})
}

func formOf(r *http.Request) form {
	f, _ := r.Context().Value(formKey{}).(form)
	return f
}

// SinglePage returns the same network as a single-page site: every address
// answers with one document, whose script (folder app) renders the contents of
// the API under /api/, changes pages without loading, and loads lists while
// they are scrolled. Accounts, contents, writes and faults are those of the
// Site. An account sees one of two layouts. Class names are hashed and no
// element has data- attributes. Where the site has a name, the forum's pages
// are at the host forum. followed by that name.
func (s *Site) SinglePage() http.Handler {
	api := http.NewServeMux()
	api.Handle("/", s.mux)
	api.HandleFunc("GET /me", s.reading(func(v *visit) { v.show(http.StatusOK, "Me", page.Data{Kind: "me"}) }))
	mux := http.NewServeMux()
	mux.Handle("/api/", http.StripPrefix("/api", in(formJSON, api)))
	for _, own := range []string{"GET /static/", "GET /media/", "/_control/"} {
		mux.Handle(own, s.mux)
	}
	for _, own := range []string{"POST /sign-in", "POST /sign-out"} {
		mux.Handle(own, in(formApp, s.mux))
	}
	mux.HandleFunc("GET /app/{file}", s.appFile)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.document(w, r, http.StatusOK) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.guarded(mux, w, r) })
}

// document answers with the single-page site.
func (s *Site) document(w http.ResponseWriter, r *http.Request, status int) {
	raw, err := appFiles.ReadFile("app/index.html")
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(raw)
}

// className is a class in the files of the single-page site.
var className = regexp.MustCompile(`__[a-z]+`)

// appFile serves a file of the single-page site, with hashed class names.
func (s *Site) appFile(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	raw, err := appFiles.ReadFile("app/" + name)
	kind := map[string]string{".js": "text/javascript", ".css": "text/css"}[path.Ext(name)]
	if err != nil || kind == "" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", kind+"; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	hashed := className.ReplaceAllFunc(raw, func(class []byte) []byte {
		return fmt.Appendf(nil, "x%07x", hash(s.world.seed, string(class))&0xfffffff)
	})
	_, _ = w.Write(hashed) //nolint:gosec // a file of the embed.FS
}

// showData answers with a page's contents as JSON, and the layout to show them
// in.
func (v *visit) showData(status int, title string, data page.Data) {
	layout := ""
	switch {
	case v.faults.LayoutChanged:
		layout = "c"
	case v.me != nil:
		layout = layoutOf(v.me.slug)
	}
	v.w.Header().Set("Content-Type", "application/json; charset=utf-8")
	v.w.Header().Set("Cache-Control", "no-store")
	v.w.WriteHeader(status)
	_ = json.NewEncoder(v.w).Encode(struct {
		page.Data
		Title  string `json:"title"`
		Layout string `json:"layout"`
	}{data, title, layout})
}

// layoutOf returns the layout that an account sees: a or b.
func layoutOf(slug string) string {
	return string("ab"[hash(0, "layout "+slug)%2])
}

// cookieDomain is the domain of the cookie: a single-page site with a name
// shares it with its forum.
func cookieDomain(r *http.Request) string {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if formOf(r) != formApp || net.ParseIP(strings.Trim(host, "[]")) != nil || !strings.Contains(host, ".") {
		return ""
	}
	return strings.TrimPrefix(host, "forum.")
}
