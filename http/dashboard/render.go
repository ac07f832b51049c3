package dashboard

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"watchpost"
)

//go:embed templates
var templateFiles embed.FS

// templates are the pages by the name of their file, each with the layout.
var templates = sync.OnceValue(func() map[string]*template.Template {
	layout := template.Must(template.New("layout.html").Funcs(functions).ParseFS(templateFiles, "templates/layout.html"))
	files, err := templateFiles.ReadDir("templates")
	if err != nil {
		panic(err) // the folder is embedded
	}
	pages := map[string]*template.Template{}
	for _, f := range files {
		if name := f.Name(); name != "layout.html" {
			pages[name] = template.Must(template.Must(layout.Clone()).ParseFS(templateFiles, "templates/"+name))
		}
	}
	return pages
})

var functions = template.FuncMap{
	"asset":  func(name string) string { return assets()[name].path },
	"icon":   func(name string) template.HTML { return icon(name, "") },
	"solid":  func(name string) template.HTML { return icon(name, " solid") },
	"small":  func(name string) template.HTML { return icon(name, " small") },
	"number": number,
	"plural": plural,
}

func icon(name, class string) template.HTML {
	return template.HTML(`<svg class="icon` + class + `" aria-hidden="true"><use href="` + assets()["icons.svg"].path + `#` + name + `"/></svg>`) //nolint:gosec // names of ours
}

// frame holds the parts that all pages share.
type frame struct {
	Title string
	Page  string // the entry of the navigation
	// The rest is empty when no member is signed in.
	Member, Team, Token string
}

func frameOf(v *visit, page, title string) frame {
	f := frame{Title: title, Page: page}
	if v != nil {
		f.Member, f.Team, f.Token = nameOf(v.member), v.team.Team.Name, v.formToken()
	}
	return f
}

// nameOf is how pages call a member.
func nameOf(m watchpost.Member) string {
	if m.FullName != "" {
		return m.FullName
	}
	return m.Email
}

// render writes a page whole, so that a fault in it cannot leave half of it.
func render(w http.ResponseWriter, status int, page string, data any) error {
	var out bytes.Buffer
	if err := templates()[page].Execute(&out, data); err != nil {
		return fmt.Errorf("render %s: %w", page, err)
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes())
	return nil
}

// renderPart writes a part of a page.
func renderPart(w http.ResponseWriter, page, part string, data any) error {
	var out bytes.Buffer
	if err := templates()[page].ExecuteTemplate(&out, part, data); err != nil {
		return fmt.Errorf("render %s of %s: %w", part, page, err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(out.Bytes())
	return nil
}

// errorPage describes an error.
type errorPage struct {
	frame
	Status             int
	Head, Text, Number string
}

// fail answers with the page of an error.
func (d *Dashboard) fail(w http.ResponseWriter, r *http.Request, err error) {
	if d.Elsewhere(r, err) {
		return
	}
	status, text, id := d.Fault(r, err)
	page := errorPage{frame: frameOf(visitOf(r.Context()), "", "Error"), Status: status, Text: text, Number: id}
	switch {
	case status == http.StatusNotFound:
		page.Head, page.Text = "There is no such page", "It may have been deleted, or the address is incomplete."
	case status >= http.StatusInternalServerError:
		page.Head, page.Text = "The page could not be made", "Nothing was changed. Try again in a minute; if it goes on, tell your operator the number below."
	case watchpost.KindOf(err) == watchpost.ExtensionRequired:
		page.Head, page.Text = "No browser is active", "A like or comment is done in a member's browser. Install the extension and sign in to the network there; it must have been active within the last 48 hours."
	case status == http.StatusForbidden:
		page.Head = "Not allowed"
	case r.Method != http.MethodGet:
		page.Head = "Not done"
	default:
		page.Head = "The address cannot be read"
	}
	page.Title = page.Head
	if err := render(w, status, "error.html", page); err != nil {
		http.Error(w, text, status)
	}
}

// number writes a number with its thousands apart.
func number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural writes a number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return number(n) + " " + noun + "s"
}

// ago says how long before now a moment was.
func ago(t, now time.Time) string {
	switch past := now.Sub(t); {
	case past < time.Minute:
		return "now"
	case past < time.Hour:
		return fmt.Sprintf("%d min ago", int(past.Minutes()))
	case past < 24*time.Hour:
		return fmt.Sprintf("%d h ago", int(past.Hours()))
	case past < 7*24*time.Hour:
		return fmt.Sprintf("%d d ago", int(past.Hours()/24))
	case t.Year() == now.Year():
		return t.Format("2 Jan")
	}
	return t.Format("2 Jan 2006")
}

// clockTime says when a moment is, in UTC: by the time of the day within a day.
func clockTime(t, now time.Time) string {
	if t.Sub(now).Abs() < 24*time.Hour {
		return t.UTC().Format("15:04")
	}
	return t.UTC().Format("Mon 2 Jan 15:04")
}

// initials stand for the picture of a person.
func initials(name string) string {
	var letters []rune
	for word := range strings.FieldsSeq(name) {
		if r, _ := utf8.DecodeRuneInString(word); unicode.IsLetter(r) || unicode.IsNumber(r) {
			letters = append(letters, unicode.ToUpper(r))
		}
	}
	if len(letters) > 2 {
		letters = []rune{letters[0], letters[len(letters)-1]}
	}
	return string(letters)
}

// moment is a time for reading and for machines.
type moment struct{ Text, Full, Machine string }

func momentOf(text string, t time.Time) moment {
	return moment{text, t.UTC().Format("2 January 2006, 15:04 UTC"), t.UTC().Format(time.RFC3339)}
}
