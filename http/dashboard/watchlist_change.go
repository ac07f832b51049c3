package dashboard

import (
	"net/http"
	"slices"
	"strings"

	"watchpost/actors"
	"watchpost/internal/interpret"
	"watchpost/internal/reference"
	"watchpost/internal/words"
	"watchpost/watchpost"
)

// watchlistOf returns the watchlist that a path names, and all of the team. One that the
// team does not have may be another team's.
func (d watchlistPages) watchlistOf(r *http.Request, v *visit) (actors.WatchlistView, []actors.WatchlistView, error) {
	id := r.PathValue("id")
	lists, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListWatchlists{})
	if err != nil {
		return actors.WatchlistView{}, nil, err
	}
	i := slices.IndexFunc(lists, func(l actors.WatchlistView) bool { return string(l.Watchlist.ID) == id })
	if i < 0 {
		if err := d.Registry.WatchlistAccess(r.Context(), v.session.Team, id); err != nil {
			return actors.WatchlistView{}, nil, err
		}
		return actors.WatchlistView{}, nil, watchpost.Errorf(watchpost.NotFound, watchpost.TextWatchlistNotFound)
	}
	return lists[i], lists, nil
}

// formFor is the form of a watchlist, with its fields.
func formFor(v *visit, l actors.WatchlistView) *watchlistForm {
	w := l.Watchlist
	f := formOf(v, string(w.Type))
	f.Kinds, f.ID, f.Old, f.Paused, f.Deleting = nil, w.ID, w.Name, w.Disabled, !l.DeletedAt.IsZero()
	f.Title, f.Name, f.Made, f.Labels = w.Name, w.Name, w.Prompt, labelLines(w.Labels)
	f.Entries, f.Conditions = entriesOf(w.Keywords), w.Conditions
	if f.recall(w); f.Sentence != "" {
		f.Objective = w.Objective
		f.chip()
	}
	f.every(w.Frequency)
	var lines []string
	for _, e := range l.List.Entries {
		lines = append(lines, e.Reference.String())
	}
	f.References = strings.Join(lines, "\n")
	f.Had = f.References
	return f
}

// editWatchlist shows the form of a watchlist.
func (d watchlistPages) editWatchlist(w http.ResponseWriter, r *http.Request, v *visit) error {
	_, f, err := d.formOfPath(r, v)
	if err != nil {
		return err
	}
	return f.render(w, http.StatusOK)
}

// formOfPath returns the watchlist that a path names, and its form.
func (d watchlistPages) formOfPath(r *http.Request, v *visit) (watchpost.Watchlist, *watchlistForm, error) {
	l, lists, err := d.watchlistOf(r, v)
	if err != nil {
		return watchpost.Watchlist{}, nil, err
	}
	f := formFor(v, l)
	if err := d.planned(r, v, f); err != nil {
		return watchpost.Watchlist{}, nil, err
	}
	for _, other := range lists {
		if l.List.ID != "" && other.List.ID == l.List.ID && other.Watchlist.ID != l.Watchlist.ID {
			f.Shared = append(f.Shared, other.Watchlist.Name)
		}
	}
	f.Stored, err = d.stored(r, v, l.Watchlist.ID)
	return l.Watchlist, f, err
}

// stored counts the posts of a watchlist, which go with it.
func (d watchlistPages) stored(r *http.Request, v *visit, id watchpost.WatchlistID) (int, error) {
	found, err := d.Registry.Posts(r.Context(), v.session.Team, []string{string(id)}, watchpost.PostQuery{PageSize: 1})
	return found.Count, err
}

// changeWatchlist saves the form, pauses, resumes, deletes, or takes back a deletion.
func (d watchlistPages) changeWatchlist(w http.ResponseWriter, r *http.Request, v *visit) error {
	old, f, err := d.formOfPath(r, v)
	if err != nil {
		return err
	}
	update := actors.UpdateWatchlist{Type: old.Type, ID: old.ID}
	switch do := r.PostFormValue("do"); do {
	case "pause", "resume":
		disable := do == "pause"
		update.Patch.Disable = &disable
	case "delete", "undo":
		return deleteLater(d.Dashboard, w, r, v, actors.DeletableWatchlist, string(old.ID), pathWatchlists)
	default:
		f.Entries = nil
		f.take(r.PostForm)
		f.recall(old)
		if f.changeChips(do) {
			return d.showPreview(w, r, v, f)
		}
		if done, err := d.shown(w, r, v, f, do); done || err != nil {
			return err
		}
		if update.Patch, err = f.patch(old); err != nil {
			return f.refused(w, err)
		}
		if err := d.changeList(r, v, f, old); err != nil {
			return f.refused(w, err)
		}
		if len(f.Errors) > 0 {
			return f.render(w, http.StatusUnprocessableEntity)
		}
	}
	if _, err := actors.Ask(r.Context(), d.Registry, v.session.Team, update); err != nil {
		return f.refused(w, err)
	}
	http.Redirect(w, r, backOr(r, pathWatchlists), http.StatusSeeOther)
	return nil
}

