package text_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"watchpost/internal/text"
)

func TestSearch(t *testing.T) {
	for _, c := range []struct {
		language, content, term string
		want                    bool
	}{
		{"en", "anything", "", true},
		{"en", "anything", "  \t ", true},
		{"en", "We hire engineers in Berlin", "berlin hire", true},
		{"en", "We hire engineers in Berlin", "berlin hamburg", false},
		{"en", "We hire engineers", "hiring engineer", true},
		{"und", "We hire engineers", "hiring", false},
		{"und", "We hire engineers", "engineers", true},
		{"de", "Die Häuser der Stadt", "haus", true},
		{"fr", "des étudiantes", "etudiante", true},
		{"es", "ÑANDÚES", "ñandues", true},
		{"ru", "Новые книги", "книга", true},
		{"en", "start", "art", false},
		{"en", "Art!", "ART", true},

		{"en", "We hire engineers", `"hire engineers"`, true},
		{"en", "We hire engineers", `"hire engineer"`, false},
		{"en", "We hire engineers", `"engineer"`, false},
		{"en", "open, Source", `"open source"`, true},
		{"en", "source open", `"open source"`, false},
		{"en", "open 🚀 source", `"open source"`, false},
		{"en", "open source", "“open source”", true},
		{"en", "open source", `"open source`, true},
		{"en", "source open", `"open source`, false},
		{"en", "open source", `""`, false},
		{"en", "open source rust", `rust"open source"`, true},
		{"en", "OR", `"OR"`, true},

		{"en", "go and rust", "go -rust", false},
		{"en", "go and zig", "go -rust", true},
		{"en", "go and zig", "-rust", true},
		{"en", "rusty rust", "-rust", false},
		{"en", "open source", `-"open source"`, false},
		{"en", "source open", `-"open source"`, true},
		{"en", "open sourcing", `-"open source"`, true},
		{"en", "a - b", "a - b", true},
		{"en", "e-mail", "e-mail", true},
		{"en", "e mail", "e-mail", true},
		{"en", "mail e", "e-mail", false},
		{"en", "self-driving cars", "self-drive", true},

		{"en", "go", "go OR rust", true},
		{"en", "rust", "go OR rust", true},
		{"en", "zig", "go OR rust", false},
		{"en", "rust jobs", "go OR rust jobs", true},
		{"en", "go", "go OR rust jobs", false},
		{"en", "zig", "go OR rust OR zig", true},
		{"en", "go", "OR go", true},
		{"en", "go", "go OR", true},
		{"en", "go", "go OR OR rust", true},
		{"en", "go", "go or rust", false},
		{"en", "zig", "go OR -rust", true},
		{"en", "rust", "go OR -rust", false},
		{"en", "zig", `go OR "" zig`, true}, // empty quotes are ignored

		{"en", "C++ and C#", "c++ c#", true},
		{"en", "C++ and C#", "c", false},
		{"en", "C++17", "C++", true},
		{"en", "C jobs", "C++", false},
		{"en", "C jobs", "c", true},
		{"en", "Go/C++/C#", "C#", true},
		{"en", "a+b", "a b", true},
		{"en", "disney+", "Disney", true},
		{"en", ".NET and ASP.NET", ".net", true},
		{"en", "ASP.NET", ".net", false},
		{"en", "ASP.NET", "asp.net", true},
		{"en", "ASP.NET", "net", true},
		{"en", "networks .networks", ".net", false},

		{"en", "We are #Hiring", "hiring", true},
		{"en", "We are #Hiring", "#hiring", true},
		{"en", "We are hiring", "#hiring", false},
		{"en", "thanks @Ada_L", "@ada", true},
		{"en", "ada@example.com", "@example", false},
		{"en", "ada@example.com", "ada@example.com", true},
		{"en", "see https://Example.com/a?b=c", "https://example.com/a?b=c", true},
		{"en", "see https://Example.com/a?b=c", "example.com", true},
		{"en", "3.5 percent", "3.5", true},
		{"en", "AT&T", "at&t", true},

		{"en", "go 🚀now", "🚀", true},
		{"en", "go now", "🚀", false},
		{"en", "thumbs 👍🏽", "👍", true},
		{"en", "thumbs 👍", "👍🏽", true},
		{"en", "love ❤️", "❤", true},
		{"en", "👩‍💻 at work", "👩‍💻", true},
		{"en", "💻👩 at work", "👩‍💻", false},
		{"en", "🇩🇪", "🇩🇪", true},
		{"en", "100€", "€", true},
		{"en", "really?!", "?!", true},
		{"en", "really", "?!", false},

		{"ja", "東京都で働く", "京都", true},
		{"ja", "東京都で働く", "東 京", true}, // two terms
		{"ja", "東京都で働く", `"東 京"`, false},
		{"ja", "東京タワー", "タワ", true},
		{"ja", "ﾀﾜｰ", "タワー", true},
		{"zh", "用AI做产品", "ai", true},
		{"zh", "用AI做产品", "AI做", true},
		{"zh", "用AI做产品", "-产品", false},
		{"th", "ประเทศไทยงาม", "ไทย", true},
		{"ko", "직장에서 일하기", "직장", true},
		{"ko", norm.NFD.String("직장에서"), "직장", true},
		{"en", "open用source", `"open source"`, false},
		{"hi", "यह हिन्दी है", "हिन्दी", true},
		{"ar", "أحمد يعمل", "احمد", true},
	} {
		t.Run(c.term+" in "+c.content, func(t *testing.T) {
			s, err := text.ParseSearch(c.term)
			require.NoError(t, err)
			require.Equal(t, c.want, s.Matches(text.NewSearchText(c.language, c.content, "")), "%+v", s)
		})
	}
}

