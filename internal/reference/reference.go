// Package reference parses the names of profiles, companies and posts of the
// network in requests and pages: URLs, URNs, slugs and ids.
package reference

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Kind is the kind of thing that a Reference names.
type Kind string

// The kinds.
const (
	Profile Kind = "profile"
	Company Kind = "company"
	Post    Kind = "post"
)

// Reference names a profile, company or post of the network in canonical form
// (api.md#creating-watchlists). Exactly one of Slug and ID is set, depending on
// the caller's input. One thing can therefore have two references.
type Reference struct {
	Kind Kind
	// Slug is the name in the thing's URL: decoded, composed and, except for
	// posts, in lower case.
	Slug string
	// ID is the last part of the thing's URN. The ID of a post that is not an
	// activity starts with its type: ugcPost:123.
	ID string
}

// ParseProfile parses a reference to a person:
//
//   - a URL with the path /in/<slug>; scheme, host and final slash are optional,
//     and the rest of the path is ignored;
//   - urn:<namespace>:<type>:<id> with a type such as profile-view, profile or
//     member; the id may be the first element of a tuple: (<id>,…);
//   - a bare token. It is an id if it has the form of an opaque id (AC and
//     base64url characters, at least 20 in total) or consists of digits (a
//     member's number); otherwise it is a slug.
//
// Digits in a URL are a slug. An opaque id in a URL is an id, because the network
// shows such URLs.
func ParseProfile(s string) (Reference, error) {
	return parse(&profileGrammar, s)
}

// ParseCompany parses a reference to a company or another organization:
//
//   - a URL as for ParseProfile with the path /company/<slug>, /school/<slug> or
//     /showcase/<slug>;
//   - urn:<namespace>:<type>:<id> with a type such as company, fsd_company or
//     organization;
//   - a bare token, which is an id if it consists of digits, otherwise a slug.
//
// Digits in a URL are an id, because the network numbers companies there.
func ParseCompany(s string) (Reference, error) {
	return parse(&companyGrammar, s)
}

// ParseAuthor parses a reference to a person, like ParseProfile, or to a
// company given by URL or URN. A bare token names a person.
func ParseAuthor(s string) (Reference, error) {
	person, err := ParseProfile(s)
	if err == nil || bare(trimInvisible(s)) {
		return person, err
	}
	if company, notCompany := ParseCompany(s); notCompany == nil {
		return company, nil
	}
	return person, err
}

// bare reports whether a text is neither a URL nor a URN.
func bare(s string) bool {
	return !strings.Contains(s, "/") && !hasPrefixFold(s, "urn:") && !hasPrefixFold(s, "urn%3a")
}

// ParsePost parses a reference to a post:
//
//   - a URL with the path /posts/<slug>, /pulse/<slug> or /feed/update/<urn>, or
//     another URL, whose last segment is the slug;
//   - urn:<namespace>:<type>:<id> with the type activity, ugcPost, share or
//     another that names neither a person nor a company;
//   - a bare token: an activity's number if it consists of digits, <type>:<id>,
//     or otherwise a slug.
//
// A slug that contains the post's number, as in …-activity-7123456789012345678-x,
// becomes that number, so that the reference equals the post's URN.
func ParsePost(s string) (Reference, error) {
	return parse(&postGrammar, s)
}

// String returns the canonical form, which the parser of the kind parses to the
// same reference: the bare slug or id if it is unambiguous, otherwise a path or
// URN.
func (r Reference) String() string {
	g := grammarOf(r.Kind)
	if g == nil {
		return r.Slug + r.ID
	}
	if r.ID != "" {
		if g.bareID(r.ID) {
			return r.ID
		}
		return "urn:network:" + g.urnType + ":" + r.ID
	}
	if bareSlug(g, r.Slug) {
		return r.Slug
	}
	return "/" + g.segments[0] + "/" + url.PathEscape(r.Slug)
}

// Key returns a short text that is equal for equal references only:
// profile/<slug>, profile:<id>.
func (r Reference) Key() string {
	if r.ID != "" {
		return string(r.Kind) + ":" + r.ID
	}
	return string(r.Kind) + "/" + r.Slug
}

// Name derives the owner's name from the slug: jane-doe-1a2b3c gives Jane Doe.
// It is empty if only an id is known.
func (r Reference) Name() string {
	var words []string
	for w := range strings.FieldsFuncSeq(r.Slug, func(c rune) bool { return c == '-' || c == '_' }) {
		// The network appends letters and digits to distinguish people of the
		// same name.
		if len(words) > 0 && strings.ContainsAny(w, "0123456789") {
			break
		}
		first, size := utf8.DecodeRuneInString(w)
		words = append(words, string(unicode.ToUpper(first))+w[size:])
	}
	return strings.Join(words, " ")
}

// URN returns the reference as a URN of the network, or "" if no id is known.
func (r Reference) URN() string {
	g := grammarOf(r.Kind)
	if g == nil || r.ID == "" {
		return ""
	}
	return "urn:network:" + g.urnType + ":" + r.ID
}

