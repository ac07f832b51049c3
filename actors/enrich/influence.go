package enrich

import (
	"math"

	"watchpost"
)

// Influence is how far a post reaches, from 0 to 100:
//
//	reach      20 × log10(1 + likes + 2 × comments + 3 × shares), at most 80
//	seniority  up to 20, by the level of the author (levels)
//
// rounded to a whole number. A comment takes more than a like, and a share
// puts the post before others: hence their weights. Ten times the reactions
// are 20 points more, so 9,999 likes fill the scale.
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
