package clients_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLintNeedsItsTools runs the linters of the API document on a machine without npm, and
// on one that has lost node since the linters were installed: the build server fails there,
// and others read that nothing was linted.
func TestLintNeedsItsTools(t *testing.T) {
	for name, installed := range map[string]bool{"never installed": false, "installed before": true} {
		t.Run(name, func(t *testing.T) {
			dir, programs := t.TempDir(), t.TempDir()
			for _, file := range []string{"lint", "tools", "package-lock.json"} {
				require.NoError(t, exec.Command("cp", filepath.Join("../openapi", file), dir).Run())
			}
			if installed {
				require.NoError(t, os.Mkdir(filepath.Join(dir, "node_modules"), 0o755))
				require.NoError(t, os.Link(filepath.Join(dir, "package-lock.json"), filepath.Join(dir, "node_modules/.installed")))
			}
			for _, one := range []string{"bash", "dirname", "cmp", "id"} { // all that they need of a system
				path, err := exec.LookPath(one)
				require.NoError(t, err)
				require.NoError(t, os.Symlink(path, filepath.Join(programs, one)))
			}
			lint := func(ci string) (string, error) {
				command := exec.Command(filepath.Join(programs, "bash"), "lint")
				command.Dir, command.Env = dir, []string{"PATH=" + programs, "CI=" + ci}
				out, err := command.CombinedOutput()
				return string(out), err
			}
			said, err := lint("")
			require.NoError(t, err, said)
			require.Regexp(t, `^skipped: .* is missing\nskipped: the API document was not linted\n$`, said)
			said, err = lint("true")
			require.Error(t, err, said)
			require.Regexp(t, `^failed: .* is missing\n$`, said)
		})
	}
}
