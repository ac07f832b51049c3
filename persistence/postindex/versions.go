package postindex

import (
	"encoding/json"
	"fmt"
	"iter"

	"watchpost"
	"watchpost/persistence"
)

// Versions returns the version of every post that q asks for, in no order and
// without regard to pages. A version is an immutable state of a post, so
// callers may cache it.
func (x *Index) Versions(view persistence.View, space persistence.Space, q *watchpost.PostQuery) ([]uint64, error) {
	s, err := x.snapshot(view, space)
	if err != nil {
		return nil, err
	}
	p, err := s.plan(q)
	if err != nil || p.nothing {
		return nil, err
	}
	var all []uint64
	for version, err := range p.versions() {
		if err != nil {
			return nil, err
		}
		all = append(all, version)
	}
	return all, nil
}

// versions yields the versions of all posts that match, or an error and no more.
func (p *plan) versions() iter.Seq2[uint64, error] {
	return func(yield func(uint64, error) bool) {
		sources, err := p.snapshot.readers()
		for i := 0; i < len(sources) && err == nil; i++ {
			var f *matches
			if f, err = p.in(sources[i]); err != nil || f.count == 0 {
				continue
			}
			var column values
			if column, err = f.reader.column(columnVersion); err != nil {
				continue
			}
			for docNum := range f.docNums() {
				if !yield(uint64(column.at(docNum)), nil) {
					return
				}
			}
		}
		if err != nil {
			yield(0, err)
		}
	}
}

// URN returns the urn of the post that has a version in the view.
func URN(view persistence.View, space persistence.Space, version uint64) (string, error) {
	value, err := view.Get(space, versionKey(keyRecord, version))
	if err != nil {
		return "", recordFault(space, version, err)
	}
	s, err := readStored(value)
	if err != nil {
		return "", recordFault(space, version, err)
	}
	var head struct {
		URN string `json:"network_post_urn"`
	}
	if err := json.Unmarshal(fmt.Appendf(nil, `%s""}`, s.object.Head), &head); err != nil {
		return "", recordFault(space, version, err)
	}
	return head.URN, nil
}
