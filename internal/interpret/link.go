package interpret

import (
	"net/url"
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

// namedLike are names of products that look like hosts.
var namedLike = wordSet(`monday.com booking.com salesforce.com amazon.com node.io socket.io asp.net character.ai crates.io draw.io
	hotels.com cal.com make.com clay.com apollo.io copy.ai jasper.ai`)

// linkToken returns the link at the start of s.
func linkToken(s string) (token, int) {
	if !linkBegin(s[0]) {
		return token{}, 0 // fast exit for most signs, which start no link
	}
	n := runLength(s, func(r rune) bool {
		return !unicode.IsSpace(r) && !strings.ContainsRune("<>\"“”«»", r)
	})
	text := strings.TrimRight(s[:n], ".,;:!?)]}'*_")
	if m := linkStart.FindString(text + " "); m == "" || !hasWord(text) || namedLike[strings.ToLower(text)] {
		return token{}, 0
	}
	return token{kind: link, text: text, norm: text}, len(text)
}

// linkBegin reports whether a link can begin with this byte.
func linkBegin(b byte) bool {
	return b == '/' || '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z'
}

// profile returns the reference to a person in a link.
func (t token) profile() (reference.Reference, bool) {
	if t.kind != link {
		return reference.Reference{}, false
	}
	ref, err := reference.ParseProfile(t.text)
	return ref, err == nil
}

// linkName returns the most likely name of a link's target in a post: the name
// in a slug, else the host.
func linkName(t token) string {
	if ref, ok := t.profile(); ok && ref.Slug != "" {
		return slugName(ref.Slug)
	}
	if ref, err := reference.ParseCompany(t.text); err == nil && ref.Slug != "" {
		return slugName(ref.Slug)
	}
	return linkHost(t.text)
}

// slugName converts a slug to a name: without its number and with capitals.
func slugName(slug string) string {
	var words []string
	for w := range strings.SplitSeq(slug, "-") {
		if w == "" || strings.ContainsFunc(w, unicode.IsDigit) {
			continue
		}
		r := []rune(w)
		r[0] = unicode.ToUpper(r[0])
		words = append(words, string(r))
	}
	return shorten(strings.Join(words, " "), exampleChars)
}

// linkHost returns the host of a URL, without www.
func linkHost(s string) string {
	if !strings.Contains(s, "://") {
		s = "https://" + s
	}
	u, err := url.Parse(s)
	if err != nil {
		return ""
	}
	host := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
	if !strings.Contains(host, ".") || hasSpaceOrQuote(host) {
		return ""
	}
	return shorten(host, exampleChars)
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

func hasSpaceOrQuote(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r == '"' })
}

// linking are words that ask for posts containing the link itself. A prompt
// with one is not a bare link.
var linking = wordSet(`mention mentions mentioning mentioned cite cites citing cited quote quoting linking links_to link_to link share shares
	sharing shared reference references referencing containing contain contains include includes including domain`)

// linkWords are words without meaning next to a link.
var linkWords = wordSet(`follow track watch monitor check look at out see read open visit scrape crawl analyse analyze profile profiles page
	pages link links url urls website websites site sites web user member account accounts company person guy here address homepage
	activity their his her it its feed timeline linked go click http https www what whats happens happening goes on does do writes
	write publishes publish says say everything anything whatever new updates update scan fetch get data info information from of by
	tell more details about`)

// labelled reports whether a bracket is the label of a link.
func labelled(tokens []token) bool {
	for i, t := range tokens {
		if t.text == "]" {
			return i+2 < len(tokens) && tokens[i+1].text == "(" && tokens[i+2].kind == link
		}
	}
	return false
}

// bare returns the links of a prompt that contains nothing else, and whether
// one of them is a person's.
func bare(tokens []token) (links []token, profile bool) {
	asks, label := false, false
	for i, t := range tokens {
		switch { // the label of a markdown link adds nothing
		case t.text == "[":
			label = labelled(tokens[i:])
		case t.text == "]":
			label = false
		case label:
			continue
		}
		switch {
		case t.kind == link:
			links = append(links, t)
			_, ok := t.profile()
			profile = profile || ok
		case !t.content():
		case t.kind != word:
			return nil, false
		case linking[t.norm] && t.norm != "link":
			asks = true
		case !linkWords[t.norm] && loaded().languages["en"].own[t.norm]&^roleWord == 0:
			return nil, false
		}
	}
	if asks && !profile {
		return nil, false
	}
	return links, profile
}
