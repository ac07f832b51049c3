package dashboard

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"watchpost/internal/interpret"
	"watchpost/internal/words"
	"watchpost/watchpost"
)

// sentenceForm is the part of a form that a sentence was understood as.
type sentenceForm struct {
	Sentence string               // as it was read; "" if it was not
	Short    bool                 // it was read as keywords
	Added    []string             // words that do not come from the sentence
	Chips    *interpret.Selection // nil: the form has its keywords as fields
	Open     string               // the chip whose editor is open: list and word
}

// chipRow is a list of words of a selection, or a condition, as chips.
type chipRow struct {
	Key, Name, Add string
	Any            string // of a condition, without values
	From           string // says which words of the sentence its values come from
	Begins, Place  bool   // of a group
	Not            bool
	Chips          []wordChip
}

// wordChip is a word of a selection, or a value of a condition.
type wordChip struct {
	Word  string
	Name  string // of a value
	Added bool
	Uses  []choice // the lists that its editor offers; nil: it is closed
}

// notKey is the list of words that must not occur. "any.0" is the one of the keywords of
// the first group, and "with.0.1" its second list of words: one of them must occur.
const notKey = "not"

// maxChips bounds the words of a list that are read. A watchlist may have fewer, so the
// team refuses such a list.
const maxChips = 2 * watchpost.MaxKeywords

// readPrompt interprets a prompt and shows the result.
func (d watchlistPages) readPrompt(w http.ResponseWriter, r *http.Request, v *visit, f *watchlistForm) error {
	result, err := d.Interpret(r.Context(), f.typ, f.Prompt)
	var refused *interpret.Refused
	switch {
	case errors.As(err, &refused) && refused.Reason == interpret.TooShort && len(interpret.Keywords(f.Prompt).Groups) > 0:
		f.readKeywords(interpret.Keywords(f.Prompt))
		f.Conditions = saidConditions(nil, interpret.Kinds(f.Prompt))
		return d.showPreview(w, r, v, f)
	case errors.As(err, &refused):
		f.Errors = append(f.Errors, fieldError{"prompt", v.say.Text(promptRefusals[refused.Reason])})
		f.Question, f.Example, f.Read = refused.Question, refused.Example, false
		return f.render(w, http.StatusUnprocessableEntity)
	case err != nil && watchpost.KindOf(err) == watchpost.Invalid:
		f.Errors, f.Read = append(f.Errors, fieldError{"prompt", v.say.Text("watchlist.say_in_one_sentence_what_you")}), false
		return f.render(w, http.StatusUnprocessableEntity)
	case err != nil:
		return err
	}
	f.readAs(result.Keywords)
	f.Objective, f.Interpreter, f.Labels = result.Objective, result.Interpreter, labelLines(result.Labels)
	f.Name = watchpost.AutoName(f.typ, []string{result.Subject})
	if frequency, err := watchpost.ParseFetchFrequency(float64(result.Hours)); err == nil {
		f.every(frequency)
	}
	f.Conditions = saidConditions(result.Slots, result.Kinds)
	return f.render(w, http.StatusOK)
}

// saidConditions are the conditions that a sentence states. A model may have named what no
// condition has.
func saidConditions(slots []interpret.Slot, kinds []string) (said watchpost.WatchlistConditions) {
	take := func(field string, values []string) (known []string) {
		for _, v := range values {
			if next, err := watchpost.CleanWatchlistCondition(field, append(known, v)); err == nil {
				known = next
			}
		}
		return known
	}
	for _, s := range slots {
		switch s.Name {
		case interpret.SlotLanguage:
			said.Languages = take("languages", s.Values)
		case interpret.SlotSeniority:
			said.Levels = take("seniority_levels", s.Values)
		}
	}
	said.Types = take("post_types", kinds)
	return said
}

// promptRefusals say why a prompt makes no watchlist.
var promptRefusals = map[string]string{
	interpret.BareProfileLink: "watchlist.this_is_only_the_address_of",
	interpret.BareURL:         "watchlist.this_is_only_an_address_say",
	interpret.Placeholder:     "watchlist.a_placeholder_in_brackets_is_still",
	interpret.TooShort:        "watchlist.say_a_little_more_at_least",
	interpret.Gibberish:       "watchlist.no_words_could_be_made_out",
	interpret.OwnEngagement:   "watchlist.posts_of_your_own_are_not",
	interpret.NoSubject:       "watchlist.say_what_the_posts_should_be",
}

// readAs has the form show the keywords of its prompt.
func (f *watchlistForm) readAs(keywords []watchpost.KeywordEntry) {
	f.Read, f.Entries = true, entriesOf(keywords)
	f.sentenceForm = sentenceForm{Sentence: f.Prompt, Added: interpret.Added(f.Prompt, keywords)}
	f.chip()
}

// recall takes the stored sentence of a watchlist. No word counts as added: members have
// seen them all.
func (f *watchlistForm) recall(w watchpost.Watchlist) {
	if w.Type.HasKeywords() {
		f.Sentence, f.Interpreter, f.Added, f.Short = w.Prompt, w.Interpreter, nil, false
	}
}

