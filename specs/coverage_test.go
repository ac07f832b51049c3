package specs_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// TestEveryOperationHasAScript reads the API document: a script must call each
// operation, and each path that the document omits.
func TestEveryOperationHasAScript(t *testing.T) {
	w := isolatedWorld(t)
	if err := w.serviceCommand(nil); err != nil {
		t.Fatal(err)
	}
	called := map[string]bool{}
	for file, script := range scripts(t) {
		for _, call := range calls(script) {
			method, path, _ := strings.Cut(call, " ")
			template, o := w.document.operation(method, path)
			path, _, _ = strings.Cut(path, "?")
			switch {
			case o != nil:
				called[method+" "+template] = true
			case undocumented[path]:
				called[method+" "+path] = true
			case strings.HasPrefix(path, "/_control/"):
				t.Logf("%s steers the network: %s", file, call)
			}
		}
	}
	wanted := []string{"GET /metrics", "GET /openapi.json", "GET /docs", "GET /extension/socket"}
	for template, item := range w.document.spec.Paths.Map() {
		for method := range item.Operations() {
			wanted = append(wanted, method+" "+template)
		}
	}
	slices.Sort(wanted)
	for _, operation := range wanted {
		if !called[operation] {
			t.Errorf("no script calls %s", operation)
		}
	}
}

// TestScriptsAreWhole checks that no script is skipped or stopped early, and that
// each begins with its subject and proofs.
func TestScriptsAreWhole(t *testing.T) {
	for file, script := range scripts(t) {
		for n, line := range strings.Split(script, "\n") {
			for _, word := range words(line) {
				if word == "skip" || word == "stop" && words(line)[0] == "stop" || strings.HasPrefix(word, "[") && words(line)[0] == word {
					t.Errorf("%s:%d: %s: a script is run whole", file, n+1, line)
				}
			}
		}
		head, _, _ := strings.Cut(script, "\n\n")
		if !strings.HasPrefix(head, "# ") || !strings.Contains(head, "# Proves: ") {
			t.Errorf("%s does not begin with a comment that says what it proves", file)
		}
	}
}

// TestDocumentIsWhole checks the API document: it is valid, operations have
// names and errors have texts.
func TestDocumentIsWhole(t *testing.T) {
	w := isolatedWorld(t)
	if err := w.serviceCommand(nil); err != nil {
		t.Fatal(err)
	}
	if err := w.document.spec.Validate(t.Context()); err != nil {
		t.Error(err)
	}
	names := map[string]string{}
	for path, item := range w.document.spec.Paths.Map() {
		for method, o := range item.Operations() {
			where := method + " " + path
			if other, twice := names[o.OperationID]; o.OperationID == "" || twice {
				t.Errorf("%s and %s have the same name %q", where, other, o.OperationID)
			}
			names[o.OperationID] = where
			if o.Summary == "" {
				t.Errorf("%s has no summary", where)
			}
			checkErrors(t, where, o)
		}
	}
}

// checkErrors requires a documented body for each error.
func checkErrors(t *testing.T, where string, o *openapi3.Operation) {
	t.Helper()
	for code, response := range o.Responses.Map() {
		if code < "400" {
			continue
		}
		content := response.Value.Content.Get("application/json")
		if content == nil || content.Schema == nil || content.Schema.Value == nil || content.Schema.Value.Properties["error"] == nil {
			t.Errorf("%s: %s has no body with an error", where, code)
		}
	}
}

// scripts returns every script by its file.
func scripts(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(scriptFolder, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	all := map[string]string{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(file)] = string(content)
	}
	return all
}

// calls returns the requests of a script, as method and path.
func calls(script string) []string {
	found := map[string]bool{}
	for line := range strings.SplitSeq(script, "\n") {
		if line := words(line); len(line) >= 4 && line[0] == "as" {
			found[line[2]+" "+line[3]] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}
