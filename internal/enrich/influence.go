package enrich

import (
	"math"

	"watchpost/watchpost"
)

// specs/understanding.md has the formula of influence: reach by the logarithm
// of the reactions, at most maxReach, plus points for the author's seniority.
const (
	maxReach      = 80
	pointsADecade = 20
)

// influence computes p.Influence; counters below zero count as zero.
func influence(p *watchpost.Post) int {
	reactions := count(p.Likes) + 2*count(p.Comments) + 3*count(p.Shares)
	reach := min(pointsADecade*math.Log10(1+reactions), maxReach)
	return int(math.Round(reach)) + levelOf(p.Seniority).influence
}

func count(n int64) float64 { return float64(max(n, 0)) }
