package postindex

import (
	"watchpost/persistence"
	"watchpost/watchpost"
)

// Result is a page of posts and the count of all that match.
type Result struct {
	Posts []*Stored
	Count int
}

// Query returns the page that q asks for and the count of all posts that match.
func (x *Index) Query(view persistence.View, space persistence.Space, q *watchpost.PostQuery) (Result, error) {
	s, err := x.snapshot(view, space)
	if err != nil {
		return Result{}, err
	}
	versions, count, err := s.pageOf(q)
	if err != nil {
		return Result{}, err
	}
	posts, err := s.storedAll(versions)
	return Result{posts, count}, err
}

// pageOf returns the versions of the page that q asks for, and the count of all posts
// that match.
func (s *snapshot) pageOf(q *watchpost.PostQuery) (versions []uint64, count int, err error) {
	some, err := s.matching(q)
	if err != nil {
		return nil, 0, err
	}
	for _, f := range some {
		count += f.count
	}
	from, to := q.Bounds(count)
	versions, err = s.page(some, q, from, to, count)
	return versions, count, err
}

// Languages returns the languages of a team's posts, and possibly those of posts that
// were deleted.
func (x *Index) Languages(view persistence.View, space persistence.Space) (map[string]bool, error) {
	s, err := x.snapshot(view, space)
	if err != nil {
		return nil, err
	}
	sources, err := s.readers()
	if err != nil {
		return nil, err
	}
	all := map[string]bool{}
	for _, source := range sources {
		set, err := source.languages()
		if err != nil {
			return nil, err
		}
		if set == nil {
			continue
		}
		for _, name := range set.names {
			all[name] = true
		}
	}
	return all, nil
}

// matching returns the matches of a query in the sources that have any.
func (s *snapshot) matching(q *watchpost.PostQuery) (some []*matches, err error) {
	p, err := s.plan(q)
	if err != nil {
		return nil, err
	}
	return p.matching()
}

// matching returns the matches in each source that has some.
func (p *plan) matching() (some []*matches, err error) {
	if p.nothing {
		return nil, nil
	}
	sources, err := p.snapshot.readers()
	if err != nil {
		return nil, err
	}
	for _, source := range sources {
		f, err := p.in(source)
		if err != nil {
			return nil, err
		}
		if f.count > 0 {
			some = append(some, f)
		}
	}
	return some, nil
}

// ByWatchlist returns the posts of a watchlist, at most most.
func (x *Index) ByWatchlist(view persistence.View, space persistence.Space, id watchpost.WatchlistID, most int) ([]*watchpost.Post, error) {
	s, err := x.snapshot(view, space)
	if err != nil {
		return nil, err
	}
	p := &plan{snapshot: s, query: &watchpost.PostQuery{}, conditions: []condition{anyOf{termOf(termWatchlist, string(id))}}}
	var posts []*watchpost.Post
	for version, err := range p.versions() {
		if err != nil || len(posts) == most {
			return posts, err
		}
		stored, err := s.stored(version)
		if err != nil {
			return nil, err
		}
		post, err := stored.Post()
		if err != nil {
			return nil, err
		}
		posts = append(posts, post)
	}
	return posts, nil
}
