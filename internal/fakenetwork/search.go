package fakenetwork

import (
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// index is the network's full-text search over a fixed list of texts. Like
// search engines of networks it returns a superset: every text that contains
// the query, inside words too, and texts with a word that begins like a word
// of the query. Callers that need exact matches check the results.
type index struct {
	all    string  // the folded texts, each terminated by a zero byte
	starts []int32 // the start of each in all

	mu    sync.Mutex
	found map[string][]int32 // recent results by folded query
}

const (
	// minPrefix is the minimum length of a single-word query that is searched
	// as a word prefix.
	minPrefix = 3
	// commonShare is the share of texts above which such a word is too common
	// for a prefix search.
	commonShare = 0.05
	// keptResults bounds the cache of recent results. It serves paging: all
	// pages of a search are cut from one result.
	keptResults = 64
)

// newIndex builds an index over texts; results are positions in that list.
func newIndex(texts []string) *index {
	x := &index{starts: make([]int32, len(texts)), found: make(map[string][]int32)}
	var b strings.Builder
	for i, t := range texts {
		x.starts[i] = int32(b.Len())
		b.WriteString(fold(t))
		b.WriteByte(0)
	}
	x.all = b.String()
	return x
}

// search returns the positions of matching texts, ascending. A query that is
// empty after folding matches every text. The caller must not change the
// result.
func (x *index) search(query string) []int32 {
	query = fold(query)
	x.mu.Lock()
	hits, known := x.found[query]
	x.mu.Unlock()
	if known {
		return hits
	}
	hits = x.scan(query)
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.found) >= keptResults {
		clear(x.found)
	}
	x.found[query] = hits
	return hits
}

// scan searches for a folded query.
func (x *index) scan(query string) []int32 {
	if query == "" {
		hits := make([]int32, len(x.starts))
		for i := range hits {
			hits[i] = int32(i)
		}
		return hits
	}
	hit := make([]bool, len(x.starts))
	x.each(query, func(text int, _ int) bool {
		hit[text] = true
		return true
	})
	limit := int(float64(len(x.starts))*commonShare) + 1
	for _, w := range words(query) {
		if utf8.RuneCountInString(w) < minPrefix {
			continue
		}
		if begins := x.wordsBeginning(w, limit); len(begins) <= limit {
			for _, t := range begins {
				hit[t] = true
			}
		}
	}
	n := 0
	for _, h := range hit {
		if h {
			n++
		}
	}
	hits := make([]int32, 0, n)
	for i, h := range hit {
		if h {
			hits = append(hits, int32(i))
		}
	}
	return hits
}

// wordsBeginning returns the texts with a word that begins with w; it stops
// above limit.
func (x *index) wordsBeginning(w string, limit int) []int {
	var texts []int
	x.each(w, func(text, at int) bool {
		if before, _ := utf8.DecodeLastRuneInString(x.all[x.starts[text]:at]); before != utf8.RuneError && wordRune(before) {
			return false
		}
		texts = append(texts, text)
		return true
	}, func() bool { return len(texts) > limit })
	return texts
}

// each calls f for the occurrences of s. When f returns true, each continues
// with the next text. It ends early when one of stop says so.
func (x *index) each(s string, f func(text, at int) bool, stop ...func() bool) {
	for at := 0; at < len(x.all); {
		i := strings.Index(x.all[at:], s)
		if i < 0 {
			return
		}
		at += i
		text := sort.Search(len(x.starts), func(i int) bool { return int(x.starts[i]) > at }) - 1
		if f(text, at) {
			at = x.end(text)
		} else {
			at++
		}
		for _, done := range stop {
			if done() {
				return
			}
		}
	}
}

// end returns the start of the text after the given one.
func (x *index) end(text int) int {
	if text+1 < len(x.starts) {
		return int(x.starts[text+1])
	}
	return len(x.all)
}
