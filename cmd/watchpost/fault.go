//go:build linux && (amd64 || arm64)

package main

import (
	"fmt"
	"syscall"
	"unsafe"
)

// The store's files are mapped into memory. When the disk is full or fails, an
// access to a mapped page raises SIGBUS. The runtime's handler prints a page of
// stacks, and Badger's goroutines cannot recover from it. The handler in
// fault.s replaces it: it writes one line to standard error and ends the
// process. No acknowledged write is lost. It runs on the signal stack and makes
// only system calls.

// sigactiont is the kernel's struct sigaction.
type sigactiont struct {
	handler  uintptr
	flags    uint64
	restorer uintptr
	mask     uint64
}

const (
	saSigInfo  = 0x4
	saOnStack  = 0x08000000
	saRestorer = 0x04000000
)

// faultHandler returns the address of the handler.
func faultHandler() uintptr

// explainFaults installs a handler that reports a failed access to a mapped
// file in one line and ends the process.
func explainFaults() error {
	handler := faultHandler()
	// The handler never returns, so the restorer is never called.
	action := sigactiont{handler: handler, flags: saSigInfo | saOnStack | saRestorer, restorer: handler}
	_, _, errno := syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(syscall.SIGBUS), uintptr(unsafe.Pointer(&action)), 0, 8, 0, 0) //nolint:gosec // the kernel reads the struct during the call
	if errno != 0 {
		return fmt.Errorf("handler of SIGBUS: %w", errno)
	}
	return nil
}
