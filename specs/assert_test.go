package specs_test

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// statusCommand compares the status of the last reply.
func (w *world) statusCommand(args []string) error {
	if len(args) != 1 {
		return usage("status CODE")
	}
	if w.last == nil {
		return errors.New("no reply yet")
	}
	if got := strconv.Itoa(w.last.status); got != args[0] {
		return fmt.Errorf("got %s, want %s\n%s", got, args[0], w.last)
	}
	return nil
}

// refusedCommand expects an error: its status, and a body with only its text.
func (w *world) refusedCommand(args []string) error {
	if len(args) != 2 {
		return usage("refused CODE 'text'")
	}
	if err := w.statusCommand(args[:1]); err != nil {
		return err
	}
	return w.replyCommand([]string{string(object("error", args[1]))})
}

// replyCommand compares the whole body with a pattern.
func (w *world) replyCommand(args []string) error {
	if len(args) != 1 {
		return usage("reply 'JSON' | reply @FILE")
	}
	if w.last == nil || !w.last.isJSON {
		return fmt.Errorf("no JSON to compare\n%s", w.last)
	}
	raw, err := w.bodyOf(args[0])
	if err != nil {
		return err
	}
	want, err := parseJSON(string(raw))
	if err != nil {
		return err
	}
	if err := compare("", want, w.last.value, false); err != nil {
		return fmt.Errorf("%w\n%s", err, w.last)
	}
	return nil
}

// jsonCommand checks a condition on a part of the body.
func (w *world) jsonCommand(args []string) error {
	if len(args) < 2 || len(args) > 3 {
		return usage("json PATH exists | absent | OPERATOR VALUE")
	}
	if w.last == nil || !w.last.isJSON {
		return fmt.Errorf("no JSON to look at\n%s", w.last)
	}
	got, found := lookUp(w.last.value, args[0])
	if len(args) == 3 && strings.HasPrefix(args[2], "@") {
		raw, err := w.bodyOf(args[2])
		if err != nil {
			return err
		}
		args = []string{args[0], args[1], string(raw)}
	}
	if err := hold(got, found, args[1:]); err != nil {
		return fmt.Errorf("%s %w\n%s", args[0], err, w.last)
	}
	return nil
}

// headerCommand checks a condition on a header of the reply.
func (w *world) headerCommand(args []string) error {
	if len(args) < 2 || len(args) > 3 {
		return usage("header NAME exists | absent | OPERATOR VALUE")
	}
	if w.last == nil || w.last.header == nil {
		return errors.New("no reply yet")
	}
	values := w.last.header.Values(args[0])
	if err := hold(strings.Join(values, ", "), len(values) > 0, args[1:]); err != nil {
		return fmt.Errorf("%s %w\n%s", args[0], err, w.last)
	}
	return nil
}

// textCommand checks a condition on the body as text.
func (w *world) textCommand(args []string) error {
	if len(args) != 2 || w.last == nil {
		return usage("text OPERATOR VALUE, after a request")
	}
	if err := hold(string(w.last.body), true, args); err != nil {
		return fmt.Errorf("body %w\n%s", err, w.last)
	}
	return nil
}

// saveCommand stores a part of the body in a variable.
func (w *world) saveCommand(args []string) error {
	if len(args) != 2 {
		return usage("save NAME PATH")
	}
	if w.last == nil {
		return errors.New("no reply yet")
	}
	got, found := lookUp(w.last.value, args[1])
	if !found || got == nil {
		return fmt.Errorf("no %s\n%s", args[1], w.last)
	}
	w.ts.Setenv(args[0], textOf(got))
	return nil
}

// metricCommand checks a condition on a metric; an absent series is 0.
func (w *world) metricCommand(args []string) error {
	if len(args) != 3 {
		return usage("metric SERIES OPERATOR NUMBER")
	}
	got, err := w.metric(args[0])
	if err != nil {
		return err
	}
	if err := hold(strconv.FormatFloat(got, 'f', -1, 64), true, args[1:]); err != nil {
		return fmt.Errorf("%s %w", args[0], err)
	}
	return nil
}

// metric reads one series, of all nodes together. Labels may be given in any order.
func (w *world) metric(series string) (sum float64, err error) {
	for _, url := range w.urls() {
		r, err := w.request("operator", http.MethodGet, url+"/metrics", nil)
		if err != nil {
			return 0, err
		}
		value, err := valueOf(string(r.body), series)
		if err != nil {
			return 0, err
		}
		sum += value
	}
	return sum, nil
}

