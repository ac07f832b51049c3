package text_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"watchpost/internal/text"
)

func TestNormalize(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"case", "Hello WORLD", "hello world"},
		{"white space", " a\t\n b\u00a0\u2003c ", " a b c "},
		{"accents", "Ñandú Ærø Žižek", "nandu ærø zizek"},
		{"full case folding", "Straße ΣΊΣΥΦΟΣ ﬃ", "strasse σισυφοσ ffi"},
		{"final sigma", "σίσυφος", "σισυφοσ"},
		{"dotted I", "İstanbul", "istanbul"},
		{"Cyrillic", "Йод Ёлка", "иод елка"},
		{"Arabic alef and vowels", "أَحْمَد آإ", "احمد اا"},
		{"full width", "ＡＩ　１２", "ai 12"},
		{"half-width Kana", "ｶﾞｷﾞ", "ガギ"},
		{"decomposed Kana keeps its voice", "か\u3099", "が"},
		{"Devanagari keeps its vowels", "हिन्दी", "हिन्दी"},
		{"Thai keeps its vowels and tones", "ที่นี่", "ที่นี่"},
		{"Hebrew keeps its points", "שָׁלוֹם", norm.NFKC.String("שָׁלוֹם")},
		{"Hangul is composed", norm.NFD.String("한국어"), "한국어"},
		{"several marks on a letter", "e\u0301\u0302\u0303", "e"},
		{"a mark without a base", "\u0301a", "\u0301a"},
		{"a mark on a digit", "1\u0301", "1\u0301"},
		{"variation selector", "❤\ufe0f", "❤\ufe0f"},
		{"broken UTF-8", "a\xffb", "a\uFFFDb"},
		{"NUL", "a\x00b", "a\x00b"},
		{"empty", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, text.Normalize(c.in)) })
	}
}

func TestNormalizeEveryCharacter(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		plain := 0x3400 <= r && r <= 0x9fff || 0xac00 <= r && r <= 0xd7a3 || 0x17000 <= r && r <= 0x18cff || 0x20000 <= r && r <= 0x2f7ff || r >= 0x30000
		if plain || !utf8.ValidRune(r) || !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Cc, unicode.Cf) {
			continue // most characters; they do not change
		}
		for _, s := range []string{string(r), "a" + string(r) + "b", "か" + string(r)} {
			once := text.Normalize(s)
			if twice := text.Normalize(once); twice != once {
				t.Fatalf("%+q: once %+q, twice %+q", s, once, twice)
			}
		}
	}
}

// mixedText draws text that exercises the rules: letters of several scripts,
// marks, signs and white space, close together.
var mixedText = rapid.StringOfN(rapid.OneOf(
	rapid.SampledFrom([]rune("aAbBcC019 _-#@+.\"'\t\n")),
	rapid.SampledFrom([]rune("éÉñßſÅøİıŉǅﬁªⅣ①Ａｚ　\u00a0\u0301\u0308\u0327\u0345")),
	rapid.SampledFrom([]rune("ςσΣΆᾳϴйЙёЁиأإآاىﷺ\u064e\u0654")),
	rapid.SampledFrom([]rune("漢字かがガー々〆\u3099\u309aﾞｶทีنि्हक한ㅎ가\u11a8ລកက")),
	rapid.SampledFrom([]rune("😀👩\u200d💻🏽🇩🇪❤\ufe0f€$\u20e3\u00ad")),
	rapid.Rune(),
), 0, 30, -1)

func TestNormalizeIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		once := text.Normalize(mixedText.Draw(t, "text"))
		require.Equal(t, once, text.Normalize(once))
	})
}

func TestNormalizeDoesNotDependOnComposition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := mixedText.Draw(t, "text")
		want := text.Normalize(s)
		for _, form := range []norm.Form{norm.NFC, norm.NFD, norm.NFKC, norm.NFKD} {
			require.Equal(t, want, text.Normalize(form.String(s)))
		}
	})
}

func TestMatchKeyword(t *testing.T) {
	for _, c := range []struct {
		keyword, text string
		want          bool
	}{
		{"monti", "#Monti", true},
		{"monti", "Montis", false},
		{"#monti", "monti", false},
		{"c++", "C++ jobs", true},
		{"c++", "C++17 is out", true},
		{"c", "C++ jobs", true}, // + is not a word character
		{".net", "ASP.NET", true},
		{"AI", "用AI做", true},
		{"AI", "AIs", false},
		{"ai", "an AI-first team", true},
		{"ai", "snake_ai", true}, // _ is not a word character
		{"art", "start", false},
		{"art", "art", true},
		{"art", "art2", false},
		{"art", "start of art", true}, // first occurrence invalid, second valid
		{"aa", "aaa aa", true},
		{"a a", "aa a a", true}, // occurrences overlap
		{"ana-ana", "banana-ana-ana", true},
		{"open source", "OPEN \n\t source!", true},
		{"  open   source ", "open source", true},
		{"open source", "open-source", false},
		{"احمد", "أحمد", true},
		{"йод", "иод", true},
		{"ñandu", "Nandu", true},
		{"Strasse", "STRASSE straße", true},
		{"straße", "strasse", true},
		{"data", "ｄａｔａ", true},
		{"resume", "Résumé", true},
		{"🚀", "go🚀now", true},
		{"👩‍💻", "a 👩‍💻 at work", true},
		{"👩", "👩‍💻", true},
		{"❤", "❤️", true},
		{"AI", "⚡️AI", false}, // a variation selector is a mark
		{"AI", "⚡AI", true},
		{"ไทย", "ประเทศไทยงาม", true},
		{"東京", "東京都", true},
		{"か", "が", false},
		{"か", "か\u3099", false},
		{"が", "か\u3099", true},
		{"コー", "コーヒー", true},
		{"क", "कि", false}, // a vowel sign continues the word
		{"हिन्दी", "यह हिन्दी है", true},
		{"한국", "한국 회사", true},
		{"한국", "한국어", false},
		{"1", "１", true},
		{"", "anything", false},
		{" ", "any thing", false},
	} {
		t.Run(c.keyword+" in "+c.text, func(t *testing.T) {
			m := text.Compile(text.Rule{Keyword: c.keyword})
			require.Equal(t, c.want, m.Match(text.New(c.text)))
		})
	}
}

