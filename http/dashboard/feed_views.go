package dashboard

import (
	"net/http"
	"slices"

	"watchpost/actors"
	"watchpost/watchpost"
)

// savedViews are the filters of the feed that the team has named.
type savedViews struct {
	Shown, More []*viewChip
	On          *viewChip // whose filters the page has; nil for none
	Query       string    // what "Save as a view" saves; "" without filters, or when they are saved
}

// viewChip is a view as a link.
type viewChip struct {
	ID         watchpost.ViewID
	Name, Href string
	Count      int
	On         bool
	Gone       bool // a watchlist that it names was deleted: it finds nothing
}

// viewsShown is how many views are next to each other above the feed. The others are in a
// menu, but for the one whose filters the page has.
const viewsShown = 6

// views returns the team's saved views. Their counts are asked for with the filters'.
func (d feedPages) views(r *http.Request, v *visit, f *feedFilters, lists []actors.WatchlistView) (*savedViews, error) {
	stored, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListViews{})
	if err != nil {
		return nil, err
	}
	views := &savedViews{Query: f.params.values.Encode()}
	for i := range stored {
		s := &stored[i]
		chip := &viewChip{ID: s.ID, Name: s.Name, Href: pathFeed + "?" + s.Query, On: s.Query == views.Query}
		if chip.On {
			views.On = chip
		}
		if chip.On || len(views.Shown) < viewsShown {
			views.Shown = append(views.Shown, chip)
		} else {
			views.More = append(views.More, chip)
		}
		named, q, _, err := d.readFeed(addressed(r, s.Query))
		chip.Gone = err != nil || slices.ContainsFunc(named, func(id string) bool {
			return !slices.ContainsFunc(lists, func(l actors.WatchlistView) bool { return string(l.Watchlist.ID) == id })
		})
		if !chip.Gone {
			f.count(named, func(of *watchpost.PostQuery) { *of = q }, func(n int) { chip.Count = n })
		}
	}
	if views.On != nil {
		views.Query = ""
	}
	return views, nil
}

// addressed returns a request with the parameters of another address.
func addressed(r *http.Request, query string) *http.Request {
	other := r.Clone(r.Context())
	other.URL.RawQuery = query
	return other
}

// changeViews saves the filters of a feed as a view of the team, or deletes one.
func (d feedPages) changeViews(w http.ResponseWriter, r *http.Request, v *visit) error {
	switch r.PostFormValue("do") {
	case "save":
		_, _, params, err := d.readFeed(addressed(r, r.PostFormValue("query")))
		if err != nil {
			return err
		}
		view := watchpost.SavedView{Name: r.PostFormValue("name"), Query: params.values.Encode(), By: v.member.ID}
		if _, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.SaveView{View: view}); err != nil {
			return err
		}
		http.Redirect(w, r, params.href(), http.StatusSeeOther)
	case "delete":
		if _, err := actors.Ask(r.Context(), d.Registry, v.session.Team, actors.DeleteView{ID: watchpost.ViewID(r.PostFormValue("id"))}); err != nil {
			return err
		}
		http.Redirect(w, r, backFrom(r), http.StatusSeeOther)
	default:
		return errUnknownForm()
	}
	return nil
}
