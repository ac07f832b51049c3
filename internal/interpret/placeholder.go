package interpret

import (
	"regexp"
	"strings"
	"unicode"
)

// A placeholder is text in brackets that a template left to fill in. Brackets
// have other uses, which are not placeholders: markdown links, citations,
// generic types, tags like [Hiring], and quoted phrases.
var (
	templated = regexp.MustCompile(`\{\{[^{}\n]{0,80}\}\}|\$\{[^{}\n]{0,80}\}|<%[^%\n]{0,80}%>|%\([^)\n]{1,40}\)s|\[\[[^\[\]\n]{0,80}\]\]`)
	bracketed = regexp.MustCompile(`\[[^\[\]\n]{0,80}\]|\{[^{}\n]{0,80}\}|<[^<>\n]{1,80}>|\([^()\n]{1,80}\)`)
	quoting   = regexp.MustCompile("\"[^\"\n]*\"|“[^”\n]*”|`[^`\n]*`")
)

// placeholders returns the placeholders of a prompt as written.
func placeholders(prompt string) []string {
	s := readable(prompt)
	// Blank out quoted phrases; offsets stay the same.
	masked := quoting.ReplaceAllStringFunc(s, func(q string) string {
		if inner := strings.Trim(q, "\"“”`"); isBracketed(inner) && !literalTag(inner) && placeholderText(inner[1:len(inner)-1], inner[0]) {
			return q // the quotes of a template, around a placeholder
		}
		return strings.Repeat(" ", len(q))
	})
	found := templated.FindAllString(masked, -1)
	masked = templated.ReplaceAllStringFunc(masked, func(q string) string { return strings.Repeat(" ", len(q)) })
	for _, at := range bracketed.FindAllStringIndex(masked, -1) {
		text := masked[at[0]:at[1]]
		if attached(masked, at[0], at[1]) || literalTag(text) || !placeholderText(text[1:len(text)-1], text[0]) {
			continue
		}
		found = append(found, text)
	}
	return found
}

func isBracketed(s string) bool {
	return len(s) > 1 && (s[0] == '[' && s[len(s)-1] == ']' || s[0] == '{' && s[len(s)-1] == '}' || s[0] == '<' && s[len(s)-1] == '>')
}

// attached reports whether a bracket belongs to the text before it, as in
// Map[K], or is the text of a markdown link.
func attached(s string, from, to int) bool {
	if from > 0 {
		before := rune(s[from-1])
		if inWord(before) || before == ']' || before >= 0x80 {
			return true
		}
	}
	return s[from] == '[' && to < len(s) && s[to] == '('
}

// literalTags are tags in brackets that occur in posts.
var literalTags = wordSet(`hiring for_hire forhire help question questions job jobs remote onsite on-site hybrid news opinion discussion
	ask show serious update oc meta d p r n wts wtb wtt paid full-time part-time contract freelance sic`)

func literalTag(s string) bool {
	return len(s) > 2 && s[0] == '[' && literalTags[strings.ToLower(strings.TrimSpace(s[1:len(s)-1]))]
}

// unfilled are typical words of placeholders.
var unfilled = wordSet(`name company companies topic topics industry industries product products service keyword keywords brand brands competitor
	competitors city country location locations region place role roles job title titles position date day month url link niche sector
	audience persona market subject theme term terms word words tool tools technology technologies tech skill skills language area
	field domain event person people customer customers client clients problem need pain value goal category hashtag hashtags
	insert fill enter add your my here placeholder tbd todo xxx xyz x y z something whatever blank example e.g. eg etc
	thema stadt produkt firma unternehmen branche ort sujet ville produit entreprise secteur pays tema ciudad producto empresa sector cidade produto setor argomento citta città
	prodotto azienda settore विषय शहर الموضوع المدينة الشركة
	seniority website profile department function team account text input variable field1 abc foo bar baz software solution feature use_case`)

// placeholderText reports whether text in brackets is a placeholder. Round
// brackets are ordinary punctuation, so their text must ask for input.
func placeholderText(text string, open byte) bool {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !inWord(r) && r != '.' && r != '\'' })
	known, letters := false, false
	for i, w := range words {
		w = strings.Trim(w, ".'0123456789")
		words[i] = w
		known = known || unfilled[w]
		letters = letters || strings.ContainsFunc(w, unicode.IsLetter)
	}
	first := ""
	if len(words) > 0 {
		first = words[0]
	}
	invites := first == "insert" || first == "your" || first == "fill" || first == "enter" || first == "placeholder" || first == "tbd"
	switch {
	case open == '(':
		return invites && len(words) > 1 || first == "tbd" || strings.HasSuffix(strings.ToLower(text), " here") && known
	case open == '<':
		return letters && (invites || known && !strings.ContainsAny(text, "=/@&"))
	case strings.Trim(text, " ._-?…") == "":
		return true
	case !letters: // [1], {2024}
		return false
	case known:
		return !strings.ContainsAny(text, ":\"")
	case strings.ContainsAny(text, ",:;\"'()=|/"):
		return false
	}
	// A phrase in lower case, or one in capitals that is not an abbreviation.
	if text == strings.ToUpper(text) {
		return strings.ContainsAny(text, " _") || len(text) > 8
	}
	return text == strings.ToLower(text) && len(words) <= 5
}
