package browser_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/internal/fakenetwork"
)

// TestErrorsAreSaid: without a connection, behind a proxy that answers in place of the
// service, and signed out, the page says that nothing was done, and the typed text stays.
func TestErrorsAreSaid(t *testing.T) {
	t.Parallel()
	const words = "Typed once."
	w := theWorld(t)
	m := w.createTeam(t, "errors@example.com")
	list, _ := m.furnish()
	one := m.join("errors@example.com", "errors-account")
	m.posts(list)
	m.scanned()
	p := one.signedIn()
	p.until(`document.querySelectorAll(".post").length > 2 && !document.querySelector("#live").hidden`)
	failed := func(text string) {
		t.Helper()
		p.until(`document.querySelector("#failed").checkVisibility() && document.querySelector("#failed").innerText.includes(` + quoted(text) + `)`)
	}
	composer := func(n string) string {
		return `document.querySelectorAll(".post")[` + n + `].querySelector(".composer")`
	}
	write := func(n string) {
		p.run(composer(n) + `.closest("details").open = true; ` + composer(n) + `.querySelector("textarea").focus()`)
		p.must(p.session, "Input.insertText", map[string]any{"text": words}, nil)
	}
	typed := func(n string) {
		t.Helper()
		p.until(composer(n) + `.querySelector("textarea").value === ` + quoted(words) + ` && ` + composer(n) + `.checkVisibility()`)
	}
	offline := func(off bool) {
		p.must(p.session, "Network.enable", nil, nil)
		p.must(p.session, "Network.emulateNetworkConditions", map[string]any{"offline": off, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}, nil)
	}

	// No connection: the text stays, and one click sends it then.
	write("0")
	offline(true)
	p.run(composer("0") + `.requestSubmit()`)
	failed("there is no connection")
	typed("0")
	p.run(`document.querySelector('form[action="/app/sign-out"]').requestSubmit()`)
	failed("there is no connection")
	require.Equal(t, `"/app"`, string(p.run(`location.pathname`)))
	p.run(`document.querySelector("[data-dismiss]").click(); ` + composer("0") + `.requestSubmit()`)
	failed("there is no connection")
	offline(false)
	p.run(`document.querySelector("[data-again]").click()`)
	p.until(`!document.querySelector("#failed").checkVisibility()`)
	eventually(t, func() bool { return one.writes.count(one.account, fakenetwork.WriteComment) == 1 }, func() string { return "no comment" })

	// The answer of a proxy in between is not shown as a part of the page.
	p.run(`window.realFetch = window.fetch; window.fetch = () => Promise.resolve(new Response("<h1>Bad gateway</h1>", { status: 502 })); 0`)
	p.run(`document.querySelectorAll(".post")[1].querySelector("[data-act=save]").click()`)
	failed("did not come from Watchpost")
	failed("502")
	require.Equal(t, `0`, string(p.run(`[...document.querySelectorAll("h1")].filter((h) => h.textContent === "Bad gateway").length`)))
	p.run(`window.fetch = window.realFetch; document.querySelector("[data-again]").click()`)
	p.until(`document.querySelectorAll(".post")[1].querySelector("[data-act=save][aria-pressed=true]") !== null && !document.querySelector("#failed").checkVisibility()`)

	// The sign-in has ended: the text is back after the next one.
	write("2")
	p.must(p.session, "Network.clearBrowserCookies", nil, nil)
	p.run(composer("2") + `.requestSubmit()`)
	failed("you are signed out")
	typed("2")
	link, err := actors.Ask(t.Context(), m.registry, m.id, actors.CreateSignInLink{Email: one.email})
	require.NoError(t, err)
	p.run(`window.leaving = true; location.href = ` + quoted("/app/sign-in/link?link="+link.Token))
	p.until(`!window.leaving && document.readyState === "complete" && location.pathname === "/app/sign-in/link"`)
	p.run(`document.querySelector("form").requestSubmit()`)
	failed("is back in its field")
	typed("2")
	require.Equal(t, 1, one.writes.count(one.account, fakenetwork.WriteComment), "nothing is sent by itself")
}
