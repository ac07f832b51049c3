package specs_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// proof is a script or a Go test in the table of clauses.
	proof = regexp.MustCompile("^`(?:([a-z0-9-]+\\.txtar)|([a-z/]+)\\.((?:Test|Fuzz)[A-Za-z0-9_]+))`$")

	// awaited marks a clause that a later work item proves.
	awaited = regexp.MustCompile(`^\*\*later\*\*: ([a-z-]+)$`)

	goTest = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Za-z0-9_]+)\(`)
)

// works lists the known later work items.
var works = map[string]bool{
	"extension": true, "dashboard": true, "auto-engagement": true, "understanding": true, "doctor": true, "cluster": true,
}

// TestClauses checks the table of clauses: each line has an existing proof or
// names a known later work item, no clause occurs twice under its heading, each
// heading of a table is one of api.md or protocol.md, and the table names every
// script.
func TestClauses(t *testing.T) {
	content, err := os.ReadFile("clauses.md")
	if err != nil {
		t.Fatal(err)
	}
	table := newClauseTable(t, "clauses.md")
	sections := anchors(t, "api.md")
	maps.Copy(sections, anchors(t, "protocol.md"))
	for n, line := range strings.Split(string(content), "\n") {
		switch {
		case strings.HasPrefix(line, "#"):
			table.heading = line
			if title, deep := strings.CutPrefix(line, "### "); deep && !sections[anchor(title)] {
				t.Errorf("clauses.md:%d: %s is no section of api.md or protocol.md", n+1, title)
			}
		case strings.HasPrefix(line, "| ") && line != "| clause | proof |":
			table.check(n+1, line)
		}
	}
	for script := range table.scripts {
		if !table.named[script] {
			t.Errorf("%s proves nothing in clauses.md", script)
		}
	}
	if table.clauses == 0 {
		t.Error("clauses.md has no clauses")
	}
	t.Logf("%d clauses, %d of later work", table.clauses, table.later)
}

// clauseTable is the state of the check while it reads the table.
type clauseTable struct {
	t       *testing.T
	page    string
	scripts map[string]string
	named   map[string]bool            // scripts that the table names
	tests   map[string]map[string]bool // by folder
	seen    map[string]bool
	heading string

	clauses, later int
}

func newClauseTable(t *testing.T, page string) *clauseTable {
	t.Helper()
	return &clauseTable{t: t, page: page, scripts: scripts(t), named: map[string]bool{}, tests: map[string]map[string]bool{}, seen: map[string]bool{}}
}

// check checks one line.
func (c *clauseTable) check(n int, line string) {
	c.t.Helper()
	c.clauses++
	cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "| "), " |"), " | ")
	if len(cells) != 2 {
		c.t.Errorf("%s:%d: %d cells", c.page, n, len(cells))
		return
	}
	if key := c.heading + cells[0]; c.seen[key] {
		c.t.Errorf("%s:%d: twice: %s", c.page, n, cells[0])
	} else {
		c.seen[key] = true
	}
	if work := awaited.FindStringSubmatch(cells[1]); work != nil {
		c.later++
		if !works[work[1]] {
			c.t.Errorf("%s:%d: no plan has %q", c.page, n, work[1])
		}
		return
	}
	proofs := strings.Fields(cells[1])
	if len(proofs) == 0 {
		c.t.Errorf("%s:%d: no proof", c.page, n)
	}
	for _, p := range proofs {
		c.exists(n, p)
	}
}

// exists checks that a proof exists.
func (c *clauseTable) exists(n int, named string) {
	c.t.Helper()
	p := proof.FindStringSubmatch(named)
	if p == nil {
		c.t.Errorf("%s:%d: %s is no proof", c.page, n, named)
		return
	}
	script, folder, name := p[1], p[2], p[3]
	if script != "" {
		c.named[script] = true
		if _, ok := c.scripts[script]; !ok {
			c.t.Errorf("%s:%d: there is no script %s", c.page, n, script)
		}
		return
	}
	if c.tests[folder] == nil {
		c.tests[folder] = testsOf(c.t, folder)
	}
	if !c.tests[folder][name] {
		c.t.Errorf("%s:%d: there is no test %s in %s", c.page, n, name, folder)
	}
}

// testsOf returns the names of the tests in a folder of the module.
func testsOf(t *testing.T, folder string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(folder), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range goTest.FindAllStringSubmatch(string(content), -1) {
			names[m[1]] = true
		}
	}
	return names
}
