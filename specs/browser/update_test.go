package browser_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	httpapi "watchpost/http"
	"watchpost/watchpost"
)

// operator publishes signed packages of the extension at a service of their own.
type operator struct {
	*world
	t           testing.TB
	key, folder string
	service     string // origin
	chrome      string // id of the extension in Chromium
	firefox     string // and in Firefox
	fetched     atomic.Int32
}

var idsOfKey = regexp.MustCompile(`Id of the extension: (\S+)\nId in Firefox: (\S+)`)

// newOperator makes the key of an operator and starts their service with a first package.
func (w *world) newOperator(t testing.TB, version string) *operator {
	t.Helper()
	o := &operator{world: w, t: t, key: filepath.Join(t.TempDir(), "key.pem"), folder: t.TempDir()}
	out, err := exec.Command("../../extension/tools", "node", "key.mjs", o.key).CombinedOutput()
	require.NoError(t, err, "%s", out)
	ids := idsOfKey.FindSubmatch(out)
	require.NotNil(t, ids, "%s", out)
	o.chrome, o.firefox = string(ids[1]), string(ids[2])

	server := httptest.NewUnstartedServer(nil)
	o.service = "http://" + server.Listener.Addr().String()
	o.publish(version)
	api, err := httpapi.New(httpapi.Options{
		Registry: w.registry, Clock: watchpost.SystemClock{}, Log: slog.New(slog.DiscardHandler),
		ExtensionOrigins: []string{"moz-extension://*"}, ExtensionUpdates: o.folder,
	})
	require.NoError(t, err)
	server.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		api.Handler().ServeHTTP(rw, r)
		if ext := filepath.Ext(r.URL.Path); ext == ".crx" || ext == ".xpi" {
			o.fetched.Add(1)
		}
	})
	server.Start()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		require.NoError(t, api.CloseSessions(ctx))
		server.Close()
	})
	return o
}

// publish writes the packages of a version with their update manifests.
func (o *operator) publish(version string) {
	o.t.Helper()
	require.NoError(o.t, build("unused", "--updates", o.folder, "--key", o.key, "--version", version, "--network", o.site, "--adapter", string(o.variant), "--service", o.service))
}

// launchManaged starts a browser that a policy gives the operator's extension. The policy
// is in a file system that only this browser sees.
func (o *operator) launchManaged() *chromium {
	o.t.Helper()
	if err := exec.Command("unshare", "--mount", "true").Run(); err != nil {
		o.t.Skip("a policy for one browser needs a mount namespace: unshare --mount: ", err)
	}
	policy := filepath.Join(o.t.TempDir(), "policy.json")
	require.NoError(o.t, os.WriteFile(policy, []byte(encoded(o.t, fields{
		"ExtensionInstallForcelist":  []string{o.chrome + ";" + o.service + "/extension/updates/chrome.xml"},
		"DeveloperToolsAvailability": 1, // else a test cannot open pages of an extension that a policy has installed
	})), 0o600))
	const managed = `mount -t tmpfs none /etc/chromium && mkdir -p /etc/chromium/policies/managed && cp "$0" /etc/chromium/policies/managed/ && exec "$@"`
	b := startProgram(o.t, o.chrome, []string{"unshare", "--mount", "sh", "-c", managed, policy, browserProgram(o.t)}, o.t.TempDir(), nil, windowless...)
	eventually(o.t, func() bool { _, runs := b.worker(); return runs }, func() string { return "the policy has not installed the extension" })
	return b
}

