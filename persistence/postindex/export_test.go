package postindex

import (
	"encoding/binary"
	"errors"

	"watchpost/persistence"
)

// AsEarlier returns what makes every post in the buffer one of the record
// version before: without the tags of its matches, and without the latest terms.
func AsEarlier(view persistence.View, space persistence.Space, o Options) (*persistence.Batch, error) {
	o = o.withDefaults()
	batch := &persistence.Batch{}
	var failure error
	err := view.Scan(space, []byte(keyRecord), persistence.PrefixEnd([]byte(keyRecord)), func(key, value []byte) bool {
		version := binary.BigEndian.Uint64(key[len(keyRecord):])
		failure = asEarlier(batch, version, value, &o)
		return failure == nil
	})
	if err == nil {
		err = failure
	}
	return batch, err
}

func asEarlier(batch *persistence.Batch, version uint64, value []byte, o *Options) error {
	s, err := readStored(value)
	if err != nil {
		return err
	}
	p, err := s.Post()
	if err != nil {
		return err
	}
	b := appendTime(appendTime([]byte{untagged}, p.PostedAt), p.CreatedAt)
	b = binary.AppendVarint(b, int64(p.Enrichment))
	b = binary.AppendUvarint(b, uint64(len(p.Matches)))
	for _, m := range p.Matches {
		b = appendTime(appendText(appendText(b, string(m.Watchlist)), m.Keyword), m.At)
		lead := byte(0)
		if m.Lead {
			lead = 1
		}
		b = append(b, lead)
	}
	b = appendText(b, string(p.ID))
	b = append(binary.AppendUvarint(b, uint64(len(s.object.Head))), s.object.Head...)
	e, err := newEntry(p, version, untagged, o)
	if err != nil {
		return err
	}
	batch.Put(versionKey(keyRecord, version), append(b, s.object.Tail...))
	batch.Put(versionKey(keyEntry, version), e.encode())
	return nil
}

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
