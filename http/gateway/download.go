package gateway

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"

	"github.com/go-fuego/fuego"

	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

// Downloads are the files of the browser extension.
type Downloads struct {
	*endpoint.Server
	// File is the zip of the extension; empty, or a file that is not there, means that
	// there is none.
	File string
	// Updates is the folder with signed packages and their manifests; empty: none.
	Updates string
}

// Routes adds them to the API.
func (s Downloads) Routes() {
	s.API.Get("/extension.zip", s.downloadExtension,
		s.Operation(endpoint.Public, "downloadExtension", "The browser extension", endpoint.TagOps), fuego.OptionHide())
	s.API.Get("/extension/updates/{file}", s.downloadUpdate,
		s.Operation(endpoint.Public, "extensionUpdates", "Updates of the browser extension", endpoint.TagOps), fuego.OptionHide())
	s.API.Get("/extension/removed", showRemoved,
		s.Operation(endpoint.Public, "removedExtension", "What remains of a removed extension", endpoint.TagOps), fuego.OptionHide())
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

// updates are the files of updates and their types. Browsers ask for a manifest
// every few hours, and for the package when the manifest has a newer version.
var updates = map[string]string{
	"chrome.xml":    "text/xml; charset=utf-8",
	"watchpost.crx": "application/x-chrome-extension",
	"firefox.json":  "application/json",
	"watchpost.xpi": "application/x-xpinstall",
}

// OriginOfUpdates returns the origin of the extension that a folder has updates
// for.
func OriginOfUpdates(folder string) (string, error) {
	manifest, err := os.ReadFile(filepath.Join(folder, "chrome.xml"))
	if err != nil {
		return "", fmt.Errorf("updates of the extension (make extension-updates): %w", err)
	}
	var update struct {
		App struct {
			ID string `xml:"appid,attr"`
		} `xml:"app"`
	}
	if err := xml.Unmarshal(manifest, &update); err != nil || !extensionID.MatchString(update.App.ID) {
		return "", fmt.Errorf("updates of the extension: %s names no extension (make extension-updates)", filepath.Join(folder, "chrome.xml"))
	}
	return "chrome-extension://" + update.App.ID, nil
}

var extensionID = regexp.MustCompile(`^[a-p]{32}$`)

// downloadUpdate serves a file of the folder of updates.
func (s Downloads) downloadUpdate(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	kind, known := updates[name]
	if s.Updates == "" || !known {
		s.WriteError(r, watchpost.Errorf(watchpost.NotFound, endpoint.TextNotFound))
		return
	}
	s.serveFile(w, r, filepath.Join(s.Updates, name), kind)
}

// downloadExtension serves the file that the operator has named. It is opened
// for each request: a newer build is offered without a restart.
func (s Downloads) downloadExtension(w http.ResponseWriter, r *http.Request) {
	if s.File == "" {
		s.WriteError(r, watchpost.Errorf(watchpost.NotFound, endpoint.TextNotFound))
		return
	}
	w.Header().Set("Content-Disposition", `attachment; filename="watchpost-extension.zip"`)
	s.serveFile(w, r, s.File, "application/zip")
}

// serveFile serves a file of the operator as a media type; one that is not there
// is not found.
func (s Downloads) serveFile(w http.ResponseWriter, r *http.Request, path, kind string) {
	missing := watchpost.Errorf(watchpost.NotFound, endpoint.TextNotFound)
	file, err := os.Open(path) //nolint:gosec // named by the operator
	if err != nil {
		s.WriteError(r, missing)
		return
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		s.WriteError(r, missing)
		return
	}
	w.Header().Set("Content-Type", kind)
	http.ServeContent(w, r, "", info.ModTime(), file)
}
