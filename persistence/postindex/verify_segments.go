package postindex

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

func (v *verification) checkSegments() error {
	for _, info := range v.segments {
		before := v.problems
		if err := v.checkSegment(&segment{snapshot: v.snapshot, info: info}); err != nil {
			if err = v.damage(err); err != nil {
				return err
			}
		}
		if v.problems > before {
			v.report(fmt.Sprintf("segment %d has %d problems", info.id, v.problems-before))
		}
	}
	return nil
}

// checkSegment compares values, terms and orders of a segment.
func (v *verification) checkSegment(s *segment) error {
	in := &input{segmentReader: s, docMap: make([]int32, s.posts())}
	var err error
	if in.deleted, err = s.deleted(); err != nil {
		return err
	}
	if in.deleted != nil && int(in.deleted.GetCardinality()) != s.info.deleted {
		v.problem("segment %d: %d posts are deleted instead of %d", s.info.id, in.deleted.GetCardinality(), s.info.deleted)
	}
	versions, err := s.column(columnVersion)
	if err != nil {
		return err
	}
	var want []pair
	optional := map[pair]bool{}
	for i := range in.docMap {
		in.docMap[i] = int32(i)
		if in.deleted != nil && in.deleted.ContainsInt(i) {
			in.docMap[i] = -1
			continue
		}
		e, late, err := v.made(uint64(versions.at(i)))
		if err != nil {
			return err
		}
		if err := v.checkValues(s, i, e); err != nil {
			return err
		}
		if err := v.checkAuthor(s, i, uint64(versions.at(i))); err != nil {
			return err
		}
		for _, t := range e.terms {
			want = append(want, pair{t, uint16(i)})
		}
		for _, t := range late {
			optional[pair{t, uint16(i)}] = true
		}
	}
	slices.SortFunc(want, pair.compare)
	if err := v.checkTerms(s, in, want, optional); err != nil {
		return err
	}
	return v.checkOrders(s)
}

func (v *verification) checkValues(s *segment, docNum int, e *entry) error {
	for c, want := range e.values {
		column, err := s.column(c)
		if err != nil {
			return err
		}
		if got := column.at(docNum); got != want {
			v.problem("segment %d, post %d: column %d is %d instead of %d", s.info.id, docNum, c, got, want)
		}
		if span := s.minMax(c); want < span.least || want > span.greatest {
			v.problem("segment %d, post %d: column %d is %d, not between %d and %d", s.info.id, docNum, c, want, span.least, span.greatest)
		}
	}
	id, err := s.id(docNum)
	if err != nil {
		return err
	}
	languages, err := s.languages()
	if err != nil {
		return err
	}
	if id != e.id || !slices.Contains(languages.names, e.language) {
		v.problem("segment %d, post %d: its id or language is missing", s.info.id, docNum)
	}
	return nil
}

func (v *verification) checkAuthor(s *segment, docNum int, version uint64) error {
	authors, err := s.authors()
	if err != nil {
		return err
	}
	stored, err := v.stored(version)
	if err != nil {
		return err
	}
	want, err := stored.author(map[string]term{})
	if err != nil {
		return errors.Join(errDamaged, err)
	}
	if authors.at(docNum) != want {
		v.problem("segment %d, post %d: its author is not that of its post", s.info.id, docNum)
	}
	return nil
}

// checkTerms compares the terms of live posts with those that there must be; optional ones
// may be absent.
func (v *verification) checkTerms(s *segment, in *input, want []pair, optional map[pair]bool) error {
	f, err := s.filter()
	if err != nil {
		return err
	}
	terms, err := newStream(in)
	if err != nil {
		return err
	}
	var posts []uint16
	for terms.more {
		t := terms.term
		if posts, err = terms.take(posts[:0]); err != nil {
			return err
		}
		for _, o := range posts {
			for len(want) > 0 && want[0] != (pair{t, o}) && optional[want[0]] {
				want = want[1:]
			}
			if len(want) == 0 || want[0] != (pair{t, o}) {
				v.problem("segment %d: term %x and post %d, or another before, is wrong", s.info.id, uint64(t), o)
				return nil
			}
			want = want[1:]
		}
		if len(posts) > 0 && !f.mayHave(t) {
			v.problem("segment %d: term %x is not in the filter", s.info.id, uint64(t))
		}
	}
	want = slices.DeleteFunc(want, func(p pair) bool { return optional[p] })
	if len(want) > 0 {
		v.problem("segment %d: %d terms of posts are missing", s.info.id, len(want))
	}
	return nil
}

// checkOrders sorts the posts again.
func (v *verification) checkOrders(s *segment) error {
	for o := range orders {
		got, err := s.order(o)
		if err != nil {
			return err
		}
		want, err := sorted(s, o)
		if err != nil {
			return err
		}
		if !bytes.Equal(got, want) {
			v.problem("segment %d: order %d is wrong", s.info.id, o)
		}
	}
	return nil
}

func (p pair) compare(q pair) int {
	if p.term != q.term {
		if p.term < q.term {
			return -1
		}
		return 1
	}
	return int(p.docNum) - int(q.docNum)
}
