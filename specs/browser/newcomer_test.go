package browser_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/specs/process"
)

var (
	demoLink     = regexp.MustCompile(`(http://\S+/app/sign-in/link\?link=\S+)`)
	demoExported = regexp.MustCompile(`WATCHPOST_URL=(\S+) WATCHPOST_KEY=(\S+)`)
)

// mostClicks bounds the clicks of a person who uses everything of the first morning.
const mostClicks = 14

// newcomer counts the clicks of a person, who uses a real mouse.
type newcomer struct {
	*page
	clicks int
}

// clicksOn clicks the first element of a selector that is shown, with these words.
func (n *newcomer) clicksOn(selector, words string) {
	n.t.Helper()
	find := `(() => [...document.querySelectorAll(` + quoted(selector) + `)].find((e) => e.checkVisibility() && e.textContent.includes(` + quoted(words) + `)))`
	n.until(`Boolean(` + find + `())`)
	n.click(find)
	n.clicks++
}

// types enters text where the focus is.
func (n *newcomer) types(text string) {
	n.t.Helper()
	n.must(n.session, "Input.insertText", map[string]any{"text": text}, nil)
}

// TestNewcomer acts as a person who runs the demo for the first time: opens the printed
// link, makes a watchlist of a sentence and corrects how it was read, sees its posts
// come, likes one, looks at its author, saves a view, and asks to be told of days with
// many such posts. Each page says where the person is. The like is at the network.
func TestNewcomer(t *testing.T) {
	t.Parallel()
	w := theWorld(t)
	dir := t.TempDir()
	program, err := process.Build(dir)
	require.NoError(t, err)
	demo, err := process.Launch("demo", dir, program, "demo", "--listen", "127.0.0.1:0", "--network-listen", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, demo.Stop()) })
	find := func(pattern *regexp.Regexp, text string) string {
		line, err := demo.Await(text)
		require.NoError(t, err)
		found := pattern.FindStringSubmatch(line)
		require.NotEmpty(t, found, line)
		return found[1]
	}
	find(demoExported, "export WATCHPOST_URL=")
	site := find(demoNetwork, "Extension  ")
	link := find(demoLink, "/app/sign-in/link")
	b := launch(t, w.dist, t.TempDir())
	eventually(t, func() bool { // the page that a new extension opens comes to the front
		return slices.ContainsFunc(b.targets(), func(one target) bool { return strings.HasSuffix(one.URL, "/options.html") })
	}, func() string { return "the extension opens no page" })
	n := &newcomer{page: b.open(link)}
	n.show(look{width: 1440})

	n.says("h1", "Sign in")
	n.clicksOn("button", "Sign in")
	n.until(`location.pathname === "/app" && document.querySelectorAll(".post").length > 0`)
	n.says("h1", "Feed")
	n.clicksOn(".nav-item", "Watchlists")
	n.until(`location.pathname === "/app/watchlists" && document.readyState === "complete"`)
	n.says("h1", "Watchlists")
	n.clicksOn("main a.button", "New watchlist")
	n.until(`location.pathname === "/app/watchlists/new" && document.readyState === "complete"`)
	n.says("h1", "New watchlist")

	// A sentence, of which one word is taken out.
	n.run(`document.querySelector("#prompt").focus()`)
	n.types("Posts about machine learning, not job ads, every day")
	n.clicksOn("button[value=read]", "Read it")
	n.until(`document.querySelector("#read-head") !== null`)
	n.says("#read-head", "What we understood")
	n.run(`document.querySelector(".token").dataset.before = ""`)
	n.clicksOn(".token.not button[aria-label]", "")
	n.until(`document.querySelector("[data-before]") === null && document.readyState === "complete"`)
	require.NotContains(t, string(n.run(`document.querySelector(".slots").textContent`)), "job ads")
	n.clicksOn("button[value=save]", "Save and look now")
	n.until(`location.pathname === "/app" && location.search.startsWith("?watchlist_id=")`)
	n.until(`document.querySelectorAll(".post").length > 0`) // it fills without a click

	n.clicksOn(".post [data-act=like]", "")
	n.until(`[...document.querySelectorAll(".post-actions .state.good")].some((s) => s.textContent.includes("Liked"))`)
	eventually(t, func() bool {
		answer, err := http.Get(site + "/_control/writes?kind=like")
		if err != nil {
			return false
		}
		defer func() { _ = answer.Body.Close() }()
		var writes struct{ Total int }
		return json.NewDecoder(answer.Body).Decode(&writes) == nil && writes.Total == 1
	}, func() string { return "the network has no like" })
	n.clicksOn(".post a.author", "")
	n.until(`location.pathname.startsWith("/app/people/") && document.readyState === "complete"`)
	n.says("main", "Liked")

	// A view of the feed, and an alert of days with many of its posts.
	n.clicksOn(".nav-item", "Feed")
	n.until(`location.pathname === "/app" && document.querySelector("#flags") !== null`)
	n.clicksOn("#flags a.chip", "Trending")
	n.until(`document.querySelector("#flags a.chip[aria-current]") !== null`)
	n.clicksOn("#views summary", "Save as a view")
	n.run(`document.querySelector("#view-name").focus()`)
	n.types("Morning")
	n.press("Enter", "\r")
	n.until(`[...document.querySelectorAll("#views a")].some((v) => v.textContent.includes("Morning"))`)
	n.clicksOn("#views a.chip", "Notify about these posts")
	n.until(`location.pathname === "/app/notifications/new" && document.readyState === "complete"`)
	n.says("h1", "New target")
	n.run(`document.querySelector("#url").focus()`)
	n.types("https://hooks.slack.com/services/T0/B0/morning")
	n.run(`document.querySelector("#alert\\.of").focus()`) // a list of choices is a window of the browser
	n.clicks++
	n.press("ArrowDown", "")
	n.until(`document.querySelector("#alert\\.of").value === "spike"`)
	n.clicksOn("main button.primary", "Save")
	n.until(`location.pathname.startsWith("/app/notifications") && document.readyState === "complete" && !location.pathname.endsWith("/new")`)
	n.says("main", "Send a test")
	n.says(".page-head", "Days with clearly more posts than usual")
	require.LessOrEqual(t, n.clicks, mostClicks)
}
