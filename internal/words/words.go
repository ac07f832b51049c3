// Package words holds the texts of the dashboard and of mails in their languages, one file
// each, and writes numbers and dates as a language does. English is the source: it has every
// text, and stands in for one that a language lacks.
//
// A file maps ids to texts. {name} in a text is an argument. A text whose words depend on
// a number has a form for each plural category that CLDR gives the language, chosen by the
// argument n. Texts that only templates use may have markup.
package words

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-playground/locales"
	"github.com/go-playground/locales/de"
	"github.com/go-playground/locales/en"
	"github.com/go-playground/locales/es"
	"github.com/go-playground/locales/fr"
	"github.com/go-playground/locales/hi"
	"github.com/go-playground/locales/it"
	"github.com/go-playground/locales/ja"
	"github.com/go-playground/locales/pt_BR"
	"golang.org/x/text/language"
)

//go:embed *.json
var files embed.FS

// locale has the plural categories, numbers and dates of each language that has a file.
var locale = map[string]func() locales.Translator{
	"en": en.New, "ar": newArabic, "de": de.New, "es": es.New, "fr": fr.New, "hi": hi.New, "it": it.New, "ja": ja.New, "pt-BR": pt_BR.New,
}

// Language is one that pages are written in.
type Language struct {
	Code string // of BCP 47
	// Name is what its speakers call it. Dir is the direction of its script, as in HTML.
	Name, Dir string

	locale  locales.Translator
	decimal string // the decimal point
	texts   map[string]*message
	layouts map[string][]string // of dates, by their id
	known   map[string]string   // texts of the service by their English
	similar []similar
	zone    *time.Location // of the reader; nil: UTC
}

// all are the languages, English first. They are read for the first page or mail.
var all = sync.OnceValue(load)

// matcher finds the best of all.
var matcher = sync.OnceValue(newMatcher)

func load() []*Language {
	found, err := files.ReadDir(".")
	if err != nil {
		panic(err) // the folder is embedded
	}
	source := read("en.json", nil)
	languages := []*Language{source}
	for _, f := range found {
		if f.Name() != "en.json" {
			languages = append(languages, read(f.Name(), source))
		}
	}
	return languages
}

// read returns the language of a file. A text that it lacks is taken from the source.
func read(name string, source *Language) *Language {
	raw, err := files.ReadFile(name)
	if err != nil {
		panic(err) // the file is embedded
	}
	code := strings.TrimSuffix(name, path.Ext(name))
	newLocale, ok := locale[code]
	if !ok {
		panic("no locale for the texts of " + name)
	}
	l, err := parse(code, newLocale(), raw, source)
	if err != nil {
		panic(fmt.Errorf("texts of %s: %w", name, err))
	}
	return l
}

func parse(code string, locale locales.Translator, raw []byte, source *Language) (*Language, error) {
	given := map[string]*message{}
	if err := json.Unmarshal(raw, &given); err != nil {
		return nil, err
	}
	l := &Language{Code: code, locale: locale, texts: map[string]*message{}, layouts: map[string][]string{}, known: map[string]string{}}
	if source != nil {
		for id, m := range source.texts {
			l.texts[id] = m
		}
	}
	for id, m := range given {
		l.texts[id] = m
	}
	l.decimal = strings.Trim(l.locale.FmtNumber(0.5, 1), "0123456789")
	l.Name, l.Dir = l.Text("language.name"), l.Text("language.dir")
	for id, m := range l.texts {
		switch {
		case strings.HasPrefix(id, "date."):
			l.layouts[id] = layout(m.forms[locales.PluralRuleOther].source)
		case strings.HasPrefix(id, knownPrefix) && source != nil:
			l.learn(source.texts[id], m)
		}
	}
	// A text that says more comes before one that it is an example of.
	slices.SortFunc(l.similar, func(a, b similar) int {
		return cmp.Or(cmp.Compare(len(b.english.String()), len(a.english.String())), strings.Compare(a.english.String(), b.english.String()))
	})
	return l, nil
}

func newMatcher() language.Matcher {
	tags := make([]language.Tag, len(all()))
	for i, l := range all() {
		tags[i] = language.Make(l.Code)
	}
	return language.NewMatcher(tags)
}

// All returns the languages, English first.
func All() []*Language { return all() }

// English returns the source of all languages.
func English() *Language { return all()[0] }

// IDs returns the ids of all texts, in order.
func (l *Language) IDs() []string { return slices.Sorted(maps.Keys(l.texts)) }

// Arguments returns the names of the arguments that the forms of a text have; ok is false
// for an id that has no text.
func (l *Language) Arguments(id string) (names []string, ok bool) {
	m := l.texts[id]
	if m == nil {
		return nil, false
	}
	for i := range m.forms {
		for j, part := range m.forms[i].parts {
			if j%2 == 1 && !slices.Contains(names, part) {
				names = append(names, part)
			}
		}
	}
	slices.Sort(names)
	return names, true
}

// Of returns the language with a code, or nil.
func Of(code string) *Language {
	for _, l := range all() {
		if l.Code == code {
			return l
		}
	}
	return nil
}

// In returns the language for a reader in a time zone.
func (l *Language) In(zone *time.Location) *Language {
	in := *l
	in.zone = zone
	return &in
}

// For returns the language that a reader has chosen by its code, else the one that fits the
// value of Accept-Language best, else English.
func For(chosen, accepted string) *Language {
	return cmp.Or(Of(chosen), Accepted(accepted), English())
}

// Accepted returns the language that fits a value of Accept-Language best; nil when none does.
func Accepted(accepted string) *Language {
	tags, _, err := language.ParseAcceptLanguage(accepted)
	if err != nil || len(tags) == 0 {
		return nil
	}
	if _, i, confidence := matcher().Match(tags...); confidence > language.No {
		return all()[i]
	}
	return nil
}

// Text returns a text with its arguments, which are pairs of a name and a value. The text
// itself is not HTML.
func (l *Language) Text(id string, arguments ...any) string {
	return l.written(id, arguments, func(s string) string { return s })
}

// HTML returns a text as a part of a page. Its markup stays; arguments are escaped unless
// they are template.HTML.
func (l *Language) HTML(id string, arguments ...any) template.HTML {
	return template.HTML(l.written(id, arguments, template.HTMLEscapeString)) //nolint:gosec // arguments are escaped, and texts are ours
}

// Static returns a text without arguments as it stands in the source of a template, where
// it may be the value of an attribute. ok is false for an id that has no text.
func (l *Language) Static(id string) (text string, ok bool) {
	m := l.texts[id]
	if m == nil {
		return "", false
	}
	text = m.forms[locales.PluralRuleOther].source
	if !strings.Contains(text, "<") {
		text = strings.ReplaceAll(text, `"`, "&#34;")
	}
	return text, true
}

func (l *Language) written(id string, arguments []any, escaped func(string) string) string {
	m := l.texts[id]
	if m == nil {
		return id
	}
	return m.write(l, arguments, escaped)
}
