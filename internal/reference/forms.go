package reference

import (
	"net/url"
	"slices"
	"strings"
)

// parseURN parses urn:<namespace>:<type>:<id>.
func (g *grammar) parseURN(s string) (Reference, bool) {
	parts := strings.SplitN(s, ":", 4)
	if len(parts) != 4 || !urnWord(parts[1], "-") || !urnWord(parts[2], "-_") {
		return Reference{}, false
	}
	id := parts[3]
	if tuple, ok := strings.CutPrefix(id, "("); ok {
		if id, _, _ = strings.Cut(tuple, ","); id == tuple {
			id = strings.TrimSuffix(id, ")")
		}
	}
	if hasPrefixFold(id, "urn:") { // a URN that contains another
		return g.parseURN(id)
	}
	t := urnType(parts[2])
	if !g.typed(t) || !token(id) {
		return Reference{}, false
	}
	if g.kind == Post && t != activityURN {
		id = postType(parts[2]) + ":" + id
	}
	return Reference{Kind: g.kind, ID: id}, true
}

// urnType returns a URN's type without case, hyphens and the prefixes with
// which the network marks its own variants (fsd_profile, fs_miniProfile).
func urnType(s string) string {
	s = strings.ToLower(s)
	for _, prefix := range []string{"fsd_", "fsdm_", "fs_"} {
		if rest, ok := strings.CutPrefix(s, prefix); ok {
			s = rest
			break
		}
	}
	return urnSigns.Replace(s)
}

// urnSigns removes the characters that the network writes in some URN types and
// omits in others.
var urnSigns = strings.NewReplacer("-", "", "_", "")

// postType returns the usual spelling of a post's type.
func postType(s string) string {
	if t := urnType(s); t != "ugcpost" {
		return t
	}
	return "ugcPost"
}

// urnWord reports whether s consists of letters, digits and the given signs.
func urnWord(s, signs string) bool {
	for _, r := range s {
		if !asciiAlphanumeric(r) && !strings.ContainsRune(signs, r) {
			return false
		}
	}
	return strings.Trim(s, signs) != ""
}

// knownSegments are the path segments that identify the kind of a page.
var knownSegments = map[string]bool{
	"in": true, "company": true, "school": true, "showcase": true,
	"posts": true, "pulse": true, "feed": true,
}

// parseURL parses a URL or a path. The first segment that identifies a kind of
// page determines the kind.
func (g *grammar) parseURL(s string) (Reference, bool) {
	path, ok := pathSegments(s)
	if !ok {
		return Reference{}, false
	}
	at := slices.IndexFunc(path, func(segment string) bool { return knownSegments[strings.ToLower(segment)] })
	switch {
	case at < 0:
		if g.kind != Post || len(path) == 0 {
			return Reference{}, false
		}
		return g.parseSegment(path[len(path)-1])
	case at+1 == len(path):
		return Reference{}, false
	}
	marker := strings.ToLower(path[at])
	if marker == "feed" {
		if g.kind != Post || at+2 >= len(path) || !strings.EqualFold(path[at+1], "update") {
			return Reference{}, false
		}
		return g.parseSegment(path[at+2])
	}
	if !slices.Contains(g.segments, marker) {
		return Reference{}, false
	}
	return g.parseSegment(path[at+1])
}

// parseSegment parses the path segment with the slug or id.
func (g *grammar) parseSegment(s string) (Reference, bool) {
	if decoded, err := url.PathUnescape(s); err == nil && hasPrefixFold(decoded, "urn:") {
		return g.parseURN(decoded)
	}
	return g.parseToken(s, g.pathID)
}

// pathSegments returns the non-empty segments of a URL's path, without scheme,
// host, query and fragment. Without a scheme it treats the first segment as a
// host if it can be one.
func pathSegments(s string) ([]string, bool) {
	s, _, _ = strings.Cut(s, "#")
	s, _, _ = strings.Cut(s, "?")
	scheme, rest, schemed := strings.Cut(s, "://")
	if schemed {
		if !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
			return nil, false
		}
		s = rest
	}
	rooted := strings.HasPrefix(s, "/")
	segments := strings.FieldsFunc(s, func(r rune) bool { return r == '/' })
	if len(segments) == 0 {
		return nil, false
	}
	host := strings.HasPrefix(s, "//") || strings.ContainsAny(segments[0], ".:") || segments[0] == "localhost"
	if schemed || !rooted && host || strings.HasPrefix(s, "//") {
		segments = segments[1:]
	}
	return segments, true
}

// idInSlug returns the number that the network puts near the end of a post's
// slug, which is the post's id, or "".
func idInSlug(slug string) string {
	for _, t := range []string{"activity", "ugcPost", "share"} {
		i := lastIndexFold(slug, "-"+t+"-")
		if i < 0 {
			continue
		}
		id, tail, _ := strings.Cut(slug[i+len(t)+2:], "-")
		if !number(id) || len(id) < 10 || len(tail) > 8 {
			continue
		}
		if t == "activity" {
			return id
		}
		return t + ":" + id
	}
	return ""
}

// lastIndexFold is strings.LastIndex for an ASCII substring, ignoring case.
func lastIndexFold(s, sub string) int {
	for i := len(s) - len(sub); i >= 0; i-- {
		if hasPrefixFold(s[i:], sub) {
			return i
		}
	}
	return -1
}

// token reports whether s can be the id in a URN.
func token(s string) bool {
	return len(s) <= maxToken && urnWord(s, "-_")
}

// typedID reports whether s is the id of a post that is not an activity.
func typedID(s string) bool {
	t, id, ok := strings.Cut(s, ":")
	return ok && t != activityURN && urnWord(t, "") && t == postType(t) && postTyped(urnType(t)) && token(id)
}

// activityURN is the type of most posts' URNs. Their ids omit it.
const activityURN = "activity"

// postTyped reports whether URNs of the type can name posts. There are many
// such types, so it accepts each type that names nothing else.
func postTyped(t string) bool {
	return t != "" && t != "urn" && !profileURNs[t] && !companyURNs[t]
}

// opaqueID reports whether s has the form of the id in a profile's URN.
func opaqueID(s string) bool {
	return len(s) >= 20 && len(s) <= maxToken && strings.HasPrefix(s, "AC") && urnWord(s, "-_")
}

// number reports whether s consists of digits.
func number(s string) bool {
	return s != "" && len(s) <= maxToken && strings.Trim(s, "0123456789") == ""
}

func asciiAlphanumeric(r rune) bool {
	return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z'
}
