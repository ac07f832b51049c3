package httpapi_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFirstSteps: an empty feed lists what a new team does first. A step is done when its
// object exists, and the list goes away with the first posts.
func TestFirstSteps(t *testing.T) {
	t.Parallel()
	h := build(t)
	m := h.team("Steps", "growth")
	b := h.browser()
	b.signIn(m.email)
	done := func() string {
		page := b.do("GET", "/app", "").raw
		if !strings.Contains(page, `id="steps"`) {
			return "none"
		}
		require.Equal(t, 1, strings.Count(page, `aria-current="step"`), "the first that is left")
		return between(t, page, `<h2 id="steps-head">First steps</h2><p>`, " done.")
	}
	require.Equal(t, "0 of 4", done())
	p := m.join()
	require.Equal(t, "1 of 4", done())
	read[fields](m.call("POST", "/api-notifications", `{"type":"webhook","name":"Hook","url":"https://hook.example/x"}`), 200)
	require.Equal(t, "2 of 4", done())
	m.another("bob@example.com")
	require.Equal(t, "3 of 4", done())
	require.NotContains(t, b.do("GET", "/app?sentiment=positive", "").raw, `id="steps"`, "filters are the reason")
	m.collect(p, "telemetry", sample(1, "telemetry"))
	require.Equal(t, "none", done())
}
