package browser_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/watchpost"
)

// look is a scheme and width in which pages are checked.
type look struct {
	width int
	dark  bool
}

// looks has each width and each scheme; the long tests have all pairs.
func looks() []look {
	if os.Getenv("WATCHPOST_LONG") != "" {
		return []look{{360, false}, {360, true}, {800, false}, {800, true}, {1440, false}, {1440, true}}
	}
	return []look{{360, false}, {800, true}, {1440, false}}
}

// show sets scheme and width.
func (p *page) show(l look) {
	p.t.Helper()
	scheme := map[bool]string{false: "light", true: "dark"}[l.dark]
	p.must(p.session, "Emulation.setEmulatedMedia", map[string]any{"features": []any{
		map[string]any{"name": "prefers-color-scheme", "value": scheme}, map[string]any{"name": "prefers-reduced-motion", "value": "reduce"}, // colours at once
	}}, nil)
	p.must(p.session, "Emulation.setDeviceMetricsOverride", map[string]any{"width": l.width, "height": lookHeight, "deviceScaleFactor": 1, "mobile": false}, nil)
}

// visit loads a page of the dashboard and waits until it is whole.
func (p *page) visit(path string) {
	p.t.Helper()
	p.run(`window.leaving = true; location.href = ` + quoted(path))
	p.until(`!window.leaving && document.readyState === "complete" && document.querySelector("h1") !== null`)
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // texts are always encoded
	}
	return string(b)
}

