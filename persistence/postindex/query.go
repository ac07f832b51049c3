package postindex

import (
	"watchpost"
	"watchpost/persistence"
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
	p, err := s.plan(q)
	if err != nil || p.nothing {
		return Result{}, err
	}
	sources, err := s.readers()
	if err != nil {
		return Result{}, err
	}
	var some []*matches
	var result Result
	for _, source := range sources {
		f, err := p.in(source)
		if err != nil {
			return Result{}, err
		}
		if f.count > 0 {
			some = append(some, f)
			result.Count += f.count
		}
	}
	from, to := q.Bounds(result.Count)
	versions, err := page(some, q, from, to, result.Count)
	if err != nil {
		return Result{}, err
	}
	result.Posts, err = s.storedAll(versions)
	return result, err
}

// ByWatchlist returns the posts of a watchlist, at most most.
func (x *Index) ByWatchlist(view persistence.View, space persistence.Space, id watchpost.WatchlistID, most int) ([]*watchpost.Post, error) {
	s, err := x.snapshot(view, space)
	if err != nil {
		return nil, err
	}
	p := &plan{snapshot: s, query: &watchpost.PostQuery{}, anyOf: [][]term{{termOf(termWatchlist, string(id))}}}
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
