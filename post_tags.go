package watchpost

import (
	"slices"

	"watchpost/internal/text"
)

// A post's tags are those that its live watchlists give it. Each match says
// which of the post's tags are its own, so that the tags of a watchlist can be
// left out at once when it is deleted, and those of labels that it has no more
// when it is changed. Posts of earlier builds do not say so: their tags count
// until they are classified again.

// Tagging says which tags of posts count.
type Tagging struct {
	// Live holds the team's watchlists.
	Live map[WatchlistID]bool
	// Names holds, for each watchlist whose posts are yet to be classified again
	// after a change, the folded names of the tags that it gives now.
	Names map[WatchlistID]map[string]bool
}

// Counts reports whether a tag counts that a watchlist gave. A nil Tagging lets
// all count.
func (t *Tagging) Counts(w WatchlistID, name string) bool {
	if t == nil {
		return true
	}
	names, changed := t.Names[w]
	return t.Live[w] && (!changed || names[text.NormalizeName(name)])
}

// All reports whether all tags of matches count.
func (t *Tagging) All(matches []Match) bool {
	return t == nil || !slices.ContainsFunc(matches, func(m Match) bool {
		_, changed := t.Names[m.Watchlist]
		return changed || !t.Live[m.Watchlist]
	})
}

// TagNames returns the folded names of the tags that a watchlist gives: its labels,
// or its keywords.
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

// TagsGiven returns the tags of the post that count.
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

// attributed reports whether the matches say which tags are theirs.
func (p *Post) attributed() bool {
	return len(p.Tags) == 0 || slices.ContainsFunc(p.Matches, func(m Match) bool { return len(m.Tags) > 0 })
}

// MatchTags returns the tags of each match; all of the post's for each when that
// is not known.
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

// SetMatchTags lets the post have the tags of its matches, in their order. A
// name, case aside, is there once; the description that it got first stays,
// unless it was empty. What the slices of the post were before is not written to.
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

// Attribute returns the post with every tag ascribed to every match, if it does
// not say whose they are, and without places where there is no tag.
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

// Withdraw returns the post without the matches of a watchlist and the tags that
// nothing else gives.
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
