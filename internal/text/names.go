package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// NormalizeName returns the form in which names (labels, keywords, post types,
// seniorities) are compared: trimmed, white space collapsed, composed, case
// folded. It keeps accents, unlike Normalize.
func NormalizeName(s string) string {
	if isASCII(s) {
		return strings.ToLower(CollapseSpace(s))
	}
	return norm.NFC.String(foldCase(norm.NFC.String(CollapseSpace(s))))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// foldCase is full case folding. The library folds a Cherokee letter to either
// case; foldCase uses the capital, which is the folded form.
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

// CollapseSpace trims s and replaces each run of white space with one space.
func CollapseSpace(s string) string { return strings.Join(strings.Fields(s), " ") }

// IsBlank reports whether s has only spaces, control characters and invisible
// format characters.
func IsBlank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) })
}

// HasControl reports whether s has control characters, or characters that change the
// direction of text: a name with them can look like another one.
func HasControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) })
}

// PlainLines returns s with \n for each line break, and without the characters that
// HasControl reports.
func PlainLines(s string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", " ").Replace(s)
	return strings.Map(func(r rune) rune {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			return -1
		}
		return r
	}, s)
}

// Clip cuts s to at most n characters. It keeps combining marks with their base
// character and removes trailing white space.
func Clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	runes := []rune(s)
	for n > 0 && unicode.Is(unicode.M, runes[n]) {
		n--
	}
	return strings.TrimSpace(string(runes[:n]))
}

// ClipBytes cuts s to at most n bytes at a character's border.
func ClipBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// maxSlug bounds the part of a slug that comes from the name.
const maxSlug = 60

// transliterations maps Latin letters that are not an ASCII letter with an
// accent to ASCII.
var transliterations = strings.NewReplacer(
	"ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ð", "d", "þ", "th",
	"ł", "l", "ħ", "h", "ı", "i", "ŋ", "n", "ŧ", "t", "&", " and ",
)

// Slugify converts a name to lower-case ASCII letters, digits and single
// hyphens, and drops all other characters. It returns fallback if no character
// remains.
func Slugify(name, fallback string) string {
	s := strings.ToLower(norm.NFKC.String(name))
	s = norm.NFKD.String(transliterations.Replace(s))
	var b strings.Builder
	for _, r := range s {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
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
