package browser_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"watchpost/actors"
	"watchpost/actors/vault"
	httpapi "watchpost/http"
	"watchpost/internal/fakenetwork"
	"watchpost/internal/mail/outgoing"
	"watchpost/internal/passkey"
	"watchpost/persistence/badger"
	"watchpost/watchpost"
)

// extensionID follows from the key in the extension's manifest.
const extensionID = "bamceibeigcjfoonkpdekbfiefbccikj"

// patience bounds every wait; only a failing test uses it up.
const patience = 90 * time.Second

// wakeSeconds is the period of the alarm in the tested build; the released
// build uses 30 seconds.
const wakeSeconds = "2"

// slowPage is the delay of a slow network.
const slowPage = 3 * time.Second

func TestMain(m *testing.M) {
	switch err := install(); {
	case err == nil:
	case os.Getenv("CI") == "true":
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	default:
		fmt.Fprintln(os.Stderr, "skipped: the tests of the browser extension:", err)
		os.Exit(0)
	}
	code := m.Run()
	err := closeWorlds()
	if err == nil {
		// protoactor counts dead letters by the minute and cannot be stopped.
		err = goleak.Find(goleak.IgnoreAnyFunction("github.com/asynkron/protoactor-go/actor.NewDeadLetter.NewThrottle.func4.1"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

func install() error {
	command := exec.Command("../../extension/tools", "--browser")
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(out))
	}
	return nil
}

// eventually polls a condition. The awaited events happen in other processes,
// which send no signal.
func eventually(t testing.TB, ok func() bool, why func() string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ticker := time.NewTicker(30 * time.Millisecond)
	defer ticker.Stop()
	for !ok() {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			t.Fatal("timed out: " + why())
		}
	}
}

// world is shared by the tests of a variant: one service, one network, and the
// extension built for them. Each test has its own teams and accounts.
type world struct {
	variant
	service string // origin
	api     http.Handler
	site    string // origin, as the browsers resolve it
	// siteAddress is an origin with the server's pages, for clients without a
	// browser.
	siteAddress string
	dist        string // folder of the built extension
	registry    *actors.Registry
	network     *fakenetwork.Site
	writes      *writeGate
	requests    requestGate // requests to the network
	posted      *posted     // requests to the service
	mail        *mailbox
	pen         *pen
	close       func() error
}

func newWorld(v variant) (*world, error) {
	w := &world{variant: v, writes: newWriteGate(), mail: &mailbox{}, pen: newPen(), posted: &posted{counts: map[string]int{}}}
	quiet := slog.New(slog.DiscardHandler)
	var err error
	w.network, err = fakenetwork.New(fakenetwork.Options{Seed: 7, Control: true, OnWrite: w.writes.applied, Logger: quiet})
	if err != nil {
		return nil, err
	}
	pages := http.Handler(w.network)
	if v == singlePage {
		pages = w.network.SinglePage()
	}
	site := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.requests.pass(r)
		pages.ServeHTTP(rw, r)
	}))
	server := httptest.NewServer(w.network)
	// A separate host name, because cookies belong to hosts regardless of the
	// port.
	_, port, err := net.SplitHostPort(site.Listener.Addr().String())
	if err != nil {
		return nil, err
	}
	w.siteAddress = server.URL
	w.site = "http://network.localhost:" + port
	store, err := badger.Open(badger.Options{InMemory: true, Logger: quiet})
	if err != nil {
		return nil, err
	}
	keyring, err := vault.NewKeyring(bytes.Repeat([]byte{7}, vault.MasterKeySize))
	if err != nil {
		return nil, err
	}
	service := httptest.NewUnstartedServer(nil)
	_, servicePort, err := net.SplitHostPort(service.Listener.Addr().String())
	if err != nil {
		return nil, err
	}
	passkeySite, err := passkey.New("http://localhost:" + servicePort)
	if err != nil {
		return nil, err
	}
	w.registry, err = actors.New(actors.Options{
		Passkeys: passkeySite,
		Store:    store, Clock: watchpost.SystemClock{}, Keyring: keyring, Mailer: w.mail, Log: quiet, NetworkURL: w.site,
	})
	if err != nil {
		return nil, err
	}
	api, err := httpapi.New(httpapi.Options{
		Registry: w.registry, Clock: watchpost.SystemClock{}, Log: quiet, ExtensionOrigins: []string{"chrome-extension://" + extensionID, "moz-extension://*"},
		Drafts: w.pen,
	})
	if err != nil {
		return nil, err
	}
	w.api = w.posted.over(api.Handler())
	service.Config.Handler = w.api
	service.Start()
	w.service = service.URL
	dir, err := os.MkdirTemp("", "watchpost-extension-")
	if err != nil {
		return nil, err
	}
	w.dist = filepath.Join(dir, "dist")
	w.close = func() error {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		http.DefaultClient.CloseIdleConnections()
		err := errors.Join(api.CloseSessions(ctx), os.RemoveAll(dir))
		service.Close()
		site.Close()
		server.Close()
		return errors.Join(err, w.registry.Close(ctx), store.Close())
	}
	return w, build(w.dist, "--network", w.site, "--service", w.service)
}

// build builds the extension with some options.
func build(dist string, options ...string) error {
	out, err := exec.Command("../../extension/tools", append([]string{"node", "build.mjs", "--out", dist, "--wake", wakeSeconds}, options...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("build: %w: %s", err, out)
	}
	return nil
}

// mailbox collects the sent mails.
type mailbox struct {
	mu    sync.Mutex
	mails []outgoing.Mail
}

// Send implements outgoing.Mailer.
func (p *mailbox) Send(_ context.Context, m outgoing.Mail) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mails = append(p.mails, m)
	return nil
}

