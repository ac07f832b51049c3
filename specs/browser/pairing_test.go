package browser_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
)

// optionsPage is the address of the extension's page.
const optionsPage = "chrome-extension://" + extensionID + "/options.html"

// opened attaches to the tab that shows an address.
func (b *chromium) opened(url string) *page {
	b.t.Helper()
	var found target
	eventually(b.t, func() bool {
		for _, one := range b.targets() {
			if one.Type == "page" && one.URL == url {
				found = one
			}
		}
		return found.TargetID != ""
	}, func() string { return fmt.Sprint("no tab shows ", url, ": ", b.targets()) })
	var attached struct{ SessionID string }
	b.must("", "Target.attachToTarget", map[string]any{"targetId": found.TargetID, "flatten": true}, &attached)
	return &page{b, found.TargetID, attached.SessionID}
}

// closeOptions closes the extension's pages, also the one that it opens once it is
// installed.
func (b *chromium) closeOptions() {
	b.t.Helper()
	p := b.opened(optionsPage)
	p.until(`document.querySelector("#pill").textContent !== ""`)
	b.close(target{TargetID: p.target})
	b.noOptions()
}

// noOptions waits until no page of the extension is open.
func (b *chromium) noOptions() {
	b.t.Helper()
	eventually(b.t, func() bool {
		for _, one := range b.targets() {
			if one.Type == "page" && strings.HasPrefix(one.URL, optionsPage) {
				return false
			}
		}
		return true
	}, func() string { return fmt.Sprint(b.targets()) })
}

// hasSessions waits until the team has that number of sessions.
func (m *team) hasSessions(want int) {
	m.t.Helper()
	var sessions []actors.SessionView
	eventually(m.t, func() bool {
		var err error
		sessions, err = actors.Ask(m.t.Context(), m.registry, m.id, actors.ListSessions{})
		require.NoError(m.t, err)
		return len(sessions) == want
	}, func() string { return fmt.Sprint(sessions) })
}

// TestPairingLink: one click on the dashboard, or on a link in a mail, has the extension
// ask for consent. It pairs when the member agrees, and leaves no session otherwise.
func TestPairingLink(t *testing.T) {
	t.Parallel()
	w := theWorld(t)
	axe, err := os.ReadFile("../../extension/node_modules/axe-core/axe.min.js")
	require.NoError(t, err)
	const email = "link@example.com"
	at := strings.Replace(w.service, "127.0.0.1", "localhost", 1) // the address in mails
	dist := filepath.Join(t.TempDir(), "dist")
	require.NoError(t, build(dist, "--network", w.site, "--service", at))
	m := &member{team: w.createTeam(t, email), chromium: launch(t, dist, t.TempDir()), email: email, account: "link-account"}
	t.Cleanup(m.explain)
	m.signIn()
	m.closeOptions()
	link, err := actors.Ask(t.Context(), w.registry, m.id, actors.CreateSignInLink{Email: email})
	require.NoError(t, err)
	p := m.open(at + "/app/sign-in/link?link=" + link.Token)
	p.run(`document.querySelector("form").requestSubmit()`)
	p.until(`location.pathname === "/app" && document.readyState !== "loading"`)

	// To the network's pages the extension is not there.
	site := m.open(m.site + "/feed")
	site.until(`globalThis.chrome?.runtime === undefined`)
	m.close(target{TargetID: site.target})

	// The click on the dashboard.
	p.visit("/app/team")
	p.run(`document.querySelector("[value=pair]").click()`)
	p.until(`location.pathname === "/app/pair" && !document.querySelector("[data-when=asked]").hidden && location.hash === ""`)
	draw(t, "pair-asked", p.picture(640, false))
	asked := m.opened(optionsPage)
	asked.until(`!document.querySelector("#consent").hidden`)
	asked.says("#offered-team", "Team of "+email)
	asked.says("#offered-member", email)
	asked.says("#offered-service", strings.TrimPrefix(at, "http://"))
	asked.says("#offered-network", strings.TrimPrefix(m.site, "http://"))
	asked.says("#consent-account", "name, address and number")
	asked.until(`/: Chromium \d+, Linux, Watchpost 1\.0\.0$/.test(document.querySelector("#consent-browser").textContent)`)
	asked.accessible(string(axe), "the consent")
	keep(t, "consent-light", asked.picture(640, false))
	draw(t, "consent-dark", asked.picture(640, true))

	// The member does not agree.
	m.hasSessions(1)
	asked.run(`document.querySelector("#decline").click()`)
	asked.says("#said", "was not paired")
	m.hasSessions(0)
	m.close(target{TargetID: asked.target})
	m.noOptions()

	// The member closes the page instead.
	p.visit("/app/team")
	p.run(`document.querySelector("[value=pair]").click()`)
	asked = m.opened(optionsPage)
	asked.until(`!document.querySelector("#consent").hidden`)
	m.hasSessions(1)
	m.close(target{TargetID: asked.target})
	m.hasSessions(0)

	// A link in a mail.
	p.visit("/app/team")
	p.run(`document.querySelector("[value=mail-code]").click()`)
	p.says("#pairing", "Mailed to "+email)
	draw(t, "pair-mailed", p.picture(900, false))
	p.run(`location.href = ` + quoted(w.mail.linkTo(t, email)))
	p.until(`!document.querySelector("[data-when=asked]").hidden`)
	asked = m.opened(optionsPage)
	asked.agree()
	asked.until(`document.querySelector("#pill").dataset.kind === "good"`)
	m.isSignedIn(true)
	m.hasSessions(1)

	// A browser that is paired does not take another link.
	p.visit("/app/team")
	m.close(target{TargetID: asked.target})
	m.noOptions()
	p.run(`document.querySelector("[value=pair]").click()`)
	asked = m.opened(optionsPage)
	asked.says("#said", "already paired with Team of "+email)
	m.hasSessions(1)

	// An address without a code says what to do.
	p.visit("/app/team")
	p.visit("/app/pair")
	p.until(`!document.querySelector("[data-when=none]").hidden`)
	p.accessible(string(axe), "the page of a link")
}

