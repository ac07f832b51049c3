package postindex

import (
	"errors"
	"fmt"

	"watchpost/persistence"
	"watchpost/watchpost"
)

// stored returns a version of a post.
func (s *snapshot) stored(version uint64) (*Stored, error) {
	if v, ok := s.index.cache.get(s.recordCacheKey(version)); ok {
		return v.(*Stored), nil
	}
	value, err := s.view.Get(s.space, versionKey(keyRecord, version))
	if err != nil && !errors.Is(err, persistence.ErrNotFound) {
		return nil, recordFault(s.space, version, err)
	}
	return s.decodeStored(version, value)
}

// storedAll returns versions of posts. It reads those that are not in the
// cache together: an engine on another machine needs one round trip for them.
func (s *snapshot) storedAll(versions []uint64) ([]*Stored, error) {
	posts := make([]*Stored, len(versions))
	var missing []int
	var keys [][]byte
	for i, version := range versions {
		if v, ok := s.index.cache.get(s.recordCacheKey(version)); ok {
			posts[i] = v.(*Stored)
			continue
		}
		missing, keys = append(missing, i), append(keys, versionKey(keyRecord, version))
	}
	if len(keys) == 0 {
		return posts, nil
	}
	values, err := s.view.GetAll(s.space, keys)
	if err != nil {
		return nil, recordFault(s.space, versions[missing[0]], err)
	}
	for n, i := range missing {
		if posts[i], err = s.decodeStored(versions[i], values[n]); err != nil {
			return nil, err
		}
	}
	return posts, nil
}

// decodeStored decodes the record of a version and caches it. A missing record
// (nil) is damage: the index names only versions that are stored.
func (s *snapshot) decodeStored(version uint64, value []byte) (*Stored, error) {
	if value == nil {
		return nil, recordFault(s.space, version, errors.Join(errDamaged, persistence.ErrNotFound))
	}
	post, err := readStored(value)
	if err != nil {
		return nil, recordFault(s.space, version, err)
	}
	s.index.cache.put(s.recordCacheKey(version), post, len(value)+200+100*len(post.object.Matches))
	return post, nil
}

func (s *snapshot) recordCacheKey(version uint64) cacheKey {
	return cacheKey{s.name, cachedRecord, version, 0}
}

func recordFault(space persistence.Space, version uint64, err error) error {
	return fmt.Errorf("posts of team %s, version %d: %w", space, version, err)
}

func manifestFault(space persistence.Space, err error) error {
	return fmt.Errorf("posts index of team %s, manifest: %w", space, err)
}

// StoredPosts returns those of the posts that are stored, in the order of their ids in the
// request. It reads them together; the caller bounds how many.
func (x *Index) StoredPosts(view persistence.View, space persistence.Space, ids []watchpost.PostID) ([]*Stored, error) {
	keys := make([][]byte, 0, len(ids))
	for _, id := range ids {
		if u, ok := parseID(id); ok {
			keys = append(keys, idKey(u))
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	values, err := view.GetAll(space, keys)
	if err != nil {
		return nil, err
	}
	var versions []uint64
	for _, value := range values {
		if value == nil {
			continue
		}
		r := &reader{b: value}
		version := r.uint()
		if err := r.end(); err != nil {
			return nil, err
		}
		versions = append(versions, version)
	}
	s, err := x.snapshot(view, space)
	if err != nil {
		return nil, err
	}
	return s.storedAll(versions)
}
