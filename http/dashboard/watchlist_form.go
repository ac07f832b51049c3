package dashboard

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"watchpost/actors"
	"watchpost/internal/reference"
	"watchpost/watchpost"
	"watchpost/watchpost/scanplan"
)

// kindOfForm is a way to make a watchlist.
type kindOfForm struct {
	Value, Name string
	On          bool
	Type        watchpost.WatchlistType
}

// byPrompt is the way that describes a watchlist in words.
const byPrompt = "prompt"

var kinds = []kindOfForm{
	{Value: byPrompt, Name: "watchlist.in_your_words", Type: watchpost.KeywordWatchlist}, {Value: "keyword", Name: "watchlist.keywords", Type: watchpost.KeywordWatchlist},
	{Value: "people", Name: "common.people", Type: watchpost.PeopleWatchlist}, {Value: "company", Name: "watchlist.companies", Type: watchpost.CompanyWatchlist},
	{Value: "forum", Name: "watchlist.forum", Type: watchpost.ForumWatchlist},
}

// watchlistForm makes or changes a watchlist. Nothing typed is lost.
type watchlistForm struct {
	frame
	Kinds   []kindOfForm // none when a watchlist is changed
	Kind    string
	ID      watchpost.WatchlistID
	Old     string // the name of the watchlist that is changed
	Paused  bool
	Key     string
	Prompt  string
	Read    bool // the prompt is interpreted, or there is none
	Name    string
	Entries []entryField
	Every   []choice
	Labels  string
	// Objective and Interpreter come with an interpretation.
	Objective, Interpreter string
	References             string
	Conditions             watchpost.WatchlistConditions
	// Had are the References as the form showed them first, and Skip lets those go that
	// are not understood.
	Had        string
	Skip       bool
	Understood []understood
	Made       string   // the sentence of the watchlist that is changed
	Shared     []string // other watchlists that follow the same list
	Errors     []fieldError
	Limit      string // of the plan, which is reached
	sentenceForm
	Question, Example string
	Preview           *previewView
	Stored            int  // posts of the watchlist that is changed
	Deleting          bool // it is going to be deleted, unless that is taken back
	Budget            *budgetView
	typ               watchpost.WatchlistType
	plan              *scanplan.Plan // nil: its scans are not part of the plan
}

// entryField is a keyword with its words, as it is typed.
type entryField struct {
	Keyword, Required, Excluded string
	Any                         bool
}

// fieldError is an error, next to its field and in the summary.
type fieldError struct{ Field, Text string }

// Error returns the error of a field.
func (f *watchlistForm) Error(field string) string {
	for _, e := range f.Errors {
		if e.Field == field {
			return e.Text
		}
	}
	return ""
}

// HasKeywords reports whether the form has keywords rather than references.
func (f *watchlistForm) HasKeywords() bool { return f.typ.HasKeywords() }

// blankEntries are the rows for further keywords.
const blankEntries = 2

// newWatchlist shows the form.
func (d watchlistPages) newWatchlist(w http.ResponseWriter, r *http.Request, v *visit) error {
	f, err := d.form(r, v, r.URL.Query().Get("kind"))
	if err != nil {
		return err
	}
	if err := v.team.Team.Plan.CheckWatchlists(v.team.Watchlists); err != nil {
		f.Limit = f.say.Known(errorText(err))
	}
	return f.render(w, http.StatusOK)
}

// formOf is the empty form of a kind.
func formOf(v *visit, kind string) *watchlistForm {
	i := max(0, slices.IndexFunc(kinds, func(k kindOfForm) bool { return k.Value == kind }))
	f := &watchlistForm{frame: frameOf(v, "watchlists", v.say.Text("common.new_watchlist")), Kind: kinds[i].Value, typ: kinds[i].Type, Key: watchpost.NewSecret(8)}
	f.Kinds = slices.Clone(kinds)
	for k := range f.Kinds {
		f.Kinds[k].Name = v.say.Text(f.Kinds[k].Name)
	}
	f.Kinds[i].On = true
	f.Read = f.Kind != byPrompt
	f.every(watchpost.DefaultFrequency(f.typ))
	return f
}

// form is the empty form of a kind, which knows what the team's scans need.
func (d watchlistPages) form(r *http.Request, v *visit, kind string) (*watchlistForm, error) {
	f := formOf(v, kind)
	return f, d.planned(r, v, f)
}

