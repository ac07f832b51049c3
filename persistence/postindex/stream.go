package postindex

import (
	"encoding/binary"
	"errors"
	"slices"
	"sync"

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
	stream := streamed{snapshot: s, matching: versions, records: make(chan records), ended: make(chan struct{})}
	var failure error
	var reading sync.WaitGroup
	reading.Go(func() { failure = stream.read(from) })
	err = func() error {
		defer reading.Wait() // the view is the caller's again, also after a panic
		defer close(stream.ended)
		for r := range stream.records {
			if err := s.yieldAll(r, yield); err != nil {
				return err
			}
		}
		return nil
	}()
	if errors.Is(err, errStopped) {
		return nil
	}
	return errors.Join(err, failure)
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

// records are posts as they are kept, with their versions.
type records struct {
	versions []uint64
	values   [][]byte
}

// errStopped ends a stream because the caller has enough.
var errStopped = errors.New("stopped")

// yieldAll yields posts. They are not kept in the cache: a stream reads each once.
func (s *snapshot) yieldAll(r records, yield func(*Stored) bool) error {
	for i, value := range r.values {
		if value == nil {
			return recordFault(s.space, r.versions[i], errDamaged)
		}
		post, err := readStored(value)
		if err != nil {
			return recordFault(s.space, r.versions[i], err)
		}
		if !yield(post) {
			return errStopped
		}
	}
	return nil
}

// streamed reads the posts of a stream while the caller shows those before: both take about
// as long. Nothing else uses the view meanwhile.
type streamed struct {
	*snapshot
	matching *roaring64.Bitmap // versions
	records  chan records
	ended    chan struct{} // closed when the caller wants no more
}

// read sends the records of the matching posts, in the order of their ids from a key on.
func (b *streamed) read(from []byte) error {
	defer close(b.records)
	var versions []uint64
	var failure error
	err := b.view.Scan(b.space, from, persistence.PrefixEnd([]byte(keyID)), func(_, value []byte) bool {
		version, n := binary.Uvarint(value)
		if n <= 0 {
			failure = errDamaged
			return false
		}
		if !b.matching.Contains(version) {
			return true
		}
		if versions = append(versions, version); len(versions) < streamedAtOnce {
			return true
		}
		failure = b.send(versions)
		versions = nil
		return failure == nil
	})
	if err = errors.Join(err, failure); err == nil && len(versions) > 0 {
		err = b.send(versions)
	}
	if errors.Is(err, errStopped) {
		return nil
	}
	return err
}

// send reads the records of posts and hands them over.
func (b *streamed) send(versions []uint64) error {
	values, err := b.valuesOf(versions)
	if err != nil {
		return err
	}
	select {
	case b.records <- records{versions, values}:
		return nil
	case <-b.ended:
		return errStopped
	}
}

// valuesOf returns the records. Posts that were not changed since they were stored have
// versions in the order of their ids: then the records are read in one go.
func (b *streamed) valuesOf(versions []uint64) ([][]byte, error) {
	first, last := slices.Min(versions), slices.Max(versions)
	const dense = 3 // records that are read for one that is wanted
	if last-first >= dense*uint64(len(versions)) {
		keys := make([][]byte, len(versions))
		for i, version := range versions {
			keys[i] = versionKey(keyRecord, version)
		}
		return b.view.GetAll(b.space, keys)
	}
	at := make(map[uint64]int, len(versions))
	for i, version := range versions {
		at[version] = i
	}
	values := make([][]byte, len(versions))
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
