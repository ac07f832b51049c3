package watchpost

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// DailyHours is a part of the day on some days of the week, in a time zone:
// working hours, or quiet hours. If Until is not after From, the part ends on
// the next day. The zero value has no hours.
type DailyHours struct {
	Days  []time.Weekday `json:",omitempty"` // none: every day
	From  int            // minutes after midnight
	Until int
	Zone  string `json:",omitempty"` // of the IANA database; empty: UTC
}

const minutesOfDay = 24 * 60

// Clean checks the hours. The error names field.
func (h DailyHours) Clean(field string) (DailyHours, error) {
	bad := Errorf(Invalid, "Invalid '%s'", field)
	if h.From < 0 || h.From >= minutesOfDay || h.Until < 0 || h.Until > minutesOfDay || len(h.Zone) > 64 {
		return h, bad
	}
	if _, err := time.LoadLocation(h.Zone); err != nil || h.Zone == "Local" {
		return h, bad
	}
	slices.Sort(h.Days)
	h.Days = slices.Compact(h.Days)
	for _, d := range h.Days {
		if d < time.Sunday || d > time.Saturday {
			return h, bad
		}
	}
	return h, nil
}

// ReadHours returns hours that are given in words, not yet cleaned; those that cannot be
// read are not valid.
func ReadHours(days []string, from, until, zone string) DailyHours {
	h := DailyHours{Zone: zone}
	for _, day := range days {
		h.Days = append(h.Days, weekdayOf(day))
	}
	var ok, also bool
	h.From, ok = ParseMinutes(from)
	h.Until, also = ParseMinutes(until)
	if !ok || !also {
		h.From = -1
	}
	return h
}

// weekdayOf returns the day of an English name, -1 when there is none.
func weekdayOf(name string) time.Weekday {
	for day := time.Sunday; day <= time.Saturday; day++ {
		if strings.EqualFold(strings.TrimSpace(name), day.String()) {
			return day
		}
	}
	return -1
}

// ParseMinutes parses a time of day, 09:30, as minutes after midnight; 24:00 is
// the end of the day.
func ParseMinutes(s string) (int, bool) {
	if s == "24:00" {
		return minutesOfDay, true
	}
	t, err := time.Parse("15:04", s)
	return t.Hour()*60 + t.Minute(), err == nil && len(s) == len("15:04")
}

// none reports whether these are no hours.
func (h *DailyHours) none() bool { return len(h.Days) == 0 && h.From == 0 && h.Until == 0 }

// always reports whether the hours have no end.
func (h *DailyHours) always() bool {
	whole := h.From == h.Until || h.From == 0 && h.Until == minutesOfDay
	return whole && !h.none() && (len(h.Days) == 0 || len(h.Days) == 7)
}

// zones are the time zones of stored hours by name: time.LoadLocation reads files.
var zones sync.Map // string → *time.Location

// zoneOf returns a time zone; UTC for one that this machine does not know.
func zoneOf(name string) *time.Location {
	if zone, known := zones.Load(name); known {
		return zone.(*time.Location)
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	zones.Store(name, zone)
	return zone
}

// window returns the hours that begin on the day, days after that of now; ok is
// false if none begin then.
func (h *DailyHours) window(now time.Time, days int) (from, until time.Time, ok bool) {
	zone := zoneOf(h.Zone)
	y, m, d := now.In(zone).Date()
	day := time.Date(y, m, d+days, 12, 0, 0, 0, zone)
	if len(h.Days) > 0 && !slices.Contains(h.Days, day.Weekday()) {
		return from, until, false
	}
	y, m, d = day.Date()
	last := d
	if h.Until <= h.From {
		last++
	}
	from = time.Date(y, m, d, 0, h.From, 0, 0, zone)
	until = time.Date(y, m, last, 0, h.Until, 0, 0, zone)
	return from.UTC(), until.UTC(), until.After(from)
}

// Contains reports whether now is within the hours, and until when.
func (h *DailyHours) Contains(now time.Time) (until time.Time, within bool) {
	if h.none() {
		return time.Time{}, false
	}
	for days := -1; days <= 8; days++ { // adjoining parts are one
		from, end, ok := h.window(now, days)
		if !ok {
			continue
		}
		if !within && !now.Before(from) && now.Before(end) || within && !from.After(until) && end.After(until) {
			until, within = end, true
		}
	}
	return until, within
}

// Next returns the first moment at or after now within the hours; ok is false if
// there is none in the next eight days.
func (h *DailyHours) Next(now time.Time) (at time.Time, ok bool) {
	if h.none() {
		return now, false
	}
	if _, within := h.Contains(now); within {
		return now, true
	}
	for days := -1; days <= 8; days++ {
		if from, _, ok := h.window(now, days); ok && from.After(now) {
			return from, true
		}
	}
	return now, false
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
