package browser_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// lookHeight is the height of the window in which pages are looked at, in pixels.
const lookHeight = 900

// TestPagesWithManyLists checks every page of a team with as many watchlists as a plan
// allows: accessible, no wider than the window, and with the first post on the first screen.
func TestPagesWithManyLists(t *testing.T) {
	t.Parallel()
	axe, err := os.ReadFile("../../extension/node_modules/axe-core/axe.min.js")
	require.NoError(t, err)
	m := theWorld(t).createTeam(t, "many@example.com")
	list, rule := m.furnish()
	one := m.join("many@example.com", "many-account")
	m.posts(list)
	for i := 2; i <= 100; i++ {
		status, made := m.call(http.MethodPost, "/api-keyword-watchlist", fields{
			"name": fmt.Sprintf("List %d, about the work of our team in region %d", i, i%7), "keywords": []string{fmt.Sprint("learning ", i)},
		})
		require.Equal(t, http.StatusOK, status, made)
	}
	p := one.signedIn()
	paths, _ := m.paths(list, rule)
	if os.Getenv("WATCHPOST_LONG") == "" { // those that have a row or a choice for each
		paths = []string{"/app", "/app/people", "/app/trends", "/app/watchlists", "/app/tasks", "/app/rules/new", "/app/notifications/new?kind=webhook"}
	}
	p.looksGood(string(axe), "100", paths)
	for _, l := range looks() {
		p.show(l)
		p.visit("/app")
		var top float64
		require.NoError(t, json.Unmarshal(p.run(`document.querySelector(".post").getBoundingClientRect().top`), &top))
		require.Less(t, top, float64(lookHeight), "the first post at %d", l.width)
	}
}

// looksGood checks the pages with axe-core in each look, and draws them.
func (p *page) looksGood(axe, lists string, paths []string) {
	p.t.Helper()
	for _, path := range paths {
		p.visit(path)
		for _, l := range looks() {
			p.show(l)
			p.accessible(axe, fmt.Sprintf("%s at %d, dark %v", path, l.width, l.dark))
			if os.Getenv("WATCHPOST_PICTURES") != "" {
				draw(p.t, fmt.Sprintf("%s-%s-%d-%v", lists, nameOf(path), l.width, l.dark), p.picture(l.width, l.dark))
				p.show(l)
			}
		}
	}
}

var (
	idInPath = regexp.MustCompile(`[0-9a-f-]{36}`)
	noName   = regexp.MustCompile(`[^a-z0-9]+`)
)

// nameOf returns the name of a page's picture.
func nameOf(path string) string {
	return strings.Trim(noName.ReplaceAllString(idInPath.ReplaceAllString(path, "one"), "-"), "-")
}
