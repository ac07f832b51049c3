package words

import (
	"encoding/json"
	"fmt"
	"html/template"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-playground/locales"
)

// message is a text in the forms that its language has for numbers. A text without a
// number has one form, the other one.
type message struct {
	forms [locales.PluralRuleOther + 1]form
}

// form is a text cut at its arguments: those at odd places are names.
type form struct {
	source string
	parts  []string
}

var (
	argument   = regexp.MustCompile(`\{([a-z][a-z0-9_]*)\}`)
	categories = map[string]locales.PluralRule{
		"zero": locales.PluralRuleZero, "one": locales.PluralRuleOne, "two": locales.PluralRuleTwo,
		"few": locales.PluralRuleFew, "many": locales.PluralRuleMany, "other": locales.PluralRuleOther,
	}
)

func formOf(source string) form {
	f := form{source: source}
	from := 0
	for _, at := range argument.FindAllStringSubmatchIndex(source, -1) {
		f.parts = append(f.parts, source[from:at[0]], source[at[2]:at[3]])
		from = at[1]
	}
	f.parts = append(f.parts, source[from:])
	return f
}

// UnmarshalJSON reads a text, or an object with its forms.
func (m *message) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		m.forms[locales.PluralRuleOther] = formOf(one)
		return nil
	}
	several := map[string]string{}
	if err := json.Unmarshal(raw, &several); err != nil {
		return err
	}
	for name, text := range several {
		category, known := categories[name]
		if !known {
			return fmt.Errorf("%q is no plural category", name)
		}
		m.forms[category] = formOf(text)
	}
	if m.forms[locales.PluralRuleOther].parts == nil {
		return fmt.Errorf("the form for other numbers is missing in %s", raw)
	}
	return nil
}

// numberArgument is the argument that chooses the form.
const numberArgument = "n"

func (m *message) write(l *Language, arguments []any, escaped func(string) string) string {
	f := &m.forms[locales.PluralRuleOther]
	if n, given := valueOf(arguments, numberArgument).(int); given {
		if one := &m.forms[l.locale.CardinalPluralRule(float64(n), 0)]; one.parts != nil {
			f = one
		}
	}
	if len(f.parts) == 1 {
		return f.parts[0]
	}
	var b strings.Builder
	for i, part := range f.parts {
		if i%2 == 0 {
			b.WriteString(part)
			continue
		}
		switch value := valueOf(arguments, part).(type) {
		case nil: // no argument but a word in braces
			b.WriteString("{" + part + "}")
		case int:
			b.WriteString(l.Number(value))
		case template.HTML:
			b.WriteString(string(value))
		case string:
			b.WriteString(escaped(value))
		default:
			b.WriteString(escaped(fmt.Sprint(value)))
		}
	}
	return b.String()
}

// valueOf returns the value of an argument, or nil.
func valueOf(arguments []any, name string) any {
	for i := 0; i+1 < len(arguments); i += 2 {
		if arguments[i] == name {
			return arguments[i+1]
		}
	}
	return nil
}

// knownPrefix begins the ids of texts that other parts of the service write, in English:
// errors of the API, names of languages, titles of tasks, filters and notification targets.
const knownPrefix = "known."

// similar is a known text with arguments.
type similar struct {
	english *regexp.Regexp
	names   []string
	text    *message
}

// learn takes a text of the service in English with its translation.
func (l *Language) learn(english, translated *message) {
	for i := range english.forms {
		if f := &english.forms[i]; len(f.parts) == 1 {
			l.known[f.source] = translated.forms[locales.PluralRuleOther].source
		} else if len(f.parts) > 1 {
			l.learnSimilar(f, translated)
		}
	}
}

// learnSimilar takes a form of a text that has arguments.
func (l *Language) learnSimilar(f *form, translated *message) {
	s := similar{text: translated}
	var pattern strings.Builder
	for i, part := range f.parts {
		if i%2 == 0 {
			pattern.WriteString(regexp.QuoteMeta(part))
			continue
		}
		pattern.WriteString("(.+)")
		s.names = append(s.names, part)
	}
	s.english = regexp.MustCompile("^" + pattern.String() + "$")
	l.similar = append(l.similar, s)
}

// Known returns a text that another part of the service has written in English. A text
// that the catalogue does not know stays as it is.
func (l *Language) Known(text string) string {
	if known, ok := l.known[text]; ok {
		return known
	}
	for i := range l.similar {
		s := &l.similar[i]
		found := s.english.FindStringSubmatch(text)
		if found == nil {
			continue
		}
		var arguments []any
		for j, name := range s.names {
			if n, err := strconv.Atoi(found[j+1]); err == nil && name == numberArgument {
				arguments = append(arguments, name, n)
				continue
			}
			arguments = append(arguments, name, l.Known(found[j+1]))
		}
		return s.text.write(l, arguments, func(s string) string { return s })
	}
	return text
}
