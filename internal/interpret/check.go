package interpret

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"watchpost/internal/reference"
)

// Minimum lengths of a prompt.
const (
	minWords = 6
	minChars = 30
)

// Check returns why a prompt is refused, for any interpreter, or nil. It checks
// the reasons in the order of Reasons and returns the first that applies. Two
// reasons are checked elsewhere: no_subject by the interpreter, inferred_slots
// by CheckInferred.
func Check(prompt string) *Refused {
	tokens := tokenise(prompt)
	if links, profile := bare(tokens); len(links) > 0 {
		if profile {
			return refuseProfile(links)
		}
		return refuseURL(links)
	}
	if found := placeholders(prompt); len(found) > 0 {
		return refusePlaceholder(prompt, found)
	}
	words, chars := size(prompt)
	if words < minWords || chars < minChars {
		return refuseShort(prompt, words, chars)
	}
	if odd, ok := gibberish(tokens); ok {
		return &Refused{
			Reason: Gibberish, Missing: []string{SlotSubject}, Detected: map[string]any{"unreadable": list(odd[:min(len(odd), 10)])},
			Example: exampleOf(nil, wish{}, ""),
		}
	}
	if found, ok := ownEngagement(tokens); ok {
		return &Refused{
			Reason: OwnEngagement, Missing: []string{SlotSubject}, Detected: map[string]any{"request": shorten(found, exampleChars)},
			Example:  exampleOf(nil, wish{}, "content marketing"),
			Question: "A watchlist finds what others write; it brings no engagement to your own posts. Which topic do the people you want to reach write about?",
		}
	}
	return nil
}

// CheckInferred returns the refusal of a result with inferred slots, for a
// caller in strict mode, or nil.
func CheckInferred(r Result, prompt string) *Refused {
	missing := r.Inferred()
	if len(missing) == 0 {
		return nil
	}
	return &Refused{
		Reason: InferredSlots, Missing: missing, Detected: map[string]any{"interpretation": r.Interpretation()},
		Example: exampleOf(&r, read(Prompt{Text: prompt}), ""), Question: inferredQuestion(missing),
	}
}

func inferredQuestion(missing []string) string {
	switch missing[0] {
	case SlotLocation:
		return "Which places exactly should the posts speak of?"
	case SlotExclusions:
		return "Which words exactly should the posts not have?"
	case SlotKeywords:
		return "Which words exactly should the posts have?"
	}
	return "Is this what you meant?"
}

// size counts the words and characters of a prompt. In scripts without spaces,
// two characters count as a word.
func size(prompt string) (words, chars int) {
	s := foldSpace(readable(prompt))
	unspaced := 0
	for f := range strings.FieldsSeq(s) {
		n := 0
		for _, r := range f {
			if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) {
				n++
			}
		}
		switch {
		case n > 1:
			unspaced += n
		case hasWord(f):
			words++
		}
	}
	return words + unspaced/2, utf8.RuneCountInString(s)
}

// Each refusal has an example prompt that is itself never refused, even in
// strict mode: its subject is in quotes.

// exampleChars bounds the part of a prompt that an example repeats.
const exampleChars = 60

// exampleOf writes a prompt without inferred slots, in the language of the wish
// and with the content of the wish or of a result.
func exampleOf(r *Result, w wish, subject string) string {
	v := w.vocab
	if v == nil || !w.known || v.example == "" {
		v = loaded().languages["en"]
	}
	where, without := "Germany", "webinar"
	if r != nil {
		subject = r.Keywords[0].Keyword
		if x := r.Keywords[0].Excluded; len(x) > 0 && quotable(x[0]) != "" {
			without = quotable(x[0])
		}
	} else if subject == "" && v == w.vocab {
		if subject = build(w).Subject; subject == "" {
			subject = w.longest
		}
		if i := strings.IndexAny(subject, ","); i > 0 {
			subject = subject[:i]
		}
	}
	if len(w.places) > 0 {
		where = w.places[0].name
	}
	for _, s := range []string{quotable(subject), "Kubernetes security"} {
		if s != "" && !occurs(without, s) && !occurs(s, without) {
			if e := fmt.Sprintf(v.example, s, where, without); accepted(e) {
				return e
			}
		}
	}
	return `Posts about "Kubernetes security" in Germany, without "webinar"`
}

