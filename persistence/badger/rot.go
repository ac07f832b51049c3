package badger

import (
	"fmt"
	"os"
	"sync/atomic"

	"github.com/dgraph-io/badger/v4/y"
	"github.com/klauspost/compress/s2"
)

// Badger drops the error of a block that it cannot read: a read finds nothing, an iterator
// goes on with the next table, and a compaction forgets the rest of this one. The opening
// has read all blocks, so one that cannot be read later has gone bad since. Badger formats
// these errors where they occur, before it drops them; so they end the process there, before
// a compaction is done, as a failed write does (decision 006). The next opening knows the
// place. TestRot fails if another version of Badger does not format them.
func init() {
	y.ErrChecksumMismatch = rotten{y.ErrChecksumMismatch} //nolint:reassign // see above
	s2.ErrCorrupt = rotten{s2.ErrCorrupt}                 //nolint:reassign // of compressed blocks
}

type rotten struct{ error }

// Error implements error.
func (r rotten) Error() string {
	if damagedStores.Load() == 0 {
		fmt.Fprintf(os.Stderr, "watchpost: a part of the store cannot be read any more: %v. The process ends, so that nothing builds on what is missing; the next start names the place.\n", r.error)
		os.Exit(1)
	}
	return r.error.Error()
}

// damagedStores counts the open stores with a part that is known to be unreadable: scans
// that end before such a block still touch it.
var damagedStores atomic.Int64
