package actors_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// alertPause is how long an alert gathers posts, and some more.
const alertPause = 6 * time.Minute

// alertedTeam is a team whose watchlist had a post on each of the 20 days before.
type alertedTeam struct {
	*actorstest.World
	team *actorstest.Team
	s    *actorstest.Session
	scan protocol.Frame
	hook *hook
	part int
	made int
}

func newAlertedTeam(t *testing.T) *alertedTeam {
	t.Helper()
	w, team, s, h, scan, _ := notified(t)
	a := &alertedTeam{World: w, team: team, s: s, scan: scan, hook: h}
	var past []protocol.Post
	for day := range 20 {
		p := a.post("go on")
		p.PostedAt = p.PostedAt.AddDate(0, 0, -1-day)
		past = append(past, p)
	}
	a.collect(t, past...)
	return a
}

func (a *alertedTeam) post(content string) protocol.Post {
	a.made++
	return post(a.World, fmt.Sprint("n", a.made), content)
}

// collect reports posts, and returns when all of them were looked at.
func (a *alertedTeam) collect(t *testing.T, posts ...protocol.Post) {
	t.Helper()
	a.s.Part(a.scan, a.part, posts...)
	a.part++
	a.s.ExpectAck(a.scan)
	require.Eventually(t, func() bool { return len(storedKeys(t, a.World, a.team, teamspace.KeyArrival)) == 0 }, actorstest.Wait, time.Millisecond)
	targetsOf(t, a.team) // behind the turn that looked
}

func (a *alertedTeam) collectMany(t *testing.T, n int, content string) {
	t.Helper()
	var posts []protocol.Post
	for range n {
		posts = append(posts, a.post(content))
	}
	a.collect(t, posts...)
}

// alert makes a target with an alert.
func (a *alertedTeam) alert(t *testing.T, of watchpost.AlertKind, minimum int) actors.TargetCreated {
	t.Helper()
	return newTarget(t, a.team, a.hook, func(n *watchpost.NotificationTarget) { n.Alert = watchpost.Alert{Of: of, Minimum: minimum} })
}

// alertMessage is a message to a webhook.
type alertMessage struct {
	Type string
	Data struct {
		Posts []struct {
			Content string `json:"content"`
		}
		Alert struct {
			Of, Day string
			Count   int
			Usual   float64
			Words   []string
		}
	}
}

func readAlert(t *testing.T, body string) (m alertMessage) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(body), &m), body)
	return m
}

// TestAlert: a target gets one alert of a day with many more posts than usual, when it has the
// least number of them; not again after a crash, and again on another day.
func TestAlert(t *testing.T) {
	t.Parallel()
	a := newAlertedTeam(t)
	made := a.alert(t, watchpost.AlertSpike, 8)
	a.collectMany(t, 7, "go outage lisbon")
	a.Advance(alertPause)
	bodies, _ := a.hook.received()
	require.Empty(t, bodies, "a spike below the minimum")
	require.Zero(t, targetsOf(t, a.team)[0].Waiting)
	require.Zero(t, outboxes(t, a.World), "nothing waits")

	a.collectMany(t, 1, "go outage lisbon")
	require.Equal(t, 1, outboxes(t, a.World), "days wait to be judged")
	a.Crash()
	require.NoError(t, a.Registry.ResumeNotifications(a.Context()))
	a.Advance(alertPause)
	bodies, ids := a.hook.await(t, 1)
	require.Len(t, bodies, 1)
	got := readAlert(t, bodies[0])
	require.Equal(t, []any{"posts.alert", "spike", actorstest.Start.Format(time.DateOnly), 8, 1.0}, []any{got.Type, got.Data.Alert.Of, got.Data.Alert.Day, got.Data.Alert.Count, got.Data.Alert.Usual})
	require.Equal(t, []string{"lisbon", "outage"}, got.Data.Alert.Words)
	require.Len(t, got.Data.Posts, 5)
	require.Equal(t, "go outage lisbon", got.Data.Posts[0].Content)
	log, err := a.Registry.Deliveries(a.Context(), a.team.ID, made.Target.ID)
	require.NoError(t, err)
	require.Equal(t, []any{1, "alert", ids[0], 8}, []any{len(log), log[0].Kind, log[0].ID, log[0].Alert.Count})
	again := actorstest.Must[watchpost.Delivery](t, a.team, actors.SendNow{ID: made.Target.ID, Delivery: log[0].ID})
	require.Equal(t, []any{"replay", 8}, []any{again.Kind, again.Alert.Count})

	a.Crash()
	require.NoError(t, a.Registry.ResumeNotifications(a.Context()))
	a.s = a.team.Session(t, "ada").Connect()
	a.scan, a.part = a.s.Expect(protocol.TypeTask), 0
	a.collectMany(t, 9, "go outage lisbon")
	a.Advance(alertPause)
	bodies, _ = a.hook.received()
	require.Len(t, bodies, 2, "no second alert for the day")
	require.Zero(t, outboxes(t, a.World))
}

