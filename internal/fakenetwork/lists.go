package fakenetwork

import (
	"slices"
	"time"

	"watchpost/internal/fakenetwork/page"
)

// List is one page of a list of posts that the site has shown.
type List struct {
	Account string     `json:"account"` // slug of the member who was signed in
	Path    string     `json:"path"`
	Query   string     `json:"query"` // of a search
	Page    int        `json:"page"`
	At      time.Time  `json:"at"`
	Posts   []ListPost `json:"posts"`
}

// ListPost is a post of a List.
type ListPost struct {
	URN      string    `json:"urn"`
	PostedAt time.Time `json:"posted_at"`
}

// keptLists bounds the lists that are noted.
const keptLists = 2000

func (r *records) noteList(v *visit, data *page.Data) {
	list := List{Account: v.me.slug, Path: v.r.URL.Path, Query: data.Query, Page: data.Paging.Page, At: v.now, Posts: []ListPost{}}
	for i := range data.Posts {
		list.Posts = append(list.Posts, ListPost{data.Posts[i].URN, data.Posts[i].PostedAt})
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lists = append(r.lists, list)
	r.lists = r.lists[max(0, len(r.lists)-keptLists):]
}

// Lists returns the newest pages of lists of posts that were shown, in their order. They are
// noted with Options.Control only.
func (s *Site) Lists() []List {
	s.records.mu.Lock()
	defer s.records.mu.Unlock()
	return slices.Clone(s.records.lists)
}