// press presses a key, as a person does.
func (p *page) press(key, text string) {
	p.t.Helper()
	code := 0
	if key == "Escape" {
		code = 27 // the browser itself closes dialogs by the code
	}
	p.must(p.session, "Input.dispatchKeyEvent", map[string]any{"type": "keyDown", "key": key, "text": text, "windowsVirtualKeyCode": code}, nil)
	p.must(p.session, "Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key, "windowsVirtualKeyCode": code}, nil)
}

// accessible checks the page as it is with axe-core, all rules.
func (p *page) accessible(axe, where string) {
	p.t.Helper()
	if string(p.run(`typeof axe`)) == `"undefined"` {
		p.run(axe + "; 0")
	}
	found := p.run(`axe.run(document, {resultTypes: ["violations"]}).then((r) => r.violations.map((v) => v.id + ": " + v.nodes.slice(0, 3).map((n) => n.html + " " + (n.any[0]?.message ?? "")).join(" | ")))`)
	require.JSONEq(p.t, `[]`, string(found), where)
	wide := p.run(`[document.documentElement.scrollWidth, innerWidth]`)
	var sizes [2]int
	require.NoError(p.t, json.Unmarshal(wide, &sizes))
	require.LessOrEqual(p.t, sizes[0], sizes[1], "%s scrolls sideways", where)
}

// signedIn opens the dashboard in a member's browser, by a link.
func (m *member) signedIn() *page {
	t := m.team.t
	t.Helper()
	link, err := actors.Ask(t.Context(), m.registry, m.id, actors.CreateSignInLink{Email: m.email})
	require.NoError(t, err)
	p := m.open(m.service + "/app/sign-in/link?link=" + link.Token)
	p.run(`document.querySelector("form").requestSubmit()`)
	p.until(`location.pathname === "/app" && document.readyState === "complete"`)
	return p
}

// furnish gives a team a watchlist, and a rule that proposes comments on its posts.
func (m *team) furnish() (list, rule string) {
	m.t.Helper()
	create := func(path string, body fields) string {
		status, made := m.call(http.MethodPost, path, body)
		require.Equal(m.t, http.StatusOK, status, made)
		return made["id"].(string)
	}
	list = create("/api-keyword-watchlist", fields{"name": "Machine learning", "keywords": []string{"machine learning"}})
	return list, create("/api-engagement-rules", fields{"watchlist_id": list, "action": "comment", "comment_templates": []string{"Thank you, {author_name}."}})
}

// paths gives a furnished team with posts a notification target, and returns the
// addresses of all pages.
func (m *team) paths(list, rule string) (paths []string, target string) {
	m.t.Helper()
	status, made := m.call(http.MethodPost, "/api-notifications", fields{"type": "webhook", "name": "Deploy hook", "url": "https://127.0.0.1:1/hook"})
	require.Equal(m.t, http.StatusOK, status, made)
	status, sent := m.call(http.MethodPost, "/api-notifications/send", fields{"id": made["id"]}) // fails at once: the address is private
	require.Equal(m.t, http.StatusOK, status, sent)
	target = made["id"].(string)
	status, found := m.call(http.MethodGet, "/api-leads", nil)
	require.Equal(m.t, http.StatusOK, status, found)
	author := found["data"].([]any)[0].(fields)["author_url"].(string)
	person := "/app/people/profile/" + author[strings.LastIndexByte(author, '/')+1:]
	return []string{
		"/app", "/app?search_term=nothing-at-all", "/app/posts/" + m.posts(list)[0]["id"].(string), "/app/people", "/app/people?posts=10", person, "/app/trends", "/app/trends?by=sentiment&days=7", "/app/watchlists", "/app/watchlists/new",
		"/app/watchlists/new?kind=keyword", "/app/watchlists/new?kind=people", "/app/watchlists/" + list, "/app/tasks", "/app/journal", "/app/journal?outcome=failed",
		"/app/rules", "/app/rules/" + rule, "/app/rules/new", "/app/rules/new?action=comment",
		"/app/team", "/app/keys", "/app/settings", "/app/try", "/app/nothing", "/app/notifications", "/app/notifications/new?kind=webhook", "/app/notifications/new?kind=email",
		"/app/notifications/new?kind=telegram", "/app/notifications/" + target,
	}, target
}

// changesChips reads a sentence and changes a word of it by keyboard, at each width.
func (p *page) changesChips(axe string) {
	p.t.Helper()
	for _, l := range looks() {
		p.show(l)
		p.visit("/app/watchlists/new")
		p.run(`document.querySelector("#prompt").value = "Complaints about Salesforce pricing these days in the UK, no consultants"; document.querySelector('button[value="read"]').click()`)
		p.until(`document.querySelector(".read-back .unused")?.textContent.startsWith("these days")`)
		p.until(`document.querySelector("#preview dl, #preview .row") !== null`)
		p.run(`document.querySelector('button[value="edit:any.0:Salesforce"]').click()`)
		p.until(`document.activeElement?.id === "w-word"`)
		p.accessible(axe, fmt.Sprintf("chips at %d, dark %v", l.width, l.dark))
		p.run(`document.activeElement.select()`)
		p.must(p.session, "Input.insertText", map[string]any{"text": "Sales Cloud"}, nil)
		p.press("Enter", "\r")
		p.until(`document.querySelector("[name='any.0']")?.value === "Sales Cloud" && document.querySelector("#w-word") === null`)
	}
}

// TestDashboardPages checks every page with axe-core, by keyboard alone and without
// script, in a real browser with posts that its extension has collected.
func TestDashboardPages(t *testing.T) {
	t.Parallel()
	axe, err := os.ReadFile("../../extension/node_modules/axe-core/axe.min.js")
	require.NoError(t, err)
	w := theWorld(t)
	m := w.createTeam(t, "pages@example.com")
	list, rule := m.furnish()
	one := m.join("pages@example.com", "pages-account")
	m.posts(list)
	p := one.signedIn()

	// By keyboard alone: read, like, search, see the keys.
	p.until(`document.querySelectorAll(".post").length > 2 && !document.querySelector("#live").hidden`)
	p.press("j", "j")
	p.until(`document.activeElement === document.querySelectorAll(".post")[0]`)
	p.press("j", "j")
	p.until(`document.activeElement === document.querySelectorAll(".post")[1] && document.activeElement.classList.contains("current")`)
	p.press("k", "k")
	p.press("s", "s")
	p.until(`document.querySelector(".post.current [data-act=save]").getAttribute("aria-pressed") === "true"`)
	p.press("l", "l")
	p.until(`document.querySelector(".post.current .action-state, .post.current .post-actions .state.good") !== null`)
	p.press("c", "c")
	p.until(`document.activeElement.matches(".post.current textarea")`)
	p.press("Escape", "")
	p.until(`document.querySelector(".write[open]") === null`)
	// The like is done in this browser; the page learns of it by itself.
	p.until(`[...document.querySelectorAll(".post-actions .state.good")].some((s) => s.textContent.includes("Liked"))`)
	p.run(`window.kept = true`)
	p.press("/", "/")
	p.until(`document.activeElement.id === "q"`)
	for _, letter := range "zzz" {
		p.press(string(letter), string(letter))
	}
	p.until(`document.querySelector(".empty h2")?.textContent === "No post matches" && location.search.includes("search_term=zzz")`)
	p.until(`window.kept === true && document.activeElement.id === "q"`) // not loaded again
	p.press("Escape", "")
	p.until(`document.activeElement.id !== "q"`)
	p.press("?", "?")
	p.until(`document.querySelector("#keys").open`)
	p.press("Escape", "")
	p.until(`!document.querySelector("#keys").open`)
	p.press("g", "g")
	p.press("w", "w")
	p.until(`location.pathname === "/app/watchlists" && document.readyState === "complete"`)

	// The preview follows the typed text.
	p.visit("/app/watchlists/new?kind=keyword")
	p.run(`document.querySelector("#k0").focus()`)
	p.must(p.session, "Input.insertText", map[string]any{"text": "machine learning"}, nil)
	p.until(`[...document.querySelectorAll("#preview dt")].some((d) => d.textContent === "Kept")`)

	paths, target := m.paths(list, rule)
	p.looksGood(string(axe), "1", paths)
	p.changesChips(string(axe))
	takeDashboardPictures(p)

	p.staysTyped(m, list, target)

	// New posts are announced, and a key shows them.
	p.visit("/app")
	p.until(`!document.querySelector("#live").hidden`)
	p.run(`window.kept = true`)
	status, another := m.call(http.MethodPost, "/api-keyword-watchlist", fields{"keywords": []string{"customers"}})
	require.Equal(t, http.StatusOK, status, another)
	p.until(`document.querySelector("#fresh .button") !== null && window.kept === true`)
	p.press("n", "n")
	p.until(`window.kept !== true && document.readyState === "complete" && document.querySelectorAll("nav.chips .chip").length === 3`)

	// A rule is tried on the stored posts before it is saved.
	p.visit("/app/rules/" + rule)
	p.run(`document.querySelector("button[value=try]").click()`)
	p.until(`document.readyState === "complete" && document.querySelector("button[value=save]") !== null`)
	p.accessible(string(axe), "a dry run")

	// Without script the pages can be read.
	p.must(p.session, "Emulation.setScriptExecutionDisabled", map[string]any{"value": true}, nil)
	p.must(p.session, "Page.navigate", map[string]any{"url": m.service + "/app"}, nil)
	p.until(`location.search === "" && document.querySelectorAll(".post").length > 2 && document.querySelectorAll("#per-day tbody tr").length === 7`)
	p.until(`document.querySelector("form[role=search] button[type=submit]") !== null && document.querySelector("#live").hidden`)
}

// staysTyped follows what happens on the pages of rules, notifications and the team, with a
// field in use: typed text stays, and so does the focus.
func (p *page) staysTyped(m *team, list, target string) {
	const words = "In my own words."
	typeInto := func(field string) {
		p.until(`document.querySelector("` + field + `") !== null && !document.querySelector("#live").hidden`)
		p.run(`window.kept = true; document.querySelector("` + field + `").focus()`)
		p.must(p.session, "Input.insertText", map[string]any{"text": words}, nil)
	}
	isTyped := func(field string) {
		p.until(`window.kept === true && document.activeElement.matches("` + field + `") && document.activeElement.value.includes("` + words + `")`)
	}
	named := func(name string) {
		p.until(`[...document.querySelectorAll(".wl .name")].some((n) => n.textContent.includes("` + name + `"))`)
	}
	p.visit("/app/rules")
	p.until(`document.querySelector('.nav [href="/app/rules"] .count').textContent.startsWith(document.querySelector("#approve + span").textContent)`)
	typeInto(".proposal textarea")
	status, made := m.call(http.MethodPost, "/api-engagement-rules", fields{"watchlist_id": list, "action": "like", "name": "Warm likes"})
	require.Equal(p.t, http.StatusOK, status, made)
	named("Warm likes")
	isTyped(".proposal textarea")

	p.visit("/app/notifications")
	p.until(`!document.querySelector("#live").hidden`)
	status, made = m.call(http.MethodPost, "/api-notifications", fields{"type": "webhook", "name": "Second hook", "url": "https://127.0.0.1:1/hook"})
	require.Equal(p.t, http.StatusOK, status, made)
	named("Second hook")

	p.visit("/app/notifications/" + target)
	p.run(`window.rows = document.querySelectorAll("#log tbody tr").length`)
	typeInto("#name")
	status, made = m.call(http.MethodPost, "/api-notifications/send", fields{"id": target})
	require.Equal(p.t, http.StatusOK, status, made)
	p.until(`document.querySelectorAll("#log tbody tr").length > window.rows`)
	isTyped("#name")

	p.visit("/app/team")
	p.run(`document.querySelector("#accounts details").open = true`)
	typeInto("#email")
	_, err := actors.Ask(p.t.Context(), m.registry, m.id, actors.AddMember{Email: "follows@example.com", Role: watchpost.RoleMember})
	require.NoError(p.t, err)
	p.until(`document.querySelector("#members").textContent.includes("follows@example.com") && document.querySelector("#audit").textContent.includes("follows@example.com")`)
	p.until(`document.querySelector("#quotas").textContent.includes("2 of")`)
	isTyped("#email")
	p.until(`document.querySelector("#accounts details").open`)
}

// takeDashboardPictures writes the README's pictures of the dashboard, with -update.
func takeDashboardPictures(p *page) {
	for _, one := range []struct {
		name, path string
		look
	}{{"feed-1440-light", "/app", look{1440, false}}, {"feed-360-dark", "/app", look{360, true}}, {"watchlist-1440-light", "/app/watchlists/new?kind=keyword", look{1440, false}}, {"team-800-dark", "/app/team", look{800, true}}} {
		p.show(one.look)
		p.visit(one.path)
		if one.path == "/app" {
			p.until(`document.querySelector(".chart canvas") !== null`)
		}
		var shot struct{ Data string }
		p.must(p.session, "Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
		png, err := base64.StdEncoding.DecodeString(shot.Data)
		require.NoError(p.t, err)
		require.Greater(p.t, len(png), 4<<10, "%s is empty", one.name)
		if *update {
			require.NoError(p.t, os.MkdirAll(dashboardPictures, 0o755))
			require.NoError(p.t, os.WriteFile(filepath.Join(dashboardPictures, one.name+".png"), png, 0o644))
		}
	}
}

// dashboardPictures is the folder of the README's pictures of the dashboard.
const dashboardPictures = "../../http/dashboard/pictures"
