package browser_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// overPage replaces the worker and the browser's language for a page of the
// extension: texts are those of a language, and the state is that of the test. The browser
// gives open pages their interface again when the extension's permissions change, as after
// its start; it leaves a frozen one as it is.
const overPage = `(() => {
	const texts = %s
	globalThis.shown = %s
	globalThis.chrome = Object.freeze({
		i18n: { getUILanguage: () => texts.lang, getMessage: (key, parts = []) => (texts[key] ?? "").replace(/\$(\d)/g, (_, n) => parts[n - 1] ?? "") },
		runtime: { getManifest: () => ({ version: "1.0.0" }), sendMessage: async () => shown, onMessage: { addListener: listener => { globalThis.changed = () => listener({ type: "changed" }) } } },
	})
})()`

// long is a name that no line holds.
const long = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft Elena-Maria von Hohenstein-Rückersfeld"

// stateOf is a state of the extension with everything as long as it gets.
func stateOf(kind string) fields {
	at := 1_900_000_000_000
	author := fields{"name": long, "url": "https://network.example/in/x"}
	deed := func(kind string) fields {
		return fields{"task": "t", "at": at, "task_type": kind, "text": long, "target": fields{"name": long, "url": "https://network.example/posts/1", "by": author}}
	}
	failed := deed("agent_comment_post")
	failed["error"] = fields{"code": "company_not_managed", "message": "m"}
	var allowances []fields
	for _, action := range []string{"keyword_scan", "people_scan", "company_scan", "profile_fetch", "company_fetch", "profile_search", "message", "like", "comment", "invitation"} {
		allowances = append(allowances, fields{"action": action, "used": 100, "limit": 100, "resets_at": "2030-01-09T23:00:00Z"})
	}
	state := fields{
		"version": "1.0.0", "network": "https://a-very-long-name-of-a-network.example.org", "paused": kind == "paused", "pace": 0, "waiting": 1234,
		"condition": fields{"kind": kind, "since": at, "until": at, "retry": true, "types": []string{"keyword_scan", "agent_send_connection_request", "people_scan"}},
		"account":   fields{"urn": "u", "slug": "someone", "name": long, "signed_in": true},
		"bound":     fields{"urn": "v", "slug": "someone-else", "name": long, "signed_in": true},
		"writes": fields{
			"hours": fields{"from": "09:00", "until": "17:30", "days": []string{"monday", "saturday"}, "time_zone": "Europe/Berlin"}, "pause_s": fields{"from": 60, "until": 180}, "ask": true,
		},
		"skippable": true, "allowances": allowances, "deeds": []fields{deed("agent_comment_post"), failed, deed("agent_send_message")}, "running": deed("agent_profile_fetch"),
	}
	if kind == "asking" {
		state["question"] = fields{"deed": deed("agent_comment_post"), "text": strings.Repeat(long+"\n", 20), "url": "https://network.example/posts/1"}
	}
	if kind != "unpaired" && kind != "revoked" {
		state["pairing"] = fields{
			"service": "https://a-very-long-name-of-a-service.example.org", "team": fields{"id": "t", "name": long}, "member": fields{"id": "m", "email": "a-very-long-address-of-a-member@a-very-long-name.example.org"},
		}
	}
	return state
}

// states are those of src/shared/condition.ts, apart from the failure to start.
var states = []string{
	"revoked", "unpaired", "replaced", "no_access", "paused", "unreachable", "connecting", "bind_refused", "other_account", "account_in_use", "challenge",
	"signed_out", "asking", "slow", "page_not_understood", "new_claim", "network_limit", "released", "plan", "working", "member_pace", "idle",
}

// textsOf returns the extension's texts in a language.
func textsOf(t *testing.T, language string) map[string]string {
	t.Helper()
	file, err := os.ReadFile(filepath.Join(theWorld(t).dist, "_locales", language, "messages.json"))
	require.NoError(t, err)
	var messages map[string]struct{ Message string }
	require.NoError(t, json.Unmarshal(file, &messages))
	texts := map[string]string{}
	for key, text := range messages {
		texts[key] = text.Message
	}
	return texts
}

