package postindex

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/RoaringBitmap/roaring/v2/roaring64"

	"watchpost/persistence"
	"watchpost/watchpost"
)

// EachMatching calls yield for the posts that match a query, in the order of their ids,
// from the one after a given id on ("": the first), until yield returns false. It holds
// a bit for each post of the team, and some hundred posts. The order and page of the
// query mean nothing.
func (x *Index) EachMatching(view persistence.View, space persistence.Space, q *watchpost.PostQuery, after watchpost.PostID, yield func(*Stored) bool) error {
	s, err := x.snapshot(view, space)
	if err != nil {
		return err
	}
	versions, err := s.matchingVersions(q)
	if err != nil || versions.IsEmpty() {
		return err
	}
	from := []byte(keyID)
	if after != "" {
		id, ok := parseID(after)
		if !ok {
			return persistence.ErrNotFound
		}
		from = append(idKey(id), 0)
	}
	b := streamed{snapshot: s, yield: yield}
	var failure error
	err = view.Scan(space, from, persistence.PrefixEnd([]byte(keyID)), func(_, value []byte) bool {
		version, n := binary.Uvarint(value)
		if n <= 0 {
			failure = errDamaged
			return false
		}
		if !versions.Contains(version) {
			return true
		}
		if b.versions = append(b.versions, version); len(b.versions) < streamedAtOnce {
			return true
		}
		failure = b.send()
		return failure == nil && !b.stopped
	})
	if err = errors.Join(err, failure); err == nil && !b.stopped {
		err = b.send()
	}
	return err
}

// matchingVersions returns the versions of the posts that match.
func (s *snapshot) matchingVersions(q *watchpost.PostQuery) (*roaring64.Bitmap, error) {
	some, err := s.matching(q)
	if err != nil {
		return nil, err
	}
	all := roaring64.New()
	for _, f := range some {
		column, err := f.reader.column(columnVersion)
		if err != nil {
			return nil, err
		}
		docNums := f.docNums()
		if f.all() {
			docNums = upTo(f.reader.posts())
		}
		for docNum := range docNums {
			all.Add(uint64(column.at(docNum)))
		}
	}
	return all, nil
}

// streamedAtOnce is the number of posts that are read together.
const streamedAtOnce = 256

// streamed are the versions of the next posts of a stream.
type streamed struct {
	*snapshot
	yield    func(*Stored) bool
	versions []uint64
	stopped  bool
}

// send reads the posts and yields them. They are not kept in the cache: a stream reads
// each once.
func (b *streamed) send() error {
	values, err := b.read()
	if err != nil {
		return err
	}
	for i, value := range values {
		if value == nil {
			return recordFault(b.space, b.versions[i], errDamaged)
		}
		post, err := readStored(value)
		if err != nil {
			return recordFault(b.space, b.versions[i], err)
		}
		if !b.yield(post) {
			b.stopped = true
			break
		}
	}
	b.versions = b.versions[:0]
	return nil
}

// read returns the records. Posts that were not changed since they were stored have
// versions in the order of their ids: then the records are read in one go.
func (b *streamed) read() ([][]byte, error) {
	if len(b.versions) == 0 {
		return nil, nil
	}
	first, last := slices.Min(b.versions), slices.Max(b.versions)
	const dense = 3 // records that are read for one that is wanted
	if last-first >= dense*uint64(len(b.versions)) {
		keys := make([][]byte, len(b.versions))
		for i, version := range b.versions {
			keys[i] = versionKey(keyRecord, version)
		}
		return b.view.GetAll(b.space, keys)
	}
	at := make(map[uint64]int, len(b.versions))
	for i, version := range b.versions {
		at[version] = i
	}
	values := make([][]byte, len(b.versions))
	err := b.view.Scan(b.space, versionKey(keyRecord, first), versionKey(keyRecord, last+1), func(key, value []byte) bool {
		if version, ok := versionOf(key); ok {
			if i, wanted := at[version]; wanted {
				values[i] = slices.Clone(value)
			}
		}
		return true
	})
	return values, err
}
