package watchpost

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
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

// JournalVerifier checks the records of a chain one by one, the newest first, down to
// its beginning. It holds nothing but the record before. The zero value is ready.
type JournalVerifier struct {
	after JournalEntry // the record that was checked last
	seen  bool
}

// Check checks the next record and returns it. The error names the first record that
// does not fit.
func (v *JournalVerifier) Check(record []byte) (JournalEntry, error) {
	var e JournalEntry
	if err := json.Unmarshal(record, &e); err != nil {
		return e, fmt.Errorf("a record of the journal cannot be read: %w", err)
	}
	switch {
	case !v.seen: // the entries after it are not known
	case e.Number+1 != v.after.Number:
		return e, fmt.Errorf("journal: the record before number %d is missing", v.after.Number)
	case JournalHash(record) != v.after.Before:
		return e, fmt.Errorf("journal: record %d was changed", e.Number)
	}
	v.after, v.seen = e, true
	return e, nil
}

// End checks that the last record is the first of its chain.
func (v *JournalVerifier) End() error {
	if v.seen && (v.after.Number != 1 || v.after.Before != "") {
		return fmt.Errorf("journal: the record before number %d is missing", v.after.Number)
	}
	return nil
}
