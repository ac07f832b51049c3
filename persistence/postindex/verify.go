package postindex

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"watchpost/persistence"
	"watchpost/watchpost"
)

// verification compares an index with its posts.
type verification struct {
	*snapshot
	report   func(problem string)
	problems int
	posts    int
}

// Verify compares the index of a team with one made again of its posts, and
// reports every difference. It returns the number of posts that are stored and
// of the problems; the error is that of the store.
func (x *Index) Verify(view persistence.View, space persistence.Space, report func(problem string)) (posts, problems int, err error) {
	v := &verification{report: report}
	v.snapshot, err = x.draft(view, space)
	if err != nil {
		v.snapshot = x.showing(view, space, newManifest())
		v.problem("%v", err)
	}
	for _, check := range []func() error{v.checkRecords, v.checkNames, v.checkBuffer, v.checkSegments, v.checkStray} {
		if err := check(); err != nil {
			return v.posts, v.problems, err
		}
	}
	return v.posts, v.problems, nil
}

func (v *verification) problem(format string, args ...any) {
	v.problems++
	v.report(fmt.Sprintf(format, args...))
}

// damage reports an error that is a damaged value, or a post that could not have
// been stored so, and returns any other.
func (v *verification) damage(err error) error {
	if errors.Is(err, errDamaged) || errors.Is(err, ErrUnindexable) {
		v.problem("%v", err)
		return nil
	}
	return err
}

// checkRecords looks for each post by its id, its urn and its watchlists.
func (v *verification) checkRecords() error {
	known, err := readWatchlists(v.view, v.space)
	if err != nil {
		v.problem("%v", manifestFault(v.space, err))
	}
	return v.eachRecord(func(version uint64, value []byte) error {
		v.posts++
		p, err := readPost(value)
		if err != nil {
			v.problem("version %d: %v", version, err)
			return nil
		}
		id, _ := parseID(p.ID)
		for name, key := range map[string][]byte{"id": idKey(id), "urn": urnKey(p.URN)} {
			at, err := readVersion(v.view, v.space, key)
			if err != nil || at != version {
				v.problem("post %s, version %d: its %s leads to version %d (%v)", p.ID, version, name, at, err)
			}
		}
		if !v.alive(version) {
			v.problem("post %s: version %d is not in the index", p.ID, version)
		}
		for _, m := range p.Matches {
			if !known[string(m.Watchlist)] {
				v.problem("post %s: the watchlist %s is not known", p.ID, m.Watchlist)
			}
		}
		return nil
	})
}

// eachRecord calls visit with every stored post.
func (v *verification) eachRecord(visit func(version uint64, value []byte) error) error {
	var failure error
	err := v.view.Scan(v.space, []byte(keyRecord), persistence.PrefixEnd([]byte(keyRecord)), func(key, value []byte) bool {
		version, ok := versionOf(key)
		if !ok {
			v.problem("key %q: no version", key)
			return true
		}
		failure = visit(version, bytes.Clone(value))
		return failure == nil
	})
	return errors.Join(err, failure)
}

// versionOf reads the version in a key.
func versionOf(key []byte) (uint64, bool) {
	if len(key) != len(keyRecord)+8 {
		return 0, false
	}
	return binary.BigEndian.Uint64(key[len(keyRecord):]), true
}

func readPost(value []byte) (*watchpost.Post, error) {
	s, err := readStored(value)
	if err != nil {
		return nil, err
	}
	return s.Post()
}

// alive reports whether the index has a version and it is not deleted.
func (v *verification) alive(version uint64) bool {
	if version >= v.bufferFirst {
		return version < v.next && !v.bufferDeleted.Contains(uint32(version-v.bufferFirst))
	}
	i, ok := v.find(version)
	if !ok {
		return false
	}
	s := &segment{snapshot: v.snapshot, info: v.segments[i]}
	docNum, known, err := docNumOf(s, version)
	if err != nil || !known {
		return false
	}
	deleted, err := s.deleted()
	return err == nil && (deleted == nil || !deleted.ContainsInt(docNum))
}

// checkNames compares the number of ids and urns with that of the posts: as
// each post has its own, there are no others then.
func (v *verification) checkNames() error {
	for name, prefix := range map[string]string{"ids": keyID, "urns": keyURN} {
		n := 0
		err := v.view.Scan(v.space, []byte(prefix), persistence.PrefixEnd([]byte(prefix)), func(_, _ []byte) bool {
			n++
			return true
		})
		if err != nil {
			return err
		}
		if n != v.posts {
			v.problem("there are %d %s of %d posts", n, name, v.posts)
		}
	}
	if n := v.manifest.posts(); n != v.posts {
		v.problem("the index has %d posts of %d", n, v.posts)
	}
	return nil
}

// made returns the entry that a version must have, and those of its terms that the version
// lacks when an earlier build wrote it.
func (v *verification) made(version uint64) (e *entry, late []term, err error) {
	s, err := v.stored(version)
	if err != nil {
		return nil, nil, err
	}
	p, err := s.Post()
	if err != nil {
		return nil, nil, errors.Join(errDamaged, err)
	}
	e, err = newEntry(p, version, &v.index.options)
	return e, lateTerms(p), err
}

// without returns the entry less some terms.
func (e *entry) without(terms []term) *entry {
	less := *e
	less.terms = slices.DeleteFunc(slices.Clone(e.terms), func(t term) bool { return slices.Contains(terms, t) })
	return &less
}

// checkBuffer compares the entries of the buffer.
func (v *verification) checkBuffer() error {
	version := v.bufferFirst
	var failure error
	err := v.view.Scan(v.space, []byte(keyEntry), persistence.PrefixEnd([]byte(keyEntry)), func(key, value []byte) bool {
		at, ok := versionOf(key)
		if !ok || at != version {
			v.problem("the buffer has the entry %q instead of version %d", key, version)
			return false
		}
		version++
		e, err := decodeEntry(value)
		if err != nil {
			v.problem("entry of version %d: %v", at, err)
			return true
		}
		if v.bufferDeleted.Contains(uint32(at - v.bufferFirst)) {
			return true
		}
		want, late, err := v.made(at)
		if err != nil {
			failure = v.damage(err)
			return failure == nil
		}
		if got := e.encode(); !bytes.Equal(want.encode(), got) && !bytes.Equal(want.without(late).encode(), got) {
			v.problem("entry of version %d is not that of its post", at)
		}
		return true
	})
	if err == nil && failure == nil && version != v.next {
		v.problem("the buffer ends before version %d instead of %d", version, v.next)
	}
	return errors.Join(err, failure)
}

// checkStray looks for parts of segments that nothing names.
func (v *verification) checkStray() error {
	named := map[uint32]bool{v.building: true}
	for _, id := range v.garbage {
		named[id] = true
	}
	for i := range v.segments {
		named[v.segments[i].id] = true
	}
	return v.view.Scan(v.space, []byte("p"), persistence.PrefixEnd([]byte("p")), func(key, _ []byte) bool {
		if id, ok := segmentOf(key); ok && !named[id] {
			v.problem("segment %d is not in the manifest", id)
			named[id] = true
		}
		return true
	})
}

// segmentOf reads the segment in a key of one of its parts.
func segmentOf(key []byte) (uint32, bool) {
	if !bytes.HasPrefix(key, []byte(keySegment)) || len(key) < len(keySegment)+4 {
		return 0, false
	}
	return binary.BigEndian.Uint32(key[len(keySegment):]), true
}
