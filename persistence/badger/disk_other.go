//go:build !linux

package badger

import (
	"errors"
	"io/fs"
)

// Other systems have no check of the free space.

func freeSpace(string) (int64, error) { return 0, errors.ErrUnsupported }

func allocate(string, int64) error { return errors.ErrUnsupported }

func onDisk(info fs.FileInfo) int64 { return info.Size() }
