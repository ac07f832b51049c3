package httpapi

import (
	"net/http"
	"os"

	"github.com/go-fuego/fuego"

	"watchpost"
)

func (s *Server) downloadRoutes() {
	fuego.GetStd(s.api, "/extension.zip", s.downloadExtension,
		s.operation(public, "downloadExtension", "The browser extension", tagOps), fuego.OptionHide())
	fuego.GetStd(s.api, "/extension/removed", showRemoved,
		s.operation(public, "removedExtension", "What remains of a removed extension", tagOps), fuego.OptionHide())
}

// removedPage is what a browser opens after its extension was removed without
// being unpaired.
const removedPage = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Watchpost was removed</title>
<h1>Watchpost was removed from this browser</h1>
<p>Nothing more is done here, and the extension's data is deleted. The service still lists the browser until its session is revoked:</p>
<ol><li>Sign in and open the <a href="/app/team">team page</a>.</li><li>Choose “Disconnect” at the browser.</li></ol>
<p>A team's admin can do that for every member. A session that is not used ends by itself after 90 days.</p>
</html>
`

func showRemoved(w http.ResponseWriter, _ *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	_, _ = w.Write([]byte(removedPage))
}

// downloadExtension serves the file that the operator has named. It is opened
// for each request: a newer build is offered without a restart.
func (s *Server) downloadExtension(w http.ResponseWriter, r *http.Request) {
	missing := watchpost.Errorf(watchpost.NotFound, textNotFound)
	if s.extension == "" {
		s.writeError(r, missing)
		return
	}
	file, err := os.Open(s.extension)
	if err != nil {
		s.writeError(r, missing)
		return
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		s.writeError(r, missing)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/zip")
	h.Set("Content-Disposition", `attachment; filename="watchpost-extension.zip"`)
	http.ServeContent(w, r, "", info.ModTime(), file)
}
