package enrich

import (
	"strings"

	"watchpost"
)

// Relevance is how much a post is what its watchlist asks for, from 0 to 10:
// a sum of points, in tenths, of which there are 100.
//
//	match      25  the keyword occurs
//	           10  a keyword was matched that does not occur (any more)
//	           35  no keyword: a person or company that is followed
//	place      10  in the first line, when that is as short as a title
//	            5  else among the first 200 bytes
//	frequency   5  for a second occurrence, another 5 for a third
//	focus       5  the watchlist has one entry; 3: up to five
//	labels     20  two labels or more fit, 15: one, 0: none, or a default one
//	           10  the watchlist has no labels
//	objective   5  for each of its words that occurs, at most 15
//	            8  the watchlist has no objective
//	language    5  it is known
//	seniority   up to 10, by the level of the author (levels)
//
// Watchlists that ask for no labels or have no objective get about half of
// those points, so that their posts compare with those of others. A keyword's
// post of a plain watchlist thus has 4 or more; one that fits none of the
// labels that were asked for needs something else to speak for it.
func relevance(t *folded, c Context, fitting int, p *watchpost.Post) float64 {
	points := matchPoints(t, c) + focusPoints(c.Entries) + labelPoints(c, fitting) + objectivePoints(t, c.Objective)
	if p.Language != watchpost.Undetermined {
		points += 5
	}
	points += levelOf(p.Seniority).relevance
	return float64(min(points, 100)) / 10
}

// A first line is a title when it has at most titleBytes; what is among the
// first earlyBytes is early.
const (
	titleBytes = 150
	earlyBytes = 200
)

func matchPoints(t *folded, c Context) int {
	keyword := strings.TrimSpace(watchpost.Normalise(c.Keyword))
	if keyword == "" {
		return 35
	}
	first, n := t.occurrences(keyword, 3)
	if n == 0 {
		return 10
	}
	points := 25 + 5*(n-1)
	switch {
	case first < t.firstLine && t.firstLine <= titleBytes:
		points += 10
	case first < earlyBytes:
		points += 5
	}
	return points
}

func focusPoints(entries int) int {
	switch {
	case entries == 1:
		return 5
	case 1 < entries && entries <= 5:
		return 3
	}
	return 0
}

func labelPoints(c Context, fitting int) int {
	switch {
	case len(c.Labels) == 0:
		return 10
	case fitting == 0:
		return 0
	case fitting == 1:
		return 15
	}
	return 20
}

func objectivePoints(t *folded, objective string) int {
	words := contentWords(watchpost.Normalise(objective))
	if len(words) == 0 {
		return 8
	}
	return min(5*t.distinct(words), 15)
}
