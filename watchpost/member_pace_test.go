package watchpost_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/watchpost"
)

func hoursOf(from, until int, zone string, days ...time.Weekday) *watchpost.DailyHours {
	return &watchpost.DailyHours{From: from * 60, Until: until * 60, Zone: zone, Days: days}
}

func TestNextWrite(t *testing.T) {
	t.Parallel()
	at := func(day, hour, minute int) time.Time { return time.Date(2030, 1, day, hour, minute, 0, 0, time.UTC) }
	office := watchpost.MemberPace{Hours: hoursOf(9, 17, "Europe/Berlin", time.Monday, time.Tuesday)}
	slow := watchpost.MemberPace{MinPause: 10 * time.Minute, MaxPause: 10 * time.Minute}
	var never time.Time
	for name, c := range map[string]struct {
		paces []watchpost.MemberPace
		last  time.Time
		now   time.Time
		want  time.Time // zero: none
	}{
		"as they come":             {nil, at(7, 10, 0), at(7, 10, 0), at(7, 10, 0)},
		"within the hours":         {[]watchpost.MemberPace{office}, never, at(7, 8, 0), at(7, 8, 0)}, // Monday, Berlin is an hour ahead
		"before them":              {[]watchpost.MemberPace{office}, never, at(7, 7, 59), at(7, 8, 0)},
		"after them":               {[]watchpost.MemberPace{office}, never, at(8, 16, 0), at(14, 8, 0)},
		"after a write":            {[]watchpost.MemberPace{slow}, at(7, 10, 0), at(7, 10, 1), at(7, 10, 10)},
		"the pause is over":        {[]watchpost.MemberPace{slow}, at(7, 10, 0), at(7, 10, 10), at(7, 10, 10)},
		"the pause ends after":     {[]watchpost.MemberPace{office, slow}, at(8, 15, 55), at(8, 15, 56), at(14, 8, 0)},
		"the stricter of browsers": {[]watchpost.MemberPace{office, {Hours: hoursOf(12, 20, "Europe/Berlin")}}, never, at(7, 8, 0), at(7, 11, 0)},
		"hours that never meet":    {[]watchpost.MemberPace{office, {Hours: hoursOf(18, 20, "Europe/Berlin")}}, never, at(7, 8, 0), never},
		"days that never meet":     {[]watchpost.MemberPace{office, {Hours: hoursOf(9, 17, "", time.Friday)}}, never, at(7, 8, 0), never},
		"not understood":           {[]watchpost.MemberPace{watchpost.MemberPace{Hours: hoursOf(9, 17, "Nowhere/Atall")}.Clean()}, never, at(7, 8, 0), never},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := watchpost.NextWrite(c.paces, watchpost.LastWrite{Task: "a", At: c.last}, c.now)
			require.Equal(t, !c.want.IsZero(), ok)
			if ok {
				require.Equal(t, c.want, got)
			}
		})
	}
}

// TestHoursWithoutPause: when hours begin, the waiting writes do not go out in a burst,
// even if the member wants no pause.
func TestHoursWithoutPause(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 7, 9, 0, 0, 0, time.UTC)
	paces := []watchpost.MemberPace{{Hours: hoursOf(9, 17, "")}}
	lengths := map[time.Duration]bool{}
	for i := range 50 {
		at, ok := watchpost.NextWrite(paces, watchpost.LastWrite{Task: watchpost.TaskID(fmt.Sprint("t", i)), At: now}, now)
		require.True(t, ok)
		require.GreaterOrEqual(t, at.Sub(now), 20*time.Second)
		require.Less(t, at.Sub(now), time.Minute)
		lengths[at.Sub(now)] = true
	}
	require.Greater(t, len(lengths), 45, "the pauses are random")
}

