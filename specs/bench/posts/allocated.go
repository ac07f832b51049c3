package main

import (
	"io/fs"
	"syscall"
)

// allocated is what a file takes on the disk: mapped files are longer than
// they are full.
func allocated(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Blocks * 512
	}
	return info.Size()
}