// planned has a form know what the team's scans need.
func (d watchlistPages) planned(r *http.Request, v *visit, f *watchlistForm) error {
	if !v.team.Team.Plan.Scans(f.typ) {
		return nil
	}
	plan, err := d.scanPlan(r, v)
	f.plan = &plan
	return err
}

// every offers the frequencies.
func (f *watchlistForm) every(chosen watchpost.FetchFrequency) {
	f.Every = nil
	for _, h := range watchpost.FetchFrequencies {
		f.Every = append(f.Every, choice{Value: strconv.Itoa(h), Name: plural(f.say, h, "hour"), On: h == chosen.Hours()})
	}
}

func (f *watchlistForm) render(w http.ResponseWriter, status int) error {
	f.Budget = f.budget(f.plan)
	if f.Chips == nil && f.HasKeywords() {
		for range blankEntries {
			f.Entries = append(f.Entries, entryField{})
		}
	}
	if len(f.Errors) > 0 || f.Limit != "" {
		f.Title = errorTitle(f.say, f.Title)
	}
	return render(w, status, "watchlist.html", f)
}

// take fills the form with the sent values.
func (f *watchlistForm) take(form url.Values) {
	f.Key, f.Prompt, f.Name, f.Labels = form.Get("key"), form.Get("prompt"), form.Get("name"), form.Get("labels")
	f.References, f.Objective, f.Interpreter = form.Get("references"), form.Get("objective"), form.Get("interpreter")
	f.Had, f.Skip = form.Get("had"), form.Get("skip") != ""
	f.Read = f.Kind != byPrompt || form.Get("read") != ""
	for i, keyword := range form["keyword"] {
		e := entryField{Keyword: keyword, Required: at(form["required"], i), Excluded: at(form["excluded"], i), Any: slices.Contains(form["any"], strconv.Itoa(i))}
		if strings.TrimSpace(e.Keyword+e.Required+e.Excluded) != "" {
			f.Entries = append(f.Entries, e)
		}
	}
	f.takeSentence(form)
	f.takeConditions(form)
	if hours, err := strconv.ParseFloat(form.Get("every"), 64); err == nil {
		if frequency, err := watchpost.ParseFetchFrequency(hours); err == nil {
			f.every(frequency)
		}
	}
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}

// makeWatchlist reads a prompt, or makes the watchlist.
func (d watchlistPages) makeWatchlist(w http.ResponseWriter, r *http.Request, v *visit) error {
	if err := r.ParseForm(); err != nil {
		return watchpost.WrapError(watchpost.Invalid, "The form cannot be read.", err)
	}
	f, err := d.form(r, v, r.PostForm.Get("kind"))
	if err != nil {
		return err
	}
	f.take(r.PostForm)
	if r.PostForm.Get("do") == "read" || !f.Read {
		return d.readPrompt(w, r, v, f)
	}
	if f.changeChips(r.PostForm.Get("do")) {
		return d.showPreview(w, r, v, f)
	}
	if done, err := d.shown(w, r, v, f, r.PostForm.Get("do")); done || err != nil {
		return err
	}
	watchlist, references := f.watchlist()
	if len(f.Errors) > 0 {
		return f.render(w, http.StatusUnprocessableEntity)
	}
	made, err := d.create(r, v, watchlist, references)
	if err != nil {
		return f.refused(w, err)
	}
	// Its feed says what it waits for, and fills.
	http.Redirect(w, r, pathFeed+"?watchlist_id="+string(made), http.StatusSeeOther)
	return nil
}

// create makes a watchlist once, however often its form is sent.
func (d watchlistPages) create(r *http.Request, v *visit, w watchpost.Watchlist, references []reference.Reference) (watchpost.WatchlistID, error) {
	if w.Type.HasKeywords() {
		made, _, err := actors.AskOnce(r.Context(), d.Registry, v.session.Team, formKey(r), actors.CreateWatchlist{Watchlist: w})
		return made.Watchlist.ID, err
	}
	made, _, err := actors.AskOnce(r.Context(), d.Registry, v.session.Team, formKey(r), actors.Follow{Watchlist: w, References: references})
	return made.Watchlist.ID, err
}

