package watchpost

import (
	"watchpost/internal/text"
)

// seniorityLevels is what seniority_level accepts, folded, and the level of a
// post's author that it means (specification: Post object, seniority_level).
var seniorityLevels = map[string]string{
	"c-level": "C-Level", "ceo": "C-Level", "cto": "C-Level", "cxo": "C-Level", "c-suite": "C-Level", "executive": "C-Level",
	"founder": "Founder",
	"vp":      "VP", "vice president": "VP",
	"director": "Director", "head": "Director",
	"manager": "Manager",
	"senior":  "Senior",
	"entry":   "Entry",
}

// ParseSeniority returns the level that a name means, case aside.
func ParseSeniority(s string) (string, error) {
	level, known := seniorityLevels[text.NormalizeName(text.CollapseSpace(s))]
	if !known {
		return "", Errorf(Invalid, "Invalid 'seniority_level'")
	}
	return level, nil
}
