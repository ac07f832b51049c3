package fakenetwork

import (
	"net/http"
	"slices"
	"sort"
	"strings"

	"watchpost/internal/fakenetwork/page"
)

// listPage is the page size of a feed or an author's list.
const listPage = 20

// list shows one page of a list of posts, newest first: the world's, and those
// of accounts that satisfy the filter.
func (v *visit) list(kind page.Kind, title string, all []*post, pass func(*post) bool) {
	all = merge(v.records.writtenPosts(pass), visible(all, v.now))
	n := v.pageNumber()
	v.show(http.StatusOK, title, page.Data{
		Kind: kind, Posts: v.postViews(cut(all, n, listPage)),
		Paging: &page.Paging{Page: n, Total: len(all), More: n*listPage < len(all)},
	})
}

func (v *visit) feed() { v.list(page.KindFeed, "Feed", v.world.posts.posts, everyPost) }

func everyPost(*post) bool { return true }

func noPost(*post) bool { return false }

func (v *visit) profile() {
	m := v.whoMember()
	if m == nil {
		v.notFound()
		return
	}
	v.show(http.StatusOK, m.name(), page.Data{Kind: page.KindProfile, Profile: v.profileView(m)})
}

func (v *visit) memberPosts() {
	m := v.whoMember()
	if m == nil {
		v.notFound()
		return
	}
	v.list(page.KindPosts, "Posts of "+m.name(), v.world.posts.byMember[m], func(p *post) bool { return p.member == m })
}

func (v *visit) company() {
	c := v.whoCompany()
	if c == nil {
		v.notFound()
		return
	}
	v.show(http.StatusOK, c.name, page.Data{Kind: page.KindCompany, Company: companyView(c)})
}

func (v *visit) companyPosts() {
	c := v.whoCompany()
	if c == nil {
		v.notFound()
		return
	}
	v.list(page.KindPosts, "Posts of "+c.name, v.world.posts.byFirm[c], func(p *post) bool { return p.company == c })
}

func (v *visit) post() { v.onePost(&v.world.posts) }

func (v *visit) forumPost() { v.onePost(&v.world.forum) }

func (v *visit) onePost(t *timeline) {
	p := v.whichPost(t)
	if p == nil {
		v.notFound()
		return
	}
	view := v.postView(p)
	v.show(http.StatusOK, "Post of "+view.Author.Name, page.Data{Kind: page.KindPost, Post: &view, Comments: v.commentViews(p)})
}

func (v *visit) searchPosts() { v.results(page.KindSearch, "Search", &v.world.posts) }

func (v *visit) searchForum() { v.results(page.KindForum, "Forum", &v.world.forum) }

func (v *visit) forumFront() { v.list(page.KindForum, "Forum", v.world.forum.posts, noPost) }

// results shows one page of a search; an empty query finds nothing.
func (v *visit) results(kind page.Kind, title string, t *timeline) {
	query := v.r.FormValue("q")
	n, size := v.pageNumber(), v.opts.SearchPage
	var posts []*post
	total := 0
	if strings.TrimSpace(query) != "" {
		posts, total = v.find(t, query, n, size)
	}
	data := page.Data{
		Kind: kind, Query: query, Posts: v.postViews(posts),
		Paging: &page.Paging{Page: n, Total: total, More: n*size < total},
	}
	if kind == page.KindSearch && n == 1 && len(posts) > 0 {
		data.Promoted = v.promoted(posts)
	}
	v.show(http.StatusOK, title, data)
}

// promoted is the post that the network shows among others as an advert: the
// newest of a company that is not there anyway.
func (v *visit) promoted(others []*post) *page.Post {
	for _, p := range visible(v.world.posts.posts, v.now) {
		if p.company != nil && !slices.Contains(others, p) {
			view := v.postView(p)
			return &view
		}
	}
	return nil
}

// find returns one page of the posts that match a query, and the total.
func (v *visit) find(t *timeline, query string, n, size int) ([]*post, int) {
	if t == &v.world.posts {
		if written := v.records.writtenPosts(holdsFolded(query)); len(written) > 0 {
			world, _ := t.search(query, v.now, 1, len(t.posts))
			all := merge(written, world)
			return cut(all, n, size), len(all)
		}
	}
	return t.search(query, v.now, n, size)
}

// people shows one page of a list of members.
func (v *visit) people(kind page.Kind, title string, all []*member) {
	start, count := v.slice(kind)
	data := page.Data{
		Kind: kind, Query: v.r.FormValue("keywords"), People: []page.Person{},
		Paging: &page.Paging{Page: start/count + 1, Total: len(all), More: start+count < len(all)},
	}
	start = min(start, len(all))
	for _, m := range all[start:min(start+count, len(all))] {
		p := v.personView(m)
		if kind == page.KindConnections {
			at := v.records.connectedAt(v.me, m)
			p.ConnectedAt = &at
		}
		data.People = append(data.People, p)
	}
	v.show(http.StatusOK, title, data)
}

// connections lists the viewer's connections: newest first, or by name.
func (v *visit) connections() {
	keyword := fold(v.r.FormValue("keyword"))
	var list []*member
	for _, m := range v.connectionsOf(v.me) {
		if strings.Contains(m.text, keyword) {
			list = append(list, m)
		}
	}
	by := v.r.FormValue("sort")
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i], list[j]
		switch {
		case by == "first_name" && a.first != b.first:
			return a.first < b.first
		case by == "last_name" && a.last != b.last:
			return a.last < b.last
		case by != "first_name" && by != "last_name":
			at, bt := v.records.connectedAt(v.me, a), v.records.connectedAt(v.me, b)
			if !at.Equal(bt) {
				return at.After(bt)
			}
		}
		return a.id < b.id
	})
	v.people(page.KindConnections, "Connections", list)
}
