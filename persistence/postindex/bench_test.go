package postindex_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"watchpost/internal/text"
	"watchpost/persistence/badger"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// forge makes posts of a team: words of a vocabulary in which few are common,
// and authors, languages and watchlists of unlike size.
type forge struct {
	r       *rand.Rand
	words   *rand.Zipf
	authors *rand.Zipf
	made    int
}

func newForge() *forge {
	r := rand.New(rand.NewPCG(1, 2))
	return &forge{r: r, words: rand.NewZipf(r, 1.1, 4, 200_000), authors: rand.NewZipf(r, 1.05, 50, 100_000)}
}

// word returns the n-th most common word.
func word(n uint64) string {
	const letters = "bcdfghjklmnprstvw"
	const vowels = "aeiou"
	var b strings.Builder
	for n += 17; n > 0; n /= 17 * 5 {
		b.WriteByte(letters[n%17])
		b.WriteByte(vowels[n/17%5])
	}
	return b.String()
}

func watchlist(n int) watchpost.WatchlistID {
	return watchpost.WatchlistID(fmt.Sprintf("01890000-0000-7000-8000-%012x", n))
}

// benchSpan is the time over which the posts were published.
const benchSpan = 365 * 24 * time.Hour

func (f *forge) post() *watchpost.Post {
	f.made++
	at := day0.Add(-benchSpan + time.Duration(f.r.Int64N(int64(benchSpan/time.Millisecond)))*time.Millisecond)
	var text strings.Builder
	for i := range 15 + f.r.IntN(50) {
		if i > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(word(f.words.Uint64()))
	}
	p := &watchpost.Post{
		ID: watchpost.PostID(watchpost.NewID(day0.Add(time.Duration(f.made) * time.Millisecond))), URN: "urn:li:activity:" + strconv.Itoa(7_000_000_000_000_000_000+f.made),
		URL:     "https://network.example/feed/update/urn:li:activity:" + strconv.Itoa(7_000_000_000_000_000_000+f.made),
		Content: text.String(), AuthorName: "Jane Doe", AuthorURL: fmt.Sprintf("https://network.example/in/author-%d", f.authors.Uint64()), AuthorHeadline: "VP of Things at Acme",
		PostedAt: at, CreatedAt: day0.Add(time.Duration(f.made) * time.Second),
		Likes: int64(f.r.ExpFloat64() * 20), Comments: int64(f.r.ExpFloat64() * 5), Shares: int64(f.r.ExpFloat64()),
		Type: types[min(f.r.IntN(6), 2)], Language: []string{"en", "en", "en", "de", "fr", "es"}[f.r.IntN(6)], Sentiment: "neutral", Seniority: []string{"", "", "VP", "C-Level"}[f.r.IntN(4)],
		Relevance: float64(f.r.IntN(101)) / 10, Influence: f.r.IntN(101), Source: watchpost.SourceNetwork,
		Liked: f.r.IntN(40) == 0, Bookmark: f.r.IntN(60) == 0,
	}
	for range f.r.IntN(3) {
		p.Tags = append(p.Tags, watchpost.Tag{Name: "label " + strconv.Itoa(f.r.IntN(20)), Description: "posts of a label"})
	}
	for range 1 + f.r.IntN(2) {
		p.Matches = append(p.Matches, watchpost.Match{Watchlist: watchlist(f.r.IntN(100)), Keyword: "keyword", At: p.CreatedAt})
	}
	return p
}

