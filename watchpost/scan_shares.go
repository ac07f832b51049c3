package watchpost

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"watchpost/internal/text"
)

// CapacityPerDay returns how much of an action accounts may do in one day; limited is
// false for an action without an allowance. Of a weekly allowance it is the whole week's,
// because an account may use that in one day. live counts the accounts of a team that were
// active within LivenessWindow.
func CapacityPerDay(action Action, live int) (capacity int, limited bool) {
	allowance, limited := AllowanceOf(action)
	return live * allowance.Limit, limited
}

// ScanTask returns the type of the scans of watchlists of a type.
func (t WatchlistType) ScanTask() TaskType {
	switch t {
	case ForumWatchlist:
		return TaskForumScan
	case PeopleWatchlist:
		return TaskPeopleScan
	case CompanyWatchlist:
		return TaskCompanyScan
	}
	return TaskKeywordScan
}

// ScanNeed is what the schedule of a watchlist or list asks for.
type ScanNeed struct {
	Subjects  int // entries that each need a scan of their own
	Frequency FetchFrequency
}

// KeywordNeed returns the need of a watchlist of keywords. A disabled watchlist needs none.
func KeywordNeed(w *Watchlist) ScanNeed {
	if w.Disabled {
		return ScanNeed{}
	}
	all := ScanNeed{Frequency: w.Frequency}
	for _, need := range EntryNeeds(w) {
		all.Subjects += need.Subjects
	}
	return all
}

// EntryNeeds returns the needs of the entries of an enabled watchlist of keywords. Entries
// with the same keyword share a scan, which counts for the first of them.
func EntryNeeds(w *Watchlist) []ScanNeed {
	needs, seen := make([]ScanNeed, len(w.Keywords)), make(map[string]bool, len(w.Keywords))
	for i, e := range w.Keywords {
		needs[i].Frequency = w.Frequency
		if keyword := text.Normalize(e.Keyword); !seen[keyword] {
			needs[i].Subjects, seen[keyword] = 1, true
		}
	}
	return needs
}

// ListNeed returns the need of a list with a number of entries: its fastest follower counts.
func ListNeed(followers []Watchlist, entries int) ScanNeed {
	frequency, scanned := ScanFrequency(followers)
	if !scanned {
		entries = 0
	}
	return ScanNeed{entries, frequency}
}

// PerDay returns the scans that are needed in a day, rounded up.
func (n ScanNeed) PerDay() int {
	hours := n.Frequency.Hours()
	if n.Subjects == 0 || hours == 0 {
		return 0
	}
	return (n.Subjects*24 + hours - 1) / hours
}

// interval returns the time between two scans of an entry when the schedule gets the
// given number of parts of scans a day; zero when it gets none.
func (n ScanNeed) interval(parts int) time.Duration {
	switch {
	case n.Subjects == 0 || parts >= n.PerDay()*shareParts:
		return n.Frequency.Duration()
	case parts <= 0:
		return 0
	}
	return max(n.Frequency.Duration(), time.Duration(n.Subjects*shareParts)*24*time.Hour/time.Duration(parts))
}

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

// ScanOutlook is what a team can expect of the scans of a watchlist.
type ScanOutlook struct {
	PerDay   int           // scans that it needs in a day
	Limited  bool          // Capacity counts; false: its scans have no allowance
	Capacity int           // scans a day of the team's live accounts, for all its watchlists
	Interval time.Duration // expected between two scans of an entry; zero: none is expected
}

// ScanClaim is what a schedule can claim of its team's scans of a day.
type ScanClaim struct {
	Need    ScanNeed
	Used    int       // scans of the day, those that are under way too
	Waiting int       // scans that are due
	Longest time.Time // when the first of them became due
}