// TestLayout: in every state, with long names, in German and in Arabic, the
// pages of the extension are as wide as their window, and the popup is not
// higher than a popup may be. WATCHPOST_PICTURES names a folder for pictures of
// them all.
func TestLayout(t *testing.T) {
	t.Parallel()
	b := launch(t, theWorld(t).dist, t.TempDir())
	folder := os.Getenv("WATCHPOST_PICTURES")
	languages := []string{"en", "de", "ar"}
	if os.Getenv("WATCHPOST_LONG") != "" {
		languages = append(languages, "fr", "it", "es", "pt_BR", "hi", "ja")
	}
	for _, language := range languages {
		texts := textsOf(t, language)
		for page, widths := range map[string][]int{"popup": {360}, "options": {320, 700}} {
			p := b.open("chrome-extension://" + extensionID + "/style.css")
			script := fmt.Sprintf(overPage, encoded(t, texts), encoded(t, stateOf("idle")))
			p.must(p.session, "Page.enable", nil, nil)
			p.must(p.session, "Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": script}, nil)
			p.must(p.session, "Page.navigate", map[string]any{"url": "chrome-extension://" + extensionID + "/" + page + ".html"}, nil)
			p.until(`document.documentElement.lang === "` + strings.ReplaceAll(language, "_", "-") + `" && document.querySelector("#pill").textContent !== "" && globalThis.changed !== undefined`)
			for _, state := range states {
				p.run("shown = " + encoded(t, stateOf(state)) + "; changed()")
				want := string(p.run(`chrome.i18n.getMessage("pill_` + state + `")`))
				var pill json.RawMessage
				eventually(p.t, func() bool {
					pill, _ = p.do(`document.querySelector("#pill").textContent`)
					return string(pill) == want
				}, func() string {
					all, err := p.do(`JSON.stringify([location.href, document.hidden, globalThis.shown?.condition, performance.now(), document.body.innerText.slice(0, 300)])`)
					return fmt.Sprintf("%s %s %s: the pill says %s, not %s: %s %v", page, language, state, pill, want, all, err)
				})
				for _, width := range widths {
					p.fits(t, width, page+" "+language+" "+state)
					if folder != "" {
						for scheme, dark := range map[string]bool{"light": false, "dark": true} {
							name := fmt.Sprintf("%s-%s-%s-%d-%s.png", page, state, language, width, scheme)
							require.NoError(t, os.WriteFile(filepath.Join(folder, name), p.picture(width, dark), 0o600))
						}
					}
				}
			}
			if page == "options" {
				p.run("shown = " + encoded(t, stateOf("unpaired")) + "; changed()")
				p.consents(t, theWorld(t).site)
				for _, width := range widths {
					p.fits(t, width, "consent "+language)
					draw(t, fmt.Sprintf("options-consent-%s-%d", language, width), p.picture(width, false))
				}
			}
			b.close(target{TargetID: p.target})
		}
	}
}

// consents has the page of an unpaired browser ask for consent, with long names.
func (p *page) consents(t testing.TB, network string) {
	t.Helper()
	reply := fields{
		"session_token": "t", "network": network,
		"team": fields{"id": "t", "name": long}, "member": fields{"id": "m", "email": "a-very-long-address-of-a-member@a-very-long-name.example.org"},
	}
	p.run(`globalThis.fetch = async () => Response.json(` + encoded(t, reply) + `); document.querySelector("#code").value = "7K3QX2M9PD"; document.querySelector("#pairing").requestSubmit()`)
	p.until(`!document.querySelector("#consent").hidden`)
}

// fits checks that nothing is wider than a window of that width, that the short
// texts are not cut, and that a popup is not too high.
func (p *page) fits(t testing.TB, width int, what string) {
	t.Helper()
	p.must(p.session, "Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": popupHeight, "deviceScaleFactor": 1, "mobile": false}, nil)
	p.until(fmt.Sprintf("innerWidth === %d", width))
	var outside []string
	require.NoError(t, json.Unmarshal(p.run(`[...document.querySelectorAll("body, body *")].filter(e => {
		const r = e.getBoundingClientRect()
		return r.width > 0 && getComputedStyle(e).display !== "inline" && !e.closest("select") && (r.left < -1 || r.right > innerWidth + 1)
	}).map(e => e.localName + "#" + e.id + "." + e.className)`), &outside))
	require.Empty(t, outside, "%s at %d pixels", what, width)
	require.NoError(t, json.Unmarshal(p.run(`[...document.querySelectorAll("h1, h2, .pill, .use *, button")].filter(e => e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0).map(e => e.textContent)`), &outside))
	require.Empty(t, outside, "cut: %s at %d pixels", what, width)
	if width == 360 {
		var height int
		require.NoError(t, json.Unmarshal(p.run(`document.body.offsetHeight`), &height))
		require.LessOrEqual(t, height, popupHeight, what)
	}
}

func encoded(t testing.TB, value any) string {
	t.Helper()
	raw, err := json.Marshal(value)
	require.NoError(t, err)
	return string(raw)
}
