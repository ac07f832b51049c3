package actors

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"watchpost/actors/dispatch"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// pendingReasons are the labels of the gauge of pending work; all exist from
// the start.
var pendingReasons = []watchpost.PendingReason{
	watchpost.PendingRunning, watchpost.PendingExtensionOffline, watchpost.PendingPaused, watchpost.PendingWeeklyCap,
	watchpost.PendingDailyCap, watchpost.PendingMemberAsked, watchpost.PendingMemberPace, watchpost.PendingRetry, watchpost.PendingQueued,
}

// pendingGrain is how often a team counts its pending work.
const pendingGrain = 10 * time.Second

// pendingAtOnce is how many queues are looked at in one turn of the team's mailbox.
const pendingAtOnce = 50

// pendingCounts is what the metrics show of why a team's open tasks wait.
//
// The others tell it that something has changed (show, countAgain), and that the team leaves
// memory (hide).
type pendingCounts struct {
	team *team

	shown   map[watchpost.PendingReason]int // since shownAt
	shownAt time.Time                       // zero: what is shown is out of date
	// counting is the next count, while it is under way.
	counting *dispatch.PendingCount
}

// show brings the metrics up to why the team's open tasks wait. It looks
// at queues, not at tasks, and at some of them with each event.
func (p *pendingCounts) show(now time.Time) {
	open := p.team.tasks.count()
	if open == 0 || p.shownAt.IsZero() {
		p.counting = nil // it is out of date
	}
	if p.counting == nil {
		if open > 0 && now.Sub(p.shownAt) < pendingGrain {
			return
		}
		p.shownAt = now
		p.counting = p.team.dispatch.Pending(now)
	}
	if !p.team.dispatch.Count(p.counting, pendingAtOnce, now) {
		return
	}
	p.counting.Counts[watchpost.PendingRunning] += p.team.tasks.running()
	p.count(p.counting.Counts)
	p.team.env.metrics.dueScans.set(p.team.id, p.counting.Oldest)
	p.counting = nil
}

// countAgain counts from the beginning: what is shown is out of date.
func (p *pendingCounts) countAgain(now time.Time) {
	p.shownAt = time.Time{}
	p.show(now)
}

// hide takes the team, which leaves memory, out of the metrics of such teams.
func (p *pendingCounts) hide() {
	p.count(nil)
	p.team.env.metrics.dueScans.leave(p.team.id)
}

func (p *pendingCounts) count(counts map[watchpost.PendingReason]int) {
	for _, reason := range pendingReasons {
		if change := counts[reason] - p.shown[reason]; change != 0 {
			p.team.env.metrics.pending.WithLabelValues(string(reason)).Add(float64(change))
		}
	}
	p.shown = counts
}

// dueScans knows when the oldest scan of each team that has not begun became due. A team
// in memory says so itself. Of the others the store tells it (Registry.LookForDueScans):
// a team whose browsers are away leaves memory, and its scans wait nevertheless.
type dueScans struct {
	now func() time.Time

	mu      sync.Mutex
	live    map[watchpost.TeamID]time.Time // in memory; zero: none waits
	resting map[watchpost.TeamID]restingScan
}

// restingScan is the oldest scan of a team that is not in memory. It counts until a time:
// a team that no one has been active in for LivenessWindow has given its scans up, and
// is no matter of the operator.
type restingScan struct{ due, until time.Time }

func newDueScans() *dueScans {
	return &dueScans{live: map[watchpost.TeamID]time.Time{}, resting: map[watchpost.TeamID]restingScan{}}
}

// set notes what a team in memory says; zero: no scan waits.
func (d *dueScans) set(team watchpost.TeamID, oldest time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.live[team] = oldest
	delete(d.resting, team)
}

// leave notes that a team leaves memory. Its last answer holds until the next look.
func (d *dueScans) leave(team watchpost.TeamID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if oldest := d.live[team]; !oldest.IsZero() {
		d.resting[team] = restingScan{oldest, d.now().Add(watchpost.LivenessWindow)}
	}
	delete(d.live, team)
}

// rest notes what the store says of the teams that are not in memory.
func (d *dueScans) rest(resting map[watchpost.TeamID]restingScan) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for team := range d.live {
		delete(resting, team)
	}
	d.resting = resting
}

// age returns for how long the oldest scan has waited.
func (d *dueScans) age() (age time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.live)+len(d.resting) == 0 {
		return 0
	}
	now := d.now()
	for _, oldest := range d.live {
		if !oldest.IsZero() {
			age = max(age, now.Sub(oldest))
		}
	}
	for _, scan := range d.resting {
		if !now.After(scan.until) {
			age = max(age, now.Sub(scan.due))
		}
	}
	return age
}

func (d *dueScans) gauge() prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: "watchpost", Name: "oldest_due_scan_seconds",
		Help: "How long the oldest scan that is due has waited, of the teams in memory and of those with a browser in the last 48 hours; 0 when none waits.",
	}, func() float64 { return d.age().Seconds() })
}

// LookForDueScans brings the metric of due scans up to the store, for the teams of this
// node that are not in memory. It activates none.
func (r *upkeep) LookForDueScans(ctx context.Context) error {
	view, err := r.env.Store.View(ctx)
	if err != nil {
		return err
	}
	defer view.Close()
	resting, now := map[watchpost.TeamID]restingScan{}, r.env.Clock.Now()
	err = teamspace.EachEntry(view, teamspace.DirTeam, func(id string, team teamspace.TeamEntry) error {
		if !r.Serves(id) || r.Running(id) {
			return ctx.Err()
		}
		space, seen := persistence.Space(id), time.Time{}
		err := teamspace.LoadAll(view, space, teamspace.KeyLiveness, func(_ string, at time.Time) {
			if at.After(seen) {
				seen = at
			}
		})
		if err != nil || !watchpost.ExtensionActive(seen, now) {
			return err
		}
		due, err := nextScan(view, space, watchpost.PlanAt(team.Plan, team.PlanExpiresAt, now))
		if !due.IsZero() {
			resting[watchpost.TeamID(id)] = restingScan{due, seen.Add(watchpost.LivenessWindow)}
		}
		return err
	})
	if err == nil {
		r.env.metrics.dueScans.rest(resting)
	}
	return err
}

// nextScan returns when the next scan of a team is due, as its schedules would have it;
// zero when there is none.
func nextScan(view persistence.View, space persistence.Space, plan watchpost.Plan) (next time.Time, err error) {
	finished, followers := map[string]time.Time{}, map[watchpost.ListID][]watchpost.Watchlist{}
	err = teamspace.LoadAll(view, space, teamspace.KeyScan, func(entry string, r teamspace.ScanRecord) { finished[entry] = r.FinishedAt })
	err = errors.Join(err, teamspace.LoadAll(view, space, teamspace.KeyWatchlist, func(_ string, w watchpost.Watchlist) {
		switch {
		case w.List != "":
			followers[w.List] = append(followers[w.List], w)
		case !w.Disabled:
			for _, e := range w.Keywords {
				next = watchpost.Earlier(next, watchpost.NextScan(finished[string(w.ID)+string(e.ID)], w.CreatedAt, w.Frequency))
			}
		}
	}))
	return next, errors.Join(err, teamspace.LoadAll(view, space, teamspace.KeyList, func(_ string, l watchpost.List) {
		frequency, followed := watchpost.ScanFrequency(followers[l.ID])
		if !followed || !plan.Scans(l.Type) {
			return
		}
		for _, e := range l.Entries {
			next = watchpost.Earlier(next, watchpost.NextScan(finished[string(l.ID)+string(e.ID)], e.AddedAt, frequency))
		}
	}))
}