// shown answers the buttons of a form that save nothing.
func (d watchlistPages) shown(w http.ResponseWriter, r *http.Request, v *visit, f *watchlistForm, do string) (done bool, err error) {
	switch do {
	case "rows":
		f.understand()
		return true, f.render(w, http.StatusOK)
	case "split":
		f.split()
		if f.Chips != nil {
			f.chip()
		}
		return true, d.showPreview(w, r, v, f)
	case "preview":
		return true, d.showPreview(w, r, v, f)
	}
	return false, nil
}

// switchWatchlists pauses or resumes the chosen watchlists. It says which it could not
// change.
func (d watchlistPages) switchWatchlists(w http.ResponseWriter, r *http.Request, v *visit) error {
	do := r.PostFormValue("do")
	if do != "pause" && do != "resume" {
		return errUnknownAction()
	}
	ids, err := chosenIDs[watchpost.WatchlistID](r)
	if err != nil {
		return err
	}
	lists, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListWatchlists{})
	if err != nil {
		return err
	}
	var refused []string
	known := byID(lists)
	for _, id := range ids {
		list, found := known[id]
		if !found {
			refused = append(refused, v.say.Text("watchlist.a_watchlist_is_gone"))
			continue
		}
		_, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.UpdateWatchlist{
			Type: list.Type, ID: id, Patch: watchpost.WatchlistPatch{Disable: new(do == "pause")},
		})
		switch {
		case watchpost.KindOf(err) == watchpost.Unavailable:
			return err
		case err != nil:
			refused = append(refused, list.Name+": "+v.say.Known(err.Error()))
		}
	}
	if len(refused) == 0 {
		http.Redirect(w, r, backOr(r, pathWatchlists), http.StatusSeeOther)
		return nil
	}
	page, err := d.watchlistsPage(r, v)
	if err != nil {
		return err
	}
	page.Refused, page.Done = refused, len(ids)-len(refused)
	return render(w, http.StatusConflict, "watchlists.html", page)
}

// changeList adds to the list that a watchlist follows, and removes from it, what the
// form changed. Others may have changed it since the form was shown: that stays. It does
// nothing while the form has errors.
func (d watchlistPages) changeList(r *http.Request, v *visit, f *watchlistForm, old watchpost.Watchlist) error {
	if old.Type.HasKeywords() || slices.Equal(linesOf(f.References), linesOf(f.Had)) {
		return nil
	}
	change := actors.ChangeList{Type: old.Type, ID: old.ID, Add: f.references()}
	if len(f.Errors) > 0 {
		return nil
	}
	kept := map[string]bool{}
	for _, ref := range change.Add {
		kept[ref.Key()] = true
	}
	for _, line := range linesOf(f.Had) {
		if ref, err := parserOf(old.Type)(line); err == nil && !kept[ref.Key()] {
			change.Remove = append(change.Remove, ref)
		} else if err == nil {
			change.Add = slices.DeleteFunc(change.Add, func(r reference.Reference) bool { return r.Key() == ref.Key() })
		}
	}
	_, err := actors.Ask(r.Context(), d.Registry, v.session.Team, change)
	return err
}

// patch is the change that the form makes. Labels and keywords that were not
// touched are left alone: the form cannot write each of them.
func (f *watchlistForm) patch(old watchpost.Watchlist) (watchpost.WatchlistPatch, error) {
	cleaned, frequency := f.cleanedName(), f.frequency()
	p := watchpost.WatchlistPatch{Name: &cleaned, Frequency: &frequency}
	if objective := strings.TrimSpace(f.Objective); f.Sentence != "" && objective != old.Objective {
		p.Objective = &objective
	}
	if old.Type.HasKeywords() && !f.unchanged(old) {
		p.Keywords = f.keywords()
		if old.Prompt != "" { // the sentence stays with the watchlist
			p.Prompt, p.Interpreter = &old.Prompt, &old.Interpreter
		}
	}
	f.patchConditions(&p, &old.Conditions)
	p, err := p.ForType(old.Type)
	if lines := strings.Join(linesOf(f.Labels), "\n"); lines != labelLines(old.Labels) {
		labels := f.cleanedLabels()
		p.Labels = &labels // of all types: the API changes them for watchlists of keywords only
	}
	return p, err
}

// unchanged reports whether the form has the keywords of a watchlist, or the chips that it
// shows for them: those may stand for other entries, in another order.
func (f *watchlistForm) unchanged(old watchpost.Watchlist) bool {
	if sameEntries(f.Entries, entriesOf(old.Keywords)) {
		return true
	}
	shown, ok := interpret.Grouped(old.Keywords)
	return ok && f.Chips != nil && sameEntries(f.Entries, entriesOf(shown.Entries()))
}

// sameEntries compares entries as they are typed, line ends aside.
func sameEntries(a, b []entryField) bool {
	return slices.EqualFunc(a, b, func(a, b entryField) bool {
		return a.Keyword == b.Keyword && a.Any == b.Any &&
			slices.Equal(linesOf(a.Required), linesOf(b.Required)) && slices.Equal(linesOf(a.Excluded), linesOf(b.Excluded))
	})
}

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
func labelError(say *words.Language, text string) string {
	const begin = "Invalid 'labels'"
	if text == begin {
		return say.Text("watchlist.name_stands_for_posts_without_a", "name", watchpost.NoLabels)
	}
	if why, ok := strings.CutPrefix(text, begin+": "); ok {
		return say.Text("watchlist.labels_why", "why", say.Known(why))
	}
	return say.Known(text) + "."
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
