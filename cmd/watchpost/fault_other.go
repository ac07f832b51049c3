//go:build !linux || !(amd64 || arm64)

package main

// explainFaults does nothing on platforms without a handler; the runtime
// reports the fault.
func explainFaults() error { return nil }
