package browser_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"watchpost/internal/fakenetwork"
)

// posted counts the requests that change something, by path.
type posted struct {
	mu     sync.Mutex
	counts map[string]int
}

// over counts the requests to a handler.
func (c *posted) over(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			c.mu.Lock()
			c.counts[r.URL.Path]++
			c.mu.Unlock()
		}
		next.ServeHTTP(w, r)
	})
}

// to returns the number of requests to a path.
func (c *posted) to(path string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts[path]
}

// withMouse adds to a page what the mouse of a test asks it. What a person clicks is
// mouse.controls; choices of a select open a window of the browser, so they are not
// among them. It notes of each click whether it met the control that is held.
const withMouse = `globalThis.mouse ??= {
	clicked: [],
	controls: (inside) => [...document.querySelectorAll(inside)].flatMap((part) => [...part.querySelectorAll(
		"button, summary, a.button, a.chip, .tabs a, .nav-item, .choice, [role=button], input:is([type=checkbox], [type=radio], [type=submit])")]).filter((c) => c.checkVisibility() && !c.matches(":disabled, .sr, .choice *, .choice:has(:disabled), .post:nth-child(n+3) *, .proposal:nth-child(n+3) *")),
	at: (find) => {
		const control = mouse.held = find()
		if (!control) return null
		control.scrollIntoView({ block: "center", behavior: "instant" })
		const { left, top, width, height } = control.getClientRects()[0] ?? control.getBoundingClientRect()
		const x = Math.round(left + width / 2), y = Math.round(top + height / 2), above = document.elementFromPoint(x, y)
		return { x, y, place: [left, top, width, height].join(" "), name: control.outerHTML.slice(0, 200), cover: control.contains(above) ? "" : String(above?.outerHTML.slice(0, 200)) }
	},
}; if (!mouse.hears) { mouse.hears = true; addEventListener("click", (e) => {
	if (e.detail) mouse.clicked.push(Boolean(mouse.held?.contains(e.target)))
	if (mouse.harmless) { e.preventDefault(); e.stopImmediatePropagation() }
}, true) }; 0`

// spot is where a control is.
type spot struct {
	X, Y        float64
	Place, Name string
	Cover       string // what covers the middle of the control
}

// control is the expression of a function that finds the nth control in a part of the page.
func control(inside string, nth int) string {
	return fmt.Sprintf(`(() => mouse.controls(%s)[%d])`, quoted(inside), nth)
}

// spot returns where a control is, after it has scrolled to the middle of the window;
// without such a control nil.
func (p *page) spot(find string) *spot {
	p.t.Helper()
	var found *spot
	require.NoError(p.t, json.Unmarshal(p.run(`mouse.at(`+find+`)`), &found))
	return found
}

// mouse sends an event of the mouse.
func (p *page) mouse(kind string, at *spot) {
	p.t.Helper()
	event := map[string]any{"type": kind, "x": at.X, "y": at.Y}
	if kind != "mouseMoved" {
		event["button"], event["clickCount"] = "left", 1
	}
	p.must(p.session, "Input.dispatchMouseEvent", event, nil)
}

// hold moves the mouse onto a control and presses its button. The control stays in its
// place: news may move it once, a press that moves it does so each time. find is the
// expression of a function; hold returns nil when that finds nothing.
func (p *page) hold(find string) (at *spot) {
	p.t.Helper()
	for range 3 {
		var pressed *spot
		if at, pressed = p.pressAt(find); at == nil || assert.ObjectsAreEqual(at, pressed) {
			return at
		}
		p.t.Logf("it moved when it was pressed: %+v, then %+v", at, pressed)
		p.mouse("mouseMoved", &spot{})
		p.mouse("mouseReleased", &spot{}) // on nothing: what holds both places gets a click
		p.run(`mouse.clicked.length = 0`)
	}
	p.t.Error("it moves whenever it is pressed")
	return at
}

// pressAt moves the mouse onto a control, presses its button, and returns where the control
// was before and is then.
func (p *page) pressAt(find string) (at, pressed *spot) {
	p.t.Helper()
	p.run(withMouse)
	var under *spot
	eventually(p.t, func() bool { // again where news have moved it
		p.mouse("mouseMoved", &spot{})
		at = p.spot(find)
		if at == nil {
			return true
		}
		p.mouse("mouseMoved", at)
		under = p.spot(find)
		return at.Cover == "" && under != nil && *under == *at
	}, func() string { return fmt.Sprintf("it moves under the mouse, or is covered: %+v, then %+v", at, under) })
	if at == nil {
		return nil, nil
	}
	p.mouse("mousePressed", at)
	p.run(`new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))`)
	return at, p.spot(find)
}

// click clicks a control as a person does, and returns where it was.
func (p *page) click(find string) *spot {
	p.t.Helper()
	at := p.hold(find)
	if at != nil {
		p.mouse("mouseReleased", at)
	}
	return at
}

// clickAll clicks every control in a part of the page, without its effect, and returns
// how many there are.
func (p *page) clickAll(inside, where string) int {
	p.t.Helper()
	p.run(withMouse + `; mouse.harmless = true`)
	for n := 0; ; n++ {
		at := p.click(control(inside, n))
		if at == nil {
			return n
		}
		require.Equal(p.t, "true", string(p.run(`mouse.clicked.length === 1 && mouse.clicked.pop()`)), "%s: the click on %s is lost", where, at.Name)
	}
}

