package interpret

import "slices"

// lists: what stands once in a list and is meant of all that it lists.

// withAuthors gives a job search the roles of those who search.
func withAuthors(w wish) []item {
	var items []item
	for _, it := range w.topics {
		if it.with == nil || !it.with.person || len(it.words) > 0 || len(w.authors) == 0 {
			items = append(items, it)
			continue
		}
		for _, a := range w.authors {
			items = append(items, item{words: a, with: it.with, said: it.said})
		}
	}
	return items
}

// loneWords takes out of a list the words that only tell more of the rest of
// it, as in: data engineers, remote only.
func (b *built) loneWords(items []item) []item {
	var out []item
	for i, it := range items {
		if words := trimTopic(it.words); i > 0 && len(words) > 0 && demanded[words[0].norm] && (len(words) == 1 || len(words) == 2 && levelNouns[words[1].norm]) {
			b.required = append(b.required, []string{words[0].text})
			continue
		}
		if words := trimTopic(it.words); i > 0 && len(words) > 0 && it.words[0].norm == "only" {
			b.required = append(b.required, []string{texts(words)})
			continue
		}
		if n := len(it.words); i > 0 && n > 0 && (it.words[n-1].norm == "it" || it.words[n-1].norm == "them") {
			if last := len(out) - 1; last >= 0 && out[last].with == nil {
				out[last].with, out[last].said = it.with, it.said // who use X and are unhappy with it
			}
			continue // … and regret it
		}
		if words := trimTopic(it.words); i > 0 && it.with != nil && len(words) == 1 && instead[words[0].norm] {
			continue // unhappy with X and looking for an alternative
		}
		out = append(out, it)
	}
	return out
}

// instead are words for what would take the place of what was said before.
var instead = wordSet(`alternative alternatives replacement replacements option options substitute substitutes`)

var levelNouns = wordSet(`level role roles position positions only`)

// shareScenes gives the names of a list what stands before its first one:
// layoffs at Google, Meta or Amazon; AI in healthcare and education.
func shareScenes(items []item) []item {
	items = slices.Clone(items)
	for i := 1; i < len(items); i++ {
		before, words := items[i-1].words, trimTopic(items[i].words)
		if plainWord(words) && items[i].with == items[i-1].with && (items[i].pair || items[i].joint == either) {
			first := trimTopic(before)
			if len(first) == 2 && first[0].kind == word && capitalised(first[0].text) && !capitalised(first[1].text) && !isRole(first[1].norm) && !fixed[norms(first)] {
				items[i].words, items[i].pair = slices.Concat(first[:1], words), false // AI safety and policy
				continue
			}
			if key, rest := split(first); len(rest) > 0 && rest[0].kind == word && (capitalised(key[0].text) || key[0].kind != word) {
				items[i].words, items[i].pair = slices.Concat(key, words), false // Salesforce pricing and support
				continue
			}
		}
		at := -1
		for j, t := range before {
			if t.kind == word && joinsScenes[t.norm] {
				at = j
			}
		}
		if at < 1 || at == len(before)-1 || len(words) == 0 || len(words) > 2 || items[i].with != items[i-1].with || generically(before[:at]) || items[i].joint == also {
			continue
		}
		names := capitalised(before[at+1].text) && capitalised(words[0].text)
		alike := len(words) == 1 && !capitalised(words[0].text) && (termIndex[words[0].norm] == 0) == (termIndex[before[at+1].norm] == 0)
		plain := alike && (items[i].pair || items[i].joint == either) && len(before) == at+2
		if words[0].kind == word && (names || plain) {
			items[i].words = slices.Concat(before[:at+1], words)
			items[i].pair = false
		}
	}
	return items
}

// plainWord reports whether words are a single one, and no name.
func plainWord(words []token) bool {
	return len(words) == 1 && words[0].kind == word && termIndex[words[0].norm] == 0 && !capitalised(words[0].text)
}

var joinsScenes = wordSet(`at in for from with to by on about among between against`)

// shareAttributes gives the names of a list what only the last one has beside
// it: Snowflake, Databricks and BigQuery costs.
func shareAttributes(items []item) []item {
	items = slices.Clone(items)
	for i := len(items) - 2; i >= 0; i-- {
		this, next := trimTopic(items[i].words), trimTopic(items[i+1].words)
		n := len(next) - 1
		if n < 1 || next[n].kind != word || !attributes[next[n].norm] || items[i].with != items[i+1].with || items[i+1].joint == also || !isName(this) || !isName(next[:n]) {
			continue
		}
		items[i].words = slices.Concat(this, next[n:])
	}
	return items
}

// isName reports whether words are one name, of a thing that is known or by
// their capitals.
func isName(words []token) bool {
	for _, w := range words {
		if w.kind == word && !capitalised(w.text) && termIndex[norms(words)] == 0 {
			return false
		}
	}
	return len(words) > 0 && !isRole(words[len(words)-1].norm)
}

// shareHeads gives the parts of a list the role that only its last one has:
// frontend and backend developers.
func shareHeads(items []item) []item {
	items = slices.Clone(items)
	for i := len(items) - 2; i >= 0; i-- {
		this, next := trimTopic(items[i].words), trimTopic(items[i+1].words)
		if len(this) == 0 || len(next) < 2 || items[i].with != items[i+1].with || this[0].kind != word {
			continue
		}
		head, heads := next[len(next)-1], next[len(next)-1:]
		if n := len(next); n > 2 && openings[head.norm] && isRole(next[n-2].norm) {
			heads = next[n-2:]
		}
		if roles := isRole(this[len(this)-1].norm); roles && openings[head.norm] && isRole(next[len(next)-2].norm) {
			items[i].words = slices.Concat(this, next[len(next)-1:]) // Data Analyst and Data Engineer positions
			if demanded[this[0].norm] && !demanded[next[0].norm] {
				items[i+1].words = slices.Concat(this[:1], next)
			}
			continue
		} else if roles || len(this) > 2 || !isRole(head.norm) && !openings[head.norm] || notRole(next) {
			continue
		}
		if g := termIndex[norms(this)]; items[i].with == nil && g != 0 && groups[g].telling && !openings[head.norm] {
			continue
		}
		items[i].words = slices.Concat(this, heads)
	}
	return items
}
