package specs_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"watchpost/internal/fakenetwork/networktest"
)

// rule is a keyword entry in a team's request.
type rule struct {
	Keyword  string   `json:"keyword"`
	Required []string `json:"required_keywords,omitempty"`
	Excluded []string `json:"exclude_keywords,omitempty"`
}

// rules covers every kind of keyword.
var rules = []rule{
	{Keyword: "coffee"},
	{Keyword: "Amazon"},
	{Keyword: "oggi"},
	{Keyword: "heute"},
	{Keyword: "happy birthday"},
	{Keyword: "bom dia"},
	{Keyword: "governo Monti"},
	{Keyword: "day", Required: []string{"tomorrow"}},
	{Keyword: "iphone", Required: []string{"apple"}},
	{Keyword: "Trump", Excluded: []string{"Clinton", "Hillary"}},
	{Keyword: "game", Required: []string{"tonight"}, Excluded: []string{"lost", "win"}},
	{Keyword: "más"},
	{Keyword: "DEJA"},
	{Keyword: "PERCHÈ"},
	{Keyword: "أمازون"},
	{Keyword: "السعودية"},
	{Keyword: "😂"},
	{Keyword: "❤"},
	{Keyword: "iPhone"},
	{Keyword: "#monti"},
}

// TestCorpus collects posts from a large file and compares the API's result
// with a count over the file that shares no code with the service.
func TestCorpus(t *testing.T) {
	file := os.Getenv("WATCHPOST_CORPUS")
	if file == "" {
		file = filepath.Join("..", "..", "shared", "corpus", "posts.jsonl")
	}
	if _, err := os.Stat(file); err != nil {
		t.Skipf("no corpus at %s: name one with WATCHPOST_CORPUS", file)
	}
	lines := readCorpus(t, file)
	t.Parallel()
	w := isolatedWorld(t)
	corpus, err := filepath.Abs(file)
	must(t, err)
	must(t, w.do([]string{"network", "--corpus", corpus}))
	must(t, w.do([]string{"service"}))
	must(t, w.do([]string{"team", "ACME", "ultimate", "ada@acme.example"}))
	ids := make([]string, len(rules))
	scans := map[string]bool{} // one scan serves all entries with the same keyword
	for i, r := range rules {
		scans[string(compared(r.Keyword))] = true
		body, err := json.Marshal(map[string]any{"keywords": []rule{r}})
		must(t, err)
		created, err := w.request("ACME", http.MethodPost, "/api-keyword-watchlist", body)
		must(t, err)
		ids[i], err = created.member("id")
		must(t, err)
	}
	must(t, w.do([]string{"session", "ada@acme.example"}))
	must(t, w.do([]string{"eventually", "metric", `watchpost_tasks_total{type="keyword_scan",event="completed"}`, "==", fmt.Sprint(len(scans))}))
	browser := networktest.NewBrowser(t, w.networkURL)
	browser.SignIn("reader")
	matching, found := 0, 0
	for i, r := range rules {
		t.Run(r.Keyword, func(t *testing.T) {
			want := count(lines, r)
			got, posts := collected(t, w, ids[i])
			compareCounts(t, want, got)
			if total := sum(want); total == 0 || total >= 10_000 {
				t.Errorf("%d posts match: the rule shows nothing", total)
			}
			matching += posts
			found += checkSieve(t, browser, r, posts)
		})
	}
	if found <= matching {
		t.Errorf("the network finds %d posts, no more than the %d that match", found, matching)
	}
	t.Logf("%d posts match, of %d that the network's search finds", matching, found)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// line is a post of a corpus: its text, raw and normalised.
type line struct {
	text   string
	folded []rune
}

// readCorpus returns the lines of a corpus.
func readCorpus(t *testing.T, file string) (all []line) {
	t.Helper()
	opened, err := os.Open(file)
	must(t, err)
	defer opened.Close()
	lines := bufio.NewScanner(opened)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var post struct{ Text string }
		must(t, json.Unmarshal(lines.Bytes(), &post))
		all = append(all, line{post.Text, compared(post.Text)})
	}
	must(t, lines.Err())
	return all
}

