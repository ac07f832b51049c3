package dashboard

import (
	"html/template"
	"slices"
	"strings"

	"watchpost/actors"
	"watchpost/http/dashboard/words"
)

// menu is a filter with several values, as a form.
type menu struct {
	say         *words.Language // of the counts
	Title, Name string
	Action      string // the address of the form
	On          bool
	Options     []choice
	Inputs      []input
	Single      bool // one of the options
	Links       bool // the value of an option is its address
	Hidden      []field
}

// choice is a value of a filter.
type choice struct {
	Value, Name string
	Count       int
	On          bool
	counted     bool
}

// input is a filter that is typed.
type input struct{ Name, Label, Type, Value, Hint string }

// Choices are the options of the menu. They are written without a template: a page
// has hundreds, and they were half of its time on the server.
func (m menu) Choices() template.HTML {
	kind := "checkbox"
	if m.Single {
		kind = "radio"
	}
	var b strings.Builder
	write := func(parts ...string) {
		for _, part := range parts {
			b.WriteString(part)
		}
	}
	for _, c := range m.Options {
		value, name, set := template.HTMLEscapeString(c.Value), template.HTMLEscapeString(c.Name), ""
		if m.Links {
			if c.On {
				set = ` aria-current="true"`
			}
			write(`<a class="choice" href="`, value, `"`, set, `>`, name)
		} else {
			if c.On {
				set = " checked"
			}
			write(`<label class="choice"><input type="`, kind, `" name="`, m.Name, `" value="`, value, `"`, set, `> `, name)
		}
		if c.counted {
			write(`<span class="count">`, m.say.Number(c.Count), `</span>`)
		}
		if m.Links {
			write("</a>\n")
		} else {
			write("</label>\n")
		}
	}
	return template.HTML(b.String()) //nolint:gosec // values and names are escaped above
}

// manyLists is how many watchlists are chips above the feed; more are a menu with a
// search.
const manyLists = 8

// listPicker is the choice of watchlists where there are many: those that are chosen,
// those with posts, and the others, each by name.
type listPicker struct {
	Title, Term          string
	Kept                 []field
	Chosen, With, Others menu
	Shown                bool // the search found some
	All                  string
}

// picker makes the picker, after the counts are known.
func (f *feedFilters) picker() *listPicker {
	p := &listPicker{Term: f.term, All: f.params.with("watchlist_id").href(), Kept: f.params.hidden("watchlist_id")}
	lists := slices.Clone(f.Lists[1:])
	slices.SortStableFunc(lists, func(a, b chip) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	for _, l := range lists {
		found := strings.Contains(strings.ToLower(l.Name), strings.ToLower(strings.TrimSpace(f.term)))
		group := &p.Others
		switch {
		case l.On && !found: // stays chosen
			p.Kept = append(p.Kept, field{"watchlist_id", l.value})
			continue
		case !found:
			continue
		case l.On:
			group = &p.Chosen
		case l.Count > 0:
			group = &p.With
		}
		p.Shown = true
		group.say, group.Name = f.say, "watchlist_id"
		group.Options = append(group.Options, choice{Value: l.value, Name: l.Name, Count: l.Count, On: l.On, counted: true})
	}
	p.Title = f.say.Text("feed.all_n_lists", "n", len(lists))
	if len(f.named) > 0 {
		p.Title = f.say.Text("feed.chosen_of_n_lists", "chosen", len(f.named), "n", len(lists))
	}
	return p
}

// listChoices are the watchlists as values of a filter.
func listChoices(say *words.Language, lists []actors.WatchlistView) []choice {
	of := []choice{{Name: say.Text("feed.all_watchlists")}}
	for _, l := range lists {
		of = append(of, choice{Value: string(l.Watchlist.ID), Name: l.Watchlist.Name})
	}
	return of
}
