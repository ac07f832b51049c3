package draft

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"watchpost/internal/text"
	"watchpost/watchpost"
)

// Check returns an answer as a draft: trimmed, and without quotation marks around the
// whole. The error is an UnfitError.
func (r *Request) Check(answer string) (string, error) {
	if strings.ContainsFunc(answer, hidden) {
		return "", &UnfitError{"has control characters"}
	}
	draft, fits := watchpost.CleanComment(unquoted(strings.TrimSpace(text.PlainLines(answer))))
	switch {
	case text.IsBlank(draft):
		return "", &UnfitError{"is empty"}
	case !fits:
		return "", &UnfitError{"is too long"}
	case markup.MatchString(draft):
		return "", &UnfitError{"has markup"}
	case r.leadsAway(draft):
		return "", &UnfitError{"has an address"}
	case r.Kind == Template && !knownVariables(draft):
		return "", &UnfitError{"has unknown variables"}
	}
	return draft, nil
}

// hidden reports characters that a reader does not see. Marks of the direction without
// scope are usual in Arabic and Hebrew, and dropped.
func hidden(r rune) bool {
	switch r {
	case '\n', '\r', '\t', '\u200e', '\u200f', '\u061c':
		return false
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == unicode.ReplacementChar
}

// quotes are the marks that models put around a text.
var quotes = [][2]string{{`"`, `"`}, {"“", "”"}, {"„", "“"}, {"„", "”"}, {"«", "»"}, {"»", "«"}, {"「", "」"}, {"```", "```"}}

// unquoted removes quotation marks around a text that has none within.
func unquoted(s string) string {
	for _, q := range quotes {
		inner, opens := strings.CutPrefix(s, q[0])
		inner, closes := strings.CutSuffix(inner, q[1])
		if opens && closes && !strings.Contains(inner, q[0]) && !strings.Contains(inner, q[1]) {
			return strings.TrimSpace(inner)
		}
	}
	return s
}

// markup matches tags, as those of the question, and links in Markdown.
var markup = regexp.MustCompile(`(?i)</?[a-z][a-z0-9-]*[^<>]*>|&(?:lt|gt|amp);|\]\(`)

// addresses match what readers or the network take for an address of the web or of mail.
// A name with a dot counts with a usual ending only: Node.js is none.
var addresses = regexp.MustCompile(`(?i)[a-z][a-z0-9+.-]*://\S+|\bwww\.\S+|\bmailto:\S+|[\pL\pN._%+-]+@[\pL\pN-]+\.[\pL\pN.-]+|` +
	`[\pL\pN-]+(?:\.[\pL\pN-]+)*\.(?:com|net|org|info|biz|io|ai|co|me|app|dev|ly|gl|gg|link|click|online|site|shop|store|xyz|top|live|eu|us|uk|de|at|ch|fr|es|it|pt|br|nl|be|pl|ru|cn|jp|in|su|tk)\b(?:/\S*)?`)

// dots are characters that browsers read as the dot of an address.
var dots = strings.NewReplacer("。", ".", "．", ".", "｡", ".", "\u200b", "", "\u200c", "", "\u200d", "", "\u2060", "", "\u00ad", "")

// leadsAway reports whether a draft has an address that the team's voice does not have.
func (r *Request) leadsAway(draft string) bool {
	own := map[string]bool{"asp.net": true}
	for _, a := range addressesIn(r.Voice) {
		own[a] = true
	}
	for _, a := range addressesIn(draft) {
		if !own[a] {
			return true
		}
	}
	return false
}

// addressesIn returns the addresses in a text, in lower case.
func addressesIn(s string) []string {
	found := addresses.FindAllString(norm.NFKC.String(dots.Replace(s)), -1)
	for i := range found {
		found[i] = strings.ToLower(strings.TrimRight(found[i], ".,;:!?)]}'\"”»"))
	}
	return found
}

// knownVariables reports whether all braces of a template are of its variables.
func knownVariables(template string) bool {
	for _, name := range watchpost.TemplateVariables() {
		template = strings.ReplaceAll(template, name, "")
	}
	return !strings.ContainsAny(template, "{}")
}
