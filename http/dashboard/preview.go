package dashboard

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"watchpost/actors"
	"watchpost/internal/interpret"
	"watchpost/internal/langcode"
	"watchpost/internal/text"
	"watchpost/internal/words"
	"watchpost/watchpost"
)

const (
	// maxSamples is how many kept and dropped posts it shows.
	maxSamples = 3
	// sampleLength bounds the text of a sample, in bytes.
	sampleLength = 240
)

// previewView shows what the keywords of a form would do with stored posts.
type previewView struct {
	Rule          string
	Looked        int
	Kept, Dropped int
	By            []triedEntry
	Unmet         []choice // the posts that conditions drop, by what alone drops them
	KeptSamples   []sample
	DropSamples   []sample
	Wrong         []string // why keywords are not used
	Phrases       []string // keywords with a comma
}

// triedEntry is a keyword with the posts that it keeps, and why it drops others.
type triedEntry struct {
	Name  string
	Count int
	Drops []choice
}

// sample is a stored post of a preview. Why says why it is dropped.
type sample struct {
	Author, Why string
	Posted      moment
	Text        []textPart
}

// preview answers a script while keywords are typed. Nothing is saved.
func (d watchlistPages) preview(w http.ResponseWriter, r *http.Request, v *visit) error {
	if err := r.ParseForm(); err != nil {
		return watchpost.WrapError(watchpost.Invalid, "The form cannot be read.", err)
	}
	f := formOf(v, r.PostForm.Get("kind"))
	f.take(r.PostForm)
	if id := r.PostForm.Get("watchlist"); id != "" {
		r.SetPathValue("id", id)
		l, _, err := d.watchlistOf(r, v)
		if err != nil {
			return err
		}
		f.ID, f.typ, f.Paused = l.Watchlist.ID, l.Watchlist.Type, l.Watchlist.Disabled
	}
	if r.URL.Query().Get("part") == "budget" {
		if err := d.planned(r, v, f); err != nil {
			return err
		}
		return renderPart(w, v.say, "watchlist.html", "budget", f.budget(f.plan))
	}
	view, err := d.backTest(r, v, f)
	if err != nil {
		return err
	}
	return renderPart(w, v.say, "watchlist.html", "preview", view)
}

// showPreview shows the form with its preview, for a browser without script.
func (d watchlistPages) showPreview(w http.ResponseWriter, r *http.Request, v *visit, f *watchlistForm) (err error) {
	if f.Preview, err = d.backTest(r, v, f); err != nil {
		return err
	}
	return f.render(w, http.StatusOK)
}

// backTest tries the keywords of a form on the newest stored posts of all watchlists:
// those of a watchlist that is changed match its old keywords, so they would show no
// post that a new one finds.
func (d watchlistPages) backTest(r *http.Request, v *visit, f *watchlistForm) (*previewView, error) {
	if !f.HasKeywords() || !f.Read {
		return nil, nil
	}
	checked := *f
	checked.Errors = nil
	entries := checked.keywords()
	view := &previewView{Phrases: phrases(f.Entries)}
	for _, e := range checked.Errors {
		if len(f.Entries) > 0 {
			view.Wrong = append(view.Wrong, e.Text)
		}
	}
	if len(entries) == 0 {
		return view, nil
	}
	view.Rule = ruleOf(v.say, actors.WatchlistView{Watchlist: watchpost.Watchlist{Type: f.typ, Keywords: entries, Conditions: f.Conditions, Frequency: f.frequency()}})
	test, err := d.Registry.TryKeywords(r.Context(), v.session.Team, entries, f.Conditions, maxSamples)
	if err != nil {
		return nil, err
	}
	if f.Chips != nil {
		view.Rule = chipsText(v.say, *f.Chips, &f.Conditions)
	}
	view.Looked, view.Kept, view.Dropped = test.Looked, test.Kept, test.Dropped
	// With several entries of a keyword, none says for itself which word a post lacks.
	several := f.Chips != nil && len(entries) > len(f.Chips.Groups[0].Any)
	for i, e := range entries {
		if several {
			break
		}
		view.By = append(view.By, triedEntry{e.Keyword, test.Entries[i].Kept, dropsOf(v.say, &test.Entries[i])})
	}
	view.Unmet = unmetOf(v.say, &f.Conditions, test.Unmet)
	now := d.Clock.Now()
	for _, p := range test.KeptSamples {
		view.KeptSamples = append(view.KeptSamples, sampleOf(v.say, p, watchpost.KeywordTexts(entries), now))
	}
	for _, p := range test.DropSamples {
		shown := sampleOf(v.say, p.Post, nil, now)
		if !several || p.Reason != watchpost.DropMissing {
			shown.Why = cmp.Or(wordsDrop(v.say, p.Reason, p.Word), conditionDrop(v.say, &f.Conditions, p.Reason))
		}
		view.DropSamples = append(view.DropSamples, shown)
	}
	return view, nil
}

