package watchpost

import (
	"slices"
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

// A post's tags come from its live watchlists. Each match records which of the
// post's tags it gives. When a watchlist is deleted, or its labels change, its
// old tags therefore disappear at once. Posts of earlier builds lack this
// record: their tags count until they are classified again.

// Tagging says which tags of posts are valid.
type Tagging struct {
	// Live holds the team's watchlists.
	Live map[WatchlistID]bool
	// Names holds the normalized names of the tags that a watchlist gives now.
	// It has an entry for each watchlist with posts that are not yet classified
	// again after a change.
	Names map[WatchlistID]map[string]bool
}

// Counts reports whether a tag that a watchlist gave is valid. With a nil
// Tagging all tags are valid.
func (t *Tagging) Counts(w WatchlistID, name string) bool {
	if t == nil {
		return true
	}
	names, changed := t.Names[w]
	return t.Live[w] && (!changed || names[text.NormalizeName(name)])
}

// All reports whether all tags of matches are valid.
func (t *Tagging) All(matches []Match) bool {
	return t == nil || !slices.ContainsFunc(matches, func(m Match) bool {
		_, changed := t.Names[m.Watchlist]
		return changed || !t.Live[m.Watchlist]
	})
}

// TagNames returns the normalized names of the tags that a watchlist gives: its
// labels, or otherwise its keywords.
func (w *Watchlist) TagNames() map[string]bool {
	names := map[string]bool{}
	for _, l := range w.Labels {
		names[text.NormalizeName(l.Name)] = true
	}
	if len(w.Labels) == 0 {
		for _, e := range w.Keywords {
			names[text.NormalizeName(text.CollapseSpace(e.Keyword))] = true
		}
	}
	return names
}

// TagsGiven returns the valid tags of the post.
func (p *Post) TagsGiven(t *Tagging) []Tag {
	if t.All(p.Matches) || !p.attributed() {
		return p.Tags
	}
	var tags []Tag
	for i, tag := range p.Tags {
		if slices.ContainsFunc(p.Matches, func(m Match) bool { return slices.Contains(m.Tags, i) && t.Counts(m.Watchlist, tag.Name) }) {
			tags = append(tags, tag)
		}
	}
	return tags
}

// attributed reports whether the matches record their tags.
func (p *Post) attributed() bool {
	return len(p.Tags) == 0 || slices.ContainsFunc(p.Matches, func(m Match) bool { return len(m.Tags) > 0 })
}

// MatchTags returns the tags of each match. If the matches do not record them,
// each match gets all tags of the post.
func (p *Post) MatchTags() [][]Tag {
	given, known := make([][]Tag, len(p.Matches)), p.attributed()
	for i, m := range p.Matches {
		if !known {
			given[i] = p.Tags
			continue
		}
		for _, at := range m.Tags {
			if at >= 0 && at < len(p.Tags) {
				given[i] = append(given[i], p.Tags[at])
			}
		}
	}
	return given
}

// SetMatchTags sets the tags of the post's matches, in their order. Of tags
// whose names differ only in case it keeps the first, with the first
// description that is not empty. It does not write to the previous slices.
func (p *Post) SetMatchTags(given [][]Tag) {
	p.Tags, p.Matches = nil, slices.Clone(p.Matches)
	at := map[string]int{}
	for i := range p.Matches {
		p.Matches[i].Tags = nil
		for _, tag := range given[i] {
			name := text.NormalizeName(tag.Name)
			n, known := at[name]
			if !known {
				n, at[name] = len(p.Tags), len(p.Tags)
				p.Tags = append(p.Tags, tag)
			}
			if p.Tags[n].Description == "" {
				p.Tags[n].Description = tag.Description
			}
			if !slices.Contains(p.Matches[i].Tags, n) {
				p.Matches[i].Tags = append(p.Matches[i].Tags, n)
			}
		}
	}
}

// Attribute returns the post with all tags attributed to all matches, if the
// matches do not record their tags. It drops tag indexes that are out of range.
func (p *Post) Attribute() *Post {
	astray := slices.ContainsFunc(p.Matches, func(m Match) bool {
		return slices.ContainsFunc(m.Tags, func(at int) bool { return at < 0 || at >= len(p.Tags) })
	})
	if len(p.Matches) == 0 || p.attributed() && !astray {
		return p
	}
	same := *p
	same.SetMatchTags(p.MatchTags())
	return &same
}

// Withdraw returns the post without the matches of a watchlist and without the
// tags that only they gave.
func (p *Post) Withdraw(id WatchlistID) *Post {
	left, given := *p, [][]Tag(nil)
	left.Matches = nil
	for i, tags := range p.MatchTags() {
		if p.Matches[i].Watchlist != id {
			left.Matches, given = append(left.Matches, p.Matches[i]), append(given, tags)
		}
	}
	left.SetMatchTags(given)
	return &left
}
