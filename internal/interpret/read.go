package interpret

import "slices"

// run is a phrase of adjacent words.
type run []token

// item is a conjunction of groups of alternatives. In prose it is one element of
// a list: its first group names it, the others follow a preposition, and each has
// one run. In a boolean expression each group is required.
type item struct {
	groups [][]run
	strict bool
	// also means that the item and the item before it form one topic.
	also bool
	// example means that the item follows "such as".
	example bool
}

// wish is a parsed prompt, before it is converted to entries.
type wish struct {
	items    []item // alternative subjects
	heads    []run  // words before "about": usually who writes
	must     [][]run
	excluded []item
	places   []*place
	intents  []*intent
	labels   []run
	language string // of the posts
	hours    int    // between scans; 0 if not stated
	aims     []string
	vocab    *vocabulary
	known    bool   // the language has word classes
	longest  string // the longest word of a prompt in which nothing else was recognized
	ours     bool   // competitors or a product of the writer
}

// read parses a prompt.
func read(prompt Prompt) wish {
	tokens := tokenise(prompt.Text)
	var words []string
	for _, t := range tokens {
		if t.kind == word && t.class == 0 {
			words = append(words, t.norm)
		}
	}
	code, known := detectLanguage(words)
	w := wish{known: known}
	if !known {
		code = "en"
	}
	w.vocab = loaded().languages[code]
	var hours int
	tokens, hours = frequency(tokens)
	w.hours = hours
	tokens = annotate(tokens, w.vocab)
	for i, t := range tokens[:max(len(tokens)-1, 0)] {
		w.ours = w.ours || t.class&meWord != 0 && lookup("rivals", tokens[i+1].norm) != ""
	}
	if prompt.Forum {
		tokens = outsideCommunities(tokens)
	}
	if !known {
		w.names(tokens)
		return w
	}
	if w.boolean(tokens) {
		return w
	}
	sentences := slices.Collect(split(tokens))
	carried := wanted // a line that ends with a colon applies to the list below it
	for _, s := range sentences {
		if s[len(s)-1].text == ":" {
			carried = wanted // another list
		}
		m := w.sentence(s, len(sentences), carried)
		switch last := s[len(s)-1]; {
		case last.text == ":":
			carried = m
		case s[0].first && !s[0].line:
			carried = wanted
		}
	}
	return w
}

// split splits tokens into sentences.
func split(tokens []token) func(func([]token) bool) {
	return func(yield func([]token) bool) {
		from := 0
		for i := 0; i <= len(tokens); i++ {
			if i < len(tokens) && tokens[i].kind != stop && tokens[i].text != "\n" {
				continue
			}
			if i > from && !yield(tokens[from:i]) {
				return
			}
			from = i + 1
		}
	}
}

// names reads the parts of a prompt in an unsupported language that need no
// grammar: quoted phrases, hashtags and names.
func (w *wish) names(tokens []token) {
	var r run
	flush := func() {
		if len(r) > 0 {
			w.items = append(w.items, item{groups: [][]run{{r}}})
		}
		r = nil
	}
	for _, t := range tokens {
		switch {
		case t.kind == quoted || t.kind == hashtag:
			flush()
			r = run{t}
			flush()
		case t.kind == word && !t.first && (capital(t.text) || acronym(t.text)):
			if t.place != nil {
				flush()
				w.places = append(w.places, t.place)
				continue
			}
			r = append(r, t)
		default:
			flush()
		}
	}
	flush()
	for _, t := range tokens {
		if len(w.items) == 0 && t.kind == word && t.class == 0 && len(t.text) > len(w.longest) {
			w.longest = t.text
		}
	}
}
