package postindex

import (
	"encoding/binary"
	"errors"

	"watchpost/persistence"
)

// WithoutLate returns what makes every post in the buffer one of a build that did not say
// which watchlists got it late.
func WithoutLate(view persistence.View, space persistence.Space) (*persistence.Batch, error) {
	batch := &persistence.Batch{}
	var failure error
	err := view.Scan(space, []byte(keyEntry), persistence.PrefixEnd([]byte(keyEntry)), func(key, value []byte) bool {
		version := binary.BigEndian.Uint64(key[len(keyEntry):])
		var e *entry
		if e, failure = decodeEntry(value); failure != nil {
			return false
		}
		var s *Stored
		if record, err := view.Get(space, versionKey(keyRecord, version)); err != nil {
			failure = err
		} else if s, failure = readStored(record); failure == nil {
			p, err := s.Post()
			failure = err
			batch.Put(versionKey(keyEntry, version), e.without(lateTerms(p)).encode())
		}
		return failure == nil
	})
	return batch, errors.Join(err, failure)
}
