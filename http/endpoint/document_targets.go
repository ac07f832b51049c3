package endpoint

import (
	"slices"
	"strings"

	"watchpost/watchpost"
)

// targetKinds are the kinds of notification targets.
func targetKinds() (all []watchpost.TargetKind) {
	for _, kind := range watchpost.NotificationKinds() {
		all = append(all, kind.Kind)
	}
	return all
}

// targetNeeds says which fields the kinds of targets need.
func targetNeeds() string {
	var all []string
	kinds := watchpost.NotificationKinds()
	for i, kind := range kinds {
		needs := fieldsNeeded(kind)
		like := func(other *watchpost.NotificationKind) bool { return slices.Equal(fieldsNeeded(other), needs) }
		if slices.ContainsFunc(kinds[:i], like) {
			continue
		}
		var names []string
		for _, other := range kinds {
			if like(other) {
				names = append(names, "`"+string(other.Kind)+"`")
			}
		}
		verb := " needs "
		if len(names) > 1 {
			verb = " need "
		}
		all = append(all, InWords(names, "and")+verb+InWords(needs, "and"))
	}
	return strings.Join(all, ", ")
}

func fieldsNeeded(kind *watchpost.NotificationKind) (fields []string) {
	for _, need := range kind.Needs {
		fields = append(fields, "`"+string(need.Field)+"`")
	}
	return fields
}

// InWords lists texts as a sentence does.
func InWords[T ~string](texts []T, last string) string {
	var b strings.Builder
	for i, text := range texts {
		switch i {
		case 0:
		case len(texts) - 1:
			b.WriteString(" " + last + " ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(string(text))
	}
	return b.String()
}
