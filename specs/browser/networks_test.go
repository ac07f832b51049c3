package browser_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
)

// TestNetworkOfTheService: a build for several networks learns the network from
// the service at pairing. It asks for access to it, does nothing before it has
// it, and gives it back when it is unpaired.
func TestNetworkOfTheService(t *testing.T) {
	t.Parallel()
	w := theWorld(t)
	m := &member{team: w.createTeam(t, "any@example.com"), chromium: launch(t, w.dist, t.TempDir()), email: "any@example.com", account: "any"}
	t.Cleanup(m.explain)
	m.signIn()
	// A test cannot answer the browser's question. The browser keeps for an update the
	// access that it granted to the earlier version.
	dist := filepath.Join(t.TempDir(), "dist")
	require.NoError(t, build(dist, "--adapter", string(serverPages)))
	load := func(dist string) { m.must("", "Extensions.loadUnpacked", map[string]any{"path": dist}, nil) }
	load(dist)
	before := m.settings()
	before.run(`chrome.permissions.remove({ origins: ["` + m.site + `/*"] })`)

	p := m.enterCode(m.service, m.code())
	p.says("#offered-network", "network.localhost")
	p.agree()
	p.until(`document.querySelector("#pill").textContent === "No access"`)
	p.says("#state .sentence", "network.localhost")
	has := `chrome.permissions.contains({ origins: ["` + m.site + `/*"] })`
	require.Equal(t, "false", string(p.run(has)))
	status, _ := m.team.call(http.MethodPost, "/network-agent/fetch-profile", fields{"profile_slug": "any"})
	require.Equal(t, http.StatusForbidden, status, "a browser without access counts as working")

	// The button asks for that network only.
	p.run(`chrome.permissions.request = async asked => { globalThis.asked = asked.origins; return false }`)
	p.run(`document.querySelector("#state button").click()`)
	p.until(`asked?.join() === "` + m.site + `/*"`)

	load(w.dist)
	load(dist)
	p = m.settings()
	p.until(`document.querySelector("#pill").dataset.kind === "good"`)
	var reply fields
	eventually(t, func() bool { // a worker that has just begun reports the member as signed out
		status, reply = m.team.call(http.MethodPost, "/network-agent/fetch-profile", fields{"profile_slug": "any"})
		return status == http.StatusOK
	}, func() string { return fmt.Sprint(reply) })
	id, _ := reply["api_agent_task_id"].(string)
	require.Equal(t, "any", m.completed(id)["profile_slug"])

	p.run(`document.querySelector("#unpair").click()`)
	p.until(`document.querySelector("dialog .agree") !== null`)
	p.run(`document.querySelector("dialog .agree").click()`)
	p.until(`!document.querySelector("#unpaired").hidden`)
	p.until(has + `.then(has => !has)`)

	// A pairing that the team ends gives the access back as well.
	load(w.dist)
	load(dist)
	m.pairWith(m.service, m.code())
	p = m.settings()
	p.until(has)
	p.until(`document.querySelector("#log").hidden === false`)
	sessions, err := actors.Ask(t.Context(), w.registry, m.id, actors.ListSessions{})
	require.NoError(t, err)
	require.Len(t, sessions, 1)
	_, err = actors.Ask(t.Context(), w.registry, m.id, actors.Revoke{Session: sessions[0].ID})
	require.NoError(t, err)
	p.until(`document.querySelector("#pill").textContent === "Pairing ended"`)
	p.until(has + `.then(has => !has)`)
}
