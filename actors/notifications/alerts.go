package notifications

import (
	"fmt"
	"runtime/debug"
	"time"

	"watchpost/actors/insight"
	"watchpost/persistence"
	"watchpost/watchpost"
	"watchpost/watchpost/trend"
)

// alertPause is how long posts are gathered before an alert judges their days: so it counts
// once for the posts of a scan.
const alertPause = 5 * time.Minute

// alertsHost is the host of counts among the attempts of a node: no address has this name.
const alertsHost = "counts of alerts"

// judged tells the team what the alert of a target tells; nil: nothing. of is the target
// that was judged: a change makes another one.
type judged struct {
	target watchpost.TargetID
	of     *watchpost.NotificationTarget
	told   *watchpost.Alerted
	posts  []watchpost.PostID
	failed bool // the posts could not be counted
}

// noteForAlert notes that the alert of a target is to judge days, and reports whether that
// changes the state. A day that it has reported needs no further look.
func (box *outbox) noteForAlert(now time.Time) bool {
	if box.toldToday(now) {
		return false
	}
	box.came = true
	if !box.state.Unjudged.IsZero() {
		return false
	}
	box.state.Unjudged = now
	return true
}

// toldToday reports whether the alert has reported the day of now.
func (box *outbox) toldToday(now time.Time) bool {
	return !box.state.Told.Before(trend.Day.Begin(now))
}

// restartAlert lets the alert of a target tell from today on, as it was made or changed.
func (box *outbox) restartAlert(now time.Time) {
	yesterday := trend.Day.Begin(now).AddDate(0, 0, -1)
	if box.state.Told.Before(yesterday) {
		box.state.Told = yesterday
	}
	box.state.Unjudged = time.Time{}
}

// judge counts the days of an alert, outside the team's mailbox.
func (ts *Targets) judge(box *outbox, t watchpost.NotificationTarget, now time.Time) {
	box.sending, box.came = true, false
	root, self := ts.Env.System.Root, ts.Context.Self()
	result := judged{target: box.id, of: box.target}
	from, open := trend.AlertFrom(box.state.Unjudged, box.state.Told, now)
	sends, team := ts.sends, watchpost.TeamID(ts.Name)
	ts.Commits.Submit(nil, func(lost error) {
		switch {
		case lost != nil: // the tree reloads
		case !open:
			root.Send(self, result)
		default:
			sends.queue(alertsHost, func() {
				var err error
				if result.told, result.posts, err = sends.alert(team, &t, from, now); err != nil {
					result.failed = true
					sends.env.Log.Error("alert cannot be judged; it is tried again", "team", team, "target", t.ID, "error", err)
				}
				root.Send(self, result)
			})
		}
	})
}

// onJudged makes a delivery of what the alert tells, once for each day: one batch has the
// delivery and the day.
func (ts *Targets) onJudged(m judged) {
	box := ts.byID[m.target]
	if box == nil || box.target == nil || box.target != m.of {
		if box != nil {
			box.sending = false
		}
		ts.Run()
		ts.onDue()
		return // deleted or changed meanwhile
	}
	box.sending = false
	now := ts.Env.Clock.Now()
	box.take(&m, now)
	batch := &persistence.Batch{}
	ts.putState(batch, box)
	ts.Mark(batch)
	ts.Commits.Submit(batch, nil)
	ts.Run()
	ts.onDue()
}

// take makes a delivery of the result. Days wait to be judged again if they could not
// be, or if a post came meanwhile.
func (box *outbox) take(m *judged, now time.Time) {
	if m.told != nil && m.told.Day.After(box.state.Told) {
		box.state.Told = m.told.Day
		box.state.Current = &watchpost.Delivery{ID: watchpost.NewID(now), Kind: "alert", State: watchpost.DeliveryPending, At: now, Posts: m.posts, Alert: m.told}
		box.count(now)
	}
	box.state.Unjudged = time.Time{}
	if (m.failed || box.came) && !box.toldToday(now) {
		box.state.Unjudged = now
	}
}

// alert returns what the alert of a target tells; nil: nothing. A panic is an error, as one
// of an attempt is.
func (s *Sends) alert(team watchpost.TeamID, t *watchpost.NotificationTarget, from, now time.Time) (told *watchpost.Alerted, latest []watchpost.PostID, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			s.panicked()
			err = fmt.Errorf("%v: %s", reason, debug.Stack())
		}
	}()
	view, err := s.env.View()
	if err != nil {
		return nil, nil, err
	}
	defer view.Close()
	tagging, err := s.tagging(view, team)
	if err != nil {
		return nil, nil, err
	}
	return insight.Alert(view, persistence.Space(team), s.posts, t, tagging, from, now)
}
