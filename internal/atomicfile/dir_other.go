//go:build !unix

package atomicfile

// syncDir does nothing on platforms that cannot sync folders.
func syncDir(string) error { return nil }
