package fakenetwork

import (
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"watchpost/internal/fakenetwork/page"
)

// number reads a parameter as a number from 0 to limit.
func (v *visit) number(name string, without, limit int) int {
	n, err := strconv.Atoi(v.r.FormValue(name))
	if err != nil || n < 0 {
		return without
	}
	return min(n, limit)
}

// slice returns the requested part of a list of people.
func (v *visit) slice(kind page.Kind) (start, count int) {
	count = max(1, v.number("count", 25, 50))
	if kind == page.KindConnections {
		count = max(1, v.number("count", 40, 100))
	}
	return v.number("start", 0, 1_000_000), count
}

// searchPeople shows the members that pass every filter of the request. Text
// filters compare folded text; a repeated filter passes with any of its
// values.
func (v *visit) searchPeople() {
	if err := v.r.ParseForm(); err != nil {
		v.notFound()
		return
	}
	var list []*member
	for _, m := range v.records.everyone() {
		if m != v.me && v.passes(m) {
			list = append(list, m)
		}
	}
	v.people(page.KindPeople, "People", list)
}

// searchCompanies shows the companies whose name, industry or specialties
// contain every word of the query; without one, all.
func (v *visit) searchCompanies() {
	query := v.r.FormValue("q")
	var list []page.Actor
	for _, c := range v.world.companies {
		text, found := fold(strings.Join(append([]string{c.name, c.industry, c.place.name}, c.specialties...), "\n")), true
		for _, w := range strings.Fields(fold(query)) {
			found = found && strings.Contains(text, w)
		}
		if found {
			list = append(list, firmActor(c))
		}
	}
	n := v.pageNumber()
	v.show(http.StatusOK, "Companies", page.Data{
		Kind: page.KindCompanies, Query: query, Companies: cut(list, n, listPage),
		Paging: &page.Paging{Page: n, Total: len(list), More: n*listPage < len(list)},
	})
}

// passes reports whether a member passes the filters of the request.
func (v *visit) passes(m *member) bool {
	for _, w := range strings.Fields(fold(v.r.FormValue("keywords"))) {
		if !strings.Contains(m.text, w) {
			return false
		}
	}
	now, before := m.positions[:1], m.positions[1:]
	return v.any("title", func(want string) bool { return isTitled(m.positions[0].title, want) }) &&
		v.holds("first_name", m.first) && v.holds("last_name", m.last) &&
		v.holds("school", m.schools[0].school) && v.holds("location", m.place.name) &&
		v.any("company", func(want string) bool { return worksAt(m.positions, want) }) &&
		v.any("current_company", func(want string) bool { return worksAt(now, want) }) &&
		v.any("past_company", func(want string) bool { return worksAt(before, want) }) &&
		v.any("industry", func(want string) bool { return strings.Contains(fold(m.company.industry), fold(want)) }) &&
		v.any("profile_language", func(want string) bool { return strings.EqualFold(m.language, want) }) &&
		v.any("geo_urn", func(want string) bool { return m.place.is(want) })
}

// holds reports whether a text contains the filter's text.
func (v *visit) holds(filter, text string) bool {
	return v.any(filter, func(want string) bool { return strings.Contains(fold(text), fold(want)) })
}

// isTitled reports whether a job title has the wanted words one after another,
// or is abbreviated by them: CTO finds a Chief Technology Officer, and no
// Director.
func isTitled(title, want string) bool {
	has, wanted := words(fold(title)), words(fold(want))
	var initials strings.Builder
	for _, w := range has {
		first, _ := utf8.DecodeRuneInString(w)
		initials.WriteRune(first)
	}
	return strings.Contains(" "+strings.Join(has, " ")+" ", " "+strings.Join(wanted, " ")+" ") ||
		len(wanted) == 1 && len(has) > 1 && initials.String() == wanted[0]
}

// any reports whether one value of a filter matches, or the filter is absent.
func (v *visit) any(filter string, met func(want string) bool) bool {
	used := false
	for _, want := range v.r.Form[filter] {
		if want == "" {
			continue
		}
		if used = true; met(want) {
			return true
		}
	}
	return !used
}

// worksAt reports whether one of the positions is at the company named by
// want: a URN, id, slug or part of its name.
func worksAt(positions []position, want string) bool {
	for _, p := range positions {
		if want == p.company.slug || want == p.company.urn() || want == strconv.FormatUint(p.company.id, 10) ||
			strings.Contains(fold(p.company.name), fold(want)) {
			return true
		}
	}
	return false
}

// is reports whether want names the place: by URN, number or part of its name.
func (p place) is(want string) bool {
	number := strconv.Itoa(p.geo)
	return want == number || want == urnGeo+number || strings.Contains(fold(p.name), fold(want))
}
