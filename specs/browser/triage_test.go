package browser_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
)

// focusUndo moves the focus to the button that takes a decision back: it stays while it has
// the focus, however slow the machine is.
const focusUndo = `(document.querySelector("#undo button").focus(), true)`

// TestTriage empties the feed by keyboard, with the way back, while the browser of another
// member shows what the team shares. Without script the buttons do the same.
func TestTriage(t *testing.T) {
	t.Parallel()
	axe, err := os.ReadFile("../../extension/node_modules/axe-core/axe.min.js")
	require.NoError(t, err)
	w := theWorld(t)
	m := w.createTeam(t, "triage@example.com")
	list, _ := m.furnish()
	one := m.join("triage@example.com", "triage-account")
	m.posts(list)
	m.scanned()
	_, err = actors.Ask(t.Context(), m.registry, m.id, actors.AddMember{Email: "grace-triage@example.com", FullName: "Grace Hopper", Role: "member"})
	require.NoError(t, err)
	second := &member{team: m, chromium: launch(t, w.dist, t.TempDir()), email: "grace-triage@example.com"}
	p, other := one.signedIn(), second.signedIn()
	counts := func(tab string) string {
		return `[...document.querySelectorAll("#tabs a")].find((a) => a.textContent.startsWith("` + tab + `")).querySelector(".count").textContent`
	}
	for _, one := range []*page{p, other} {
		one.until(`document.querySelectorAll(".post").length > 3 && !document.querySelector("#live").hidden`)
		one.run(`window.kept = true`)
	}

	// Done, and back; the next post is chosen, and nothing moves.
	p.press("j", "j")
	p.run(`window.first = document.querySelectorAll(".post")[0]; window.second = document.querySelectorAll(".post")[1]; window.place = second.offsetTop`)
	p.run(`window.timers = []; window.later = setTimeout; window.setTimeout = (f, ms, ...a) => ms === 10000 ? (timers.push(f), 0) : later(f, ms, ...a)`)
	p.press("e", "e")
	p.until(`first.querySelector("[data-state=done]") !== null && document.activeElement === second && second.offsetTop === place && ` + focusUndo)
	p.until(counts("Done") + ` === "1"`)
	p.until(`document.querySelector("#undo .toast span").textContent === "Marked as done."`)
	p.accessible(string(axe), "a decision and its way back")
	p.run(`timers.pop()()`)
	require.JSONEq(t, `true`, string(p.run(`document.querySelector("#undo .toast") !== null && timers.length === 1`)), "it has the focus, so it stays")
	p.run(`document.querySelector("#undo button").click()`)
	p.until(`first.querySelector("[data-state=unread]") !== null && document.querySelector("#undo .toast") === null`)
	p.until(counts("Done") + ` === "0"`)
	p.press("h", "h")
	p.until(`second.querySelector("[data-state=later]") !== null`)
	p.until(counts("Later") + ` === "1"`)
	p.until(`document.querySelector("#undo .toast span").textContent === "Kept for later."`)
	p.run(`timers.pop()()`)
	require.JSONEq(t, `null`, string(p.run(`document.querySelector("#undo .toast")`)), "its time is over")
	p.press("k", "k")
	p.press("u", "u")
	p.until(`second.querySelector("[data-state=unread]") !== null`)
	p.until(counts("Later") + ` === "0"`)
	require.JSONEq(t, `"0"`, string(other.run(counts("Later"))), "the other member has decided nothing")

	// What the team shares is shown by the browser of the other member, without loading.
	p.press("t", "t")
	p.until(`document.activeElement.matches(".post.current .team select")`)
	p.run(`window.to = document.activeElement; to.value = [...to.options].find((o) => o.textContent === "Grace Hopper").value; to.form.note.value = "Knows the author."`)
	p.accessible(string(axe), "an assignment")
	p.run(`to.form.requestSubmit()`)
	p.until(`[...document.querySelectorAll(".post-team")].some((t) => t.textContent.includes("Assigned to Grace Hopper. Note: “Knows the author.”"))`)
	other.until(`window.kept && [...document.querySelectorAll(".post-team")].some((t) => t.textContent.includes("Assigned to you."))`)
	other.until(counts("Mine") + ` === "1"`)
	p.press("c", "c")
	p.until(`document.activeElement.matches(".post.current textarea")`)
	p.must(p.session, "Input.insertText", map[string]any{"text": "Well"}, nil)
	other.until(`window.kept && document.querySelector(".post-team .wait")?.textContent.includes("is replying since")`)
	p.press("Escape", "")
	other.until(`window.kept && document.querySelector(".post-team .wait") === null`)

	// Without script.
	p.must(p.session, "Emulation.setScriptExecutionDisabled", map[string]any{"value": true}, nil)
	p.must(p.session, "Page.navigate", map[string]any{"url": m.service + "/app?tab=unread"}, nil)
	p.until(`location.search === "?tab=unread" && document.querySelectorAll(".post").length > 3 && document.querySelector("#live").hidden`)
	p.run(`document.querySelector("[data-act=done]").click()`)
	p.until(`location.search.includes("did=done") && ` + counts("Done") + ` === "1"`)
	p.run(`document.querySelector("#undo button").click()`)
	p.until(`!location.search.includes("did=") && ` + counts("Done") + ` === "0"`)
}

