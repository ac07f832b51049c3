package interpret

import (
	"slices"
	"strings"

	"watchpost"
)

// variants returns the keywords that stand for a phrase, its own form first:
// the other names of the thing, the other number, the other spellings. Posts
// are matched to the letter, so that without them data engineer would not find
// data engineers.
func variants(words []token, role bool) []string {
	phrase := texts(words)
	names := sameThing(words, phrase)
	var out []string
	for i, name := range names {
		out = append(out, name)
		// Names that the table gives are complete.
		if i == 0 || termIndex[watchpost.Normalise(name)] == 0 {
			out = append(out, otherNumber(name, role && !isAcronym(phrase))...)
		}
	}
	for _, text := range slices.Clone(out) {
		out = append(out, otherSpelling(text)...)
	}
	return distinct(out, maxVariants)
}

// sameThing returns a phrase and the other names of what it means: of all of
// it, or, where that is a matter of spelling, of a part of it.
func sameThing(words []token, phrase string) []string {
	out := []string{phrase}
	if names := namesOf(norms(words)); names != nil {
		if quietNamed(norms(words)) {
			out = nil
		}
		return append(out, names...)
	}
	if names := namesOf(singular(norms(words))); names != nil {
		return append(out, names...)
	}
	for i := range words {
		for n := min(maxTerm, len(words)-i); n > 0; n-- {
			if n == len(words) {
				continue
			}
			g := termIndex[norms(words[i:i+n])]
			if g == 0 || !groups[g].spellings || quietNamed(norms(words[i:i+n])) && (i > 0 || !capitalised(words[i].text)) {
				continue
			}
			for _, name := range groups[g].names {
				out = append(out, join(texts(words[:i]), name.text, texts(words[i+n:])))
			}
			return out
		}
	}
	return out
}

// namesOf returns the names to look for of the thing that a phrase names.
func namesOf(phrase string) []string {
	g := termIndex[phrase]
	if g == 0 {
		return nil
	}
	names := []string{}
	for _, n := range groups[g].names {
		if !n.quiet {
			names = append(names, n.text)
		}
	}
	return names
}

// quietNamed reports whether a name is never looked for by itself.
func quietNamed(phrase string) bool {
	g := termIndex[phrase]
	return g != 0 && slices.ContainsFunc(groups[g].names, func(t term) bool {
		return t.quiet && watchpost.Normalise(t.text) == phrase
	})
}

// otherNumber returns the singular of a plural, and of a role also the plural.
func otherNumber(text string, role bool) []string {
	head, last := cutLast(text)
	lower := strings.ToLower(last)
	if s := acronymSingular(head, last); s != nil {
		return s
	}
	if role {
		s := singularRole(lower)
		if _, ok := roleHeads[s]; !ok || isAcronym(last) || last != lower && !capitalised(last) {
			return nil
		}
		return []string{join(head, keepCase(last, s)), join(head, keepCase(last, plural(s)))}
	}
	if s := singular(lower); s != lower && last == lower && !function[s] && !filler[s] && !request[s] { // a capital shows a name: GitHub Actions
		return []string{join(head, s)}
	}
	return nil
}

// acronymSingular returns the singular of CTOs, LLMs and the like.
func acronymSingular(head, last string) []string {
	if cut, ok := strings.CutSuffix(last, "s"); ok && len(cut) > 1 && isAcronym(cut) {
		return []string{join(head, cut)}
	}
	return nil
}

// otherSpelling returns the American spelling of a British word and the other
// way round.
func otherSpelling(text string) []string {
	var out []string
	for _, pair := range [][2]string{
		{"isation", "ization"}, {"ising", "izing"}, {"our economy", "or economy"}, {"labour", "labor"}, {"behaviour", "behavior"},
		{"colour", "color"}, {"centre", "center"}, {"programme", "program"}, {"defence", "defense"}, {"modelling", "modeling"}, {"counselling", "counseling"},
		{"onboarding", "on-boarding"},
	} {
		for i := range pair {
			if pair[i] == "ising" || pair[i] == "izing" {
				if !izing(text) {
					continue
				}
			} else if pair[i] == "program" && !strings.HasSuffix(text, "program") || pair[i] == "onboarding" || pair[i] == "program" {
				continue
			}
			if strings.Contains(text, pair[i]) && !strings.Contains(text, pair[0]+"s "+pair[1]) {
				out = append(out, strings.Replace(text, pair[i], pair[1-i], 1))
				break
			}
		}
	}
	return out
}

// izing reports whether a word ends like optimising, and not like advertising.
func izing(text string) bool {
	for _, w := range []string{"advertising", "fundraising", "rising", "raising", "pricing", "merchandising", "sizing", "franchising", "exercising", "promising", "surprising"} {
		if strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// keepCase gives a word the capital that another begins with.
func keepCase(like, w string) string {
	if capitalised(like) && w != "" {
		return strings.ToUpper(w[:1]) + w[1:]
	}
	return w
}

func cutLast(text string) (head, last string) {
	if i := strings.LastIndexByte(text, ' '); i >= 0 {
		return text[:i], text[i+1:]
	}
	return "", text
}

// join joins what is not empty with spaces.
func join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}

// distinct returns the first n texts that differ when they are matched.
func distinct(texts []string, n int) []string {
	var out []string
	seen := make(map[string]bool)
	for _, t := range texts {
		if key := watchpost.Normalise(t); key != "" && !seen[key] && len(out) < n {
			seen[key] = true
			out = append(out, t)
		}
	}
	return out
}

func sorted(words []string) []string {
	slices.Sort(words)
	return words
}
