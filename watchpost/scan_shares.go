package watchpost

import (
	"fmt"
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

// ScanAction returns the action of the scans of watchlists of a type; ActionNone when
// they have no allowance.
func (t WatchlistType) ScanAction() Action {
	switch t {
	case KeywordWatchlist:
		return ActionKeywordScan
	case PeopleWatchlist:
		return ActionPeopleScan
	case CompanyWatchlist:
		return ActionCompanyScan
	}
	return ActionNone
}

// ScanNeed is what the schedule of a watchlist or list asks for.
type ScanNeed struct {
	Subjects  int // entries that each need a scan of their own
	Frequency FetchFrequency
}

// KeywordNeed returns the need of a watchlist of keywords. Entries with the same keyword
// share a scan, so they count once. A disabled watchlist needs none.
func KeywordNeed(w *Watchlist) ScanNeed {
	if w.Disabled {
		return ScanNeed{}
	}
	distinct := make(map[string]bool, len(w.Keywords))
	for _, e := range w.Keywords {
		distinct[text.Normalize(e.Keyword)] = true
	}
	return ScanNeed{len(distinct), w.Frequency}
}

// PerDay returns the scans that are needed in a day, rounded up.
func (n ScanNeed) PerDay() int {
	hours := n.Frequency.Hours()
	if n.Subjects == 0 || hours == 0 {
		return 0
	}
	return (n.Subjects*24 + hours - 1) / hours
}

// Interval returns the time between two scans of an entry when the schedule gets share
// scans a day; zero when it gets none.
func (n ScanNeed) Interval(share int) time.Duration {
	switch {
	case n.Subjects == 0 || share >= n.PerDay():
		return n.Frequency.Duration()
	case share <= 0:
		return 0
	}
	return max(n.Frequency.Duration(), time.Duration(n.Subjects)*24*time.Hour/time.Duration(share))
}

// FairShares divides a capacity among needs by max-min fairness: what one does not need
// is divided among those that need more, and no share can grow except at the cost of a
// smaller one. A rest that cannot be divided goes to the first that need more.
func FairShares(needs []int, capacity int) []int {
	shares := make([]int, len(needs))
	for capacity > 0 {
		open := 0
		for i, need := range needs {
			if shares[i] < need {
				open++
			}
		}
		if open == 0 {
			break
		}
		each := max(1, capacity/open)
		for i, need := range needs {
			more := min(each, need-shares[i], capacity)
			if more > 0 {
				shares[i] += more
				capacity -= more
			}
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
		perDay[i] = needs[i].PerDay()
	}
	o.Interval = n.Interval(FairShares(perDay, o.Capacity)[at])
	return o
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