func TestSearchFields(t *testing.T) {
	content := text.NewSearchText("en", "hello open", "source 東")
	for term, want := range map[string]bool{
		"hello source": true, "open-source": false, `"open source"`: false, "東": true, "-source": false,
	} {
		s, err := text.ParseSearch(term)
		require.NoError(t, err)
		require.Equal(t, want, s.Matches(content), term)
	}
	require.Equal(t, []string{"hello open", "source 東"}, content.Fields())
	require.Equal(t, []text.SearchToken{
		{Text: "hello", Stem: "hello"}, {Text: "open", Stem: "open"}, {},
		{Text: "source", Stem: "sourc"}, {Text: "東", Stem: "東"},
	}, content.Tokens())
}

func TestParseSearch(t *testing.T) {
	word := func(s string) text.SearchTerm {
		return text.SearchTerm{Words: []text.SearchWord{{Text: s}}}
	}
	phrase := word("a")
	phrase.Exact, phrase.Negative = true, true
	phrase.Words = append(phrase.Words, text.SearchWord{Text: "b", Sigil: '#'})
	for in, want := range map[string][]text.SearchClause{
		"":               nil,
		`- "" -"" OR --`: nil,
		"Go":             {{word("go")}},
		"go rust":        {{word("go")}, {word("rust")}},
		"x OR go OR y z": {{word("x"), word("go"), word("y")}, {word("z")}},
		`-"A #b"`:        {{phrase}},
		"東京":             {{{Substring: "東京"}}},
		`-"東京 ok"`:       {{{Substring: "東京 ok", Negative: true}}},
		"…":              {{{Substring: "..."}}},
		`"-"`:            {{{Substring: "-"}}},
	} {
		s, err := text.ParseSearch(in)
		require.NoError(t, err)
		require.Equal(t, want, s.Clauses(), in)
		require.Equal(t, in == "", s.Zero(), in)
		require.Equal(t, want == nil && in != "", s.Nothing(), in)
	}
	_, err := text.ParseSearch(strings.Repeat("字", 500))
	require.NoError(t, err)
	_, err = text.ParseSearch(strings.Repeat("字", 501))
	require.Error(t, err)
}

// languageCode draws a language with or without a stemmer.
var languageCode = rapid.SampledFrom(append([]string{"und", "", "ja"}, text.StemmedLanguages()...))

func TestSearchFindsItsOwnWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		language := languageCode.Draw(t, "language")
		content := text.NewSearchText(language, mixedText.Draw(t, "content"), mixedText.Draw(t, "image text"))
		var found []string
		for _, token := range content.Tokens() {
			if token.Text != "" && strings.Trim(token.Text, "-") != "" {
				found = append(found, strings.Trim(string(rune(token.Sigil)), "\x00")+token.Text)
			}
		}
		if len(found) == 0 {
			t.Skip("no tokens")
		}
		word := rapid.SampledFrom(found).Draw(t, "word")
		for term, want := range map[string]bool{
			word: true, `"` + word + `"`: true, "-" + word: false, `-"` + word: false,
			strings.ToUpper(word) + " OR nothinglikeit": true, word + " nothinglikeit": false,
		} {
			if strings.ToUpper(word) == "OR" && term == "OR OR nothinglikeit" || utf8.RuneCountInString(term) > text.MaxSearchTerm {
				continue
			}
			if !strings.EqualFold(strings.ToUpper(word), word) && strings.HasSuffix(term, "OR nothinglikeit") {
				continue // some capitals fold to other letters
			}
			s, err := text.ParseSearch(term)
			require.NoError(t, err)
			require.Equal(t, want, s.Matches(content), "%q", term)
		}
	})
}