// TestUpdate: a higher version in a signed package of the service replaces a connected
// worker at once. The write in work ends first, and the new version goes on with the
// pairing and the journal.
func TestUpdate(t *testing.T) {
	t.Parallel()
	w := theWorld(t)
	o := w.newOperator(t, "1.0.0.1")
	m := &member{team: w.createTeam(t, "update@example.com"), chromium: o.launchManaged(), email: "update@example.com", account: "update"}
	t.Cleanup(m.explain)
	m.signIn()
	m.pair(o.service)
	require.Equal(t, int32(1), o.fetched.Load())
	old, _ := m.worker()

	post := comment(w.anyPost(t))
	m.writtenOnceWhile(post, "A new version comes", func(h *held) {
		o.publish("1.0.0.2")
		p := m.settings()
		require.JSONEq(t, `{"status": "update_available", "version": "1.0.0.2"}`, string(p.run(`chrome.runtime.requestUpdateCheck()`)))
		eventually(t, func() bool { return o.fetched.Load() == 2 }, func() string { return "the browser has not fetched the package" })
		h.release()
	})
	eventually(t, func() bool {
		worker, runs := m.worker()
		return runs && worker.TargetID != old.TargetID
	}, func() string { return "the old worker runs" })
	require.JSONEq(t, `"1.0.0.2"`, string(m.settings().run(`chrome.runtime.getManifest().version`)))
	m.isConnected(true)
	m.journalled(0)
	require.Equal(t, "update", m.completed(m.ask("/network-agent/fetch-profile", fields{"profile_slug": "update"}))["profile_slug"])
	require.Equal(t, 1, w.writes.count(m.account, post.kind))
}

// TestUpdateInFirefox: the same in Firefox, which takes the package unsigned when a
// setting allows it. It finds the update by the manifest of the service.
func TestUpdateInFirefox(t *testing.T) {
	if os.Getenv("WATCHPOST_LONG") == "" {
		t.Skip("WATCHPOST_LONG is not set: a second browser")
	}
	t.Parallel()
	w := theWorld(t)
	o := w.newOperator(t, "1.0.0.1")
	f := startFirefox(t, o.firefox, filepath.Join(t.TempDir(), "profile"), nil, "--headless", "--remote-allow-system-access")
	f.install(filepath.Join(o.folder, "watchpost.xpi"))
	m := f.pair(w, o.service, "vixen")

	m.writtenOnceWhile(comment(w.anyPost(t)), "A new version comes", func(h *held) {
		o.publish("1.0.0.2")
		f.findUpdate(o.firefox)
		h.release()
	})
	eventually(t, func() bool { return f.versionOf(o.firefox) == "1.0.0.2" }, func() string { return "still " + f.versionOf(o.firefox) })
	require.Equal(t, "vixen", m.completed(m.ask("/network-agent/fetch-profile", fields{"profile_slug": "vixen"}))["profile_slug"])
}

// inBrowser runs a script with the rights of Firefox itself, and returns its value.
func (f *firefox) inBrowser(script string) string {
	f.t.Helper()
	var tree struct{ Contexts []struct{ Context string } }
	f.must("browsingContext.getTree", map[string]any{"moz:scope": "chrome", "maxDepth": 0}, &tree)
	require.NotEmpty(f.t, tree.Contexts)
	var r struct {
		Result           struct{ Value any }
		ExceptionDetails struct{ Text string }
	}
	f.must("script.evaluate", map[string]any{"expression": script, "target": map[string]any{"context": tree.Contexts[0].Context}, "awaitPromise": true}, &r)
	require.Empty(f.t, r.ExceptionDetails.Text, script)
	return fmt.Sprint(r.Result.Value)
}

const addons = `(async () => {
	const { AddonManager } = ChromeUtils.importESModule("resource://gre/modules/AddonManager.sys.mjs")
	const addon = await AddonManager.getAddonByID("%s")
	%s
})()`

// versionOf returns the version of an extension.
func (f *firefox) versionOf(id string) string {
	return f.inBrowser(fmt.Sprintf(addons, id, `return addon.version`))
}

// findUpdate has Firefox look for a new version, as it does by itself once a day, and
// fetch it.
func (f *firefox) findUpdate(id string) {
	f.t.Helper()
	require.Equal(f.t, "fetched", f.inBrowser(fmt.Sprintf(addons, id, `const install = await new Promise((resolve, reject) => addon.findUpdates({
		onUpdateAvailable: (_, install) => resolve(install), onUpdateFinished: (_, error) => reject(new Error("no update: " + error)),
	}, AddonManager.UPDATE_WHEN_PERIODIC_UPDATE))
	return new Promise(resolve => {
		const end = what => () => resolve(what)
		install.addListener({ onInstallPostponed: end("fetched"), onDownloadFailed: end("not fetched"), onInstallFailed: end("failed"), onInstallEnded: end("installed over a running write") })
		install.install()
	})`)))
}
