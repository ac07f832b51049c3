package browser_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
)

var update = flag.Bool("update", false, "write the pictures of the README")

// popupHeight is the maximum height of a browser popup, in pixels.
const popupHeight = 600

// pictures is the folder of the README's pictures.
const pictures = "../../extension/pictures"

// takePictures opens the extension's pages as a member sees them, in light and
// dark mode. With -update it writes the pictures of the README.
func takePictures(m *member) {
	t := m.team.t
	popup := m.open("chrome-extension://" + extensionID + "/popup.html")
	popup.until(`!document.querySelector("#paired").hidden && document.querySelector("#pill").dataset.kind === "good"`)
	popup.until(`document.querySelectorAll(".deed").length > 2 && document.querySelectorAll(".use").length > 3`)
	settings := m.settings()
	for name, dark := range map[string]bool{"light": false, "dark": true} {
		keep(t, "popup-"+name, popup.picture(360, dark))
		keep(t, "settings-"+name, settings.picture(640, dark))
	}
	keep(t, "../store/pictures/popup", popup.storePicture())
	keep(t, "../store/pictures/settings", settings.storePicture())
	var height int
	require.NoError(t, json.Unmarshal(popup.run(`document.body.offsetHeight`), &height))
	require.LessOrEqual(t, height, popupHeight)
	// Unpairing asks first, and ends the session at the service.
	settings.run(`document.querySelector("#unpair").click()`)
	settings.until(`document.querySelector("dialog .agree") !== null`)
	settings.run(`document.querySelector("dialog .agree").click()`)
	settings.until(`!document.querySelector("#unpaired").hidden`)
	settings.says("#notice", "its pairing is revoked at the service")
	sessions, err := actors.Ask(t.Context(), m.registry, m.id, actors.ListSessions{})
	require.NoError(t, err)
	require.Empty(t, sessions)
	settings.until(`chrome.storage.local.get().then(all => !JSON.stringify(all).match(/token|"name"|activities/))`)
	keep(t, "pairing-light", settings.picture(640, false))
	keep(t, "../store/pictures/pairing", settings.storePicture())
}

// keep checks that a picture is not empty, and writes it with -update.
func keep(t testing.TB, name string, png []byte) {
	t.Helper()
	require.Greater(t, len(png), 4<<10, "%s is empty", name)
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(pictures, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(pictures, name+".png"), png, 0o644))
	}
}

// draw writes a picture to the folder that WATCHPOST_PICTURES names.
func draw(t testing.TB, name string, png []byte) {
	t.Helper()
	if folder := os.Getenv("WATCHPOST_PICTURES"); folder != "" {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name+".png"), png, 0o600))
	}
}
