package enrich

import (
	"watchpost/internal/langcode"
	"watchpost/watchpost"
)

// relevance computes a post's relevance to its watchlist, from 0 to 10: a sum
// of points in tenths, at most 100. specs/understanding.md has the table of
// points and its reasons.
func (r *Rules) relevance(t *folded, fitting int, p *watchpost.Post) float64 {
	points := r.matchPoints(t) + focusPoints(r.Entries) + r.labelPoints(fitting) + r.objectivePoints(t)
	if p.Language != langcode.Undetermined {
		points += 5
	}
	points += levelOf(p.Seniority).relevance
	return float64(min(points, 100)) / 10
}

// A first line of at most titleBytes counts as a title; a match in the first
// earlyBytes is early.
const (
	titleBytes = 150
	earlyBytes = 200
)

func (r *Rules) matchPoints(t *folded) int {
	if r.keyword == "" {
		return 35
	}
	first, n := t.occurrences(r.keyword, 3)
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

func (r *Rules) labelPoints(fitting int) int {
	switch {
	case len(r.labels) == 0:
		return 10
	case fitting == 0:
		return 0
	case fitting == 1:
		return 15
	}
	return 20
}

func (r *Rules) objectivePoints(t *folded) int {
	if len(r.objective) == 0 {
		return 8
	}
	return min(5*t.distinct(r.objective), 15)
}
