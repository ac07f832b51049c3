package words

import (
	"encoding/json"
	"html/template"
	"regexp"
	"testing"
	"time"

	"github.com/go-playground/locales"
	"github.com/go-playground/locales/pl"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"watchpost/internal/langcode"
)

var tags = regexp.MustCompile(`<[^>]*>`)

// TestCatalogues: each language has the texts of English, with the same arguments and
// markup, and a form for each plural category that it needs.
func TestCatalogues(t *testing.T) {
	t.Parallel()
	source := English()
	for _, l := range All() {
		raw, err := files.ReadFile(l.Code + ".json")
		require.NoError(t, err)
		given := map[string]*message{}
		require.NoError(t, json.Unmarshal(raw, &given))
		for id := range given {
			assert.Contains(t, source.texts, id, "%s: English does not have it", l.Code)
		}
		for _, id := range source.IDs() {
			m, english := given[id], source.texts[id]
			if !assert.NotNil(t, m, "%s lacks %s", l.Code, id) {
				continue
			}
			wanted, _ := source.Arguments(id)
			got, _ := l.Arguments(id)
			assert.Equal(t, wanted, got, "arguments of %s in %s", id, l.Code)
			plural := english.forms[locales.PluralRuleOne].parts != nil
			if plural {
				for _, category := range l.locale.PluralsCardinal() {
					assert.NotNil(t, m.forms[category].parts, "%s lacks the form %s of %s", l.Code, category, id)
				}
			}
			for category := range m.forms {
				if f := &m.forms[category]; f.parts != nil {
					assert.NotEmpty(t, f.source, "%s in %s", id, l.Code)
					markup := english.forms[locales.PluralRuleOther].source
					assert.Equal(t, tags.FindAllString(markup, -1), tags.FindAllString(f.source, -1), "markup of %s in %s", id, l.Code)
				}
			}
		}
	}
}

func TestFor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ chosen, accepted, want string }{
		{"", "", "en"},
		{"", "de", "de"},
		{"", "de-AT,de;q=0.9,en;q=0.5", "de"},
		{"", "de-CH", "de"},
		{"", "pl", "en"},
		{"", "zh", "en"},
		{"", "zh-Hant-TW,zh;q=0.9", "en"},
		{"", "pl-PL,pl;q=0.9,de;q=0.8", "de"},
		{"", "fr-CA", "fr"},
		{"", "pt", "pt-BR"},
		{"", "pt-PT,pt;q=0.9", "pt-BR"},
		{"", "es-419", "es"},
		{"", "ar-EG", "ar"},
		{"", "ja-JP", "ja"},
		{"", "hi-IN,en;q=0.8", "hi"},
		{"", "it-CH,de-CH;q=0.9", "it"},
		{"", "en-GB,de;q=0.8", "en"},
		{"", "en;q=0.4,de;q=0.8", "de"},
		{"", "*", "en"},
		{"", "; not a header", "en"},
		{"en", "de", "en"},
		{"de", "en", "de"},
		{"pt-BR", "en", "pt-BR"},
		{"de", "", "de"},
		{"xx", "de", "de"},
		{"../en", "", "en"},
	} {
		require.Equal(t, c.want, For(c.chosen, c.accepted).Code, "%q, %q", c.chosen, c.accepted)
	}
	require.Equal(t, "pt-BR", Accepted("pt").Code)
	require.Equal(t, "en", Accepted("en-GB,de;q=0.5").Code)
	for _, none := range []string{"", "*", "pl", "zh-CN,pl;q=0.5", "; not a header"} {
		require.Nil(t, Accepted(none), "%q names no language that there is", none)
	}
}

