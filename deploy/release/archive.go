package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// entry is a file of an archive.
type entry struct {
	name    string
	mode    int64
	content []byte
}

// texts returns the files that are the same for each platform: documents, units, and
// the manual and completion that a program writes from its command line.
func (r release) texts(ctx context.Context, program string) (entries []entry, err error) {
	for _, name := range []string{
		"LICENSE", "NOTICE", "README.md", "CHANGELOG.md", "deploy/RUNBOOK.md", "deploy/watchpost.service", "deploy/watchpost.socket",
		"deploy/prometheus/rules.yaml", "deploy/grafana/watchpost.json",
	} {
		content, err := os.ReadFile(filepath.Join(r.root, name))
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{name, 0o644, content})
	}
	for _, name := range []string{"watchpost", "watchpost.fish"} {
		shell := cmp.Or(strings.TrimPrefix(filepath.Ext(name), "."), "bash")               // the script for bash serves zsh, too
		completion, err := exec.CommandContext(ctx, program, "completion", shell).Output() //nolint:gosec // built above
		if err != nil {
			return nil, fmt.Errorf("completion: %w", err)
		}
		entries = append(entries, entry{"completion/" + name, 0o644, completion})
	}
	dir, err := os.MkdirTemp("", "watchpost-manual-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)                                                                        //nolint:errcheck // temporary folder
	if out, err := exec.CommandContext(ctx, program, "manual", dir).CombinedOutput(); err != nil { //nolint:gosec // built above
		return nil, fmt.Errorf("manual: %w\n%s", err, out)
	}
	pages, err := os.ReadDir(dir)
	for _, page := range pages {
		content, err := os.ReadFile(filepath.Join(dir, page.Name()))
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{"man/" + page.Name(), 0o644, content})
	}
	return entries, err
}

// writeArchive writes a tar.gz with all files in one folder. Order, owners and times
// do not depend on the machine.
func writeArchive(file, folder string, at time.Time, entries []entry) error {
	var buffer bytes.Buffer
	compressed := gzip.NewWriter(&buffer)
	archive := tar.NewWriter(compressed)
	for _, e := range slices.SortedFunc(slices.Values(entries), func(a, b entry) int { return cmp.Compare(a.name, b.name) }) {
		header := &tar.Header{Name: folder + "/" + e.name, Mode: e.mode, Size: int64(len(e.content)), ModTime: at, Format: tar.FormatUSTAR}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(e.content); err != nil {
			return err
		}
	}
	if err := errors.Join(archive.Close(), compressed.Close()); err != nil {
		return err
	}
	return os.WriteFile(file, buffer.Bytes(), 0o644) //nolint:gosec // published
}

// writeChecksums writes SHA256SUMS for all files of a folder, as sha256sum -c reads it.
func writeChecksums(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var sums bytes.Buffer
	for _, f := range files {
		sum, err := checksum(filepath.Join(dir, f.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sum, f.Name())
	}
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), sums.Bytes(), 0o644) //nolint:gosec // published
}

func checksum(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	hash := sha256.New()
	_, err = io.Copy(hash, f)
	return hash.Sum(nil), err
}