func TestMatchConstraints(t *testing.T) {
	entry := text.Rule{Keyword: "go", Required: []string{"hiring", "Remote"}, Excluded: []string{"intern"}}
	for content, want := range map[string]bool{
		"Hiring Go engineers, remote":          true,
		"Hiring Go engineers":                  false,
		"Hiring engineers, remote":             false,
		"Hiring Go interns, remote":            true, // interns is another word
		"Hiring a Go #intern, remote":          false,
		"remote go hiring — remotely internal": true,
	} {
		require.Equal(t, want, text.Compile(entry).Match(text.New(content)), content)
	}
	var zero text.Matcher
	require.False(t, zero.Match(text.New("go")))
}

// naiveMatch is a simple implementation of Matcher: it checks each position of
// the text, rune by rune.
func naiveMatch(keyword, content string) bool {
	text, want := []rune(text.Normalize(content)), []rune(strings.TrimSpace(text.Normalize(keyword)))
	if len(want) == 0 {
		return false
	}
	for i := 0; i+len(want) <= len(text); i++ {
		if string(text[i:i+len(want)]) != string(want) {
			continue
		}
		cutsBefore := i > 0 && naiveWord(text[i-1]) && naiveWord(want[0])
		cutsAfter := i+len(want) < len(text) && naiveWord(text[i+len(want)]) && naiveWord(want[len(want)-1])
		if !cutsBefore && !cutsAfter {
			return true
		}
	}
	return false
}

func naiveWord(r rune) bool {
	spaceless := unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
	shared := strings.ContainsRune("ー〆〼〱〲〳〴〵\u3099\u309a", r)
	return unicode.In(r, unicode.L, unicode.M, unicode.N) && !spaceless && !shared
}

func TestMatchAgreesWithOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := mixedText.Draw(t, "text")
		keyword := mixedText.Draw(t, "keyword")
		if runes := []rune(content); len(runes) > 0 && rapid.Bool().Draw(t, "cut from the text") {
			from := rapid.IntRange(0, len(runes)-1).Draw(t, "from")
			keyword = string(runes[from:rapid.IntRange(from+1, len(runes)).Draw(t, "to")])
		}
		m := text.Compile(text.Rule{Keyword: keyword})
		require.Equal(t, naiveMatch(keyword, content), m.Match(text.New(content)))
	})
}

func TestKeywordCutAtWordBordersMatches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := []rune(text.Normalize(mixedText.Draw(t, "text")))
		var borders []int
		for i := 0; i <= len(content); i++ {
			if i == 0 || i == len(content) || !naiveWord(content[i-1]) || !naiveWord(content[i]) {
				borders = append(borders, i)
			}
		}
		from := rapid.SampledFrom(borders).Draw(t, "from")
		to := rapid.SampledFrom(borders).Draw(t, "to")
		if from > to {
			from, to = to, from
		}
		keyword := string(content[from:to])
		if keyword != strings.TrimSpace(keyword) || keyword == "" {
			t.Skip("white space around it is trimmed")
		}
		m := text.Compile(text.Rule{Keyword: keyword})
		require.True(t, m.Match(text.New(string(content))), "%q", keyword)
	})
}

func BenchmarkMatch(b *testing.B) {
	content := strings.Repeat("We are hiring: a Go engineer for our São Paulo office — #remote, 100 % équipe. ", 16)
	matchers := make([]text.Matcher, 100)
	for i := range matchers {
		matchers[i] = text.Compile(text.Rule{
			Keyword: "keyword" + string(rune('a'+i%26)), Required: []string{"go"}, Excluded: []string{"intern"},
		})
	}
	matchers[99] = text.Compile(text.Rule{Keyword: "sao paulo office"})
	b.ReportAllocs()
	for b.Loop() {
		text := text.New(content)
		found := 0
		for _, m := range matchers {
			if m.Match(text) {
				found++
			}
		}
		if found != 1 {
			b.Fatal(found)
		}
	}
}
