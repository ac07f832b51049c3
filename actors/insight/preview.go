package insight

import (
	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// TryKeywords tries the entries of a back test on the newest posts that a query selects,
// BackTestPosts at most. It holds one page of them.
func TryKeywords(view persistence.View, space persistence.Space, posts *postindex.Index, q watchpost.PostQuery, b *watchpost.BackTest) error {
	q.Order, q.PageSize = watchpost.RecentFirst, watchpost.MaxPageSize
	for q.Page = 1; b.Looked < watchpost.BackTestPosts; q.Page++ {
		found, err := posts.Query(view, space, &q)
		if err != nil {
			return err
		}
		for _, stored := range found.Posts {
			post, err := stored.Post()
			if err != nil {
				return err
			}
			b.Try(post)
		}
		if len(found.Posts) < q.PageSize {
			break
		}
	}
	return nil
}