func TestNumbersAndDates(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 24, 9, 5, 0, 0, time.UTC)
	for _, c := range []struct {
		l                                                 *Language
		thousands, negative, tenths, decimal, long, short string
		weekday, quoted                                   string
	}{
		{English(), "1,234,567", "-1,234", "7.2", "2.25", "24 November 2026", "Tue 24 Nov 09:05", "Tuesday", "“x”"},
		{Of("ar"), "1,234,567", "\u061c-1,234", "7.2", "2.25", "24 نوفمبر 2026", "ثلاثاء، 24 نوفمبر، 09:05", "الثلاثاء", "«x»"},
		{Of("de"), "1.234.567", "-1.234", "7,2", "2,25", "24. November 2026", "Di. 24. Nov. 09:05", "Dienstag", "„x“"},
		{Of("es"), "1.234.567", "-1.234", "7,2", "2,25", "24 de noviembre de 2026", "mar., 24 nov., 09:05", "martes", "«x»"},
		{Of("fr"), "1\u202f234\u202f567", "-1\u202f234", "7,2", "2,25", "24 novembre 2026", "mar. 24 nov. 09:05", "mardi", "«\u00a0x\u00a0»"},
		{Of("hi"), "12,34,567", "-1,234", "7.2", "2.25", "24 नवंबर 2026", "मंगल, 24 नव॰, 09:05", "मंगलवार", "“x”"},
		{Of("it"), "1.234.567", "-1.234", "7,2", "2,25", "24 novembre 2026", "mar 24 nov, 09:05", "martedì", "«x»"},
		{Of("ja"), "1,234,567", "-1,234", "7.2", "2.25", "2026年11月24日", "11月24日（火）09:05", "火曜日", "「x」"},
		{Of("pt-BR"), "1.234.567", "-1.234", "7,2", "2,25", "24 de novembro de 2026", "ter., 24 de nov., 09:05", "terça-feira", "“x”"},
	} {
		require.Equal(t, c.thousands, c.l.Number(1_234_567))
		require.Equal(t, "999", c.l.Number(999))
		require.Equal(t, c.negative, c.l.Number(-1234))
		require.Equal(t, c.tenths, c.l.Tenths(7.2))
		require.Equal(t, c.decimal, c.l.Decimal(2.25))
		require.Equal(t, c.long, c.l.Date("date.long", at))
		require.Equal(t, c.short, c.l.Date("date.week_time", at))
		require.Equal(t, c.weekday, c.l.Weekday(time.Tuesday, false))
		require.Equal(t, c.quoted, c.l.Quoted("x"))
	}
	for month := time.January; month <= time.December; month++ {
		for day := range 7 {
			at := time.Date(2026, month, 1+day, 0, 0, 0, 0, time.UTC)
			require.Equal(t, at.Format("Mon 2 Jan 2006 Monday January"), layoutOf(English(), at), "English writes as package time")
		}
	}
}

func layoutOf(l *Language, at time.Time) string {
	one := *l
	one.layouts = map[string][]string{"x": layout("Mon 2 Jan 2006 Monday January")}
	return one.Date("x", at)
}

// TestNewLanguage: a language may have more plural categories than English, lack texts, and
// be written from the right.
func TestNewLanguage(t *testing.T) {
	t.Parallel()
	source, err := parse("en", locale["en"](), []byte(`{"language.name": "English", "language.dir": "ltr", "n": {"one": "{n} post", "other": "{n} posts"}, "a": "only English", "known.gone": "{n} are gone"}`), nil)
	require.NoError(t, err)
	require.NotContains(t, locale, "pl", "the language is a new one")
	l, err := parse("pl", pl.New(), []byte(`{"language.name": "Polski", "known.gone": "X {n}",
		"n": {"one": "1", "few": "few {n}", "many": "many {n}", "other": "other {n}"}}`), source)
	require.NoError(t, err)
	require.Equal(t, "ltr", l.Dir)
	for n, want := range map[int]string{0: "many 0", 1: "1", 2: "few 2", 5: "many 5", 12: "many 12", 22: "few 22"} {
		require.Equal(t, want, l.Text("n", "n", n))
	}
	require.Equal(t, "only English", l.Text("a"))
	require.Equal(t, "X 3", l.Known("3 are gone"))
	_, err = parse("pl", pl.New(), []byte(`{"n": {"one": "1"}}`), source)
	require.ErrorContains(t, err, "other numbers")
	_, err = parse("pl", pl.New(), []byte(`{"n": {"some": "1", "other": "2"}}`), source)
	require.ErrorContains(t, err, "plural category")
	arabic := Of("ar")
	require.Equal(t, "rtl", arabic.Dir)
	for n, want := range map[int]string{3: "3 أيام", 11: "11 يومًا", 100: "100 يوم"} {
		require.Equal(t, want, arabic.Text("count.day", "n", n))
	}
}

