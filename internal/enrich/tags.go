package enrich

import (
	"slices"
	"strings"
	"unicode"

	"watchpost/internal/text"
	"watchpost/watchpost"
)

// Posts are classified into the labels of their watchlist by whole, folded
// words, inflections included. A label fits when the post has
//
//   - all words of its name ("Job change": job and change), or
//   - all words of one part of a description that is a list of names or short
//     phrases ("Acme, Globex, Initech": any of them), or
//   - two different words of its name and description.
//
// Function words and words about posts themselves ("posts about …") do not
// count. A name that consists only of such words counts as written when it is
// an abbreviation: AI is not the French ai, and IT not it. Default labels fit
// by the same rules, and apply when no other label fits. Without labels the
// matched keyword is the tag.

// classify returns the tags of a post, and the number of fitting labels.
func (r *Rules) classify(t *folded, content string) (tags []watchpost.Tag, fitting int) {
	if len(r.labels) == 0 {
		if name := strings.Join(strings.Fields(r.Keyword), " "); name != "" {
			tags = append(tags, watchpost.Tag{Name: name})
		}
		return tags, 0
	}
	for i := range r.labels {
		if l := &r.labels[i]; l.fits(t, content) {
			tags = append(tags, watchpost.Tag{Name: l.Name, Description: l.Description})
			fitting++
		}
	}
	if fitting > 0 {
		return tags, fitting
	}
	for _, l := range r.labels {
		if l.Default {
			tags = append(tags, watchpost.Tag{Name: l.Name, Description: l.Description})
		}
	}
	return tags, 0
}

// listed is the maximum number of words in a part of a description that is a
// list.
const listed = 4

// label is a label split into words.
type label struct {
	watchpost.Label
	abbreviation bool       // the name is only an abbreviation
	name         []string   // content words of its name
	parts        [][]string // those of each part of a list-like description
	all          []string   // those of name and description
}

func newLabel(l watchpost.Label) label {
	c := label{Label: l, name: contentWords(text.Normalize(l.Name))}
	c.abbreviation = len(c.name) == 0 && isAbbreviation(l.Name)
	if strings.TrimSpace(l.Description) == "" {
		return c
	}
	c.all = slices.Clone(c.name)
	for _, part := range parts(l.Description) {
		words := contentWords(part.text)
		if part.short && len(words) > 0 {
			c.parts = append(c.parts, words)
		}
		for _, w := range words {
			if len(c.all) < maxContent && !slices.Contains(c.all, w) {
				c.all = append(c.all, w)
			}
		}
	}
	return c
}

func (l *label) fits(t *folded, content string) bool {
	switch {
	case l.abbreviation && asWritten(content, l.Name):
		return true
	case len(l.name) > 0 && t.all(l.name):
		return true
	case slices.ContainsFunc(l.parts, t.all):
		return true
	}
	return len(l.all) > 1 && t.distinct(l.all) > 1
}

// part is the normalised text between two commas of a description. It is short
// when all parts are, so that the description is a list.
type part struct {
	text  string
	short bool
}

func parts(description string) []part {
	var list []part
	short := true
	for s := range strings.FieldsFuncSeq(description, func(r rune) bool { return strings.ContainsRune(",;\n/•|、，", r) }) {
		text := strings.TrimSpace(text.Normalize(s))
		if text == "" {
			continue
		}
		list = append(list, part{text: text})
		short = short && strings.Count(text, " ") < listed
	}
	for i := range list {
		list[i].short = short
	}
	return list
}

// maxContent bounds the words of a label or objective.
const maxContent = 100

// contentWords returns the distinct content words of a normalised text, at
// most maxContent.
func contentWords(s string) []string {
	var words []string
	for w := range strings.FieldsFuncSeq(s, notWord) {
		if !stopWords[w] && !slices.Contains(words, w) {
			words = append(words, w)
			if len(words) == maxContent {
				break
			}
		}
	}
	return words
}

// isAbbreviation reports whether a name consists of capitals only.
func isAbbreviation(name string) bool {
	return len(name) > 1 && !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsUpper(r) })
}

// asWritten reports whether name occurs in content as a whole word, with the
// same case.
func asWritten(content, name string) bool {
	for w := range strings.FieldsFuncSeq(content, notWord) {
		if w == name {
			return true
		}
	}
	return false
}

// MergeTags adds tags to those of a post. A name occurs once, ignoring case;
// its first non-empty description stays. Neither slice is written to.
func MergeTags(old, more []watchpost.Tag) []watchpost.Tag {
	if len(old) == 0 && len(more) == 0 {
		return nil
	}
	tags := make([]watchpost.Tag, 0, len(old)+len(more))
	at := make(map[string]int, len(old)+len(more))
	for _, list := range [][]watchpost.Tag{old, more} {
		for _, t := range list {
			name := text.NormalizeName(t.Name)
			i, known := at[name]
			switch {
			case !known:
				at[name] = len(tags)
				tags = append(tags, t)
			case tags[i].Description == "":
				tags[i].Description = t.Description
			}
		}
	}
	return tags
}
