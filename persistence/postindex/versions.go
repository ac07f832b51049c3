package postindex

import (
	"encoding/json"
	"fmt"

	"watchpost"
	"watchpost/persistence"
)

// Versions returns the version of every post that q asks for, in no order and
// without regard to pages. A version is one state of a post for ever: what is
// read of it may be remembered.
func (x *Index) Versions(view persistence.View, space persistence.Space, q *watchpost.PostQuery) ([]uint64, error) {
	s, err := x.snapshot(view, space)
	if err != nil {
		return nil, err
	}
	p, err := s.plan(q)
	if err != nil || p.nothing {
		return nil, err
	}
	sources, err := s.sources()
	if err != nil {
		return nil, err
	}
	var versions []uint64
	for _, source := range sources {
		f, err := p.in(source)
		if err != nil {
			return nil, err
		}
		if f.count == 0 {
			continue
		}
		column, err := source.column(columnVersion)
		if err != nil {
			return nil, err
		}
		for ordinal := range f.ordinals() {
			versions = append(versions, uint64(column.at(ordinal)))
		}
	}
	return versions, nil
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
