package dashboard

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"watchpost/watchpost"
)

//go:embed templates
var templateFiles embed.FS

// templates are the pages by the name of their file, each with the layout.
var templates = sync.OnceValue(func() map[string]*template.Template {
	layout := template.Must(template.New("layout.html").Funcs(functions).Parse(drawn("layout.html")))
	files, err := templateFiles.ReadDir("templates")
	if err != nil {
		panic(err) // the folder is embedded
	}
	pages := map[string]*template.Template{}
	for _, f := range files {
		if name := f.Name(); name != "layout.html" {
			pages[name] = template.Must(template.Must(layout.Clone()).Parse(drawn(name)))
		}
	}
	return pages
})

// constant is a call with a name that is known when the template is parsed.
var constant = regexp.MustCompile(`{{(asset|icon|solid|small) "([^"]+)"}}`)

// drawn returns the text of a template with its icons and addresses of assets
// written out, so that no page has to do it.
func drawn(name string) string {
	source, err := templateFiles.ReadFile("templates/" + name)
	if err != nil {
		panic(err) // the file is embedded
	}
	return constant.ReplaceAllStringFunc(string(source), func(call string) string {
		switch part := constant.FindStringSubmatch(call); part[1] {
		case "asset":
			return assets()[part[2]].path
		case "icon":
			return string(icon(part[2], ""))
		default:
			return string(icon(part[2], " "+part[1]))
		}
	})
}

var functions = template.FuncMap{
	"icon":   func(name string) template.HTML { return icon(name, "") },
	"icons":  icons,
	"number": number,
	"plural": plural,
}

func icon(name, class string) template.HTML {
	return template.HTML(`<svg class="icon` + class + `" aria-hidden="true"><use href="#icon-` + name + `"/></svg>`) //nolint:gosec // names of ours
}

// icons are the drawings of all icons. Each page has them, because Chromium never ends
// loading a page in a background tab whose icons are in another file.
var icons = sync.OnceValue(func() template.HTML {
	drawings, err := assetFiles.ReadFile("assets/icons.svg")
	if err != nil {
		panic(err) // the file is embedded
	}
	return template.HTML(drawings) //nolint:gosec // drawings of ours
})

// frame holds the parts that all pages share.
type frame struct {
	Title string
	Page  string // the entry of the navigation
	Chart bool   // the page has a chart that a script draws
	// Passkeys means that the page may use passkeys, by a script.
	Passkeys bool
	// The rest is empty when no member is signed in.
	Member, Team, Token string
	// Waiting counts the tasks that wait, Proposed what rules propose, Failing the
	// notification targets that fail.
	Waiting, Proposed, Failing int
	unread                     func() int
}

// Nav is the navigation of the page.
func (f frame) Nav() []navLink { return f.links(false) }

// More are the entries that a narrow screen shows in a menu.
func (f frame) More() []navLink { return f.links(true) }

func (f frame) links(more bool) (links []navLink) {
	for _, e := range navigation {
		if e.More != more {
			continue
		}
		link := navLink{navEntry: e, Here: e.Page == f.Page}
		switch e.Page {
		case "feed":
			link.Count, link.What = f.unread(), "unread"
		case "tasks":
			link.Count, link.What = f.Waiting, "waiting"
		case "rules":
			link.Count, link.What = f.Proposed, "to approve"
		case "notifications":
			link.Count, link.What, link.Alert = f.Failing, "failing", true
		}
		links = append(links, link)
	}
	return links
}

// navEntry is an entry of the navigation. Page is the frame's.
type navEntry struct {
	Page, Href, Icon, Name string
	Key                    string // pressed after g
	More                   bool
}

// navLink is an entry in the navigation of a page.
type navLink struct {
	navEntry
	Here  bool
	Count int
	What  string // is counted
	Alert bool   // the counted items have failed
}

var navigation = []navEntry{
	{Page: "feed", Href: pathFeed, Icon: "feed", Name: "Feed", Key: "f"},
	{Page: "people", Href: pathPeople, Icon: "person", Name: "People", Key: "p"},
	{Page: "trends", Href: pathTrends, Icon: "trend", Name: "Trends", Key: "d"},
	{Page: "rules", Href: pathRules, Icon: "bolt", Name: "Rules", Key: "r"},
	{Page: "watchlists", Href: pathWatchlists, Icon: "eye", Name: "Watchlists", Key: "w", More: true},
	{Page: "tasks", Href: pathTasks, Icon: "tasks", Name: "Tasks", Key: "t", More: true},
	{Page: "notifications", Href: pathNotifications, Icon: "bell", Name: "Notifications", Key: "n", More: true},
	{Page: "team", Href: pathTeam, Icon: "users", Name: "Team", Key: "m", More: true},
}

func frameOf(v *visit, page, title string) frame {
	f := frame{Title: title, Page: page, Chart: page == "feed"}
	if v != nil {
		f.Member, f.Team, f.Token = nameOf(v.member), v.team.Team.Name, v.formToken()
		f.Waiting, f.Proposed, f.Failing = v.team.WaitingTasks, v.team.Proposals, v.team.FailingTargets
		f.unread = v.unread
	}
	return f
}

// navigation is the navigation of a page, with its counts as they are now.
func (d *Dashboard) navigation(w http.ResponseWriter, r *http.Request, v *visit) error {
	return renderPart(w, "feed.html", "nav", frameOf(v, r.URL.Query().Get("page"), ""))
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

// renderLive writes a page, or for a script that follows it only its part "live".
func renderLive(w http.ResponseWriter, r *http.Request, page string, data any) error {
	w.Header().Add("Vary", "HX-Request")
	if byHTMX(r) {
		return renderPart(w, page, "live", data)
	}
	return render(w, http.StatusOK, page, data)
}

// writeCSV sends a table to be saved as a file.
func writeCSV(w http.ResponseWriter, name string, rows []byte) error {
	nameCSV(w, name)
	_, err := w.Write(rows)
	return err
}

// nameCSV says that a table follows, to be saved under a name.
func nameCSV(w http.ResponseWriter, name string) {
	h := w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
}

// written returns a part of a page.
func written(page, part string, data any) (template.HTML, error) {
	var out strings.Builder
	err := templates()[page].ExecuteTemplate(&out, part, data)
	return template.HTML(out.String()), err //nolint:gosec // the template has escaped it
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
	if byHTMX(r) {
		d.failPart(w, r, page)
		return
	}
	if err := render(w, status, "error.html", page); err != nil {
		http.Error(w, text, status)
	}
}

// failPart answers a script with an error: next to the form that was refused. A part
// that only wanted to be newer stays as it is.
func (d *Dashboard) failPart(w http.ResponseWriter, r *http.Request, page errorPage) {
	h := w.Header()
	h.Set("HX-Reswap", "none")
	if r.Method != http.MethodGet {
		h.Set("HX-Reswap", "innerHTML")
		h.Set("HX-Reselect", "#refused")
	}
	h.Set("HX-Push-Url", "false")
	var out bytes.Buffer
	if err := templates()["error.html"].ExecuteTemplate(&out, "refused", page); err != nil {
		http.Error(w, page.Text, page.Status)
		return
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(page.Status)
	_, _ = w.Write(out.Bytes())
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
