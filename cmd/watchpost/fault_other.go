//go:build !linux || !(amd64 || arm64)

package main

// explainFaults does nothing where the runtime's own message must do.
func explainFaults() error { return nil }
