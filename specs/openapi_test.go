package specs_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"regexp"
	"testing"
)

var update = flag.Bool("update", false, "write openapi.json instead of comparing it")

// documentFile is the API document with every operation, including those of
// operators and of the test clock.
const documentFile = "openapi.json"

// versionLine differs from build to build.
var versionLine = regexp.MustCompile(`(?m)^(    "version": ").*(")$`)

// TestDocumentIsCommitted compares the committed document with the served one.
func TestDocumentIsCommitted(t *testing.T) {
	w := isolatedWorld(t)
	if err := w.serviceCommand(nil); err != nil {
		t.Fatal(err)
	}
	r, err := w.request("nobody", http.MethodGet, "/openapi.json", nil)
	if err != nil {
		t.Fatal(err)
	}
	var served bytes.Buffer
	if err := json.Indent(&served, r.body, "", "  "); err != nil {
		t.Fatal(err)
	}
	served.WriteByte('\n')
	want := versionLine.ReplaceAll(served.Bytes(), []byte("${1}development${2}"))
	if *update {
		if err := os.WriteFile(documentFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	committed, err := os.ReadFile(documentFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(committed, want) {
		t.Errorf("%s is not what the service serves: run make openapi", documentFile)
	}
}
