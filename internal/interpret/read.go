package interpret

import "slices"

// run is a phrase of adjacent words.
type run []token

// item is a conjunction of groups of alternatives. In prose it is one element of
// a list: its first group names it, the others follow a preposition, and each has
// one run. In a boolean expression each group is required.
type item struct {
	groups  [][]run
	strict  bool
	also    bool // it forms one topic with the item before it
	example bool // it follows "such as"
	line    int  // the sentence that it is in
	listed  bool // it has its own line
	shared  bool // it follows a comparison, and applies to all items of it
}

// runs returns the runs of all groups.
func (it item) runs() []run { return slices.Concat(it.groups...) }

// wish is a parsed prompt, before it is converted to entries.
type wish struct {
	items    []item // alternative subjects
	heads    []run  // words before "about": usually who writes
	must     [][]run
	excluded []run
	places   []*place
	intents  []*intent
	labels   []run
	language string // of the posts
	hours    int    // between scans; 0 if not stated
	aims     []string
	lines    int // sentences read
	vocab    *vocabulary
	known    bool    // the language has word classes
	longest  string  // the longest word of a prompt in which nothing else was recognized
	ours     bool    // competitors or a product of the writer
	offer    run     // what the writer sells
	source   []token // all tokens of the prompt
	tokens   []token // the same with classes, without time expressions
	timed    []token // those that state hours
	purpose  []token // those of aims
	kinded   []kindList
}

// aim notes the purpose of the posts.
func (w *wish) aim(tokens []token) {
	w.aims, w.purpose = append(w.aims, texts(tokens)), append(w.purpose, tokens...)
}

// read parses a prompt: a boolean expression, or sentences.
func read(prompt Prompt) wish {
	tokens := tokenise(prompt.Text)
	var words []string
	for _, t := range tokens {
		if t.kind == word && t.class == 0 {
			words = append(words, t.norm)
		}
	}
	var w wish
	code, known := detectLanguage(words)
	if w.known = known; !known {
		code = "en"
	}
	w.vocab = loaded().languages[code]
	w.source = tokens
	tokens, w.hours, w.timed = frequency(tokens)
	tokens = annotate(tokens, w.vocab)
	w.readKinds(tokens)
	w.tokens = tokens
	for i, t := range tokens[:max(len(tokens)-1, 0)] {
		w.ours = w.ours || t.is(meWord) && lookup("rivals", tokens[i+1].norm) != ""
	}
	if prompt.Forum {
		tokens = outsideCommunities(tokens)
	}
	switch {
	case !known:
		w.names(tokens)
	case isBoolean(tokens):
		e := &expression{wish: &w, tokens: tokens}
		for e.at = 0; e.at < len(tokens); e.at++ { // unbalanced brackets, or another sentence
			w.items = conjoin(w.items, e.either())
		}
	default:
		w.prose(tokens)
	}
	return w
}

// prose parses sentences. A line that ends with a colon applies to the list
// below it.
func (w *wish) prose(tokens []token) {
	var sentences [][]token
	from := 0
	for i := 0; i <= len(tokens); i++ {
		if i == len(tokens) || tokens[i].kind == stop || tokens[i].text == "\n" {
			if i > from {
				sentences = append(sentences, tokens[from:i])
			}
			from = i + 1
		}
	}
	carried := wanted
	for _, s := range sentences {
		header := s[len(s)-1].text == ":"
		if header || s[0].first && !s[0].line {
			carried = wanted
		}
		if m := w.sentence(s, len(sentences) > 1, carried); header {
			carried = m
		}
	}
}

// names reads the parts of a prompt in an unsupported language that need no
// grammar: quoted phrases, hashtags and names.
func (w *wish) names(tokens []token) {
	r := &reader{wish: w}
	for _, t := range tokens {
		name := t.kind == word && !t.first && (capital(t.text) || acronym(t.text))
		if t.kind == quoted || t.kind == hashtag || !name || t.place != nil {
			r.endItem()
		}
		switch {
		case t.place != nil && name:
			w.places = append(w.places, t.place)
		case t.kind == quoted || t.kind == hashtag:
			r.run = run{t}
			r.endItem()
		case name:
			r.run = append(r.run, t)
		case t.kind == word && t.class == 0 && len(t.text) > len(w.longest):
			w.longest = t.text
		}
	}
	r.endItem()
	w.items = r.items
}
