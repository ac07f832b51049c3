package browser_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/fakenetwork"
)

// pen is the language model of the tests. Each draft waits until a test gives it one; a
// blank one is a failure.
type pen struct{ drafts chan string }

func newPen() *pen { return &pen{make(chan string)} }

// Answer implements draft.Model.
func (p *pen) Answer(ctx context.Context, _, _ string) (string, error) {
	select {
	case written := <-p.drafts:
		if written == "" {
			return "", errors.New("no ink")
		}
		return written, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// TestDrafts: a draft comes into the field in place, is announced and has the focus; it
// goes out when the member presses the usual button, and not before. Without script the
// page shows it as well.
func TestDrafts(t *testing.T) {
	t.Parallel()
	axe, err := os.ReadFile("../../extension/node_modules/axe-core/axe.min.js")
	require.NoError(t, err)
	w := theWorld(t)
	m := w.createTeam(t, "drafts@example.com")
	list, _ := m.furnish()
	one := m.join("drafts@example.com", "drafts-account")
	m.posts(list)
	p := one.signedIn()
	p.until(`document.querySelectorAll(".post").length > 0 && !document.querySelector("#live").hidden`)
	p.press("j", "j")
	p.until(`document.querySelector(".post.current") !== null`)
	p.press("c", "c")
	p.until(`document.activeElement.matches(".post.current textarea")`)
	p.must(p.session, "Input.insertText", map[string]any{"text": "My own words"}, nil)
	p.run(`window.kept = true; window.of = document.querySelector(".post.current").id
		window.field = () => document.querySelector("#" + of + " .composer textarea")
		window.state = () => document.querySelector("#" + of + " .drafted").textContent; 0`)
	write := `document.querySelector("#" + of + " [name=draft]").click()`

	// While the model writes, and when it has written.
	p.run(write)
	p.until(`state() === "Writing a draft…" && field().value === "My own words"`)
	w.pen.drafts <- "How did you measure that?"
	p.until(`field().value === "How did you measure that?" && document.activeElement === field() && state().startsWith("A draft in ") && window.kept === true`)
	p.until(`document.querySelector("#" + of + " .composer blockquote").textContent === "My own words"`)
	for _, l := range looks() {
		p.show(l)
		p.accessible(string(axe), "a draft")
	}

	// A failure leaves the text. What is typed now is sent.
	p.run(write)
	w.pen.drafts <- ""
	p.until(`state().startsWith("No draft: the language model gave no answer.") && field().value === "How did you measure that?"`)
	p.until(`field().form.matches("[data-htmx-powered]")`) // until then the form is sent without the script
	_, tasks := m.call(http.MethodGet, "/api-tasks?task_type=agent_comment_post", nil)
	require.Empty(t, tasks["data"], "a draft is never sent by itself")
	p.run(`document.querySelector("#" + of + " .composer .button.primary").click()`)
	p.until(`document.querySelector("#" + of + " .action-state") !== null && document.querySelector("#" + of + " .write[open]") === null && document.activeElement.id === of`)
	eventually(t, func() bool { return m.writes.count("drafts-account", fakenetwork.WriteComment) == 1 }, func() string { return "the comment is not written" })

	id := string(p.run(`window.of.slice(2)`))
	p.must(p.session, "Emulation.setScriptExecutionDisabled", map[string]any{"value": true}, nil)
	p.must(p.session, "Page.navigate", map[string]any{"url": m.service + "/app/posts/" + id[1:len(id)-1]}, nil)
	p.until(`document.querySelector("h1")?.textContent === "Post" && document.querySelector("[name=draft]") !== null`)
	p.run(`document.querySelector("[name=draft]").click()`)
	w.pen.drafts <- "A second question?"
	p.until(`document.querySelector(".write[open] textarea")?.value === "A second question?" && document.activeElement.matches("textarea")`)
}
