package specs_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// parseJSON reads one JSON value and keeps numbers as written.
func parseJSON(s string) (any, error) {
	var v any
	decoder := json.NewDecoder(strings.NewReader(s))
	decoder.UseNumber()
	if err := decoder.Decode(&v); err != nil {
		return nil, fmt.Errorf("%w in %s", err, s)
	}
	return v, nil
}

// textOf formats a value as a script writes it: a string without quotes, others
// as JSON.
func textOf(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// equals compares a value with the text of a script: a string exactly, others
// as JSON.
func equals(got any, want string) bool {
	if s, ok := got.(string); ok && s == want {
		return true
	}
	value, err := parseJSON(want)
	return err == nil && compare("", value, got, false) == nil
}

// compareScalars compares two numbers by value, or else two texts.
func compareScalars(a, b any) int {
	x, ok1 := a.(json.Number)
	y, ok2 := b.(json.Number)
	if ok1 && ok2 {
		f, _ := x.Float64()
		g, _ := y.Float64()
		return cmp.Compare(f, g)
	}
	return cmp.Compare(textOf(a), textOf(b))
}

// sameItems reports whether two lists have the same elements in any order.
func sameItems(a, b []any) bool {
	texts := func(list []any) []string {
		var all []string
		for _, item := range list {
			all = append(all, textOf(item))
		}
		slices.Sort(all)
		return all
	}
	return slices.Equal(texts(a), texts(b))
}

// lookUp follows a path such as data[0].id into a value. [*] selects every
// element, so the rest of the path returns a list; [name] selects the first
// element of that type; a single dot is the whole value.
func lookUp(v any, path string) (any, bool) {
	if path == "" || path == "." {
		return v, true
	}
	if path[0] == '[' {
		end := strings.IndexByte(path, ']')
		list, ok := v.([]any)
		if end < 0 || !ok {
			return nil, false
		}
		index, rest := path[1:end], strings.TrimPrefix(path[end+1:], ".")
		if index == "*" {
			all := make([]any, 0, len(list))
			for _, item := range list {
				if found, ok := lookUp(item, rest); ok {
					all = append(all, found)
				}
			}
			return all, true
		}
		i, err := strconv.Atoi(index)
		if err != nil {
			i = slices.IndexFunc(list, func(item any) bool {
				fields, _ := item.(map[string]any)
				return fields["type"] == index
			})
		}
		if i < 0 || i >= len(list) {
			return nil, false
		}
		return lookUp(list[i], rest)
	}
	name, rest := path, ""
	if i := strings.IndexAny(path, ".["); i >= 0 {
		name, rest = path[:i], strings.TrimPrefix(path[i:], ".")
	}
	fields, ok := v.(map[string]any)
	if !ok {
		return nil, false
	}
	member, ok := fields[name]
	if !ok {
		return nil, false
	}
	return lookUp(member, rest)
}

// placeholders are texts of a pattern that match unpredictable values.
var placeholders = map[string]*regexp.Regexp{
	"<id>":    regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`),
	"<time>":  regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`),
	"<key>":   regexp.MustCompile(`^wp_[0-9A-Za-z]{32}$`),
	"<token>": regexp.MustCompile(`^[0-9A-Za-z_-]{43,}$`),
	"<text>":  regexp.MustCompile(`.`),
}

// compare compares a value with a pattern and describes the difference. In a
// loose comparison objects may have more members than the pattern.
func compare(at string, want, got any, loose bool) error {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return fmt.Errorf("%s is %s, want an object", place(at), textOf(got))
		}
		return compareMembers(at, w, g, loose)
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return fmt.Errorf("%s is %s, want %s", place(at), textOf(got), textOf(want))
		}
		for i := range w {
			if err := compare(at+"["+strconv.Itoa(i)+"]", w[i], g[i], loose); err != nil {
				return err
			}
		}
		return nil
	case string:
		g, isText := got.(string)
		if pattern, known := placeholders[w]; known && isText && pattern.MatchString(g) || w == "<any>" {
			return nil
		}
		if _, isNumber := got.(json.Number); w == "<number>" && isNumber {
			return nil
		}
	}
	if !reflect.DeepEqual(want, got) && !sameNumber(want, got) {
		return fmt.Errorf("%s is %s, want %s", place(at), textOf(got), textOf(want))
	}
	return nil
}

func compareMembers(at string, want, got map[string]any, loose bool) error {
	for name, w := range want {
		g, ok := got[name]
		if !ok {
			return fmt.Errorf("%s has no %s", place(at), name)
		}
		if err := compare(at+"."+name, w, g, loose); err != nil {
			return err
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok && !loose {
			return fmt.Errorf("%s has %s, which is not wanted", place(at), name)
		}
	}
	return nil
}

func place(at string) string {
	if at == "" {
		return "the value"
	}
	return strings.TrimPrefix(at, ".")
}

func sameNumber(a, b any) bool {
	x, ok1 := a.(json.Number)
	y, ok2 := b.(json.Number)
	if !ok1 || !ok2 {
		return false
	}
	f, err1 := x.Float64()
	g, err2 := y.Float64()
	return err1 == nil && err2 == nil && f == g
}