func valueOf(metrics, series string) (float64, error) {
	name, labels := splitSeries(series)
	for line := range strings.SplitSeq(metrics, "\n") {
		at := strings.LastIndexByte(line, ' ')
		if at < 0 || strings.HasPrefix(line, "#") {
			continue
		}
		if n, l := splitSeries(line[:at]); n == name && sameSet(l, labels) {
			return strconv.ParseFloat(line[at+1:], 64)
		}
	}
	return 0, nil
}

func splitSeries(s string) (name string, labels []string) {
	name, rest, found := strings.Cut(s, "{")
	if !found {
		return name, nil
	}
	return name, strings.Split(strings.TrimSuffix(rest, "}"), ",")
}

func sameSet(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	have := map[string]bool{}
	for _, s := range a {
		have[s] = true
	}
	for _, s := range b {
		if !have[s] {
			return false
		}
	}
	return true
}

// hold checks a condition: exists, absent, or an operator with a value.
func hold(got any, found bool, condition []string) error {
	operator := condition[0]
	switch {
	case operator == "exists" && found && got != nil, operator == "absent" && !found:
		return nil
	case operator == "exists" || operator == "absent":
		return fmt.Errorf("is %s, want it %s", shown(got, found), map[string]string{"exists": "there", "absent": "absent"}[operator])
	case len(condition) == 1 && (operator == "ascending" || operator == "descending"):
		condition = append(condition, "")
	case len(condition) != 2:
		return fmt.Errorf("operator %q without a value", operator)
	}
	check, known := operators[operator]
	if !known {
		return fmt.Errorf("operator %q is not known", operator)
	}
	if !found {
		return errors.New("is not there")
	}
	if ok, err := check(got, condition[1]); err != nil {
		return err
	} else if !ok {
		return fmt.Errorf("is %s, want %s %s", shown(got, true), operator, condition[1])
	}
	return nil
}

func shown(got any, found bool) string {
	if !found {
		return "absent"
	}
	return textOf(got)
}

// operators compare a value with the text of a script.
var operators = map[string]func(got any, want string) (bool, error){
	"==": func(got any, want string) (bool, error) { return equals(got, want), nil },
	"!=": func(got any, want string) (bool, error) { return !equals(got, want), nil },
	"~":  func(got any, want string) (bool, error) { return regexp.MatchString(want, textOf(got)) },
	"!~": func(got any, want string) (bool, error) {
		ok, err := regexp.MatchString(want, textOf(got))
		return !ok, err
	},
	"<":          ordered(func(a, b float64) bool { return a < b }),
	"<=":         ordered(func(a, b float64) bool { return a <= b }),
	">":          ordered(func(a, b float64) bool { return a > b }),
	">=":         ordered(func(a, b float64) bool { return a >= b }),
	"ascending":  sorted(1),
	"descending": sorted(-1),
	"length": func(got any, want string) (bool, error) {
		n, err := strconv.Atoi(want)
		list, ok := got.([]any)
		return ok && len(list) == n, err
	},
	"contains": func(got any, want string) (bool, error) {
		if text, ok := got.(string); ok {
			return strings.Contains(text, want), nil
		}
		list, _ := got.([]any)
		for _, item := range list {
			if equals(item, want) {
				return true, nil
			}
		}
		return false, nil
	},
	"any-order": func(got any, want string) (bool, error) {
		wanted, err := parseJSON(want)
		a, ok := got.([]any)
		b, isList := wanted.([]any)
		return ok && isList && sameItems(a, b), err
	},
	"keys": func(got any, want string) (bool, error) {
		o, ok := got.(map[string]any)
		var have []string
		for name := range o {
			have = append(have, name)
		}
		return ok && sameSet(have, strings.Fields(want)), nil
	},
}

func ordered(holds func(a, b float64) bool) func(any, string) (bool, error) {
	return func(got any, want string) (bool, error) {
		a, err := strconv.ParseFloat(textOf(got), 64)
		if err != nil {
			return false, err
		}
		b, err := strconv.ParseFloat(want, 64)
		return holds(a, b), err
	}
}

// sorted expects a list of numbers or strings in order; equal elements may be
// in any order.
func sorted(direction int) func(any, string) (bool, error) {
	return func(got any, _ string) (bool, error) {
		list, ok := got.([]any)
		for i := 1; i < len(list); i++ {
			if compareScalars(list[i-1], list[i])*direction > 0 {
				return false, nil
			}
		}
		return ok, nil
	}
}
