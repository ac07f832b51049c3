package poststore

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

// Reported is a post as a scan saw it, and its normalised text.
type Reported struct {
	Post watchpost.Post
	Text text.Text
}

// candidate is a post that may be stored: as the scan saw it, with its
// enrichment, and separately the parts that depend on the watchlist.
type candidate struct {
	post      watchpost.Post
	tags      []watchpost.Tag
	relevance float64
	terms     postindex.TextTerms
	unwanted  bool // it panicked, or the conditions of the watchlist drop it
}

// prepared tells the post store that the posts of an ingest are prepared, or how that
// failed.
type prepared struct {
	ingest  *Ingest
	ready   []candidate
	failure *panics.Recovered
}

// prepare begins to prepare the posts that are first in the queue, unless some
// are being prepared or wait to be stored: so few are kept twice.
func (f *PostStore) prepare() {
	if f.preparing {
		return
	}
	for _, next := range f.queue {
		m, posts := next.(*Ingest)
		switch {
		case !posts:
		case m.prepared:
			return
		case len(m.Posts) == 0:
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
func (f *PostStore) beginPreparing(m *Ingest) {
	guard, turn, team := f.Guard, f.Turn, f.Team
	root, self, index := f.ctx.ActorSystem().Root, f.ctx.Self(), f.Posts
	f.workers.Go(func() {
		turn("prepare " + string(f.Space))
		done := prepared{ingest: m}
		var catcher panics.Catcher
		catcher.Try(func() {
			rules := enrich.NewRules(m.Asked)
			done.ready = iter.Map(m.Posts, func(s *Reported) candidate {
				var c candidate
				if !guard(team, "understand", s.Post.URN, s.Post.Content, func() { c = s.prepare(rules, index) }) {
					return candidate{unwanted: true}
				}
				c.unwanted = m.Conditions.Drops(&c.post) != ""
				return c
			})
		})
		done.failure = catcher.Recovered()
		root.Send(self, done)
	})
}

// prepare does for a post what needs nothing that is stored.
func (s *Reported) prepare(rules *enrich.Rules, index *postindex.Index) candidate {
	text := s.Text.WithImage(s.Post.ImageText)
	c := candidate{post: s.Post}
	rules.Post(&c.post, text)
	c.tags, c.relevance = c.post.Tags, c.post.Relevance
	c.post.Tags, c.post.Relevance = nil, 0
	c.terms = index.TextTerms(c.post.Language, text)
	return c
}

// onPrepared takes over the posts, and goes on.
func (f *PostStore) onPrepared(m prepared) {
	if m.failure != nil {
		panic(m.failure.AsError()) // to the supervisor: the team reloads
	}
	f.preparing = false
	ready := slices.DeleteFunc(m.ready, func(c candidate) bool { return c.unwanted })
	m.ingest.Posts, m.ingest.ready, m.ingest.prepared = nil, ready, true
	f.work()
}