// chip shows the entries as chips, if chips can say the same.
func (f *watchlistForm) chip() {
	draft := *f
	f.Chips = nil
	if s, ok := interpret.Grouped(draft.keywords()); ok {
		f.choose(s)
	}
}

// choose takes a selection in place of the entries.
func (f *watchlistForm) choose(s interpret.Selection) {
	f.Chips, f.Entries = &s, entriesOf(s.Entries())
}

// readKeywords takes a prompt that is too short for a sentence as keywords.
func (f *watchlistForm) readKeywords(s interpret.Selection) {
	f.Read, f.Interpreter, f.Objective, f.Labels = true, interpret.ByRules, "", ""
	f.sentenceForm = sentenceForm{Sentence: f.Prompt, Short: true}
	f.Name = watchpost.AutoName(f.typ, s.Groups[0].Any)
	f.choose(s)
}

// takeSentence fills the form with the sent chips, and with the word of an open editor.
func (f *watchlistForm) takeSentence(form url.Values) {
	f.sentenceForm = sentenceForm{
		Sentence: form.Get("sentence"), Short: form.Get("short") != "", Added: form["added"],
	}
	if form.Get("chips") == "" || !f.Read {
		return
	}
	sent := func(key string) []string { return form[key][:min(len(form[key]), maxChips)] }
	s := interpret.Selection{Not: sent(notKey)}
	for i := 0; i < watchpost.MaxKeywords && form.Has(listKey("any", i)); i++ {
		g := interpret.Group{Any: sent(listKey("any", i))}
		for j := 0; j < watchpost.MaxConstraints && form.Has(listKey("with", i, j)); j++ {
			g.With = append(g.With, sent(listKey("with", i, j)))
		}
		s.Groups = append(s.Groups, g)
	}
	if len(s.Groups) == 0 {
		s.Groups = []interpret.Group{{}}
	}
	if key, word, open := strings.Cut(form.Get("open"), ":"); open {
		move(&s, key, word, form.Get("use"), wordsOf(form.Get("word")))
	}
	f.choose(tidied(s))
}

func listKey(name string, at ...int) string {
	for _, i := range at {
		name += "." + strconv.Itoa(i)
	}
	return name
}

// listOf returns the list of a key, or nil. The list behind the last one of a group is
// a new one.
func listOf(s *interpret.Selection, key string) *[]string {
	if key == notKey {
		return &s.Not
	}
	name, at, _ := strings.Cut(key, ".")
	group, list, _ := strings.Cut(at, ".")
	i, err := strconv.Atoi(group)
	if err != nil || i < 0 || i >= len(s.Groups) {
		return nil
	}
	g := &s.Groups[i]
	if name == "any" {
		return &g.Any
	}
	j, err := strconv.Atoi(list)
	if err != nil || j < 0 || j > len(g.With) {
		return nil
	}
	if j == len(g.With) {
		g.With = append(g.With, nil)
	}
	return &g.With[j]
}

// move replaces a word of a list by words of the same list or of another one. A list
// that does not exist drops them.
func move(s *interpret.Selection, from, word, to string, words []string) {
	source, target := listOf(s, from), listOf(s, to)
	at := -1
	if source != nil && word != "" {
		if at = slices.Index(*source, word); at >= 0 {
			*source = slices.Delete(*source, at, at+1)
		}
	}
	if target == nil {
		return
	}
	if target != source || at < 0 {
		at = len(*target)
	}
	for _, w := range words {
		if !slices.Contains(*target, w) {
			*target = slices.Insert(*target, at, w)
			at++
		}
	}
}

// tidied leaves out empty lists, and groups without a keyword, except the last one.
func tidied(s interpret.Selection) interpret.Selection {
	for i := range s.Groups {
		s.Groups[i].With = slices.DeleteFunc(s.Groups[i].With, func(list []string) bool { return len(list) == 0 })
	}
	kept := slices.DeleteFunc(slices.Clone(s.Groups), func(g interpret.Group) bool { return len(g.Any) == 0 })
	if len(kept) == 0 {
		kept = s.Groups[:1]
	}
	s.Groups = kept
	return s
}

// changeChips does what a button of the chips asks for. done is false for another button.
func (f *watchlistForm) changeChips(do string) (done bool) {
	verb, of, _ := strings.Cut(do, ":")
	if f.changeConditions(verb, of) || f.Chips == nil && do == "keep" {
		return true
	}
	if f.Chips == nil || !slices.Contains([]string{"keep", "edit", "take", "use", "phrase", "fields"}, verb) {
		return false
	}
	s := *f.Chips
	key, word, _ := strings.Cut(of, ":")
	switch verb {
	case "edit":
		f.Open = of
	case "take":
		move(&s, key, word, "", nil)
	case "use":
		for i, g := range s.Groups {
			move(&s, "", "", listKey("with", i, len(g.With)), []string{of})
		}
	case "phrase":
		s.Groups = []interpret.Group{{Any: []string{strings.Join(strings.Fields(f.Sentence), " ")}}}
	}
	f.choose(tidied(s))
	if verb == "fields" {
		f.Chips = nil
	}
	return true
}

