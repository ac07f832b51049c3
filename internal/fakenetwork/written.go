package fakenetwork

import (
	"slices"
	"strings"
	"time"

	"watchpost/internal/fakenetwork/page"
)

// writtenIDs is the start of the ids of accounts' posts: above those of the
// world, and increasing with every second, so that a restarted site never
// reuses one.
const writtenIDs = 9_200_000_000_000_000_000

// maxPost is the network's limit of a post's text, in characters.
const maxPost = 3000

// writePost publishes a post.
func (v deed) writePost() {
	actor, ok := v.actor()
	if !ok {
		return
	}
	text, ok := v.text("text", maxPost, false)
	if !ok {
		return
	}
	p := &post{member: v.me, content: text, kind: "text", at: v.now.Truncate(time.Second)}
	if actor.Type == page.ActorCompany {
		p.member, p.company = nil, v.world.companyBySlug[actor.Slug]
	}
	v.apply(func() (Write, *overCap) { return v.records.publish(v.me, actor, p, v.now), nil })
}

// publish numbers a post and keeps it.
func (r *records) publish(m *member, actor page.Actor, p *post, now time.Time) Write {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lastURN++
	p.id = writtenIDs + uint64(p.at.Unix())*1000 + r.lastURN%1000
	p.slug = postSlug(p)
	r.written = append(r.written, p)
	return r.record(Write{Account: m.slug, Actor: actor.URN, Kind: WritePost, Target: p.urn(), Text: p.content, URN: p.urn(), At: now})
}

// writtenPosts returns the accounts' posts that satisfy pass, newest first.
func (r *records) writtenPosts(pass func(*post) bool) []*post {
	r.mu.Lock()
	defer r.mu.Unlock()
	var found []*post
	for _, p := range slices.Backward(r.written) {
		if pass(p) {
			found = append(found, p)
		}
	}
	return found
}

// merge inserts the few posts of accounts into a list of the world's, newest
// first.
func merge(written, world []*post) []*post {
	if len(written) == 0 {
		return world
	}
	all := slices.Concat(written, world)
	slices.SortStableFunc(all, func(a, b *post) int { return b.at.Compare(a.at) })
	return all
}

// writtenPost returns the post of an account with that id.
func (r *records) writtenPost(id uint64) *post {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.written {
		if p.id == id {
			return p
		}
	}
	return nil
}

// holdsFolded reports whether a post matches a query, as the search of the
// world's posts does.
func holdsFolded(query string) func(*post) bool {
	folded := fold(query)
	return func(p *post) bool { return strings.Contains(fold(p.content), folded) }
}
