package docs

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRecipesOfTheREADME: the page shows what the README has, whose programs a test runs.
func TestRecipesOfTheREADME(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	require.Contains(t, string(readme), recipesText)
	page, err := newRecipesPage()
	require.NoError(t, err)
	blocks := blocksOf(recipesText)
	headings, programs := 0, 0
	for _, b := range blocks {
		if b.Heading != "" {
			headings++
			require.Contains(t, string(page.html), "<h2>"+b.Heading+"</h2>")
		}
		if b.Code != "" {
			programs++
			require.NotContains(t, b.Code, "```")
		}
	}
	require.Equal(t, strings.Count(recipesText, "### "), headings)
	require.Equal(t, strings.Count(recipesText, "```")/2, programs)
	require.NotContains(t, string(page.html), "```")
}
