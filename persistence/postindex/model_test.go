package postindex_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/internal/text"
	"watchpost/persistence"
	"watchpost/persistence/badger"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// tiny makes every part of the machinery work with few posts.
var tiny = postindex.Options{
	BufferPosts: 4, SegmentPosts: 16, MergeFactor: 2, CacheBytes: 1 << 20, PostTerms: 40, BlockBytes: 300, InlineBytes: 2, StepBytes: 500,
}

// bitsetMemory are of many scripts and kinds; texts and searches are made of them.
var bitsetMemory = strings.Fields(`engineer engineers engineering Hire hiring hired run running the of go Go rust C C++ C# .NET ASP.NET
	#hiring #Hiring @ada @Ada_L ada@example.com https://example.com/a?b=c e-mail self-driving 3.5 AT&T café CAFÉ naïve Straße
	häuser haus maison maisons étudiantes книга книги новые 🚀 👍🏽 👩‍💻 ❤️ € $ ?! … -- 東京都で働く 東京 京都 タワー ﾀﾜｰ 用AI做产品 产品 AI
	ประเทศไทยงาม ไทย 직장에서 직장 हिन्दी है أحمد احمد يعمل x`)

var separators = []string{" ", " ", " ", " ", ", ", "-", "/", "", "\n", " . "}

var someText = rapid.Custom(func(t *rapid.T) string {
	var b strings.Builder
	for i := range rapid.IntRange(0, 9).Draw(t, "words") {
		if i > 0 {
			b.WriteString(rapid.SampledFrom(separators).Draw(t, "separator"))
		}
		b.WriteString(rapid.SampledFrom(bitsetMemory).Draw(t, "word"))
	}
	return b.String()
})

var someSearch = rapid.Custom(func(t *rapid.T) text.Search {
	var b strings.Builder
	for range rapid.IntRange(0, 3).Draw(t, "terms") {
		b.WriteString(rapid.SampledFrom([]string{"", "", "", "-", "OR ", "OR -"}).Draw(t, "sign"))
		text := rapid.SampledFrom(bitsetMemory).Draw(t, "word")
		for range rapid.SampledFrom([]int{0, 0, 0, 1, 1, 2}).Draw(t, "more") {
			text += rapid.SampledFrom([]string{" ", " ", " ", "-", ""}).Draw(t, "joint") + rapid.SampledFrom(bitsetMemory).Draw(t, "word")
		}
		if rapid.Bool().Draw(t, "quoted") {
			text = `"` + text + `"`
		}
		b.WriteString(text + " ")
	}
	search, err := text.ParseSearch(b.String())
	require.NoError(t, err)
	return search
})

var (
	lists      = []watchpost.WatchlistID{"w1", "w2", "w3"}
	languages  = []string{"en", "de", "fr", "ja", "und", "EN", ""}
	labels     = []string{"Hiring", "hiring", "Café", "no labels"}
	authors    = []string{"https://host/in/jane", "https://host/in/john", "https://host/company/acme", "https://host/u/x", ""}
	types      = []string{"text", "Image", "video"}
	seniority  = []string{"", "VP", "C-Level"}
	sentiments = []string{"positive", "negative", ""}
	sources    = []watchpost.PostSource{watchpost.SourceNetwork, watchpost.SourceForum}
	keywords   = []string{"k", "Go", ""}
	postOrders = []watchpost.PostOrder{
		"", watchpost.RecentFirst, watchpost.OldestFirst, watchpost.MostEngaging, watchpost.MostLiked, watchpost.MostInfluence, watchpost.RelevanceFirst,
		watchpost.StoredFirst, watchpost.StoredLast,
	}
)

func of[T any](all []T) *rapid.Generator[T] { return rapid.SampledFrom(all) }

// farAway are the earliest and latest times that can be stored, and those around zero.
var farAway = []time.Time{
	time.Date(1700, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2261, 12, 31, 23, 59, 59, 999_999_999, time.UTC), time.Unix(0, 0).UTC(), time.Unix(0, -1).UTC(),
}

