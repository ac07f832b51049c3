package dashboard_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestIcons: the sprite has each icon that a template names. A missing one is an empty space.
func TestIcons(t *testing.T) {
	t.Parallel()
	sprite, err := os.ReadFile("assets/icons.svg")
	require.NoError(t, err)
	pages, err := filepath.Glob("templates/*.html")
	require.NoError(t, err)
	require.NotEmpty(t, pages)
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, named := range regexp.MustCompile(`(?:icon|solid) "([a-z0-9]+)"`).FindAllSubmatch(text, -1) {
			require.Contains(t, string(sprite), `id="icon-`+string(named[1])+`"`, page)
		}
	}
}
