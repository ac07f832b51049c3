package httpapi

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
)

// The reference page, made of the OpenAPI document: one page that loads
// nothing from other servers.

//go:embed docs
var docsFiles embed.FS

// docsPage is the page as it is served.
type docsPage struct {
	html []byte
	// policy is the Content-Security-Policy: the page's own style and script
	// run, by their hashes, and nothing else does.
	policy string
	etag   string
}

// docs are the API document and its page.
type docs struct {
	*shared
	// document and page are made when they are first asked for: most processes are never
	// asked, and making them takes longer than starting.
	document func() ([]byte, error)
	page     func() (docsPage, error)
}

// newDocs serves a document.
func newDocs(s *shared, document func() ([]byte, error)) *docs {
	d := &docs{shared: s, document: sync.OnceValues(document)}
	d.page = sync.OnceValues(func() (docsPage, error) {
		document, err := d.document()
		if err != nil {
			return docsPage{}, err
		}
		return newDocsPage(document)
	})
	return d
}

// Routes adds them to the API.
func (d *docs) Routes() {
	d.api.get("/openapi.json", d.showOpenAPI, d.operation(public, "openapi", "This document", tagOps), fuego.OptionHide())
	d.api.get("/docs", d.showDocs, d.operation(public, "docs", "Reference page", tagOps), fuego.OptionHide())
}

func (d *docs) showDocs(w http.ResponseWriter, r *http.Request) {
	page, err := d.page()
	if err != nil {
		d.writeError(r, err)
		return
	}
	x := stateOf(r.Context())
	x.revalidated()
	if x.unchanged(r, page.etag) {
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(page.html)))
	h.Set("Content-Security-Policy", page.policy)
	h.Set("Referrer-Policy", "same-origin") // a call on the page that tries them has to come from here
	_, _ = w.Write(page.html)
}

func (d *docs) showOpenAPI(w http.ResponseWriter, r *http.Request) {
	document, err := d.document()
	if err != nil {
		d.writeError(r, err)
		return
	}
	x := stateOf(r.Context())
	x.revalidated()
	if !x.unchanged(r, etagOf(document)) {
		x.writeJSON(http.StatusOK, document)
	}
}

// newDocsPage renders the page of a document.
func newDocsPage(document []byte) (docsPage, error) {
	read, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		return docsPage{}, fmt.Errorf("docs: %w", err)
	}
	page, err := template.New("page.html").Funcs(template.FuncMap{"prose": prose}).ParseFS(docsFiles, "docs/page.html")
	if err != nil {
		return docsPage{}, fmt.Errorf("docs: %w", err)
	}
	style, err := docsFiles.ReadFile("docs/page.css")
	if err != nil {
		return docsPage{}, fmt.Errorf("docs: %w", err)
	}
	script, err := docsFiles.ReadFile("docs/page.js")
	if err != nil {
		return docsPage{}, fmt.Errorf("docs: %w", err)
	}
	var out bytes.Buffer
	err = page.Execute(&out, struct {
		docsView
		Style  template.CSS
		Script template.JS
	}{viewOf(read), template.CSS(style), template.JS(script)}) //nolint:gosec // files of ours
	if err != nil {
		return docsPage{}, fmt.Errorf("docs: %w", err)
	}
	policy := fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
		sourceHash(style), sourceHash(script))
	return docsPage{out.Bytes(), policy, etagOf(out.Bytes())}, nil
}

// sourceHash names an inline style or script in a policy.
func sourceHash(b []byte) string {
	sum := sha256.Sum256(b)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
