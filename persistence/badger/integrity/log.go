package integrity

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/dgraph-io/badger/v4/y"
)

// The layout of a log: a header with the number of an encryption key (8; we have
// none) and random bytes (12), then entries:
//
//	meta (1)  user meta (1)  key length  value length  expiry  key  value  CRC-32C (4)
//
// The numbers in the middle are varints, and a key ends with its version. The
// entries of a group have bitTxn; its last one has bitFin, and the version as
// its value.
const (
	logHeader = 20
	bitTxn    = 1 << 6
	bitFin    = 1 << 7
	maxKey    = 1 << 16
	crcSize   = 4
)

var finKey = []byte("!badger!txn")

// entry is an entry of a log.
type entry struct {
	meta    byte
	key     []byte // without the version
	value   []byte
	version uint64
	size    int
}

// readEntry reads the entry at the start of b; false when there is none.
func readEntry(b []byte) (e entry, ok bool) {
	if len(b) < 2 {
		return e, false
	}
	e.meta, e.size = b[0], 2
	var numbers [3]uint64
	for i := range numbers {
		n, size := binary.Uvarint(b[e.size:])
		if size <= 0 {
			return e, false
		}
		numbers[i], e.size = n, e.size+size
	}
	key, value := numbers[0], numbers[1]
	if key <= 8 || key > maxKey || value > uint64(len(b)) || uint64(len(b)-e.size) < key+value+crcSize {
		return e, false
	}
	body := b[e.size : e.size+int(key+value)]
	e.size += len(body)
	sum := crc32.Checksum(b[:e.size], y.CastagnoliCrcTable)
	if binary.BigEndian.Uint32(b[e.size:]) != sum {
		return e, false
	}
	e.size += crcSize
	e.key, e.version, e.value = body[:key-8], y.ParseTs(body[:key]), body[key:]
	return e, true
}

// finished returns the version of the group that an entry ends.
func (e *entry) finished() (uint64, bool) {
	if e.meta&bitFin == 0 {
		return 0, false
	}
	version, err := strconv.ParseUint(string(e.value), 10, 64)
	return version, err == nil
}

// eachGroup calls group for each whole group of a log, as Badger replays it, and
// returns where the last one ends.
func eachGroup(log, marker []byte, group func(version uint64, marked bool)) (end int) {
	at, version, marked := logHeader, uint64(0), false
	end = min(at, len(log))
	for at < len(log) {
		e, ok := readEntry(log[at:])
		if !ok {
			break
		}
		at += e.size
		finished, ends := e.finished()
		switch {
		case e.meta&bitTxn != 0:
			if version != 0 && version != e.version {
				return end
			}
			version, marked = e.version, marked || bytes.Equal(e.key, marker)
		case ends:
			if version != finished {
				return end
			}
			group(version, marked)
			version, marked, end = 0, false, at
		case e.meta&bitFin != 0 || version != 0:
			return end
		default:
			end = at // Badger has moved it from a value log; it has an old version
		}
	}
	return end
}

// newestBeyond returns the version of the newest group that has its last entry in
// b, and where that begins.
func newestBeyond(b []byte) (version uint64, at int) {
	const before = 5 // bytes of the entry before its key: each number is small
	for from := 0; ; {
		i := bytes.Index(b[from:], finKey)
		if i < 0 {
			return version, at
		}
		start := from + i - before
		from += i + len(finKey)
		if start < 0 {
			continue
		}
		if e, ok := readEntry(b[start:]); ok {
			if v, ok := e.finished(); ok && v > version {
				version, at = v, start
			}
		}
	}
}

// plain reports whether a log is not encrypted, as its header says. A shorter file
// has no entries.
func plain(log []byte) bool { return len(log) < 8 || binary.BigEndian.Uint64(log) == 0 }

// checkLogs reads the logs in their order. A gap in the versions is a loss, and so
// is an end before groups that began after it: a group is begun when the one
// before is durable.
func (in *inspection) checkLogs() error {
	r := in.report
	last := Damage{File: manifestName}
	type beyond struct {
		file    string
		end     int
		version uint64
	}
	var torn []beyond
	for _, f := range in.numbered(logSuffix) {
		log, err := os.ReadFile(filepath.Join(in.dir, f.name))
		if err != nil {
			return err
		}
		if len(log) == 0 {
			continue // left by a crash: see removeEmpty
		}
		if !plain(log) {
			in.fatal(f.name, "its header is not that of a log")
			continue
		}
		end := eachGroup(log, in.want.Marker, func(version uint64, marked bool) {
			if marked && version > r.Version+1 {
				in.lost(last.File, last.Offset, "commits %d to %d are missing before those of %s", r.Version+1, version-1, f.name)
			}
			r.Version = max(r.Version, version)
		})
		r.Logs = append(r.Logs, Log{f.name, int64(end)})
		last.File, last.Offset = f.name, int64(end)
		if version, _ := newestBeyond(log[end:]); version > 0 {
			torn = append(torn, beyond{f.name, end, version})
		}
	}
	for _, t := range torn {
		if t.version > r.Version+1 {
			in.lost(t.file, int64(t.end), "an entry is damaged, and commits %d to %d follow it", r.Version+1, t.version)
		}
	}
	return nil
}

// readHead reads the first bytes of a file, fewer if it is shorter.
func readHead(path string, n int) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	head := make([]byte, n)
	read, err := io.ReadFull(f, head)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return head[:read], err
}