// dropsOf says why the words of an entry drop posts. What conditions drop, unmetOf counts
// for all entries together.
func dropsOf(say *words.Language, t *watchpost.EntryTrial) (drops []choice) {
	for _, d := range t.Drops {
		if why := wordsDrop(say, d.Reason, d.Word); why != "" {
			drops = append(drops, choice{Name: why, Count: d.Posts})
		}
	}
	return drops
}

// wordsDrop says why the words of an entry drop a post; "" when conditions do.
func wordsDrop(say *words.Language, reason watchpost.DropReason, word string) string {
	switch {
	case reason == watchpost.DropApart:
		return say.Text("watchlist.has_the_words_not_as_a")
	case reason == watchpost.DropExcluded:
		return say.Text("watchlist.has_word", "word", word)
	case reason == watchpost.DropMissing && word == "":
		return say.Text("watchlist.has_none_of_the_required_words")
	case reason == watchpost.DropMissing:
		return say.Text("watchlist.lacks_word", "word", word)
	}
	return ""
}

func sampleOf(say *words.Language, p *watchpost.Post, keywords []string, now time.Time) sample {
	content, from := strings.TrimSpace(p.Content), 0
	if found := text.Find(content, keywords); len(found) > 0 {
		from = max(0, found[0].From-sampleLength/3)
	}
	return sample{Author: p.AuthorName, Posted: momentOf(say, ago(say, p.PostedAt, now), p.PostedAt), Text: highlighted(excerpt(content, from), keywords)}
}

// excerpt cuts a text to about sampleLength bytes from a place on, at spaces.
func excerpt(content string, from int) string {
	before, after := "", ""
	if from > 0 {
		if i := strings.IndexByte(content[from:], ' '); i >= 0 {
			content, before = content[from+i+1:], "… "
		}
	}
	if len(content) > sampleLength {
		if i := strings.LastIndexByte(content[:sampleLength], ' '); i > 0 {
			content, after = content[:i], " …"
		} else {
			content = strings.ToValidUTF8(content[:sampleLength], "")
		}
	}
	return before + content + after
}

// conditionField is a condition of a watchlist in its form.
type conditionField struct {
	key            string // name of the field of the API, and of the form
	of             func(*watchpost.WatchlistConditions) *[]string
	reason         watchpost.DropReason
	name, any, add string // ids of texts: its row without and with values
	said           string // id of the text that says it in a sentence
}

var conditionFields = []conditionField{
	{
		"languages", func(c *watchpost.WatchlistConditions) *[]string { return &c.Languages }, watchpost.DropLanguage,
		"watchlist.language", "watchlist.any_language", "watchlist.a_language", "watchlist.in_languages",
	},
	{
		"seniority_levels", func(c *watchpost.WatchlistConditions) *[]string { return &c.Levels }, watchpost.DropLevel,
		"watchlist.authors_level", "people.any_level", "watchlist.a_level", "watchlist.by_levels",
	},
	{
		"post_types", func(c *watchpost.WatchlistConditions) *[]string { return &c.Types }, watchpost.DropType,
		"watchlist.kind_of_post", "watchlist.any_kind", "watchlist.a_kind", "watchlist.of_kinds",
	},
}

