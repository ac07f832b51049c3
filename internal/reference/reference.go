// Package reference parses the ways in which callers and pages name a profile,
// company or post of the network: URLs, URNs, slugs and ids.
package reference

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Kind says what a Reference refers to.
type Kind string

// The kinds of things on the network that callers refer to.
const (
	Profile Kind = "profile"
	Company Kind = "company"
	Post    Kind = "post"
)

// Reference names a profile, company or post of the network in canonical form,
// whatever form a caller used (specification: POST /api-people-watchlist, POST
// /api-company-watchlist). Exactly one of
// Slug and ID is set; which of the two a thing has depends on what the caller
// knew, and one thing may thus have two references.
type Reference struct {
	Kind Kind
	// Slug is the name in the thing's URL, decoded, composed and, but for
	// posts, in lower case.
	Slug string
	// ID is the last part of the thing's URN. That of a post which is no
	// activity begins with its type: ugcPost:123.
	ID string
}

// ParseProfile reads a reference to a person:
//
//   - a URL with or without scheme, host and slash at the end, whose path has
//     /in/<slug>; the host is not looked at, what follows the slug is dropped;
//   - urn:<namespace>:<type>:<id> with a type such as profile-view, profile or
//     member, where the id may stand first in a tuple: (<id>,…);
//   - a bare token. It is an id when it has the form of the opaque ids (AC and
//     further characters of base64url, 20 at least in all) or is digits only
//     (a member's number); else it is a slug. A slug that looks like an id can
//     be given as a URL: there digits are a slug, while an opaque id is one
//     there too, for the network shows such URLs.
func ParseProfile(s string) (Reference, error) {
	return parse(&profileGrammar, s)
}

// ParseCompany reads a reference to a company or another organisation:
//
//   - a URL as for ParseProfile whose path has /company/<slug>,
//     /school/<slug> or /showcase/<slug>;
//   - urn:<namespace>:<type>:<id> with a type such as company, fsd_company or
//     organization;
//   - a bare token, an id when it is digits only and else a slug. Digits in a
//     URL are an id too, for the network numbers companies in that place.
func ParseCompany(s string) (Reference, error) {
	return parse(&companyGrammar, s)
}

// ParseAuthor reads a reference to a person, as ParseProfile does, or to a
// company that is given by URL or URN: a bare token is a person's.
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

// ParsePost reads a reference to a post:
//
//   - a URL whose path has /posts/<slug>, /pulse/<slug> or
//     /feed/update/<urn>, or another URL, whose last segment is the slug;
//   - urn:<namespace>:<type>:<id> with the types activity, ugcPost, share or
//     another that is no person's and no company's;
//   - a bare token: an activity's number when it is digits only, <type>:<id>,
//     or else a slug.
//
// A slug that carries the post's number, as in …-activity-7123456789012345678-x,
// is read as that number, so that it equals the post's URN.
func ParsePost(s string) (Reference, error) {
	return parse(&postGrammar, s)
}

// String returns the canonical form, which the parser of the kind reads as the
// same reference: the bare slug or id where that is clear by itself, else a
// path or URN.
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

// Key returns a short text that two references share if and only if they are
// equal: profile/<slug>, profile:<id>.
func (r Reference) Key() string {
	if r.ID != "" {
		return string(r.Kind) + ":" + r.ID
	}
	return string(r.Kind) + "/" + r.Slug
}

// Name guesses the owner's name from the slug: jane-doe-1a2b3c gives Jane Doe.
// It is empty when only an id is known.
func (r Reference) Name() string {
	var words []string
	for w := range strings.FieldsFuncSeq(r.Slug, func(c rune) bool { return c == '-' || c == '_' }) {
		// The network tells namesakes apart by letters and digits at the end.
		if len(words) > 0 && strings.ContainsAny(w, "0123456789") {
			break
		}
		first, size := utf8.DecodeRuneInString(w)
		words = append(words, string(unicode.ToUpper(first))+w[size:])
	}
	return strings.Join(words, " ")
}

// URN returns the reference as a URN of the network, "" when no id is known.
func (r Reference) URN() string {
	g := grammarOf(r.Kind)
	if g == nil || r.ID == "" {
		return ""
	}
	return "urn:network:" + g.urnType + ":" + r.ID
}

// grammar is what tells the references of one kind from those of another.
type grammar struct {
	kind     Kind
	segments []string // path segments before a slug; the first is canonical
	urnType  string   // of ids that are not clear by themselves
	typed    func(urnType string) bool
	fold     bool                     // slugs have no case
	signs    bool                     // bare slugs may have dots and the like
	bareID   func(token string) bool  // a bare token is an id
	pathID   func(token string) bool  // a token in a path is an id
	inSlug   func(slug string) string // the id that a slug carries, or ""
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

	// The types of URNs as urnType writes them.
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

// maxReference bounds what is read at all, in bytes, maxToken a slug or id in
// characters.
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

// parseToken reads a slug or id that stands alone or in a path; isID says
// which of the two it is.
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

// validSlug refuses what no URL's segment would show.
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

// bareSlug reports whether a slug is understood without a path before it: it
// has a letter or digit, and no sign that speaks for something else.
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

// trimInvisible trims white space and the format signs that come along when
// text is copied from a page.
func trimInvisible(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) })
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