// refused shows the form with an error of the team.
func (f *watchlistForm) refused(w http.ResponseWriter, err error) error {
	switch watchpost.KindOf(err) {
	case watchpost.PlanLimit:
		f.Limit = f.say.Known(errorText(err))
		return f.render(w, http.StatusPaymentRequired)
	case watchpost.Invalid, watchpost.Conflict:
		text := errorText(err)
		if text == watchpost.TextWatchlistDisabled {
			text = "This watchlist is paused. Resume it below, then change it."
		}
		f.Errors = append(f.Errors, fieldError{"name", f.say.Known(text)})
		return f.render(w, http.StatusUnprocessableEntity)
	}
	return err
}

func errorText(err error) string {
	var known *watchpost.Error
	if errors.As(err, &known) {
		return known.Text
	}
	return watchpost.TextInternal
}

// watchlist cleans the sent values, as the API does.
func (f *watchlistForm) watchlist() (watchpost.Watchlist, []reference.Reference) {
	w := watchpost.Watchlist{Type: f.typ, Frequency: f.frequency()}
	if strings.TrimSpace(f.Name) != "" {
		w.Name = f.cleanedName()
	}
	w.Labels = f.cleanedLabels()
	if f.typ.HasKeywords() {
		w.Keywords, w.Conditions = f.keywords(), f.Conditions
		if f.Kind == byPrompt {
			w.Prompt, w.Interpreter, w.Objective = cmp.Or(f.Sentence, f.Prompt), f.Interpreter, strings.TrimSpace(f.Objective)
		}
		return w, nil
	}
	return w, f.references()
}

// references cleans the lines. One that is not understood is an error, unless the form
// asks to save without it.
func (f *watchlistForm) references() []reference.Reference {
	f.understand()
	references, err := watchpost.CleanReferences(f.typ, linesOf(f.References))
	switch wrong := f.Wrong(); {
	case err != nil && len(wrong) == 0:
		f.Errors = append(f.Errors, fieldError{"references", f.say.Text("watchlist.enter_at_least_one_each_on")})
	case err != nil || len(wrong) > 0 && !f.Skip:
		f.Errors = append(f.Errors, fieldError{"references", f.say.Text("watchlist.n_lines_are_not_understood_lines", "n", len(wrong), "lines", some(f.say, wrong))})
	}
	return references
}

// Wrong are the lines of the references that are not understood.
func (f *watchlistForm) Wrong() (lines []string) {
	for _, u := range f.Understood {
		if u.Wrong {
			lines = append(lines, f.say.Quoted(clip(u.Line, 60)))
		}
	}
	return lines
}

// Saved is the number of lines that are saved.
func (f *watchlistForm) Saved() int { return len(f.Understood) - len(f.Wrong()) }

func (f *watchlistForm) cleanedName() string {
	name, err := watchpost.CleanName(f.Name)
	if err != nil {
		f.Errors = append(f.Errors, fieldError{"name", f.say.Text("conditions.name_length", bounds(f.say)...)})
	}
	return name
}

func (f *watchlistForm) cleanedLabels() []watchpost.Label {
	labels, err := watchpost.CleanLabels(labelsFrom(f.Labels))
	if err != nil {
		f.Errors = append(f.Errors, fieldError{"labels", labelError(f.say, errorText(err))})
	}
	return labels
}

func (f *watchlistForm) frequency() watchpost.FetchFrequency {
	for _, c := range f.Every {
		if hours, err := strconv.ParseFloat(c.Value, 64); err == nil && c.On {
			frequency, _ := watchpost.ParseFetchFrequency(hours) // one of the allowed
			return frequency
		}
	}
	return watchpost.DefaultFrequency(f.typ)
}

// keywords cleans the entries; a rejected one is an error.
func (f *watchlistForm) keywords() []watchpost.KeywordEntry {
	raw := make([]watchpost.KeywordEntry, len(f.Entries))
	for i, e := range f.Entries {
		raw[i] = watchpost.KeywordEntry{Keyword: e.Keyword, Required: wordsOf(e.Required), Excluded: wordsOf(e.Excluded), AnyRequired: e.Any}
	}
	kept, results, err := watchpost.CleanKeywords(raw)
	if err != nil {
		text := f.say.Known(errorText(err))
		if len(results) == 0 {
			text = f.say.Text("watchlist.enter_at_least_one_keyword")
		}
		f.Errors = append(f.Errors, fieldError{"keywords", text})
	}
	for _, r := range results {
		if !r.Success {
			f.Errors = append(f.Errors, fieldError{"keywords", clip(r.Keyword, 40) + ": " + f.say.Known(r.Error)})
		}
	}
	return kept
}
