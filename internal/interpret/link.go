package interpret

import (
	"regexp"
	"strings"
	"unicode"

	"watchpost/internal/reference"
)

// linkStart matches the beginning of a link: a scheme, www, a URN, the path of
// a page of the network, or a host with a well-known ending, alone or with a
// path.
var linkStart = regexp.MustCompile(`(?i)^(?:[a-z][a-z0-9+.-]{1,10}://|www\.|urn:[a-z0-9-]+:|/?(?:in|company|school|showcase)/[^\s/]{2,}|` +
	`(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|ai|app|co|uk|de|fr|es|it|eu|us|ca|nl|ch|at|be|info|me|tech|example|test|localhost)(?::\d+)?(?:/|$|[\s,;!?)>\]]|\.(?:\s|$)))`)

// linkToken returns the link at the start of s. Some products are named like
// hosts.
func linkToken(s string) (token, int) {
	if b := s[0]; b != '/' && (b < '0' || b > '9') && (b|0x20 < 'a' || b|0x20 > 'z') {
		return token{}, 0 // fast exit for most signs, which start no link
	}
	n := runLength(s, func(r rune) bool { return !unicode.IsSpace(r) && !strings.ContainsRune("<>\"“”«»", r) })
	text := strings.TrimRight(s[:n], ".,;:!?)]}'*_")
	if linkStart.FindString(text+" ") == "" || !hasWord(text) || lookup("hosts", strings.ToLower(text)) != "" {
		return token{}, 0
	}
	return token{kind: link, text: text, norm: text}, len(text)
}

// linkName returns the most likely name of a link's target in a post: the name
// in a slug without its number and with capitals, else the host.
func linkName(s string) string {
	ref, err := reference.ParseProfile(s)
	if err != nil || ref.Slug == "" {
		ref, _ = reference.ParseCompany(s)
	}
	if ref.Slug == "" {
		host, _, _ := strings.Cut(linkKeyword(s), "/")
		return host
	}
	var words []string
	for w := range strings.SplitSeq(ref.Slug, "-") {
		if r := []rune(w); w != "" && !strings.ContainsFunc(w, unicode.IsDigit) {
			r[0] = unicode.ToUpper(r[0])
			words = append(words, string(r))
		}
	}
	return strings.Join(words, " ")
}

// linkKeyword returns the text of a link as it occurs in posts that link to the
// same page: the address without scheme, www, query and final slash.
func linkKeyword(s string) string {
	s, _, _ = strings.Cut(s, "#")
	s, _, _ = strings.Cut(s, "?")
	if _, rest, ok := strings.Cut(s, "://"); ok {
		s = rest
	}
	return strings.TrimRight(strings.TrimPrefix(s, "www."), "/")
}
