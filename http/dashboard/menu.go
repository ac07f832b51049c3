package dashboard

import (
	"html/template"
	"strings"
)

// menu is a filter with several values, as a form.
type menu struct {
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
			write(`<span class="count">`, number(c.Count), `</span>`)
		}
		if m.Links {
			write("</a>\n")
		} else {
			write("</label>\n")
		}
	}
	return template.HTML(b.String()) //nolint:gosec // values and names are escaped above
}
