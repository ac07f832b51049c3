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

// JournalHash returns the hash of a record of the chain, as it is stored: SHA-256 in
// hexadecimal.
func JournalHash(record []byte) string {
	sum := sha256.Sum256(record)
	return hex.EncodeToString(sum[:])
}

// VerifyJournal checks the records of a chain, the newest first, down to its
// beginning. The error names the first record that does not fit.
func VerifyJournal(newestFirst iter.Seq[[]byte]) error {
	var after JournalEntry // the record that was checked last
	var seen bool
	for record := range newestFirst {
		var e JournalEntry
		if err := json.Unmarshal(record, &e); err != nil {
			return fmt.Errorf("a record of the journal cannot be read: %w", err)
		}
		switch {
		case !seen: // what comes after it is not known
		case e.Number+1 != after.Number:
			return fmt.Errorf("journal: the record before number %d is missing", after.Number)
		case JournalHash(record) != after.Before:
			return fmt.Errorf("journal: record %d was changed", e.Number)
		}
		after, seen = e, true
	}
	if seen && (after.Number != 1 || after.Before != "") {
		return fmt.Errorf("journal: the record before number %d is missing", after.Number)
	}
	return nil
}
