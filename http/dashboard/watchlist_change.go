package dashboard

import (
	"net/http"
	"slices"
	"strings"

	"watchpost/actors"
	"watchpost/watchpost"
)

// watchlistOf returns the watchlist that a path names. One that the team does not
// have may be another team's.
func (d watchlistPages) watchlistOf(r *http.Request, v *visit) (actors.WatchlistView, error) {
	id := r.PathValue("id")
	lists, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListWatchlists{})
	if err != nil {
		return actors.WatchlistView{}, err
	}
	i := slices.IndexFunc(lists, func(l actors.WatchlistView) bool { return string(l.Watchlist.ID) == id })
	if i < 0 {
		if err := d.Registry.WatchlistAccess(r.Context(), v.session.Team, id); err != nil {
			return actors.WatchlistView{}, err
		}
		return actors.WatchlistView{}, watchpost.Errorf(watchpost.NotFound, watchpost.TextWatchlistNotFound)
	}
	return lists[i], nil
}

// formFor is the form of a watchlist, with its fields.
func formFor(v *visit, l actors.WatchlistView) *watchlistForm {
	w := l.Watchlist
	f := formOf(v, string(w.Type))
	f.Kinds, f.ID, f.Old, f.Paused = nil, w.ID, w.Name, w.Disabled
	f.Title, f.Name, f.Prompt, f.Labels = w.Name, w.Name, w.Prompt, labelLines(w.Labels)
	f.Entries = entriesOf(w.Keywords)
	f.every(w.Frequency)
	for _, e := range l.List.Entries {
		f.Followed = append(f.Followed, referenceName(e.Reference))
	}
	return f
}

// editWatchlist shows the form of a watchlist.
func (d watchlistPages) editWatchlist(w http.ResponseWriter, r *http.Request, v *visit) error {
	l, err := d.watchlistOf(r, v)
	if err != nil {
		return err
	}
	f := formFor(v, l)
	if f.Stored, err = d.stored(r, v, l.Watchlist.ID); err != nil {
		return err
	}
	return f.render(w, http.StatusOK)
}

// stored counts the posts of a watchlist, which go with it.
func (d watchlistPages) stored(r *http.Request, v *visit, id watchpost.WatchlistID) (int, error) {
	found, err := d.Registry.Posts(r.Context(), v.session.Team, []string{string(id)}, watchpost.PostQuery{PageSize: 1})
	return found.Count, err
}

// changeWatchlist saves the form, pauses, resumes or deletes.
func (d watchlistPages) changeWatchlist(w http.ResponseWriter, r *http.Request, v *visit) error {
	l, err := d.watchlistOf(r, v)
	if err != nil {
		return err
	}
	old := l.Watchlist
	f := formFor(v, l)
	if f.Stored, err = d.stored(r, v, old.ID); err != nil {
		return err
	}
	update := actors.UpdateWatchlist{Type: old.Type, ID: old.ID}
	switch r.PostFormValue("do") {
	case "pause", "resume":
		disable := r.PostFormValue("do") == "pause"
		update.Patch.Disable = &disable
	case "delete":
		if _, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.DeleteWatchlist{Type: old.Type, ID: old.ID}); err != nil {
			return err
		}
		http.Redirect(w, r, pathWatchlists, http.StatusSeeOther)
		return nil
	default:
		f.Entries = nil
		f.take(r.PostForm)
		switch r.PostFormValue("do") {
		case "rows":
			return f.render(w, http.StatusOK)
		case "preview":
			return d.showPreview(w, r, v, f)
		}
		if update.Patch, err = f.patch(old); err != nil {
			return f.refused(w, err)
		}
		if len(f.Errors) > 0 {
			return f.render(w, http.StatusUnprocessableEntity)
		}
	}
	if _, err := actors.Ask(r.Context(), d.Registry, v.session.Team, update); err != nil {
		return f.refused(w, err)
	}
	http.Redirect(w, r, pathWatchlists, http.StatusSeeOther)
	return nil
}

// patch is the change that the form makes. Labels and keywords that were not
// touched are left alone: the form cannot write each of them.
func (f *watchlistForm) patch(old watchpost.Watchlist) (watchpost.WatchlistPatch, error) {
	cleaned, frequency := f.cleanedName(), f.frequency()
	p := watchpost.WatchlistPatch{Name: &cleaned, Frequency: &frequency}
	if lines := strings.Join(linesOf(f.Labels), "\n"); lines != labelLines(old.Labels) {
		labels := f.cleanedLabels()
		p.Labels = &labels
	}
	if old.Type.HasKeywords() && !sameEntries(f.Entries, entriesOf(old.Keywords)) {
		p.Keywords = f.keywords()
	}
	return p.ForType(old.Type)
}

// sameEntries compares entries as they are typed, line ends aside.
func sameEntries(a, b []entryField) bool {
	return slices.EqualFunc(a, b, func(a, b entryField) bool {
		return a.Keyword == b.Keyword && a.Any == b.Any &&
			slices.Equal(linesOf(a.Required), linesOf(b.Required)) && slices.Equal(linesOf(a.Excluded), linesOf(b.Excluded))
	})
}
