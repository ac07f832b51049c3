package dashboard

import (
	"strings"

	"watchpost/internal/reference"
	"watchpost/watchpost"
)

// Keywords, words, labels and references as they are typed into a form.

// linesOf returns the lines of a text that have something in them.
func linesOf(s string) (lines []string) {
	for line := range strings.SplitSeq(s, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// wordsOf returns the words of a field: one on each line, or with commas between.
func wordsOf(s string) (words []string) {
	if strings.Contains(strings.TrimSpace(s), "\n") {
		return linesOf(s)
	}
	for word := range strings.SplitSeq(s, ",") {
		if word = strings.TrimSpace(word); word != "" {
			words = append(words, word)
		}
	}
	return words
}

// phrases are the keywords with a comma: each is one phrase, which few posts contain as
// it is written.
func phrases(entries []entryField) (all []string) {
	for _, e := range entries {
		if len(wordsOf(e.Keyword)) > 1 {
			all = append(all, strings.TrimSpace(e.Keyword))
		}
	}
	return all
}

// split makes a keyword of each part of a keyword with commas, with the same conditions.
func (f *watchlistForm) split() {
	var entries []entryField
	for _, e := range f.Entries {
		words := wordsOf(e.Keyword)
		if len(words) == 0 {
			words = []string{""} // its conditions stay
		}
		for _, word := range words {
			e.Keyword = word
			entries = append(entries, e)
		}
	}
	f.Entries = entries
}

func entriesOf(keywords []watchpost.KeywordEntry) []entryField {
	entries := make([]entryField, len(keywords))
	for i, k := range keywords {
		entries[i] = entryField{k.Keyword, strings.Join(k.Required, "\n"), strings.Join(k.Excluded, "\n"), k.AnyRequired}
	}
	return entries
}

// labelsFrom reads labels: one on each line, with its description behind a colon.
func labelsFrom(s string) []watchpost.Label {
	var labels []watchpost.Label
	for _, line := range linesOf(s) {
		name, description, _ := strings.Cut(line, ":")
		name, isDefault := strings.CutSuffix(strings.TrimSpace(name), "*")
		labels = append(labels, watchpost.Label{Name: name, Description: strings.TrimSpace(description), Default: isDefault})
	}
	return labels
}

// labelLines writes labels so that labelsFrom reads them again.
func labelLines(labels []watchpost.Label) string {
	var lines []string
	for _, l := range labels {
		line := l.Name
		if l.Default {
			line += "*"
		}
		if l.Description != "" {
			line += ": " + strings.Join(strings.Fields(l.Description), " ")
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// labelError describes an error in labels in words for a member.
func labelError(text string) string {
	const begin = "Invalid 'labels'"
	if text == begin {
		return "“" + watchpost.NoLabels + "” stands for posts without a label. Give the label another name."
	}
	if why, ok := strings.CutPrefix(text, begin+": "); ok {
		return "Labels: " + why + "."
	}
	return text + "."
}

// understood is a line of references with its parsed name.
type understood struct {
	Line, As string
	Wrong    bool
}

// parserOf returns what parses the references of a type.
func parserOf(t watchpost.WatchlistType) func(string) (reference.Reference, error) {
	if t == watchpost.CompanyWatchlist {
		return reference.ParseCompany
	}
	return reference.ParseProfile
}

// understand parses each line of references.
func (f *watchlistForm) understand() {
	parse := parserOf(f.typ)
	f.Understood = nil
	for _, line := range linesOf(f.References) {
		u := understood{Line: line}
		if ref, err := parse(line); err != nil {
			u.Wrong = true
		} else {
			u.As = referenceName(ref)
		}
		f.Understood = append(f.Understood, u)
	}
}

func referenceName(r reference.Reference) string {
	if r.Slug != "" {
		return r.Slug
	}
	return r.URN()
}
