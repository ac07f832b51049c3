package main

import (
	"io/fs"
	"syscall"
)

// allocated returns the disk space of a file; the size of a mapped file is
// larger than its contents.
func allocated(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Blocks * 512
	}
	return info.Size()
}
