package clients_test

import (
	"encoding/csv"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTerminal runs the commands of the program that read a service, against the demo.
func TestTerminal(t *testing.T) {
	service := startDemo(t)
	dir, program := t.TempDir(), ""
	for _, variable := range service {
		if value, found := strings.CutPrefix(variable, "WATCHPOST_PROGRAM="); found {
			program = value
		}
	}
	follow(t, dir, service, regexp.MustCompile(`^\{"id":".*"content":`), "", []string{program, "tail", "--since", "earliest", "--json"})
	follow(t, dir, service, regexp.MustCompile(`^[0-9a-f-]{36}  20\d\d-`), "", []string{program, "tail", "--since", "earliest"})

	page := must(t, dir, service, program, "posts", "--count", "2")
	require.Regexp(t, `(?m)^[0-9a-f-]{36}  20\d\d-.*\n[0-9a-f-]{36}  20\d\d-.*\n2 of \d+ posts$`, page)

	rows, err := csv.NewReader(strings.NewReader(must(t, dir, service, program, "export"))).ReadAll()
	require.NoError(t, err)
	require.Equal(t, "id", rows[0][0])
	require.Greater(t, len(rows), 2)
	// Posts come meanwhile; those behind the first are in every later export.
	lines := must(t, dir, service, program, "export", "--format", "jsonl", "--after", rows[1][0])
	require.NotContains(t, lines, rows[1][0])
	require.Contains(t, lines, `{"id":"`+rows[2][0]+`"`)
	out, err := run(t, dir, service, program, "export", "--after", "nothing", "--since", time.Now().Format("01/02/2006"))
	require.Error(t, err, out)
	require.Contains(t, out, "stored_since")
}
