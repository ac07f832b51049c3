package notifications

import (
	"fmt"
	"time"

	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// outbox is a target, and what waits for it.
type outbox struct {
	id      watchpost.TargetID
	target  *watchpost.NotificationTarget // nil: made by a watchlist's slack_webhook_url
	state   teamspace.TargetState
	queue   []queuedPost
	log     []string // ids of the deliveries in the log, oldest first
	sending bool     // an attempt is under way, or the alert counts
	came    bool     // a post came while the alert counted
}

// queuedPost is a post that waits. number orders them, and is when it came.
type queuedPost struct {
	number string
	post   watchpost.PostID
}

// due returns when the next attempt of a target may be made; ok is false when
// nothing is to be delivered, or an attempt is under way.
func (box *outbox) due(t *watchpost.NotificationTarget, now time.Time) (at time.Time, ok bool) {
	switch current := box.state.Current; {
	case box.sending, box.state.Paused != "", t.Disabled, !box.waits(t):
		return at, false
	case current != nil:
		at = current.NotBefore
	default:
		at = box.gathered(t)
		if hour := now.Truncate(time.Hour); box.state.Hour.Equal(hour) && box.state.InHour >= t.PerHour && at.Before(hour.Add(time.Hour)) {
			at = hour.Add(time.Hour)
		}
	}
	if at.Before(now) {
		at = now
	}
	return t.Opens(at), true
}

// gathered returns when the posts that wait are delivered, or judged if there are none.
// What an alert finds in its outbox came before it was an alert.
func (box *outbox) gathered(t *watchpost.NotificationTarget) time.Time {
	if len(box.queue) == 0 {
		return box.state.Unjudged.Add(alertPause)
	}
	came := time.Unix(0, numberOf(box.queue[0].number)).UTC()
	if t.Alert.Of != "" {
		return came
	}
	return came.Add(t.Batch)
}

// waits reports whether something waits to be delivered or judged.
func (box *outbox) waits(t *watchpost.NotificationTarget) bool {
	return box.state.Current != nil || len(box.queue) > 0 || t.Alert.Of != "" && !box.state.Unjudged.IsZero()
}

// count counts a delivery of this hour.
func (box *outbox) count(now time.Time) {
	in := watchpost.HourlyCount{Hour: box.state.Hour, Times: box.state.InHour}.At(now)
	box.state.Hour, box.state.InHour = in.Hour, in.Times+1
}

// sentNow remembers whether a test or repetition failed.
func (box *outbox) sentNow(d *watchpost.Delivery) {
	current := box.state.Current
	switch {
	case d.State != watchpost.DeliveryDelivered:
		box.state.Failed = d
		if box.state.FailingSince.IsZero() {
			box.state.FailingSince = d.At
		}
	case current == nil || current.Error == "":
		box.state.Failed, box.state.FailingSince = nil, time.Time{}
	default: // the current delivery has not succeeded
		box.state.Failed = nil
	}
}

func waitingPostKey(id watchpost.TargetID, number string) []byte {
	return teamspace.Key(teamspace.KeyTargetQueue, string(id)+number)
}

func numberOf(s string) (n int64) {
	_, _ = fmt.Sscanf(s, "%x", &n)
	return n
}