// fields is a JSON object.
type fields = map[string]any

// join gives a member of the team a browser with a signed-in account and a
// paired extension.
func (m *team) join(email, account string) *member {
	m.t.Helper()
	return m.joinBy(email, account, m.service)
}

// joinBy is join with another address of the service.
func (m *team) joinBy(email, account, service string) *member {
	m.t.Helper()
	dist := m.dist
	if service != m.service { // a build for one network connects to one service
		dist = filepath.Join(m.t.TempDir(), "dist")
		require.NoError(m.t, build(dist, "--network", m.site, "--service", service))
	}
	one := &member{team: m, chromium: launch(m.t, dist, m.t.TempDir()), email: email, account: account}
	m.t.Cleanup(one.explain)
	one.signIn()
	one.pair(service)
	return one
}

// explain prints the browser's state when the test has failed.
func (m *member) explain() {
	if !m.team.t.Failed() {
		return
	}
	select {
	case <-m.gone:
		m.team.t.Logf("%s: the browser has gone", m.account)
		return
	default:
	}
	for _, one := range m.targets() {
		m.team.t.Logf("%s: %s %s", m.account, one.Type, one.URL)
		var state string
		switch {
		case strings.HasSuffix(one.URL, "/options.html"):
			state = `chrome.storage.local.get()`
		case strings.HasPrefix(one.URL, m.service):
			state = `[document.hidden, document.querySelector("#live")?.textContent, performance.getEntriesByType("resource").slice(-20).map((r) => [r.name, r.startTime, r.responseEnd, r.responseStatus])]`
		default:
			continue
		}
		seen, err := m.attach(one.TargetID).do(state)
		m.team.t.Logf("%s: %s %v", m.account, seen, err)
	}
}

// signIn signs the account in to the network, by its form.
func (m *member) signIn() {
	m.team.t.Helper()
	p := m.open(m.site + "/sign-in")
	p.until(`document.querySelector("[name=slug]") !== null`)
	p.run(`document.querySelector("[name=slug]").value = "` + m.account + `"; document.querySelector("[name=slug]").form.requestSubmit()`)
	p.until(`location.pathname === "/feed" && document.readyState === "complete"`)
	m.close(target{TargetID: p.target})
}

// settings opens the extension's page.
func (m *member) settings() *page {
	m.team.t.Helper()
	p := m.open("chrome-extension://" + m.installed + "/options.html")
	p.until(`document.querySelector("#paired").hidden !== document.querySelector("#unpaired").hidden`)
	return p
}

// code creates a pairing code.
func (m *member) code() string {
	m.team.t.Helper()
	code, err := actors.Ask(m.team.t.Context(), m.registry, m.id, actors.CreatePairingCode{Email: m.email})
	require.NoError(m.team.t, err)
	return code.Code
}

// pair pairs the extension with the service at an address, through its page.
func (m *member) pair(service string) {
	m.team.t.Helper()
	m.pairWith(service, m.code())
}

// pairWith pairs the extension by a code.
func (m *member) pairWith(service, code string) {
	m.team.t.Helper()
	p := m.enterCode(service, code)
	p.agree()
	p.until(`!document.querySelector("#paired").hidden && document.querySelector("#pill").dataset.kind === "good"`)
	m.close(target{TargetID: p.target})
	m.isSignedIn(true)
}

// enterCode enters a pairing code in the extension's page.
func (m *member) enterCode(service, code string) *page {
	m.team.t.Helper()
	p := m.settings()
	p.run(`document.querySelector("#service").value = "` + service + `"`)
	p.run(`document.querySelector("#code").value = "` + code + `"; document.querySelector("#pairing").requestSubmit()`)
	return p
}

// agree waits until the extension's page asks for consent, and gives it.
func (p *page) agree() {
	p.t.Helper()
	p.until(`!document.querySelector("#consent").hidden`)
	p.run(`document.querySelector("#agree").click()`)
}

// isSignedIn waits until the service knows whether the account is signed in.
func (m *member) isSignedIn(want bool) {
	m.team.t.Helper()
	var reply fields
	eventually(m.team.t, func() bool {
		_, reply = m.team.call(http.MethodGet, "/api-team", nil)
		for _, one := range reply["members"].([]any) {
			one := one.(fields)
			if account, _ := one["account"].(fields); account != nil && one["email"] == m.email && account["slug"] == m.account {
				return account["signed_in"] == want
			}
		}
		return false
	}, func() string { return fmt.Sprint(reply) })
}

// journalled waits until the extension's journal has that number of tasks.
func (m *member) journalled(want int) {
	m.team.t.Helper()
	p := m.settings()
	defer m.close(target{TargetID: p.target})
	p.until(fmt.Sprintf(`chrome.storage.local.get().then(all => Object.keys(all).filter(key => key.startsWith("task:")).length === %d)`, want))
}

// hasWorkTab reports whether the extension has opened a tab at the network.
func (m *member) hasWorkTab() bool {
	for _, one := range m.targets() {
		if one.Type == "page" && strings.HasPrefix(one.URL, m.site) {
			return true
		}
	}
	return false
}

// workTab returns the tab that the extension has opened at the network.
func (m *member) workTab() target {
	m.team.t.Helper()
	for _, one := range m.targets() {
		if one.Type == "page" && strings.HasPrefix(one.URL, m.site) {
			return one
		}
	}
	m.team.t.Fatal("no tab at the network")
	return target{}
}