var pairingLink = regexp.MustCompile(`http\S+/app/pair#\S+`)

// linkTo returns the pairing link of the newest mail to an address.
func (p *mailbox) linkTo(t testing.TB, email string) (link string) {
	t.Helper()
	eventually(t, func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, m := range p.mails {
			if found := pairingLink.FindString(m.Body); m.To == email && found != "" {
				link = found
			}
		}
		return link != ""
	}, func() string { return "no link to " + email })
	return link
}

// key presses a key in the page, as a member does.
func (p *page) key(name, text string, code int) {
	p.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		p.must(p.session, "Input.dispatchKeyEvent", map[string]any{"type": kind, "key": name, "code": name, "text": text, "windowsVirtualKeyCode": code}, nil)
	}
}

// TestPairingForm: the address is a field of the form as the others are. A link that is
// put into the form fills it.
func TestPairingForm(t *testing.T) {
	t.Parallel()
	w := theWorld(t)
	const email = "form@example.com"
	dist := filepath.Join(t.TempDir(), "dist")
	require.NoError(t, build(dist)) // for several networks and services
	m := &member{team: w.createTeam(t, email), chromium: launch(t, dist, t.TempDir()), email: email, account: "form-account"}
	p := m.settings()
	enter := func(id, text string) {
		p.run(`document.querySelector("#own").open = true; document.querySelector("#` + id + `").focus(); document.querySelector("#` + id + `").select()`)
		p.must(p.session, "Input.insertText", map[string]any{"text": text}, nil)
	}
	shows := func(id, text string) { p.says("#"+id+"-error", text) }
	none := func(id string) {
		p.until(`document.querySelector("#` + id + `-error").textContent === "" && document.querySelector("#` + id + `").ariaInvalid === null`)
	}

	// Enter in the address sends the form, and errors go away when their field changes.
	enter("code", "AAAAAAAAAA")
	enter("service", "not an address")
	p.key("Enter", "\r", 13)
	shows("service", "This is not an address")
	enter("service", "127.0.0.1:1")
	none("service")
	p.key("Enter", "\r", 13)
	shows("service", "127.0.0.1:1 does not answer")
	p.until(`document.querySelector("#service").value === "http://127.0.0.1:1"`)
	enter("service", strings.TrimPrefix(m.service, "http://"))
	none("service")
	p.key("Enter", "\r", 13)
	shows("code", "Create a new one on your team's page")
	p.until(`document.querySelector("#service").value === "` + m.service + `"`)
	enter("code", "B")
	none("code")

	// A link fills both fields.
	enter("service", "elsewhere.example")
	enter("code", m.service+"/app/pair#"+m.code())
	p.until(`document.querySelector("#service").value === "` + m.service + `" && !document.querySelector("#code").value.includes("/")`)
	p.key("Enter", "\r", 13)
	p.agree()
	p.until(`document.querySelector("#pill").textContent === "No access"`) // a test cannot answer the browser's question
	m.hasSessions(1)
}
