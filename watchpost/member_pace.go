package watchpost

import (
	"slices"
	"time"
)

// MemberPace is how a member wants writes to be done in the member's name, as one of
// the member's browsers says. The zero value leaves them as they come.
type MemberPace struct {
	Hours *DailyHours `json:",omitempty"` // when they may begin; nil: at any time
	// MinPause and MaxPause bound the random pause after each.
	MinPause time.Duration `json:",omitempty"`
	MaxPause time.Duration `json:",omitempty"`
	// Ask: the member is asked before each.
	Ask bool `json:",omitempty"`
}

// The pause after a write of a member with hours and without a pause: writes that waited
// for the hours to begin do not go out in a burst.
const (
	hoursMinPause = 20 * time.Second
	hoursMaxPause = 60 * time.Second
)

// Clean returns the pace in canonical form. What a browser wants and cannot be read
// allows no write: the member's choice is not known.
func (p MemberPace) Clean() MemberPace {
	never := &DailyHours{}
	if p.MinPause < 0 || p.MaxPause < p.MinPause || p.MaxPause > MaxRulePause {
		p.MinPause, p.MaxPause, p.Hours = 0, 0, never
	}
	if p.Hours == nil {
		return p
	}
	hours, err := p.Hours.Clean("hours")
	if err != nil {
		p.Hours = never
		return p
	}
	p.Hours = &hours
	return p
}

// Equal reports whether both want the same.
func (p MemberPace) Equal(o MemberPace) bool {
	if p.MinPause != o.MinPause || p.MaxPause != o.MaxPause || p.Ask != o.Ask || (p.Hours == nil) != (o.Hours == nil) {
		return false
	}
	return p.Hours == nil || p.Hours.From == o.Hours.From && p.Hours.Until == o.Hours.Until && p.Hours.Zone == o.Hours.Zone && slices.Equal(p.Hours.Days, o.Hours.Days)
}

// IsZero reports whether it leaves writes as they come.
func (p MemberPace) IsZero() bool { return p.Equal(MemberPace{}) }

// pause is how long after a write the next one may begin.
func (p MemberPace) pause(after TaskID) time.Duration {
	if p.Hours != nil && p.MaxPause == 0 {
		return randomPause(hoursMinPause, hoursMaxPause, string(after))
	}
	return randomPause(p.MinPause, p.MaxPause, string(after))
}

// LastWrite is the write that an account did last, and when it began or ended.
type LastWrite struct {
	Task TaskID    `json:"task"`
	At   time.Time `json:"at"`
}

// paceAhead is how far ahead a moment for the next write is looked for. Hours recur
// every week.
const paceAhead = 9 * 24 * time.Hour

// NextWrite returns the first moment at or after now at which a write may begin that
// the paces of all browsers of the member allow; ok is false when there is none.
func NextWrite(paces []MemberPace, last LastWrite, now time.Time) (at time.Time, ok bool) {
	at = now
	for _, p := range paces {
		if over := last.At.Add(p.pause(last.Task)); !last.At.IsZero() && over.After(at) {
			at = over
		}
	}
	for at.Sub(now) < paceAhead {
		before := at
		for _, p := range paces {
			if p.Hours == nil {
				continue
			}
			if at, ok = p.Hours.Next(at); !ok {
				return at, false
			}
		}
		if at.Equal(before) {
			return at, true
		}
	}
	return at, false // hours that never meet
}

// WriteCloses returns when the hours end in which a write may begin that is handed out
// at now; zero when they do not.
func WriteCloses(paces []MemberPace, now time.Time) (at time.Time) {
	for _, p := range paces {
		if p.Hours == nil || p.Hours.always() {
			continue
		}
		if until, within := p.Hours.Contains(now); within && (at.IsZero() || until.Before(at)) {
			at = until
		}
	}
	return at
}

// AskBefore reports whether the member is asked before each write, in a browser that
// can ask.
func AskBefore(paces []MemberPace) bool {
	return slices.ContainsFunc(paces, func(p MemberPace) bool { return p.Ask })
}
