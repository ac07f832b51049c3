package badger

import (
	"flag"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

var long = flag.Bool("long", os.Getenv("WATCHPOST_LONG") != "", "run the long form of the crash test")

// Environment of a child process: its role, and the folder.
const (
	childRole = "WATCHPOST_STORE_CHILD"
	childDir  = "WATCHPOST_STORE_DIR"
)

// children are the roles of this test binary as a child process; each returns
// the exit code.
var children = map[string]func(dir string) int{
	"commit":  commitUntilKilled,
	"badger":  openBadgerOnly,
	"holding": holdOpen,
	"full":    closeFull,
	"opening": openAndWrite,
	"rotting": readRotten,
}

func TestMain(m *testing.M) {
	if role := os.Getenv(childRole); role != "" {
		os.Exit(children[role](os.Getenv(childDir)))
	}
	goleak.VerifyTestMain(m)
}

// child prepares a process of this binary in a role.
func child(t *testing.T, role, dir string) *exec.Cmd {
	t.Helper()
	path, err := os.Executable()
	require.NoError(t, err)
	c := exec.Command(path)
	c.Env = append(os.Environ(), childRole+"="+role, childDir+"="+dir)
	c.Stderr = os.Stderr
	return c
}
