package scanplan

import (
	"cmp"
	"slices"
	"sort"
	"time"
)

// FairShares divides room among needs by max-min fairness, on top of what each has had:
// those that have had least get most, none gets more than it needs, and no share can grow
// except at the cost of a smaller one. A rest that cannot be divided goes to the first that
// need more. had may be nil.
func FairShares(needs, had []int, room int) []int {
	shares, most := make([]int, len(needs)), 0
	copy(shares, had)
	for _, need := range needs {
		most = max(most, need)
	}
	missing := func(level int) (sum int) {
		for i, need := range needs {
			sum += max(0, min(need, level)-shares[i])
		}
		return sum
	}
	level := sort.Search(most, func(level int) bool { return missing(level+1) > room })
	room -= missing(level)
	for i, need := range needs {
		shares[i] = max(shares[i], min(need, level))
		if room > 0 && shares[i] == level && need > level {
			shares[i]++
			room--
		}
	}
	return shares
}

// Claim is what a schedule can claim of its team's scans of a day.
type Claim struct {
	Need    Need
	Used    int       // scans of the day, those that are under way too
	Waiting int       // scans that are due
	Longest time.Time // when the first of them became due
}

// before reports whether a claim has had less of its share than another one, or as much
// and waits longer.
func (c *Claim) before(share int, o *Claim, otherShare int) bool {
	if had, other := c.Used*max(otherShare, 1), o.Used*max(share, 1); had != other {
		return had < other
	}
	return c.Longest.Before(o.Longest)
}

// NextClaim returns the place of the claim whose scan is done next, or -1 when the rest of
// the day is kept for others. room is the number of scans that the connected accounts may
// still do today, hours the number of hours left of the day in which members are expected.
//
// FairShares divides the room. The claim with the least part of its share goes first. A claim
// with its whole share gets only scans that the others will not need today, so it cannot make
// them wait.
func NextClaim(claims []Claim, room, hours int) int {
	byWait := placesByWait(claims) // the longest waiting one gets the rest of the division
	needs, had := make([]int, len(claims)), make([]int, len(claims))
	for i, at := range byWait {
		needs[i], had[i] = claims[at].Need.PerDay(), claims[at].Used
	}
	next, nextShare, kept, within := -1, 0, 0, false
	for i, share := range FairShares(needs, had, room) {
		c := &claims[byWait[i]]
		left := share - c.Used
		if c.Waiting == 0 {
			kept += max(0, min(left, (needs[i]*hours+23)/24))
			continue
		}
		if next < 0 || left > 0 && !within || (left > 0) == within && c.before(share, &claims[next], nextShare) {
			next, nextShare, within = byWait[i], share, left > 0
		}
	}
	if !within && room <= kept {
		return -1
	}
	return next
}

// placesByWait returns the places of claims, those that wait longest first and those that
// do not wait last.
func placesByWait(claims []Claim) []int {
	places := make([]int, len(claims))
	for i := range claims {
		places[i] = i
	}
	idle := func(at int) int {
		if claims[at].Waiting > 0 {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(places, func(a, b int) int {
		return cmp.Or(cmp.Compare(idle(a), idle(b)), claims[a].Longest.Compare(claims[b].Longest))
	})
	return places
}
