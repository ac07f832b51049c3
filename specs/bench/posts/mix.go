package main

import (
	"math/rand/v2"
	"strings"
	"time"
	"unicode"

	"watchpost/watchpost"
)

// query is one question, in terms that all engines translate.
type query struct {
	watchlists []int
	language   string
	kind       string
	terms      []string // all of them must match
	phrase     []string // adjacent, in this order
	trending   bool
	interacted bool
	from, to   time.Time // of publication; zero: no bound
	labels     []int     // any of them
	author     int       // -1: any
	order      watchpost.PostOrder
	page       int // from 1
}

// row is a row of the mix: a kind of question with random parameters.
type row struct {
	name string
	// phrase rows have a separate target.
	phrase bool
	ask    func(c *chance) query
}

// chance draws the parameters of queries over the posts of a feed.
type chance struct {
	*rand.Rand
	feed *feed
}

func (c *chance) common() string { return c.feed.words.words[c.IntN(12)] }

func (c *chance) middling() string { return c.feed.words.words[100+c.IntN(900)] }

func (c *chance) rare() string { return c.feed.words.words[15_000+c.IntN(vocabularyWords-15_000)] }

// adjacent returns two words that are adjacent in some post.
func (c *chance) adjacent() []string {
	for {
		e := c.feed.entry(c.IntN(c.feed.size))
		if strings.Contains(cjkLanguages, e.post.Language) {
			continue
		}
		words := strings.FieldsFunc(strings.ToLower(e.text()), func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N) })
		at := c.IntN(len(words) - 1)
		return words[at : at+2]
	}
}

// anything is a query for the first page of all posts, newest first.
func anything() query { return query{author: -1, order: watchpost.RecentFirst, page: 1} }

// with returns anything changed by f.
func with(f func(q *query)) query {
	q := anything()
	f(&q)
	return q
}

// farPage is the page number of the deep rows.
const farPage = 500

var mix = []row{
	{name: "recent", ask: func(*chance) query { return anything() }},
	{name: "1 watchlist", ask: func(c *chance) query {
		return with(func(q *query) { q.watchlists = []int{c.IntN(watchlists)} })
	}},
	{name: "3 watchlists", ask: func(c *chance) query {
		return with(func(q *query) { q.watchlists = c.Perm(watchlists)[:3] })
	}},
	{name: "language + type", ask: func(c *chance) query {
		return with(func(q *query) { q.language, q.kind = of(languages, c.IntN(1000)), of(kinds, c.IntN(1000)) })
	}},
	{name: "common word", ask: func(c *chance) query {
		return with(func(q *query) { q.terms = []string{c.common()} })
	}},
	{name: "rare word", ask: func(c *chance) query {
		return with(func(q *query) { q.terms = []string{c.rare()} })
	}},
	{name: "CJK word", ask: func(c *chance) query {
		return with(func(q *query) { q.terms = []string{c.feed.words.cjk[c.IntN(cjkWords)]} })
	}},
	{name: "accented word", ask: func(c *chance) query {
		return with(func(q *query) { q.terms = []string{c.feed.words.words[c.feed.words.accented[c.IntN(100)]]} })
	}},
	{name: "2 words", ask: func(c *chance) query {
		return with(func(q *query) { q.terms = []string{c.common(), c.middling()} })
	}},
	{name: "watchlist + word", ask: func(c *chance) query {
		return with(func(q *query) { q.watchlists, q.terms = []int{c.IntN(watchlists)}, []string{c.middling()} })
	}},
	{name: "trending", ask: func(*chance) query { return with(func(q *query) { q.trending = true }) }},
	{name: "interacted", ask: func(*chance) query { return with(func(q *query) { q.interacted = true }) }},
	{name: "30 days", ask: func(c *chance) query {
		return with(func(q *query) {
			q.from = epoch.AddDate(0, 0, c.IntN(690))
			q.to = q.from.AddDate(0, 0, 30)
		})
	}},
	{name: "2 labels", ask: func(c *chance) query {
		return with(func(q *query) { q.labels = c.Perm(labels)[:2] })
	}},
	{name: "author", ask: func(c *chance) query {
		return with(func(q *query) { q.author = c.IntN(authors) })
	}},
	{name: "by engagement", ask: func(*chance) query {
		return with(func(q *query) { q.order = watchpost.MostEngaging })
	}},
	{name: "watchlist by engagement", ask: func(c *chance) query {
		return with(func(q *query) { q.watchlists, q.order = []int{c.IntN(watchlists)}, watchpost.MostEngaging })
	}},
	{name: "language by influence", ask: func(c *chance) query {
		return with(func(q *query) { q.language, q.order = of(languages, c.IntN(1000)), watchpost.MostInfluence })
	}},
	{name: "page 500", ask: func(*chance) query { return with(func(q *query) { q.page = farPage }) }},
	{name: "page 500 of a language", ask: func(*chance) query {
		return with(func(q *query) { q.language, q.page = "en", farPage })
	}},
	{name: "quoted phrase", phrase: true, ask: func(c *chance) query {
		return with(func(q *query) { q.phrase = c.adjacent() })
	}},
}

// pool draws n queries of a row.
func (r row) pool(f *feed, n int) []query {
	c := &chance{rand.New(rand.NewPCG(f.seed, uint64(len(r.name))<<8|uint64(r.name[0]))), f}
	all := make([]query, n)
	for i := range all {
		all[i] = r.ask(c)
	}
	return all
}