// draw fills in the fields of a scan and the computed fields. When posts rise,
// later ones were published later, about, as they are where a scan looks for
// news; otherwise many were published at the same moment.
func draw(t *rapid.T, p *watchpost.Post, rising bool) {
	few := rapid.IntRange(0, 2)
	p.URL = "https://host/posts/slug-" + fmt.Sprint(few.Draw(t, "slug"))
	p.Content, p.ImageText = someText.Draw(t, "content"), of([]string{"", "", "Go", "東京 x"}).Draw(t, "image")
	p.AuthorURL = of(authors).Draw(t, "author")
	p.AuthorName, p.AuthorHeadline = of([]string{"Jané Doe", "Acme"}).Draw(t, "author's name"), of([]string{"", "Engineer"}).Draw(t, "headline")
	p.PostedAt = day0.Add(time.Duration(few.Draw(t, "days"))*24*time.Hour + time.Duration(few.Draw(t, "posted")))
	if rising {
		p.PostedAt = p.CreatedAt.Add(-time.Duration(few.Draw(t, "hours")) * time.Hour)
	}
	if rapid.IntRange(0, 9).Draw(t, "far away") == 0 {
		p.PostedAt = of(farAway).Draw(t, "posted far away")
	}
	p.Likes, p.Comments, p.Shares = of([]int64{0, 40, 80, 1 << 40}).Draw(t, "likes"), int64(few.Draw(t, "comments"))*10, int64(few.Draw(t, "shares"))*10
	p.Type, p.Language, p.Seniority = of(types).Draw(t, "type"), of(languages).Draw(t, "language"), of(seniority).Draw(t, "seniority")
	p.Relevance, p.Influence = float64(few.Draw(t, "relevance"))/10, few.Draw(t, "influence")
	p.Sentiment, p.Source = of(sentiments).Draw(t, "sentiment"), of(sources).Draw(t, "source")
	p.Matches = nil
	var given [][]watchpost.Tag
	for range rapid.IntRange(1, 2).Draw(t, "matches") {
		p.Matches = append(p.Matches, watchpost.Match{Watchlist: of(lists).Draw(t, "list"), Keyword: of(keywords).Draw(t, "keyword"), At: p.CreatedAt.Add(time.Duration(few.Draw(t, "at")-1) * 5 * time.Hour), Lead: few.Draw(t, "lead") == 1})
		var tags []watchpost.Tag
		for range rapid.IntRange(0, 2).Draw(t, "tags") {
			tags = append(tags, watchpost.Tag{Name: of(labels).Draw(t, "tag"), Description: "d"})
		}
		given = append(given, tags)
	}
	p.SetMatchTags(given)
	p.Bookmark, p.Liked, p.Commented = few.Draw(t, "bookmark") == 0, few.Draw(t, "liked") == 0, few.Draw(t, "commented") == 0
}

// several draws one or two of some values.
func several(t *rapid.T, name string, values ...string) []string {
	return rapid.SliceOfN(of(values), 1, 2).Draw(t, name)
}

// askedTexts are what queries ask filters for that take one text: numbers about those
// that posts have, and words.
var askedTexts = []string{"0", "1", "10", "20", "21", "k", "Go", "slug-1"}

// ask draws a condition of a filter that is on or off, takes one text, or has values to
// choose from.
func ask(t *rapid.T, q *watchpost.PostQuery) {
	var some []*watchpost.PostFilter
	for _, f := range watchpost.PostFilters() {
		if f.Params[0].Flag != nil || f.Params[0].Text != nil || f.Choices != nil {
			some = append(some, f)
		}
	}
	f := of(some).Draw(t, "filter")
	switch param := f.Params[0]; {
	case param.Flag != nil:
		*param.Flag(q) = true
		return
	case param.Text != nil:
		asked := *q
		if param.Text(&asked, of(askedTexts).Draw(t, f.Name)) == nil {
			*q = asked
		}
		return
	}
	values := []string{" ", "none"}
	for _, v := range f.Choices {
		values = append(values, v, strings.ToUpper(v))
	}
	*f.Params[0].Texts(q) = several(t, f.Name, values...)
}

