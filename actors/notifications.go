package actors

import (
	"context"
	"errors"
	"iter"
	"time"

	"watchpost/actors/arrivals"
	"watchpost/actors/notifications"
	"watchpost/actors/poststore"
	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

type (
	// CreateTarget makes a notification target.
	CreateTarget = notifications.Create
	// UpdateTarget changes a notification target.
	UpdateTarget = notifications.Update
	// DeleteTarget removes a notification target.
	DeleteTarget = notifications.Delete
	// ListTargets asks for all notification targets.
	ListTargets = notifications.List
	// SendNow sends a test message, or a delivery again.
	SendNow = notifications.SendNow
	// TargetCreated is a new notification target.
	TargetCreated = notifications.Created
	// TargetView is a notification target and how it stands.
	TargetView = notifications.View
	// TargetDelivery is a delivery of the log of a target.
	TargetDelivery = notifications.Logged
)

// notificationHost answers what the notifications of a team ask it.
type notificationHost struct{ team *team }

func newNotifications(t *team) *notifications.Targets {
	return notifications.New(notifications.Options{Actor: &t.Actor, Host: notificationHost{t}, Sends: t.env.sends, AuditOps: auditOps})
}

// Watchlist implements notifications.Host.
func (h notificationHost) Watchlist(id watchpost.WatchlistID) *watchpost.Watchlist {
	if tracked := h.team.watchlists.find(id); tracked != nil {
		return &tracked.view.Watchlist
	}
	return nil
}

// Watchlists implements notifications.Host.
func (h notificationHost) Watchlists() iter.Seq[*watchpost.Watchlist] {
	return func(yield func(*watchpost.Watchlist) bool) {
		for _, tracked := range h.team.watchlists.all() {
			if !yield(&tracked.view.Watchlist) {
				return
			}
		}
	}
}

// Member implements notifications.Host.
func (h notificationHost) Member(email string) (watchpost.Member, error) {
	return h.team.members.byEmail(email)
}

// Waits implements notifications.Host.
func (h notificationHost) Waits() bool {
	return h.team.arrivals.Pending() || h.team.pendingDeletions.waiting()
}

// DeletedAt implements notifications.Host.
func (h notificationHost) DeletedAt(id watchpost.TargetID) time.Time {
	return h.team.pendingDeletions.at(string(id))
}

// Deleted implements notifications.Host.
func (h notificationHost) Deleted(batch *persistence.Batch, id watchpost.TargetID) {
	h.team.pendingDeletions.forget(batch, string(id))
}

// Audit implements notifications.Host.
func (h notificationHost) Audit(batch *persistence.Batch, kind watchpost.AuditKind, subject string) {
	h.team.audit.note(batch, kind, "", subject)
}

// CommitOnce implements notifications.Host.
func (h notificationHost) CommitOnce(batch *persistence.Batch, reply any) {
	h.team.idempotency.commitOnce(batch, reply)
}

// newArrivals returns what shows new posts to rules and notifications.
func newArrivals(t *team) *arrivals.Queue {
	return arrivals.New(arrivals.Options{
		Actor: &t.Actor, Tagging: t.env.watchlists.Of, Mark: t.notifications.Mark,
		Has: func(id watchpost.WatchlistID) bool { return t.watchlists.find(id) != nil },
		Observers: []arrivals.Observer{
			{Watch: func(w *poststore.Watched) { t.rules.Watch(w.Add) }, Consider: t.rules.Consider, Run: t.rules.Run},
			{Watch: t.notifications.Watch, Consider: t.notifications.Consider, Run: t.notifications.Run},
		},
	})
}

// Deliveries returns the log of a target, newest first; without an id, the newest
// deliveries of all targets. Errors: Unavailable.
func (r *reading) Deliveries(ctx context.Context, team watchpost.TeamID, id watchpost.TargetID) ([]TargetDelivery, error) {
	view, err := r.viewFor(ctx)
	if err != nil {
		return nil, root.Unavailable(err)
	}
	defer view.Close()
	log, err := notifications.Log(view, persistence.Space(team), id)
	return log, root.Unavailable(err)
}

// ResumeNotifications activates the teams with notifications or deletions that wait, of those
// that this node serves and that are not in memory: after a start, when the node has
// taken teams over, and when a team has failed.
func (r *upkeep) ResumeNotifications(ctx context.Context) error {
	view, err := r.env.Store.View(ctx)
	if err != nil {
		return err
	}
	teams, err := teamspace.Names[watchpost.TeamID](view, teamspace.DirOutbox)
	view.Close()
	for _, team := range teams {
		if r.Running(string(team)) {
			continue
		}
		_, failure := askTeam(ctx, r.base, team, ListTargets{})
		err = errors.Join(err, passOver(failure))
	}
	return err
}