func TestMessages(t *testing.T) {
	t.Parallel()
	l, err := parse("en", locale["en"](), []byte(`{"language.name": "English", "language.dir": "ltr", "a": "<b>{name}</b> & {other} of {n}", "b": "say \"hi\"", "c": {"one": "1", "other": "{n}"}}`), nil)
	require.NoError(t, err)
	require.Equal(t, template.HTML("<b>&lt;i&gt;</b> & <u>x</u> of 1,000"), l.HTML("a", "name", "<i>", "other", template.HTML("<u>x</u>"), "n", 1000))
	require.Equal(t, "<b><i></b> & {other} of 7", l.Text("a", "name", "<i>", "n", 7), "a word in braces stays")
	require.Equal(t, "no.such", l.Text("no.such"))
	text, ok := l.Static("b")
	require.True(t, ok)
	require.Equal(t, "say &#34;hi&#34;", text)
	_, ok = l.Static("no.such")
	require.False(t, ok)
	require.Equal(t, "1", l.Text("c", "n", 1))
	require.Equal(t, "21", l.Text("c", "n", 21))
}

func TestKnown(t *testing.T) {
	t.Parallel()
	de := Of("de")
	for english, german := range map[string]string{
		"Post not found": "Beitrag nicht gefunden", "A note has at most 300 characters.": "Eine Notiz hat höchstens 300 Zeichen.",
		"Nobody has said this": "Nobody has said this", "": "",
		"Your plan includes up to 1 team member.":                    "Ihr Tarif enthält bis zu 1 Mitglied.",
		"Your plan includes up to 5 tracked profiles per watchlist.": "Ihr Tarif enthält bis zu 5 verfolgte Profile je Watchlist.",
		"Invalid 'sort_by'": "Ungültig: „sort_by“", "Invalid 'voice': at most 300 characters": "Höchstens 300 Zeichen",
	} {
		require.Equal(t, german, de.Known(english))
		require.Equal(t, english, English().Known(english))
	}
	require.Equal(t, "تشمل باقتك حتى 3 أعضاء.", Of("ar").Known("Your plan includes up to 3 team members."), "the form for the number")
	require.Equal(t, []string{"a, b", "a、b", "a، b"}, []string{de.List("a", "b"), Of("ja").List("a", "b"), Of("ar").List("a", "b")})
}

// TestNamesOfLanguages: the catalogue names each language that posts are in as CLDR does.
// The library with its names is left to this test: it would be 2.2 MiB of the program.
func TestNamesOfLanguages(t *testing.T) {
	t.Parallel()
	for _, l := range All()[1:] {
		names := display.Languages(language.Make(l.Code))
		for _, code := range langcode.Codes() {
			id := "known.language_" + code
			require.Equal(t, langcode.Name(code), English().Text(id))
			require.Equal(t, l.Text(id), l.Known(langcode.Name(code)))
			switch code {
			case "no": // stands for both of its forms, CLDR's name for one
			case langcode.Undetermined: // CLDR has "unknown language"
			default:
				require.Equal(t, names.Name(language.Make(code)), l.Text(id), "%s in %s", code, l.Code)
			}
		}
	}
}
