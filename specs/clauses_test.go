package specs_test

import (
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
// names a known later work item, no clause occurs twice under its heading, and
// the table names every script.
func TestClauses(t *testing.T) {
	content, err := os.ReadFile("clauses.md")
	if err != nil {
		t.Fatal(err)
	}
	table := clauseTable{t: t, scripts: scripts(t), named: map[string]bool{}, tests: map[string]map[string]bool{}, seen: map[string]bool{}}
	for n, line := range strings.Split(string(content), "\n") {
		switch {
		case strings.HasPrefix(line, "#"):
			table.heading = line
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
	scripts map[string]string
	named   map[string]bool            // scripts that the table names
	tests   map[string]map[string]bool // by folder
	seen    map[string]bool
	heading string

	clauses, later int
}

// check checks one line.
func (c *clauseTable) check(n int, line string) {
	c.t.Helper()
	c.clauses++
	cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "| "), " |"), " | ")
	if len(cells) != 2 {
		c.t.Errorf("clauses.md:%d: %d cells", n, len(cells))
		return
	}
	if key := c.heading + cells[0]; c.seen[key] {
		c.t.Errorf("clauses.md:%d: twice: %s", n, cells[0])
	} else {
		c.seen[key] = true
	}
	if work := awaited.FindStringSubmatch(cells[1]); work != nil {
		c.later++
		if !works[work[1]] {
			c.t.Errorf("clauses.md:%d: nobody plans %q", n, work[1])
		}
		return
	}
	proofs := strings.Fields(cells[1])
	if len(proofs) == 0 {
		c.t.Errorf("clauses.md:%d: no proof", n)
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
		c.t.Errorf("clauses.md:%d: %s is no proof", n, named)
		return
	}
	script, folder, name := p[1], p[2], p[3]
	if script != "" {
		c.named[script] = true
		if _, ok := c.scripts[script]; !ok {
			c.t.Errorf("clauses.md:%d: there is no script %s", n, script)
		}
		return
	}
	if c.tests[folder] == nil {
		c.tests[folder] = testsOf(c.t, folder)
	}
	if !c.tests[folder][name] {
		c.t.Errorf("clauses.md:%d: there is no test %s in %s", n, name, folder)
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
