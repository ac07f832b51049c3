package watchpost

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
)

// The chain of a journal. Each state that an entry takes is a separate record, with
// a number and the hash of the record before. A record that is changed, removed or put
// in between later no longer fits the one after it.

// JournalAnchor is a place in a chain: the number and the hash of a record. The zero
// value is the beginning.
type JournalAnchor struct {
	Number uint64
	Hash   string
}

// JournalHash returns the hash of a record of the chain, as it is stored: SHA-256 in
// hexadecimal.
func JournalHash(record []byte) string {
	sum := sha256.Sum256(record)
	return hex.EncodeToString(sum[:])
}

// VerifyJournal checks the records of a chain, the newest first, down to the anchor
// that the oldest of them follows. It returns the place of the newest, and an error
// that names the first record that does not fit.
func VerifyJournal(newestFirst iter.Seq[[]byte], from JournalAnchor) (last JournalAnchor, err error) {
	var after JournalEntry // the record that was checked last
	var seen bool
	for record := range newestFirst {
		var e JournalEntry
		if err := json.Unmarshal(record, &e); err != nil {
			return last, fmt.Errorf("a record of the journal cannot be read: %w", err)
		}
		switch {
		case !seen:
			last = JournalAnchor{e.Number, JournalHash(record)}
		case e.Number+1 != after.Number:
			return last, fmt.Errorf("journal: the record before number %d is missing", after.Number)
		case JournalHash(record) != after.Before:
			return last, fmt.Errorf("journal: record %d was changed", e.Number)
		}
		after, seen = e, true
	}
	switch {
	case !seen:
		return from, nil
	case after.Number != from.Number+1:
		return last, fmt.Errorf("journal: the record before number %d is missing", after.Number)
	case after.Before != from.Hash:
		return last, fmt.Errorf("journal: record %d does not follow the one before", after.Number)
	}
	return last, nil
}
