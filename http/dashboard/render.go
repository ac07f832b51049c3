package dashboard

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"watchpost/internal/words"
	"watchpost/watchpost"
)

//go:embed templates
var templateFiles embed.FS

// templates parse the pages of each language, by its code, when the first of them is asked
// for: by the name of their file, each with the layout. Most services need few languages.
var templates = sync.OnceValue(func() map[string]func() map[string]*template.Template {
	all := map[string]func() map[string]*template.Template{}
	for _, say := range words.All() {
		all[say.Code] = sync.OnceValue(func() map[string]*template.Template { return templatesIn(say) })
	}
	return all
})

func templatesIn(say *words.Language) map[string]*template.Template {
	layout := template.Must(template.New("layout.html").Funcs(functionsIn(say)).Parse(drawn("layout.html", say)))
	files, err := templateFiles.ReadDir("templates")
	if err != nil {
		panic(err) // the folder is embedded
	}
	pages := map[string]*template.Template{}
	for _, f := range files {
		if name := f.Name(); name != "layout.html" {
			pages[name] = template.Must(template.Must(layout.Clone()).Parse(drawn(name, say)))
		}
	}
	return pages
}

// constant is a call with a name that is known when the template is parsed.
var constant = regexp.MustCompile(`{{(asset|icon|solid|small|t) "([^"]+)"}}`)

// drawn returns the text of a template with its icons, its addresses of assets and its
// texts without arguments written out, so that no page has to do it.
func drawn(name string, say *words.Language) string {
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
		case "t":
			text, ok := say.Static(part[2])
			if !ok {
				panic("no text " + part[2] + " for " + name) // a test reads all templates
			}
			return text
		default:
			return string(icon(part[2], " "+part[1]))
		}
	})
}

func functionsIn(say *words.Language) template.FuncMap {
	return template.FuncMap{
		"icon":      func(name string) template.HTML { return icon(name, "") },
		"icons":     icons,
		"number":    say.Number,
		"tenths":    say.Tenths,
		"plural":    func(n int, noun string) string { return plural(say, n, noun) },
		"t":         say.HTML,
		"known":     say.Known,
		"quoted":    say.Quoted,
		"date":      func(t time.Time) string { return say.Date("date.long", t.UTC()) },
		"time":      func(m moment) template.HTML { return m.HTML() },
		"languages": words.All, "code": func() string { return say.Code },
		"lang": func() template.HTMLAttr { return languageAttributes(say) },
	}
}

// languageAttributes say which language an element is in. Its direction is named where it
// is not the usual one of HTML.
func languageAttributes(say *words.Language) template.HTMLAttr {
	if say.Dir == "rtl" {
		return template.HTMLAttr(`lang="` + say.Code + `" dir="rtl"`) //nolint:gosec // codes of ours
	}
	return template.HTMLAttr(`lang="` + say.Code + `"`) //nolint:gosec // codes of ours
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
	say   *words.Language
	Title string
	Page  string // the entry of the navigation
	Chart bool   // the page has a chart that a script draws
	// Passkeys means that the page may use passkeys, by a script.
	Passkeys bool
	// The rest is empty when no member is signed in.
	Member, Team, Token string
	// Waiting counts the tasks that wait, Failed those of today that failed, Proposed what
	// rules propose, Failing the notification targets that fail.
	Waiting, Failed, Proposed, Failing int
	unread                             func() int
}

// language returns the language of the page.
func (f frame) language() *words.Language { return f.say }

// Zone names the time zone of the page.
func (f frame) Zone() string { return f.say.Zone().String() }

// framed is a page with a frame.
type framed interface{ language() *words.Language }

func frameOf(v *visit, page, title string) frame {
	f := frame{Title: title, Page: page, Chart: page == "feed"}
	if v != nil {
		f.say, f.Member, f.Team, f.Token = v.say, nameOf(v.member), v.team.Team.Name, v.formToken()
		f.Waiting, f.Failed, f.Proposed, f.Failing = v.team.WaitingTasks, v.team.FailedTasks, v.team.Proposals, v.team.FailingTargets
		f.unread = v.unread
	}
	return f
}

// bareFrame is that of a page for readers who may not be signed in, with the text of its
// title.
func bareFrame(r *http.Request, title string) frame {
	say := sayOf(r)
	return frame{say: say, Title: say.Text(title)}
}

// navigation is the navigation of a page, with its counts as they are now.
func (d *Dashboard) navigation(w http.ResponseWriter, r *http.Request, v *visit) error {
	return renderPart(w, v.say, "feed.html", "nav", frameOf(v, r.URL.Query().Get("page"), ""))
}

