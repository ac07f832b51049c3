// Package identity_test signs in to the service at an OpenID Connect provider that is not
// ours. It is a separate module, so that the service does not depend on the provider.
package identity_test

import (
	"bufio"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
)

var hidden = regexp.MustCompile(`name="id" value="([^"]+)"`)

// TestProvider: a person signs in at the provider with a password, and so makes a team in
// the service.
func TestProvider(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(free.Addr().String())
	_ = free.Close()
	service := "http://localhost:" + port

	server := httptest.NewUnstartedServer(nil)
	issuer := "http://" + server.Listener.Addr().String() + "/"
	storage.RegisterClients(storage.WebClient("watchpost", "secret", service+"/app/sign-in/oidc/callback"))
	server.Config.Handler = exampleop.SetupServer(issuer, storage.NewStorage(storage.NewUserStore(issuer)), slog.New(slog.DiscardHandler), false)
	server.Start()
	t.Cleanup(server.Close)

	binary := filepath.Join(t.TempDir(), "watchpost")
	build := exec.Command("go", "build", "-o", binary, "./cmd/watchpost")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	serve := exec.Command(binary, "serve", "--listen", "127.0.0.1:"+port, "--data", t.TempDir(), "--public-url", service,
		"--oidc-issuer", issuer, "--oidc-client-id", "watchpost", "--oidc-client-secret", "secret", "--oidc-domains", "zitadel.ch")
	log, err := serve.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = serve.Process.Signal(os.Interrupt); _ = serve.Wait() })
	lines := bufio.NewScanner(log)
	for serving := false; !serving; serving = strings.Contains(lines.Text(), `"msg":"serving"`) {
		if !lines.Scan() {
			t.Fatal("the service does not serve")
		}
	}
	go func() { _, _ = io.Copy(io.Discard, log) }()

	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, Timeout: 20 * time.Second}
	read := func(resp *http.Response, err error) (string, *url.URL) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body), resp.Request.URL
	}
	page, at := read(browser.Get(service + "/app/sign-in/oidc"))
	id := hidden.FindStringSubmatch(page)
	if id == nil {
		t.Fatalf("%s has no form: %s", at, page)
	}
	page, at = read(browser.PostForm(at.Scheme+"://"+at.Host+at.Path, url.Values{"id": {id[1]}, "username": {"test-user@127.0.0.1"}, "password": {"verysecure"}}))
	if at.Path != "/app" || !strings.Contains(page, "Test User") {
		t.Fatalf("%s: %s", at, page)
	}
}