// TestAlertIsNotLostWithItsBatch: the day and the message are one decision. When the store
// loses it, the next activation tells; when the store has it and the node stops, the message
// that it stored is delivered, and no second one.
func TestAlertIsNotLostWithItsBatch(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]actorstest.Fault{"before": actorstest.Before, "after": actorstest.After} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAlertedTeam(t)
			a.alert(t, watchpost.AlertSpike, 5)
			a.collectMany(t, 7, "go")
			hit := make(chan struct{}, 100)
			a.Store.FailWhen(func(_ persistence.Space, b *persistence.Batch) actorstest.Fault {
				for _, write := range b.Writes {
					if strings.HasPrefix(string(write.Key), teamspace.KeyTargetState) && strings.Contains(string(write.Value), `"alert"`) {
						hit <- struct{}{}
						return fault
					}
				}
				return actorstest.None
			})
			_ = a.Clock.Advance(alertPause) // it fails
			select {
			case <-hit:
			case <-time.After(actorstest.Wait):
				require.Fail(t, "no alert was decided")
			}
			a.Store.FailWhen(nil)
			a.Crash()
			require.NoError(t, a.Registry.ResumeNotifications(a.Context()))
			a.Advance(alertPause)
			bodies, ids := a.hook.await(t, 1)
			require.Equal(t, 7, readAlert(t, bodies[0]).Data.Alert.Count)
			for i := range ids {
				require.Equal(t, ids[0], ids[i], "one message")
			}
		})
	}
}

// TestNegativeSurge: only posts with negative sentiment count.
func TestNegativeSurge(t *testing.T) {
	t.Parallel()
	a := newAlertedTeam(t)
	made := a.alert(t, watchpost.AlertNegativeSurge, 6)
	bad := "go is a terrible, awful failure and a horrible problem"
	old := a.post(bad)
	old.PostedAt = old.PostedAt.AddDate(0, 0, -20) // the alert is old enough to judge
	a.collect(t, old)
	a.collectMany(t, 9, "go on")
	a.collectMany(t, 5, bad)
	a.Advance(alertPause)
	bodies, _ := a.hook.received()
	require.Empty(t, bodies, "a spike of other posts")
	a.collectMany(t, 1, bad)
	a.Advance(alertPause)
	bodies, _ = a.hook.await(t, 1)
	got := readAlert(t, bodies[0])
	require.Equal(t, []any{"negative_surge", 6, 0.0}, []any{got.Data.Alert.Of, got.Data.Alert.Count, got.Data.Alert.Usual})
	for _, p := range got.Data.Posts {
		require.Equal(t, bad, p.Content)
	}

	// The days for which the target would have had an alert are those for which it had one.
	days, err := a.Registry.TryAlert(a.Context(), a.team.ID, &made.Target)
	require.NoError(t, err)
	require.Len(t, days, 1)
	require.Equal(t, actorstest.Start.Truncate(24*time.Hour), days[0].At)
}

// TestAlertOfYesterday: posts of yesterday that are found today are sent, but not to a
// target that is made today, or whose alert is changed today.
func TestAlertOfYesterday(t *testing.T) {
	t.Parallel()
	a := newAlertedTeam(t)
	a.alert(t, watchpost.AlertSpike, 6)
	a.Advance(24 * time.Hour)
	late := newHook(t)
	newTarget(t, a.team, late, func(n *watchpost.NotificationTarget) { n.Alert = watchpost.Alert{Of: watchpost.AlertSpike, Minimum: 6} })
	var posts []protocol.Post
	for range 8 {
		p := a.post("go")
		p.PostedAt = p.PostedAt.AddDate(0, 0, -1)
		posts = append(posts, p)
	}
	a.collect(t, posts...)
	a.Advance(alertPause)
	bodies, _ := a.hook.await(t, 1)
	require.Equal(t, actorstest.Start.Format(time.DateOnly), readAlert(t, bodies[0]).Data.Alert.Day)
	bodies, _ = late.received()
	require.Empty(t, bodies)
}

// TestTargetBecomesAnAlert: posts that waited are delivered, and later ones are counted.
// Without an alert again the target gets posts.
func TestTargetBecomesAnAlert(t *testing.T) {
	t.Parallel()
	a := newAlertedTeam(t)
	made := newTarget(t, a.team, a.hook, func(n *watchpost.NotificationTarget) { n.Batch = 24 * time.Hour })
	a.collectMany(t, 1, "go first")
	change := func(alert watchpost.Alert) {
		actorstest.Must[actors.TargetView](t, a.team, actors.UpdateTarget{ID: made.Target.ID, Patch: watchpost.TargetPatch{Alert: &alert, Batch: new(time.Duration(0))}})
	}
	change(watchpost.Alert{Of: watchpost.AlertSpike, Minimum: 5})
	bodies, _ := a.hook.await(t, 1)
	require.Contains(t, bodies[0], "go first")
	a.collectMany(t, 6, "go second")
	change(watchpost.Alert{})
	a.Advance(alertPause)
	a.collectMany(t, 1, "go third")
	bodies, _ = a.hook.await(t, 2)
	require.Equal(t, "posts.new", readAlert(t, bodies[1]).Type)
	require.Len(t, readAlert(t, bodies[1]).Data.Posts, 1)
}