// TestSelection decides about several posts at once, by keyboard and without script, and
// takes that and "all done" back.
func TestSelection(t *testing.T) {
	t.Parallel()
	axe, err := os.ReadFile("../../extension/node_modules/axe-core/axe.min.js")
	require.NoError(t, err)
	w := theWorld(t)
	m := w.createTeam(t, "selection@example.com")
	list, _ := m.furnish()
	one := m.join("selection@example.com", "selection-account")
	m.posts(list)
	m.scanned()
	p := one.signedIn()
	count := func(tab string) string {
		return `[...document.querySelectorAll("#tabs a")].find((a) => a.textContent.startsWith("` + tab + `")).querySelector(".count").textContent`
	}
	p.until(`document.querySelectorAll(".post").length > 3 && !document.querySelector("#live").hidden`)
	p.run(`window.kept = true; window.all = ` + count("All") + `; window.bar = () => getComputedStyle(document.querySelector("#bulk")).display !== "none"`)
	require.JSONEq(t, `false`, string(p.run(`bar()`)))

	// Two are selected, and one of them not after all; a key does it to all of them.
	p.press("j", "j")
	p.press("x", "x")
	p.press("j", "j")
	p.press("x", "x")
	p.until(`bar() && document.querySelector("#selected").textContent === "2 selected"`)
	p.accessible(string(axe), "a selection")
	p.press("x", "x")
	p.until(`document.querySelector("#selected").textContent === "1 selected"`)
	p.press("Escape", "")
	p.until(`!bar()`)
	p.press("x", "x")
	p.press("j", "j")
	p.press("x", "x")
	p.press("e", "e")
	p.until(`kept && document.querySelector("#undo .toast span")?.textContent === "2 posts marked as done." && ` + focusUndo)
	p.until(count("Done") + ` === "2" && !bar()`)
	p.until(`document.querySelectorAll(".post [data-state=done]").length === 2`)
	p.until(`document.querySelector("#nav .count").textContent === String(all - 2) + " unread"`)
	p.run(`document.querySelector("#undo button").click()`)
	p.until(`kept && ` + count("Done") + ` === "0" && document.querySelector("#undo .toast") === null`)
	p.until(`document.querySelector("#nav .count").textContent === all + " unread"`)

	// All at once, and back.
	p.run(`document.querySelector("form[action='/app/done'] button").click()`)
	p.until(`document.querySelector("#undo .toast span")?.textContent === "All posts are marked as done." && ` + focusUndo)
	p.until(count("Unread") + ` === "0"`)
	p.until(`document.querySelector("#undo .toast").dataset.waits === ""`)
	p.run(`document.querySelector("#undo button").click()`)
	p.until(`document.querySelector("#undo .toast") === null && ` + count("Unread") + ` !== "0"`)

	// Without script.
	p.must(p.session, "Emulation.setScriptExecutionDisabled", map[string]any{"value": true}, nil)
	p.must(p.session, "Page.navigate", map[string]any{"url": m.service + "/app?tab=unread"}, nil)
	p.until(`location.search === "?tab=unread" && document.querySelectorAll(".post").length > 3 && document.querySelector("#live").hidden`)
	p.run(`document.querySelector(".pick input").click()`)
	p.until(`getComputedStyle(document.querySelector("#bulk")).display !== "none"`)
	p.run(`document.querySelector("#bulk [value=later]").click()`)
	p.until(`document.querySelector("#undo .toast span")?.textContent === "1 post kept for later." && ` + count("Later") + ` === "1"`)
	p.run(`document.querySelector("#undo button").click()`)
	p.until(`document.querySelector("#undo .toast") === null && ` + count("Later") + ` === "0"`)
}
