package watchpost

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// FoldName returns the form in which names that people give (labels, keywords,
// post types, seniorities) are compared: trimmed, white space runs one space,
// composed, without case. Unlike Normalise it keeps accents.
func FoldName(s string) string {
	if isASCII(s) {
		return strings.ToLower(foldSpace(s))
	}
	return norm.NFC.String(foldCase(norm.NFC.String(foldSpace(s))))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// foldCase is full case folding. The library folds Cherokee, whose capitals
// are the folded form, to either case: the capital is taken here.
func foldCase(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case '\uab70' <= r && r <= '\uabbf':
			return r - '\uab70' + '\u13a0'
		case '\u13f8' <= r && r <= '\u13fd':
			return r - '\u13f8' + '\u13f0'
		}
		return r
	}, cases.Fold().String(s))
}

// foldSpace trims s and makes every run of white space one space.
func foldSpace(s string) string { return strings.Join(strings.Fields(s), " ") }

// blank reports whether s shows nothing: it has no character but spaces,
// controls and invisible format signs.
func blank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) })
}

// clip cuts s to at most n characters, not in the midst of a character that
// marks are put on, and without white space at the end.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	runes := []rune(s)
	for n > 0 && unicode.Is(unicode.M, runes[n]) {
		n--
	}
	return strings.TrimSpace(string(runes[:n]))
}

// Slug returns the URL-friendly name of a thing: the letters and digits of its
// name, and the last eight digits of its id.
func Slug(name, id string) string { return slugify(name, "watchlist") + "-" + idTail(id) }

// idTail returns the last eight hexadecimal digits of an id.
func idTail(id string) string {
	hex := strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' || 'a' <= r && r <= 'f' {
			return r
		}
		return -1
	}, strings.ToLower(id))
	return hex[max(0, len(hex)-8):]
}

// maxSlug bounds the part of a slug that is made of the name.
const maxSlug = 60

// transliterations writes in ASCII the Latin letters that are not an ASCII
// letter with an accent.
var transliterations = strings.NewReplacer(
	"ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ð", "d", "þ", "th",
	"ł", "l", "ħ", "h", "ı", "i", "ŋ", "n", "ŧ", "t", "&", " and ",
)

// slugify writes a name in lower-case ASCII letters, digits and single
// hyphens. What cannot be written so is left out; fallback stands for a name of
// which nothing is left.
func slugify(name, fallback string) string {
	s := strings.ToLower(norm.NFKC.String(name))
	s = norm.NFKD.String(transliterations.Replace(s))
	var b strings.Builder
	for _, r := range s {
		switch {
		case lowerAlphanumeric(r):
			b.WriteRune(r)
		case unicode.Is(unicode.M, r), r == '\'', r == '’':
		default:
			b.WriteByte('-')
		}
	}
	words := strings.FieldsFunc(b.String(), func(r rune) bool { return r == '-' })
	slug := strings.Join(words, "-")
	if len(slug) > maxSlug {
		slug = slug[:maxSlug]
		if cut := strings.LastIndexByte(slug, '-'); cut > maxSlug/2 {
			slug = slug[:cut]
		}
		slug = strings.TrimRight(slug, "-")
	}
	if slug == "" {
		return fallback
	}
	return slug
}
