package endpoint

import (
	"cmp"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"

	"watchpost/watchpost"
)

const textInvalidQuery = "Invalid query string"

// Params reads query parameters. It keeps the error of the first unreadable
// one and ignores values read after it. An empty parameter is the same as an
// absent one.
type Params struct {
	given []param // in the order of the query
	Err   error
}

type param struct{ name, value string }

// ReadParams splits a query. Unlike net/url it takes a semicolon literally and
// refuses invalid escapes.
func ReadParams(r *http.Request) *Params {
	p := &Params{}
	if r.URL.RawQuery == "" {
		return p
	}
	for part := range strings.SplitSeq(r.URL.RawQuery, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		name, err1 := url.QueryUnescape(name)
		value, err2 := url.QueryUnescape(value)
		if err1 != nil || err2 != nil {
			p.Err = watchpost.Errorf(watchpost.Invalid, textInvalidQuery)
			return p
		}
		p.given = append(p.given, param{name, value})
	}
	return p
}

// warningsField is the field of a reply that names parameters which were ignored.
const warningsField = "warnings"

// Bounds of the warnings of a reply.
const (
	maxWarnings    = 20
	maxWarnedRunes = 100 // of a parameter's name
)

// queryNames are the names of an operation's query parameters; nil: it reads none.
type queryNames map[string]bool

// queryNamesOf returns the names that the document gives, and their alias. Operations
// that read or delete take their parameters from the query.
func queryNamesOf(method string, o *openapi3.Operation) queryNames {
	if method != http.MethodGet && method != http.MethodDelete {
		return nil
	}
	var names queryNames
	for _, p := range o.Parameters {
		if p.Value.In != openapi3.ParameterInQuery {
			continue
		}
		if names == nil {
			names = queryNames{}
		}
		names[p.Value.Name] = true
		if p.Value.Name == "page" {
			names["current_page"] = true
		}
	}
	return names
}

// unknown returns a warning for each parameter of a query that is not read.
func (n queryNames) unknown(query string) (warnings []string) {
	if n == nil {
		return nil
	}
	for part := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(part, "=")
		if name == "" || n[name] {
			continue
		}
		name, err := url.QueryUnescape(name)
		if err != nil || n[name] || n[strings.TrimSuffix(name, "[]")] {
			continue
		}
		if short := []rune(name); len(short) > maxWarnedRunes {
			name = string(short[:maxWarnedRunes]) + "…"
		}
		warning := "Unknown parameter '" + name + "' was ignored"
		if !slices.Contains(warnings, warning) {
			warnings = append(warnings, warning)
		}
		if len(warnings) == maxWarnings {
			break
		}
	}
	return warnings
}

// Refuse notes that a parameter is unreadable.
func (p *Params) Refuse(name string) {
	if p.Err == nil {
		p.Err = watchpost.Errorf(watchpost.Invalid, "Invalid '%s'", name)
	}
}

// RefuseValue notes that a parameter has a value that it does not take, and names
// those that it does.
func (p *Params) RefuseValue(name string, use []string) {
	if p.Err == nil {
		p.Err = watchpost.Errorf(watchpost.Invalid, "Invalid '%s': use %s", name, InWords(use, "or"))
	}
}

// MaxValues bounds the values of a parameter that takes several: a team has up to 100
// watchlists, and a watchlist follows up to 200 profiles or companies.
const MaxValues = 200

// ErrTooMany is the error of a parameter with more than MaxValues values.
func ErrTooMany(name string) error { return errTooMany(name, MaxValues) }

func errTooMany(name string, most int) error {
	return watchpost.Errorf(watchpost.Invalid, "Too many values for '%s', at most %d", name, most)
}

// tooLong reports whether a value is over the bound of texts. Ids have none: a
// long one is one that does not exist.
func tooLong(name, value string) bool {
	id := name == "id" || strings.HasSuffix(name, "_id")
	return !id && utf8.RuneCountInString(value) > maxText
}

// One returns a parameter that takes a single value: given twice it is refused.
func (p *Params) One(name string) string {
	found, value := false, ""
	for _, g := range p.given {
		if g.name != name {
			continue
		}
		if found {
			p.Refuse(name)
			return ""
		}
		if found, value = true, g.value; tooLong(name, value) {
			p.Refuse(name)
			return ""
		}
	}
	return value
}

// List returns a parameter that takes several values: repeated, in one value
// with commas, or with brackets behind its name.
func (p *Params) List(name string) []string { return p.ListOf(name, MaxValues) }

// ListOf is List with a given bound.
func (p *Params) ListOf(name string, most int) []string {
	var list []string
	for _, brackets := range []string{"", "[]"} {
		for _, g := range p.given {
			if plain, found := strings.CutSuffix(g.name, brackets); !found || plain != name {
				continue
			}
			for item := range strings.SplitSeq(g.value, ",") {
				if tooLong(name, item) {
					p.Refuse(name)
					return nil
				}
				if item = strings.TrimSpace(item); item == "" {
					continue
				}
				if len(list) == most {
					p.Err = cmp.Or(p.Err, errTooMany(name, most))
					return nil
				}
				list = append(list, item)
			}
		}
	}
	return list
}

// Each returns a list parameter with every value read by parse. use are the values
// that the error of another names; none: it names the parameter only.
func Each[T any](p *Params, name string, parse func(string) (T, error), use ...string) []T {
	var list []T
	for _, item := range p.List(name) {
		v, err := parse(item)
		if err != nil && len(use) > 0 {
			p.RefuseValue(name, use)
			return nil
		}
		if err != nil {
			p.Refuse(name)
			return nil
		}
		list = append(list, v)
	}
	return list
}

// Flag returns a boolean parameter, false when it is absent.
func (p *Params) Flag(name string) bool {
	switch strings.ToLower(p.One(name)) {
	case "true", "1":
		return true
	case "", "false", "0":
		return false
	}
	p.Refuse(name)
	return false
}

// Number returns a whole number of at least 1 and at most limit.
func (p *Params) Number(name string, absent, limit int) int {
	value := p.One(name)
	if value == "" {
		return absent
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > limit {
		p.Refuse(name)
		return absent
	}
	return n
}

// Wait returns how long the request waits at most, in whole seconds up to MaxWait, and
// whether it says so.
func (p *Params) Wait() (most time.Duration, given bool) {
	value := p.One("wait")
	if value == "" {
		return 0, false
	}
	n, err := strconv.Atoi(value)
	if most = time.Duration(n) * time.Second; err != nil || n < 0 || most > MaxWait {
		p.Refuse("wait")
		return 0, true
	}
	return most, true
}

// Page returns the number of a page; current_page is an alias.
func (p *Params) Page() int {
	if p.One("page") == "" {
		return p.Number("current_page", 1, math.MaxInt32)
	}
	return p.Number("page", 1, math.MaxInt32)
}

// Instant returns a moment in RFC 3339, or the first of a date; zero when it is
// absent.
func (p *Params) Instant(name string) time.Time {
	value := p.One(name)
	if value == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.DateOnly, value)
	if err != nil {
		// A space is the plus sign of an offset, not escaped.
		t, err = time.Parse(time.RFC3339, strings.ReplaceAll(value, " ", "+"))
	}
	if err != nil {
		p.Refuse(name)
		return time.Time{}
	}
	return t.UTC()
}
