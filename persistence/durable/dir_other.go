//go:build !unix

package durable

// syncDir does nothing where folders cannot be synced.
func syncDir(string) error { return nil }