// mix is the queries that are measured, each with values drawn again.
var mix = []struct {
	name string
	draw func(f *forge, q *watchpost.PostQuery)
}{
	{"recent", func(*forge, *watchpost.PostQuery) {}},
	{"1 watchlist", func(f *forge, q *watchpost.PostQuery) { q.Live = live(f, 1) }},
	{"3 watchlists", func(f *forge, q *watchpost.PostQuery) { q.Live = live(f, 3) }},
	{"language+type", func(f *forge, q *watchpost.PostQuery) { q.Languages, q.Types = []string{"de"}, []string{"video"} }},
	{"common word", func(f *forge, q *watchpost.PostQuery) { q.Search = asked(word(uint64(f.r.IntN(30)))) }},
	{"rare word", func(f *forge, q *watchpost.PostQuery) { q.Search = asked(word(uint64(50_000 + f.r.IntN(100_000)))) }},
	{"2 words", func(f *forge, q *watchpost.PostQuery) {
		q.Search = asked(word(uint64(f.r.IntN(200))) + " " + word(uint64(f.r.IntN(200))))
	}},
	{"watchlist+word", func(f *forge, q *watchpost.PostQuery) {
		q.Live, q.Search = live(f, 1), asked(word(uint64(f.r.IntN(200))))
	}},
	{"phrase of 2", func(f *forge, q *watchpost.PostQuery) {
		q.Search = asked(`"` + word(uint64(f.r.IntN(60))) + " " + word(uint64(f.r.IntN(60))) + `"`)
	}},
	{"phrase of 3", func(f *forge, q *watchpost.PostQuery) {
		q.Search = asked(`"` + word(uint64(f.r.IntN(20))) + " " + word(uint64(f.r.IntN(20))) + " " + word(uint64(f.r.IntN(20))) + `"`)
	}},
	{"trending", func(_ *forge, q *watchpost.PostQuery) { q.Trending = true }},
	{"interacted", func(_ *forge, q *watchpost.PostQuery) { q.Interacted = true }},
	{"30 days", func(f *forge, q *watchpost.PostQuery) {
		q.From = day0.Add(-benchSpan + time.Duration(f.r.IntN(330))*24*time.Hour)
		q.To = q.From.Add(30 * 24 * time.Hour)
	}},
	{"2 labels", func(f *forge, q *watchpost.PostQuery) {
		q.Labels = []string{"label " + strconv.Itoa(f.r.IntN(20)), "label " + strconv.Itoa(f.r.IntN(20))}
	}},
	{"author", func(f *forge, q *watchpost.PostQuery) {
		q.People = []string{fmt.Sprintf("profile/author-%d", f.authors.Uint64())}
	}},
	{"by engagement", func(_ *forge, q *watchpost.PostQuery) { q.Order = watchpost.MostEngaging }},
	{"engagement+watchlist", func(f *forge, q *watchpost.PostQuery) { q.Order, q.Live = watchpost.MostEngaging, live(f, 1) }},
	{"influence+language", func(_ *forge, q *watchpost.PostQuery) { q.Order, q.Languages = watchpost.MostInfluence, []string{"fr"} }},
	{"page 500", func(_ *forge, q *watchpost.PostQuery) { q.Page = 500 }},
	{"page 500+language", func(_ *forge, q *watchpost.PostQuery) { q.Page, q.Languages = 500, []string{"en"} }},
	{"slug", func(f *forge, q *watchpost.PostQuery) {
		q.Slug = "post:" + strconv.Itoa(7_000_000_000_000_000_001+f.r.IntN(f.made))
	}},
}

func live(f *forge, n int) map[watchpost.WatchlistID]bool {
	ids := map[watchpost.WatchlistID]bool{}
	for range n {
		ids[watchlist(f.r.IntN(100))] = true
	}
	return ids
}

func asked(s string) text.Search {
	search, err := text.ParseSearch(s)
	if err != nil {
		panic(err)
	}
	return search
}

// BenchmarkQueries fills a team with WATCHPOST_POSTS posts (100,000), which
// gives the rate of writing, and prints the latency of each query of the mix.
// WATCHPOST_POSTS_DIR names a folder in which the posts are kept.
func BenchmarkQueries(b *testing.B) {
	posts, err := strconv.Atoi(os.Getenv("WATCHPOST_POSTS"))
	if err != nil {
		posts = 100_000
	}
	dir := os.Getenv("WATCHPOST_POSTS_DIR")
	if dir == "" {
		dir = b.TempDir()
	}
	dir = filepath.Join(dir, strconv.Itoa(posts))
	_, missing := os.Stat(dir)
	store, err := badger.Open(badger.Options{Dir: dir, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, store.Close()) })
	f, m := newForge(), newTeam(b, store, postindex.Options{})
	if missing != nil {
		began := time.Now()
		for f.made < posts {
			var some []*watchpost.Post
			for range min(200, posts-f.made) {
				some = append(some, f.post())
			}
			m.put(some...)
			m.mergeAll()
		}
		fmt.Printf("wrote %d posts: %.0f/s\n", posts, float64(posts)/time.Since(began).Seconds())
	}
	f.made = posts
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := time.Now()
	m.query(&watchpost.PostQuery{})
	fmt.Printf("the first query took %v\n", time.Since(began))
	only := os.Getenv("WATCHPOST_QUERIES")
	for _, c := range mix {
		if !strings.Contains(c.name, only) {
			continue
		}
		var took, busy []time.Duration
		count := 0
		for i := range 430 {
			q := &watchpost.PostQuery{}
			c.draw(f, q)
			cpu, began := threadTime(), time.Now()
			_, count = m.query(q)
			if i >= 30 {
				took, busy = append(took, time.Since(began)), append(busy, threadTime()-cpu)
			}
		}
		slices.Sort(took)
		slices.Sort(busy)
		fmt.Printf("%-22s count %8d  p50 %7.3f ms  p99 %7.3f  processor: p50 %7.3f  p90 %7.3f  p99 %7.3f\n", c.name, count,
			ms(took[len(took)/2]), ms(took[len(took)*99/100]), ms(busy[len(busy)/2]), ms(busy[len(busy)*9/10]), ms(busy[len(busy)*99/100]))
	}
	m.groups(b, f, only)
	fmt.Printf("cache: %d MB; %s\n", m.index.CacheBytes()>>20, anonymous(b))
}

// threadTime is the processor time that the thread has used, which others on
// the machine do not lengthen.
func threadTime() time.Duration {
	const threadClock = 3 // CLOCK_THREAD_CPUTIME_ID
	var at syscall.Timespec
	if _, _, fault := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, threadClock, uintptr(unsafe.Pointer(&at)), 0); fault != 0 {
		panic(fault)
	}
	return time.Duration(at.Nano())
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