// TestMouse clicks every button of the dashboard with a real mouse, which takes its time
// between pressing and releasing: no button moves under it, and no click is lost.
func TestMouse(t *testing.T) {
	t.Parallel()
	w := theWorld(t)
	m := w.createTeam(t, "mouse@example.com")
	list, rule := m.furnish()
	one := m.join("mouse@example.com", "mouse-account")
	m.posts(list)
	m.scanned()
	paths, _ := m.paths(list, rule)
	p := one.signedIn()
	p.show(look{width: 1440})
	p.clicksPosts(one)
	for _, path := range paths {
		p.visit(path)
		p.clickAll("main", path)
		// What opens is clicked too, one after the other.
		const opening = `[...document.querySelectorAll("main details")].filter((d) => !d.open && !d.matches(".post:nth-child(n+3) *, .proposal:nth-child(n+3) *"))`
		var shut int
		require.NoError(t, json.Unmarshal(p.run(`(globalThis.shut = `+opening+`).length`), &shut))
		for n := range shut {
			p.run(fmt.Sprintf(`globalThis.unfolded = shut[%d]; unfolded.open = true; unfolded.dataset.opened = ""`, n))
			p.clickAll("[data-opened]", path+" opened")
			p.run(`unfolded.open = false; delete unfolded.dataset.opened`)
		}
	}
	for _, l := range looks() {
		p.show(l)
		p.visit("/app")
		if l.width < 640 {
			p.run(`document.querySelector("#more").showPopover()`)
		}
		require.Greater(t, p.clickAll(".side", "the frame"), 5)
		p.run(`document.querySelector("#more").hidePopover?.(); document.querySelector("#keys").showModal()`)
		require.Equal(t, 2, p.clickAll("#keys", "keys"))
	}
	p.show(look{width: 1440})
	p.clicksWhileNewsCome(m)
}

// clicksPosts clicks each button of a post, each time of another post: the first click
// chooses the post. Each has its effect once.
func (p *page) clicksPosts(m *member) {
	p.t.Helper()
	p.until(`document.querySelectorAll(".post").length > 3 && !document.querySelector("#live").hidden`)
	of := func(n int, selector string) string {
		return fmt.Sprintf(`(() => document.querySelectorAll(".post")[%d].querySelector(%s))`, n, quoted(selector))
	}
	sent := func(n int, what string) func() int {
		var id string
		require.NoError(p.t, json.Unmarshal(p.run(fmt.Sprintf(`document.querySelectorAll(".post")[%d].id.slice(2)`, n)), &id))
		return func() int { return m.posted.to("/app/posts/" + id + "/" + what) }
	}
	liked, saved, commented := sent(0, "like"), sent(1, "save"), sent(2, "comment")
	p.click(of(0, "[data-act=like]"))
	p.until(of(0, ".post-actions .state.good") + `()?.textContent.includes("Liked")`)
	p.click(of(1, "[data-act=save]"))
	p.until(of(1, "[data-act=save][aria-pressed=true]") + `() !== null`)
	p.click(of(2, ".write > summary"))
	p.until(of(2, ".write[open]") + `() !== null`)
	p.click(of(2, "textarea"))
	p.must(p.session, "Input.insertText", map[string]any{"text": "Well said."}, nil)
	p.click(of(2, ".composer .button.primary"))
	p.until(of(2, ".post-actions") + `().textContent.includes("Commented") || ` + of(2, ".action-state") + `() !== null`)
	eventually(p.t, func() bool { return m.writes.count(m.account, fakenetwork.WriteComment) == 1 }, func() string { return "no comment" })
	p.until(`document.querySelector(".htmx-request") === null`) // clicksWhileNewsCome is about news
	p.click(of(3, "[data-act=open]"))
	p.until(`location.origin === ` + quoted(m.site))
	require.Equal(p.t, []int{1, 1, 1}, []int{liked(), saved(), commented()}, "requests")
	require.Equal(p.t, 1, m.writes.count(m.account, fakenetwork.WriteLike))
	p.must(p.session, "Page.navigate", map[string]any{"url": m.service + "/app"}, nil)
	p.until(`document.querySelector(".post [data-act=save][aria-pressed=true]") !== null`)
}

// clicksWhileNewsCome presses buttons in parts of pages that news replace before the
// release.
func (p *page) clicksWhileNewsCome(m *team) {
	p.t.Helper()
	click := func(path, selector string, news func()) {
		p.visit(path)
		button := `(() => document.querySelector(` + quoted(selector) + `))`
		p.until(button + `() !== null && !document.querySelector("#live").hidden`)
		p.run(`performance.clearResourceTimings()`)
		at := p.hold(button)
		news()
		p.until(`performance.getEntriesByType("resource").some((r) => new URL(r.name).pathname === ` + quoted(path) + ` && r.responseEnd > 0)`)
		require.Equal(p.t, at, p.spot(button), path)
		p.mouse("mouseReleased", at)
	}
	click("/app/tasks", "#tasks .empty .button", func() {
		m.completed(m.ask("/network-agent/fetch-profile", fields{"profile_slug": "mouse-account"}))
	})
	p.until(`location.pathname === "/app/journal" && document.readyState === "complete"`)
	click("/app/rules", "#stop summary", func() {
		status, made := m.call(http.MethodPost, "/api-keyword-watchlist", fields{"keywords": []string{"customers"}})
		require.Equal(p.t, http.StatusOK, status, made)
	})
	p.until(`document.querySelector("#stop").open`)
	p.says("#stop", "They do not come back when the rules act again.")
	p.click(`(() => document.querySelector("#stop [value=stop]"))`)
	p.says("#rules .notice.bad", "All rules are stopped")
	require.Equal(p.t, 1, m.posted.to("/app/rules"))
	p.click(`(() => document.querySelector("#rules .page-head [value=resume]"))`)
	p.until(`document.querySelector("#stop [value=stop]") !== null`)
}
