// Package integrity reads the files of a Badger database without Badger, and
// finds what is damaged.
//
// Badger 4.9.6 repairs silently when it opens a folder: without a manifest it
// begins a new one and removes all tables; it removes tables that the manifest
// does not name; it cuts a log at the first entry that it cannot read. It also
// drops the error of a damaged block: a read finds nothing there, and a
// compaction goes on without the rest of the table. So everything is looked at
// before Badger may touch it.
//
// Two sources say what data was acknowledged. Versions of groups have no gaps, and
// each group overwrites one record, the marker: so the newest version in the
// tables and every log name the groups that must have been there before. And the caller
// knows the newest acknowledged version. A group that is missing at the end and was not
// acknowledged is a torn write, which is no damage.
package integrity

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	db "github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
)

// Damage is a part of a file that is lost.
type Damage struct {
	File   string // without the folder
	Offset int64
	What   string
	// From and To bound the records that are lost: they are the first and the
	// last key that may be. Without From any record may be lost, and without To
	// the end is not known.
	From, To []byte
	// Fatal means that the rest cannot be used without a repair by hand.
	Fatal bool
}

func (d Damage) String() string { return fmt.Sprintf("%s at byte %d: %s", d.File, d.Offset, d.What) }

// Local reports whether the database can be used without the lost records.
func (d Damage) Local() bool { return d.From != nil && d.To != nil }

// Log is a write-ahead file of a memtable.
type Log struct {
	Name string
	End  int64 // of the last whole group
}

// Empty reports whether the log has no group.
func (l Log) Empty() bool { return l.End <= logHeader }

// Table is a table that the manifest names.
type Table struct {
	Name        string
	Compression options.CompressionType
}

// Report is what a folder holds.
type Report struct {
	// New means that there is no database yet.
	New    bool
	Tables []Table
	Logs   []Log // in their order, without empty ones
	// Version is the newest version of a whole group.
	Version uint64
	Damage  []Damage
}

// Expected is what the caller knows of the folder.
type Expected struct {
	Magic uint16 // of the manifest
	// Marker is the key that every group writes; groups of earlier builds do not.
	Marker []byte
	// Acknowledged is a version that was acknowledged; 0: not known.
	Acknowledged uint64
}

// Names of Badger's files.
const (
	manifestName  = db.ManifestFilename
	registryName  = db.KeyRegistryFileName
	tableSuffix   = ".sst"
	logSuffix     = ".mem"
	valuesSuffix  = ".vlog"
	discardedName = "DISCARD"
)

// Inspect looks at every file of a folder that no process uses. An error is one
// of reading them, or says that the folder cannot be told from another's.
func Inspect(dir string, want Expected) (*Report, error) {
	names, err := fileNames(dir)
	if err != nil {
		return nil, err
	}
	in := &inspection{dir: dir, want: want, names: names, report: &Report{}}
	if !slices.Contains(names, manifestName) {
		in.report.New = true
		if i := slices.IndexFunc(names, isData); i >= 0 || want.Acknowledged > 0 {
			in.fatal(manifestName, "the manifest is missing, and Badger would remove all tables")
		}
		return in.report, nil
	}
	if err := in.readManifest(); err != nil || len(in.report.Damage) > 0 {
		return in.report, err
	}
	for _, step := range []func() error{in.checkTables, in.checkLogs, in.checkUnnamed, in.checkOthers} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	in.checkEnd()
	return in.report, nil
}

// inspection is an Inspect under way.
type inspection struct {
	dir    string
	want   Expected
	names  []string
	named  map[uint64]db.TableManifest
	report *Report
}

func (in *inspection) fatal(file, what string) {
	in.report.Damage = append(in.report.Damage, Damage{File: file, What: what, Fatal: true})
}

func (in *inspection) lost(file string, offset int64, format string, args ...any) {
	in.report.Damage = append(in.report.Damage, Damage{File: file, Offset: offset, What: fmt.Sprintf(format, args...)})
}

func fileNames(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// isData reports whether a file is there only after a manifest.
func isData(name string) bool {
	return name == registryName || name == discardedName ||
		slices.Contains([]string{tableSuffix, logSuffix, valuesSuffix}, filepath.Ext(name))
}

// readManifest takes the names of the tables. What follows the last whole change
// may be a torn write; checkEnd and checkUnnamed know whether tables are lost.
func (in *inspection) readManifest() error {
	path := filepath.Join(in.dir, manifestName)
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if hasGap(content) {
		in.fatal(manifestName, "changes between others are missing")
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	manifest, _, err := db.ReplayManifestFile(f, in.want.Magic, db.Options{})
	if err != nil {
		if strings.Contains(err.Error(), "magic number") {
			return err // of another layout
		}
		in.fatal(manifestName, err.Error())
	}
	in.named = manifest.Tables
	return nil
}

// hasGap reports whether a manifest has zeros between its changes, which Badger takes for
// changes of nothing. It writes such a one only as the first, and a torn write may leave
// zeros at the end. The manifest is a header (8), then for each change its length and
// checksum (4 each) and the change.
func hasGap(manifest []byte) bool {
	const header = 8
	for at := header; at+header <= len(manifest); {
		n := int(binary.BigEndian.Uint32(manifest[at:]))
		if n == 0 && at > header {
			return len(bytes.TrimRight(manifest[at:], "\x00")) > 0
		}
		at += header + n
	}
	return false
}

// checkOthers looks at the files without records.
func (in *inspection) checkOthers() error {
	for _, name := range in.names {
		if filepath.Ext(name) != valuesSuffix {
			continue
		}
		head, err := readHead(filepath.Join(in.dir, name), logHeader)
		if err != nil {
			return err
		}
		if !plain(head) {
			in.fatal(name, "its header is not that of a log")
		}
	}
	if !slices.Contains(in.names, registryName) {
		return nil // Badger makes it again
	}
	registry, err := os.ReadFile(filepath.Join(in.dir, registryName))
	const text, at = "Hello Badger", 16
	if err == nil && (len(registry) != at+len(text) || string(registry[at:]) != text) {
		in.fatal(registryName, "it is not what was written; it has no records: remove it, and the next start makes it anew")
	}
	return err
}

// checkEnd compares the newest version with the acknowledged one.
func (in *inspection) checkEnd() {
	r := in.report
	if r.Version >= in.want.Acknowledged {
		return
	}
	file, end := manifestName, int64(0)
	if n := len(r.Logs); n > 0 {
		file, end = r.Logs[n-1].Name, r.Logs[n-1].End
	}
	in.lost(file, end, "the files end with commit %d, and commit %d was acknowledged", r.Version, in.want.Acknowledged)
}

// numbered returns the files with a suffix in the order of their numbers.
func (in *inspection) numbered(suffix string) (files []numberedFile) {
	for _, name := range in.names {
		if base, ok := strings.CutSuffix(name, suffix); ok {
			if n, err := strconv.ParseUint(base, 10, 64); err == nil {
				files = append(files, numberedFile{name, n})
			}
		}
	}
	slices.SortFunc(files, func(a, b numberedFile) int { return cmp.Compare(a.number, b.number) })
	return files
}

type numberedFile struct {
	name   string
	number uint64
}