// grammar defines the syntax of references of one kind.
type grammar struct {
	kind     Kind
	segments []string // path segments before a slug; the first is canonical
	urnType  string   // of ids that are ambiguous alone
	typed    func(urnType string) bool
	fold     bool                     // slugs ignore case
	signs    bool                     // bare slugs may contain dots and similar signs
	bareID   func(token string) bool  // a bare token is an id
	pathID   func(token string) bool  // a token in a path is an id
	inSlug   func(slug string) string // the id in a slug, or ""
}

var (
	profileGrammar = grammar{
		kind:     Profile,
		segments: []string{"in"},
		urnType:  "profile",
		typed:    func(t string) bool { return profileURNs[t] },
		fold:     true,
		bareID:   func(s string) bool { return opaqueID(s) || number(s) },
		pathID:   opaqueID,
	}
	companyGrammar = grammar{
		kind:     Company,
		segments: []string{"company", "school", "showcase"},
		urnType:  "company",
		typed:    func(t string) bool { return companyURNs[t] },
		fold:     true,
		signs:    true,
		bareID:   number,
		pathID:   number,
	}
	postGrammar = grammar{
		kind:     Post,
		segments: []string{"posts", "pulse"},
		urnType:  activityURN,
		typed:    postTyped,
		signs:    true,
		bareID:   func(s string) bool { return number(s) || typedID(s) },
		pathID:   number,
		inSlug:   idInSlug,
	}

	// The types of URNs in the form of urnType.
	profileURNs = map[string]bool{
		"profile": true, "profileview": true, "member": true, "miniprofile": true,
		"normalizedprofile": true, "salesprofile": true, "person": true,
	}
	companyURNs = map[string]bool{
		"company": true, "organization": true, "minicompany": true, "normalizedcompany": true,
		"salescompany": true, "school": true, "minischool": true, "showcase": true,
	}
)

func grammarOf(k Kind) *grammar {
	switch k {
	case Profile:
		return &profileGrammar
	case Company:
		return &companyGrammar
	case Post:
		return &postGrammar
	}
	return nil
}

// maxReference bounds the input in bytes, maxToken a slug or id in characters.
const (
	maxLength = 2048
	maxToken  = 300
)

func parse(g *grammar, s string) (Reference, error) {
	s = trimInvisible(s)
	if len(s) <= maxLength && utf8.ValidString(s) {
		if r, ok := g.parse(s); ok {
			return r, nil
		}
	}
	return Reference{}, fmt.Errorf("invalid %s identifier", g.kind)
}

func (g *grammar) parse(s string) (Reference, bool) {
	switch {
	case hasPrefixFold(s, "urn%3a"):
		decoded, err := url.PathUnescape(s)
		if err != nil {
			return Reference{}, false
		}
		return g.parseURN(decoded)
	case hasPrefixFold(s, "urn:"):
		return g.parseURN(s)
	case strings.Contains(s, "/"):
		return g.parseURL(s)
	case g.kind == Post && strings.Contains(s, ":"):
		return g.parseURN("urn:network:" + s)
	}
	s, _, _ = strings.Cut(s, "?")
	r, ok := g.parseToken(s, g.bareID)
	return r, ok && (r.Slug == "" || bareSlug(g, r.Slug))
}

// parseToken parses a slug or id, bare or in a path. isID says which of the two
// it is.
func (g *grammar) parseToken(s string, isID func(string) bool) (Reference, bool) {
	s, err := url.PathUnescape(s)
	if err != nil || !utf8.ValidString(s) {
		return Reference{}, false
	}
	s = trimInvisible(norm.NFC.String(s))
	if isID(s) {
		return Reference{Kind: g.kind, ID: s}, true
	}
	if g.fold {
		s = norm.NFC.String(strings.ToLower(s))
	}
	if !validSlug(s) {
		return Reference{}, false
	}
	if g.inSlug != nil {
		if id := g.inSlug(s); id != "" {
			return Reference{Kind: g.kind, ID: id}, true
		}
	}
	return Reference{Kind: g.kind, Slug: s}, true
}

// validSlug rejects slugs that cannot be a segment of a URL.
func validSlug(s string) bool {
	if s == "" || s == "." || s == ".." || utf8.RuneCountInString(s) > maxToken || hasPrefixFold(s, "urn:") {
		return false
	}
	for _, r := range s {
		if !unicode.IsGraphic(r) && r != zeroWidthJoiner || unicode.IsSpace(r) || strings.ContainsRune(`/\?#%"<>`, r) {
			return false
		}
	}
	return true
}

// bareSlug reports whether a slug is unambiguous without a path: it has a
// letter or digit, and no sign of another form.
func bareSlug(g *grammar, slug string) bool {
	if g.bareID(slug) {
		return false
	}
	named := false
	for _, r := range slug {
		switch {
		case unicode.In(r, unicode.L, unicode.N):
			named = true
		case unicode.In(r, unicode.M, unicode.So, unicode.Sk), r == zeroWidthJoiner, r == '-', r == '_':
		case strings.ContainsRune(".'’&+", r) && g.signs:
		default:
			return false
		}
	}
	return named
}

const zeroWidthJoiner = '\u200d'

// trimInvisible trims white space and format characters, which text copied from
// a page can contain.
func trimInvisible(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) })
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
