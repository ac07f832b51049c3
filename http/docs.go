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

func (s *Server) docsRoutes() {
	fuego.GetStd(s.api, "/docs", s.showDocs, s.operation(public, "docs", "Reference page", tagOps), fuego.OptionHide())
}

func (s *Server) showDocs(w http.ResponseWriter, r *http.Request) {
	page, err := s.docs()
	if err != nil {
		s.writeError(r, err)
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
