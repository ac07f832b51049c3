package fakenetwork

import (
	"html/template"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"watchpost/internal/fakenetwork/page"
)

// shown is the data of a template.
type shown struct {
	Title string
	Data  page.Data
	Now   time.Time
	Me    *page.Actor // the viewer, nil when signed out
	// Return is the address after signing in.
	Return string
	// Newer and Older are the addresses of the list's other pages.
	Newer, Older string
	Suggested    []page.Person
	request      url.Values
}

// Ago formats how long ago a time was.
func (s *shown) Ago(t time.Time) string { return ago(s.Now, t) }

// Card is a post as a list shows it.
func (s *shown) Card(p page.Post) card { return card{Post: p, shown: s} }

// Advert is a post that is shown among others as an advert.
func (s *shown) Advert(p page.Post) card { return card{Post: p, shown: s, Promoted: true} }

// Whole is a post as its own page shows it.
func (s *shown) Whole() card { return card{Post: *s.Data.Post, shown: s, Whole: true} }

// Person is a member as a list shows it.
func (s *shown) Person(p page.Person) personRow { return personRow{Person: p, shown: s} }

// personRow is a member with the page data that its template needs.
type personRow struct {
	Person page.Person
	*shown
}

// filters is the contents of the forms above lists of people.
type filters struct {
	Keyword string
	Fields  []choice
	Used    bool // one of Fields has a value
	Orders  []choice
}

// choice is a field with its value, or an option, chosen when Value is not
// empty.
type choice struct{ Name, Label, Value string }

// Filters are those of the request.
func (s *shown) Filters() filters {
	f := filters{Keyword: s.request.Get("keyword")}
	f.Fields = []choice{
		{Name: "first_name", Label: "First name"}, {Name: "last_name", Label: "Last name"}, {Name: "title", Label: "Title"},
		{Name: "current_company", Label: "Works at"}, {Name: "past_company", Label: "Worked at"}, {Name: "school", Label: "School"},
		{Name: "industry", Label: "Industry"}, {Name: "geo_urn", Label: "Place"}, {Name: "profile_language", Label: "Language"},
	}
	for i := range f.Fields {
		f.Fields[i].Value = s.request.Get(f.Fields[i].Name)
		f.Used = f.Used || f.Fields[i].Value != ""
	}
	f.Orders = []choice{{Name: "", Label: "newest"}, {Name: "first_name", Label: "first name"}, {Name: "last_name", Label: "last name"}}
	for i := range f.Orders {
		if f.Orders[i].Name == s.request.Get("sort") {
			f.Orders[i].Value = "chosen"
		}
	}
	return f
}

// card is a post with the page data that its template needs.
type card struct {
	page.Post
	*shown
	Whole, Promoted bool
}

// Social reports whether the post can be liked and commented on; forum posts
// cannot.
func (c card) Social() bool { return strings.HasPrefix(c.Path, "/posts/") }

// likeButton is the button of the viewer, or of a company of the viewer, to
// like a post.
type likeButton struct {
	ID, URN, Slug, Label string // of the actor
	Liked                bool
	Path                 string // of the post
}

// Likes are the like buttons: the viewer's, and on the post's own page those
// of the viewer's companies.
func (c card) Likes() []likeButton {
	button := func(urn, slug, label string) likeButton {
		return likeButton{
			ID: "like-" + lastPart(c.URN) + "-" + lastPart(urn), URN: urn, Slug: slug, Label: label,
			Liked: slices.Contains(c.LikedBy, urn), Path: c.Path,
		}
	}
	list := []likeButton{button(c.Data.Viewer.URN, "", "Like")}
	if c.Whole {
		for _, firm := range c.Data.Viewer.Companies {
			list = append(list, button(firm.URN, firm.Slug, "Like as "+firm.Name))
		}
	}
	return list
}

// lastPart is the part of an urn after the last colon.
func lastPart(urn string) string { return urn[strings.LastIndex(urn, ":")+1:] }

// day formats a time for people, in UTC.
func day(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04") + " UTC" }

// iso formats a time for machines.
func iso(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// ago formats the time since t; from a week on it is the date.
func ago(now, t time.Time) string {
	d := now.Sub(t)
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return strconv.Itoa(int(d/time.Minute)) + " min ago"
	case d < 24*time.Hour:
		return strconv.Itoa(int(d/time.Hour)) + " h ago"
	case d < 48*time.Hour:
		return "yesterday"
	case d < 7*24*time.Hour:
		return strconv.Itoa(int(d/(24*time.Hour))) + " days ago"
	case t.Year() == now.Year():
		return t.UTC().Format("2 January")
	default:
		return t.UTC().Format("2 January 2006")
	}
}

// month formats a month of a year, or the year alone.
func month(year, m int) string {
	if m < 1 || m > 12 {
		return strconv.Itoa(year)
	}
	return time.Month(m).String()[:3] + " " + strconv.Itoa(year)
}

// groupDigits writes a number with thin spaces between groups of three digits.
func groupDigits(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

// plural chooses the word for a number of things.
func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// verbatim escapes a text so that a browser keeps it character for character:
// an unescaped carriage return would become a line feed.
func verbatim(text string) template.HTML {
	return template.HTML(strings.ReplaceAll(template.HTMLEscapeString(text), "\r", "&#13;")) //nolint:gosec // escaped
}

// hashtag is a word after a number sign.
var hashtag = regexp.MustCompile(`#[\pL\pN_][\pL\pN\pM_]*`)

// tagged is verbatim with hashtags linked to their search. The text content is
// unchanged.
func tagged(text string) template.HTML {
	var b strings.Builder
	from := 0
	for _, at := range hashtag.FindAllStringIndex(text, -1) {
		if before, _ := utf8.DecodeLastRuneInString(text[:at[0]]); unicode.IsLetter(before) || unicode.IsDigit(before) || strings.ContainsRune("/#&", before) {
			continue // inside a word or an address
		}
		tag := text[at[0]:at[1]]
		b.WriteString(string(verbatim(text[from:at[0]])))
		b.WriteString(`<a href="/search/posts?q=` + template.URLQueryEscaper(tag) + `">` + string(verbatim(tag)) + `</a>`)
		from = at[1]
	}
	b.WriteString(string(verbatim(text[from:])))
	return template.HTML(b.String()) //nolint:gosec // escaped above
}
