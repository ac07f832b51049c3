package httpapi

import (
	"cmp"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"watchpost/watchpost"
)

const textInvalidQuery = "Invalid query string"

// params reads query parameters. It keeps the error of the first unreadable
// one and ignores values read after it. An empty parameter is the same as an
// absent one.
type params struct {
	given []param // in the order of the query
	err   error
}

type param struct{ name, value string }

// readParams splits a query. Unlike net/url it takes a semicolon literally and
// refuses invalid escapes.
func readParams(r *http.Request) *params {
	p := &params{}
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
			p.err = watchpost.Errorf(watchpost.Invalid, textInvalidQuery)
			return p
		}
		p.given = append(p.given, param{name, value})
	}
	return p
}

func (p *params) refuse(name string) {
	if p.err == nil {
		p.err = watchpost.Errorf(watchpost.Invalid, "Invalid '%s'", name)
	}
}

// maxValues bounds the values of a parameter that takes several: a team has up to 100
// watchlists, and a watchlist follows up to 200 profiles or companies.
const maxValues = 200

func errTooMany(name string) error {
	return watchpost.Errorf(watchpost.Invalid, "Too many values for '%s', at most %d", name, maxValues)
}

// tooLong reports whether a value is over the bound of texts. Ids have none: a
// long one is one that does not exist.
func tooLong(name, value string) bool {
	id := name == "id" || strings.HasSuffix(name, "_id")
	return !id && utf8.RuneCountInString(value) > maxText
}

// one returns a parameter that takes a single value: given twice it is refused.
func (p *params) one(name string) string {
	found, value := false, ""
	for _, g := range p.given {
		if g.name != name {
			continue
		}
		if found {
			p.refuse(name)
			return ""
		}
		if found, value = true, g.value; tooLong(name, value) {
			p.refuse(name)
			return ""
		}
	}
	return value
}

// list returns a parameter that takes several values: repeated, in one value
// with commas, or with brackets behind its name.
func (p *params) list(name string) []string {
	var list []string
	for _, brackets := range []string{"", "[]"} {
		for _, g := range p.given {
			if plain, found := strings.CutSuffix(g.name, brackets); !found || plain != name {
				continue
			}
			for item := range strings.SplitSeq(g.value, ",") {
				if tooLong(name, item) {
					p.refuse(name)
					return nil
				}
				if item = strings.TrimSpace(item); item == "" {
					continue
				}
				if len(list) == maxValues {
					p.err = cmp.Or(p.err, errTooMany(name))
					return nil
				}
				list = append(list, item)
			}
		}
	}
	return list
}

// each returns a list parameter with every value read by parse.
func each[T any](p *params, name string, parse func(string) (T, error)) []T {
	var list []T
	for _, item := range p.list(name) {
		v, err := parse(item)
		if err != nil {
			p.refuse(name)
			return nil
		}
		list = append(list, v)
	}
	return list
}

// flag returns a boolean parameter, false when it is absent.
func (p *params) flag(name string) bool {
	switch strings.ToLower(p.one(name)) {
	case "true", "1":
		return true
	case "", "false", "0":
		return false
	}
	p.refuse(name)
	return false
}

// number returns a whole number of at least 1 and at most limit.
func (p *params) number(name string, absent, limit int) int {
	value := p.one(name)
	if value == "" {
		return absent
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > limit {
		p.refuse(name)
		return absent
	}
	return n
}

// page returns the number of a page; current_page is an alias.
func (p *params) page() int {
	if p.one("page") == "" {
		return p.number("current_page", 1, math.MaxInt32)
	}
	return p.number("page", 1, math.MaxInt32)
}

// day returns the beginning of a day in UTC, zero when it is absent. Of a moment
// it is the day in UTC.
func (p *params) day(name string) time.Time {
	return p.instant(name).Truncate(24 * time.Hour)
}

// instant returns a moment in RFC 3339, or the first of a date; zero when it is
// absent.
func (p *params) instant(name string) time.Time {
	value := p.one(name)
	if value == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.DateOnly, value)
	if err != nil {
		// A space is the plus sign of an offset, not escaped.
		t, err = time.Parse(time.RFC3339, strings.ReplaceAll(value, " ", "+"))
	}
	if err != nil {
		p.refuse(name)
		return time.Time{}
	}
	return t.UTC()
}