// someTagging draws which watchlists' tags count: mostly all.
var someTagging = rapid.Custom(func(t *rapid.T) *watchpost.Tagging {
	if rapid.Bool().Draw(t, "all tags") {
		return nil
	}
	tagging := &watchpost.Tagging{Live: map[watchpost.WatchlistID]bool{}, Names: map[watchpost.WatchlistID]map[string]bool{}}
	for _, id := range lists {
		tagging.Live[id] = rapid.IntRange(0, 3).Draw(t, "gives tags") > 0
		if rapid.IntRange(0, 3).Draw(t, "is changed") == 0 {
			tagging.Names[id] = map[string]bool{of([]string{"hiring", "no labels"}).Draw(t, "gives"): true, "café": true}
		}
	}
	return tagging
})

// someQuery draws a query that asks for little except its order and page.
var someQuery = rapid.Custom(func(t *rapid.T) *watchpost.PostQuery {
	q := &watchpost.PostQuery{
		Order: of(postOrders).Draw(t, "order"), PageSize: rapid.IntRange(0, 9).Draw(t, "page size"), Page: rapid.IntRange(0, 6).Draw(t, "page"),
	}
	instant := func(name string) time.Time {
		return of([]time.Time{{}, day0, day0.Add(1), day0.Add(24 * time.Hour), day0.Add(48*time.Hour + 1), time.Time{}.Add(1), day0.AddDate(7000, 0, 0), farAway[0], farAway[1], farAway[1].Add(1), farAway[2]}).Draw(t, name)
	}
	q.Named = rapid.Bool().Draw(t, "named")
	for range rapid.SampledFrom([]int{0, 1, 1, 2, 3}).Draw(t, "conditions") {
		switch rapid.IntRange(0, 18).Draw(t, "condition") {
		case 0, 1:
			q.Live = map[watchpost.WatchlistID]bool{}
			for _, id := range lists {
				if rapid.Bool().Draw(t, string(id)) {
					q.Live[id] = rapid.IntRange(0, 5).Draw(t, "is live") > 0
				}
			}
		case 2:
			q.Labels = []string{of(labels).Draw(t, "label"), of([]string{" NO Labels ", "x", "HIRING"}).Draw(t, "other label")}
			q.Tagging = someTagging.Draw(t, "tagging")
		case 3:
			q.People = []string{"profile/jane", of([]string{"", "profile/john"}).Draw(t, "person")}
			q.Companies = []string{of([]string{"company/acme", ""}).Draw(t, "company")}
		case 4, 5, 6:
			q.Search = someSearch.Draw(t, "search")
		case 7:
			q.Languages = several(t, "asked languages", "en", "DE", "ja", "xx", " ")
		case 8:
			q.From, q.To = instant("from"), instant("to")
		case 9:
			q.StoredFrom = instant("stored from")
			if rapid.Bool().Draw(t, "by created") {
				q.StoredFrom = day0.Add(time.Duration(rapid.IntRange(0, 40).Draw(t, "hours")) * time.Hour)
			}
		case 12:
			q.Slug = of([]string{"post/slug-1", "post:7000000000000000003", "post/x"}).Draw(t, "slug")
		case 13:
			for range rapid.IntRange(1, 5).Draw(t, "asked posts") {
				q.IDs = append(q.IDs, fmt.Sprintf("%08x-0000-7000-8000-%012x", rapid.IntRange(0, 3).Draw(t, "asked id"), rapid.IntRange(1, 20).Draw(t, "number")))
			}
		case 16:
			q.Keyword = of([]string{"k", " GO", "none"}).Draw(t, "asked keyword")
		case 17, 18:
			q.Only = somePostSet.Draw(t, "set")
		default:
			ask(t, q)
		}
	}
	return q
})

