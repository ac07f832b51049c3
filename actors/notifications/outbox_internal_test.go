package notifications

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// TestDue: a target's next attempt waits for its batch, its rate, its pause after a failure
// and its quiet hours, and a target that is paused or has an attempt under way has none.
func TestDue(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 20, 0, 0, time.UTC)
	hour := now.Truncate(time.Hour)
	queued := func(at time.Time) []queuedPost {
		return []queuedPost{{fmt.Sprintf("%016x", at.UnixNano()), "p"}}
	}
	retry := &watchpost.Delivery{NotBefore: now.Add(time.Minute)}
	target := watchpost.NotificationTarget{PerHour: 2}
	batched, quiet, disabled := target, target, target
	batched.Batch = 10 * time.Minute
	quiet.Quiet = watchpost.DailyHours{From: 9 * 60, Until: 10*60 + 30}
	disabled.Disabled = true
	for name, test := range map[string]struct {
		box    outbox
		target watchpost.NotificationTarget
		want   time.Time // zero: none is due
	}{
		"nothing waits":            {outbox{}, target, time.Time{}},
		"a post waits":             {outbox{queue: queued(now.Add(-time.Minute))}, target, now},
		"its batch is gathered":    {outbox{queue: queued(now.Add(-time.Minute))}, batched, now.Add(9 * time.Minute)},
		"its batch has ended":      {outbox{queue: queued(now.Add(-time.Hour))}, batched, now},
		"the hour is used up":      {outbox{queue: queued(now), state: teamspace.TargetState{Hour: hour, InHour: 2}}, target, hour.Add(time.Hour)},
		"the hour has room":        {outbox{queue: queued(now), state: teamspace.TargetState{Hour: hour, InHour: 1}}, target, now},
		"the last hour is used up": {outbox{queue: queued(now), state: teamspace.TargetState{Hour: hour.Add(-time.Hour), InHour: 2}}, target, now},
		"quiet hours":              {outbox{queue: queued(now)}, quiet, hour.Add(90 * time.Minute)},
		"after a failure":          {outbox{state: teamspace.TargetState{Current: retry}}, target, retry.NotBefore},
		"a repetition past the rate": {
			outbox{queue: queued(now), state: teamspace.TargetState{Current: retry, Hour: hour, InHour: 2}}, target, retry.NotBefore,
		},
		"under way":   {outbox{sending: true, state: teamspace.TargetState{Current: retry}}, target, time.Time{}},
		"paused":      {outbox{queue: queued(now), state: teamspace.TargetState{Paused: "404"}}, target, time.Time{}},
		"disabled":    {outbox{queue: queued(now)}, disabled, time.Time{}},
		"long waited": {outbox{state: teamspace.TargetState{Current: &watchpost.Delivery{NotBefore: now.Add(-time.Hour)}}}, target, now},
	} {
		at, ok := test.box.due(&test.target, now)
		require.Equal(t, !test.want.IsZero(), ok, name)
		if ok {
			require.Equal(t, test.want, at, name)
		}
	}
}
