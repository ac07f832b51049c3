//go:build !linux

package badger

import (
	"errors"
	"io/fs"
)

// Elsewhere the free space is not watched.

func freeSpace(string) (int64, error) { return 0, errors.ErrUnsupported }

func allocate(string, int64) error { return errors.ErrUnsupported }

func onDisk(info fs.FileInfo) int64 { return info.Size() }
