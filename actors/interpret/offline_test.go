package interpret_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost"
	"watchpost/actors/interpret"
)

// written writes keywords as the table has them.
func written(entries []watchpost.KeywordEntry) string {
	quote := func(s string) string {
		if strings.Contains(s, " ") {
			return "'" + s + "'"
		}
		return s
	}
	var lines []string
	for _, e := range entries {
		words := []string{quote(e.Keyword)}
		for _, r := range e.Required {
			words = append(words, "+"+quote(r))
		}
		for _, x := range e.Excluded {
			words = append(words, "-"+quote(x))
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return strings.Join(lines, "\n")
}

func unindented(s string) string { return strings.ReplaceAll(s, "\t", "") }

func TestUnderstood(t *testing.T) {
	t.Parallel()
	require.GreaterOrEqual(t, len(understood), 60)
	for _, c := range understood {
		r, err := interpret.Offline{}.Interpret(t.Context(), c.prompt)
		if err != nil {
			t.Errorf("%q: %v", c.prompt, err)
			continue
		}
		if got := written(r.Keywords); got != unindented(c.want) {
			t.Errorf("%q\ngot\n%s\nwant\n%s", c.prompt, got, unindented(c.want))
		}
		hold(t, c.prompt)
	}
}
