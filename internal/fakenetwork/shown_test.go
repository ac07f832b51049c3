package fakenetwork

import (
	"html/template"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
	"pgregory.net/rapid"
)

// textOf is the text that a browser shows for an element with that content.
func textOf(t interface{ Fatal(args ...any) }, inner template.HTML) string {
	doc, err := html.Parse(strings.NewReader(`<div id="x">` + string(inner) + `</div>`))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(doc)
	return b.String()
}

// TestTextsAreKept: a page shows a text character for character, with or
// without links for hashtags.
func TestTextsAreKept(t *testing.T) {
	t.Parallel()
	alphabet := []rune("ab #&;<>\"'\r\n\t#é用#\u00a0\u202f\ufeff😀/_-é")
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.OneOf(rapid.RuneFrom(alphabet), rapid.Rune())).Draw(t, "text")
		text = strings.ReplaceAll(text, "\x00", "")
		if got := textOf(t, verbatim(text)); got != text {
			t.Fatalf("verbatim: %q became %q", text, got)
		}
		if got := textOf(t, tagged(text)); got != text {
			t.Fatalf("tagged: %q became %q", text, got)
		}
	})
}

func TestHashtagsAreLinks(t *testing.T) {
	t.Parallel()
	for text, links := range map[string]int{
		"#AI and #DataEngineering": 2, "a#b": 0, "##x": 0, "https://x.example/#top": 0, "(#求人)": 1, "# no": 0, "#": 0, "&#39;": 0,
	} {
		if got := strings.Count(string(tagged(text)), "<a href="); got != links {
			t.Errorf("%q: %d links, want %d: %s", text, got, links, tagged(text))
		}
	}
	if got := tagged("#C&D"); got != `<a href="/search/posts?q=%23C">#C</a>&amp;D` {
		t.Error(got)
	}
}

func TestWordsOfPages(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 9, 15, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		0: "just now", 59 * time.Second: "just now", time.Minute: "1 min ago", 23 * time.Hour: "23 h ago", 24 * time.Hour: "yesterday",
		49 * time.Hour: "2 days ago", 7 * 24 * time.Hour: "2 January", 30 * 24 * time.Hour: "10 December 2029",
	} {
		if got := ago(now, now.Add(-d)); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1\u202f000", 1234567: "1\u202f234\u202f567", -1234: "-1\u202f234"} {
		if got := groupDigits(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	if got := month(2020, 3) + month(2020, 0); got != "Mar 20202020" {
		t.Error(got)
	}
}
