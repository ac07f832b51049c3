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
