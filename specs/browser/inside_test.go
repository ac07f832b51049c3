package browser_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestInside: no page has the browser refuse something for the page's policy, menus are
// inside the window, and the focus is on the post after a comment was sent.
func TestInside(t *testing.T) {
	t.Parallel()
	w := theWorld(t)
	m := w.createTeam(t, "inside@example.com")
	list, rule := m.furnish()
	one := m.join("inside@example.com", "inside-account")
	m.posts(list)
	p := one.signedIn()
	p.must(p.session, "Page.enable", nil, nil)
	p.must(p.session, "Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": `
		window.refused = [];
		document.addEventListener("securitypolicyviolation", (e) => refused.push(e.violatedDirective + " " + e.blockedURI + " " + e.sample));`}, nil)

	paths, _ := m.paths(list, rule)
	for _, path := range append(paths, "/docs", "/docs/posts") {
		p.visit(path)
		for _, width := range []int{800, 900, 1000} {
			p.show(look{width: width})
			p.menusAreInside(fmt.Sprintf("%s at %d", path, width))
		}
		require.JSONEq(t, `[]`, string(p.run(`refused`)), path)
	}

	p.visit("/app")
	p.until(`document.querySelectorAll(".post").length > 1 && !document.querySelector("#live").hidden`)
	p.press("j", "j")
	p.press("j", "j")
	p.press("c", "c")
	p.until(`document.activeElement.matches(".post.current textarea")`)
	p.must(p.session, "Input.insertText", map[string]any{"text": "Well said."}, nil)
	p.run(`document.activeElement.form.querySelector("button.primary").click()`)
	p.until(`document.activeElement === document.querySelectorAll(".post")[1] && document.querySelector(".post.current .action-state") !== null`)
	p.press("k", "k")
	p.until(`document.activeElement === document.querySelectorAll(".post")[0]`)
	status, open := m.call(http.MethodGet, "/api-tasks?task_type=agent_comment_post", nil)
	require.Equal(t, http.StatusOK, status)
	require.Len(t, open["data"], 1)
}

// menusAreInside opens each menu of a page, and compares it with the window.
func (p *page) menusAreInside(where string) {
	p.t.Helper()
	var outside []string
	require.NoError(p.t, json.Unmarshal(p.run(`(async () => {
		const outside = [];
		for (const menu of document.querySelectorAll("details.menu")) {
			menu.open = true;
			await new Promise((done) => menu.addEventListener("toggle", done, { once: true }));
			const box = menu.querySelector(".menu-body").getBoundingClientRect();
			if (box.left < 0 || box.right > innerWidth) outside.push(menu.textContent.trim().slice(0, 20) + " " + box.left + " to " + box.right);
			menu.open = false;
			await new Promise((done) => menu.addEventListener("toggle", done, { once: true }));
		}
		return outside;
	})()`), &outside))
	require.Empty(p.t, outside, where)
}
