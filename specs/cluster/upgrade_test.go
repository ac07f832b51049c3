package cluster

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOldAndNew upgrades a cluster of an earlier build under load, node by node, and
// takes one node back: both builds serve side by side, and every reply is checked as
// in a drill. The earlier builds are one of some commits back, and the last whose teams
// moved all together (record 049). WATCHPOST_OLD_REVISION names another one instead.
func TestOldAndNew(t *testing.T) {
	if os.Getenv("WATCHPOST_LONG") == "" {
		t.Skip("builds an earlier revision; WATCHPOST_LONG=1 runs it")
	}
	if revision := os.Getenv("WATCHPOST_OLD_REVISION"); revision != "" {
		upgrade(t, revision)
		return
	}
	for name, search := range map[string][]string{
		"some commits back":            {"--skip=10", "--format=%H"},
		"teams that move all together": {"--diff-filter=A", "--format=%H~1", "--", "specs/decisions/049-teams-move-one-by-one.md"},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := git(append([]string{"log", "-1"}, search...)...)
			if err != nil || len(found) == 0 {
				t.Skip("no git history to build an earlier revision from")
			}
			upgrade(t, strings.TrimSpace(string(found)))
		})
	}
}

func upgrade(t *testing.T, from string) {
	old := buildOld(t, from)
	d := newDrill(t, 1, false, old)
	run := func(i int, name, binary string) {
		d.round(fault{name, func(d *drill) {
			d.nodes[i].binary = binary
			d.restartNode(i)
		}})
	}
	d.round(fault{"none, all nodes old", func(*drill) {}})
	run(0, "first node new", d.binary)
	run(1, "second node new", d.binary)
	run(0, "first node old again", old)
	run(2, "third node new", d.binary)
	run(0, "first node new again", d.binary)
	d.finish()
}

func git(args ...string) ([]byte, error) {
	command := exec.Command("git", args...)
	command.Dir = filepath.Join("..", "..")
	return command.Output()
}

// buildOld builds a revision.
func buildOld(t *testing.T, revision string) (binary string) {
	t.Helper()
	dir := t.TempDir()
	archive, err := git("archive", "--format=tar", revision)
	if err != nil {
		t.Skipf("the revision %s is not in the git history", revision)
	}
	unpack := exec.Command("tar", "-x", "-C", dir)
	unpack.Stdin = strings.NewReader(string(archive))
	out, err := unpack.CombinedOutput()
	require.NoError(t, err, "%s", out)
	binary = filepath.Join(dir, "watchpost-old")
	build := exec.Command("go", "build", "-o", binary, "./cmd/watchpost")
	build.Dir = dir
	out, err = build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Logf("the old build is revision %s", revision)
	return binary
}
