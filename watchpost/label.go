package watchpost

import (
	"strings"
	"unicode/utf8"

	"watchpost/internal/text"
)

// Label is a class for the posts of a watchlist.
type Label struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Default     bool   `json:"default"`
}

// CleanLabels trims labels and drops labels whose name repeats an earlier one.
func CleanLabels(raw []Label) ([]Label, error) {
	kept := make([]Label, 0, len(raw))
	seen := make(map[string]bool)
	defaults := 0
	for _, l := range raw {
		l.Name, l.Description = text.CollapseSpace(l.Name), strings.TrimSpace(l.Description)
		switch {
		case text.IsBlank(l.Name):
			return nil, Errorf(Invalid, "Invalid 'labels': a label must have a name")
		case text.NormalizeName(l.Name) == NoLabels: // reserved: selects posts without labels
			return nil, Errorf(Invalid, "Invalid 'labels'")
		case text.HasControl(l.Name):
			return nil, Errorf(Invalid, "Invalid 'labels': a name must not contain control characters")
		case strings.ContainsRune(l.Name, ','):
			return nil, Errorf(Invalid, "Invalid 'labels': a name must not contain a comma")
		case utf8.RuneCountInString(l.Name) > MaxLabel:
			return nil, Errorf(Invalid, "Invalid 'labels': a name must be %d characters or fewer", MaxLabel)
		}
		if seen[text.NormalizeName(l.Name)] {
			continue
		}
		seen[text.NormalizeName(l.Name)] = true
		if l.Default {
			defaults++
		}
		kept = append(kept, l)
	}
	switch {
	case len(kept) > MaxLabels:
		return nil, Errorf(Invalid, "At most %d labels per watchlist", MaxLabels)
	case defaults > MaxDefaultLabels:
		return nil, Errorf(Invalid, "Invalid 'labels': at most %d default labels", MaxDefaultLabels)
	}
	return kept, nil
}
