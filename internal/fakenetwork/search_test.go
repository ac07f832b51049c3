package fakenetwork

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// exact is a simple implementation of the comparison that the search must be a
// superset of: both normalised, the keyword a substring at word boundaries.
func exact(text, keyword string) bool {
	t, k := normalise(text), strings.TrimSpace(normalise(keyword))
	if k == "" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(k)
	last, _ := utf8.DecodeLastRuneInString(k)
	for from := 0; ; {
		i := strings.Index(t[from:], k)
		if i < 0 {
			return false
		}
		at := from + i
		before, _ := utf8.DecodeLastRuneInString(t[:at])
		after, _ := utf8.DecodeRuneInString(t[at+len(k):])
		insideLeft := inWord(first) && at > 0 && inWord(before)
		insideRight := inWord(last) && at+len(k) < len(t) && inWord(after)
		if !insideLeft && !insideRight {
			return true
		}
		_, size := utf8.DecodeRuneInString(t[at:])
		from = at + size
	}
}

func normalise(s string) string {
	s = norm.NFD.String(cases.Fold().String(norm.NFKC.String(s)))
	var b strings.Builder
	marked := false
	for _, r := range s {
		if unicode.Is(unicode.Mn, r) {
			if marked {
				continue
			}
		} else {
			marked = unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Arabic)
		}
		b.WriteRune(r)
	}
	return strings.Join(strings.FieldsFunc(norm.NFKC.String(b.String()), unicode.IsSpace), " ")
}

func inWord(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r)) &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

func finds(texts []string, query string) map[int]bool {
	found := make(map[int]bool)
	for _, i := range newIndex(texts).search(query) {
		found[int(i)] = true
	}
	return found
}

func TestSearchFindsWhatExactRuleFinds(t *testing.T) {
	t.Parallel()
	for keyword, text := range map[string]string{
		"monti": "#Monti", "c++": "C++ jobs", "AI": "用AI做", "strasse": "Hauptstraße, STRASSE", "ﬁnance": "FINANCE",
		"احمد": "أَحْمَد", "й": "и", "ñandú": "NANDU", "supply  chain": "the supply\nchain", "が": "がく", "ΣΊΣΥΦΟΣ": "σίσυφος",
		"İstanbul": "i̇stanbul", "½": "1⁄2 price", "한국": "한국 시장",
	} {
		if !exact(text, keyword) {
			t.Errorf("the plain rule does not find %q in %q", keyword, text)
		}
		if !finds([]string{"nothing", text}, keyword)[1] {
			t.Errorf("%q does not find %q", keyword, text)
		}
	}
	if got := finds([]string{"start", "artwork here", "the arts"}, "art"); len(got) != 3 {
		t.Errorf("inside words: %v", got)
	}
	many := make([]string, 200)
	for i := range many {
		many[i] = fmt.Sprintf("the number %d", i)
	}
	many[7] = "the learner learned"
	if got := finds(many, "machine learn the"); len(got) != 1 || !got[7] {
		t.Errorf("beginnings of rare words alone: %v", got)
	}
}

// letters is the alphabet of generated texts and keywords: few and similar, so
// that they often match.
var letters = []rune("aAbBßſﬁ éÉe\u0301ийИأإاأ用が\u3099한ㅎ#+- \t\n\u00a0¨½１İıΣσς\u0345ͅ🙂n\u0303\x00")

func TestSearchIsSupersetProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom(letters), 0, 12, -1)
		texts := rapid.SliceOfN(text, 1, 8).Draw(t, "texts")
		keyword := rapid.StringOfN(rapid.SampledFrom(letters), 1, 3, -1).Draw(t, "keyword")
		found := finds(texts, keyword)
		for i, one := range texts {
			if exact(one, keyword) && !found[i] {
				t.Fatalf("%q is not found by %q", one, keyword)
			}
		}
	})
}

// TestSearchPages: the pages of a search are disjoint, in order and complete.
func TestSearchPages(t *testing.T) {
	t.Parallel()
	w := newWorld(3)
	now := time.Date(2030, 1, 9, 15, 0, 0, 0, time.UTC)
	w.generatePosts(now, 30)
	for _, query := range []string{"hiring", "data", "supply chain", "のは", "a"} {
		_, total := w.posts.search(query, now, 1, 25)
		seen, last := make(map[uint64]bool), now
		for n := 1; (n-1)*25 < total; n++ {
			posts, again := w.posts.search(query, now, n, 25)
			if again != total {
				t.Fatalf("%q: total %d, then %d", query, total, again)
			}
			for _, p := range posts {
				if seen[p.id] || p.at.After(last) {
					t.Fatalf("%q: post %d out of order", query, p.id)
				}
				seen[p.id], last = true, p.at
			}
		}
		if len(seen) != total {
			t.Errorf("%q: %d posts of %d", query, len(seen), total)
		}
		if beyond, _ := w.posts.search(query, now, total+2, 25); len(beyond) != 0 {
			t.Errorf("%q: posts beyond the end", query)
		}
	}
}

func BenchmarkSearch17000(b *testing.B) {
	w := newWorld(1)
	now := time.Date(2030, 1, 9, 15, 0, 0, 0, time.UTC)
	var texts []string
	for d := 0; len(texts) < 17_000; d += 90 {
		w.generatePosts(now.AddDate(0, 0, d), defaultPostsPerDay)
		for _, p := range w.posts.posts {
			texts = append(texts, p.content)
		}
	}
	x := newIndex(texts[:17_000])
	for _, query := range []string{"kubernetes", "supply chain", "the", "nowhere to be found"} {
		b.Run(query, func(b *testing.B) {
			for b.Loop() {
				x.scan(fold(query))
			}
		})
	}
}

// TestTitles: a title is found by whole words one after another, or by its
// abbreviation.
func TestTitles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		title, want string
		found       bool
	}{
		{"Chief Technology Officer", "CTO", true},
		{"Marketing Director", "CTO", false},
		{"Director of Product", "director", true},
		{"Director of Product", "Direct", false},
		{"VP Engineering", "engineering", true},
		{"VP Engineering", "engineer", false},
		{"Senior Product Manager", "product manager", true},
		{"Senior Product Manager", "manager product", false},
		{"Founder & CEO", "CEO", true},
	} {
		if got := isTitled(c.title, c.want); got != c.found {
			t.Errorf("isTitled(%q, %q) = %v", c.title, c.want, got)
		}
	}
}