// choices are the values that the condition may have.
func (c *conditionField) choices(say *words.Language) []choice {
	switch c.reason {
	case watchpost.DropLevel:
		return choicesNamed(say, watchpost.PostFilterOf("seniority_level").Choices)
	case watchpost.DropType:
		return choicesNamed(say, watchpost.PostFilterOf("post_type").Choices)
	}
	known := map[string]bool{}
	for _, code := range langcode.Codes() {
		known[code] = code != langcode.Undetermined
	}
	all := languagesOf(say, known)
	slices.SortFunc(all, func(a, b choice) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// phrase says the condition in a sentence; "" when there is none.
func (c *conditionField) phrase(say *words.Language, conditions *watchpost.WatchlistConditions) string {
	values := *c.of(conditions)
	if len(values) == 0 {
		return ""
	}
	all := c.choices(say)
	tick(all, values...)
	return say.Text(c.said, "values", someOf(say, chosen(all), say.Text("list.or")))
}

// conditionsText says behind the words of a watchlist which posts it keeps only.
func conditionsText(say *words.Language, conditions *watchpost.WatchlistConditions) string {
	var said []string
	for i := range conditionFields {
		if phrase := conditionFields[i].phrase(say, conditions); phrase != "" {
			said = append(said, phrase)
		}
	}
	if len(said) == 0 {
		return ""
	}
	return "; " + say.Text("watchlist.only_conditions", "conditions", say.List(said...))
}

// unmetOf says which posts conditions drop.
func unmetOf(say *words.Language, conditions *watchpost.WatchlistConditions, drops []watchpost.Drop) (unmet []choice) {
	for _, d := range drops {
		unmet = append(unmet, choice{Name: conditionDrop(say, conditions, d.Reason), Count: d.Posts})
	}
	return unmet
}

// conditionDrop says which condition drops a post.
func conditionDrop(say *words.Language, conditions *watchpost.WatchlistConditions, reason watchpost.DropReason) string {
	i := slices.IndexFunc(conditionFields, func(c conditionField) bool { return c.reason == reason })
	if i < 0 {
		return say.Text("watchlist.two_conditions_or_more")
	}
	return say.Text("watchlist.only_for", "condition", say.Quoted(conditionFields[i].phrase(say, conditions)))
}

// takeConditions fills the form with the sent conditions, and with the value of an open
// editor. A form that was shown by an earlier build has none, and changes none.
func (f *watchlistForm) takeConditions(form url.Values) {
	if form.Get("conditions") == "" || !f.HasKeywords() {
		return
	}
	open, old, _ := strings.Cut(form.Get("open"), ":")
	for _, c := range conditionFields {
		values, value := slices.Clone(form[c.key]), form.Get("value")
		if at := slices.Index(values, old); open == c.key && value != "" && at >= 0 {
			values[at] = value
		} else if open == c.key && value != "" {
			values = append(values, value)
		}
		cleaned, err := watchpost.CleanWatchlistCondition(c.key, values)
		if err != nil {
			f.Errors = append(f.Errors, fieldError{c.key, f.say.Known(errorText(err))})
		}
		*c.of(&f.Conditions) = cleaned
	}
}

// patchConditions adds to a patch the conditions that the form changed.
func (f *watchlistForm) patchConditions(p *watchpost.WatchlistPatch, old *watchpost.WatchlistConditions) {
	changed := func(values, had []string) *[]string {
		if slices.Equal(values, had) {
			return nil
		}
		return &values
	}
	p.Languages, p.Levels, p.Types = changed(f.Conditions.Languages, old.Languages), changed(f.Conditions.Levels, old.Levels), changed(f.Conditions.Types, old.Types)
}

// changeConditions does what a button of a condition asks for. done is false for another
// button.
func (f *watchlistForm) changeConditions(verb, of string) (done bool) {
	key, value, _ := strings.Cut(of, ":")
	i := slices.IndexFunc(conditionFields, func(c conditionField) bool { return c.key == key })
	switch {
	case i >= 0 && verb == "edit":
		f.Open = of
	case i >= 0 && verb == "take":
		values := conditionFields[i].of(&f.Conditions)
		*values = slices.DeleteFunc(slices.Clone(*values), func(v string) bool { return v == value })
	default:
		return false
	}
	return true
}

// ConditionRows are the conditions as chips. The open one has an editor; an open one
// without a value is new.
func (f *watchlistForm) ConditionRows() (rows []chipRow) {
	open, value, _ := strings.Cut(f.Open, ":")
	for i := range conditionFields {
		c := &conditionFields[i]
		row, values := chipRow{Key: c.key, Name: f.say.Text(c.name), Add: f.say.Text(c.add), Any: f.say.Text(c.any)}, *c.of(&f.Conditions)
		var left []choice // to choose from
		names := map[string]string{}
		for _, v := range c.choices(f.say) {
			names[v.Value] = v.Name
			if v.On = v.Value == value; v.On || !slices.Contains(values, v.Value) {
				left = append(left, v)
			}
		}
		for _, v := range values {
			chip := wordChip{Word: v, Name: names[v]}
			if open == c.key && value == v {
				chip.Uses = left
			}
			row.Chips = append(row.Chips, chip)
		}
		if c.reason == watchpost.DropLevel {
			row.From = f.upwards(values)
		}
		if open == c.key && value == "" {
			row.Chips = append(row.Chips, wordChip{Uses: append([]choice{{Name: f.say.Text("watchlist.choose"), On: true}}, left...)})
		}
		rows = append(rows, row)
	}
	return rows
}

// upwards says which words of the sentence several levels come from; "" when they come from
// none, or one of them was taken out.
func (f *watchlistForm) upwards(chosen []string) string {
	words, levels := interpret.Upwards(f.Sentence)
	if words == "" || slices.ContainsFunc(levels, func(l string) bool { return !slices.Contains(chosen, l) }) {
		return ""
	}
	return f.say.Text("watchlist.from_words", "words", f.say.Quoted(words))
}
