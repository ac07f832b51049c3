//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

const faultVariable = "FAULT_TEST_FILE"

// TestMain simulates a process whose mapped file has no disk space, when a test
// asks for it.
func TestMain(m *testing.M) {
	if file := os.Getenv(faultVariable); file != "" {
		fmt.Fprintln(os.Stderr, touch(file))
		os.Exit(3)
	}
	os.Exit(m.Run())
}

// touch writes to a mapped page past the end of the file.
func touch(path string) error {
	if err := explainFaults(); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	const size = 1 << 16
	if err := f.Truncate(size); err != nil {
		return err
	}
	mapped, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return err
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	done := make(chan struct{})
	go func() {
		mapped[size/2] = 1
		close(done)
	}()
	<-done
	return nil
}

// TestFaultsAreExplained: a write to a mapped file that fails ends the process
// with one line, from any goroutine.
func TestFaultsAreExplained(t *testing.T) {
	t.Parallel()
	path, err := os.Executable()
	require.NoError(t, err)
	c := exec.Command(path)
	c.Env = append(os.Environ(), faultVariable+"="+filepath.Join(t.TempDir(), "mapped"))
	out, err := c.CombinedOutput()
	require.Error(t, err)
	require.Equal(t, 1, c.ProcessState.ExitCode(), string(out))
	require.Regexp(t, `\Awatchpost: a file of the store .* \(SIGBUS\): the disk is full or fails\..*\n\z`, string(out))
}