// errorTitle is the title of a page whose form was refused.
func errorTitle(say *words.Language, title string) string {
	return say.Text("layout.error_title", "title", title)
}

// nameOf is how pages call a member.
func nameOf(m watchpost.Member) string {
	if m.FullName != "" {
		return m.FullName
	}
	return m.Email
}

// render writes a page.
func render(w http.ResponseWriter, status int, page string, data framed) error {
	return respond(w, status, data.language(), page, "layout.html", data)
}

// renderPart writes a part of a page.
func renderPart(w http.ResponseWriter, say *words.Language, page, part string, data any) error {
	return respond(w, http.StatusOK, say, page, part, data)
}

// respond writes a part of a page whole, so that a fault in it cannot leave half of it.
func respond(w http.ResponseWriter, status int, say *words.Language, page, part string, data any) error {
	out := buffers.Get().(*bytes.Buffer)
	defer func() {
		out.Reset()
		buffers.Put(out)
	}()
	if err := templates()[say.Code]()[page].ExecuteTemplate(out, part, data); err != nil {
		return fmt.Errorf("render %s of %s: %w", part, page, err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes())
	return nil
}

// buffers are those of pages that were written.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// renderLive writes a page, or for a script that follows it only its part "live".
func renderLive(w http.ResponseWriter, r *http.Request, page string, data framed) error {
	w.Header().Add("Vary", "HX-Request")
	if byHTMX(r) {
		return renderPart(w, data.language(), page, "live", data)
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
func written(say *words.Language, page, part string, data any) (template.HTML, error) {
	var out strings.Builder
	err := templates()[say.Code]()[page].ExecuteTemplate(&out, part, data)
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
	say := sayOf(r)
	page := errorPage{frame: frameOf(visitOf(r.Context()), "", ""), Status: status, Text: say.Known(text), Number: id}
	page.say = say
	switch {
	case status == http.StatusNotFound:
		page.Head, page.Text = say.Text("layout.there_is_no_such_page"), say.Text("layout.it_may_have_been_deleted_or")
	case status >= http.StatusInternalServerError:
		page.Head, page.Text = say.Text("layout.the_page_could_not_be_made"), say.Text("layout.nothing_was_changed_try_again_in")
	case watchpost.KindOf(err) == watchpost.ExtensionRequired:
		page.Head, page.Text = say.Text("layout.no_browser_is_active"), say.Text("layout.a_like_or_comment_is_done")
	case status == http.StatusForbidden:
		page.Head = say.Text("layout.not_allowed")
	case r.Method != http.MethodGet:
		page.Head = say.Text("layout.not_done")
	default:
		page.Head = say.Text("layout.the_address_cannot_be_read")
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
	if err := respond(w, page.Status, page.say, "error.html", "refused", page); err != nil {
		http.Error(w, page.Text, page.Status)
	}
}

// plural writes a number with its noun, which has a text for that.
func plural(say *words.Language, n int, noun string) string {
	return say.Text("count."+strings.ReplaceAll(noun, " ", "_"), "n", n)
}

// ago says how long before now a moment was.
func ago(say *words.Language, t, now time.Time) string {
	switch past := now.Sub(t); {
	case past < time.Minute:
		return say.Text("time.now")
	case past < time.Hour:
		return say.Text("time.minutes_ago", "n", int(past.Minutes()))
	case past < 24*time.Hour:
		return say.Text("time.hours_ago", "n", int(past.Hours()))
	case past < 7*24*time.Hour:
		return say.Text("time.days_ago", "n", int(past.Hours()/24))
	case t.Year() == now.Year():
		return say.Date("date.short", say.Local(t))
	}
	return say.Date("date.short_year", say.Local(t))
}

// clockTime says when a moment is, in the reader's zone: by the time of the day within a
// day.
func clockTime(say *words.Language, t, now time.Time) string {
	if t.Sub(now).Abs() < 24*time.Hour {
		return say.Date("date.time", say.Local(t))
	}
	return say.Date("date.week_time", say.Local(t))
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

// moment is a time for reading, in full in UTC, and for machines.
type moment struct{ Text, Full, Machine string }

func momentOf(say *words.Language, text string, t time.Time) moment {
	return moment{text, say.Date("date.moment", t.UTC()), t.UTC().Format(time.RFC3339)}
}

// HTML is the moment as an element.
func (m moment) HTML() template.HTML {
	return template.HTML(`<time datetime="` + m.Machine + `" title="` + m.Full + `">` + template.HTMLEscapeString(m.Text) + `</time>`) //nolint:gosec // figures, and texts of ours
}