// before reports whether a claim has had less of its share than another one, or as much
// and waits longer.
func (c *ScanClaim) before(share int, o *ScanClaim, otherShare int) bool {
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
func NextClaim(claims []ScanClaim, room, hours int) int {
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
func placesByWait(claims []ScanClaim) []int {
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

// hoursKnown is how long PresentHours remembers an hour.
const hoursKnown = 7 * 24 * time.Hour

// PresentHours are the hours of the day, in UTC, in which members of a team were active.
type PresentHours struct {
	Since time.Time     // when the first was noted
	Last  [24]time.Time // in each hour; zero: never
}

// Note notes that a member is active; it reports whether that was not known of this hour.
func (p *PresentHours) Note(now time.Time) bool {
	now = now.UTC().Truncate(time.Hour)
	if p.Since.IsZero() {
		p.Since = now
	}
	last := &p.Last[now.Hour()]
	if !last.Before(now) {
		return false
	}
	*last = now
	return true
}

// Left returns in how many of the hours that are left of the day, this one included,
// members can be expected: all, before a day is known.
func (p *PresentHours) Left(now time.Time) int {
	now = now.UTC()
	if p.Since.IsZero() || now.Sub(p.Since) < 24*time.Hour {
		return 24 - now.Hour()
	}
	n := 1
	for _, last := range p.Last[now.Hour()+1:] {
		if now.Sub(last) < hoursKnown {
			n++
		}
	}
	return n
}

// OutlookOf returns the outlook of one of a team's schedules whose scans have the same
// action, when live accounts may do them. at is its place among them.
func OutlookOf(action Action, needs []ScanNeed, at, live int) ScanOutlook {
	n := needs[at]
	o := ScanOutlook{PerDay: n.PerDay()}
	o.Capacity, o.Limited = CapacityPerDay(action, live)
	if o.PerDay == 0 || live == 0 {
		return o
	}
	if !o.Limited {
		o.Interval = n.Frequency.Duration()
		return o
	}
	perDay := make([]int, len(needs))
	for i := range needs {
		perDay[i] = needs[i].PerDay() * shareParts
	}
	o.Interval = n.interval(FairShares(perDay, nil, o.Capacity*shareParts)[at])
	return o
}

// shareParts makes fractions of the share of a day: a scan that several schedules take turns
// for is each one's at times.
const shareParts = 1000

// ScanSchedule is one of a team's schedules: that of a watchlist of keywords, or of a list
// with the watchlists that follow it.
type ScanSchedule struct {
	Type       WatchlistType
	Watchlists []Watchlist
	Need       ScanNeed
}

// ScanPlan is what all schedules of a team ask for, and who may do it.
type ScanPlan struct {
	Live      int // accounts that were active within LivenessWindow
	Schedules []ScanSchedule
}

// ScanBudget compares what a team's schedules of one type need with what its accounts can
// do. Schedules without an allowance have none.
type ScanBudget struct {
	Type             WatchlistType
	PerDay, Capacity int
	Schedules        int // that need scans
	Late, Never      int // that are scanned less often than asked for; not at all
	// Fastest and Slowest are the times between two scans of an entry of the late ones.
	Fastest, Slowest time.Duration
}

// Outlook returns the outlook of a watchlist, and how often its schedule asks for scans;
// zero when the plan does not have it.
func (p ScanPlan) Outlook(id WatchlistID) (o ScanOutlook, asked FetchFrequency) {
	for _, s := range p.Schedules {
		if i := slices.IndexFunc(s.Watchlists, func(w Watchlist) bool { return w.ID == id }); i >= 0 {
			needs, at := p.needs(s.Type, id)
			o = OutlookOf(s.Type.ScanTask().Action(), needs, at, p.Live)
			if s.Watchlists[i].Disabled {
				o.PerDay, o.Interval = 0, 0
			}
			return o, s.Need.Frequency
		}
	}
	return o, asked
}

// needs returns the needs of the schedules of a type, and the place of a watchlist's.
func (p ScanPlan) needs(t WatchlistType, id WatchlistID) (needs []ScanNeed, at int) {
	for _, s := range p.Schedules {
		if s.Type != t {
			continue
		}
		if slices.ContainsFunc(s.Watchlists, func(w Watchlist) bool { return w.ID == id }) {
			at = len(needs)
		}
		needs = append(needs, s.Need)
	}
	return needs, at
}

// With returns the plan as it is when the watchlist is added, or changed if it is part of
// the plan. entries is the length of the list that it follows, if it follows one.
func (p ScanPlan) With(w Watchlist, entries int) ScanPlan {
	p.Schedules = slices.Clone(p.Schedules)
	need := func(all []Watchlist) ScanNeed {
		if w.Type.HasKeywords() {
			return KeywordNeed(&w)
		}
		return ListNeed(all, entries)
	}
	for i := range p.Schedules {
		s := &p.Schedules[i]
		if at := slices.IndexFunc(s.Watchlists, func(other Watchlist) bool { return other.ID == w.ID }); at >= 0 {
			s.Watchlists = slices.Clone(s.Watchlists)
			s.Watchlists[at] = w
			s.Need = need(s.Watchlists)
			return p
		}
	}
	all := []Watchlist{w}
	p.Schedules = append(p.Schedules, ScanSchedule{w.Type, all, need(all)})
	return p
}

// Budget returns the budget of the schedules of a type; limited is false when their scans
// have no allowance.
func (p ScanPlan) Budget(t WatchlistType) (b ScanBudget, limited bool) {
	needs, _ := p.needs(t, "")
	b.Type = t
	b.Capacity, limited = CapacityPerDay(t.ScanTask().Action(), p.Live)
	for i := range needs {
		b.PerDay += needs[i].PerDay()
		interval := OutlookOf(t.ScanTask().Action(), needs, i, p.Live).Interval
		switch {
		case needs[i].PerDay() == 0:
			continue
		case interval == 0:
			b.Never++
		case interval > needs[i].Frequency.Duration():
			b.Late++
			b.Slowest = max(b.Slowest, interval)
			if b.Late == 1 || interval < b.Fastest {
				b.Fastest = interval
			}
		}
		b.Schedules++
	}
	return b, limited
}

// Warning says that the accounts cannot do the scans as often as asked for; "" when they
// can.
func (o ScanOutlook) Warning(t WatchlistType, f FetchFrequency) string {
	if o.PerDay == 0 || !o.Limited || o.Interval == f.Duration() {
		return ""
	}
	needs := fmt.Sprintf("Needs %d %s scan%s a day, the team's accounts have %d: ", o.PerDay, t, plural(o.PerDay), o.Capacity)
	if o.Interval == 0 {
		if o.Capacity > 0 {
			return needs + "entries wait until other watchlists need less"
		}
		return needs + "entries wait until a member's extension is active"
	}
	hours := int((o.Interval + time.Hour - 1) / time.Hour)
	return needs + fmt.Sprintf("entries are scanned every %d hour%s", hours, plural(hours))
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// PhraseWarning says that a keyword of several words is matched as a phrase that no
// stored post contains.
func PhraseWarning(keyword string, stored int) string {
	return fmt.Sprintf("%q is matched as a phrase; none of %d stored post%s contains it", keyword, stored, plural(stored))
}

// Phrase reports whether a keyword is matched as a phrase: it has several words.
func (e KeywordEntry) Phrase() bool { return strings.Contains(text.CollapseSpace(e.Keyword), " ") }
