package words

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-playground/locales"
	"github.com/go-playground/locales/ar"
)

// arabic writes numbers with the marks that go with the digits 0 to 9: CLDR's are those of
// Arabic digits, which the library does not write. Its days are the short ones, because
// those that CLDR calls abbreviated are the full names.
type arabic struct{ locales.Translator }

func newArabic() locales.Translator { return arabic{ar.New()} }

var arabicMarks = strings.NewReplacer("٬", ",", "٫", ".")

// FmtNumber writes a number with a number of digits behind the point.
func (a arabic) FmtNumber(n float64, digits uint64) string {
	return arabicMarks.Replace(a.Translator.FmtNumber(n, digits))
}

// WeekdayAbbreviated names a day of the week.
func (a arabic) WeekdayAbbreviated(day time.Weekday) string { return a.WeekdayShort(day) }

// Number writes a whole number with its thousands apart.
func (l *Language) Number(n int) string {
	if n >= 0 && n < 1000 {
		return strconv.Itoa(n)
	}
	return l.locale.FmtNumber(float64(n), 0)
}

// Decimal writes a number with as many digits as it needs.
func (l *Language) Decimal(f float64) string { return l.point(strconv.FormatFloat(f, 'f', -1, 64)) }

// Tenths writes a number with one digit behind the point.
func (l *Language) Tenths(f float64) string { return l.point(strconv.FormatFloat(f, 'f', 1, 64)) }

// point writes a decimal point as the language does.
func (l *Language) point(s string) string {
	return strings.Replace(s, ".", l.decimal, 1)
}

// dateNames are the words in the layout of a date that a language replaces, as package time
// has them; a longer one comes before its begin.
var dateNames = []string{"January", "Jan", "Monday", "Mon"}

// layout cuts the layout of a date at its names of months and days: those at odd places.
func layout(source string) (parts []string) {
	for {
		at, found := len(source), ""
		for _, name := range dateNames {
			if i := strings.Index(source, name); i >= 0 && (i < at || i == at && len(name) > len(found)) {
				at, found = i, name
			}
		}
		parts = append(parts, source[:at])
		if found == "" {
			return parts
		}
		parts = append(parts, found)
		source = source[at+len(found):]
	}
}

// Local returns a moment in the zone of the reader, which is UTC while it is not known.
func (l *Language) Local(t time.Time) time.Time { return t.In(l.Zone()) }

// Zone returns the zone of the reader.
func (l *Language) Zone() *time.Location {
	if l.zone == nil {
		return time.UTC
	}
	return l.zone
}

// Date writes a moment by the layout that the language has under an id, in the zone of the
// moment.
func (l *Language) Date(id string, t time.Time) string {
	var b strings.Builder
	for i, part := range l.layouts[id] {
		switch {
		case i%2 == 0 && part != "":
			b.WriteString(t.Format(part))
		case part == "January":
			b.WriteString(l.locale.MonthWide(t.Month()))
		case part == "Jan":
			b.WriteString(l.locale.MonthAbbreviated(t.Month()))
		case part == "Monday":
			b.WriteString(l.locale.WeekdayWide(t.Weekday()))
		case part == "Mon":
			b.WriteString(l.locale.WeekdayAbbreviated(t.Weekday()))
		}
	}
	return b.String()
}

// Quoted puts a text between the quotation marks of the language.
func (l *Language) Quoted(text string) string { return l.Text("language.quoted", "text", text) }

// List joins parts of a text as the language separates them.
func (l *Language) List(parts ...string) string {
	return strings.Join(parts, l.Text("list.comma"))
}

// Weekday names a day of the week, in full or short.
func (l *Language) Weekday(day time.Weekday, short bool) string {
	if short {
		return l.locale.WeekdayAbbreviated(day)
	}
	return l.locale.WeekdayWide(day)
}

// Sentence begins a text with a capital letter.
func Sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}