// TestModelAsksForEveryFilter names a filter that no query of the model has.
func TestModelAsksForEveryFilter(t *testing.T) {
	asked := map[string]bool{}
	for seed := range 300 {
		q := someQuery.Example(seed)
		for _, f := range watchpost.PostFilters() {
			asked[f.Name] = asked[f.Name] || f.Given(q)
		}
	}
	for _, f := range watchpost.PostFilters() {
		require.True(t, asked[f.Name], "TestModel never asks for %s", f.Name)
	}
}

// machine runs the engine and the model, which is a list of posts.
type machine struct {
	*team
	posts []*watchpost.Post
	made  int
	// rising posts are published later the later they are found.
	rising bool
	// counted are queries whose counts are asked for after each action, for some
	// time: the index remembers them for the parts of it that stayed the same.
	counted []*watchpost.PostQuery
	open    func() persistence.Store
}

func (m *machine) put(t *rapid.T) {
	var changed []*watchpost.Post
	m.room()
	m.change(func(w *postindex.Writer) {
		for range rapid.IntRange(1, 5).Draw(t, "posts") {
			var p watchpost.Post
			if w.BufferFull() {
				p = watchpost.Post{ID: "00000000-0000-7000-8000-ffffffffffff", URN: "urn:net:activity:1", CreatedAt: day0, PostedAt: day0}
				require.ErrorIs(t, w.Put(&p), postindex.ErrBufferFull)
				return
			}
			at := rapid.IntRange(0, 2*len(m.posts)+4).Draw(t, "which")
			if at < len(m.posts) {
				p = *m.posts[at]
			} else {
				at = len(m.posts)
				m.made++
				p = watchpost.Post{
					ID:  watchpost.PostID(fmt.Sprintf("%08x-0000-7000-8000-%012x", rapid.IntRange(0, 3).Draw(t, "id"), m.made)),
					URN: fmt.Sprintf("urn:net:activity:%d", 7_000_000_000_000_000_000+m.made), CreatedAt: day0.Add(time.Duration(m.made) * time.Hour),
				}
				m.posts = append(m.posts, nil)
			}
			if at < len(m.posts) && m.posts[at] != nil && rapid.Bool().Draw(t, "mark") {
				p.Bookmark = !p.Bookmark
			} else {
				draw(t, &p, m.rising)
			}
			m.posts[at] = &p
			changed = append(changed, &p)
			require.NoError(t, w.Put(&p))
		}
	})
	m.view(func(view persistence.View) {
		for _, p := range changed {
			if got, err := postindex.ByURN(view, space, p.URN); slices.Contains(m.posts, p) {
				require.NoError(t, err)
				require.Equal(t, p, got)
			}
		}
	})
}

// room merges until something can be put.
func (m *machine) room() {
	full := true
	for full {
		m.view(func(view persistence.View) {
			n, err := m.index.Buffered(view, space)
			require.NoError(m.t, err)
			full = n >= m.index.MaxBuffer()
		})
		if full {
			m.step()
		}
	}
}

func (m *machine) remove(t *rapid.T) {
	if len(m.posts) == 0 {
		t.Skip("nothing to remove")
	}
	m.change(func(w *postindex.Writer) {
		for range rapid.IntRange(1, 3).Draw(t, "removed") {
			if at := rapid.IntRange(0, len(m.posts)).Draw(t, "which"); at < len(m.posts) {
				require.NoError(t, w.Delete(m.posts[at]))
				m.posts = slices.Delete(m.posts, at, at+1)
			}
		}
	})
}

