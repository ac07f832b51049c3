package badger

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// acknowledgedName is the file with the version of the newest group that was
// acknowledged. It has two slots, each a word that names the format, a version and a
// CRC-32C: the older one is overwritten, so that a kill meanwhile leaves the other.
const (
	acknowledgedName = "ACKNOWLEDGED"
	acknowledgedPage = 4096
	slotApart        = 512 // a sector for each
	slotSize         = 20
)

var (
	acknowledgedWord  = [8]byte{'w', 'p', 'a', 'c', 'k', 'e', 'd', '1'}
	acknowledgedTable = crc32.MakeTable(crc32.Castagnoli)
)

// acknowledged tells the next opening of the folder the version that it must find. It is
// written after the sync of each group, in mapped memory and not synced itself: a sync
// would cost as much as the commit, and a system call a tenth. So it is exact after a
// kill of the process and a regular close. After a power failure it may name an earlier
// group, never a later one than is durable, or be torn, which is as if there was none.
type acknowledged struct {
	file *os.File
	page []byte
	next int // where the next slot begins
}

// readAcknowledged returns the version in the file of a folder, and false when
// there is none that can be read.
func readAcknowledged(dir string) (version uint64, ok bool, err error) {
	b, err := os.ReadFile(filepath.Join(dir, acknowledgedName))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	for ; err == nil && len(b) >= slotSize; b = b[min(slotApart, len(b)):] {
		slot, sum := b[:slotSize-4], binary.BigEndian.Uint32(b[slotSize-4:])
		if [8]byte(slot) == acknowledgedWord && sum == crc32.Checksum(slot, acknowledgedTable) {
			version, ok = max(version, binary.BigEndian.Uint64(slot[8:])), true
		}
	}
	return version, ok, err
}

// openAcknowledged goes on with the file of a folder. Its page is written first, because
// on a full disk a mapped one without a block ends the process.
func openAcknowledged(dir string) (*acknowledged, error) {
	version, known, err := readAcknowledged(dir)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, acknowledgedName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	a := &acknowledged{file: f, page: make([]byte, acknowledgedPage)}
	if known {
		a.note(version)
	}
	if _, err = f.WriteAt(a.page, 0); err == nil {
		a.page, err = syscall.Mmap(int(f.Fd()), 0, acknowledgedPage, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return a, nil
}

// note writes the version of a durable group.
func (a *acknowledged) note(version uint64) {
	if a == nil {
		return
	}
	slot := a.page[a.next : a.next+slotSize : a.next+slotSize]
	copy(slot, acknowledgedWord[:])
	binary.BigEndian.PutUint64(slot[8:], version)
	binary.BigEndian.PutUint32(slot[slotSize-4:], crc32.Checksum(slot[:slotSize-4], acknowledgedTable))
	a.next = slotApart - a.next
}

// accept makes a version the newest one although a newer one was acknowledged.
func (a *acknowledged) accept(version uint64) {
	a.note(version)
	a.note(version)
}

// close makes the last version durable.
func (a *acknowledged) close() error {
	if a == nil {
		return nil
	}
	return errors.Join(syscall.Munmap(a.page), a.file.Sync(), a.file.Close())
}
