package browser_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/watchpost"
)

// TestChoosingATeam: who is invited by two teams declines one and joins the other, by pages
// that everybody can use.
func TestChoosingATeam(t *testing.T) {
	t.Parallel()
	const guest = "guest@example.com"
	axe, err := os.ReadFile("../../extension/node_modules/axe-core/axe.min.js")
	require.NoError(t, err)
	w := theWorld(t)
	m, other := w.createTeam(t, "choice@example.com"), w.createTeam(t, "other-choice@example.com")
	for _, invited := range []struct {
		by    *team
		email string
	}{{other, guest}, {m, guest}, {m, "late@example.com"}} {
		_, err := w.registry.Invite(t.Context(), invited.by.id, actors.InviteMember{Email: invited.email, Role: watchpost.RoleAdmin})
		require.NoError(t, err)
	}
	p := launch(t, w.dist, t.TempDir()).open(m.service + "/app/sign-in")
	looked := func(where string) {
		for _, l := range looks() {
			p.show(l)
			p.accessible(string(axe), fmt.Sprintf("%s at %d, dark %v", where, l.width, l.dark))
		}
	}
	p.run(`document.querySelector("#email").value = "` + guest + `"; document.querySelector("form").requestSubmit()`)
	p.says("h1", "Enter your code")
	p.run(`document.querySelector("#code").value = "` + m.mail.mailed(t, guest) + `"; document.querySelector("form").requestSubmit()`)
	p.says("h1", "Choose a team")
	p.until(`document.querySelectorAll("[value=join]").length === 2`)
	p.run(`document.querySelector("details").open = true`)
	looked("the choice")
	p.run(`[...document.querySelectorAll("form")].find(f => f.textContent.includes("other-choice")).querySelector("[value=block]").click()`)
	p.until(`document.querySelectorAll("[value=join]").length === 1 && document.querySelector("[value=allow]") !== null`)
	looked("the blocks")
	p.run(`document.querySelector("[value=join]").click()`)
	p.until(`location.pathname === "/app" && document.readyState === "complete"`)
	p.visit("/app/team")
	p.says("#members", "late@example.com")
	p.run(`document.querySelectorAll("details").forEach(d => { d.open = true })`)
	looked("the team")
}
