// Package docs serves the document of the API, and the reference page that is made of it.
package docs

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-fuego/fuego"

	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

// The reference is made of the OpenAPI document: a page that begins it, and one for each
// chapter. They load nothing from other servers.

//go:embed page.css page.html page.js recipes.html
var docsFiles embed.FS

// docsPage is a page as it is served.
type docsPage struct {
	html []byte
	// policy is the Content-Security-Policy: the page's own style and script
	// run, by their hashes, its empty icon is shown, and nothing else is.
	policy string
	etag   string
}

// docs are the API document and its page.
type docs struct {
	*endpoint.Server
	// document and pages are made when they are first asked for: most processes are never
	// asked, and making them takes longer than starting.
	document func() ([]byte, error)
	teams    func() ([]byte, error)              // the document for clients of a team
	pages    func() (map[string]docsPage, error) // by their paths
	recipes  func() (docsPage, error)
}

// Add adds a document and its page to the routes of the API.
func Add(s *endpoint.Server, document func() ([]byte, error)) {
	d := &docs{Server: s, document: sync.OnceValues(document), recipes: sync.OnceValues(newRecipesPage)}
	d.teams = sync.OnceValues(func() ([]byte, error) {
		document, err := d.document()
		if err != nil {
			return nil, err
		}
		return forTeams(document)
	})
	d.pages = sync.OnceValues(func() (map[string]docsPage, error) {
		document, err := d.document()
		if err != nil {
			return nil, err
		}
		return newDocsPages(document)
	})
	d.API.Get("/openapi.json", d.showOpenAPI, d.Operation(endpoint.Public, "openapi", "This document", endpoint.TagOps), fuego.OptionHide())
	d.API.Get(pathDocs, d.show(d.page(pathDocs)), d.Operation(endpoint.Public, "docs", "Reference page", endpoint.TagOps), fuego.OptionHide())
	for _, tag := range endpoint.Tags() {
		d.API.Get(pathOf(tag), d.show(d.page(pathOf(tag))), d.Operation(endpoint.Public, "docs"+idOf(tag), "Reference page of a chapter", endpoint.TagOps), fuego.OptionHide())
	}
	d.API.Get("/docs/recipes", d.show(d.recipes), d.Operation(endpoint.Public, "recipes", "Page of recipes", endpoint.TagOps), fuego.OptionHide())
}

// pathDocs is the page that begins the reference.
const pathDocs = "/docs"

// page returns one of the pages (NotFound: its chapter is empty).
func (d *docs) page(path string) func() (docsPage, error) {
	return func() (docsPage, error) {
		pages, err := d.pages()
		if err != nil {
			return docsPage{}, err
		}
		page, there := pages[path]
		if !there {
			return docsPage{}, watchpost.Errorf(watchpost.NotFound, "Not found")
		}
		return page, nil
	}
}

// show serves a page.
func (d *docs) show(made func() (docsPage, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		page, err := made()
		if err != nil {
			d.WriteError(r, err)
			return
		}
		x := endpoint.StateOf(r.Context())
		x.Revalidated()
		if x.Unchanged(r, page.etag) {
			return
		}
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Length", strconv.Itoa(len(page.html)))
		h.Set("Content-Security-Policy", page.policy)
		h.Set("Referrer-Policy", "same-origin") // a call on the page that tries them has to come from here
		_, _ = w.Write(page.html)
	}
}

func (d *docs) showOpenAPI(w http.ResponseWriter, r *http.Request) {
	read := d.document
	switch r.URL.Query().Get("for") {
	case "":
	case "teams":
		read = d.teams
	default:
		d.WriteError(r, watchpost.Errorf(watchpost.Invalid, "Invalid 'for': use teams"))
		return
	}
	document, err := read()
	if err != nil {
		d.WriteError(r, err)
		return
	}
	x := endpoint.StateOf(r.Context())
	x.Revalidated()
	if !x.Unchanged(r, endpoint.EtagOf(document)) {
		x.WriteJSON(http.StatusOK, document)
	}
}

// readPage reads the template of a page, which has the definitions of page.html, and the style
// of all pages.
func readPage(name string) (page *template.Template, style []byte, err error) {
	page, err = template.New(name).Funcs(template.FuncMap{"prose": prose}).ParseFS(docsFiles, "*.html")
	if err == nil {
		style, err = docsFiles.ReadFile("page.css")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("docs: %w", err)
	}
	return page, style, nil
}

// newDocsPages renders the pages of a document, by their paths.
func newDocsPages(document []byte) (map[string]docsPage, error) {
	read, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	page, style, err := readPage("page.html")
	if err != nil {
		return nil, err
	}
	script, err := docsFiles.ReadFile("page.js")
	if err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	policy := fmt.Sprintf("default-src 'none'; img-src data:; style-src %s; script-src %s; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
		sourceHash(style), sourceHash(script))
	view, pages := viewOf(read), map[string]docsPage{}
	for _, here := range append([]docsTag{{Path: pathDocs}}, view.Tags...) {
		var out bytes.Buffer
		err = page.Execute(&out, struct {
			docsView
			Here   docsTag
			Style  template.CSS
			Script template.JS
		}{view, here, template.CSS(style), template.JS(script)}) //nolint:gosec // files of ours
		if err != nil {
			return nil, fmt.Errorf("docs: %w", err)
		}
		pages[here.Path] = docsPage{out.Bytes(), policy, endpoint.EtagOf(out.Bytes())}
	}
	return pages, nil
}

// sourceHash names an inline style or script in a policy.
func sourceHash(b []byte) string {
	sum := sha256.Sum256(b)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
