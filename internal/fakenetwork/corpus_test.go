package fakenetwork_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"watchpost/internal/fakenetwork"
	"watchpost/internal/fakenetwork/networktest"
	"watchpost/internal/fakenetwork/page"
)

// oddTexts are texts that some layer might change.
var oddTexts = []string{
	"plain", "", " leading and trailing  ", "tabs\tand\r\nlines\n\n", "NUL \x00 and bell \a",
	"é composed, e\u0301 decomposed", "أهلا وسهلا", "用AI做", "👩‍👩‍👧 family 🇩🇪", "\u202eright to left\u202c",
	"</script><script>alert(1)</script>", "<b>&amp;\"'`{{.}}", "line\u2028separator\u2029", "\ufeffbom", "\ufffd as written",
	"zero\u200bwidth\u00a0nbsp", "\U0010ffff", strings.Repeat("long ", 20_000),
}

func writeCorpus(t *testing.T, lines ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "posts.jsonl")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func corpusLine(id, text string) string {
	b, err := json.Marshal(map[string]string{"id": id, "language": "en", "sentiment": "neutral", "text": text})
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestCorpusTextsAreExact(t *testing.T) {
	t.Parallel()
	var lines []string
	for i, text := range oddTexts {
		lines = append(lines, corpusLine("line-"+string(rune('a'+i)), text))
	}
	file := writeCorpus(t, lines...)
	site := open(t, fakenetwork.Options{CorpusFile: file})
	if site.PostCount() != len(oddTexts) {
		t.Fatalf("%d posts, want %d", site.PostCount(), len(oddTexts))
	}
	b := networktest.NewBrowser(t, site.url)
	feed := b.SignIn("jo")
	if feed.Paging.Total != len(oddTexts) {
		t.Errorf("feed of %d posts", feed.Paging.Total)
	}
	if strings.Contains(b.HTML, "<script>alert") {
		t.Error("a text got into the page as markup")
	}
	texts := make(map[string]page.Post)
	for _, p := range feed.Posts {
		texts[p.Content] = p
		if age := start.Sub(p.PostedAt); age <= 0 || age > 7*24*time.Hour {
			t.Errorf("post dated %v", p.PostedAt)
		}
		if got := b.Get(p.Path).Post.Content; got != p.Content {
			t.Errorf("own page says %q, feed %q", got, p.Content)
		}
	}
	for _, text := range oddTexts {
		if _, ok := texts[text]; !ok {
			t.Errorf("text %.40q is not served", text)
		}
	}
	// No further posts appear over time, and there is no forum.
	site.clock.Advance(30 * 24 * time.Hour)
	if n := b.Get("/feed").Paging.Total; n != len(oddTexts) {
		t.Errorf("%d posts a month later", n)
	}
	if n := b.Get("/forum").Paging.Total; n != 0 {
		t.Errorf("%d forum posts", n)
	}
	// A post's name follows from its line alone.
	again := open(t, fakenetwork.Options{CorpusFile: file, Seed: 99})
	for _, p := range networktest.NewBrowser(t, again.url).SignIn("jo").Posts {
		if texts[p.Content].URN != p.URN {
			t.Errorf("%q is %s, then %s", p.Content, texts[p.Content].URN, p.URN)
		}
	}
}

func TestCorpusErrorsNameTheLine(t *testing.T) {
	t.Parallel()
	good := corpusLine("a", "fine")
	for name, bad := range map[string]string{
		"no JSON":        `{"id":`,
		"no id":          `{"text":"x"}`,
		"no text":        `{"id":"x"}`,
		"wrong type":     `{"id":"x","text":7}`,
		"known id":       good,
		"half a pair":    `{"id":"x","text":"\ud83d"}`,
		"broken UTF-8":   "{\"id\":\"x\",\"text\":\"\xff\"}",
		"no object":      `"x"`,
		"text of a null": `{"id":"x","text":null}`,
	} {
		_, err := fakenetwork.New(fakenetwork.Options{CorpusFile: writeCorpus(t, good, "", bad)})
		if err == nil || !strings.Contains(err.Error(), "line 3") {
			t.Errorf("%s: %v, want an error that names line 3", name, err)
		}
	}
	if _, err := fakenetwork.New(fakenetwork.Options{CorpusFile: filepath.Join(t.TempDir(), "none")}); err == nil {
		t.Error("a missing file was accepted")
	}
	site, err := fakenetwork.New(fakenetwork.Options{CorpusFile: writeCorpus(t, `{"id":"x","text":"\ud83d\ude00 \ufffd","more":1}`)})
	if err != nil || site.PostCount() != 1 {
		t.Errorf("whole pair and written replacement character: %v", err)
	}
}