// count returns the texts that match a rule, with their number of occurrences.
func count(lines []line, r rule) map[string]int {
	matching := map[string]int{}
	keyword := compared(r.Keyword)
	for _, l := range lines {
		ok := stands(l.folded, keyword)
		for _, word := range r.Required {
			ok = ok && stands(l.folded, compared(word))
		}
		for _, word := range r.Excluded {
			ok = ok && !stands(l.folded, compared(word))
		}
		if ok {
			matching[l.text]++
		}
	}
	return matching
}

// accented are the scripts whose nonspacing marks are accents.
var accented = []*unicode.RangeTable{unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Arabic}

// compared normalises a text for comparison.
func compared(s string) []rune {
	s = norm.NFD.String(cases.Fold().String(norm.NFKC.String(s)))
	var kept []rune
	base := ' '
	for _, r := range s {
		if unicode.Is(unicode.Mn, r) {
			if !unicode.In(base, accented...) {
				kept = append(kept, r)
			}
			continue
		}
		base = r
		kept = append(kept, r)
	}
	return []rune(strings.Join(strings.Fields(norm.NFKC.String(string(kept))), " "))
}

// stands reports whether the text contains the keyword at word boundaries.
func stands(text, keyword []rune) bool {
	for i := 0; i+len(keyword) <= len(text); i++ {
		end := i + len(keyword)
		if slices.Equal(text[i:end], keyword) &&
			(i == 0 || !wordly(text[i-1]) || !wordly(keyword[0])) &&
			(end == len(text) || !wordly(text[end]) || !wordly(keyword[len(keyword)-1])) {
			return true
		}
	}
	return false
}

// wordly reports whether a rune is a word character of a script with spaces.
func wordly(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.N) &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// collected returns the posts of a watchlist, page by page.
func collected(t *testing.T, w *world, id string) (contents map[string]int, posts int) {
	t.Helper()
	contents = map[string]int{}
	seen := map[string]bool{}
	for page := 1; ; page++ {
		reply, err := w.request("ACME", http.MethodGet, fmt.Sprintf("/api-posts?watchlist_id=%s&page_size=100&page=%d", id, page), nil)
		must(t, err)
		var list struct {
			Data []struct {
				URN     string `json:"network_post_urn"`
				Content string
			}
			Count int
		}
		must(t, json.Unmarshal(reply.body, &list))
		for _, post := range list.Data {
			if seen[post.URN] {
				t.Errorf("the post %s is there twice", post.URN)
			}
			seen[post.URN] = true
			contents[post.Content]++
		}
		if len(list.Data) == 0 {
			if list.Count != len(seen) {
				t.Errorf("count is %d, and there are %d posts", list.Count, len(seen))
			}
			return contents, len(seen)
		}
	}
}

func sum(counts map[string]int) (total int) {
	for _, n := range counts {
		total += n
	}
	return total
}

func compareCounts(t *testing.T, want, got map[string]int) {
	t.Helper()
	for text, n := range want {
		if got[text] != n {
			t.Errorf("%d times instead of %d: %q", got[text], n, text)
		}
	}
	for text, n := range got {
		if want[text] == 0 {
			t.Errorf("%d times instead of 0: %q", n, text)
		}
	}
}

// checkSieve checks that the network's own search returns at least the matching
// posts, in pages.
func checkSieve(t *testing.T, browser *networktest.Browser, r rule, posts int) (found int) {
	t.Helper()
	first := browser.Get("/search/posts?q=" + url.QueryEscape(r.Keyword))
	if first.Paging == nil {
		t.Fatal("the search has no pages")
	}
	if first.Paging.Total < posts {
		t.Errorf("the network finds %d posts, of which %d match", first.Paging.Total, posts)
	}
	if shown := len(first.Posts); shown > 25 || first.Paging.Total > shown && !first.Paging.More {
		t.Errorf("the first page shows %d of %d posts, more: %v", shown, first.Paging.Total, first.Paging.More)
	}
	return first.Paging.Total
}