// accepted reports whether a prompt would be accepted in strict mode. It does
// not call Check, which builds examples itself.
func accepted(prompt string) bool {
	tokens := tokenise(prompt)
	links, _ := bare(tokens)
	words, chars := size(prompt)
	if len(links) > 0 || len(placeholders(prompt)) > 0 || words < minWords || chars < minChars {
		return false
	}
	if _, ok := gibberish(tokens); ok {
		return false
	}
	if _, ok := ownEngagement(tokens); ok {
		return false
	}
	r, err := Vet(build(read(Prompt{Text: prompt})), prompt)
	return err == nil && len(r.Inferred()) == 0
}

// quotable returns text in a form that can be quoted in an example, or "".
func quotable(s string) string {
	s = foldSpace(strings.Map(func(r rune) rune {
		if strings.ContainsRune("\"“”„«»[]{}<>", r) {
			return -1
		}
		return r
	}, s))
	if utf8.RuneCountInString(s) > exampleChars || !hasWord(s) {
		return ""
	}
	return s
}

func refuseProfile(links []token) *Refused {
	person := links[0]
	for _, l := range links {
		if _, ok := l.profile(); ok {
			person = l
			break
		}
	}
	return &Refused{
		Reason: BareProfileLink, Missing: []string{SlotSubject}, Detected: map[string]any{"profile_links": linksOf(links)},
		Example:  exampleOf(nil, wish{}, linkName(person)),
		Question: "Which topic should the posts be about? To follow what one person posts, create a people watchlist with the profile instead.",
	}
}

func refuseURL(links []token) *Refused {
	question := "What should the posts say about this page, and who should write them?"
	if ref, err := reference.ParseCompany(links[0].text); err == nil && ref.Slug+ref.ID != "" {
		question = "Which topic should the posts be about? To follow what one company posts, create a company watchlist with it instead."
	}
	return &Refused{
		Reason: BareURL, Missing: []string{SlotSubject}, Detected: map[string]any{"urls": linksOf(links)},
		Example: exampleOf(nil, wish{}, linkName(links[0])), Question: question,
	}
}

func linksOf(links []token) []string {
	var out []string
	for _, l := range links {
		out = append(out, l.text)
	}
	return out
}

func refusePlaceholder(prompt string, found []string) *Refused {
	shown := distinct(found, 20)
	rest := readable(prompt)
	for _, p := range found {
		rest = strings.ReplaceAll(rest, p, " ")
	}
	w := read(Prompt{Text: rest})
	return &Refused{
		Reason: Placeholder, Missing: shown, Detected: map[string]any{"placeholders": shown}, Example: exampleOf(nil, w, ""),
		Question: "What should stand in place of " + shorten(shown[0], exampleChars) + "?",
	}
}

func refuseShort(prompt string, words, chars int) *Refused {
	w := read(Prompt{Text: prompt})
	detected := detect(w)
	detected["words"], detected["characters"] = words, chars
	missing := []string{}
	if detected[SlotSubject] == nil {
		missing = append(missing, SlotSubject)
	}
	if words < minWords {
		missing = append(missing, "words")
	}
	if chars < minChars {
		missing = append(missing, "characters")
	}
	return &Refused{
		Reason: TooShort, Missing: missing, Detected: detected, Example: exampleOf(nil, w, ""),
		Question: "Who should the posts be from, where, and what should be left out?",
	}
}

func refuseSubject(w wish) *Refused {
	question := "What should the posts be about? Name a product, company or topic."
	if !w.known {
		question = "Which words should the posts have? Put them in quotes, or write names with a capital."
	}
	return &Refused{Reason: NoSubject, Missing: []string{SlotSubject}, Detected: detect(w), Example: exampleOf(nil, w, ""), Question: question}
}

// detect returns the content of a prompt, slot by slot.
func detect(w wish) map[string]any {
	out := map[string]any{}
	b := &builder{wish: w, guessed: map[string]bool{}}
	b.collect()
	b.exclude()
	if s := b.subject(); s != "" {
		out[SlotSubject] = s
	}
	var where []string
	for _, p := range w.places {
		where = append(where, p.name)
	}
	for name, values := range map[string][]string{SlotLocation: where, SlotRole: b.who(), SlotExclusions: b.excludes} {
		if len(values) > 0 {
			out[name] = values
		}
	}
	if w.language != "" {
		out[SlotLanguage] = w.language
	}
	if !slices.Contains([]string{"", "en"}, w.vocab.language) {
		out["prompt_language"] = w.vocab.language
	}
	return out
}

// RefuseSubject returns the refusal of a prompt in which an interpreter finds
// no subject, with an optional question.
func RefuseSubject(prompt Prompt, question string) *Refused {
	r := refuseSubject(read(prompt))
	if q := printable(question, maxObjective); hasWord(q) {
		r.Question = q
	}
	return r
}
