package badger

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
)

// acknowledgedName is the file with the version of the newest group that was
// acknowledged: a word that names the file's format, the version and a CRC-32C.
const acknowledgedName = "ACKNOWLEDGED"

var (
	acknowledgedWord  = [8]byte{'w', 'p', 'a', 'c', 'k', 'e', 'd', '1'}
	acknowledgedTable = crc32.MakeTable(crc32.Castagnoli)
)

// acknowledged tells the next opening of the folder what it must find. It is
// written after the sync of each group and not synced itself: that would cost as
// much as the commit. So it is exact after a kill of the process and a regular
// close. After a power failure it may name an earlier group, never a later one
// than is durable, or be torn, which is as if there was none.
type acknowledged struct{ file *os.File }

// readAcknowledged returns the version in the file of a folder, and false when
// there is none that can be read.
func readAcknowledged(dir string) (version uint64, ok bool, err error) {
	b, err := os.ReadFile(filepath.Join(dir, acknowledgedName))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil || len(b) != 20 || [8]byte(b) != acknowledgedWord || binary.BigEndian.Uint32(b[16:]) != crc32.Checksum(b[:16], acknowledgedTable) {
		return 0, false, err
	}
	return binary.BigEndian.Uint64(b[8:]), true, nil
}

func openAcknowledged(dir string) (*acknowledged, error) {
	f, err := os.OpenFile(filepath.Join(dir, acknowledgedName), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return &acknowledged{f}, nil
}

// note writes the version of a durable group. A failure leaves an earlier one,
// which is true as well.
func (a *acknowledged) note(version uint64) {
	if a == nil {
		return
	}
	b := append(make([]byte, 0, 20), acknowledgedWord[:]...)
	b = binary.BigEndian.AppendUint64(b, version)
	b = binary.BigEndian.AppendUint32(b, crc32.Checksum(b, acknowledgedTable))
	_, _ = a.file.WriteAt(b, 0)
}

// close makes the last version durable.
func (a *acknowledged) close() error {
	if a == nil {
		return nil
	}
	return errors.Join(a.file.Sync(), a.file.Close())
}
