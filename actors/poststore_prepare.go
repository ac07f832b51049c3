package actors

import (
	"slices"

	"github.com/sourcegraph/conc/iter"
	"github.com/sourcegraph/conc/panics"

	"watchpost/internal/enrich"
	"watchpost/internal/text"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// The decision about a post depends on the store. Most of the work does
// not: the enrichment of a post and its index terms
// are functions of the post alone. While a batch is under way, that is done for
// the posts that are next, on all cores.

// reportedPost is a post as a scan saw it, and its normalised text.
type reportedPost struct {
	post watchpost.Post
	text text.Text
}

// candidate is a post that may be stored: as the scan saw it, with its
// enrichment, and separately the parts that depend on the watchlist.
type candidate struct {
	post      watchpost.Post
	tags      []watchpost.Tag
	relevance float64
	terms     postindex.TextTerms
	refused   bool
}

// prepared tells the post store that the posts of an ingest are prepared, or how that
// failed.
type prepared struct {
	ingest  *ingest
	ready   []candidate
	failure *panics.Recovered
}

// prepare begins to prepare the posts that are first in the queue, unless some
// are being prepared or wait to be stored: so few are kept twice.
func (f *postStore) prepare() {
	if f.preparing {
		return
	}
	for _, next := range f.queue {
		m, posts := next.(*ingest)
		switch {
		case !posts:
		case m.prepared:
			return
		case len(m.posts) == 0:
			m.prepared = true // it is about its answer
		default:
			f.preparing = true
			f.beginPreparing(m)
			return
		}
	}
}

// beginPreparing prepares the posts of an ingest, which must not be touched until then.
// A post that panics is refused; another panic is the post store's, as if it had done the work itself.
func (f *postStore) beginPreparing(m *ingest) {
	env, team := f.env, f.team
	root, self, index := f.env.system.Root, f.ctx.Self(), f.env.posts
	f.workers.Go(func() {
		env.run.Turn("prepare " + string(f.space))
		done := prepared{ingest: m}
		var catcher panics.Catcher
		catcher.Try(func() {
			rules := enrich.NewRules(m.asked)
			done.ready = iter.Map(m.posts, func(s *reportedPost) candidate {
				var c candidate
				c.refused = !env.guard(team, "understand", s.post.URN, s.post.Content, func() { c = s.prepare(rules, index) })
				return c
			})
		})
		done.failure = catcher.Recovered()
		root.Send(self, done)
	})
}

// prepare does for a post what needs nothing that is stored.
func (s *reportedPost) prepare(rules *enrich.Rules, index *postindex.Index) candidate {
	text := s.text.WithImage(s.post.ImageText)
	c := candidate{post: s.post}
	understandPost(rules, &c.post, text)
	c.tags, c.relevance = c.post.Tags, c.post.Relevance
	c.post.Tags, c.post.Relevance = nil, 0
	c.terms = index.TextTerms(c.post.Language, text)
	return c
}

// onPrepared takes over the posts, and goes on.
func (f *postStore) onPrepared(m prepared) {
	if m.failure != nil {
		panic(m.failure.AsError()) // to the supervisor: the team reloads
	}
	f.preparing = false
	ready := slices.DeleteFunc(m.ready, func(c candidate) bool { return c.refused })
	m.ingest.posts, m.ingest.ready, m.ingest.prepared = nil, ready, true
	f.work()
}
