package dashboard

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

// TestEveryTaskTypeHasItsIcon: the pages have the icons that the table of task types
// names.
func TestEveryTaskTypeHasItsIcon(t *testing.T) {
	t.Parallel()
	icons, err := os.ReadFile("assets/icons.svg")
	require.NoError(t, err)
	for _, kind := range watchpost.TaskTypes() {
		require.Contains(t, string(icons), `<symbol id="icon-`+kind.Icon()+`"`, "%s lacks its icon", kind)
	}
}
