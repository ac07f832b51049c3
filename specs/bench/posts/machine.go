package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// memTotal returns the machine's memory in bytes; 4 GiB if unknown.
func memTotal() int64 {
	if n, err := statusField("/proc/meminfo", "MemTotal"); err == nil {
		return n
	}
	return 4 << 30
}

// anonymous returns the anonymous resident memory of this process in bytes.
func anonymous() (int64, error) { return statusField("/proc/self/status", "RssAnon") }

// processorTime returns the CPU time of this process.
func processorTime() (time.Duration, error) {
	var u syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), err
}

// statusField reads a field in kB of a file of /proc, and returns bytes.
func statusField(path, name string) (int64, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	for lines := bufio.NewScanner(bytes.NewReader(content)); lines.Scan(); {
		if rest, found := strings.CutPrefix(lines.Text(), name+":"); found {
			kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kib << 10, err
		}
	}
	return 0, fmt.Errorf("%s has no %s", path, name)
}

// processor returns the name and number of the processors.
func processor() string {
	content, _ := os.ReadFile("/proc/cpuinfo") // other systems report the count only
	name := runtime.GOARCH
	for lines := bufio.NewScanner(bytes.NewReader(content)); lines.Scan(); {
		if key, value, _ := strings.Cut(lines.Text(), ":"); strings.TrimSpace(key) == "model name" {
			name = strings.TrimSpace(value)
		}
	}
	return fmt.Sprintf("%d × %s", runtime.NumCPU(), name)
}

// loadAverage shows whether other load disturbed the run: it should be below
// the number of processors.
func loadAverage() string {
	content, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(content))[:3], ", ")
}

// folderSize returns the disk space of the files in a folder.
func folderSize(dir string) (n int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // compacted away meanwhile
			}
			return err
		}
		if d.IsDir() {
			return nil
		}
		info, err := d.Info()
		if err == nil {
			n += allocated(info)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	return n, err
}

func uuidText(id [16]byte) string {
	var b [36]byte
	hex.Encode(b[:8], id[:4])
	hex.Encode(b[9:13], id[4:6])
	hex.Encode(b[14:18], id[6:8])
	hex.Encode(b[19:23], id[8:10])
	hex.Encode(b[24:], id[10:])
	b[8], b[13], b[18], b[23] = '-', '-', '-', '-'
	return string(b[:])
}
