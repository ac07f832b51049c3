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
	proof = regexp.MustCompile("`(?:([a-z0-9-]+\\.txtar)|([a-z/]+)\\.((?:Test|Fuzz)[A-Za-z0-9_]+))`")

	goTest = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Za-z0-9_]+)\(`)
)

// TestClauses keeps the table of clauses true: each line has a proof or is a
// gap, each proof that it names exists, and each script is named.
func TestClauses(t *testing.T) {
	content, err := os.ReadFile("clauses.md")
	if err != nil {
		t.Fatal(err)
	}
	all := scripts(t)
	named := map[string]bool{}
	tests := map[string]map[string]bool{}
	clauses, gaps := 0, 0
	for n, line := range strings.Split(string(content), "\n") {
		cells := strings.Split(line, " | ")
		if !strings.HasPrefix(line, "| ") || line == "| clause | proof |" {
			continue
		}
		clauses++
		if len(cells) != 2 {
			t.Errorf("clauses.md:%d: %d cells", n+1, len(cells))
			continue
		}
		proofs := proof.FindAllStringSubmatch(cells[1], -1)
		if strings.Contains(cells[1], "**gap**") {
			gaps++
		} else if len(proofs) == 0 {
			t.Errorf("clauses.md:%d: neither a proof nor a gap", n+1)
		}
		for _, p := range proofs {
			script, folder, name := p[1], p[2], p[3]
			if script != "" {
				named[script] = true
				if _, ok := all[script]; !ok {
					t.Errorf("clauses.md:%d: there is no script %s", n+1, script)
				}
				continue
			}
			if tests[folder] == nil {
				tests[folder] = testsOf(t, folder)
			}
			if !tests[folder][name] {
				t.Errorf("clauses.md:%d: there is no test %s in %s", n+1, name, folder)
			}
		}
	}
	for script := range all {
		if !named[script] {
			t.Errorf("%s proves nothing in clauses.md", script)
		}
	}
	t.Logf("%d clauses, %d with gaps", clauses, gaps)
}

// testsOf returns the names of the tests in a folder of the module; watchpost
// is its root.
func testsOf(t *testing.T, folder string) map[string]bool {
	t.Helper()
	if folder == "watchpost" {
		folder = "."
	}
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