func TestPaceThatCannotBeRead(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 7, 9, 0, 0, 0, time.UTC)
	read := func(days []string, from, until, zone string) *watchpost.DailyHours {
		h := watchpost.ReadHours(days, from, until, zone)
		return &h
	}
	for name, c := range map[string]struct {
		pace   watchpost.MemberPace
		writes bool
	}{
		"hours":          {watchpost.MemberPace{Hours: read([]string{"Monday", " friday"}, "09:00", "24:00", "Europe/Berlin")}, true},
		"a pause":        {watchpost.MemberPace{MinPause: time.Minute, MaxPause: watchpost.MaxRulePause}, true},
		"no time":        {watchpost.MemberPace{Hours: read(nil, "9", "17:00", "")}, false},
		"no day":         {watchpost.MemberPace{Hours: read([]string{"moonday"}, "09:00", "17:00", "")}, false},
		"no zone":        {watchpost.MemberPace{Hours: read(nil, "09:00", "17:00", "Nowhere")}, false},
		"a zone of here": {watchpost.MemberPace{Hours: read(nil, "09:00", "17:00", "Local")}, false},
		"backwards":      {watchpost.MemberPace{MinPause: 2, MaxPause: 1}, false},
		"negative":       {watchpost.MemberPace{MinPause: -1}, false},
		"for ever":       {watchpost.MemberPace{MaxPause: watchpost.MaxRulePause + 1}, false},
	} {
		clean := c.pace.Clean()
		require.True(t, clean.Equal(clean.Clean()), name)
		_, ok := watchpost.NextWrite([]watchpost.MemberPace{clean}, watchpost.LastWrite{}, now)
		require.Equal(t, c.writes, ok, name)
	}
	require.True(t, watchpost.MemberPace{}.IsZero())
	require.False(t, watchpost.MemberPace{Ask: true}.IsZero())
	require.False(t, watchpost.MemberPace{Hours: hoursOf(0, 24, "")}.IsZero())
}

// TestPaceOfWrites: whatever the hours and pauses of a member's browsers, and whenever
// the service looks: a write begins only within the hours of all of them, before the
// moment that they close, and never two within one pause.
func TestPaceOfWrites(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var paces []watchpost.MemberPace
		for range rapid.IntRange(1, 3).Draw(t, "browsers") {
			var p watchpost.MemberPace
			if rapid.Bool().Draw(t, "hours") {
				p.Hours = &watchpost.DailyHours{
					From: rapid.IntRange(0, 24*60-1).Draw(t, "from"), Until: rapid.IntRange(0, 24*60).Draw(t, "until"),
					Zone: rapid.SampledFrom([]string{"", "Europe/Berlin", "America/New_York", "Asia/Kolkata"}).Draw(t, "zone"),
					Days: rapid.SliceOfNDistinct(rapid.SampledFrom([]time.Weekday{0, 1, 2, 3, 4, 5, 6}), 0, 7, rapid.ID[time.Weekday]).Draw(t, "days"),
				}
			}
			p.MinPause = time.Duration(rapid.IntRange(0, 300).Draw(t, "shortest")) * time.Second
			p.MaxPause = p.MinPause + time.Duration(rapid.IntRange(0, 300).Draw(t, "spread"))*time.Second
			p = p.Clean()
			require.True(t, p.Equal(p.Clean()))
			paces = append(paces, p)
		}
		now := monday.Add(time.Duration(rapid.IntRange(0, 400*24*60).Draw(t, "start")) * time.Minute)
		last := watchpost.LastWrite{}
		for i := range 20 {
			at, ok := watchpost.NextWrite(paces, last, now)
			if !ok {
				return
			}
			require.False(t, at.Before(now))
			for _, p := range paces {
				if !last.At.IsZero() {
					require.GreaterOrEqual(t, at.Sub(last.At), p.MinPause, "two writes within one pause")
				}
				if p.Hours == nil {
					continue
				}
				_, within := p.Hours.Contains(at)
				require.True(t, within, "outside the hours")
			}
			if closes := watchpost.WriteCloses(paces, at); !closes.IsZero() {
				require.True(t, closes.After(at))
				for _, p := range paces {
					if p.Hours == nil {
						continue
					}
					_, within := p.Hours.Contains(closes.Add(-1))
					require.True(t, within, "it may begin until the hours close")
				}
			}
			// No earlier moment would do, and looking early or late changes nothing.
			between := now.Add(time.Duration(rapid.Int64Range(0, int64(at.Sub(now))).Draw(t, "look")))
			again, ok := watchpost.NextWrite(paces, last, between)
			require.True(t, ok)
			require.Equal(t, at, again)
			last = watchpost.LastWrite{Task: watchpost.TaskID(fmt.Sprint("task", i)), At: at}
			now = at.Add(time.Duration(rapid.IntRange(0, 3600).Draw(t, "busy")) * time.Second)
		}
	})
}
