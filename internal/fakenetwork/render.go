package fakenetwork

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"watchpost/internal/fakenetwork/page"
)

//go:embed templates/*.html
var templateFiles embed.FS

//go:embed static
var staticFiles embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"day":      day,
	"iso":      iso,
	"month":    month,
	"number":   groupDigits,
	"verbatim": verbatim,
	"tagged":   tagged,
	"plural":   plural,
}).ParseFS(templateFiles, "templates/*.html"))

// show renders a page.
func (v *visit) show(status int, title string, data page.Data) {
	data.V = page.Version
	data.Viewer = v.viewer()
	if data.Viewer != nil {
		data.CSRF = v.csrf
	}
	if v.opts.Control && data.Paging != nil && data.Posts != nil {
		v.records.noteList(v, &data)
	}
	switch formOf(v.r) {
	case formJSON:
		v.showData(status, title, data)
		return
	case formApp:
		v.document(v.w, v.r, status)
		return
	case formPages:
	}
	name := "page"
	if v.faults.LayoutChanged {
		name = "changed"
	}
	s := &shown{Title: title, Data: data, Return: v.r.FormValue("next"), Now: v.now, request: v.r.URL.Query()}
	s.Newer, s.Older = v.neighbours(data.Kind, data.Paging)
	if v.me != nil {
		me := memberActor(v.me)
		s.Me = &me
	}
	switch data.Kind {
	case page.KindSignIn:
		s.Suggested = v.personas()
	case page.KindFeed:
		s.Suggested = v.acquaintances()
	}
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, s); err != nil {
		v.opts.Logger.Error("network: page not rendered", "path", v.r.URL.Path, "error", err)
		http.Error(v.w, "Something went wrong", http.StatusInternalServerError)
		return
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.Header().Set("Cache-Control", "no-store")
	v.w.WriteHeader(status)
	_, _ = v.w.Write(b.Bytes())
}

// neighbours returns the addresses of the previous and next page of a list,
// empty if there is none. Lists of posts use page numbers, lists of people
// offsets.
func (v *visit) neighbours(kind page.Kind, p *page.Paging) (newer, older string) {
	if p == nil {
		return "", ""
	}
	query := v.r.URL.Query()
	address := func(name string, value int) string {
		query.Set(name, strconv.Itoa(value))
		return (&url.URL{Path: v.r.URL.Path, RawQuery: query.Encode()}).String()
	}
	parameter, back, forward := "page", p.Page-1, p.Page+1
	if kind == page.KindPeople || kind == page.KindConnections {
		start, count := v.slice(kind)
		parameter, back, forward = "start", max(0, start-count), start+count
	}
	if p.Page > 1 {
		newer = address(parameter, back)
	}
	if p.More {
		older = address(parameter, forward)
	}
	return newer, older
}

// suggestions is the number of suggested people on a page.
const suggestions = 5

// tourist is the member as whom the README's tour signs in.
const tourist = "ada"

// personas are members for one-click sign-in: the tour's, who exists after her
// first sign-in, and some of the world.
func (v *visit) personas() []page.Person {
	ada := v.records.member(tourist)
	if ada == nil {
		ada = v.world.createMember(tourist, func(uint64) bool { return false })
	}
	var list []page.Person
	for _, m := range append([]*member{ada}, v.world.members[:suggestions-1]...) {
		list = append(list, page.Person{URN: m.urn(), Slug: m.slug, Name: m.name(), Headline: m.headline, Image: memberActor(m).Image})
	}
	return list
}

// acquaintances are members to invite: colleagues first.
func (v *visit) acquaintances() []page.Person {
	var list []page.Person
	for _, degree := range []int{2, 3} {
		for _, m := range v.world.members {
			if len(list) == suggestions {
				return list
			}
			if v.degree(m) == degree && v.relation(m) == page.RelationNone {
				list = append(list, v.personView(m))
			}
		}
	}
	return list
}

// static serves the style sheet and the script of the pages.
func (s *Site) static(w http.ResponseWriter, r *http.Request) {
	http.ServeFileFS(w, r, staticFiles, "static/"+r.PathValue("file")) //nolint:gosec // the files of an embed.FS only
}

// media draws a picture for any name: a tile whose colour follows from the
// name. A client that does not take SVG gets a PNG. There are no videos.
func (s *Site) media(w http.ResponseWriter, r *http.Request) {
	kind, file := r.PathValue("kind"), r.PathValue("file")
	if !strings.HasSuffix(file, ".svg") {
		http.NotFound(w, r)
		return
	}
	hue := hash(0, kind+file) % 360
	w.Header().Set("Cache-Control", "public, max-age=86400")
	w.Header().Set("Vary", "Accept")
	if _, drawn := rasters[kind]; drawn && !takesSVG(r) {
		w.Header().Set("Content-Type", "image/png")
		_ = writePNG(w, kind, hue) // fails when the client has left
		return
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	_, _ = fmt.Fprintf(w, pictures[kind], hue, (hue+40)%360)
}

// pictures are the drawings by kind, each with the hues of two colours: a head
// for members, a house for companies, a landscape for posts.
var pictures = map[string]string{
	"members": `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" fill="hsl(%d 42%% 58%%)"/>` +
		`<g fill="hsl(%d 60%% 93%%)"><circle cx="32" cy="25" r="11"/><path d="M10 62a22 21 0 0 1 44 0z"/></g></svg>`,
	"companies": `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" fill="hsl(%d 38%% 42%%)"/>` +
		`<path fill="hsl(%d 60%% 93%%)" d="M14 52V24l12-8v8l12-8v8l12-8v36zm8-18v6h5v-6zm11 0v6h5v-6zm11 0v6h3v-6zM29 52v-8h6v8z"/></svg>`,
	"posts": `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 320"><rect width="640" height="320" fill="hsl(%d 55%% 84%%)"/>` +
		`<g fill="hsl(%d 40%% 52%%)"><circle cx="500" cy="90" r="42" opacity=".6"/><path d="M0 320V230l150-110 120 90 130-120 240 150v80z"/></g></svg>`,
}
