package interpret

import (
	"slices"
	"strings"

	"watchpost/internal/text"
	"watchpost/watchpost"
)

// Selection is the choice of posts of keyword entries in groups: a post is chosen that
// has one of the keywords of a group with a word of each of its lists, and no word of
// Not. One group stands for the product of its lists.
type Selection struct {
	Groups []Group
	Not    []string
}

// Group is a part of a selection.
type Group struct {
	Any  []string   // keywords
	With [][]string // lists of words: one word of each must occur
}

// Entries returns the entries of a selection. If they are more than a watchlist may have,
// it returns enough of them for watchpost.CleanKeywords to refuse them. Words of Not that occur in a wanted word
// are left out of its entry, because nothing could match it.
func (s Selection) Entries() (out []watchpost.KeywordEntry) {
	for _, g := range s.Groups {
		lists := slices.DeleteFunc(slices.Clone(g.With), func(l []string) bool { return len(l) == 0 })
		for _, keyword := range g.Any {
			if len(out) > watchpost.MaxKeywords {
				return out
			}
			if len(lists) == 1 && len(lists[0]) > 1 {
				out = append(out, s.entry(keyword, lists[0], true))
				continue
			}
			for _, words := range product(lists) {
				out = append(out, s.entry(keyword, words, false))
			}
		}
	}
	return out
}

// product returns each choice of one word of each list.
func product(lists [][]string) [][]string {
	out := [][]string{nil}
	for _, list := range lists {
		var longer [][]string
		for _, words := range out {
			for _, word := range list {
				if len(longer) <= watchpost.MaxKeywords {
					longer = append(longer, append(slices.Clone(words), word))
				}
			}
		}
		out = longer
	}
	return out
}

func (s Selection) entry(keyword string, required []string, anyOf bool) watchpost.KeywordEntry {
	e := watchpost.KeywordEntry{Keyword: keyword, Required: required, AnyRequired: anyOf}
	for _, not := range s.Not {
		if !slices.ContainsFunc(append([]string{keyword}, required...), func(wanted string) bool { return occurs(wanted, not) }) {
			e.Excluded = append(e.Excluded, not)
		}
	}
	return e
}

// Grouped returns entries as a selection. ok is false if that would lose something, as
// when keywords have different exclusions. A product of two lists that was cut at the
// limit of a result is completed.
func Grouped(entries []watchpost.KeywordEntry) (s Selection, ok bool) {
	for _, e := range entries {
		g := Group{Any: []string{e.Keyword}}
		if e.AnyRequired && len(e.Required) > 1 {
			g.With = [][]string{e.Required}
		} else {
			for _, word := range e.Required {
				g.With = append(g.With, []string{word})
			}
		}
		s.Groups = append(s.Groups, g)
		s.Not = union(s.Not, e.Excluded)
	}
	s.Groups = completed(s.Groups)
	s.Groups = joined(s.Groups)
	var expanded []string
	for _, e := range s.Entries() {
		expanded = append(expanded, ruleKey(e))
	}
	return s, !slices.ContainsFunc(entries, func(e watchpost.KeywordEntry) bool { return !slices.Contains(expanded, ruleKey(e)) })
}

// completed makes one group of the pairs of a keyword, if each first word occurs with
// the second of the first pair, and the other way round. The rules cut products so.
func completed(groups []Group) (out []Group) {
	pair := func(g Group) bool { return len(g.With) == 2 && len(g.With[0]) == 1 && len(g.With[1]) == 1 }
	done := map[string]bool{}
	for _, g := range groups {
		if !pair(g) {
			out = append(out, g)
			continue
		}
		keyword := g.Any[0]
		if done[keyword] {
			continue
		}
		done[keyword] = true
		var pairs []Group
		all := Group{Any: g.Any, With: [][]string{nil, nil}}
		for _, other := range groups {
			if pair(other) && other.Any[0] == keyword {
				pairs = append(pairs, other)
				all.With[0], all.With[1] = union(all.With[0], other.With[0]), union(all.With[1], other.With[1])
			}
		}
		has := func(x, y string) bool {
			return slices.ContainsFunc(pairs, func(p Group) bool { return p.With[0][0] == x && p.With[1][0] == y })
		}
		missing := func(x, y string) bool { return !has(x, y) }
		if slices.ContainsFunc(all.With[0], func(x string) bool { return missing(x, all.With[1][0]) }) ||
			slices.ContainsFunc(all.With[1], func(y string) bool { return missing(all.With[0][0], y) }) {
			out = append(out, pairs...)
		} else {
			out = append(out, all)
		}
	}
	return out
}

// joined joins the keywords of groups with equal lists.
func joined(groups []Group) (out []Group) {
	equal := func(a, b Group) bool { return slices.EqualFunc(a.With, b.With, slices.Equal) }
	for _, g := range groups {
		if i := slices.IndexFunc(out, func(o Group) bool { return equal(o, g) }); i >= 0 {
			out[i].Any = union(out[i].Any, g.Any)
		} else {
			out = append(out, g)
		}
	}
	return out
}

// union appends the words of b that a does not have.
func union(a, b []string) []string {
	a = slices.Clip(a)
	for _, word := range b {
		if !slices.Contains(a, word) {
			a = append(a, word)
		}
	}
	return a
}

// ruleKey is equal for entries that choose the same posts by the same words.
func ruleKey(e watchpost.KeywordEntry) string {
	sorted := func(words []string) string { return strings.Join(slices.Sorted(slices.Values(words)), "\x00") }
	anyOf := ""
	if e.AnyRequired && len(e.Required) > 1 {
		anyOf = "any"
	}
	return strings.Join([]string{e.Keyword, sorted(e.Required), sorted(e.Excluded), anyOf}, "\x01")
}

// Keywords reads a prompt that is too short for a sentence as keywords. A comma or "or"
// separates two, and "not" begins exclusions. Words of a request ("posts about") are left
// out at the beginning. The selection has no group if the prompt has no word.
func Keywords(prompt string) Selection {
	w := read(Prompt{Text: prompt})
	written := readable(prompt)
	var s Selection
	var found []string
	var phrase run
	not := false
	end := func() {
		for len(phrase) > 1 && phrase[0].kind == word && phrase[0].is(stopWord|frameWord|aboutWord|ofWord) && !acronym(phrase[0].text) {
			phrase = phrase[1:]
		}
		if len(phrase) > 0 {
			p := clip(strings.Trim(written[phrase[0].from:phrase[len(phrase)-1].to], "\"“”„«»「」`' "))
			switch {
			case !hasWord(p):
			case not:
				s.Not = union(s.Not, []string{p})
			default:
				found = union(found, []string{p})
			}
		}
		phrase = nil
	}
	for _, t := range w.tokens {
		switch {
		case t.is(notWord):
			end()
			not = true
		case !t.content() || t.is(orWord):
			end()
		default:
			phrase = append(phrase, t)
		}
	}
	end()
	s.Not = s.Not[:min(len(s.Not), watchpost.MaxConstraints)]
	if len(found) > 0 {
		s.Groups = []Group{{Any: found[:min(len(found), watchpost.MaxKeywords)]}}
	}
	return s
}

// IsPlace reports whether a word is a name of a place, or one of its words in posts.
func IsPlace(word string) bool {
	norm := text.Normalize(word)
	if loaded().places[norm] != nil {
		return true
	}
	for _, p := range loaded().places {
		if slices.ContainsFunc(p.words, func(w string) bool { return text.Normalize(w) == norm }) {
			return true
		}
	}
	return false
}