// withdraw takes a watchlist off all posts, as after its removal.
func (m *machine) withdraw(t *rapid.T) {
	id := of(lists).Draw(t, "list")
	for {
		var some []*watchpost.Post
		m.view(func(view persistence.View) {
			var err error
			some, err = m.index.ByWatchlist(view, space, id, 3)
			require.NoError(t, err)
		})
		if len(some) == 0 {
			break
		}
		m.room()
		m.change(func(w *postindex.Writer) {
			for _, p := range some {
				if w.BufferFull() {
					return
				}
				p = p.Withdraw(id)
				at := slices.IndexFunc(m.posts, func(known *watchpost.Post) bool { return known.ID == p.ID })
				require.GreaterOrEqual(t, at, 0)
				if len(p.Matches) == 0 {
					require.NoError(t, w.Delete(p))
					m.posts = slices.Delete(m.posts, at, at+1)
					continue
				}
				require.NoError(t, w.Put(p))
				m.posts[at] = p
			}
		})
	}
	m.change(func(w *postindex.Writer) { require.NoError(t, w.Forget(id)) })
	for _, p := range m.posts {
		require.False(t, p.Collected(func(w watchpost.WatchlistID) bool { return w == id }))
	}
}

func (m *machine) ask(t *rapid.T) {
	for range rapid.IntRange(1, 6).Draw(t, "queries") {
		q := someQuery.Draw(t, "query")
		page, want := q.Select(m.posts)
		var ids []watchpost.PostID
		for _, p := range page {
			ids = append(ids, p.ID)
		}
		got, count := m.query(q)
		require.Equal(t, want, count, "%+v", q)
		require.Equal(t, ids, got, "%+v", q)
	}
	m.leads(t)
	if len(m.counted) == 0 || rapid.IntRange(0, 9).Draw(t, "other counts") == 0 {
		m.counted = rapid.SliceOfN(someQuery, 1, 5).Draw(t, "counted")
	}
	some := m.counted[:rapid.IntRange(1, len(m.counted)).Draw(t, "some of them")]
	m.count(some)
	m.count(some)
}

// matching returns the urns of all posts that a query asks for.
func (m *machine) matching(q *watchpost.PostQuery) (urns []string) {
	for _, p := range m.posts {
		if q.Matches(p) {
			urns = append(urns, p.URN)
		}
	}
	return urns
}

// TestModel lets the engine and the pure model answer the same queries about
// the same posts, while posts change, the index is merged step by step, and the
// service is started again.
func TestModel(t *testing.T) {
	store := memory(t)
	checkModel(t, func() persistence.Store { return store })
}

// TestModelOnDisk is TestModel with a store that is closed and opened again.
func TestModelOnDisk(t *testing.T) {
	if !long {
		t.Skip("a longer run: set WATCHPOST_LONG")
	}
	dir := t.TempDir()
	var store *badger.Store
	checkModel(t, func() persistence.Store {
		if store != nil {
			require.NoError(t, store.Close())
		}
		var err error
		store, err = badger.Open(badger.Options{Dir: dir})
		require.NoError(t, err)
		return store
	})
	require.NoError(t, store.Close())
}

func checkModel(t *testing.T, open func() persistence.Store) {
	options := []postindex.Options{tiny, {BufferPosts: 4, SegmentPosts: 8, MergeFactor: 2, MaxBuffer: 1000}, {BufferPosts: 1, SegmentPosts: 8, MergeFactor: 3}, {BufferPosts: 7, SegmentPosts: 40, MergeFactor: 2, CacheBytes: 64 << 10}, {}}
	rapid.Check(t, func(t *rapid.T) {
		store := open()
		o := of(options).Draw(t, "options")
		m := &machine{team: newTeam(t, store, o), open: open, rising: rapid.Bool().Draw(t, "rising")}
		empty(t, store, m.epoch)
		m.verified = rapid.IntRange(0, 7).Draw(t, "verified") == 0
		m.ahead = rapid.Bool().Draw(t, "ahead")
		t.Repeat(map[string]func(*rapid.T){
			"put":     m.put,
			"put two": m.put,
			"remove":  m.remove,
			"merge": func(t *rapid.T) {
				for range rapid.IntRange(1, 12).Draw(t, "steps") {
					m.step()
				}
			},
			"merge all": func(*rapid.T) { m.mergeAll() },
			"withdraw":  m.withdraw,
			"restart":   func(t *rapid.T) { m.restart(m.open(), o) },
			"":          m.ask,
		})
	})
}