func TestNegationIsTheOpposite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		phrase := strings.Map(func(r rune) rune {
			if strings.ContainsRune("\"“”„‟«»＂", r) {
				return -1
			}
			return r
		}, mixedText.Draw(t, "phrase"))
		plain, err := text.ParseSearch(`"` + phrase + `"`)
		require.NoError(t, err)
		negative, err := text.ParseSearch(`-"` + phrase + `"`)
		require.NoError(t, err)
		if plain.Zero() || plain.Nothing() {
			t.Skip("nothing asked for")
		}
		text := text.NewSearchText(languageCode.Draw(t, "language"), mixedText.Draw(t, "content"), "")
		require.NotEqual(t, plain.Matches(text), negative.Matches(text))
	})
}

func FuzzSearch(f *testing.F) {
	f.Add("en", `go OR "open source" -rust`, "Open source Go")
	f.Add("ja", "東京 -\"タワー", "東京都")
	f.Add("tr", "c++ #etiket .net @ad", "C++ #Etiket .NET")
	f.Add("en", "C++ C# .NET a+ #b @c -#d", "c++17 c# .net a+ #b@c .networks")                                    // signs that belong to a word
	f.Add("und", "\U0001f469\u200d\U0001f4bb -\U0001f44d\U0001f3fd \U0001f1e9\U0001f1ea", "\U0001f469\U0001f4bb") // joined emoji
	f.Add("de", "OR \"\" -\"\" OR \u201ea b\u201c OR OR -", "a b")                                                // operators and quotes without a term
	f.Fuzz(func(t *testing.T, language, term, content string) {
		s, err := text.ParseSearch(term)
		if err != nil {
			require.Greater(t, utf8.RuneCountInString(term), text.MaxSearchTerm)
			return
		}
		prepared := text.NewSearchText(language, content, term)
		s.Matches(prepared)
		for _, clause := range s.Clauses() {
			require.NotEmpty(t, clause)
			for _, term := range clause {
				require.NotEqual(t, term.Substring == "", len(term.Words) == 0)
			}
		}
		if joined := strings.Join(prepared.Fields(), ""); !slices.ContainsFunc(prepared.Tokens(), func(k text.SearchToken) bool { return !strings.Contains(joined, k.Text) }) {
			return
		}
		t.Fatal("a token that is not in the text")
	})
}

func FuzzStem(f *testing.F) {
	f.Add("running")
	f.Add("книгами")
	f.Add("المدرسون")
	f.Add("நாடுகளில்")
	f.Fuzz(func(t *testing.T, word string) {
		word = text.Normalize(word)
		for _, language := range append(text.StemmedLanguages(), "und", "") {
			stem := text.Stem(language, word)
			require.Equal(t, word == "", stem == "")
			require.Equal(t, stem, text.Stem(language, word))
		}
	})
}

// TestStemAtOnce stems more words concurrently than the cache holds, in
// languages with different stems, and compares each with the stem computed
// alone.
func TestStemAtOnce(t *testing.T) {
	t.Parallel()
	languages := []string{"en", "de", "fr", "und"}
	word := func(n int) string {
		w := "ing"
		for ; n > 0; n /= 26 {
			w = string(rune('a'+n%26)) + w
		}
		return w + []string{"s", "en", "ement", ""}[len(w)%4]
	}
	const words, strides = 9000, 7
	want := map[string]string{}
	for n := range words {
		for _, l := range languages {
			want[l+word(n)] = text.Stem(l, word(n))
		}
	}
	cut := 0
	for n := range words {
		if want["en"+word(n)] != want["und"+word(n)] {
			cut++
		}
	}
	require.Greater(t, cut, words/4)
	var wg sync.WaitGroup
	for stride := range strides {
		wg.Go(func() {
			for n := range words {
				w := word((n*(stride+1) + stride) % words)
				for _, l := range languages {
					if got := text.Stem(l, w); got != want[l+w] {
						t.Errorf("%s in %s: %s, not %s", w, l, got, want[l+w])
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkNewSearchText(b *testing.B) {
	content := strings.Repeat("We are hiring: a Go engineer for our São Paulo office — #remote, 100 % équipe. ", 16)
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		text.NewSearchText("en", content, "")
	}
}
