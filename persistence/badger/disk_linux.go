package badger

import (
	"io/fs"
	"os"
	"syscall"
)

// freeSpace returns the number of bytes that an unprivileged process may still
// write to the disk of a folder.
func freeSpace(dir string) (int64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * s.Bsize, nil
}

// allocate allocates disk space for the first bytes of a file, which must have
// at least that size.
func allocate(path string, size int64) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	err = syscall.Fallocate(int(f.Fd()), 0, 0, size)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// onDisk returns the disk space of a file, without sparse parts.
func onDisk(info fs.FileInfo) int64 {
	const block = 512 // of st_blocks, on any disk
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Blocks * block
	}
	return info.Size()
}
