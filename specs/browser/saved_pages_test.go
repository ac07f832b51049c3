package browser_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/internal/fakenetwork"
	"watchpost/internal/fakenetwork/networktest"
)

// savedOrigin is the origin of saved pages.
const savedOrigin = "http://network.test"

// savedPage is a page of pages.json: who saves it, and with which faults.
type savedPage struct {
	File, URL, As string
	Faults        fakenetwork.Faults
}

// TestSavedPages: the adapters read from the pages that Chromium shows now what
// they read from the saved ones. With -update it saves them; then
// extension/adapter.mjs check --update writes the values read.
func TestSavedPages(t *testing.T) {
	if os.Getenv("WATCHPOST_LONG") == "" && !*update {
		t.Skip("WATCHPOST_LONG is not set: Chromium starts once for each page")
	}
	for _, v := range []variant{serverPages, singlePage} {
		t.Run(string(v), func(t *testing.T) {
			from := filepath.Join("../../extension/test/saved", string(v))
			raw, err := os.ReadFile(filepath.Join(from, "pages.json"))
			require.NoError(t, err)
			var list struct{ Pages []savedPage }
			require.NoError(t, json.Unmarshal(raw, &list))
			into := from
			if !*update {
				into = t.TempDir()
				require.NoError(t, os.WriteFile(filepath.Join(into, "pages.json"), raw, 0o600))
			}
			savePages(t, v, list.Pages, into)
			if *update {
				return
			}
			out, err := exec.Command("../../extension/tools", "node", "adapter.mjs", "check", into).CombinedOutput()
			require.NoError(t, err, "%s", out)
		})
	}
}

// savePages saves pages of a world that is always the same.
func savePages(t *testing.T, v variant, pages []savedPage, into string) {
	t.Helper()
	site, err := fakenetwork.New(fakenetwork.Options{
		Seed: 1, PostsPerDay: 15, Logger: slog.New(slog.DiscardHandler),
		Clock: networktest.NewClock(time.Date(2030, 1, 9, 15, 0, 0, 0, time.UTC)),
	})
	require.NoError(t, err)
	server := httptest.NewServer(site)
	defer server.Close()
	shown := server
	if v == singlePage {
		shown = httptest.NewServer(site.SinglePage())
		defer shown.Close()
	}
	into, err = filepath.Abs(into)
	require.NoError(t, err)
	profiles := map[string]string{}
	for _, p := range pages {
		if profiles[p.As] == "" {
			profiles[p.As] = t.TempDir()
			signInFor(t, shown.URL, p.As, profiles[p.As])
			actAs(t, server.URL, p.As, pages)
		}
		site.SetFaults(p.As, p.Faults)
		address := shown.URL + strings.TrimPrefix(p.URL, savedOrigin)
		out, err := exec.Command("../../extension/tools", "node", "adapter.mjs", "save", "--profile", profiles[p.As],
			"--into", into, "--as", strings.TrimSuffix(p.File, ".html"), "--origin", savedOrigin, address).CombinedOutput()
		require.NoError(t, err, "%s", out)
		site.ClearFaults()
	}
}

// signInFor signs an account in to the site in a browser profile.
func signInFor(t *testing.T, site, account, profile string) {
	t.Helper()
	b := launch(t, "", profile)
	p := b.open(site + "/sign-in")
	p.until(`document.querySelector("[name=slug]") !== null`)
	p.run(`document.querySelector("[name=slug]").value = "` + account + `"; document.querySelector("[name=slug]").form.requestSubmit()`)
	p.until(`location.pathname === "/feed"`)
	b.must("", "Browser.close", nil, nil) // writes the cookies to disk
	<-b.gone
}

// actAs has an account like a post, comment on it and send a message, so that
// saved pages show that.
func actAs(t *testing.T, site, account string, pages []savedPage) {
	t.Helper()
	b := networktest.NewBrowser(t, site)
	b.Client.Transport = http.DefaultTransport
	b.SignIn(account)
	for _, p := range pages {
		if path := strings.TrimPrefix(p.URL, savedOrigin); p.As == account && strings.HasPrefix(path, "/posts/") {
			b.Post(path+"/like", nil)
			b.Post(path+"/comment", url.Values{"text": {"Well said <b>&amp;</b> é\nsecond line"}})
		} else if p.As == account && strings.HasPrefix(path, "/messages/") {
			b.Post(path, url.Values{"text": {"Hello & all"}})
		}
	}
}