// ChipRows are the lists of the selection.
func (f *watchlistForm) ChipRows() (rows []chipRow) {
	for i, g := range f.Chips.Groups {
		row := f.row(listKey("any", i), f.say.Text("watchlist.subject"), f.say.Text("watchlist.a_subject"), g.Any)
		row.Begins = i > 0
		rows = append(rows, row)
		for j, list := range g.With {
			name, place := f.say.Text("watchlist.with"), !slices.ContainsFunc(list, func(w string) bool { return !interpret.IsPlace(w) })
			if place {
				name = f.say.Text("watchlist.place")
			}
			if len(list) > 1 {
				name = f.say.Text(map[bool]string{false: "watchlist.with_one_of", true: "watchlist.place_one_of"}[place])
			}
			row := f.row(listKey("with", i, j), name, f.say.Text("watchlist.a_word_to_this_list"), list)
			row.Place = place
			rows = append(rows, row)
		}
		name := f.say.Text("watchlist.with_one_of")
		if len(g.With) > 0 {
			name = f.say.Text("watchlist.and_one_of")
		}
		rows = append(rows, f.row(listKey("with", i, len(g.With)), name, f.say.Text("watchlist.words_of_which_one_must_occur"), nil))
	}
	not := f.row(notKey, f.say.Text("watchlist.not_with"), f.say.Text("watchlist.an_exclusion"), f.Chips.Not)
	not.Not = true
	return append(rows, not)
}

// row is a list as chips. The open one has an editor; an open one without a word is new.
func (f *watchlistForm) row(key, name, add string, words []string) chipRow {
	row := chipRow{Key: key, Name: name, Add: add}
	open, word, _ := strings.Cut(f.Open, ":")
	for _, w := range words {
		c := wordChip{Word: w, Added: slices.Contains(f.Added, w)}
		if open == key && word == w {
			c.Uses = f.uses(key)
		}
		row.Chips = append(row.Chips, c)
	}
	if open == key && word == "" {
		row.Chips = append(row.Chips, wordChip{Uses: f.uses(key)})
	}
	return row
}

// uses are the lists that a word can move to: those of its group.
func (f *watchlistForm) uses(key string) (uses []choice) {
	add := func(to, name string) { uses = append(uses, choice{Value: to, Name: name, On: to == key}) }
	_, at, _ := strings.Cut(key, ".")
	group, _, _ := strings.Cut(at, ".")
	i, _ := strconv.Atoi(group) // 0 for exclusions
	add(listKey("any", i), f.say.Text("watchlist.as_a_subject"))
	for j, list := range f.Chips.Groups[i].With {
		add(listKey("with", i, j), f.say.Text("watchlist.with_one_of_word", "word", list[0]))
	}
	add(listKey("with", i, len(f.Chips.Groups[i].With)), f.say.Text("watchlist.with_2"))
	add(notKey, f.say.Text("watchlist.not_with_2"))
	add("none", f.say.Text("watchlist.nowhere"))
	return uses
}

// ReadBack is the sentence with the use of its words in the form as it is.
func (f *watchlistForm) ReadBack() []interpret.Part {
	draft := *f
	labels, _ := watchpost.CleanLabels(labelsFrom(f.Labels))
	return interpret.Parts(interpret.Prompt{Text: f.Sentence, Forum: f.typ == watchpost.ForumWatchlist}, interpret.Result{
		Keywords: draft.keywords(), Labels: labels, Objective: f.Objective, Interpreter: f.Interpreter, Hours: f.frequency().Hours(), Kinds: f.Conditions.Types,
	})
}

// Unused are the words of the sentence that the form does not use.
func (f *watchlistForm) Unused() (words []string) {
	for _, p := range f.ReadBack() {
		if p.Unused && !slices.Contains(words, p.Text) {
			words = append(words, p.Text)
		}
	}
	return words
}

// Commas reports whether the commas of a short sentence separate keywords.
func (f *watchlistForm) Commas() bool {
	return len(f.Chips.Groups[0].Any) > 1 && strings.ContainsAny(f.Sentence, ",،、，")
}

// chipsText says in words which posts a selection keeps under the conditions, and its
// number of entries.
func chipsText(say *words.Language, s interpret.Selection, conditions *watchpost.WatchlistConditions) string {
	var groups []string
	for _, g := range s.Groups {
		said := someOf(say, quotes(say, g.Any), say.Text("list.or"))
		for _, list := range g.With {
			if len(list) == 1 {
				said = say.List(said, say.Text("watchlist.with_word", "word", say.Quoted(list[0])))
			} else {
				said = say.List(said, say.Text("watchlist.with_one_of_words", "words", some(say, quotes(say, list))))
			}
		}
		groups = append(groups, said)
	}
	text := strings.Join(groups, "; "+say.Text("watchlist.or")+" ")
	if len(s.Not) > 0 {
		text += "; " + say.Text("watchlist.not_with_words", "words", someOf(say, quotes(say, s.Not), say.Text("list.or")))
	}
	return text + conditionsText(say, conditions) + ". " + say.Text("watchlist.n_entries", "n", len(s.Entries()))
}
